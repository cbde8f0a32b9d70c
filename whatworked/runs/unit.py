"""Running one unit: a policy buys, estimators are fitted to prefixes of what it bought, and everything is graded.

A policy that never looks at the remaining credits buys the same masks under every budget as far as that budget reaches,
so it is run once under the largest budget and each smaller budget takes a prefix. A policy that does look, or a batch
that does not divide every budget, is run anew for every budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import msgspec

from whatworked.environments.effects.delivery import Delivery, complete, grade_deliveries
from whatworked.environments.effects.recording import record_of
from whatworked.environments.effects.relabelling import Relabelling
from whatworked.environments.effects.stating import grade_uncertainty
from whatworked.environments.effects.task import Task
from whatworked.errors import PluginError
from whatworked.grading.grader import grade_missing
from whatworked.grading.grades import Grade
from whatworked.grading.record import Record
from whatworked.plugins import Plugin
from whatworked.plugins.guard import Failure, describe
from whatworked.plugins.limits import TimeLimitError, Watch
from whatworked.runs.acquisition import Acquisition, acquire
from whatworked.runs.description import RecordCost
from whatworked.runs.fitting import Fit, fit
from whatworked.runs.plan import Method, Plan, Unit
from whatworked.surfaces.masks import FloatArray

_DIED = "the worker process died (out of memory, or the plug-in ended it)"


@dataclass(frozen=True)
class UnitResult:
    """What a unit gave.

    Attributes
    ----------
    records : tuple of Record
        One per method, budget and seed.
    costs : tuple of RecordCost
        Volatile seconds and counts, one per record, in the same order.
    log : tuple of str
        Tracebacks and counted warnings.
    """

    records: tuple[Record, ...]
    costs: tuple[RecordCost, ...]
    log: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Slot:
    """What one record is of: `number` is its seed, with several orders of the options the order, too."""

    original: Task
    method: Method
    number: int
    budget: int
    seed: int
    order: Relabelling

    @cached_property
    def task(self) -> Task:
        """The task with its options in the order of the record."""
        return self.order.task(self.original)


@dataclass
class _Collector:
    records: list[Record] = field(default_factory=list)
    costs: list[RecordCost] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    finished: Callable[[], object] | None = None
    warnings: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, slot: _Slot, bought: tuple[int, ...], fitted: Fit, acquisition: Acquisition | None = None) -> None:
        """Keep one record and its cost."""
        asks, seconds = acquisition.cost(slot.budget) if acquisition else (0, 0.0)
        for name, count in fitted.warnings.items():
            self.warnings[slot.method.estimator.label, name] += count
        self.records.append(_record(slot, bought, fitted))
        self.costs.append(
            RecordCost(
                condition=slot.task.condition,
                method=slot.method.label,
                budget=slot.budget,
                seed=slot.number,
                asks=asks,
                fits=int(fitted.failure is None or fitted.failure.where == "estimator"),
                policy_seconds=round(seconds, 6),
                fit_seconds=round(fitted.seconds, 6),
            )
        )
        if self.finished is not None:
            self.finished()

    def result(self) -> UnitResult:
        counted = [f"{label}: {name} × {count}" for (label, name), count in sorted(self.warnings.items())]
        return UnitResult(tuple(self.records), tuple(self.costs), (*dict.fromkeys(self.log), *counted))


def run_unit(
    plan: Plan,
    unit: Unit,
    estimators: Sequence[str] | None = None,
    watch: Watch | None = None,
    finished: Callable[[], object] | None = None,
) -> UnitResult:
    """Run one unit.

    Parameters
    ----------
    plan : Plan
        The run.
    unit : Unit
        Which part of it.
    estimators : sequence of str, optional
        Labels of the estimators to fit; default: all that the plan combines with the policy.
    watch : Watch, optional
        Holds policies and fits to a time limit; default: the plan's, by interrupting them.
    finished : callable, optional
        Called after each record.

    Returns
    -------
    UnitResult
        A policy or estimator that breaks or takes too long gives records of missing deliveries, never an exception.
    """
    task, policy = task_of(plan, unit), plan.policies[unit.policy]
    budgets = plan.budgets_of(task)
    watch = watch or Watch(plan.time_limit)
    purchases = purchase(task, policy, plan.seed_of(unit.seed), budgets, plan.batch, watch)
    collected = _Collector(finished=finished)
    _log_failures(collected, task, policy, unit.seed, purchases)
    for slot in _slots(plan, unit, estimators):
        acquisition = purchases[slot.budget]
        _keep(collected, slot, acquisition, _fit(slot, acquisition, watch))
    return collected.result()


def task_of(plan: Plan, unit: Unit) -> Task:
    """The task of a unit, with its options in the unit's order."""
    task = plan.tasks[unit.task]
    return Relabelling(plan.order_of(unit.seed), task.d).task(task)


