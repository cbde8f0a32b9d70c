"""What happened in an episode, one value an action: the lines of a trace, and all that scoring reads."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Outcome: TypeAlias = Literal[
    "arrived", "read", "waited", "acknowledged", "deferred", "refused", "sealed", "committed", "yielded"
]
"""How an action ended."""
Stream: TypeAlias = Literal["S1", "S2", "S3"]
"""The three transcripts of the pass before."""


class Action(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a player asks for.

    Attributes
    ----------
    verb : str
        ``goto``, ``read``, ``wait``, an intervention, ``commit`` or ``yield``.
    target : str, optional
        A site, an instrument or a body.
    n : int, optional
        Ticks to wait.
    intake, answer, counter : object, optional
        The prediction; anything but three integers is a malformed one.
    """

    verb: str
    target: str | None = None
    n: int | None = None
    intake: Any = None
    answer: Any = None
    counter: Any = None


class Posting(msgspec.Struct, frozen=True):
    """A transcript as it is posted at a site.

    Attributes
    ----------
    stream : {"S1", "S2", "S3"}
        Which of the three.
    pass_number : int
        The pass that it describes; ``pass`` in JSON.
    rows : list of dict
        S1: tick, tally, marks. S2: tick, verb, target, before, after. S3: tick, counter.
    """

    stream: Stream
    pass_number: int = msgspec.field(name="pass")
    rows: list[dict[str, Any]] = []


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One action with its outcome; a line of a trace.

    Attributes
    ----------
    verb : str
        What was asked for.
    target : str, optional
        A site, an instrument or a body.
    n : int, optional
        Ticks to wait.
    intake, answer, counter : object, optional
        The prediction.
    paid : int
        Actions that are paid for after it.
    pass_number : int
        From 1; ``pass`` in JSON.
    tick : int
        The clock before it. A reading or an intervention happens in this tick.
    outcome : str
        One of `Outcome`.
    sentence : str, optional
        Which of the fixed sentences answers a request that was deferred, refused or sealed.
    ticks : int, optional
        Ticks that a wait ran.
    charged : int, optional
        Actions that a yield paid for.
    posted : list of Posting, optional
        Transcripts shown on arrival.
    reading : object, optional
        What the instrument showed.
    """

    verb: str
    target: str | None = None
    n: int | None = None
    intake: Any = None
    answer: Any = None
    counter: Any = None
    paid: int
    pass_number: int = msgspec.field(name="pass")
    tick: int
    outcome: Outcome
    sentence: str | None = None
    ticks: int | None = None
    charged: int | None = None
    posted: list[Posting] | None = None
    reading: Any = None


def event_line(event: Event) -> str:
    """An event as one line of JSON without its line break, its fields in the order of `Event`."""
    return msgspec.json.encode(event).decode()
