"""Checks of estimators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from whatworked.environments.effects.delivery import checked_predictions
from whatworked.plugins import Plugin
from whatworked.protocols import Estimator, fitted, takes_experience
from whatworked.runs.fitting import fit
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.experience import Experience, KnownSurface
from whatworked.surfaces.masks import FloatArray, all_bits, option_letters
from whatworked.testing.cases import Case, cases, classes, flat_cases, orders, sizes, surface
from whatworked.testing.kit import Check, Violation, during, global_state, unchanged_process

_CLOSE = 1e-9
Dimensions = tuple[int, ...]


def _cube(d: int) -> FloatArray:
    return all_bits(d).astype(np.float64)


def _predict(plugin: Plugin, case: Case, seed: int = 0, equivalence: Equivalence | None = None) -> FloatArray:
    masks, values = case.masks, case.utilities
    masks.flags.writeable = values.flags.writeable = False
    predictor = plugin.build_estimator(seed, equivalence).fit(masks, values)
    return checked_predictions(predictor.predict(_cube(case.d)), case.d)


def _typical(d: int) -> Case:
    """A case with about half the cube measured."""
    count = sizes(d)[-2:][0]
    return Case(surface(d), orders(d, count), f"d = {d}, {count} measured masks")


def every_size(plugin: Plugin, dimensions: Dimensions) -> None:
    """Fit and predict for every number of options and of measured masks."""
    for case in cases(dimensions):
        with during(case.what):
            _predict(plugin, case)


def every_order(plugin: Plugin, dimensions: Dimensions) -> None:
    """Masks arrive in the order in which a policy bought them, whatever that is."""
    for d in dimensions:
        base = orders(d, sizes(d)[-1])
        for name, ranks in (("descending", np.sort(base[2:])[::-1]), ("ascending", np.sort(base[2:]))):
            case = Case(surface(d), np.array([*base[:2], *ranks], dtype=np.int64), f"d = {d}, {name} purchases")
            with during(case.what):
                _predict(plugin, case)


def flat_surfaces(plugin: Plugin, dimensions: Dimensions) -> None:
    """Surfaces without differences are ordinary surfaces."""
    for case in flat_cases(min(4, max(dimensions))):
        with during(case.what):
            _predict(plugin, case)


def repeatable(plugin: Plugin, dimensions: Dimensions) -> None:
    """Equal arguments and an equal seed give equal predictions, bit for bit."""
    for d in dimensions:
        case = _typical(d)
        for seed in (0, 1) if plugin.stochastic else (0,):
            with during(f"{case.what}, seed {seed}"):
                if not np.array_equal(_predict(plugin, case, seed), _predict(plugin, case, seed)):
                    raise Violation("two fits with equal arguments and seed predict different values")


def no_global_state(plugin: Plugin, dimensions: Dimensions) -> None:
    """Predictions do not depend on global random generators, nor change them."""
    case = _typical(min(4, max(dimensions)))
    tables = []
    for seed in (1, 2):
        with during(case.what), global_state(seed):
            tables.append(_predict(plugin, case))
    if not np.array_equal(tables[0], tables[1]):
        raise Violation("predictions depend on the state of the global random generators")


def process_state(plugin: Plugin, dimensions: Dimensions) -> None:
    """Import, construction, fit and predict leave the state of the process as it was."""
    case = _typical(min(4, max(dimensions)))
    with during(case.what), unchanged_process(plugin.spec):
        _predict(plugin, case)


def arguments_untouched(plugin: Plugin, dimensions: Dimensions) -> None:
    """The arrays of masks and utilities are left as they were, writeable or not."""
    for d in dimensions:
        case = _typical(d)
        masks, values, cube = case.masks, case.utilities, _cube(d)
        with during(case.what):
            predictor = plugin.build_estimator(0).fit(masks, values)
            predictor.predict(cube)
            changed = [
                name
                for name, now, then in (
                    ("masks", masks, case.masks),
                    ("utilities", values, case.utilities),
                    ("the masks to predict", cube, _cube(d)),
                )
                if not np.array_equal(now, then)
            ]
            if changed:
                raise Violation(f"it changes {', '.join(changed)}; work on a copy")


def any_rows(plugin: Plugin, dimensions: Dimensions) -> None:
    """A mask's prediction does not depend on which other masks are asked for, or on their order."""
    for d in dimensions:
        case, cube = _typical(d), _cube(d)
        with during(case.what):
            predictor = plugin.build_estimator(0).fit(case.masks, case.utilities)
            whole = checked_predictions(predictor.predict(cube), d)
            backwards = np.asarray(predictor.predict(cube[::-1]))[::-1]
            alone = np.array([np.asarray(predictor.predict(cube[[rank]]))[0] for rank in range(min(8, len(cube)))])
            for name, other, reference in (("order", backwards, whole), ("company", alone, whole[: len(alone)])):
                if not np.allclose(other, reference, rtol=0, atol=_CLOSE):
                    raise Violation(f"the prediction of a mask changes with the {name} of the rows it is asked with")


