"""What a run's files say of it: the plan, the manifest and the costs, as typed values with one JSON form each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any

import msgspec

from whatworked.grading.record import Key
from whatworked.plugins import Plugin
from whatworked.plugins.limits import LONGEST
from whatworked.plugins.origin import Origin
from whatworked.plugins.registry import Kind

SCHEMA = 1
"""Version of the format of plans and records."""

MOST_SEEDS = 10_000
"""Seeds that a run may have. More would make no average better by a digit that is shown."""
MOST_ORDERS = 720
"""Orders of the options that a run may have: all there are of six."""
MOST_MASKS = 1_048_576
"""The most that a budget or a batch may say: the masks of the largest number of options, 20."""

KINDS: tuple[Kind, ...] = ("estimator", "policy")


class ConditionDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A condition of a run.

    Attributes
    ----------
    condition, source, family, track : str
        Id and groups.
    dimensions : int
        Number of options.
    table : str
        Digest of the reference table.
    experience : tuple of str, optional
        Digests of the surfaces of other sources that a player may read; absent in a run without experience.
    """

    condition: str
    source: str
    family: str
    track: str
    dimensions: Annotated[int, msgspec.Meta(ge=1, le=20)]
    table: str
    experience: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def largest_budget(self) -> int:
        """Masks that can be bought: all but the two anchors."""
        return (1 << self.dimensions) - 2


class PluginDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A plug-in of a run.

    Attributes
    ----------
    spec : str or None
        The text that names it; None for an object handed over in Python.
    origin_text : str
        Its origin as text, called ``origin`` in files.
    stochastic : bool
        Whether a seed changes it.
    parameters : dict of str to str, optional
        Of an object handed over in Python, as texts; absent for a text, which holds them, and in runs made before they
        were noted.
    """

    spec: str | None
    origin_text: str = msgspec.field(name="origin")
    stochastic: bool
    parameters: dict[str, str] | msgspec.UnsetType = msgspec.UNSET

    def __hash__(self) -> int:
        """Of what tells most plug-ins apart; a dict has no hash."""
        return hash((self.spec, self.origin_text, self.stochastic))

    @classmethod
    def of(cls, plugin: Plugin) -> PluginDescription:
        """The description of a loaded plug-in."""
        found = plugin.provenance
        return cls(
            spec=plugin.spec,
            origin_text=str(found.origin),
            stochastic=plugin.stochastic,
            parameters=msgspec.UNSET if found.parameters is None else found.parameters,
        )

    @property
    def origin(self) -> Origin:
        """Where it came from."""
        return Origin.parse(self.origin_text)


class MethodDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A method of a run: its label, and those of its estimator and policy."""

    method: str
    estimator: str
    policy: str


