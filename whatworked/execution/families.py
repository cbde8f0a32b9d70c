"""Workflows of the conditions that a run needs, and why others cannot run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from whatworked.catalog.catalog import Condition
from whatworked.catalog.fit import misfit
from whatworked.declaration.workflow import Workflow
from whatworked.errors import WhatWorkedError

WorkflowOf = Callable[[str], Workflow]
"""From a family's name to its declaration, as `whatworked.workflows.get`."""


@dataclass(frozen=True)
class Families:
    """Families of one run.

    Attributes
    ----------
    workflows : dict of str to Workflow
        Those that can be loaded, by name, with all their options.
    problems : dict of str to str
        Conditions whose manifest is wrong or whose family cannot be loaded or has another number of options, by id,
        with what to do about it.
    """

    workflows: dict[str, Workflow] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def fitting(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Those of the conditions that no problem is known of."""
        return [condition for condition in conditions if condition.id not in self.problems]


def load_families(conditions: Iterable[Condition], workflow_of: WorkflowOf) -> Families:
    """Load the family of each condition; one that is wrong does not stop the others."""
    found = Families()
    for condition in conditions:
        if condition.problem:
            found.problems[condition.id] = condition.problem
            continue
        try:
            workflow = found.workflows.get(condition.family) or workflow_of(condition.family)
        except WhatWorkedError as error:
            found.problems[condition.id] = str(error)
            continue
        found.workflows[condition.family] = workflow
        if problem := misfit(condition, workflow):
            found.problems[condition.id] = problem
    return found
