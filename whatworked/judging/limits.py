"""Holding what is spent below what the user allowed, calls that are still under way included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from whatworked.errors import CapReachedError, InvalidOptionError
from whatworked.judging.cost import Caps, Price, Spent, tokens_of
from whatworked.judging.judges import Request
from whatworked.judging.replies import Reply


class Limits:
    """What was spent, what is under way, and whether one more call may be sent.

    A call is counted at its most before it is sent, so that no cap is ever exceeded: a run may stop a little below.

    Parameters
    ----------
    caps : Caps
        What is allowed.
    price : Price or None
        What the judge costs; needed for a cap on money.
    currency : str
        What money is counted in.
    """

    def __init__(self, caps: Caps, price: Price | None, currency: str) -> None:
        if caps.money is not None and price is None:
            raise InvalidOptionError("a cap on money needs a price file with the judge's price")
        self._caps = caps
        self._price = price
        self._currency = currency
        self._under_way_calls = 0
        self._under_way_input = 0
        self._under_way_output = 0
        self.spent = Spent()

    @property
    def money(self) -> float | None:
        """What was spent in money, if the price is known."""
        if self._price is None:
            return None
        return self._price.money(self.spent.input_tokens, self.spent.output_tokens)

    @contextmanager
    def reserved(self, request: Request) -> Iterator[None]:
        """Count a call at its most while it is under way.

        Raises
        ------
        CapReachedError
            If it could exceed a cap; nothing is sent then.
        """
        most = int(tokens_of(len(request.prompt.encode())).high)
        self._check(most, request.max_tokens)
        self._under_way_calls += 1
        self._under_way_input += most
        self._under_way_output += request.max_tokens
        try:
            yield
        finally:
            self._under_way_calls -= 1
            self._under_way_input -= most
            self._under_way_output -= request.max_tokens

    def _check(self, input_tokens: int, output_tokens: int) -> None:
        caps = self._caps
        calls = self.spent.calls + self._under_way_calls + 1
        input_tokens += self.spent.input_tokens + self._under_way_input
        output_tokens += self.spent.output_tokens + self._under_way_output
        if caps.calls is not None and calls > caps.calls:
            raise _reached(f"{caps.calls} calls")
        if caps.tokens is not None and input_tokens + output_tokens > caps.tokens:
            raise _reached(f"{caps.tokens} tokens")
        money = 0.0 if self._price is None else self._price.money(input_tokens, output_tokens)
        if caps.money is not None and money > caps.money:
            raise _reached(f"{caps.money:g} {self._currency}")

    def count(self, request: Request, reply: Reply) -> None:
        """Count a call that was sent, however it ended."""
        if reply.input_tokens is None:
            read = int(tokens_of(len(request.prompt.encode())).expected)
        else:
            read = reply.input_tokens
        written = (
            int(tokens_of(len(reply.text.encode())).expected) if reply.output_tokens is None else reply.output_tokens
        )
        stated = reply.input_tokens is not None and reply.output_tokens is not None
        self.spent = msgspec.structs.replace(
            self.spent,
            calls=self.spent.calls + 1,
            characters=self.spent.characters + len(request.prompt),
            # What never reached the judge is not paid for.
            input_tokens=self.spent.input_tokens + (0 if reply.kind == "unreachable" else read),
            output_tokens=self.spent.output_tokens + written,
            estimated=self.spent.estimated + (not stated),
        )

    def count_replayed(self) -> None:
        """Count a reply that stood in the journal."""
        self.spent = msgspec.structs.replace(self.spent, replayed=self.spent.replayed + 1)


def _reached(cap: str) -> CapReachedError:
    return CapReachedError(
        f"the next call could exceed the cap of {cap}; what was answered is kept. "
        "Run the same command again with a higher cap to go on"
    )
