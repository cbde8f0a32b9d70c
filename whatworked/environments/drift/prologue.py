"""The prologue: five beats on Vess whose figures the doctrine's share table states in advance."""

from __future__ import annotations

from collections.abc import Sequence

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import NUMBER, PLACE_OF
from whatworked.environments.drift.world import World

REEL: dict[int, tuple[str, str]] = {
    0: ("feed", "grazer-a1"),
    5: ("cull", "grazer-a1"),
    7: ("retool", "printer-b1"),
    9: ("stamp", "beacon-c1"),
}
"""The acts of the reel, by tick of a fresh pass."""
_A1, _A2, _B1, _C1 = (NUMBER[name] for name in ("grazer-a1", "grazer-a2", "printer-b1", "beacon-c1"))


def share_table(instance: Instance) -> dict[str, int]:
    """The figures that the doctrine gives: one body, one state, one act a tick.

    Parameters
    ----------
    instance : Instance
        The world; only the seeded facts of four bodies on Vess are used.

    Returns
    -------
    dict of str to int
        Tallies of grazer-a1 at tick 1 without and with the feed (`a1_rest`, `a1_fed`); of grazer-a2 at 1, 4, 5 and 6
        (`a2_start`, `a2_rested`, `a2_pair`, `a2_solo`); rack of printer-b1 at 6 and 8 (`b1_backlog`, `b1_after`);
        ticks that beacon-c1 is silent, and whether it answers at 10 (`c1_silence`, `c1_after`).
    """
    states = {body: instance.states[instance.labels[body]] for body in (_A1, _A2)}
    base = {body: instance.bases[PLACE_OF[body]] for body in (_A1, _A2)}
    share = _share(instance, _A2, states[_A2])
    return {
        "a1_rest": base[_A1] + 2 * _share(instance, _A1, states[_A1]),
        "a1_fed": base[_A1] + 2 * _share(instance, _A1, states[_A1] + instance.feed_step),
        "a2_start": base[_A2] + 2 * share,
        "a2_rested": base[_A2] + 5 * share,
        "a2_pair": base[_A2] + 6 * share,
        "a2_solo": base[_A2] + 7 * share,
        "b1_backlog": instance.backlog[PLACE_OF[_B1]] + 6,
        "b1_after": 0,
        "c1_silence": 9,
        "c1_after": 1,
    }


def _share(instance: Instance, body: int, state: int) -> int:
    """What the doctrine takes a body to give: its line, which knows no bound."""
    slope, shift, _, _ = instance.transforms[body]
    return slope * state + shift


def figures_of_reel(reel: Sequence[World], quiet: Sequence[World]) -> dict[str, int]:
    """The same figures as a pass with the reel's acts shows them.

    Parameters
    ----------
    reel : sequence of World
        The pass with the acts of `REEL`.
    quiet : sequence of World
        An undisturbed pass, for `a1_rest`.

    Returns
    -------
    dict of str to int
    """

    def tally(worlds: Sequence[World], body: int, tick: int) -> int:
        return worlds[tick + 1].instruments.tallies[PLACE_OF[body]]

    def rack(tick: int) -> int:
        return tick - reel[tick + 1].instruments.last_marks[PLACE_OF[_B1]]

    answered = [_C1 in world.instruments.answers for world in reel[1:]]
    return {
        "a1_rest": tally(quiet, _A1, 1),
        "a1_fed": tally(reel, _A1, 1),
        "a2_start": tally(reel, _A2, 1),
        "a2_rested": tally(reel, _A2, 4),
        "a2_pair": tally(reel, _A2, 5),
        "a2_solo": tally(reel, _A2, 6),
        "b1_backlog": rack(6),
        "b1_after": rack(8),
        "c1_silence": answered.index(True) if True in answered else len(answered),
        "c1_after": int(answered[10]),
    }
