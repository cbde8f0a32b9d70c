"""Prices are read strictly, and estimates add up."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from question_files import question, things

from whatworked.errors import InvalidOptionError, StorageError
from whatworked.judging import Caps, estimate, load_prices, same_model_warning, tokens_of, total
from whatworked.judging.limits import Limits

PRICES = """
currency = "EUR"
[[price]]
model = "maker/small"
input = 1.25
output = 10.0
"""


def prices(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_money_is_for_a_million_tokens(tmp_path: Path) -> None:
    found = load_prices(prices(tmp_path, PRICES))
    assert found.currency == "EUR"
    assert found.of("maker/small").money(2_000_000, 100_000) == 3.5
    with pytest.raises(InvalidOptionError, match="no price of 'maker/large'; it has maker/small"):
        found.of("maker/large")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('currency = "EUR"', "", "missing required field `currency`"),
        ("output = 10.0", "", "missing required field `output`"),
        ("input = 1.25", "input = -1", "input of 'maker/small' is -1.0; allowed: 0 and above"),
        ("input = 1.25", "input = inf", "input of 'maker/small' is inf"),
        ("input = 1.25", 'input = "1"', "Expected `float`, got `str`"),
        ("input = 1.25", "input = 1.25\ncached = 0.1", "unknown field `cached`"),
        ("output = 10.0", PRICES.replace('currency = "EUR"', "output = 1"), "more than one price"),
        ("[[price]]", "[[price]", "needs currency"),
    ],
)
def test_wrong_price_files_are_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in PRICES
    with pytest.raises(InvalidOptionError) as caught:
        load_prices(prices(tmp_path, PRICES.replace(old, new)))
    assert said in str(caught.value)
    assert "prices.toml" in str(caught.value)


def test_files_that_are_not_there_and_caps_without_prices(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot read"):
        load_prices(tmp_path / "none.toml")
    with pytest.raises(InvalidOptionError, match="needs a price file"):
        Limits(Caps(money=1.0), None, "")


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_tokens_grow_with_the_text(first: int, second: int) -> None:
    few, many = tokens_of(min(first, second)), tokens_of(max(first, second))
    assert few.low <= few.expected <= few.high
    assert (few.low, few.expected, few.high) <= (many.low, many.expected, many.high)


def test_estimates_add_up(tmp_path: Path) -> None:
    cases = things(question(tmp_path), 3)
    assert total(estimate([case]) for case in cases) == estimate(cases)
    assert estimate(cases).calls.expected == 9
    assert estimate(cases, cheap=True).calls.high == 9  # one vote with its retries, for each of three


@pytest.mark.parametrize(
    ("judge", "player", "same"),
    [
        ("openai/gpt-x", "gpt-x", True),
        ("openai/gpt-x-2025-01-31", "openrouter/openai/gpt-x", True),
        ("anthropic/claude-y-20250131", "Claude-Y", True),
        ("openai/gpt-x", "gpt-x-mini", False),
        ("openai/gpt-x", None, False),
        ("openai/gpt-x", "", False),
    ],
)
def test_a_judge_of_its_own_work_is_told_by_name(judge: str, player: str | None, same: bool) -> None:
    assert (same_model_warning(judge, player) is not None) == same
