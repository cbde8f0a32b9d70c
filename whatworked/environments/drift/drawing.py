"""Drafts of instances, drawn at random; most of them miss a constraint and are thrown away."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from whatworked.environments.drift.inventory import (
    BODIES,
    CONSIGNMENTS,
    DRUM,
    FEN,
    FEN_SITES,
    HULK_OF,
    KINDS,
    LINES,
    MAST,
    OUTSIDE,
    OUTSIDE_BEACONS,
    PRINTERS,
    REWRITES,
    VESS,
    names,
)
from whatworked.environments.drift.labels import ALPHABETS
from whatworked.environments.drift.layout import (
    FORMAT,
    WIDE_FORMAT,
    InstanceFile,
    Label,
    Order,
    Rewrite,
    Verbs,
)

Family: TypeAlias = Literal["paper", "wide"]
"""Which orders are drawn: those of the paper, or any fen body, verb, consignment and beacon site."""
ScheduleTick: TypeAlias = Literal["3", "8", "13", "17"]
TICKS: tuple[ScheduleTick, ...] = ("3", "8", "13", "17")
ALONE = 0.45
"""Share of drafts in which the order's fen body starts alone."""
LANDED_ON = (0, 1, 1, 1, 2, 2, 3, 3, 4, 4)
"""How many bodies are where its verb takes it."""
Item = TypeVar("Item")


class Plan(msgspec.Struct, frozen=True):
    """What a draft rests on.

    Attributes
    ----------
    kinds : tuple of str
        The service cycle.
    verbs : dict of str to dict of str to int
        The coordinate that each verb moves, by kind.
    spare : int
        A coordinate that no verb moves.
    reserved : int
        The value of it that only the bodies on Vess have.
    order : Order
        The standing order.
    """

    kinds: tuple[str, ...]
    verbs: dict[str, dict[str, int]]
    spare: int
    reserved: int
    order: Order


def generator_for(ensemble: str, number: int, draft: int, salt: bytes | None = None) -> random.Random:
    """The source of chance of one draft; with a salt it cannot be told without knowing that.

    Parameters
    ----------
    ensemble : str
        Name of the set.
    number : int
        Place in the set.
    draft : int
        How many drafts came before for this place.
    salt : bytes, optional
        A secret.

    Returns
    -------
    random.Random
    """
    text = f"drift/{ensemble}/{number}/{draft}".encode()
    digest = hashlib.sha256(text).digest() if salt is None else hmac.new(salt, text, hashlib.sha256).digest()
    return random.Random(int.from_bytes(digest, "big"))


def draw(chance: random.Random, family: Family, name: str) -> InstanceFile:
    """Draw a draft.

    Parameters
    ----------
    chance : random.Random
        Where chance comes from.
    family : {"paper", "wide"}
        Which orders to draw.
    name : str
        Name of the instance.

    Returns
    -------
    InstanceFile
        Of the right layout; whether it satisfies the constraints is for `constraints` to say.
    """
    plan = _plan(chance, family)
    cells = _cells(chance, plan)
    labels = _labels(chance, plan, cells)
    straggler = _straggler(chance, plan, labels)
    finals = _finals(chance, plan, straggler)
    return InstanceFile(
        format=FORMAT if family == "paper" else WIDE_FORMAT,
        name=name,
        kinds=plan.kinds,  # type: ignore[arg-type]
        w=Verbs(**plan.verbs),
        feed_step=1 + _below(chance, 2),
        labels=labels,
        states=_states(chance, labels, cells),
        transforms={body: _transform(chance) for body in BODIES},
        bases={BODIES[body]: _below(chance, 4) for body in FEN},
        stock={site: 80 + 10 * _below(chance, 6) for site in FEN_SITES},
        backlog={BODIES[body]: 2 + _below(chance, 8) for body in PRINTERS},
        due=_due(chance),
        schedule=_schedule(chance, finals, straggler),
        stall=_stall(finals),
        order=plan.order,
    )


def _below(chance: random.Random, size: int) -> int:
    """A whole number from 0 to below `size`, from the one method whose stream no version of Python changes."""
    return int(chance.random() * size)