def purchase(
    task: Task, policy: Plugin, seed: int, budgets: Sequence[int], batch: int = 1, watch: Watch | None = None
) -> Mapping[int, Acquisition]:
    """Acquisitions by budget; the same object for budgets that share their purchases."""
    largest, watch = max(budgets), watch or Watch()
    first = _acquire(task, policy, seed, largest, batch, watch)
    nested = not first.looked and all(budget % batch == 0 for budget in budgets)
    return {
        budget: first if nested or budget == largest else _acquire(task, policy, seed, budget, batch, watch)
        for budget in budgets
    }


def fit_estimator(
    plan: Plan,
    unit: Unit,
    label: str,
    purchases: Mapping[int, Acquisition],
    watch: Watch,
    finished: Callable[[], object] | None = None,
) -> tuple[Fit, ...]:
    """Fits of one estimator to what was bought, in the order of their records, without the fitted models."""
    fits = []
    for slot in _slots(plan, unit, (label,)):
        try:
            fitted = _fit(slot, purchases[slot.budget], watch)
        except Exception as error:  # our own code fails where the plug-in has replaced what it calls
            fitted = Fit(None, failure=Failure("estimator", describe(error)))
        delivery = fitted.delivery
        fits.append(fitted if delivery is None else replace(fitted, delivery=replace(delivery, model=_Unknown())))
        if finished is not None:
            finished()
    return tuple(fits)


def grade_unit(
    plan: Plan, unit: Unit, purchases: Mapping[int, Acquisition], fits: Mapping[str, Sequence[Fit] | None]
) -> UnitResult:
    """What `run_unit` gives, of a unit whose purchases and fits were made elsewhere.

    Parameters
    ----------
    plan, unit : Plan, Unit
        The run, and which part of it.
    purchases : mapping of int to Acquisition
        As `purchase` gives them.
    fits : mapping of str to sequence of Fit
        By label of the estimator, as `fit_estimator` gives them; None where the process died.
    """
    task, policy = plan.tasks[unit.task], plan.policies[unit.policy]
    collected = _Collector()
    _log_failures(collected, task, policy, unit.seed, purchases)
    waiting = {label: None if made is None else iter(made) for label, made in fits.items()}
    for slot in _slots(plan, unit, None):
        made = waiting[slot.method.estimator.label]
        if made is None:
            collected.add(slot, (), Fit(None, failure=Failure("process", _DIED)))
        else:
            _keep(collected, slot, purchases[slot.budget], _completed(slot, next(made)))
    return collected.result()


class _Unknown:
    """Stands for a model that stayed in the process of its plug-in."""

    def predict(self, masks: FloatArray) -> FloatArray:
        raise NotImplementedError


def _completed(slot: _Slot, fitted: Fit) -> Fit:
    """The fit with its prediction completed here, so that the plug-in's process decides no known value."""
    delivery = fitted.delivery
    if delivery is None:
        return fitted
    classes = slot.task.equivalence if slot.method.estimator.takes_classes else None
    whole = complete(delivery.model, delivery.predictions, slot.task.surface.utilities, delivery.bought, classes)
    return replace(fitted, delivery=whole)


def missing_result(plan: Plan, unit: Unit, estimators: Sequence[str]) -> UnitResult:
    """Records of missing deliveries for a unit whose process died."""
    collected = _Collector()
    for slot in _slots(plan, unit, estimators):
        collected.add(slot, (), Fit(None, failure=Failure("process", _DIED)))
    return collected.result()


def _slots(plan: Plan, unit: Unit, estimators: Sequence[str] | None) -> Iterator[_Slot]:
    """What the records of a unit are of, in order."""
    task, policy = plan.tasks[unit.task], plan.policies[unit.policy]
    order = Relabelling(plan.order_of(unit.seed), task.d)
    for method in plan.methods_of(policy):
        if estimators is None or method.estimator.label in estimators:
            numbers = (unit.seed,) if policy.stochastic else _numbers_of_order(plan, unit, method)
            yield from (
                _Slot(task, method, number, budget, plan.seed_of(number), order)
                for number in numbers
                for budget in plan.budgets_of(task)
            )


