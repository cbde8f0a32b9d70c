"""One tick, step by step; each step is a function from a world to the next.

The order is: caretakers, the agent's request, service, effects, instruments, regrouping, the counter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import (
    BEACONS,
    CONSIGNMENTS,
    FEN,
    KIND_OF,
    OVERDUE,
    PLACE_OF,
    PRINTERS,
    QUEUE_LIMIT,
    REWRITES,
    SIZES,
    STALL_TICK,
)
from whatworked.environments.drift.labels import next_label, with_value
from whatworked.environments.drift.world import Individual, Instruments, Request, World

Fate: TypeAlias = Literal["acknowledged", "deferred", "refused"]
"""How the world answers a request of the agent's."""
RELEASING = ("move", "release")
"""Requests that let a waiting consignment go when they are served; ambient acts do as well."""


class Act(NamedTuple):
    """What an individual does in a tick: the request that it serves, or an ambient act."""

    label: int
    body: int
    request: Request | None


def run_tick(
    instance: Instance, world: World, request: tuple[str, int] | None = None, *, ordered: bool = False
) -> tuple[World, Fate | None]:
    """Run one tick.

    Parameters
    ----------
    instance : Instance
        The sealed facts.
    world : World
        Before the tick; its `tick` is below 24.
    request : tuple of str and int, optional
        Verb and body of what the agent asks for in this tick.
    ordered : bool
        Whether this is the order's pass, in which the caretakers' two acts enter at their tick.

    Returns
    -------
    world : World
        After the tick.
    fate : str or None
        How the request fared; None without one.
    """
    world = caretakers(instance, world, ordered=ordered)
    world, own = enter(world, request)
    acts = service(instance, world)
    world, rewritten = effects(instance, world, acts)
    world = read_out(instance, world, acts)
    world = regroup(instance, world, rewritten)
    world = count(world)
    return world, None if request is None else _fate(own, acts)


def _fate(own: Request | None, acts: Sequence[Act]) -> Fate:
    if own is None:
        return "refused"
    return "acknowledged" if any(act.request == own for act in acts) else "deferred"


def caretakers(instance: Instance, world: World, *, ordered: bool) -> World:
    """Step 1: rewrites of the schedule, consignments that fall due, what is overdue, and the order."""
    world = regroup(instance, world, _schedule_targets(instance, world))
    tick = world.tick
    if tick in instance.joins:
        waiting = (*world.instruments.waiting, *instance.joins[tick])
        world = replace(world, instruments=replace(world.instruments, waiting=waiting))
    for body in instance.joins.get(tick - OVERDUE, ()):
        if body in world.instruments.waiting:
            world = with_request(world, "move", body)
    if ordered and tick == instance.order.tick:
        world = with_request(world, "stamp", instance.order.beacon)
        world = with_request(world, instance.order.verb, instance.order.fen)
    return world


def _schedule_targets(instance: Instance, world: World) -> Mapping[int, int]:
    if world.tick == STALL_TICK:
        return instance.stall
    targets: dict[int, int] = {}
    for body, coordinate, value in instance.schedule.get(world.tick, ()):
        targets[body] = with_value(targets.get(body, world.labels[body]), coordinate, value)
    return targets


def enter(world: World, request: tuple[str, int] | None) -> tuple[World, Request | None]:
    """Step 2: the agent's request enters the queue of its body's individual, unless four wait there already."""
    if request is None:
        return world, None
    verb, body = request
    label = world.labels[body]
    if len(world.individuals[label].queue) >= QUEUE_LIMIT:
        return world, None
    world = with_request(world, verb, body)
    return world, world.individuals[label].queue[-1]


def with_request(world: World, verb: str, body: int) -> World:
    """The world with one more request, at the end of the queue of its body's individual."""
    label = world.labels[body]
    individual = world.individuals[label]
    request = Request(world.arrivals, verb, body)
    joined = replace(individual, queue=(*individual.queue, request))
    return replace(world, individuals={**world.individuals, label: joined}, arrivals=world.arrivals + 1)


def service(instance: Instance, world: World) -> list[Act]:
    """Step 3: what each individual does; it serves one request, or its ambient act falls on the next body."""
    acts = []
    tick, cells = world.tick, world.cells
    for label, individual in world.individuals.items():
        if individual.queue:
            request = _next_request(instance, tick, individual.queue)
            acts.append(Act(label, request.body, request))
        else:
            cell = cells[label]
            acts.append(Act(label, cell[(tick + individual.offset) % len(cell)], None))
    return acts


def _next_request(instance: Instance, tick: int, queue: Sequence[Request]) -> Request:
    """The request whose kind, then place in the kind, comes next in the cycles that turn with the clock."""
    if len(queue) == 1:
        return queue[0]

    def turn(request: Request) -> tuple[int, int, int]:
        kind = KIND_OF[request.body]
        place = (PLACE_OF[request.body] - tick) % SIZES[kind]
        return (instance.kind_places[kind] - tick) % len(SIZES), place, request.arrival

    return min(queue, key=turn)


