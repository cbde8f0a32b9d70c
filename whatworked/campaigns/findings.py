"""What the runs of a campaign say: effects with intervals, the best setting, what to run next."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import msgspec
import numpy as np

from whatworked.campaigns.asking import Ask, Network, cells_for, fit_results, next_settings
from whatworked.campaigns.campaign import Campaign
from whatworked.campaigns.estimates import LEVEL, BestSetting, NoiseFloor, OptionEffect, TableRow, noise_floor
from whatworked.campaigns.options import WHOLE
from whatworked.campaigns.plan import Plan
from whatworked.campaigns.run import Run
from whatworked.campaigns.scale import UnitMap
from whatworked.campaigns.words import as_markdown, as_text
from whatworked.errors import InvalidOptionError
from whatworked.inference.estimator import RelevanceModel
from whatworked.inference.policy import LARGEST
from whatworked.surfaces.masks import FloatArray, IntArray, bits_of, mask_rank, mask_string

DRAWS = 2000
"""Surfaces drawn; a probability of 0.5 is then off by 0.011 (one standard error)."""
NEXT = 3
_CANDIDATES = 64
_LOOKED_AT = 4096
"""Settings among which the most promising are looked for: all up to 12 options."""
_CURVE = 6
"""Options up to which the curve of knowledge is worked out: one fit for every run."""


@dataclass(frozen=True, eq=False)
class Findings:
    """What a campaign knows.

    Attributes
    ----------
    plan : Plan
        What it is about.
    runs : tuple of Run
        All runs in order.
    unit_map : UnitMap or None
        How values became utilities; None before there are two results, and nothing below is known then.
    effects : tuple of OptionEffect
        By size, the largest first.
    best : BestSetting or None
        The setting that is expected to be best.
    asks : tuple of Ask
        Up to three settings to run next.
    knowledge : tuple of (int, float)
        Number of results, and the typical uncertainty (root of the mean variance) of an effect by then, in utilities of
        today's map; empty above 6 options.
    contexts : int
        Settings that effects rest on: all that can run, or a sample of them above 9 options.
    noise : NoiseFloor or None
        How much results vary by themselves; None where results are exact.
    stopped : str
        Why nothing more was run, where it was not the budget.
    leaning : float or None
        Probability that the surface is like those of earlier campaigns, by what was measured; None without experience.
    """

    plan: Plan
    runs: tuple[Run, ...]
    unit_map: UnitMap | None = None
    effects: tuple[OptionEffect, ...] = ()
    best: BestSetting | None = None
    asks: tuple[Ask, ...] = ()
    knowledge: tuple[tuple[int, float], ...] = ()
    contexts: int = 0
    noise: NoiseFloor | None = None
    stopped: str = ""
    leaning: float | None = None

    @property
    def holes(self) -> tuple[Run, ...]:
        """Runs without a result."""
        return tuple(run for run in self.runs if run.value is None)

    def table(self) -> tuple[TableRow, ...]:
        """Every setting with its value, measured or predicted.

        Returns
        -------
        tuple of TableRow
            In canonical order.

        Raises
        ------
        InvalidOptionError
            Before there are two results, and for more than 12 options.
        """
        if self.plan.d > WHOLE:
            raise InvalidOptionError(f"a table of {1 << self.plan.d} settings is not made; it is up to {WHOLE} options")
        if self.unit_map is None:
            raise InvalidOptionError("a table needs at least two results; run more settings")
        return _table(self.plan, self.runs, self.unit_map)

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain JSON values.

        Returns
        -------
        dict
            The plan's description, and the attributes; effects in utilities, with ``text`` in the value's units.
        """
        effects = [
            asdict(effect) | {"text": None if self.unit_map is None else self.unit_map.change_text(effect.mean)}
            for effect in self.effects
        ]
        return {
            "plan": self.plan.description(),
            "runs": msgspec.to_builtins(self.runs),
            "map": None if self.unit_map is None else self.unit_map.sentence(),
            "effects": effects,
            "best": None if self.best is None else asdict(self.best),
            "asks": [asdict(ask) for ask in self.asks],
            "knowledge": [list(point) for point in self.knowledge],
            "contexts": self.contexts,
            "stopped": self.stopped,
            "noise": None if self.noise is None else asdict(self.noise),
            **({} if self.leaning is None else {"leaning": self.leaning}),
        }

    def __str__(self) -> str:
        return as_text(self)

    def markdown(self) -> str:
        """The report in Markdown.

        Returns
        -------
        str
        """
        return as_markdown(self)


