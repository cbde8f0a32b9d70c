"""The constraints that a generated instance satisfies, each with what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import (
    BEACONS,
    BODIES,
    DRUM,
    FEN,
    HULK_OF,
    KINDS,
    MAST,
    OUTSIDE,
    PLACE_OF,
    PRINTERS,
    REWRITES,
    SCHEDULE_TICKS,
    STALL_TICK,
    VESS,
)
from whatworked.environments.drift.labels import next_label
from whatworked.environments.drift.order import ANSWER_WITHIN, Answer, figures, passes
from whatworked.environments.drift.prologue import REEL, figures_of_reel, share_table
from whatworked.environments.drift.tick import caretakers
from whatworked.environments.drift.world import World

START_COUNTS = range(14, 19)
MOST_INDIVIDUALS = 23
STALLED_INDIVIDUALS = 9
LARGEST_INTAKE = 40
QUEUE_OF_WAITING = 3
ACT_TICKS = range(1, 8)


class Finding(NamedTuple):
    """Whether a constraint holds.

    Attributes
    ----------
    constraint : str
        ``G1`` to ``G9``; G10 is about a set of instances, G11 about its variants.
    holds : bool
        Whether it does.
    detail : str
        What was found.
    """

    constraint: str
    holds: bool
    detail: str


class Examination:
    """An instance with the passes that its constraints are about, each run when it is first asked for."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance

    @cached_property
    def baseline(self) -> list[World]:
        """A pass that nobody disturbs."""
        return passes(self.instance)

    @cached_property
    def ordered(self) -> list[World]:
        """The pass of the standing order."""
        return passes(self.instance, ordered=True)

    @cached_property
    def reel(self) -> list[World]:
        """A pass with the acts of the prologue, done live."""
        return passes(self.instance, REEL)

    @cached_property
    def answer(self) -> Answer:
        """The answer of the order."""
        return figures(self.instance, self.ordered)


def findings(instance: Instance) -> list[Finding]:
    """Examine every constraint of one instance.

    Parameters
    ----------
    instance : Instance
        What to examine.

    Returns
    -------
    list of Finding
        G1 to G9.
    """
    examination = Examination(instance)
    return [Finding(name, *rule(examination)) for name, rule in sorted(_RULES.items())]


def satisfies_all(instance: Instance) -> bool:
    """Whether every constraint of one instance holds; the cheap ones are asked first."""
    examination = Examination(instance)
    return all(rule(examination)[0] for rule in _RULES.values())


def _verbs(examination: Examination) -> tuple[bool, str]:
    """G5: the fen's retool moves the coordinate of the trellis's, and no kind has one coordinate for all verbs."""
    moves = examination.instance.moves
    alike = moves["retool"][KINDS.index("fen")] == moves["retool"][KINDS.index("trellis")]
    least = min(len({moves[verb][kind] for verb in REWRITES}) for kind in range(len(KINDS)))
    return alike and least >= 2, f"retool alike on fen and trellis: {_yes(alike)}; coordinates a kind: {least} or more"


def _counts(examination: Examination) -> tuple[bool, str]:
    """G1: individuals at tick 0, at the stall, and at most."""
    start = len(examination.instance.states)
    counters = examination.baseline[-1].counters
    stalled = set(counters[STALL_TICK:])
    if start not in START_COUNTS or stalled != {STALLED_INDIVIDUALS}:
        return False, f"{start} individuals at tick 0, {sorted(stalled)} from tick {STALL_TICK}"
    most = max(*counters, *examination.ordered[-1].counters)
    return (
        most <= MOST_INDIVIDUALS,
        f"{start} individuals at tick 0, {STALLED_INDIVIDUALS} at the stall, {most} at most",
    )


def _changes(examination: Examination) -> tuple[bool, str]:
    """G2: the counter rises at one tick of the schedule and falls at another before the stall."""
    counters = examination.baseline[-1].counters
    net = {tick: counters[tick] - counters[tick - 1] for tick in SCHEDULE_TICKS}
    shown = ", ".join(f"{change:+d} at {tick}" for tick, change in net.items())
    return any(change > 0 for change in net.values()) and any(change < 0 for change in net.values()), shown


def _vess(examination: Examination) -> tuple[bool, str]:
    """G3: no body on Vess shares a label at any tick, neither undisturbed nor with the acts of the prologue."""
    runs = {"undisturbed": examination.baseline, "prologue": examination.reel}
    shared = [
        f"{BODIES[body]} at tick {world.tick} ({name})"
        for name, worlds in runs.items()
        for world in worlds
        for body in VESS
        if len(world.cells[world.labels[body]]) > 1
    ]
    return not shared, "none is shared" if not shared else f"shared: {shared[0]}"