def effects(instance: Instance, world: World, acts: Sequence[Act]) -> tuple[World, dict[int, int]]:
    """Step 4: served requests leave their queues and take effect; rewrites are collected, by body."""
    rewritten: dict[int, int] = {}
    changed: dict[int, Individual] = {}
    for label, body, request in acts:
        if request is None:
            continue
        individual = world.individuals[label]
        rest = tuple(other for other in individual.queue if other is not request)
        state, offset = individual.state, individual.offset
        if request.verb == "feed":
            state += instance.feed_step
        elif request.verb == "release":
            cell = world.cells[label]
            offset = (cell.index(body) - world.tick) % len(cell)
        elif request.verb in REWRITES:
            rewritten[body] = next_label(world.labels[body], instance.moved_coordinate(request.verb, body))
        changed[label] = Individual(state, offset, rest)
    if not changed:
        return world, rewritten
    return replace(world, individuals={**world.individuals, **changed}), rewritten


def read_out(instance: Instance, world: World, acts: Sequence[Act]) -> World:
    """Step 5: the instruments take up the body that each individual acted on; all others stand idle."""
    held = world.instruments
    served = [act for act in acts if act.request is not None]
    latched = held.latched.difference([act.body for act in served]) if served else held.latched
    bodies = sorted([act.body for act in acts])
    moved = tuple([body for body in bodies if body in _CONSIGNMENTS])
    marked = tuple([body for body in bodies if body in _PRINTERS and body not in latched])
    answers = tuple([body for body in bodies if body in _BEACONS and body not in latched])
    tallies = list(held.tallies)
    for label, body, _ in acts:
        if body in _FEN:
            tallies[PLACE_OF[body]] += instance.reading(body, world.individuals[label].state)
    last_marks = list(held.last_marks)
    for body in marked:
        last_marks[PLACE_OF[body]] = world.tick
    staying = {act.body for act in served if act.request is not None and act.request.verb not in RELEASING}
    leaving = tuple([body for body in moved if body in held.waiting and body not in staying]) if held.waiting else ()
    instruments = Instruments(
        tallies=tuple(tallies),
        last_marks=tuple(last_marks),
        latched=latched,
        tally_rows=(*held.tally_rows, tuple(tallies)),
        mark_rows=(*held.mark_rows, marked),
        answers=answers,
        charges=_add_up(held.charges, answers),
        waiting=tuple([body for body in held.waiting if body not in leaving]) if leaving else held.waiting,
        released=(*held.released, *leaving),
        moved=moved,
        movements=_add_up(held.movements, [body for body in moved if body in held.movements]),
    )
    return replace(world, instruments=instruments)


def _add_up(counts: dict[int, int], bodies: Sequence[int]) -> dict[int, int]:
    if not bodies:
        return counts
    totals = dict(counts)
    for body in bodies:
        totals[body] = totals.get(body, 0) + 1
    return totals


def regroup(instance: Instance, world: World, targets: Mapping[int, int]) -> World:
    """Step 6: bodies take the labels they are set to, all at once; equal labels are one individual.

    The occupant of a label is the individual that had it before, if one of its bodies keeps it. A new individual's
    state is the largest of those that its bodies come from, its offset the occupant's. A request goes with the body
    that it names.
    """
    targets = {body: label for body, label in targets.items() if world.labels[body] != label}
    if not targets:
        return world
    before = world.labels
    labels = list(before)
    for body, label in targets.items():
        labels[body] = label
    cells, individuals = dict(world.cells), dict(world.individuals)
    requests: list[Request] = []
    bodies: list[int] = []
    for label in {*targets.values(), *(before[body] for body in targets)} & cells.keys():
        bodies += cells.pop(label)
        requests += individuals.pop(label).queue
    for label, cell in _cells_of(instance, labels, bodies).items():
        sources = {before[body] for body in cell}
        asked = [request for request in requests if request.body in cell] if requests else []
        cells[label] = cell
        individuals[label] = Individual(
            max([world.individuals[source].state for source in sources]),
            world.individuals[label].offset if label in sources else 0,
            tuple(sorted(asked, key=_arrival)),
        )
    return replace(world, labels=tuple(labels), cells=cells, individuals=individuals)


def _cells_of(instance: Instance, labels: Sequence[int], bodies: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Bodies by label, in the order of service."""
    groups: dict[int, list[int]] = {}
    for body in sorted(bodies, key=instance.ranks.__getitem__):
        groups.setdefault(labels[body], []).append(body)
    return {label: tuple(cell) for label, cell in groups.items()}


def _arrival(request: Request) -> int:
    return request.arrival


def count(world: World) -> World:
    """Step 7: the counter becomes the number of individuals, and the clock goes on."""
    return replace(world, counters=(*world.counters, len(world.individuals)), tick=world.tick + 1)


_FEN, _PRINTERS, _BEACONS, _CONSIGNMENTS = map(frozenset, (FEN, PRINTERS, BEACONS, CONSIGNMENTS))
