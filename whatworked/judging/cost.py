"""What asking costs: calls, characters, tokens and money, before anything is sent and as it goes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import msgspec

from whatworked.errors import InvalidOptionError
from whatworked.storage.toml_text import read_toml

BYTES_PER_TOKEN = (5.5, 3.2, 1.4)
"""Bytes of UTF-8 a token of a prompt, for the least, the expected and the most tokens."""
_FRACTIONS = (0.0, 0.25, 1.0)
"""Part of the most tokens of an answer that is written, likewise."""


class Interval(msgspec.Struct, frozen=True):
    """A number that is not known yet.

    Attributes
    ----------
    low, expected, high : float
        Least, expected and most.
    """

    low: float
    expected: float
    high: float

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.expected + other.expected, self.high + other.high)

    def scaled(self, low: float, expected: float, high: float) -> Interval:
        """The product with the ends of another interval.

        Parameters
        ----------
        low, expected, high : float
            Factors, none below zero.

        Returns
        -------
        Interval
        """
        return Interval(self.low * low, self.expected * expected, self.high * high)


NOTHING = Interval(0, 0, 0)


def tokens_of(text_bytes: int) -> Interval:
    """Tokens of a prompt, estimated from its length.

    No tokenizer is asked, because the judge's is not known. The interval spans 1.4 to 5.5 bytes of UTF-8 a token, with
    3.2 expected; docs/judging.md says on what these were measured.

    Parameters
    ----------
    text_bytes : int
        Length in bytes of UTF-8.

    Returns
    -------
    Interval
    """
    most, expected, least = BYTES_PER_TOKEN
    return Interval(math.floor(text_bytes / most), math.ceil(text_bytes / expected), math.ceil(text_bytes / least))


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What some calls will cost.

    Attributes
    ----------
    calls : Interval
        Calls, from all votes stopping early to every retry being used up.
    characters : Interval
        Characters that are sent.
    input_tokens, output_tokens : Interval
        Tokens read and written.
    """

    calls: Interval = NOTHING
    characters: Interval = NOTHING
    input_tokens: Interval = NOTHING
    output_tokens: Interval = NOTHING

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            calls=self.calls + other.calls,
            characters=self.characters + other.characters,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )

    @classmethod
    def of(cls, calls: Interval, characters: int, text_bytes: int, max_tokens: int) -> Self:
        """What calls with one prompt cost.

        Parameters
        ----------
        calls : Interval
            How many calls are made with it.
        characters, text_bytes : int
            Length of the prompt, in characters and in bytes of UTF-8.
        max_tokens : int
            Most tokens of an answer.

        Returns
        -------
        Estimate
        """
        tokens = tokens_of(text_bytes)
        return cls(
            calls=calls,
            characters=calls.scaled(characters, characters, characters),
            input_tokens=calls.scaled(tokens.low, tokens.expected, tokens.high),
            output_tokens=calls.scaled(*(math.ceil(part * max_tokens) for part in _FRACTIONS)),
        )


def total(estimates: Iterable[Estimate]) -> Estimate:
    """The sum of estimates.

    Parameters
    ----------
    estimates : iterable of Estimate
        Any number of them.

    Returns
    -------
    Estimate
    """
    return sum(estimates, start=Estimate())


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model costs.

    Attributes
    ----------
    model : str
        The name that it is asked by.
    input, output : float
        Money for a million tokens read and written.
    """

    model: str
    input: float
    output: float

    def money(self, input_tokens: float, output_tokens: float) -> float:
        """What that many tokens cost.

        Parameters
        ----------
        input_tokens, output_tokens : float
            Tokens read and written.

        Returns
        -------
        float
            In the currency of the price file.
        """
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


class Prices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user's prices.

    Attributes
    ----------
    currency : str
        What the numbers are in.
    price : tuple of Price
        One for each model.
    """

    currency: str
    price: tuple[Price, ...]

    def of(self, model: str) -> Price:
        """The price of a model.

        Parameters
        ----------
        model : str
            The name that it is asked by.

        Returns
        -------
        Price

        Raises
        ------
        InvalidOptionError
            If the file has none.
        """
        for price in self.price:
            if price.model == model:
                return price
        known = ", ".join(price.model for price in self.price)
        raise InvalidOptionError(f"the price file has no price of {model!r}; it has {known}; add a [[price]] for it")


def load_prices(path: Path) -> Prices:
    """Read a price file.

    Parameters
    ----------
    path : Path
        TOML: ``currency``, and for each model a ``[[price]]`` with ``model``, ``input`` and ``output``.

    Returns
    -------
    Prices

    Raises
    ------
    StorageError
        If it cannot be read.
    InvalidOptionError
        If something is missing, unknown, negative or stands twice.
    """
    try:
        prices = read_toml(path, Prices)
    except ValueError as error:
        raise InvalidOptionError(
            f"price file {path}: {error}; it needs currency, and [[price]] with model, input and output"
        ) from error
    wrong = [
        f"{name} of {price.model!r} is {value!r}; allowed: 0 and above"
        for price in prices.price
        for name, value in (("input", price.input), ("output", price.output))
        if not (math.isfinite(value) and value >= 0)
    ]
    names = [price.model for price in prices.price]
    wrong += [f"{name!r} has more than one price" for name in sorted(set(names)) if names.count(name) > 1]
    if wrong or not names:
        raise InvalidOptionError(f"price file {path}: {'; '.join(wrong) or 'it has no [[price]]'}")
    return prices


class Caps(msgspec.Struct, frozen=True, kw_only=True):
    """What may be spent by one command; None is no limit.

    Attributes
    ----------
    calls : int or None
        Calls that are sent.
    tokens : int or None
        Tokens read and written together.
    money : float or None
        Money, in the currency of the price file.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None

    def after(self, spent: Spent, money: float | None) -> Caps:
        """What is left of them.

        Parameters
        ----------
        spent : Spent
            What was spent already.
        money : float or None
            Likewise in money; None where no price is known.

        Returns
        -------
        Caps
            None of them below zero.
        """
        return Caps(
            calls=None if self.calls is None else max(self.calls - spent.calls, 0),
            tokens=None if self.tokens is None else max(self.tokens - spent.input_tokens - spent.output_tokens, 0),
            money=None if self.money is None else max(self.money - (money or 0.0), 0.0),
        )


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What was spent so far.

    Attributes
    ----------
    calls : int
        Calls that were sent, those that failed included.
    replayed : int
        Replies that stood in the journal.
    characters : int
        Characters that were sent.
    input_tokens, output_tokens : int
        Tokens read and written, as the provider states them, else as they are estimated.
    estimated : int
        Calls whose tokens are estimated.
    """

    calls: int = 0
    replayed: int = 0
    characters: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0