class PlanDescription(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that decides a run's results.

    Attributes
    ----------
    schema : int
        Version of the format.
    conditions : tuple of ConditionDescription
        In the order of the run.
    rules : bool
        Whether code-equivalence classes are handed out.
    estimators, policies : dict of str to PluginDescription
        By label.
    methods : tuple of MethodDescription
        In the order of the run.
    budgets : tuple of int
        Ascending.
    seeds, batch : int
        Number of seeds of methods with randomness; masks bought per ask.
    time_limit : float or None
        In seconds; None for no limit.
    relabel : int, optional
        Number of orders of the options; absent for one, the order of the catalog.
    """

    schema: int
    conditions: tuple[ConditionDescription, ...]
    rules: bool
    estimators: dict[str, PluginDescription]
    policies: dict[str, PluginDescription]
    methods: tuple[MethodDescription, ...]
    budgets: tuple[Annotated[int, msgspec.Meta(ge=0)], ...]
    seeds: Annotated[int, msgspec.Meta(ge=1)]
    batch: Annotated[int, msgspec.Meta(ge=1)]
    time_limit: Annotated[float, msgspec.Meta(gt=0, le=LONGEST)] | None = None
    relabel: Annotated[int, msgspec.Meta(ge=2, le=MOST_ORDERS)] | msgspec.UnsetType = msgspec.UNSET

    @property
    def experience(self) -> bool:
        """Whether players may read other sources."""
        return any(condition.experience is not msgspec.UNSET for condition in self.conditions)

    @property
    def orders(self) -> int:
        """Number of orders of the options that every seed is run in."""
        return 1 if isinstance(self.relabel, msgspec.UnsetType) else self.relabel

    @cached_property
    def by_condition(self) -> dict[str, ConditionDescription]:
        """Conditions by id."""
        return {condition.condition: condition for condition in self.conditions}

    @cached_property
    def by_method(self) -> dict[str, MethodDescription]:
        """Methods by label."""
        return {method.method: method for method in self.methods}

    def plugins(self, kind: Kind) -> dict[str, PluginDescription]:
        """Estimators or policies by label.

        Parameters
        ----------
        kind : {"estimator", "policy"}
            Which.

        Returns
        -------
        dict of str to PluginDescription
        """
        return self.estimators if kind == "estimator" else self.policies

    def budgets_of(self, condition: ConditionDescription) -> tuple[int, ...]:
        """Budgets that a condition has masks for.

        Parameters
        ----------
        condition : ConditionDescription
            One of the plan.

        Returns
        -------
        tuple of int
        """
        return tuple(budget for budget in self.budgets if budget <= condition.largest_budget)

    def seeds_of(self, method: MethodDescription) -> range:
        """Seeds that a method is run under; with several orders, one number for each seed and order.

        Parameters
        ----------
        method : MethodDescription
            One of the plan.

        Returns
        -------
        range
        """
        random = self.estimators[method.estimator].stochastic or self.policies[method.policy].stochastic
        return range((self.seeds if random else 1) * self.orders)

    def keys(self) -> Iterator[Key]:
        """Key of every record, in the order in which records are stored.

        Yields
        ------
        tuple of (str, str, int, int)
            Condition, method, budget and seed.
        """
        for condition in self.conditions:
            budgets = self.budgets_of(condition)
            for method in self.methods:
                for budget in budgets:
                    for seed in self.seeds_of(method):
                        yield condition.condition, method.method, budget, seed

    def key_count(self) -> int:
        """Number of `keys`, counted without making them, since there may be more than fit into memory.

        Returns
        -------
        int
        """
        seeds = sum(len(self.seeds_of(method)) for method in self.methods)
        budgets = sorted(self.budgets)
        return seeds * sum(bisect_right(budgets, condition.largest_budget) for condition in self.conditions)


class RunManifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a finished run is: its plan, its software, and the digests of its files.

    Attributes
    ----------
    schema : int
        Version of the format.
    plan : PlanDescription
        What decided the results.
    software : dict
        Python, packages and numeric profile of the workers.
    records, missing : int
        Number of records, and of those without a delivery.
    plan_digest, records_digest, surfaces_digest : str or None
        SHA-256 of the plan and of two files; None for a run that was unpacked.
    skipped_budgets : dict of str to tuple of int, or None
        By condition, the budgets that exceed the masks there are; None for a run that was unpacked.
    """

    schema: int
    plan: PlanDescription
    software: dict[str, Any]
    records: int
    missing: int
    plan_digest: str | None = None
    records_digest: str | None = None
    surfaces_digest: str | None = None
    skipped_budgets: dict[str, tuple[int, ...]] | None = None


class RecordCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one record cost. The seconds are those of the machine that made it.

    Attributes
    ----------
    condition, method : str
        Condition id; label of the method.
    budget, seed : int
        Of the record.
    asks : int
        How often the policy was asked.
    fits : int or None
        Fits of the estimator; None in runs made before they were counted.
    policy_seconds, fit_seconds : float
        Time in the policy, and in building, fitting and predicting.
    """

    condition: str
    method: str
    budget: int
    seed: int
    asks: int
    fits: int | None = None
    policy_seconds: float
    fit_seconds: float

    @property
    def key(self) -> Key:
        """Condition, method, budget and seed."""
        return self.condition, self.method, self.budget, self.seed


def to_json(value: msgspec.Struct) -> dict[str, Any]:
    """Any of these values as plain JSON."""
    content: dict[str, Any] = msgspec.to_builtins(value)
    return content
