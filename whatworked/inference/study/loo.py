"""Choosing the constants of the method with the scored family left out.

Each variant is run on all conditions. For each family, the variant is chosen that does best on average over all *other*
families, and only its results on the left-out family are kept. What is kept, averaged over families, is a figure for
which no constant was chosen on a surface that it is scored on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from whatworked.environments.effects.task import Task
from whatworked.inference.estimator import INFLATION, RelevanceEstimator
from whatworked.inference.experienced import ExperiencedRelevanceEstimator
from whatworked.inference.kernel import Prior
from whatworked.inference.policy import RelevancePolicy, Score
from whatworked.inference.study.games import BUDGETS, SECTIONS, play
from whatworked.protocols import Estimator, Policy
from whatworked.statistics.averages import Measurement, macro_mean, mean


@dataclass(frozen=True)
class Variant:
    """One setting of the constants.

    Attributes
    ----------
    what : str
        How it differs from the default.
    prior : Prior
        Prior over kernels.
    score : {"variance", "lookahead"}
        Acquisition.
    experienced : bool
        Whether estimator and policy read what the task says of other sources.
    """

    what: str
    prior: Prior = field(default_factory=Prior)
    score: Score = "lookahead"
    experienced: bool = False

    def build(
        self, class_aware: bool = False, inflation: float = INFLATION
    ) -> tuple[RelevanceEstimator | ExperiencedRelevanceEstimator, RelevancePolicy]:
        """Estimator, its intervals widened by a factor, and policy."""
        policy = RelevancePolicy(
            score=self.score, class_aware=class_aware, prior=self.prior, experienced=self.experienced
        )
        estimator = ExperiencedRelevanceEstimator if self.experienced else RelevanceEstimator
        return estimator(prior=self.prior, inflation=inflation), policy


VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        "default": Variant("as shipped"),
        "variance": Variant("acquisition by linear variance reduction", score="variance"),
        "no-gates": Variant("no gates", Prior(gated=0.0)),
        "sharp-gates": Variant("gates with almost no leak", Prior(leak_decades=12.0)),
        "no-tilt": Variant("no tilt", Prior(tilt=0.0)),
        "no-warp": Variant("no warp", Prior(warp=0.0)),
        "mild-warp": Variant("half the warp", Prior(warp=0.75)),
        "no-shift": Variant("options expected to matter more", Prior(shift=0.0)),
        "relevances": Variant(
            "relevances alone, linear variance reduction", Prior(shift=0.0, tilt=0.0, gated=0.0, warp=0.0), "variance"
        ),
    }
)
"""The variants among which the choice is made: the default, and what it gains from each of its parts."""
WITH_EXPERIENCE: Mapping[str, Variant] = MappingProxyType(
    {"RGP": Variant("as shipped, without experience"), "ERGP": Variant("as shipped, with it", experienced=True)}
)
"""What is compared on tasks with experience."""


@dataclass(frozen=True)
class GameRow:
    """Result of one method on one task under one budget."""

    variant: str
    name: str
    family: str
    track: str
    budget: int
    recovery: float
    strict: bool
    exact: bool
    relabelling: int = 0


def run(
    label: str,
    build: Callable[[bool], tuple[Estimator, Policy]],
    tasks: Iterable[Task],
    relabelling: int = 0,
    budgets: Mapping[str, Sequence[int]] = BUDGETS,
) -> list[GameRow]:
    """Play all tasks with one method.

    Parameters
    ----------
    label : str
        What the method is called in the rows.
    build : callable
        From whether classes are known to estimator and policy.
    tasks : iterable of Task
        What to play.
    relabelling : int
        Number of the order in which the tasks have their options; see `relabelled`.
    budgets : mapping of str to sequence of int
        By track, where games are scored.
    """
    rows = []
    for task in tasks:
        estimator, policy = build(task.equivalence is not None)
        for stop in play(task, policy, estimator, budgets[task.track]):
            found = stop.grade
            rows.append(
                GameRow(
                    label,
                    task.condition,
                    task.family,
                    task.track,
                    stop.budget,
                    found.effect_recovery,
                    found.strict,
                    found.exact,
                    relabelling,
                )
            )
    return rows


def section(rows: Iterable[GameRow], track: str, budget: int) -> list[GameRow]:
    """Rows of one track and budget."""
    return [row for row in rows if row.track == track and row.budget == budget]


def macro(rows: Sequence[GameRow]) -> float:
    """Family-macro recovery."""
    return macro_mean(Measurement(row.family, row.name, row.recovery, row.relabelling) for row in rows)


def strict_count(rows: Sequence[GameRow]) -> float:
    """Number of tasks that meet the strict criterion; averaged over relabellings."""
    return sum(row.strict for row in rows) / len({row.relabelling for row in rows})


def quality(rows: Sequence[GameRow]) -> float:
    """What the choice maximises: the family-macro recovery, averaged over tracks and budgets."""
    parts = [section(rows, track, budget) for track, budget in SECTIONS]
    return mean([macro(part) for part in parts if part])


def leave_one_family_out(rows: Sequence[GameRow]) -> tuple[list[GameRow], dict[str, str]]:
    """Keep for each family the rows of the variant that is best without it.

    Parameters
    ----------
    rows : sequence of Row
        Of all variants on the catalog.

    Returns
    -------
    kept : list of Row
        One row for each task and budget.
    choices : dict of str to str
        Family to the variant chosen for it. Ties go to the variant that stands first.
    """
    variants = list(dict.fromkeys(row.variant for row in rows))
    kept: list[GameRow] = []
    choices: dict[str, str] = {}
    for family in sorted({row.family for row in rows}):
        others = [row for row in rows if row.family != family]
        best = max(variants, key=lambda name: quality([row for row in others if row.variant == name]))
        choices[family] = best
        kept += [row for row in rows if row.family == family and row.variant == best]
    return kept, choices
