"""Checks of a workflow family of one's own: what is wrong with it, and what the commands need besides."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator

from whatworked.catalog.catalog import Condition, conditions
from whatworked.catalog.fit import misfit
from whatworked.declaration.outcome import Outcome
from whatworked.declaration.prepared import PreparedInput
from whatworked.declaration.workflow import Store, Workflow
from whatworked.errors import WhatWorkedError
from whatworked.sources.library import Library
from whatworked.surfaces.masks import mask_strings
from whatworked.testing.kit import CheckResult

MOST_MASKS = 16
"""Masks that are tried on each source; all of them up to four options."""


def check_family(workflow: Workflow, library: Library) -> Iterator[CheckResult]:
    """Check a family, and run a few masks of it on each of its sources that is on this machine.

    Parameters
    ----------
    workflow : Workflow
        The family, with all its options.
    library : Library
        Where its sources are.

    Yields
    ------
    CheckResult
        One for each requirement, those on a source once for each.
    """
    yield CheckResult("transfer", "goes to worker processes", _transfer_problem(workflow))
    own = [condition for condition in conditions() if condition.family == workflow.family]
    yield CheckResult("source", "a source declares the family", None if own else _no_source(workflow))
    for condition in own:
        fits = condition.problem or misfit(condition, workflow) or None
        yield CheckResult(f"{condition.id} fits", "the manifest is right and has the family's options", fits)
        if fits is None:
            yield from _checks_on(workflow, condition, library)


def notes_on(workflow: Workflow) -> Iterator[str]:
    """What a family can do without, one sentence each."""
    if workflow.metric.second is None:
        yield f"{workflow.metric.name} is computed once; with second=… `whatworked verify` compares two computations"
    classes = len(workflow.equivalence())
    if classes == 1 << workflow.d:
        yield "every mask is a program of its own; a setting function that leaves out what has no effect saves runs"


def _no_source(workflow: Workflow) -> str:
    return f"there is none; `whatworked sources new NAME --family {workflow.family}` writes one to begin with"


def _transfer_problem(workflow: Workflow) -> str | None:
    try:
        pickle.loads(pickle.dumps(workflow))  # noqa: S301
    except Exception as error:  # whatever pickling a stranger's object raises
        return f"{type(error).__name__}: {error}; use functions of a module that Python can import, no lambdas"
    return None


def _checks_on(workflow: Workflow, condition: Condition, library: Library) -> Iterator[CheckResult]:
    try:
        prepared = library.prepared(condition.source)
    except WhatWorkedError as error:
        yield CheckResult(f"{condition.id} data", "the source is on this machine", str(error))
        return
    tried = workflow.restricted(condition.dimensions)
    masks = _masks(tried.d)
    try:
        outcomes = {mask: tried.run(prepared, mask) for mask in masks}
    except Exception as error:  # a stranger's stage may raise anything
        yield CheckResult(f"{condition.id} runs", "every mask runs", f"{type(error).__name__}: {error}")
        return
    yield CheckResult(f"{condition.id} runs", f"{len(masks)} masks run")
    yield _checked(condition, "utility", "utilities are from 0 to 1", lambda: _utility_problem(outcomes))
    again = _checked(
        condition, "again", "a second run gives the same", lambda: _difference(tried, prepared, outcomes, None)
    )
    yield again
    if again.passed:
        same = "sharing the work of stages gives the same"
        yield _checked(condition, "shared", same, lambda: _difference(tried, prepared, outcomes, {}))
    if workflow.metric.second is not None:
        agree = "two computations of the metric agree"
        yield _checked(condition, "metric", agree, lambda: _metric_problem(tried, prepared, masks))


def _checked(condition: Condition, name: str, what: str, problem: Callable[[], str | None]) -> CheckResult:
    try:
        found = problem()
    except Exception as error:  # a stranger's code may raise anything
        found = f"{type(error).__name__}: {error}"
    return CheckResult(f"{condition.id} {name}", what, found)


def _masks(d: int) -> tuple[str, ...]:
    """All off, all on, each option alone, and others up to `MOST_MASKS`."""
    single = [("0" * place + "1").ljust(d, "0") for place in range(d)]
    return tuple(dict.fromkeys(("0" * d, "1" * d, *single, *mask_strings(d)[: 4 * MOST_MASKS])))[
        : max(MOST_MASKS, d + 2)
    ]


def _utility_problem(outcomes: dict[str, Outcome]) -> str | None:
    wrong = [f"{mask}: {outcome.utility:g}" for mask, outcome in outcomes.items() if not 0 <= outcome.utility <= 1]
    return f"{', '.join(wrong[:3])}; give a cost its cost_scale, and bring a score to 0 to 1" if wrong else None


def _difference(
    workflow: Workflow, prepared: PreparedInput, outcomes: dict[str, Outcome], store: Store | None
) -> str | None:
    other = [mask for mask, outcome in outcomes.items() if workflow.run(prepared, mask, store).digest != outcome.digest]
    if not other:
        return None
    cure = "a stage changes its inputs, or reads what its setting leaves out" if store is not None else "fix its seeds"
    return f"another prediction at {', '.join(other[:3])}: {cure}"


def _metric_problem(workflow: Workflow, prepared: PreparedInput, masks: tuple[str, ...]) -> str | None:
    checked = workflow.checked()
    for mask in masks[:4]:
        checked.run(prepared, mask)
    return None
