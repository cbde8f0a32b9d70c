"""What stands where in the drift: hulks, sites, bodies and instruments, the same on every instance.

A body is known inside the package by its number in canonical order: by kind (fen, trellis, ladder, consign, cadastre),
then by its place in the kind.
"""

from __future__ import annotations

from typing import NamedTuple

KINDS = ("fen", "trellis", "ladder", "consign", "cadastre")
"""Kinds of body in canonical order; a kind is also a domain with three sites."""

_NAMES = (
    (*(f"grazer-a{n}" for n in range(1, 5)), *(f"feeder-{n}" for n in range(1, 4))),
    tuple(f"printer-b{n}" for n in range(1, 8)),
    (*(f"beacon-c{n}" for n in range(1, 7)), "beacon-k"),
    (*(f"consignment-d{n}" for n in range(1, 8)), "consignment-q"),
    tuple(f"registry-line-{n}" for n in range(1, 8)),
)

BODIES: tuple[str, ...] = tuple(name for names in _NAMES for name in names)
"""All 36 names in canonical order."""
NUMBER: dict[str, int] = {name: number for number, name in enumerate(BODIES)}
"""From a body's name to its number."""
KIND_OF: tuple[int, ...] = tuple(kind for kind, names in enumerate(_NAMES) for _ in names)
"""Number of the kind, by body."""
PLACE_OF: tuple[int, ...] = tuple(place for names in _NAMES for place in range(len(names)))
"""Place in the kind, from 0, by body."""
SIZES: tuple[int, ...] = tuple(map(len, _NAMES))
"""Number of bodies, by kind."""


class Site(NamedTuple):
    """A place that one ``goto`` reaches.

    Attributes
    ----------
    name : str
        Its id.
    hulk : str
        The hulk that it is on.
    kind : str
        The domain that it belongs to.
    bodies : tuple of str
        What stands there.
    instruments : tuple of str
        What can be read there.
    """

    name: str
    hulk: str
    kind: str
    bodies: tuple[str, ...]
    instruments: tuple[str, ...]


def _site(name: str, hulk: str, kind: str, bodies: str, instruments: str = "") -> Site:
    stem = {"trellis": "printer-", "ladder": "beacon-", "consign": "consignment-", "cadastre": "registry-line-"}
    return Site(
        name, hulk, kind, tuple(stem.get(kind, "") + body for body in bodies.split()), tuple(instruments.split())
    )


SITES: dict[str, Site] = {
    site.name: site
    for site in (
        _site("fen-shallows", "Ormer", "fen", "grazer-a4 feeder-1 feeder-2 feeder-3", "intake-tallyboard"),
        _site("mat-bank", "Vess", "fen", "grazer-a1 grazer-a2", "mat-gauge"),
        _site("mat-gallery", "Kelder", "fen", "grazer-a3"),
        _site("trellis-bay", "Ormer", "trellis", "b2 b4 b6", "job-strip"),
        _site("scrap-line", "Vess", "trellis", "b1 b7", "tool-rack"),
        _site("spindle-loft", "Kelder", "trellis", "b3 b5"),
        _site("ladder-mast", "Tarn", "ladder", "c2 c4 c6 k", "answer-board"),
        _site("null-bench", "Vess", "ladder", "c1"),
        _site("drum", "Kelder", "ladder", "c3 c5", "charge-dial"),
        _site("consign-floor", "Ormer", "consign", "d1 d2 d3", "manifest-slate"),
        _site("hold", "Tarn", "consign", "d4 d5 q", "berth-scale"),
        _site("lower-berth", "Tarn", "consign", "d6 d7"),
        _site("registry", "Harrow", "cadastre", "1 2 5", "audit-counter standing-roster"),
        _site("ledger-stack", "Harrow", "cadastre", "3 6", "pass-ledger"),
        _site("line-vault", "Harrow", "cadastre", "4 7"),
    )
}
"""The fifteen sites by id, in the order of the kinds."""

SITE_OF: tuple[str, ...] = tuple(next(site.name for site in SITES.values() if name in site.bodies) for name in BODIES)
"""Id of the site, by body."""
HULK_OF: tuple[str, ...] = tuple(SITES[name].hulk for name in SITE_OF)
"""Hulk, by body."""
INSTRUMENTS: tuple[str, ...] = tuple(name for site in SITES.values() for name in site.instruments)
"""The eleven instruments."""


def _of_kind(kind: str) -> tuple[int, ...]:
    return tuple(body for body in range(len(BODIES)) if KINDS[KIND_OF[body]] == kind)


FEN, PRINTERS, BEACONS, CONSIGNMENTS, LINES = map(_of_kind, KINDS)
FEN_SITES: tuple[str, ...] = tuple(site.name for site in SITES.values() if site.kind == "fen")
VESS: tuple[int, ...] = tuple(body for body, hulk in enumerate(HULK_OF) if hulk == "Vess")
"""The five bodies that share no individual at any tick."""
OUTSIDE: tuple[int, ...] = tuple(body for body, hulk in enumerate(HULK_OF) if hulk != "Vess")
"""The other 31."""
MAST: tuple[int, ...] = tuple(NUMBER[name] for name in SITES["ladder-mast"].bodies)
DRUM: tuple[int, ...] = tuple(NUMBER[name] for name in SITES["drum"].bodies)
HOLD: tuple[int, ...] = tuple(NUMBER[name] for name in SITES["hold"].bodies)
OUTSIDE_BEACONS: tuple[int, ...] = tuple(sorted((*MAST, *DRUM)))
"""The six beacons that the seal covers."""

REWRITES = ("stamp", "retool", "cull")
"""Verbs that move one coordinate of a label."""
INTERVENTIONS = ("feed", "release", *REWRITES)
"""The five verbs that act on a body."""
PASS_TICKS = 24
SCHEDULE_TICKS = (3, 8, 13, 17)
"""Ticks at which the caretakers rewrite single coordinates."""
STALL_TICK = 20
"""Tick at which they set full labels of every body outside Vess."""
QUEUE_LIMIT = 4
"""Requests beyond which an individual takes no new one of the agent's."""
OVERDUE = 2
"""Ticks after which the caretakers ask for a waiting consignment to be moved."""


def names(bodies: tuple[int, ...] | list[int]) -> list[str]:
    """Names of bodies given by number."""
    return [BODIES[body] for body in bodies]