def _reel(examination: Examination) -> tuple[bool, str]:
    """G4: the share table's figures are those of the simulated reel."""
    stated = share_table(examination.instance)
    shown = figures_of_reel(examination.reel, examination.baseline)
    wrong = [name for name, figure in stated.items() if shown[name] != figure]
    return not wrong, "all figures agree" if not wrong else f"other figures: {', '.join(wrong)}"


def _cells(examination: Examination) -> tuple[bool, str]:
    """G6: the cells that the designed evidence needs, and a cull that raises the intake on another hulk."""
    first, later = examination.baseline[0], examination.baseline[8]
    parts = {
        "printers": any(_hulks(cell, PRINTERS) >= 2 and _together(later, cell) for cell in first.cells.values()),
        "beacons": any(_is_pair(cell) for cell in first.cells.values())
        and all(any(_is_pair(cell) for cell in world.cells.values()) for world in examination.baseline[:9]),
        "fen": any(sum(body in FEN for body in cell) >= 2 for cell in first.cells.values()),
    }
    if all(parts.values()):
        parts["cull"] = _cull_raises(examination)
    missing = [name for name, there in parts.items() if not there]
    return not missing, "all there" if not missing else f"missing: {', '.join(missing)}"


def _hulks(cell: tuple[int, ...], kind: tuple[int, ...]) -> int:
    return len({HULK_OF[body] for body in cell if body in kind})


def _together(world: World, cell: tuple[int, ...]) -> bool:
    """Whether two printers of a cell on different hulks still share one."""
    printers = [body for body in cell if body in PRINTERS]
    pairs = [pair for pair in combinations(printers, 2) if HULK_OF[pair[0]] != HULK_OF[pair[1]]]
    return any(world.labels[first] == world.labels[second] for first, second in pairs)


def _is_pair(cell: tuple[int, ...]) -> bool:
    return (
        len(cell) == 2
        and cell[0] in BEACONS
        and cell[1] in BEACONS
        and len({*cell} & {*MAST}) == 1 == len({*cell} & {*DRUM})
    )


def _cull_raises(examination: Examination) -> bool:
    quiet = examination.baseline[8].instruments.tallies
    for body in (body for body in FEN if body in OUTSIDE):
        culled = passes(examination.instance, {1: ("cull", BODIES[body])}, until=8)[-1].instruments.tallies
        if any(culled[PLACE_OF[o]] > quiet[PLACE_OF[o]] for o in FEN if HULK_OF[o] != HULK_OF[body]):
            return True
    return False


def _waiting(examination: Examination) -> tuple[bool, str]:
    """G7: how long the waiting list gets."""
    longest = max(len(world.instruments.waiting) for world in examination.baseline)
    return longest >= QUEUE_OF_WAITING, f"{longest} wait at most"


def _order(examination: Examination) -> tuple[bool, str]:
    """G8: one beacon of the order's site joins the consignment by one stamp, and both acts are served at once."""
    instance = examination.instance
    order = instance.order
    before = examination.ordered[order.tick]
    world = caretakers(instance, before, ordered=False)
    target = world.labels[order.consignment]
    site = MAST if order.beacon in MAST else DRUM
    coordinate = instance.moved_coordinate("stamp", order.beacon)
    landing = [
        body for body in site if next_label(world.labels[body], coordinate) == target and world.labels[body] != target
    ]
    apart = world.labels[order.beacon] != world.labels[order.fen]
    held = [
        individual.queue for individual in examination.ordered[order.tick + 1].individuals.values() if individual.queue
    ]
    holds = order.tick in ACT_TICKS and landing == [order.beacon] and apart and not held
    names = ", ".join(BODIES[body] for body in landing) or "none"
    return holds, f"tick {order.tick}; joins by one stamp: {names}; both served at once: {_yes(apart and not held)}"


def _answer(examination: Examination) -> tuple[bool, str]:
    """G9: the figures are in range, the beacon really answers, and the undisturbed pass shows others."""
    answer = examination.answer
    quiet = figures(examination.instance, examination.baseline)
    tick = examination.instance.order.tick + answer.answer
    answers = examination.instance.order.beacon in examination.ordered[tick + 1].instruments.answers
    in_range = 0 <= answer.intake <= LARGEST_INTAKE and 1 <= answer.answer <= ANSWER_WITHIN
    shown = f"answer {tuple(answer)}, undisturbed {tuple(quiet)}"
    return in_range and answers and answer != quiet, shown


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


# In the order in which they are cheapest to refuse by.
_RULES: Mapping[str, Callable[[Examination], tuple[bool, str]]] = {
    "G5": _verbs,
    "G2": _changes,
    "G7": _waiting,
    "G1": _counts,
    "G8": _order,
    "G9": _answer,
    "G3": _vess,
    "G4": _reel,
    "G6": _cells,
}
