"""One call: from the journal, from a task that asks the same, or from the judge, with patience and a bound on it."""

from __future__ import annotations

import asyncio

import msgspec

from whatworked.errors import InvalidOptionError, JudgeError
from whatworked.judging.calls import Call, Calls, call_of, key_of
from whatworked.judging.judges import Judge, Request
from whatworked.judging.limits import Limits
from whatworked.judging.replies import Reply, writable
from whatworked.wording import counted, printable


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long a judge out of reach is waited for.

    Attributes
    ----------
    attempts : int
        How often a call is sent at most.
    first : float
        Seconds before it is sent again; doubled each time. What the provider asks for is waited for instead.
    most : float
        Longest wait in seconds.
    in_a_row : int
        Calls that may stay unreachable one after another before asking stops.
    """

    attempts: int = 4
    first: float = 2.0
    most: float = 60.0
    in_a_row: int = 5

    def wait(self, failures: int, asked_for: float | None) -> float:
        """Seconds to wait.

        Parameters
        ----------
        failures : int
            How often the call failed already, at least 1.
        asked_for : float or None
            Seconds that the provider asks for.

        Returns
        -------
        float
        """
        wanted = self.first * 2 ** (failures - 1) if asked_for is None else asked_for
        return min(max(wanted, 0.0), self.most)


class Asker:
    """Makes calls, each once.

    Parameters
    ----------
    judge : Judge
        Who is asked.
    calls : Calls
        What is known already; what comes back is kept there.
    limits : Limits
        What may be spent.
    jobs : int
        Calls that are under way at once.
    patience : Patience
        How long a judge out of reach is waited for.

    Raises
    ------
    InvalidOptionError
        If `jobs` is below 1.
    """

    def __init__(self, judge: Judge, calls: Calls, limits: Limits, jobs: int, patience: Patience) -> None:
        if jobs < 1:
            raise InvalidOptionError(f"jobs is {jobs}; allowed: 1 and above")
        self.limits = limits
        self.answered_by = next((call.answered_by for call in calls.all() if call.answered_by is not None), None)
        self._judge = judge
        self._calls = calls
        self._patience = patience
        self._free = asyncio.Semaphore(jobs)
        self._under_way: dict[str, asyncio.Future[Call]] = {}
        self._unreachable = 0
        self._stopped: JudgeError | None = None

    async def call(self, request: Request) -> Call:
        """The reply to a request; one that asks the same as another under way waits for it.

        Raises
        ------
        JudgeError
            If the judge cannot be asked on, or a cap is reached.
        """
        key = key_of(request, self._judge.name)
        known = self._calls.find(key)
        if known is not None:
            self.limits.count_replayed()
            return known
        if key in self._under_way:
            return await asyncio.shield(self._under_way[key])
        future = asyncio.get_running_loop().create_future()
        self._under_way[key] = future
        try:
            call = await self._ask(request)
        except BaseException as error:
            future.set_exception(error if isinstance(error, Exception) else JudgeError("asking was interrupted"))
            future.exception()  # nobody may wait for it
            raise
        else:
            future.set_result(call)
            return call
        finally:
            del self._under_way[key]

    async def _ask(self, request: Request) -> Call:
        """The first reply that comes, when it is kept, or the last failure."""
        failures = 0
        while True:
            async with self._free:
                reply = await self._send(request)
                call = call_of(request, self._judge.name, reply)
                if reply.kind != "unreachable":
                    self._unreachable = 0
                    self._compare_model(reply)
                    # Before anything else is sent in its place, so that no more is lost than what is under way.
                    await self._calls.add(call)
                    return call
            failures += 1
            if reply.lasting or failures >= self._patience.attempts:
                self._count_unreachable(reply)
                return call
            await asyncio.sleep(self._patience.wait(failures, reply.retry_after))

    async def _send(self, request: Request) -> Reply:
        if self._stopped is not None:
            raise self._stopped
        try:
            with self.limits.reserved(request):
                reply = writable(await self._judge.reply(request))
                self.limits.count(request, reply)
        except JudgeError as error:
            self._stopped = error
            raise
        return reply

    def _count_unreachable(self, reply: Reply) -> None:
        self._unreachable += 1
        if self._unreachable >= self._patience.in_a_row:
            self._stopped = JudgeError(
                f"{self._judge.name} gave no reply to {counted(self._unreachable, 'call')} in a row, the last time: "
                f"{printable(reply.detail) or 'no reason'}. What was answered is kept; run the same command again "
                "when it can be reached"
            )
            raise self._stopped

    def _compare_model(self, reply: Reply) -> None:
        """Stop where another model answers than before: a score that two models made is nobody's."""
        if reply.model is None or reply.model == self.answered_by:
            return
        if self.answered_by is not None:
            self._stopped = JudgeError(
                f"{self._judge.name} was answered by {printable(reply.model)!r}, before by "
                f"{printable(self.answered_by)!r}. Its reply is not used, and what was answered before is kept. Name "
                "the exact version of the model, or start a new journal"
            )
            raise self._stopped
        self.answered_by = reply.model
