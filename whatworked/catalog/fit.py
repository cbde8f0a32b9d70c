"""Whether a condition can run: its family is declared, and with the options of its track."""

from __future__ import annotations

from whatworked.catalog.catalog import Condition
from whatworked.catalog.tracks import TRACKS
from whatworked.declaration.workflow import Workflow
from whatworked.errors import DeclarationError, WhatWorkedError
from whatworked.wording import counted
from whatworked.workflows import FAMILIES, get

_SIZES = {4: (4, 6), 6: (6,)}
"""Options that a family may declare for the tracks of the catalog: the four-option track has the first four of six."""


def misfit(condition: Condition, workflow: Workflow) -> str:
    """Why a family has another number of options than a condition needs, and what to do about it.

    Parameters
    ----------
    condition : Condition
        The condition.
    workflow : Workflow
        Its family's, with all its options.

    Returns
    -------
    str
        Empty if all its options take part; or, on the four-option track, the first four of six.
    """
    if condition.track not in TRACKS:
        allowed: tuple[int, ...] = (condition.dimensions,)
    else:
        allowed = _SIZES[condition.dimensions]
    if workflow.d in allowed:
        return ""
    cures = [f'use tracks = ["own"] and options = {workflow.d} in the manifest']
    if condition.track in TRACKS:
        cures += ['tracks = ["four"]'] if workflow.d == 4 else []
        cures.append("declare six options" if condition.dimensions == 6 else "declare four or six options")
    family = f"family {condition.family} declares {counted(workflow.d, 'option')}"
    needed = f"the manifest's track needs {' or '.join(map(str, allowed))}"
    return f"{family}, {needed}: {', or '.join(cures)}"


def problem_of(condition: Condition) -> str:
    """Why a condition cannot run for want of a right manifest or a fitting family; empty if it can.

    Parameters
    ----------
    condition : Condition
        The condition.

    Returns
    -------
    str
        What is wrong with the manifest, the sentence of `misfit`, or of the error that the family cannot be loaded for.
    """
    if condition.problem or condition.family in FAMILIES:
        return condition.problem
    try:
        return misfit(condition, get(condition.family))
    except WhatWorkedError as error:
        return str(error)


def fitting(condition: Condition) -> Workflow:
    """The workflow of a condition: its family's, with the other options held off.

    Parameters
    ----------
    condition : Condition
        The condition.

    Returns
    -------
    Workflow

    Raises
    ------
    DeclarationError
        If the family declares another number of options than the condition needs.
    UnknownNameError, PluginError
        As `whatworked.workflows.get`.
    """
    workflow = get(condition.family)
    if problem := misfit(condition, workflow):
        raise DeclarationError(f"{condition.id}: {problem}")
    return workflow.restricted(condition.dimensions)
