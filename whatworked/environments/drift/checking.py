"""Reading instances: what a file must say, and every fault of it by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from whatworked.environments.drift.instance import Instance, Order, Transform, service_ranks
from whatworked.environments.drift.inventory import (
    BEACONS,
    BODIES,
    CONSIGNMENTS,
    FEN,
    FEN_SITES,
    KINDS,
    MAST,
    NUMBER,
    OUTSIDE,
    OUTSIDE_BEACONS,
    PRINTERS,
    names,
)
from whatworked.environments.drift.labels import ALPHABETS, pack, unpack
from whatworked.environments.drift.layout import FORMAT, InstanceFile, Label, Switches
from whatworked.environments.drift.order import answer_of
from whatworked.errors import InstanceError, nearest
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file
from whatworked.storage.json_text import parse_json
from whatworked.wording import first_few

MOST_BYTES = 1 << 20
"""Bytes that a file may have; a full instance has about 8,000."""
_TRANSFORM: Transform = (1, 0, 99, 0)
_STOCK = 100


def read_instance(path: Path) -> Instance:
    """Read an instance from a file.

    Parameters
    ----------
    path : Path
        A file in the layout of `docs/drift.md`.

    Returns
    -------
    Instance

    Raises
    ------
    StorageError
        If it cannot be read.
    InstanceError
        If it is no instance; the message names everything that is wrong with it.
    """
    return parse_instance(read_file(path, MOST_BYTES, "read the instance"), str(path))


def parse_instance(data: bytes, where: str = "instance") -> Instance:
    """The instance that a file's bytes describe.

    Parameters
    ----------
    data : bytes
        JSON text.
    where : str
        How errors name it.

    Returns
    -------
    Instance

    Raises
    ------
    InstanceError
        If it is no instance; the message names everything that is wrong with it.

    Notes
    -----
    Checks the layout and what the fields say of each other, not the constraints that generated instances satisfy.
    """
    try:
        content = parse_json(data)
        file = msgspec.convert(content, InstanceFile)
        _check_order_fields(content)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise InstanceError(f"{where} is no instance of the drift: {error}; correct it and read it again") from error
    return compile_instance(file, where)


def compile_instance(file: InstanceFile, where: str = "instance") -> Instance:
    """Fill in the defaults of an instance and check that its fields fit together.

    Parameters
    ----------
    file : InstanceFile
        The fields.
    where : str
        How errors name it.

    Returns
    -------
    Instance

    Raises
    ------
    InstanceError
        Naming everything that does not fit.
    """
    problems = list(_problems(file))
    if problems:
        raise InstanceError(f"{where} is no instance of the drift: {'; '.join(problems)}. Correct it and read it again")
    instance = instance_from(file)
    found = answer_of(instance)
    if file.answer is not None and tuple(file.answer) != found:
        raise InstanceError(
            f"{where} states the answer {list(file.answer)}, but its world gives {list(found)}; "
            "correct the world, or leave the answer out"
        )
    return instance


def canonical_file(instance: Instance) -> bytes:
    """The bytes of an instance's file: every field stated, keys sorted, one form for each world.

    Parameters
    ----------
    instance : Instance
        What to write.

    Returns
    -------
    bytes
        Canonical JSON with a line break at its end.
    """
    return canonical_json(_statement(instance)) + b"\n"


def instance_digest(instance: Instance) -> str:
    """SHA-256 of what an instance says of the world; its name and `meta` do not count.

    Parameters
    ----------
    instance : Instance
        The world.

    Returns
    -------
    str
        In lower-case hexadecimal.
    """
    stated = _statement(instance)
    return sha256(canonical_json({name: value for name, value in stated.items() if name not in ("name", "meta")}))


def _statement(instance: Instance) -> dict[str, Any]:
    file = instance.file
    fen, printers = names(list(FEN)), names(list(PRINTERS))
    full = replace(
        file,
        labels={name: file.labels[name] for name in BODIES},
        states=tuple((unpack(label), state) for label, state in sorted(instance.states.items())),
        transforms=dict(zip(BODIES, instance.transforms, strict=True)),
        bases=dict(zip(fen, instance.bases, strict=True)),
        stock=dict(zip(FEN_SITES, instance.stock, strict=True)),
        backlog=dict(zip(printers, instance.backlog, strict=True)),
        latched=tuple(names(sorted(instance.latched))),
        schedule={
            tick: tuple(sorted(entries, key=lambda entry: (NUMBER[entry[0]], entry[1])))
            for tick, entries in file.schedule.items()
            if entries
        },
        stall=tuple(
            (unpack(label), tuple(BODIES[body] for body in sorted(instance.stall) if instance.stall[body] == label))
            for label in sorted(set(instance.stall.values()))
        ),
        answer=answer_of(instance),
    )
    stated: dict[str, Any] = msgspec.to_builtins(full)
    return stated


def _problems(file: InstanceFile) -> Iterator[str]:
    if sorted(file.kinds) != sorted(KINDS):
        yield f"`kinds` is {list(file.kinds)}; it orders {', '.join(KINDS)}, each once"
    for verb in ("stamp", "retool", "cull"):
        yield from _keys(f"w.{verb}", getattr(file.w, verb), KINDS, complete=True)
    yield from _keys("labels", file.labels, BODIES, complete=True)
    for name, label in file.labels.items():
        yield from _label_faults(f"labels.{name}", label)
    yield from _state_faults(file)
    yield from _keys("transforms", file.transforms, BODIES)
    yield from _keys("bases", file.bases, names(FEN))
    yield from _keys("stock", file.stock, FEN_SITES)
    yield from _keys("backlog", file.backlog, names(PRINTERS))
    yield from _keys("due", file.due, names(CONSIGNMENTS))
    yield from _keys("latched", file.latched, names((*PRINTERS, *BEACONS)))
    yield from _repeated("latched", file.latched)
    yield from _schedule_faults(file)
    yield from _stall_faults(file)
    yield from _order_faults(file)
    yield from _switch_faults(file.switches)


def _keys(field: str, given: Iterable[str], allowed: Iterable[str], *, complete: bool = False) -> Iterator[str]:
    """Names that are not allowed, and where all must be there, those that are missing."""
    known = list(allowed)
    given = list(given)
    for name in given:
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near[0]}?" if near else f"allowed: {first_few(known, 8)}"
            yield f"`{field}` names {name!r:.60}; {hint}"
    missing = [name for name in known if name not in given]
    if complete and missing:
        yield f"`{field}` lacks {first_few(missing, 6)}"


def _repeated(field: str, given: Iterable[Any]) -> Iterator[str]:
    for value, times in Counter(given).items():
        if times > 1:
            yield f"`{field}` has {value} {times} times; once is allowed"


def _label_faults(field: str, label: Label) -> Iterator[str]:
    if any(not 0 <= value < size for value, size in zip(label, ALPHABETS, strict=True)):
        yield f"`{field}` is {list(label)}; its coordinates count from 0 to below {', '.join(map(str, ALPHABETS))}"


def _state_faults(file: InstanceFile) -> Iterator[str]:
    occupied = set(file.labels.values())
    for label, _ in file.states:
        if label not in occupied:
            yield f"`states` names the label {list(label)}, which no body has at tick 0"
    yield from _repeated("states", (label for label, _ in file.states))


def _schedule_faults(file: InstanceFile) -> Iterator[str]:
    for tick, entries in file.schedule.items():
        field = f"schedule.{tick}"
        yield from _keys(field, (body for body, _, _ in entries), names(OUTSIDE))
        yield from _repeated(field, ((body, coordinate) for body, coordinate, _ in entries))
        for body, coordinate, value in entries:
            if not 0 <= value < ALPHABETS[coordinate]:
                yield (
                    f"`{field}` sets coordinate {coordinate} of {body:.60} to {value}; "
                    f"it counts from 0 to {ALPHABETS[coordinate] - 1}"
                )


def _stall_faults(file: InstanceFile) -> Iterator[str]:
    bodies = [body for _, cell in file.stall for body in cell]
    yield from _keys("stall", bodies, names(OUTSIDE), complete=True)
    yield from _repeated("stall", bodies)
    for label, _ in file.stall:
        yield from _label_faults("stall", label)


def _order_faults(file: InstanceFile) -> Iterator[str]:
    order = file.order
    if file.format == FORMAT:
        yield from _keys("order.beacon", [order.beacon], names(MAST))
        return
    yield from _keys("order.beacon", [order.beacon], names(OUTSIDE_BEACONS))
    yield from _keys("order.fen", [order.fen], names(tuple(body for body in FEN if body in OUTSIDE)))
    yield from _keys("order.consignment", [order.consignment], names(CONSIGNMENTS))


def _switch_faults(switches: Switches) -> Iterator[str]:
    for name, value in msgspec.structs.asdict(switches).items():
        default = getattr(Switches(), name)
        if value != default:
            yield f"`switches.{name}` is {value!r}, a reserved name that no rule stands behind; use {default!r}"


def _check_order_fields(content: Mapping[str, Any]) -> None:
    """Raise ValueError for fields of the order that the file's format does not have, whatever they say."""
    extra = [name for name in content["order"] if name not in ("tick", "beacon")]
    if content["format"] == FORMAT and extra:
        raise ValueError(f"`order` has {', '.join(extra)}, which {FORMAT} does not know")


