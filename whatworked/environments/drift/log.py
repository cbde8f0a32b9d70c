"""Events folded into what detectors ask about: readings by instrument and pass, own acts, waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from whatworked.environments.drift.events import Event, Posting
from whatworked.environments.drift.inventory import INTERVENTIONS


class Reading(NamedTuple):
    """An observation.

    Attributes
    ----------
    pass_number, tick : int
        The moment of the world that it describes.
    position : int
        Place in the log at which the agent came to hold it.
    content : object
        What was shown; of the job strip only the newest row.
    posted : bool
        Whether it was read off a transcript.
    """

    pass_number: int
    tick: int
    position: int
    content: Any
    posted: bool = False


class OwnAct(NamedTuple):
    """A request of the agent's that was not refused, at the tick at which it was made.

    Attributes
    ----------
    verb, target : str
        What was asked for, on which body.
    pass_number, tick : int
        When.
    position : int
        Place in the log.
    """

    verb: str
    target: str
    pass_number: int
    tick: int
    position: int


class Log:
    """What an agent holds after the events so far.

    Attributes
    ----------
    moving : frozenset of int
        Ticks at which the caretakers move the counter.
    length : int
        Events folded so far.
    acts : dict of int to list of OwnAct
        By pass.
    waits, requests : list of int
        Places in the log of waits, and of interventions of any outcome.
    posted_verbs : set of str
        Verbs of the rewrites that posted rows show with the counter before and after.
    fresh : dict of str to list of Reading
        Readings that the last event brought, by instrument.
    """

    def __init__(self, moving: frozenset[int] = frozenset()) -> None:
        self.moving = moving
        self.length = 0
        self.acts: dict[int, list[OwnAct]] = {}
        self.waits: list[int] = []
        self.requests: list[int] = []
        self.posted_verbs: set[str] = set()
        self.fresh: dict[str, list[Reading]] = {}
        self._readings: dict[str, dict[int, list[Reading]]] = {}

    def readings(self, instrument: str, pass_number: int) -> list[Reading]:
        """Readings of an instrument that describe a pass, in the order in which they came."""
        return self._readings.get(instrument, {}).get(pass_number, [])

    def all_readings(self, instrument: str) -> Iterator[Reading]:
        """All readings of an instrument, pass by pass."""
        for readings in self._readings.get(instrument, {}).values():
            yield from readings

    def all_acts(self) -> Iterator[OwnAct]:
        """The agent's acts, in the order in which they were asked for."""
        for acts in self.acts.values():
            yield from acts

    def add(self, event: Event) -> None:
        """Take up the next event."""
        self.fresh = {}
        position, moment = self.length, (event.pass_number, event.tick)
        self.length += 1
        if event.verb == "wait":
            self.waits.append(position)
        elif event.verb in INTERVENTIONS:
            self.requests.append(position)
            if event.outcome in ("acknowledged", "deferred"):
                act = OwnAct(event.verb, str(event.target), *moment, position)
                self.acts.setdefault(event.pass_number, []).append(act)
        elif event.outcome == "read":
            content = event.reading
            if event.target == "job-strip":
                content = content[-1][1]
            self._hold(str(event.target), Reading(*moment, position, content))
        for posting in event.posted or ():
            self._hold_rows(posting, position)

    def _hold(self, instrument: str, reading: Reading) -> None:
        self._readings.setdefault(instrument, {}).setdefault(reading.pass_number, []).append(reading)
        self.fresh.setdefault(instrument, []).append(reading)

    def _hold_rows(self, posting: Posting, position: int) -> None:
        fields = {"tally": "intake-tallyboard", "marks": "job-strip", "counter": "audit-counter"}
        for row in posting.rows:
            if posting.stream == "S2":
                self.posted_verbs.add(row["verb"])
            for field, instrument in fields.items():
                if field in row:
                    self._hold(instrument, Reading(posting.pass_number, row["tick"], position, row[field], posted=True))
