"""Transcripts of the pass before, which aligned episodes post on arrival."""

from __future__ import annotations

from typing import Any, NamedTuple

from whatworked.environments.drift.events import Posting, Stream
from whatworked.environments.drift.inventory import BODIES, PASS_TICKS, STALL_TICK, names
from whatworked.environments.drift.readings import tally_reading

STREAMS: dict[str, tuple[Stream, ...]] = {
    "fen-shallows": ("S1", "S3"),
    "trellis-bay": ("S1", "S3"),
    "ladder-mast": ("S2", "S3"),
    "consign-floor": ("S2", "S3"),
    "registry": ("S3",),
}
"""Which transcripts are posted where."""
ROWS = range(STALL_TICK, PASS_TICKS)
"""Ticks that S1 and S3 show."""


class OwnRewrite(NamedTuple):
    """A stamp, retool or cull that the agent asked for and was not refused.

    Attributes
    ----------
    tick : int
        When it was asked for.
    verb : str
        Which of the three.
    body : int
        On which body.
    """

    tick: int
    verb: str
    body: int


class PassRecord(NamedTuple):
    """What is kept of a pass beyond its crossing.

    Attributes
    ----------
    seeded : int
        Number of individuals before tick 0.
    counters : tuple of int
        Number of individuals, by tick.
    tally_rows : tuple of tuple of int
        Tallies, by tick.
    mark_rows : tuple of tuple of int
        Printers that marked, by tick.
    rewrites : tuple of OwnRewrite
        The agent's rewrites.
    """

    seeded: int
    counters: tuple[int, ...]
    tally_rows: tuple[tuple[int, ...], ...]
    mark_rows: tuple[tuple[int, ...], ...]
    rewrites: tuple[OwnRewrite, ...]


def postings(site: str, pass_number: int, past: PassRecord | None) -> list[Posting] | None:
    """What is posted at a site.

    Parameters
    ----------
    site : str
        Id of the site.
    pass_number : int
        The pass arrived in.
    past : PassRecord or None
        The pass before it; None in the first.

    Returns
    -------
    list of Posting or None
        Empty in the first pass; None where nothing is ever posted.
    """
    if site not in STREAMS:
        return None
    if past is None:
        return []
    return [Posting(stream, pass_number - 1, _rows(stream, past)) for stream in STREAMS[site]]


def _rows(stream: Stream, past: PassRecord) -> list[dict[str, Any]]:
    if stream == "S1":
        return [
            {"tick": tick, "tally": tally_reading(past.tally_rows[tick]), "marks": names(past.mark_rows[tick])}
            for tick in ROWS
        ]
    if stream == "S2":
        return [
            {
                "tick": tick,
                "verb": verb,
                "target": BODIES[body],
                "before": past.counters[tick - 1] if tick else past.seeded,
                "after": past.counters[tick],
            }
            for tick, verb, body in past.rewrites
        ]
    return [{"tick": tick, "counter": past.counters[tick]} for tick in ROWS]