def instance_from(file: InstanceFile) -> Instance:
    """The instance of fields that are known to fit together; nothing is checked."""
    labels = tuple(pack(file.labels[name]) for name in BODIES)
    given = {pack(label): state for label, state in file.states}
    kind_places = tuple(file.kinds.index(kind) for kind in KINDS)
    moves: Mapping[str, Mapping[str, int]] = msgspec.structs.asdict(file.w)
    return Instance(
        file=file,
        kind_places=kind_places,
        moves={verb: tuple(row[kind] for kind in KINDS) for verb, row in moves.items()},
        feed_step=file.feed_step,
        labels=labels,
        states={label: given.get(label, 1) for label in labels},
        transforms=tuple(file.transforms.get(name, _TRANSFORM) for name in BODIES),
        bases=tuple(file.bases.get(BODIES[body], 0) for body in FEN),
        stock=tuple(file.stock.get(site, _STOCK) for site in FEN_SITES),
        backlog=tuple(file.backlog.get(BODIES[body], 0) for body in PRINTERS),
        joins=_joins(file.due),
        latched=frozenset(NUMBER[name] for name in file.latched),
        schedule={
            int(tick): tuple((NUMBER[body], coordinate, value) for body, coordinate, value in entries)
            for tick, entries in file.schedule.items()
        },
        stall={NUMBER[name]: pack(label) for label, cell in file.stall for name in cell},
        order=Order(
            file.order.tick,
            NUMBER[file.order.beacon],
            NUMBER[file.order.fen],
            NUMBER[file.order.consignment],
            file.order.verb,
        ),
        ranks=service_ranks(kind_places),
    )


def _joins(due: Mapping[str, int]) -> dict[int, tuple[int, ...]]:
    ticks = sorted(set(due.values()))
    return {tick: tuple(sorted(NUMBER[name] for name, when in due.items() if when == tick)) for tick in ticks}
