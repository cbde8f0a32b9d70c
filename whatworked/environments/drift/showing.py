"""An instance in rows, for spectators: what no player is shown."""

from __future__ import annotations

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import BODIES, KINDS, PASS_TICKS, PLACE_OF, names
from whatworked.environments.drift.labels import unpack
from whatworked.environments.drift.order import order_bodies, passes
from whatworked.environments.drift.world import seeded_world


def order_line(instance: Instance) -> str:
    """The order in one sentence, with the beacon that it resolves to."""
    beacon, fen, consignment = order_bodies(instance)
    order = instance.order
    cycle = ", ".join(sorted(KINDS, key=lambda kind: instance.kind_places[KINDS.index(kind)]))
    return (
        f"order: at tick {order.tick} stamp {beacon} (it joins {consignment}) and {order.verb} {fen}; "
        f"kinds are served in the cycle {cycle}"
    )


def individual_rows(instance: Instance) -> list[list[str]]:
    """One row an individual at tick 0: label, state, bodies in the order of service; a header first."""
    world = seeded_world(instance)
    rows = [["label", "state", "bodies"]]
    for label, cell in sorted(world.cells.items()):
        rows.append([_text(label), str(world.individuals[label].state), " ".join(names(cell))])
    return rows


def pass_rows(instance: Instance, *, ordered: bool = False) -> list[list[str]]:
    """One row a tick of a pass: counter, tally of the order's fen body, marks, answers, movements; a header first."""
    worlds = passes(instance, ordered=ordered)
    fen = instance.order.fen
    rows = [["tick", "counter", BODIES[fen], "printers", "beacons", "moved", "waiting"]]
    for tick in range(PASS_TICKS):
        held = worlds[tick + 1].instruments
        lists = (held.mark_rows[tick], held.answers, held.moved, held.waiting)
        figures = (tick, worlds[tick + 1].counters[tick], held.tallies[PLACE_OF[fen]])
        rows.append([*map(str, figures), *(_short(bodies) for bodies in lists)])
    return rows


def _text(label: int) -> str:
    return "".join(map(str, unpack(label)))


def _short(bodies: tuple[int, ...]) -> str:
    return " ".join(BODIES[body].rpartition("-")[2] for body in bodies)