def find(campaign: Campaign, upcoming: int = NEXT) -> Findings:
    """What the runs so far say.

    Parameters
    ----------
    campaign : Campaign
        With its runs.
    upcoming : int
        How many settings to run next it names.

    Returns
    -------
    Findings
    """
    plan, runs = campaign.plan, campaign.runs
    measured, values = campaign.measured
    if np.unique(measured).size < 2:
        return Findings(plan, runs, asks=campaign.ask(upcoming))
    holes = np.array([mask_rank(run.mask) for run in campaign.holes], dtype=np.int64)
    unit_map = plan.scale.fitted(values)
    utilities = unit_map.utilities(values)
    model = _fit(plan, unit_map, measured, values)
    cells, expected = _cells(plan, model, measured, holes)
    drawn = model.draws(bits_of(cells, plan.d), DRAWS)
    if plan.noise == 0:
        # What was measured is known, the processes' small nugget aside.
        places = np.searchsorted(cells, measured)
        expected[places] = drawn[:, places] = utilities
    network = Network.of(cells, plan.d, plan.focus)
    effects = [_effect(plan, number, network, expected, drawn) for number in plan.focus]
    return Findings(
        plan,
        runs,
        unit_map,
        tuple(sorted(effects, key=lambda effect: (effect.pairs == 0, -abs(effect.mean)))),
        _best(plan, unit_map, cells, expected, drawn, measured),
        next_settings(plan, measured, values, holes, upcoming),
        _knowledge(plan, unit_map, network, measured, values),
        int(cells.size),
        noise_floor(model, measured.size) if plan.noise != 0 else None,
        leaning=None if plan.experience is None else _leaning(model),
    )


def _leaning(model: RelevanceModel) -> float:
    mixture = model.mixture
    return 0.0 if mixture is None else float(mixture.weights @ (mixture.kernels.leaning > 0))


def _fit(plan: Plan, unit_map: UnitMap, measured: IntArray, values: FloatArray) -> RelevanceModel:
    mixture = fit_results(plan, unit_map, measured, values)
    return RelevanceModel(mixture, float(unit_map.utilities(values).mean()))


def _cells(plan: Plan, model: RelevanceModel, measured: IntArray, holes: IntArray) -> tuple[IntArray, FloatArray]:
    """Settings to reason about and their expected utilities; above 9 options the most promising are among them."""
    cells = cells_for(plan, measured, holes)
    if plan.d > LARGEST:
        possible = np.setdiff1d(plan.allowed, np.setdiff1d(holes, measured))
        if possible.size > _LOOKED_AT:
            possible = np.random.default_rng([plan.d, measured.size]).choice(possible, _LOOKED_AT, replace=False)
        promising = possible[np.argsort(-model.predict(bits_of(possible, plan.d)), kind="stable")[:_CANDIDATES]]
        cells = np.union1d(cells, promising)
    return cells, model.predict(bits_of(cells, plan.d))