def earlier_predictors(plugin: Plugin, dimensions: Dimensions) -> None:
    """A later fit leaves an earlier predictor as it was."""
    d = min(4, max(dimensions))
    case, cube = _typical(d), _cube(d)
    with during(case.what):
        estimator = plugin.build_estimator(0)
        predictor = estimator.fit(case.masks, case.utilities)
        before = np.array(predictor.predict(cube), dtype=np.float64)
        estimator.fit(case.masks[::-1], 1.0 - case.utilities)
        if not np.array_equal(before, np.asarray(predictor.predict(cube))):
            raise Violation("a later fit changes the predictions of an earlier predictor; return a new object from fit")


def only_purchases(plugin: Plugin, dimensions: Dimensions) -> None:
    """Predictions depend on measured values alone: the truth elsewhere makes no difference."""
    for d in dimensions:
        case = _typical(d)
        hidden = np.setdiff1d(np.arange(1 << d), case.ranks)
        other = case.truth.copy()
        other[hidden] = 1.0 - other[hidden]
        build = partial(plugin.build_estimator, 0)
        with during(case.what):
            first, second = (_fitted(build, truth, case.ranks[2:].tolist()) for truth in (case.truth, other))
            if not np.array_equal(first, second):
                raise Violation("predictions change with utilities that were never measured")


def _fitted(build: Callable[[], Estimator], truth: FloatArray, bought: Sequence[int]) -> FloatArray:
    """What a run would keep of a fit."""
    made = fit(build, truth, bought)
    if made.delivery is None:
        raise Violation("nothing was delivered" if made.failure is None else made.failure.cause)
    return made.delivery.predictions


def with_classes(plugin: Plugin, dimensions: Dimensions) -> None:
    """An estimator that takes `equivalence` works with classes, and with none."""
    if not plugin.takes_classes:
        return
    for d in dimensions:
        case = _typical(d)
        with during(f"{case.what}, with code-equivalence classes"):
            _predict(plugin, case, equivalence=classes(d))


def with_experience(plugin: Plugin, dimensions: Dimensions) -> None:
    """An estimator whose `fit` takes `experience` works with some, with none in it, and tells no order of surfaces."""
    for d in dimensions:
        options = option_letters(d)
        known = [KnownSurface(f"source {seed}", options, surface(d, seed)) for seed in (1, 2, 3)]
        case = _typical(d)
        with during(f"{case.what}, with experience"):
            if not takes_experience(plugin.build_estimator(0)):
                return
            tables = []
            for surfaces in (known, known[::-1], []):
                predictor = fitted(
                    plugin.build_estimator(0), case.masks, case.utilities, Experience(options, tuple(surfaces))
                )
                tables.append(checked_predictions(predictor.predict(_cube(d)), d))
            if not np.array_equal(tables[0], tables[1]):
                raise Violation("equal experience gives other predictions")


CHECKS = (
    Check("every size", "fits and predicts for all d and any number of measured masks", every_size),
    Check("every order", "takes measured masks in any order of purchase", every_order),
    Check("flat surfaces", "copes with equal utilities and with the ends of [0, 1]", flat_surfaces),
    Check("repeatable", "equal arguments and seed give equal predictions", repeatable),
    Check("no global state", "neither uses nor changes global random generators", no_global_state),
    Check("process state", "leaves process-wide state as it was", process_state),
    Check("arguments untouched", "leaves the arrays it is given alone", arguments_untouched),
    Check("any rows", "predicts a mask alike alone, in company and in any order", any_rows),
    Check("earlier predictors", "a later fit leaves earlier predictors alone", earlier_predictors),
    Check("only purchases", "uses nothing but what was measured", only_purchases),
    Check("classes", "works with code-equivalence classes, if it takes them", with_classes),
    Check("experience", "works with experience, if it takes any", with_experience),
)
