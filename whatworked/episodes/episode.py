"""The one stateful class: an episode that goes on from its journal, in as many processes as open it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from whatworked.environments.protocol import Call, Effect, Environment, Event, Json, Opening, Refusal, Score, Tool
from whatworked.episodes.admission import LARGEST_CALL, Admission, Excerpt, admitted, unreadable
from whatworked.episodes.clock import Clock, Stopwatch
from whatworked.episodes.folder import EpisodeFolder
from whatworked.episodes.folding import Entry, body_of, entry_of, refolded, same_content
from whatworked.episodes.performers import Performance, Performer, performed
from whatworked.episodes.reply import Reply
from whatworked.episodes.rules import Position, Setup, Verdict, judged, unjudged
from whatworked.episodes.terms import Terms, check_terms, terms_of
from whatworked.errors import EpisodeError
from whatworked.storage.canonical import canonical_json, sha256

MOST_FREE = 10_000
"""Events of an episode that charge nothing; further ones are refused and not written down."""
MOST_FREE_BYTES = 1 << 26
"""Bytes of such events."""
CROWDED_BYTES = 1 << 27
"""Bytes of events after which only small calls are taken, so that the journal can always be read again."""
SMALL_CALL = 1 << 14
"""Bytes of arguments of a small call."""


class Episode:
    """One player on one instance of one environment, recorded; made, or gone on with, on construction.

    Every call takes the lock on the journal, takes in what other processes have appended, judges, appends, waits until
    the disk has it, and only then answers. The lock is held during an effect as well (a calculation): another call
    waits, and if the host is killed meanwhile, the call was never made and nothing was charged. Calls are safe from
    several threads, and block.

    Parameters
    ----------
    folder : Path
        Of the episode; made if it is not there.
    environment : Environment
        The rules.
    instance : Instance
        What is played.
    options : mapping
        The environment's, in any form that `Environment.options_of` takes.
    salt : bytes or None
        What the instance was salted with; only its digest is written down.
    performers : mapping from str to Performer
        Who does the work of each kind of effect.
    clock : Clock
        Where seconds come from.

    Raises
    ------
    EpisodeError
        If the folder holds an episode under other terms, or one whose results the rules do not give.
    JournalError
        If its journal is damaged or something else; it is left as it is.
    StorageError
        If it cannot be read, locked or written.

    Attributes
    ----------
    folder : EpisodeFolder
        Where it is.
    terms : Terms
        What it is of.
    """

    def __init__(
        self,
        folder: Path,
        environment: Environment[Any, Any],
        instance: Any,
        options: Mapping[str, Json] | None = None,
        *,
        salt: bytes | None = None,
        performers: Mapping[str, Performer] | None = None,
        clock: Clock | None = None,
    ) -> None:
        chosen = environment.options_of(options or {})
        self._setup = Setup(environment, instance, chosen, environment.start(instance, chosen))
        # What belongs to the rules but is not the same to the last digit everywhere, an environment does as an effect.
        self._performers = {**getattr(environment, "performers", {}), **(performers or {})}
        self._clock = clock or Clock()
        self.terms: Terms = terms_of(environment, instance, chosen, self._setup.opening, salt)
        self.folder = EpisodeFolder(folder)
        self._forget()
        self._journal = self.folder.open_journal()
        try:
            with self._journal.held():
                self._begin()
        except BaseException:
            self._journal.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give up the journal; the episode itself stays as it is and can be opened again."""
        self._journal.close()

    @property
    def opening(self) -> Opening[Any]:
        """What the player is told: `text`, `facts` and `budgets`; `state` is for the host alone."""
        return self._setup.opening

    @property
    def closed(self) -> bool:
        """Whether nothing more can be called, as far as this process has read."""
        return self._setup.environment.closed(self._position.state)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Events with their times, as far as this process has read."""
        return tuple(self._entries)

    def tools(self) -> Sequence[Tool]:
        """What can be called now, as far as this process has read; never waits.

        Returns
        -------
        sequence of Tool
        """
        return tuple(self._setup.environment.tools(self._position.state))

    def standing(self) -> Reply:
        """An answer to no call: budgets and remaining seconds now, and whether the episode is closed.

        Returns
        -------
        Reply
            With number 0.

        Raises
        ------
        EpisodeError, JournalError, StorageError
            As on construction.
        """
        with self._up_to_date():
            return self._reply(None, self._position)

    def call(self, call: Call) -> Reply:
        """Carry out or refuse a call, write it down, and answer.

        Parameters
        ----------
        call : Call
            Of any content whatever; what is wrong with it is in the answer.

        Returns
        -------
        Reply
            The recorded one where the call was made before: with the same `Call.call_id`, or as the one that closed
            the episode.

        Raises
        ------
        EpisodeError, JournalError, StorageError
            As on construction; the call was not made then.
        """
        return self._answer(admitted(call, LARGEST_CALL if self._bytes <= CROWDED_BYTES else SMALL_CALL))

    def refuse(self, excerpt: Excerpt, reason: str) -> Reply:
        """Write down and answer something that arrived in place of a call.

        Parameters
        ----------
        excerpt : Excerpt
            Of what arrived.
        reason : str
            What is wrong with it, for the player.

        Returns
        -------
        Reply

        Raises
        ------
        EpisodeError, JournalError, StorageError
            As on construction.
        """
        return self._answer(unreadable(excerpt, reason))

    def score(self) -> Score:
        """Score of the events so far; for the host, not for the player.

        Returns
        -------
        Score
        """
        events = [entry.event for entry in self._entries]
        return self._setup.environment.score(events, self._setup.instance, self._setup.options)

    def sketch(self) -> str:
        """What a person sees before each prompt; empty for an environment that draws nothing.

        Returns
        -------
        str
        """
        draw = getattr(self._setup.environment, "sketch", None)
        return "" if draw is None else str(draw(self._position.state))

    def recorded(self, number: int) -> Reply:
        """The reply of an event once more.

        Parameters
        ----------
        number : int
            Of an event that this process has read.

        Returns
        -------
        Reply
            As it was, but for the remaining seconds, which are those of now.
        """
        return self._recorded(self._entries[number - 1])

    def _answer(self, admission: Admission) -> Reply:
        with self._up_to_date():
            earlier = self._earlier(admission.call)
            if earlier is not None and same_content(admission.call, earlier.event.call):
                return self._recorded(earlier)
            elapsed = self._watch.elapsed(self._last)
            performance = Performance()
            verdict = self._verdict(admission, elapsed, performance, earlier)
            body = body_of(verdict.event)
            if refusal := self._flood(verdict, body):
                return self._reply(None, self._position, refusal)
            done = self._watch.elapsed(elapsed)
            times = {
                "at": round(self._clock.wall(), 3),
                "elapsed": elapsed,
                "remaining": self._setup.remaining(done),
                **performance.times,
            }
            self._journal.append(body, times)
            self._take(Entry(verdict.event, times, body), verdict)
        if verdict.failure is not None:
            self.folder.log(verdict.failure, f"event {verdict.event.number}")
        return self._reply(self._entries[verdict.event.number - 1], verdict.position)

    def _verdict(
        self, admission: Admission, elapsed: float, performance: Performance, earlier: Entry | None
    ) -> Verdict:
        if earlier is not None:
            message = (
                f"call_id {admission.call.call_id!r} was used by call {earlier.event.number} for something else; "
                "use another one, or none"
            )
            refusal = Refusal(code="call_id_used", message=message)
            return unjudged(self._position, admission.call, admission.refusal or refusal)

        def perform(effect: Effect) -> Mapping[str, Json]:
            return performed(self._performers, effect, performance, self.folder.log)

        return judged(self._setup, self._position, admission, elapsed, perform)

    def _earlier(self, call: Call) -> Entry | None:
        """The event that a call may be the repetition of: of the same id, or the closing one."""
        if call.call_id is not None and call.call_id in self._by_id:
            return self._entries[self._by_id[call.call_id] - 1]
        if self._closing and same_content(call, (closing := self._entries[self._closing - 1]).event.call):
            return closing
        return None

    def _flood(self, verdict: Verdict, body: bytes) -> Refusal | None:
        """The refusal of an event for which the journal has no room: it charges nothing and closes nothing."""
        fits = self._free < MOST_FREE and self._free_bytes + len(body) <= MOST_FREE_BYTES
        if fits or verdict.event.charges or self._closes(verdict):
            return None
        return Refusal(
            code="too_many_calls",
            message=f"this episode has had {self._free} calls that cost nothing, and takes no more of them; "
            "calls that are charged, and the last one, are taken",
        )

    def _closes(self, verdict: Verdict) -> bool:
        return not self._closing and self._setup.environment.closed(verdict.position.state)

    @contextlib.contextmanager
    def _up_to_date(self) -> Iterator[None]:
        """Hold the journal, with all that stands in it taken in."""
        with self._journal.held():
            lines = self._journal.unread()
            if not self._journal.count - len(lines) - 1 == len(self._entries) == len(self._positions):
                # An interrupt (Ctrl-C, a timer of the caller's) came between the disk and this object: begin anew.
                self._forget()
                self._journal.rewind()
                lines = self._journal.unread()[1:]
            for line in lines:
                self._take_written(entry_of(line, self._position.number + 1, str(self._journal.path)))
            yield

    def _begin(self) -> None:
        lines = self._journal.unread()
        if not lines:
            opening, times = canonical_json(msgspec.to_builtins(self.terms)), {"opened": round(self._clock.wall(), 3)}
            self._journal.begin(sha256(opening), opening, times)
        else:
            written, times = self.folder.terms_of(lines[0], self._journal.owner)
            check_terms(written, self.terms, str(self.folder.path))
        for number, line in enumerate(lines[1:], start=1):
            self._take_written(entry_of(line, number, str(self._journal.path)))
        self._watch = Stopwatch(self._clock, times["opened"], self._last)

    def _forget(self) -> None:
        self._position: Position = self._setup.beginning()
        self._entries: list[Entry] = []
        self._positions: list[Position] = []
        self._by_id: dict[str, int] = {}
        self._closing = 0
        self._free = 0
        self._free_bytes = 0
        self._bytes = 0
        self._last = 0.0

    def _take_written(self, entry: Entry) -> None:
        verdict = refolded(self._setup, self._position, entry)
        if body_of(verdict.event) != entry.body:
            raise EpisodeError(
                f"event {entry.event.number} of {self._journal.path} is not what the rules give here; nothing was "
                "changed. `whatworked episode replay` says what differs"
            ) from verdict.failure
        self._take(entry, verdict)

    def _take(self, entry: Entry, verdict: Verdict) -> None:
        if self._closes(verdict):
            self._closing = entry.event.number
        elif not entry.event.charges:
            self._free += 1
            self._free_bytes += len(entry.body)
        self._bytes += len(entry.body)
        self._position = verdict.position
        self._last = max(self._last, float(entry.times["elapsed"]))
        if (call_id := entry.event.call.call_id) is not None:
            self._by_id.setdefault(call_id, entry.event.number)
        # Last: by their number `_up_to_date` sees that an interrupt came before all of this was done.
        self._entries.append(entry)
        self._positions.append(verdict.position)

    def _recorded(self, entry: Entry) -> Reply:
        return self._reply(entry, self._positions[entry.event.number - 1])

    def _reply(self, entry: Entry | None, position: Position, refusal: Refusal | None = None) -> Reply:
        event: Event | None = entry.event if entry else None
        return Reply(
            number=event.number if event else 0,
            result=event.result if event else {},
            refused=event.refusal if event else refusal,
            budgets=position.budgets.counters,
            remaining_seconds=self._setup.remaining(self._watch.elapsed(self._last)),
            closed=self._setup.environment.closed(position.state),
            times=entry.times.get("effect", {}) if entry else {},
        )