def _pick(chance: random.Random, items: Sequence[Item]) -> Item:
    return items[_below(chance, len(items))]


def _shuffle(chance: random.Random, items: Sequence[Item]) -> list[Item]:
    left = list(items)
    return [left.pop(_below(chance, len(left))) for _ in items]


def _plan(chance: random.Random, family: Family) -> Plan:
    spare = _below(chance, 4)
    moved = [coordinate for coordinate in range(4) if coordinate != spare]
    verbs = _verbs(chance, moved)
    while any(len({row[kind] for row in verbs.values()}) < 2 for kind in KINDS):
        verbs = _verbs(chance, moved)
    return Plan(
        kinds=tuple(_shuffle(chance, KINDS)),
        verbs=verbs,
        spare=spare,
        reserved=_below(chance, ALPHABETS[spare]),
        order=_order(chance, family),
    )


def _verbs(chance: random.Random, moved: Sequence[int]) -> dict[str, dict[str, int]]:
    verbs = {verb: {kind: _pick(chance, moved) for kind in KINDS} for verb in REWRITES}
    verbs["retool"]["trellis"] = verbs["retool"]["fen"]
    return verbs


def _order(chance: random.Random, family: Family) -> Order:
    tick = 1 + _below(chance, 7)
    if family == "paper":
        return Order(tick=tick, beacon=BODIES[_pick(chance, MAST)])
    fen = [body for body in FEN if body in OUTSIDE]
    verbs: tuple[Rewrite, ...] = ("stamp", "retool", "cull")
    site = MAST if chance.random() < 0.5 else DRUM
    return Order(
        tick=tick,
        beacon=BODIES[_pick(chance, site)],
        fen=BODIES[_pick(chance, fen)],
        verb=_pick(chance, verbs),
        consignment=BODIES[_pick(chance, CONSIGNMENTS)],
    )


def _states(chance: random.Random, labels: dict[str, Label], cells: Cells) -> tuple[tuple[Label, int], ...]:
    """One to three; where the order's fen body lands, often more than it had."""
    states = {label: 1 + _below(chance, 3) for label in sorted(set(labels.values()))}
    states[cells.home] = 1 + _below(chance, 2)
    if cells.landing in states:
        states[cells.landing] = states[cells.home] + _pick(chance, (0, 0, 1, 1, 2))
    return tuple(sorted(states.items()))


class Cells(NamedTuple):
    """Start labels that the design needs, and further ones.

    Attributes
    ----------
    joined, behind : label
        The order's consignment's, and its beacon's, which one stamp takes there.
    pair : label
        Of two beacons, one of the Mast and one of the Drum.
    home, landing : label
        The order's fen body's, and where its verb takes it.
    others : list of label
        Further ones.
    """

    joined: Label
    behind: Label
    pair: Label
    home: Label
    landing: Label
    others: list[Label]


def _labels(chance: random.Random, plan: Plan, cells: Cells) -> dict[str, Label]:
    """Start labels of all bodies.

    What the order's acts do to the counter, and how many bodies the fen body then shares its acts with, must not be the
    same on most instances, or who guesses that would be right too often. So there are mostly others where it lands;
    its beacon is often not alone; and beacons that are not the order's may join something by a stamp as well.
    """
    order = plan.order
    placed = {order.consignment: cells.joined, order.beacon: cells.behind, order.fen: cells.home}
    _place_pair(chance, plan, placed, cells.pair)
    hosts = [body for body in ("feeder-1", "feeder-2", "feeder-3", "grazer-a4") if body != order.fen]
    alone = order.fen != "grazer-a3" and chance.random() < ALONE
    placed.setdefault("grazer-a3", cells.others[0] if alone or chance.random() < 0.4 else cells.home)
    if alone or order.fen == "grazer-a3" or placed["grazer-a3"] != cells.home:
        placed[_pick(chance, hosts)] = placed["grazer-a3"]
    _place_printers(chance, placed, cells.others)
    _place_guests(chance, placed, cells.landing, _pick(chance, LANDED_ON))
    _place_guests(chance, placed, cells.behind, _pick(chance, (0, 0, 1, 1, 2)))
    _place_rest(chance, placed, cells.others if alone else [cells.home, *cells.others], cells.joined)
    for body, label in zip(VESS, _vess_labels(chance, plan), strict=True):
        placed[BODIES[body]] = label
    return placed


