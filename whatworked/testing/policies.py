"""Checks of policies."""

from __future__ import annotations

import numpy as np

from whatworked.environments.effects.loop import checked_answer
from whatworked.plugins import Plugin
from whatworked.protocols import Policy, SearchState
from whatworked.runs.acquisition import acquire
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import IntArray, all_bits, anchors
from whatworked.testing.cases import Case, cases, classes, flat_cases, orders, sizes, surface
from whatworked.testing.kit import Check, Violation, during, global_state, unchanged_process

_EXHAUSTED = 4
"""Largest d at which a cube is bought to its end."""
_STEPS = 4
Dimensions = tuple[int, ...]


def _state(case: Case, remaining: int | None = None, equivalence: Equivalence | None = None) -> SearchState:
    masks, values = case.masks, case.utilities
    masks.flags.writeable = values.flags.writeable = False
    left = (1 << case.d) - len(masks)
    return SearchState(case.d, masks, values, left if remaining is None else remaining, equivalence)


def _ask(policy: Policy, case: Case, n: int = 1, equivalence: Equivalence | None = None) -> IntArray:
    state = _state(case, equivalence=equivalence)
    return checked_answer(policy.ask(state, n), case.ranks, n, case.d)


def _unfinished(dimensions: Dimensions) -> list[Case]:
    return [case for case in cases(dimensions) if len(case.ranks) < 1 << case.d]


def _typical(dimensions: Dimensions) -> list[Case]:
    """One case per d that has masks left."""
    found: dict[int, Case] = {}
    for case in _unfinished(dimensions):
        found.setdefault(case.d, case)
        if len(case.ranks) <= 2 + case.d:
            found[case.d] = case
    return list(found.values())


def every_size(plugin: Plugin, dimensions: Dimensions) -> None:
    """Answer for every number of options, of measured masks and of masks asked for."""
    for case in _unfinished(dimensions):
        left = (1 << case.d) - len(case.ranks)
        for n in sorted({1, min(3, left)}):
            with during(f"{case.what}, {n} asked for"):
                _ask(plugin.build_policy(0), case, n)


def whole_cube(plugin: Plugin, dimensions: Dimensions) -> None:
    """Buying may go on to the last mask, and everything may be asked for at once."""
    for d in (d for d in dimensions if d <= _EXHAUSTED):
        truth, budget = surface(d), (1 << d) - 2
        if not budget:
            continue
        with during(f"d = {d}, one mask at a time to the end"):
            bought = acquire(plugin.build_policy(0), truth, budget)
            if bought.failure is not None:
                raise Violation(bought.failure.cause)
        with during(f"d = {d}, all {budget} masks at once"):
            _ask(plugin.build_policy(0), Case(truth, np.array(anchors(d), dtype=np.int64), ""), budget)


def every_order(plugin: Plugin, dimensions: Dimensions) -> None:
    """Measured masks may stand in any order, as after a replay or another policy's purchases."""
    for d in dimensions:
        base = orders(d, max(2, sizes(d)[-1] - 1))
        for name, ranks in (("descending", np.sort(base[2:])[::-1]), ("ascending", np.sort(base[2:]))):
            case = Case(surface(d), np.array([*base[:2], *ranks], dtype=np.int64), f"d = {d}, {name} purchases")
            if len(case.ranks) < 1 << d:
                with during(case.what):
                    _ask(plugin.build_policy(0), case)


def flat_surfaces(plugin: Plugin, dimensions: Dimensions) -> None:
    """Surfaces without differences are ordinary surfaces."""
    for case in flat_cases(min(4, max(dimensions))):
        if len(case.ranks) < 1 << case.d:
            with during(case.what):
                _ask(plugin.build_policy(0), case)


def repeatable(plugin: Plugin, dimensions: Dimensions) -> None:
    """Equal states and an equal seed give equal purchases."""
    for case in _typical(dimensions):
        for seed in (0, 1) if plugin.stochastic else (0,):
            with during(f"{case.what}, seed {seed}"):
                first, second = (_ask(plugin.build_policy(seed), case) for _ in range(2))
                if not np.array_equal(first, second):
                    raise Violation("two policies of equal seed answer the same state differently")


