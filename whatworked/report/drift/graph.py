"""The hypergraph: eighteen blocks, what each rests on, and the hyperedges to the three changes and the prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whatworked.environments.drift.metrics import Times
from whatworked.environments.drift.structure import BLOCKS, CHANGES, EDGES, HYPEREDGES
from whatworked.report.svg import element, picture, text_of, title

DOMAINS = ("FE", "TR", "LD", "CO", "CA", "XC")
"""Columns of the picture: five domains and the bridges."""
_ENDS: Mapping[str, str] = {"H1": "RC1", "H2": "RC2", "H3": "RC3", "HC": "prediction"}
_NARROW = 700.0
_ROW, _HEIGHT, _TOP = 122.0, 60.0, 22.0
NOT_JUDGED = "not judged"
"""What stands where a judge would have to speak."""


@dataclass(frozen=True)
class Verdicts:
    """What a judge said of the notes, as paid actions at which each thing was first there.

    Attributes
    ----------
    stated : mapping of str to int or None
        By block and change.
    grounding : mapping of str to int or None
        The same for grounding.
    grounded : mapping of str to int
        Blocks that count, and from when; see `whatworked.environments.drift.block_score`.
    """

    stated: Times = field(default_factory=dict)
    grounding: Times = field(default_factory=dict)
    grounded: Times = field(default_factory=dict)


def told(times: Times | None, block: str) -> str:
    """A time in words: from which paid action on, never, or that nobody judged.

    Parameters
    ----------
    times : mapping or None
        Paid actions by block; None without a judge.
    block : str
        Block or change.

    Returns
    -------
    str
    """
    if times is None:
        return NOT_JUDGED
    time = times.get(block)
    return "–" if time is None else str(time)


def hypergraph(held: Times, verdicts: Verdicts | None, exact: str, width: float) -> str:
    """The picture.

    Parameters
    ----------
    held : mapping of str to int or None
        First truth of each detector.
    verdicts : Verdicts or None
        Of a judge, where one has spoken.
    exact : str
        What became of the prediction, in a word.
    width : float
        Of the picture.

    Returns
    -------
    str
        Markup.
    """
    places = _places(width)
    content = "".join(
        (
            *(_hyperedge(name, places, held) for name in HYPEREDGES),
            *(_support(edge.on, edge.block, edge.kind, places, held) for edge in EDGES),
            *(_block(block, places[block], _box(width), held, verdicts, width) for block in BLOCKS),
            *(_end(name, places[name], verdicts, exact, width) for name in (*CHANGES, "prediction")),
        )
    )
    number = sum(held.get(block) is not None for block in BLOCKS)
    return picture(width, _TOP + 3 * _ROW + 64.0, content, "Blocks and changes", f"evidence of {number} of 18 is held")


def _box(width: float) -> float:
    return 54.0 if width < _NARROW else 118.0


def _places(width: float) -> Mapping[str, tuple[float, float]]:
    """Middles of the boxes."""
    column, end = width / len(DOMAINS), width / 4
    places = {
        block: (column * (DOMAINS.index(block[:2]) + 0.5), _TOP + _ROW * (int(block[2]) - 1) + _HEIGHT / 2)
        for block in BLOCKS
    }
    for place, name in enumerate((*CHANGES, "prediction")):
        places[name] = (end * (place + 0.5), _TOP + 3 * _ROW + 34.0)
    return places


def _hyperedge(name: str, places: Mapping[str, tuple[float, float]], held: Times) -> str:
    end = places[_ENDS[name]]
    parts = []
    for block in HYPEREDGES[name]:
        (x1, y1), (x2, y2) = places[block], end
        path = f"M{x1:.1f} {y1 + _HEIGHT / 2:.1f}C{x1:.1f} {y2 - 60:.1f} {x2:.1f} {y1 + 80:.1f} {x2:.1f} {y2 - 22:.1f}"
        kind = None if held.get(block) is not None else "open"
        parts.append(element("path", title(f"{name}: {block} to {_ENDS[name]}"), d=path, class_=kind))
    return element("g", "".join(parts), class_=f"hyper {name}")


def _support(on: str, block: str, kind: str, places: Mapping[str, tuple[float, float]], held: Times) -> str:
    """An arrow from what is rested on; strong where the evidence of both is held."""
    (x1, y1), (x2, y2) = places[on], places[block]
    down = (y2 > y1) - (y2 < y1)
    y1, y2 = y1 + down * _HEIGHT / 2, y2 - down * (_HEIGHT / 2 + 5)
    if not down:
        y1 = y2 = y1 - _HEIGHT / 2
        y2 -= 5
    bend = (y1 + y2) / 2 - (0 if down else 22)
    path = f"M{x1:.1f} {y1:.1f}Q{(x1 + x2) / 2 + (x2 - x1) * 0.1:.1f} {bend:.1f} {x2:.1f} {y2:.1f}"
    both = held.get(on) is not None and held.get(block) is not None
    tip = title(f"{block} rests on {on} ({kind})")
    line = element("path", tip, d=path, class_=f"support {kind}{' both' if both else ''}")
    return line + element("circle", cx=x2, cy=y2, r=2.6, class_=f"tip{' both' if both else ''}")


def _block(
    block: str, place: tuple[float, float], box: float, held: Times, verdicts: Verdicts | None, width: float
) -> str:
    x, y = place[0] - box / 2, place[1] - _HEIGHT / 2
    stated = None if verdicts is None else verdicts.stated
    grounded = None if verdicts is None else verdicts.grounded
    marks = (("held", held), ("stated", stated), ("grounded", grounded))
    tip = title(f"{block}: " + ", ".join(f"{name} {told(times, block)}" for name, times in marks))
    kinds = [name for name, times in marks if times is not None and times.get(block) is not None]
    shape = element("rect", tip, x=x, y=y, width=box, height=_HEIGHT, rx=6)
    parts = [shape, element("text", block, x=place[0], y=y + 15, class_="middle label")]
    rows = _words(marks, block) if width >= _NARROW else _few_words(marks, block)
    parts += [
        element("text", text_of(row), x=place[0], y=y + 29 + 11.5 * number, class_="middle small")
        for number, row in enumerate(rows)
    ]
    return element("g", "".join(parts), class_=" ".join(["block", *kinds]))


def _words(marks: tuple[tuple[str, Times | None], ...], block: str) -> list[str]:
    (_, held), (_, stated), (_, grounded) = marks
    first = "not held" if told(held, block) == "–" else f"held from {told(held, block)}"
    if stated is None:
        return [first, NOT_JUDGED]
    return [first, f"stated {told(stated, block)}", f"grounded {told(grounded, block)}"]


def _few_words(marks: tuple[tuple[str, Times | None], ...], block: str) -> list[str]:
    """For narrow windows: H, S and G with their times; a question mark for what is not judged."""
    return [f"{name[0].upper()} {'?' if times is None else told(times, block)}" for name, times in marks]


def _end(name: str, place: tuple[float, float], verdicts: Verdicts | None, exact: str, width: float) -> str:
    box = 92.0 if width < _NARROW else 200.0
    x, y = place[0] - box / 2, place[1] - 21.0
    stated = None if verdicts is None else verdicts.stated
    if name == "prediction":
        row, kind = exact, "stated" if exact == "exact" else ""
    else:
        time = told(stated, name)
        row = time if time == NOT_JUDGED else "not stated" if time == "–" else f"stated {time}"
        kind = "stated" if row.startswith("stated") else ""
    shape = element("rect", x=x, y=y, width=box, height=42.0, rx=20)
    words = element("text", name, x=place[0], y=y + 17, class_="middle label")
    words += element("text", text_of(row), x=place[0], y=y + 32, class_="middle small")
    return element("g", shape + words, class_=f"block end-block {kind}".strip())