def _numbers_of_order(plan: Plan, unit: Unit, method: Method) -> list[int]:
    """Numbers of a method's records in the order of the unit, whose policy has no randomness."""
    return [number for number in plan.seeds_of(method) if plan.order_of(number) == plan.order_of(unit.seed)]


def _acquire(task: Task, policy: Plugin, seed: int, budget: int, batch: int, watch: Watch) -> Acquisition:
    try:
        with watch.step("policy", budget, "build"):
            built = policy.build_policy(seed)
    except PluginError as error:
        return Acquisition((), (), (), Failure("policy", describe(error.__cause__ or error), str(error)), False)
    except TimeLimitError as error:
        return Acquisition((), (), (), Failure("policy", describe(error), late=True), False, (0, watch.used(0.0, True)))
    return acquire(built, task.surface.utilities, budget, batch, task.equivalence, watch, task.experience)


def _log_failures(
    collected: _Collector, task: Task, policy: Plugin, seed: int, purchases: Mapping[int, Acquisition]
) -> None:
    for acquisition in {id(bought): bought for bought in purchases.values()}.values():
        if acquisition.failure is not None:
            collected.log.append(_trace(task, policy.label, seed, acquisition.failure))


def _broke(slot: _Slot, acquisition: Acquisition) -> Failure | None:
    return acquisition.failure if len(acquisition.ranks[: slot.budget]) < slot.budget else None


def _fit(slot: _Slot, acquisition: Acquisition, watch: Watch) -> Fit:
    task, estimator = slot.task, slot.method.estimator
    broke = _broke(slot, acquisition)
    if broke is not None:
        return Fit(None, failure=broke)
    classes = task.equivalence if estimator.takes_classes else None
    build = partial(estimator.build_estimator, slot.seed, classes)
    within = watch.step("estimator", slot.method.label, slot.number, slot.budget)
    fitted = fit(build, task.surface.utilities, acquisition.ranks[: slot.budget], classes, within, task.experience)
    failure = fitted.failure
    return fitted if failure is None else replace(fitted, seconds=watch.used(fitted.seconds, failure.late))


def _keep(collected: _Collector, slot: _Slot, acquisition: Acquisition, fitted: Fit) -> None:
    if fitted.failure is not None and _broke(slot, acquisition) is None:
        collected.log.append(_trace(slot.original, slot.method.label, slot.number, fitted.failure, slot.budget))
    collected.add(slot, acquisition.ranks[: slot.budget], fitted, acquisition)


def _record(slot: _Slot, bought: tuple[int, ...], fitted: Fit) -> Record:
    surface, delivery = slot.original.surface, _in_catalog_order(slot, fitted.delivery)
    return record_of(
        slot.original,
        slot.method.label,
        slot.number,
        slot.budget,
        slot.order.ranks_before(bought),
        grade_missing(surface) if delivery is None else _grade(slot, delivery, fitted),
        delivery,
        steps=(fitted.chosen,) if fitted.chosen else (),
        near_tie=fitted.near_tie,
        failure=None if fitted.failure is None else str(fitted.failure),
    )


def _in_catalog_order(slot: _Slot, delivery: Delivery | None) -> Delivery | None:
    """The delivery with masks as the catalog has them, whatever the order that the method saw."""
    if delivery is None or slot.order.number == 0:
        return delivery
    order = slot.order
    return replace(
        delivery,
        bought=order.ranks_before(delivery.bought),
        predictions=order.table_before(delivery.predictions),
        aliases=tuple(sorted(order.ranks_before(delivery.aliases))),
    )


def _grade(slot: _Slot, delivery: Delivery, fitted: Fit) -> Grade:
    (grade,) = grade_deliveries(slot.original.surface, [delivery])
    if fitted.stated is None or fitted.delivery is None:
        return grade
    # What is stated is of masks as the method saw them.
    stated = grade_uncertainty(fitted.stated, slot.task.surface.utilities, fitted.delivery.known)
    return msgspec.structs.replace(grade, uncertainty=stated)


def _trace(task: Task, label: str, seed: int, failure: Failure, budget: int | None = None) -> str:
    under = "" if budget is None else f" budget {budget}"
    trace = "" if failure.late else failure.trace
    return f"{label} on {task.condition}{under} seed {seed}: {failure}\n{trace}"