def no_memory(plugin: Plugin, dimensions: Dimensions) -> None:
    """An answer depends on the state, not on earlier calls."""
    for case in _typical(dimensions):
        other = Case(1.0 - case.truth, case.ranks, "")
        with during(case.what):
            policy = plugin.build_policy(0)
            first = _ask(policy, case)
            _ask(policy, other)
            if not np.array_equal(first, _ask(policy, case)):
                raise Violation(
                    "the same state is answered differently after another call; derive what you need from the state "
                    "(a generator from random_state and the number of measured masks)"
                )


def no_global_state(plugin: Plugin, dimensions: Dimensions) -> None:
    """Purchases do not depend on global random generators, nor change them."""
    for case in _typical(dimensions)[-1:]:
        answers = []
        for seed in (1, 2):
            with during(case.what), global_state(seed):
                answers.append(_ask(plugin.build_policy(0), case))
        if not np.array_equal(answers[0], answers[1]):
            raise Violation("purchases depend on the state of the global random generators")


def process_state(plugin: Plugin, dimensions: Dimensions) -> None:
    """Import, construction and asking leave the state of the process as it was."""
    for case in _typical((min(4, max(dimensions)),)):
        with during(case.what), unchanged_process(plugin.spec):
            _ask(plugin.build_policy(0), case)


def arguments_untouched(plugin: Plugin, dimensions: Dimensions) -> None:
    """The arrays of the state are left as they were, writeable or not."""
    for case in _typical(dimensions):
        masks, values = case.masks, case.utilities
        with during(case.what):
            plugin.build_policy(0).ask(SearchState(case.d, masks, values, 2), 1)
            if not np.array_equal(masks, case.masks) or not np.array_equal(values, case.utilities):
                raise Violation("it changes the arrays of the state; work on a copy")


def only_purchases(plugin: Plugin, dimensions: Dimensions) -> None:
    """Purchases depend on measured values alone: the truth elsewhere makes no difference."""
    for d in (d for d in dimensions if d > 1):
        truth = surface(d)
        budget = min(_STEPS, len(all_bits(d)) - 3)
        with during(f"d = {d}, budget {budget}"):
            first = acquire(plugin.build_policy(0), truth, budget)
            hidden = np.setdiff1d(np.arange(1 << d), [*anchors(d), *first.ranks])
            other = truth.copy()
            other[hidden] = 1.0 - other[hidden]
            second = acquire(plugin.build_policy(0), other, budget)
            for one in (first, second):
                if one.failure is not None:
                    raise Violation(one.failure.cause)
            if first.ranks != second.ranks:
                raise Violation("purchases change with utilities that were never measured")


def with_classes(plugin: Plugin, dimensions: Dimensions) -> None:
    """A state that shows code-equivalence classes is answered like any other."""
    for case in _typical(dimensions):
        with during(f"{case.what}, with code-equivalence classes"):
            _ask(plugin.build_policy(0), case, equivalence=classes(case.d))


CHECKS = (
    Check("every size", "answers for all d, any number of measured masks and of masks asked for", every_size),
    Check("whole cube", "can go on buying to the last mask", whole_cube),
    Check("every order", "takes measured masks in any order", every_order),
    Check("flat surfaces", "copes with equal utilities and with the ends of [0, 1]", flat_surfaces),
    Check("repeatable", "equal state and seed give equal purchases", repeatable),
    Check("no memory", "an answer does not depend on earlier calls", no_memory),
    Check("no global state", "neither uses nor changes global random generators", no_global_state),
    Check("process state", "leaves process-wide state as it was", process_state),
    Check("arguments untouched", "leaves the arrays of the state alone", arguments_untouched),
    Check("only purchases", "uses nothing but what was measured", only_purchases),
    Check("classes", "answers a state that shows code-equivalence classes", with_classes),
)