def _effect(plan: Plan, number: int, network: Network, expected: FloatArray, drawn: FloatArray) -> OptionEffect:
    mine = network.option == number
    off, on = network.off[mine], network.on[mine]
    name = plan.options[number].name
    if not off.size:
        return OptionEffect(name, 0)
    middle = expected[on] - expected[off]
    differences = drawn[:, on] - drawn[:, off]
    averages = differences.mean(axis=1)
    low, high = np.quantile(averages, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    better, worse = (differences > 0).mean(axis=0), (differences < 0).mean(axis=0)
    other, when_off, when_on = _dependence(plan, number, network.cells[off], middle)
    return OptionEffect(
        name,
        int(off.size),
        float(middle.mean()),
        float(low),
        float(high),
        float(max((averages > 0).mean(), (averages < 0).mean())),
        int((middle > 0).sum()),
        bool(better.max() >= 0.95 and worse.max() >= 0.95),
        other,
        when_off,
        when_on,
    )


def _dependence(plan: Plan, number: int, starts: IntArray, effects: FloatArray) -> tuple[str, float, float]:
    """The option on which effects of another depend most, and their averages with it off and on."""
    found = ("", 0.0, 0.0)
    for other, option in enumerate(plan.options):
        on = (starts >> (plan.d - 1 - other)) & 1 == 1
        if other == number or on.all() or not on.any():
            continue
        averages = float(effects[~on].mean()), float(effects[on].mean())
        # To nine digits, so that rounding does not choose between equals.
        if not found[0] or round(abs(averages[1] - averages[0]), 9) > round(abs(found[2] - found[1]), 9):
            found = (option.name, *averages)
    return found


def _best(
    plan: Plan, unit_map: UnitMap, cells: IntArray, expected: FloatArray, drawn: FloatArray, measured: IntArray
) -> BestSetting:
    place = int(np.argmax(np.round(expected, 9)))
    own, top = drawn[:, place], drawn.max(axis=1)
    ends = unit_map.values(np.quantile(own, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    return BestSetting(
        mask_string(int(cells[place]), plan.d),
        float(unit_map.values(expected[[place]])[0]),
        float(ends.min()),
        float(ends.max()),
        bool(cells[place] in measured),
        float((own >= top).mean()),
        float((top - own).mean()),
    )


def _knowledge(
    plan: Plan, unit_map: UnitMap, network: Network, measured: IntArray, values: FloatArray
) -> tuple[tuple[int, float], ...]:
    if plan.d > _CURVE or not network.off.size:
        return ()
    off, on = (bits_of(network.cells[ends], plan.d) for ends in (network.off, network.on))
    curve = []
    for count in range(3, measured.size + 1):
        if np.unique(measured[:count]).size < 2:
            continue
        spread = _fit(plan, unit_map, measured[:count], values[:count]).effect_std(off, on)
        curve.append((count, float(np.sqrt((spread**2).mean()))))
    return tuple(curve)


def _table(plan: Plan, runs: tuple[Run, ...], unit_map: UnitMap) -> tuple[TableRow, ...]:
    pairs = [(mask_rank(run.mask), run.value) for run in runs if run.value is not None]
    measured = np.array([rank for rank, _ in pairs], dtype=np.int64)
    values = np.array([value for _, value in pairs], dtype=np.float64)
    holes = {mask_rank(run.mask) for run in runs} - set(measured.tolist())
    exact = plan.noise == 0
    unknown = np.setdiff1d(plan.allowed, [*holes, *(measured if exact else ())]).astype(np.int64)
    model = _fit(plan, unit_map, measured, values)
    bits = bits_of(unknown, plan.d)
    middle = unit_map.values(model.predict(bits))
    ends = np.sort([unit_map.values(end) for end in model.predict_interval(bits, LEVEL)], axis=0)
    rows = {rank: TableRow(mask_string(rank, plan.d), "excluded") for rank in plan.meant.tolist()}
    for rank, value, low, high in zip(unknown.tolist(), middle, *ends, strict=True):
        kind = "measured" if rank in measured else "predicted"
        rows[rank] = TableRow(mask_string(rank, plan.d), kind, float(value), float(low), float(high))
    for rank in holes:
        rows[rank] = TableRow(mask_string(rank, plan.d), "hole")
    for rank, known in pairs if exact else ():
        rows[rank] = TableRow(mask_string(rank, plan.d), "measured", known, known, known)
    return tuple(rows.values())
