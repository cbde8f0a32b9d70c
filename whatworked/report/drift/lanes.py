"""The picture of a pass: actions and what they came to above, a lane for each individual, the counter at the foot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from whatworked.environments.drift.events import Event
from whatworked.environments.drift.inventory import BODIES, INTERVENTIONS, NUMBER, PASS_TICKS, names
from whatworked.environments.drift.labels import unpack
from whatworked.environments.drift.spectating import Moment, Pass, Turn, ticks_of
from whatworked.environments.drift.texts import heading
from whatworked.report.svg import element, picture, text_of, title
from whatworked.wording import counted, printable

LETTERS: Mapping[str, str] = {
    "goto": "G",
    "read": "R",
    "wait": "W",
    "feed": "F",
    "release": "L",
    "stamp": "S",
    "retool": "T",
    "cull": "C",
    "commit": "P",
    "yield": "Y",
}
"""What stands on the tile of an action."""
_NARROW = 700.0
"""Width below which ticks have no room for words."""
_LANE, _BAR, _TILE, _MARK = 16.0, 11.0, 22.0, 12.0
_MANY = 4
"""Bodies from which a lane has the darkest shade."""


class _Grid:
    """Where ticks and rows stand."""

    def __init__(self, width: float, labels: Sequence[int], marks: int) -> None:
        self.narrow = width < _NARROW
        self.width = width
        self.left = 46.0 if self.narrow else 76.0
        self.tick = (width - self.left - 8.0) / PASS_TICKS
        self.rows = {label: row for row, label in enumerate(labels)}
        self.sites, self.tiles = 22.0, 40.0
        self.marks = self.tiles + _TILE + 15.0
        self.mark = 24.0 if self.narrow else _MARK
        self.lanes = self.marks + self.mark * marks + 8.0
        self.counter = self.lanes + _LANE * len(labels) + 14.0

    def x(self, tick: float) -> float:
        return self.left + self.tick * tick

    def y(self, label: int) -> float:
        return self.lanes + _LANE * self.rows[label]


def lanes(played: Pass, marks: Mapping[int, Sequence[str]], notes: Mapping[int, Sequence[int]], width: float) -> str:
    """The picture of a pass.

    Parameters
    ----------
    played : Pass
        What happened in it.
    marks : mapping of int to sequence of str
        Detectors that became true, by tick of the action.
    notes : mapping of int to sequence of int
        Revisions of the notes, by the tick before which they were written.
    width : float
        Of the picture.

    Returns
    -------
    str
        Markup.
    """
    labels = sorted({turn.label for moment in played.moments for turn in moment.turns})
    grid = _Grid(width, labels, max(map(len, marks.values()), default=0))
    content = "".join(
        (
            _frame(grid),
            _sites(grid, played.events),
            *(_tile(grid, event) for event in played.events),
            *(_note(grid, tick, revisions) for tick, revisions in notes.items()),
            *(_marks(grid, tick, blocks) for tick, blocks in marks.items()),
            *(_links(grid, *pair) for pair in pairwise(played.moments)),
            *(_lane(grid, label, played.moments) for label in labels),
            *(_requests(grid, event, played.moments) for event in played.events),
            _counter(grid, played.moments),
        )
    )
    told = f"{counted(len(played.events), 'action')}, {counted(len(labels), 'label')} in use, 24 ticks"
    return picture(width, grid.counter + 8.0, content, f"Pass {played.number}", told)


def label_text(label: int) -> str:
    """A label as its four coordinates.

    Parameters
    ----------
    label : int
        Its number.

    Returns
    -------
    str
    """
    return "".join(map(str, unpack(label)))


def _frame(grid: _Grid) -> str:
    parts = []
    for tick in range(PASS_TICKS + 1):
        x = grid.x(tick)
        parts.append(element("line", x1=x, x2=x, y1=16.0, y2=grid.counter - 12.0, class_="grid"))
        if tick < PASS_TICKS and (not grid.narrow or tick % 4 == 0):
            parts.append(element("text", str(tick), x=x + grid.tick / 2, y=11, class_="middle small"))
    named = [("tick", 11.0), ("actions", grid.tiles + 15), ("counter", grid.counter)]
    if not grid.narrow:
        named += [("site", grid.sites + 11), ("notes", grid.tiles + _TILE + 10)]
        named += [("evidence", grid.marks + 9)] if grid.lanes > grid.marks + 8 else []
    parts += [element("text", name, x=grid.left - 6, y=y, class_="end small") for name, y in named]
    return element("g", "".join(parts))


def _sites(grid: _Grid, events: Sequence[Event]) -> str:
    """Where the agent stood, from its arrival on."""
    arrivals = [(event.tick, str(event.target)) for event in events if event.outcome == "arrived"]
    if not arrivals:
        return ""
    last = min(PASS_TICKS, events[-1].tick + ticks_of(events[-1]))
    parts = []
    for (tick, site), (end, _) in pairwise([*arrivals, (last, "")]):
        span = grid.tick * max(0, end - tick)
        shape = element("rect", title(site), x=grid.x(tick) + 0.5, y=grid.sites, width=max(0.0, span - 1), height=15)
        fits = span > 6.2 * len(site) + 4
        word = element("text", site, x=grid.x(tick) + 4, y=grid.sites + 11, class_="small") if fits else ""
        parts.append(shape + word)
    return element("g", "".join(parts), class_="site")


def _tile(grid: _Grid, event: Event) -> str:
    ticks = min(ticks_of(event), PASS_TICKS - event.tick)
    x, width = grid.x(event.tick), grid.tick * ticks
    kind = "act" if event.verb in INTERVENTIONS else event.verb
    tip = title(f"{printable(heading(event))}: {event.outcome}; {event.paid} paid")
    shape = element("rect", tip, x=x + 1, y=grid.tiles, width=width - 2, height=_TILE, rx=3)
    letter = element("text", LETTERS[event.verb], x=x + width / 2, y=grid.tiles + 15, class_="middle")
    return element("g", shape + letter, class_=f"tile {kind} {event.outcome}")


def _note(grid: _Grid, tick: int, revisions: Sequence[int]) -> str:
    x, y = grid.x(tick), grid.tiles + _TILE + 2
    tip = title(f"note {', '.join(map(str, revisions))}")
    shape = element("path", tip, d=f"M{x:.1f} {y:.1f}l4.5 8h-9z")
    fits = not grid.narrow
    word = element("text", text_of(", ".join(map(str, revisions))), x=x + 6, y=y + 8, class_="small") if fits else ""
    return element("g", shape + word, class_="note-mark")


def _marks(grid: _Grid, tick: int, blocks: Sequence[str]) -> str:
    """Names of detectors under the action that made them true; on their side where ticks are narrow."""
    parts = []
    for place, block in enumerate(blocks):
        x, y = grid.x(tick + 0.5), grid.marks + grid.mark * place
        turn = f"rotate(-90 {x + 3.5:.1f} {y + 22:.1f})" if grid.narrow else None
        at = {"x": x + 3.5, "y": y + 22} if grid.narrow else {"x": x, "y": y + 9}
        kind = "held-mark" if grid.narrow else "held-mark middle"
        parts.append(element("text", block, transform=turn, class_=kind, **at))
    return "".join(parts)


def _lane(grid: _Grid, label: int, moments: Sequence[Moment]) -> str:
    turns = [(moment.tick, turn) for moment in moments for turn in moment.turns if turn.label == label]
    parts = [element("text", label_text(label), x=grid.left - 6, y=grid.y(label) + 9, class_="end small")]
    for _, group in groupby(enumerate(turns), key=lambda item: (item[1][1].bodies, item[1][0] - item[0])):
        parts.append(_stretch(grid, [item for _, item in group]))
    return element("g", "".join(parts), class_="lane")


def _stretch(grid: _Grid, turns: Sequence[tuple[int, Turn]]) -> str:
    """An individual as long as the same bodies share it."""
    (first, turn), (last, _) = turns[0], turns[-1]
    ticks = f"tick {first}" if first == last else f"ticks {first} to {last}"
    acts = " ".join(f"{tick}:{_act(turn)}" for tick, turn in turns)
    tip = f"{label_text(turn.label)}, {ticks}, state {turn.state}\n{' '.join(names(turn.bodies))}\nacts {acts}"
    number = len(turn.bodies)
    shade = "lone" if number == 1 else "many" if number >= _MANY else "some"
    x, width = grid.x(first), grid.tick * (last - first + 1)
    bar = element("rect", title(tip), x=x + 1, y=grid.y(turn.label), width=width - 2, height=_BAR, rx=2, class_=shade)
    names_fit = number == 1 and width > 90
    told = BODIES[turn.body] if names_fit else str(number)
    return bar + element("text", told, x=x + width / 2, y=grid.y(turn.label) + 9, class_="middle small")


def _act(turn: Turn) -> str:
    name = BODIES[turn.body]
    return name if turn.verb is None else f"{turn.verb}({name})"


def _links(grid: _Grid, before: Moment, after: Moment) -> str:
    """Bodies that changed their label between two ticks; the more of them, the thicker."""
    moved = [body for body in range(len(BODIES)) if before.labels[body] != after.labels[body]]
    routes = Counter((before.labels[body], after.labels[body]) for body in moved)
    x = grid.x(after.tick)
    reach = grid.tick * 0.45
    parts = []
    for (source, target), number in routes.items():
        there = [body for body in moved if (before.labels[body], after.labels[body]) == (source, target)]
        low, high = grid.y(source) + _BAR / 2, grid.y(target) + _BAR / 2
        path = f"M{x - reach:.1f} {low:.1f}C{x:.1f} {low:.1f} {x:.1f} {high:.1f} {x + reach:.1f} {high:.1f}"
        tip = title(f"{' '.join(names(there))}: {label_text(source)} to {label_text(target)}")
        parts.append(element("path", tip, d=path, stroke_width=min(4.0, 0.8 + 0.4 * number)))
    return element("g", "".join(parts), class_="links")


def _requests(grid: _Grid, event: Event, moments: Sequence[Moment]) -> str:
    """The agent's request on the lane of the individual that it was put to."""
    if event.verb not in INTERVENTIONS:
        return ""
    label = moments[event.tick].labels[NUMBER[str(event.target)]]
    x, y = grid.x(event.tick + 0.5), grid.y(label) + _BAR / 2
    tip = title(f"{event.verb} {event.target} at tick {event.tick}: {event.outcome}")
    shape = element("circle", tip, cx=x, cy=y, r=6.0)
    letter = element("text", LETTERS[event.verb], x=x, y=y + 3.4, class_="middle small")
    return element("g", shape + letter, class_=f"request {event.outcome}")


def _counter(grid: _Grid, moments: Sequence[Moment]) -> str:
    """The counter after each tick; where ticks are narrow, only where it changes."""
    before = [None, *(moment.counter for moment in moments)]
    return "".join(
        element("text", str(moment.counter), x=grid.x(moment.tick + 0.5), y=grid.counter, class_="middle small figure")
        for moment, last in zip(moments, before, strict=False)
        if not grid.narrow or moment.counter != last
    )
