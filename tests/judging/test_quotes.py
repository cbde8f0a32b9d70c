"""The quote rule: literal but for normal form C and runs of white space."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked.judging import Span, find_quote, normal_text

TEXTS = st.text(
    st.one_of(
        st.sampled_from(
            " \t\n\r\u00a0\u2003aAe0159.,-+<>=\u0301\u0308\u0327\u1100\u1161\u11a8\uac00\u00e9\u0958\u09c7\u09be"
        ),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


@given(TEXTS)
def test_the_form_is_reached_once(text: str) -> None:
    assert normal_text(normal_text(text)) == normal_text(text)


@given(TEXTS, st.data())
def test_every_part_of_a_text_in_normal_form_is_found_at_or_before_its_place(text: str, data: st.DataObject) -> None:
    text = unicodedata.normalize("NFC", text)
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    found = find_quote(quote, text)
    if not quote.strip() or unicodedata.normalize("NFC", quote.strip()) != quote.strip():
        return
    assert found is not None
    assert found.start <= start + (len(quote) - len(quote.lstrip()))
    assert normal_text(text[found.start : found.end]) == normal_text(quote).strip(" ")


@given(TEXTS, TEXTS)
def test_what_is_found_is_what_was_quoted(quote: str, text: str) -> None:
    found = find_quote(quote, text)
    wanted = normal_text(quote).strip(" ")
    assert (found is not None) == (bool(wanted) and wanted in normal_text(text))
    if found is not None:
        assert wanted in normal_text(text[found.start : found.end])


@given(TEXTS, TEXTS, TEXTS)
def test_a_quote_written_in_other_form_and_spacing_is_found_in_place(before: str, quote: str, after: str) -> None:
    # Words between marks that compose with nothing and occur nowhere else, so that the place is known.
    inner = quote.replace("|", "")
    text = f"{before.replace('|', '')}|{inner}|{after.replace('|', '')}"
    start = text.index("|")
    spread = unicodedata.normalize("NFD", f"|{inner}|".replace(" ", " \n"))
    assert find_quote(spread, text) == Span(start, start + len(inner) + 2)


@given(st.floats(0, 1e6, allow_nan=False), st.sampled_from("-+\u2212<>~"))
def test_signs_and_operators_count(number: float, sign: str) -> None:
    assert find_quote(f"{sign}{number}", f"it is {number}") is None
    assert find_quote(f"it is {number}", f"it is {sign}{number}") is None
    assert normal_text(f"{sign}{number}") != normal_text(f"{number}")


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("0.5", "05"),
        ("05", "0.5"),
        ("x < 3", "x > 3"),
        ("Loss", "loss"),
        ("notable", "not able"),
        ("not able", "notable"),
        ("ab", "a-b"),
        ("ab", "a\u200bb"),
        ("ab", "a\x1b[0mb"),
        ("fi", "\ufb01"),
        ("line one line two", "line one\\nline two"),
    ],
)
def test_nothing_is_removed_or_made_alike(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


@pytest.mark.parametrize(
    "text", ["損失は減少した", "потеря упала", "الخسارة انخفضت", "हानि घटी", "손실이 줄었다", "🙂 fell"]
)
def test_every_script_can_be_quoted(text: str) -> None:
    assert find_quote(text, f"— {text} —") == Span(2, 2 + len(text))
    decomposed = unicodedata.normalize("NFD", text)
    assert find_quote(text, f"— {decomposed} —") == Span(2, 2 + len(decomposed))


@pytest.mark.parametrize("quote", ["", " ", "\n\t\u00a0"])
def test_white_space_alone_is_no_quote(quote: str) -> None:
    assert find_quote(quote, "a b") is None


def test_the_position_is_one_in_the_text_as_given() -> None:
    text = "x  \n y\u0301  is\t\t4.2 e\u0301"
    found = find_quote("\u00fd is 4.2", text)
    assert found is not None
    assert text[found.start : found.end] == "y\u0301  is\t\t4.2"
