"""Families declared outside the package: by an entry point, by an environment variable, or by location."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from whatworked.errors import PluginError, WhatWorkedError
from whatworked.workflows.families import FAMILIES

if TYPE_CHECKING:
    from whatworked.declaration.workflow import Workflow

ENTRY_POINT_GROUP = "whatworked.families"
"""Entry points of this group name a family and say ``module:attribute`` of its workflow."""

VARIABLE = "WHATWORKED_FAMILIES"
"""``name=module:attribute``, several separated by commas."""


def locations() -> dict[str, str]:
    """``module:attribute`` of every family from outside, by name; nothing is imported.

    Raises
    ------
    PluginError
        If a name is the package's own or stands for two locations, or the variable cannot be read.
    """
    found: dict[str, str] = {}
    for name, location in (*_installed(), *_from_variable()):
        if name in FAMILIES:
            raise PluginError(f"family {name!r} from {location} has the name of a family of the package; rename it")
        if found.setdefault(name, location) != location:
            raise PluginError(f"family {name!r} is declared twice: {found[name]} and {location}; rename or unset one")
    return found


def load(location: str, family: str | None = None) -> Workflow:
    """Import the workflow at ``module:attribute``; `family`, if given, is the name it must have.

    Raises
    ------
    PluginError
        If it cannot be imported, is not a `Workflow`, or has another family name.
    """
    from whatworked.declaration.workflow import Workflow

    module, _, attribute = location.partition(":")
    try:
        found = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except WhatWorkedError:
        raise
    except Exception as error:
        raise PluginError(
            f"workflow {location!r} cannot be loaded: {type(error).__name__}: {error}; "
            "give module:attribute of a Workflow that Python can import here"
        ) from error
    if not isinstance(found, Workflow):
        raise PluginError(f"{location!r} is a {type(found).__name__}; it must be a whatworked.declaration.Workflow")
    if family is not None and found.family != family:
        raise PluginError(
            f"{location!r} is registered as family {family!r} but declares {found.family!r}; use one name"
        )
    return found


def _installed() -> Iterator[tuple[str, str]]:
    for point in entry_points(group=ENTRY_POINT_GROUP):
        yield point.name, point.value


def _from_variable() -> Iterator[tuple[str, str]]:
    for entry in filter(None, (part.strip() for part in os.environ.get(VARIABLE, "").split(","))):
        name, equals, location = (part.strip() for part in entry.partition("="))
        if not equals or not name or ":" not in location:
            raise PluginError(f"{VARIABLE} holds {entry!r}; it must be name=module:attribute, separated by commas")
        yield name, location
