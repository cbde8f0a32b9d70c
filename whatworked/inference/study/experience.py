"""What experience is worth: games with it, and fits to the same masks with and without it.

Single games differ by luck of a few hundredths, so estimators are compared by fits to masks that were drawn beforehand,
the same for each, on many surfaces; the standard error is over sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from whatworked.catalog.tracks import ADDED, FOUR, PAIRED
from whatworked.environments.effects.delivery import deliver, grade_deliveries
from whatworked.environments.effects.experience import experience_for
from whatworked.environments.effects.task import Task
from whatworked.inference.estimator import RelevanceEstimator
from whatworked.inference.experienced import ExperiencedRelevanceEstimator
from whatworked.inference.study.games import ALL_SIX, RULES, catalog_games, outside_games
from whatworked.inference.study.surfaces import load_outside
from whatworked.surfaces.experience import Experience, KnownSurface

Kind = Literal["same", "shuffled", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Other sources of the family; the same with the names of each one's options dealt anew; those of another family."""
BUDGETS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {FOUR: (4, 8), PAIRED: (20, 32), RULES: (20, 32), ADDED: (20, 32), ALL_SIX: (8, 20, 32)}
)
"""Budgets at which games with experience are scored."""
SIZES: Mapping[int, tuple[int, ...]] = MappingProxyType({4: (6, 10), 6: (10, 22, 34)})
"""Measured masks of the fits by number of options: those of the budgets 4 and 8, and 8, 20 and 32."""


def measured_elsewhere() -> tuple[Task, ...]:
    """Everything that may be experience: the surfaces outside the catalog, and the catalog."""
    return (*outside_games(load_outside()), *(task for task in catalog_games() if task.track != RULES))


def with_experience(tasks: Iterable[Task], pool: Sequence[Task]) -> tuple[Task, ...]:
    """Tasks with what other sources of the family show, the source of each left out; the tracks stay."""
    return tuple(replace(task, experience=experience_for(task, pool)) for task in tasks)


def of_kind(task: Task, pool: Sequence[Task], kind: Kind) -> Experience:
    """Experience of a kind for a task."""
    if kind == "other":
        families = sorted({other.family for other in pool})
        another = families[(families.index(task.family) + 1) % len(families)]
        return experience_for(replace(task, family=another), pool)
    experience = experience_for(task, pool)
    return experience if kind == "same" else _shuffled(experience)


def _shuffled(experience: Experience) -> Experience:
    """Every surface with its options under each other's names, dealt by its own digest."""

    def dealt(surface: KnownSurface) -> KnownSurface:
        order = np.random.default_rng(int(surface.digest[:16], 16)).permutation(surface.d)
        return KnownSurface(surface.source, tuple(surface.options[place] for place in order), surface.utilities)

    return Experience(experience.options, tuple(map(dealt, experience)))


@dataclass(frozen=True)
class FixedFit:
    """Fits to the same masks without and with experience.

    Attributes
    ----------
    source, family, kind : str
        Of the surface, and of the experience.
    d, n, draw : int
        Number of options, of measured masks, and which drawing of them.
    without, experienced : float
        Effect recovery of RGP and of ERGP.
    """

    source: str
    family: str
    kind: str
    d: int
    n: int
    draw: int
    without: float
    experienced: float


def fits_of(task: Task, pool: Sequence[Task], kinds: Sequence[Kind], draws: int) -> Iterator[FixedFit]:
    """Fit to drawn masks of one surface, the anchors among them."""
    cells = 1 << task.d
    experiences = {kind: of_kind(task, pool, kind) for kind in kinds}
    for n in SIZES[task.d]:
        for draw in range(draws):
            # By number of masks and drawing alone: all surfaces have the same masks, and a new one changes no other.
            generator = np.random.default_rng([task.d, n, draw])
            bought = (1 + generator.permutation(cells - 2)[: n - 2]).tolist()

            without = _recovery(task, RelevanceEstimator(), bought)
            for kind, experience in experiences.items():
                found = _recovery(task, ExperiencedRelevanceEstimator(), bought, experience)
                yield FixedFit(task.source, task.family, kind, task.d, n, draw, without, found)


@dataclass(frozen=True)
class FixedLine:
    """Paired fits under one kind of experience.

    Attributes
    ----------
    kind : str
        Of the experience.
    d, n, sources : int
        Number of options, of measured masks, and of sources.
    without, experienced, difference, error : float
        Mean effect recovery of RGP and of ERGP over sources, of their difference, and its standard error.
    """

    kind: str
    d: int
    n: int
    sources: int
    without: float
    experienced: float
    difference: float
    error: float


def summarise(fits: Sequence[FixedFit]) -> list[FixedLine]:
    """Lines by kind, number of options and number of masks, and one for each kind over all of them."""
    lines = []
    for kind in dict.fromkeys(fit.kind for fit in fits):
        held = [fit for fit in fits if fit.kind == kind]
        sizes = sorted({(fit.d, fit.n) for fit in held})
        lines += [_line(kind, d, n, [fit for fit in held if (fit.d, fit.n) == (d, n)]) for d, n in sizes]
        lines.append(_line(kind, 0, 0, held))
    return lines


def _line(kind: str, d: int, n: int, fits: Iterable[FixedFit]) -> FixedLine:
    by_source: dict[str, list[FixedFit]] = {}
    for fit in fits:
        by_source.setdefault(fit.source, []).append(fit)
    pairs = np.array([np.mean([(fit.without, fit.experienced) for fit in held], axis=0) for held in by_source.values()])
    gained = pairs[:, 1] - pairs[:, 0]
    error = float(gained.std(ddof=1) / np.sqrt(len(gained))) if len(gained) > 1 else float("nan")
    without, experienced = pairs.mean(axis=0).tolist()
    return FixedLine(kind, d, n, len(pairs), without, experienced, float(gained.mean()), error)


def _recovery(
    task: Task,
    estimator: RelevanceEstimator | ExperiencedRelevanceEstimator,
    bought: Sequence[int],
    experience: Experience | None = None,
) -> float:
    delivery = deliver(estimator, task.surface.utilities, bought, None, experience)
    return grade_deliveries(task.surface, [delivery])[0].effect_recovery
