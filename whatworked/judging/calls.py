"""The journal of calls: what was asked and what came back, from which everything replays without a judge."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from whatworked.errors import JudgeError
from whatworked.judging.judges import Request
from whatworked.judging.replies import Kind, Reply
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.journal import Journal
from whatworked.storage.lock import file_lock

KIND = "judge"
"""What a journal of calls says of itself in its first line."""


class Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One call that was answered, in whatever way.

    Attributes
    ----------
    key : str
        Digest of all that decides the reply: question, version, prompt, model, vote, attempt, tokens, temperature.
    question : str
        Id of the question.
    version : int
        Its version.
    model : str
        The judge that was asked.
    vote, attempt : int
        Which vote, and how often it was asked before.
    prompt : str or None
        What was sent; kept with the first call of each prompt only, see `prompt_digest`.
    prompt_digest : str
        SHA-256 of it.
    kind : str
        Class of the reply, as far as the provider told it.
    text : str
        What the model wrote.
    answered_by : str or None
        Which model answered, in the provider's words.
    input_tokens, output_tokens : int or None
        As the provider counts them.
    detail : str
        What a person should know of the reply.
    """

    key: str
    question: str
    version: int
    model: str
    vote: int
    attempt: int
    prompt: str | None
    prompt_digest: str
    kind: Kind
    text: str
    answered_by: str | None
    input_tokens: int | None
    output_tokens: int | None
    detail: str


def key_of(request: Request, model: str) -> str:
    """The key under which a call is kept."""
    parts = [
        request.question,
        request.version,
        sha256(request.prompt.encode()),
        model,
        request.vote,
        request.attempt,
        request.max_tokens,
        request.temperature,
    ]
    return sha256(canonical_json(parts))


def call_of(request: Request, model: str, reply: Reply) -> Call:
    """What is kept of a call."""
    return Call(
        key=key_of(request, model),
        question=request.question,
        version=request.version,
        model=model,
        vote=request.vote,
        attempt=request.attempt,
        # The other votes on a prompt are sent the same text.
        prompt=request.prompt if request.vote == 0 else None,
        prompt_digest=sha256(request.prompt.encode()),
        kind=reply.kind,
        text=reply.text,
        answered_by=reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        detail=reply.detail,
    )


class Calls:
    """Calls that are known, in a journal or, without one, in memory alone."""

    def __init__(self, journal: Journal[Call] | None, known: tuple[Call, ...], *, read_only: bool) -> None:
        self._journal = journal
        self._read_only = read_only
        self._known = {call.key: call for call in known}
        self._waiting: list[Call] = []
        self._written: asyncio.Future[None] | None = None

    def find(self, key: str) -> Call | None:
        """The call of that key, if it was answered."""
        return self._known.get(key)

    def all(self) -> tuple[Call, ...]:
        """Every call, in an order that does not depend on when it was answered."""
        return tuple(sorted(self._known.values(), key=_order))

    async def add(self, call: Call) -> None:
        """Keep a call; when this returns, it is on disk."""
        if self._read_only:
            raise JudgeError("the journal of calls was opened to be read only")
        self._known[call.key] = call
        if self._journal is None:
            return
        self._waiting.append(call)
        if self._written is None:
            # What other tasks finish in the same round is written with it: waiting for the disk is what takes time.
            loop = asyncio.get_running_loop()
            self._written = loop.create_future()
            loop.call_soon(self._write)
        await asyncio.shield(self._written)

    def _write(self) -> None:
        written, waiting = self._written, self._waiting
        self._written, self._waiting = None, []
        if written is None or self._journal is None:
            return
        try:
            self._journal.extend(waiting)
        except Exception as error:  # whoever waits is told
            written.set_exception(error)
        else:
            written.set_result(None)

    def close(self) -> None:
        """Write what waits, and bring the calls into an order that does not depend on when they were answered."""
        self._write()
        if self._journal is not None and not self._read_only and self._journal.entries() != self.all():
            self._journal.replace(self.all())


def _order(call: Call) -> tuple[object, ...]:
    return (call.question, call.version, call.model, call.prompt_digest, call.vote, call.attempt, call.key)


@contextlib.contextmanager
def open_calls(path: Path | None, of: str, *, read_only: bool) -> Iterator[Calls]:
    """The calls of a journal, held for this process unless they are only read.

    Raises
    ------
    JournalError
        If the journal is damaged or belongs to something else.
    StorageError
        If it cannot be read or written, or another process holds it.
    """
    if path is None:
        yield Calls(None, (), read_only=read_only)
        return
    restart = "delete it to ask everything anew"
    journal = Journal(path, KIND, of, Call, restart)
    if read_only:
        yield Calls(journal, journal.read(), read_only=True)
        return
    with file_lock(path), journal:
        calls = Calls(journal, journal.entries(), read_only=False)
        try:
            yield calls
        finally:
            calls.close()
