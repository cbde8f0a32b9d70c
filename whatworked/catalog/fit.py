"""Whether a condition can run: its family is declared, and with options enough for its track."""

from __future__ import annotations

from whatworked.catalog.catalog import Condition
from whatworked.declaration.workflow import Workflow
from whatworked.errors import DeclarationError, WhatWorkedError
from whatworked.workflows import FAMILIES, get

_WORDS = ("no", "one", "two", "three", "four", "five", "six")


def misfit(condition: Condition, workflow: Workflow) -> str:
    """Why a family has too few options for a condition, and what to do about it.

    Parameters
    ----------
    condition : Condition
        The condition.
    workflow : Workflow
        Its family's, with all its options.

    Returns
    -------
    str
        Empty if the family has options enough.
    """
    if workflow.d >= condition.dimensions:
        return ""
    cure = 'use tracks = ["four"] in the manifest, or declare six' if workflow.d >= 4 else "declare four or six"
    needed, declared = _WORDS[condition.dimensions], _WORDS[workflow.d]
    return f"{needed} options are needed, family {condition.family} declares {declared}: {cure}"


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
        If the family declares fewer options than the condition has.
    UnknownNameError, PluginError
        As `whatworked.workflows.get`.
    """
    workflow = get(condition.family)
    if problem := misfit(condition, workflow):
        raise DeclarationError(f"{condition.id}: {problem}")
    return workflow.restricted(condition.dimensions)
