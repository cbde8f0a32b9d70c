"""The eight workflow families, one module each, and their second, independent metrics."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from whatworked.errors import unknown_name
from whatworked.workflows import outside
from whatworked.workflows.families import FAMILIES

if TYPE_CHECKING:
    from whatworked.declaration.workflow import Workflow

__all__ = ["FAMILIES", "families", "get"]


def families() -> tuple[str, ...]:
    """Names of all families: the package's own in the order of the catalog, then those from outside by name."""
    return (*FAMILIES, *sorted(outside.locations()))


def get(family: str) -> Workflow:
    """The workflow of a family, with all its options.

    Parameters
    ----------
    family : str
        A name from `families`, or ``"module:attribute"`` of a workflow declared anywhere.

    Returns
    -------
    Workflow

    Raises
    ------
    UnknownNameError
        If there is no family of that name; the message offers the nearest ones.
    PluginError
        If a family from outside cannot be imported or is not a workflow.
    DeclarationError
        If its declaration contradicts itself.

    Examples
    --------
    >>> get("regression").restricted(4).d
    4
    """
    if family in FAMILIES:
        workflow: Workflow = import_module(f"whatworked.workflows.{family}").WORKFLOW
        return workflow
    if ":" in family:
        return outside.load(family)
    found = outside.locations()
    if family not in found:
        raise unknown_name("workflow family", family, families())
    return outside.load(found[family], family)
