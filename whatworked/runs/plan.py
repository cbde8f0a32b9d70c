"""What a run consists of: conditions, methods, budgets and seeds, and the units of work they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from whatworked.arguments import whole_number, whole_numbers
from whatworked.errors import InvalidOptionError
from whatworked.grading.record import Key
from whatworked.plugins import Plugin
from whatworked.plugins.limits import LONGEST, is_limit, seconds
from whatworked.runs.description import (
    MOST_MASKS,
    MOST_ORDERS,
    MOST_SEEDS,
    SCHEMA,
    ConditionDescription,
    MethodDescription,
    PlanDescription,
    PluginDescription,
    to_json,
)
from whatworked.runs.tasks import Task
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.wording import listed

MOST_RECORDS = 2_000_000
"""Records that a run may have: they are held in memory when it is written and read."""


@dataclass(frozen=True)
class Method:
    """An estimator and a policy together.

    Attributes
    ----------
    estimator, policy : Plugin
        What `whatworked.plugins.load` returned for each.
    name : str or None
        Its name in results; default: ``estimator/policy``.
    """

    estimator: Plugin
    policy: Plugin
    name: str | None = None

    @property
    def label(self) -> str:
        """Its name in results."""
        return self.name or f"{self.estimator.label}/{self.policy.label}"


@dataclass(frozen=True)
class Unit:
    """One policy buying on one condition under one seed, and every estimator fitted to what it bought.

    Attributes
    ----------
    task, policy : int
        Positions in the plan.
    seed : int
        Seed of the policy.
    """

    task: int
    policy: int
    seed: int

    @property
    def key(self) -> str:
        """Name in the journal."""
        return f"{self.task}.{self.policy}.{self.seed}"


@dataclass(frozen=True)
class Plan:
    """A whole run.

    Attributes
    ----------
    tasks : tuple of Task
        Conditions, in catalog order.
    methods : tuple of Method
        With distinct labels.
    budgets : tuple of int
        Ascending. A condition is run under those that it has masks for.
    seeds : int
        Seeds 0 … seeds - 1 for methods with randomness; others run once, under seed 0.
    batch : int
        Masks bought per ask.
    time_limit : float or None
        Seconds that a policy may take for all purchases of a record, and an estimator for its fit; None for no limit.
    relabel : int
        Number of orders of the options that everything is run in: 1 for that of the catalog alone. The number of a
        record then counts orders within seeds: of number r, the order is r modulo `relabel`, the seed r // relabel.
    """

    tasks: tuple[Task, ...]
    methods: tuple[Method, ...]
    budgets: tuple[int, ...]
    seeds: int = 20
    batch: int = 1
    time_limit: float | None = None
    relabel: int = 1

    def __post_init__(self) -> None:
        # numpy's numbers have no place in the description of a run, which is JSON.
        object.__setattr__(self, "budgets", tuple(sorted(set(whole_numbers(self.budgets, "budgets")))))
        object.__setattr__(self, "seeds", whole_number(self.seeds, "seeds"))
        object.__setattr__(self, "batch", whole_number(self.batch, "batch"))
        object.__setattr__(self, "relabel", whole_number(self.relabel, "relabel"))
        object.__setattr__(self, "time_limit", None if self.time_limit is None else seconds(self.time_limit))
        problems = _problems(self)
        if problems:
            raise InvalidOptionError("; ".join(problems))

    @cached_property
    def policies(self) -> tuple[Plugin, ...]:
        """Policies in order of first use."""
        return tuple({method.policy.label: method.policy for method in self.methods}.values())

    @cached_property
    def estimators(self) -> tuple[Plugin, ...]:
        """Estimators in order of first use."""
        return tuple({method.estimator.label: method.estimator for method in self.methods}.values())

    @property
    def rules(self) -> bool:
        """Whether code-equivalence classes are handed out."""
        return any(task.equivalence is not None for task in self.tasks)

    @property
    def ignoring_rules(self) -> tuple[str, ...]:
        """Methods that take no code-equivalence classes in a run that hands them out.

        A policy from elsewhere may look at those in its state, so its methods are not among them.
        """
        if not self.rules:
            return ()
        return tuple(
            method.label
            for method in self.methods
            if not (method.estimator.takes_classes or method.policy.class_aware)
            and method.policy.provenance.origin.is_own_package
        )

    def budgets_of(self, task: Task) -> tuple[int, ...]:
        """Budgets that the condition has masks for."""
        return tuple(budget for budget in self.budgets if budget <= task.largest_budget)

    @property
    def skipped(self) -> dict[str, tuple[int, ...]]:
        """By condition, the budgets that are skipped because they exceed the masks there are."""
        exceeding = {
            task.condition: tuple(budget for budget in self.budgets if budget > task.largest_budget)
            for task in self.tasks
        }
        return {condition: budgets for condition, budgets in exceeding.items() if budgets}

    def units(self) -> tuple[Unit, ...]:
        """All units, those of one condition together."""
        return tuple(
            Unit(task, index, seed)
            for task in range(len(self.tasks))
            if self.budgets_of(self.tasks[task])
            for index, policy in enumerate(self.policies)
            for seed in range((self.seeds if policy.stochastic else 1) * self.relabel)
        )

    def methods_of(self, policy: Plugin) -> tuple[Method, ...]:
        """Methods that use `policy`, in order."""
        return tuple(method for method in self.methods if method.policy.label == policy.label)

    def seeds_of(self, method: Method) -> tuple[int, ...]:
        """Seeds that a method is run under."""
        seeds = self.seeds if method.policy.stochastic or method.estimator.stochastic else 1
        return tuple(range(seeds * self.relabel))

    def seed_of(self, number: int) -> int:
        """The seed of a record's number."""
        return number // self.relabel

    def order_of(self, number: int) -> int:
        """The number of the order of the options of a record's number; 0 is that of the catalog."""
        return number % self.relabel

    def expected(self) -> tuple[Key, ...]:
        """Condition, method, budget and seed of every record, in the order in which records are stored."""
        return tuple(self.description.keys())

    @cached_property
    def description(self) -> PlanDescription:
        """Everything that decides the results, as it is written down."""
        return PlanDescription(
            schema=SCHEMA,
            conditions=tuple(describe_task(task) for task in self.tasks),
            rules=self.rules,
            estimators={plugin.label: PluginDescription.of(plugin) for plugin in self.estimators},
            policies={plugin.label: PluginDescription.of(plugin) for plugin in self.policies},
            methods=tuple(
                MethodDescription(method=method.label, estimator=method.estimator.label, policy=method.policy.label)
                for method in self.methods
            ),
            budgets=self.budgets,
            seeds=self.seeds,
            batch=self.batch,
            time_limit=self.time_limit,
            relabel=msgspec.UNSET if self.relabel == 1 else self.relabel,
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the description."""
        return sha256(canonical_json(to_json(self.description)))


def describe_task(task: Task) -> ConditionDescription:
    """What a plan says of a condition."""
    return ConditionDescription(
        condition=task.condition,
        source=task.source,
        family=task.family,
        track=task.track,
        dimensions=task.d,
        table=task.digest,
        experience=msgspec.UNSET if task.experience is None else task.experience.digests,
    )


def crossed(estimators: Sequence[Plugin], policies: Sequence[Plugin]) -> tuple[Method, ...]:
    """Every estimator with every policy."""
    return tuple(Method(estimator, policy) for estimator in estimators for policy in policies)


def parse_budgets(text: str) -> tuple[int, ...]:
    """Budgets from ``"4,8,20"``.

    Raises
    ------
    InvalidOptionError
        For anything but non-negative integers and commas.
    """
    if not re.fullmatch(r"\s*\d{1,7}(\s*,\s*\d{1,7})*\s*", text):
        raise InvalidOptionError(
            f"budgets are {text!r}; give whole numbers of credits separated by commas, as in 4,8,20"
        )
    return tuple(sorted({int(part) for part in text.split(",")}))


def _problems(plan: Plan) -> list[str]:
    problems = []
    if not plan.tasks:
        problems.append("no condition to run on")
    if not plan.methods:
        problems.append(
            "no estimator and policy to run; give --estimator and --policy, or --method (in Python estimators and "
            "policies, or methods)"
        )
    if not plan.budgets or min(plan.budgets) < 0:
        problems.append(f"budgets are {list(plan.budgets)}; at least one is needed and none may be negative")
    elif plan.tasks and min(plan.budgets) > max(task.largest_budget for task in plan.tasks):
        largest = max(task.largest_budget for task in plan.tasks)
        problems.append(
            f"{listed(plan.budgets, 'budget')} exceed{'s' if len(plan.budgets) == 1 else ''} the masks there are; "
            f"the largest possible budget is {largest}"
        )
    problems += _shared_sources(plan.tasks)
    if plan.tasks and not plan.rules:
        problems += _class_aware(plan)
    records = len(plan.tasks) * len(plan.methods) * len(plan.budgets) * plan.seeds * max(1, plan.relabel)
    if records > MOST_RECORDS and plan.seeds <= MOST_SEEDS:
        problems.append(f"{plan.seeds} seeds make up to {records} records; at most {MOST_RECORDS} fit in a run")
    counts = {"seeds": plan.seeds, "batch": plan.batch, "relabel": plan.relabel}
    problems += [f"{name} is {_number(count)}; it must be at least 1" for name, count in counts.items() if count < 1]
    most = {"seeds": MOST_SEEDS, "batch": MOST_MASKS, "relabel": MOST_ORDERS}
    problems += [
        f"{name} is {_number(count)}; it must be at most {most[name]}"
        for name, count in counts.items()
        if count > most[name]
    ]
    if plan.time_limit is not None and not is_limit(plan.time_limit):
        problems.append(f"the time limit is {plan.time_limit:g} s; give more than 0 and at most {LONGEST} s, or none")
    estimators = {method.estimator.identity: method.estimator.label for method in plan.methods}
    policies = {method.policy.identity: method.policy.label for method in plan.methods}
    repeated = _repeated(list(estimators.values())) | _repeated(list(policies.values()))
    repeated = repeated or _repeated([method.label for method in plan.methods])
    if repeated:
        problems.append(f"two are called {', '.join(sorted(repeated))}; give labels, as in mine=./my.py:Mine")
    return problems


def _shared_sources(tasks: Sequence[Task]) -> list[str]:
    """Averages are over the sources of a track, so each source may be there only once."""
    conditions: dict[tuple[str, str], list[str]] = {}
    for task in tasks:
        conditions.setdefault((task.track, task.source), []).append(task.condition)
    return [
        f"{', '.join(names)} are all of source {source} on track {track}; "
        "run one of them, or give each a source of its own"
        for (track, source), names in conditions.items()
        if len(names) > 1
    ]


def _class_aware(plan: Plan) -> list[str]:
    """Without classes, class-aware methods would silently give the numbers of plain ones."""
    estimators = [estimator.label for estimator in plan.estimators if estimator.class_aware]
    policies = [policy.label for policy in plan.policies if policy.class_aware]
    if not estimators and not policies:
        return []
    plain = f"; or write {estimators[0]}(equivalence=None) to run it without" if estimators else ""
    takes = "takes" if len(estimators + policies) == 1 else "take"
    names = ", ".join(dict.fromkeys(estimators + policies))
    return [f"{names} {takes} code-equivalence classes; add --rules (in Python rules=True){plain}"]


def _number(count: int) -> str:
    """A count as it was given, or its size: Python writes no integer of more than a few thousand digits."""
    return str(count) if count.bit_length() < 128 else f"a number of about 2^{count.bit_length()}"


def _repeated(labels: list[str]) -> set[str]:
    return {label for label in labels if labels.count(label) > 1}