def _cells(chance: random.Random, plan: Plan) -> Cells:
    joined, home, *others = _fresh_labels(chance, plan)
    stamp = plan.verbs["stamp"]["ladder"]
    behind = _step(joined, stamp, -1)
    landing = _step(home, plan.verbs[plan.order.verb]["fen"], 1)
    pair = _step(others[0], stamp, -1) if chance.random() < 0.75 else others[-1]
    taken = {joined, home, behind, landing, pair}
    free = [label for label in others if label not in taken]
    return Cells(joined, behind, pair, home, landing, free[: 6 + _below(chance, 3)])


def _place_guests(chance: random.Random, placed: dict[str, Label], label: Label, number: int) -> None:
    """Give a label to bodies that have none yet; beacons and consignments are kept for elsewhere."""
    free = [body for body in names(OUTSIDE) if body not in placed and not body.startswith(("beacon", "consign"))]
    placed |= dict.fromkeys(_shuffle(chance, free)[:number], label)


def _place_printers(chance: random.Random, placed: dict[str, Label], others: Sequence[Label]) -> None:
    """Two printers on different hulks share a label."""
    ormer, kelder = (
        _pick(chance, [BODIES[body] for body in PRINTERS if HULK_OF[body] == hulk]) for hulk in ("Ormer", "Kelder")
    )
    placed |= dict.fromkeys((ormer, kelder), _pick(chance, others))


def _fresh_labels(chance: random.Random, plan: Plan) -> list[Label]:
    """Distinct labels at random that no body on Vess has."""
    found: list[Label] = []
    while len(found) < 16:
        label = _label(chance, plan)
        if label not in found:
            found.append(label)
    return found


def _label(chance: random.Random, plan: Plan) -> Label:
    values = [_pick(chance, _free_values(plan, coordinate)) for coordinate in range(4)]
    return values[0], values[1], values[2], values[3]


def _free_values(plan: Plan, coordinate: int) -> list[int]:
    return [value for value in range(ALPHABETS[coordinate]) if coordinate != plan.spare or value != plan.reserved]


def _step(label: Label, coordinate: int, step: int) -> Label:
    values = list(label)
    values[coordinate] = (values[coordinate] + step) % ALPHABETS[coordinate]
    return values[0], values[1], values[2], values[3]


def _place_pair(chance: random.Random, plan: Plan, placed: dict[str, Label], pair: Label) -> None:
    for site in (MAST, DRUM):
        free = [BODIES[body] for body in site if BODIES[body] != plan.order.beacon]
        placed[_pick(chance, free)] = pair


def _place_rest(chance: random.Random, placed: dict[str, Label], others: Sequence[Label], joined: Label) -> None:
    """Spread the remaining bodies unevenly; consignments mostly over three labels, some with the order's."""
    berths = _shuffle(chance, others)[:3]
    crowd = chance.random() * 0.7
    popular = _shuffle(chance, others)
    for body in names(OUTSIDE):
        if body in placed:
            continue
        if body.startswith("consignment"):
            near = joined if chance.random() < crowd else _pick(chance, berths)
            placed[body] = near if chance.random() < 0.85 else _pick(chance, others)
        else:
            place = int(chance.random() ** 1.6 * len(popular))
            placed[body] = (
                joined if chance.random() < crowd / 6 and body not in names(OUTSIDE_BEACONS) else popular[place]
            )


def _vess_labels(chance: random.Random, plan: Plan) -> list[Label]:
    """Distinct labels with the reserved value; none is what an act of the prologue makes of another."""
    found: list[Label] = []
    while len(found) < len(VESS):
        values = [_below(chance, size) for size in ALPHABETS]
        values[plan.spare] = plan.reserved
        label = (values[0], values[1], values[2], values[3])
        if not any(_differing(label, other) <= 1 for other in found):
            found.append(label)
    return found


