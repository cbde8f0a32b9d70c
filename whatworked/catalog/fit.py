"""Whether a condition can run: its family is declared, and with options enough for its track."""

from __future__ import annotations

from whatworked.catalog.catalog import Condition
from whatworked.declaration.workflow import Workflow
from whatworked.errors import DeclarationError, WhatWorkedError
from whatworked.workflows import FAMILIES, get

_WORDS = ("no", "one", "two", "three", "four", "five", "six")


def misfit(one: Condition, workflow: Workflow) -> str:
    """Why a family has too few options for a condition, and what to do about it.

    Parameters
    ----------
    one : Condition
        The condition.
    workflow : Workflow
        Its family's, with all its options.

    Returns
    -------
    str
        Empty if the family has options enough.
    """
    if workflow.d >= one.dimensions:
        return ""
    cure = 'use tracks = ["four"] in the manifest, or declare six' if workflow.d >= 4 else "declare four or six"
    needed, declared = _WORDS[one.dimensions], _WORDS[workflow.d]
    return f"{needed} options are needed, family {one.family} declares {declared}: {cure}"


def problem_of(one: Condition) -> str:
    """Why a condition cannot run for want of a fitting family; empty if it can.

    Parameters
    ----------
    one : Condition
        The condition.

    Returns
    -------
    str
        The sentence of `misfit`, or of the error that the family cannot be loaded for.
    """
    if one.family in FAMILIES:
        return ""
    try:
        return misfit(one, get(one.family))
    except WhatWorkedError as error:
        return str(error)


def fitting(one: Condition) -> Workflow:
    """The workflow of a condition: its family's, with the other options held off.

    Parameters
    ----------
    one : Condition
        The condition.

    Returns
    -------
    Workflow

    Raises
    ------
    DeclarationError
        If the family declares fewer options than the condition has.
    UnknownNameError, PluginError
        As `whatworked.workflows.get`.
    """
    workflow = get(one.family)
    if problem := misfit(one, workflow):
        raise DeclarationError(f"{one.id}: {problem}")
    return workflow.restricted(one.dimensions)
