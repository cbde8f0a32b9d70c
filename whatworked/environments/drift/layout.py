"""The layout of an instance's file, field by field; what the fields must say of each other is in ``checking``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

FORMAT: Literal["drift-instance/1"] = "drift-instance/1"
"""The published family of orders."""
WIDE_FORMAT: Literal["drift-instance/2"] = "drift-instance/2"
"""The same with an order that also names a fen body, its verb and a consignment."""

Count: TypeAlias = Annotated[int, Meta(ge=0)]
Coordinate: TypeAlias = Annotated[int, Meta(ge=0, le=3)]
Label: TypeAlias = tuple[int, int, int, int]
Entry: TypeAlias = tuple[str, Coordinate, int]
"""A body, a coordinate, and the value that the caretakers set it to."""
Rewrite: TypeAlias = Literal["stamp", "retool", "cull"]


class Verbs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which coordinate each rewriting verb moves, by kind of body."""

    stamp: dict[str, Coordinate]
    retool: dict[str, Coordinate]
    cull: dict[str, Coordinate]


class Order(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The standing order: two acts at one tick.

    Attributes
    ----------
    tick : int
        When the caretakers act, 1 to 7.
    beacon : str
        The beacon that they stamp: the one that thereby joins the consignment's individual.
    fen : str
        The fen body that they rewrite.
    verb : {"stamp", "retool", "cull"}
        By which verb.
    consignment : str
        The one by which the order names the beacon.
    """

    tick: Annotated[int, Meta(ge=1, le=7)]
    beacon: str
    fen: str = "feeder-3"
    verb: Rewrite = "retool"
    consignment: str = "consignment-q"


class Switches(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How ambiguous points are read. Names other than the defaults are reserved."""

    serve: Literal["same", "next", "hybrid"] = "same"
    served_reading: Literal["act", "silent"] = "act"
    rotation: Literal["clock", "least_recent"] = "clock"
    overdue: Literal["move", "none"] = "move"
    waiting: Literal["until_act"] = "until_act"
    schedule_first: Literal["yes", "no"] = "yes"
    rewrites: Literal["simultaneous"] = "simultaneous"
    release: Literal["act"] = "act"
    wait: Literal["stops_at_crossing"] = "stops_at_crossing"
    place_after_crossing: Literal["kept"] = "kept"
    tally: Literal["seeded_base"] = "seeded_base"
    commit: Literal["one_tick"] = "one_tick"


class InstanceFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One instance as it stands in a file; `docs/drift.md` says what each field means.

    Attributes
    ----------
    format : {"drift-instance/1", "drift-instance/2"}
    name : str
    kinds : tuple of str
    w : Verbs
    feed_step : int
    labels : dict of str to label
    states : tuple of (label, int)
    transforms : dict of str to four integers
    bases, stock, backlog : dict of str to int
    due : dict of str to int
    latched : tuple of str
    schedule : dict of str to tuple of entries
    stall : tuple of (label, tuple of str)
    order : Order
    answer : tuple of three integers, optional
    switches : Switches
    meta : dict
    """

    format: Literal["drift-instance/1", "drift-instance/2"]
    name: str
    kinds: tuple[str, str, str, str, str]
    w: Verbs
    feed_step: Count
    labels: dict[str, Label]
    states: tuple[tuple[Label, Count], ...] = ()
    transforms: dict[str, tuple[Count, Count, Count, Count]] = {}
    bases: dict[str, int] = {}
    stock: dict[str, int] = {}
    backlog: dict[str, int] = {}
    due: dict[str, Annotated[int, Meta(ge=0, le=23)]] = {}
    latched: tuple[str, ...] = ("printer-b1", "beacon-c1")
    schedule: dict[Literal["3", "8", "13", "17"], tuple[Entry, ...]] = {}
    stall: tuple[tuple[Label, tuple[str, ...]], ...]
    order: Order
    answer: tuple[int, int, int] | None = None
    switches: Switches = Switches()
    meta: dict[str, Any] = {}