def _differing(first: Label, second: Label) -> int:
    return sum(value != other for value, other in zip(first, second, strict=True))


class Straggler(NamedTuple):
    """A body alone on its label, which an early rewrite joins to others.

    Attributes
    ----------
    body : str
        The body.
    coordinate, value : int
        The rewrite.
    tick : {"3", "8", "13", "17"}
        When.
    """

    body: str
    coordinate: int
    value: int
    tick: ScheduleTick


def _straggler(chance: random.Random, plan: Plan, labels: dict[str, Label]) -> Straggler:
    """Move a registry line one coordinate away from a label that others have, so that the count once falls."""
    body = _pick(chance, names(LINES))
    occupied = sorted({labels[other] for other in names(OUTSIDE) if other != body})
    goal = _pick(chance, occupied)
    coordinate = _below(chance, 4)
    away = [value for value in _free_values(plan, coordinate) if value != goal[coordinate]]
    labels[body] = _with_value(goal, coordinate, _pick(chance, away))
    return Straggler(body, coordinate, goal[coordinate], _pick(chance, TICKS))


def _with_value(label: Label, coordinate: int, value: int) -> Label:
    return _step(label, coordinate, value - label[coordinate])


def _finals(chance: random.Random, plan: Plan, straggler: Straggler) -> dict[str, Label]:
    """One of four labels for every body outside Vess, over two common values of each coordinate."""
    common = [_shuffle(chance, _free_values(plan, coordinate))[:2] for coordinate in range(4)]
    if straggler.value not in common[straggler.coordinate]:
        common[straggler.coordinate][0] = straggler.value
    targets: list[Label] = []
    while len(targets) < 4 or not any(label[straggler.coordinate] == straggler.value for label in targets):
        targets = [] if len(targets) == 4 else targets
        values = [_pick(chance, pair) for pair in common]
        label = (values[0], values[1], values[2], values[3])
        if label not in targets:
            targets.append(label)
    finals = {body: _pick(chance, targets) for body in names(OUTSIDE)}
    finals |= dict(zip(_shuffle(chance, names(OUTSIDE)), targets, strict=False))
    goals = [label for label in targets if label[straggler.coordinate] == straggler.value]
    return finals | {straggler.body: _pick(chance, goals)}


def _schedule(
    chance: random.Random, finals: dict[str, Label], straggler: Straggler
) -> dict[ScheduleTick, tuple[tuple[str, int, int], ...]]:
    """One to four entries at each tick; at the straggler's it stands alone."""
    schedule = {tick: _entries(chance, finals) for tick in TICKS}
    return schedule | {straggler.tick: (straggler[:3],)}


def _entries(chance: random.Random, finals: dict[str, Label]) -> tuple[tuple[str, int, int], ...]:
    bodies = _shuffle(chance, list(finals))[: 1 + _below(chance, 4)]
    coordinates = [_below(chance, 4) for _ in bodies]
    return tuple((body, place, finals[body][place]) for body, place in zip(bodies, coordinates, strict=True))


def _stall(finals: dict[str, Label]) -> tuple[tuple[Label, tuple[str, ...]], ...]:
    return tuple(
        (label, tuple(body for body in finals if finals[body] == label)) for label in sorted(set(finals.values()))
    )


def _transform(chance: random.Random) -> tuple[int, int, int, int]:
    """Linear up to a bound that no state of the prologue reaches, then with another slope."""
    slope, shift = _pick(chance, (1, 1, 2)), _pick(chance, (0, 0, 1))
    beyond = _pick(chance, [other for other in (0, 1, 2, 3) if other != slope])
    return slope, shift, 6 + _below(chance, 4), beyond


def _due(chance: random.Random) -> dict[str, int]:
    due = {BODIES[body]: _pick(chance, (9, 12)) for body in CONSIGNMENTS}
    return due | {"consignment-q": 12}
