from __future__ import annotations

import contextlib
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked.errors import InvalidArtifactError
from whatworked.grading import read_artifact
from whatworked.surfaces import mask_strings

GOOD = {"00": 0.25, "01": 0, "10": 1, "11": 0.5}


def refusal(artifact, d=2):
    with pytest.raises(InvalidArtifactError) as caught:
        read_artifact(artifact, d)
    return str(caught.value)


@pytest.mark.parametrize(
    "artifact",
    [
        GOOD,
        dict(reversed(GOOD.items())),
        json.dumps(GOOD),
        json.dumps(GOOD, indent=8).encode(),
        {mask: np.float64(value) for mask, value in GOOD.items()},
        '{"00": 25e-2, "01": -0.0, "10": 1.0, "11": 5E-1}',
    ],
)
def test_complete_tables_are_read_in_canonical_order(artifact):
    values = read_artifact(artifact, 2)
    assert values.tolist() == [0.25, 0.0, 1.0, 0.5]
    assert not np.signbit(values).any()


def test_every_offence_is_listed_with_count_and_masks():
    text = '{"00": 0.5, "00": 0.5, "01": true, "011": 0.5, "2": 1, "10": NaN, "11": 1.5}'
    message = refusal(text)
    for part in (
        "1 duplicate mask (00)",
        "2 unknown masks (011, 2)",
        "1 value that is not a number (01: true)",
        "1 value that is not finite (10: nan)",
        "1 value outside [0, 1] (11: 1.5)",
        "give each of the 4 masks of length 2 exactly once",
    ):
        assert part in message
    assert "missing" not in message


def test_only_the_first_few_are_named():
    message = refusal("{}", 6)
    assert "64 missing masks (000000, 000001, 000010, …)" in message
    assert "1 missing mask (11)" in refusal(dict.fromkeys(("00", "01", "10"), 0.5))


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (None, "not a number (01: null)"),
        ("0.5", 'not a number (01: "0.5")'),
        ([0.5], "not a number (01: an array)"),
        ({}, "not a number (01: {})"),
        (False, "not a number (01: false)"),
        (np.bool_(True), "not a number"),
        (math.nan, "not finite (01: nan)"),
        (-math.inf, "not finite (01: -inf)"),
        (10**400, "not finite (01: inf)"),
        (-(10**400), "not finite (01: -inf)"),
        (1 + 1e-15, "outside [0, 1] (01: 1.000000000000001)"),
        (-1e-300, "outside [0, 1] (01: -1e-300)"),
        (2, "outside [0, 1] (01: 2.0)"),
    ],
)
def test_values_that_are_no_utilities(value, part):
    assert part in refusal(GOOD | {"01": value})


@pytest.mark.parametrize("literal", ["1e999", "-1e999", "Infinity", "-Infinity", "NaN", "9" * 400, "9" * 1000])
def test_numbers_too_large_for_a_float(literal):
    assert "1 value that is not finite (0: " in refusal(f'{{"0": {literal}, "1": 0.5}}', 1)


def test_integers_too_long_for_python_to_convert():
    table = dict.fromkeys(mask_strings(5), "0.5") | {"00000": "9" * 6000}
    text = "{" + ", ".join(f'"{mask}": {number}' for mask, number in table.items()) + "}"
    assert "1 value that is not finite (00000: inf)" in refusal(text, 5)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ('{"0": 0.5, "1": 0.5} {}', "not JSON"),
        ("{'0': 0.5}", "not JSON"),
        ('\ufeff{"0": 0.5, "1": 0.5}', "not JSON: it begins with a byte order mark (U+FEFF); save it as UTF-8 without"),
        (b'\xef\xbb\xbf{"0": 0.5, "1": 0.5}', "not JSON: it begins with a byte order mark (U+FEFF)"),
        ('{"0": 0.5, "1": 0.5}'.encode("utf-16"), "not JSON: byte 1 is not UTF-8; save it as UTF-8"),
        (b'{"0": 0.5, "\xff": 0.5}', "not JSON: byte 13 is not UTF-8"),
        ("[" * 1400, "not JSON"),
        ("[0.5, 0.5]", "not an object"),
        ("[]", "not an object"),
        ("0.5", "not an object"),
        ("null", "not an object"),
        ('{"0": {"0": 1}, "1": 0.5}', "not a number (0: an object)"),
        ("{" + " " * 5000 + "}", "the text has 5002 characters"),
        (None, "it is a NoneType"),
        ([0.5, 0.5], "it is a list"),
    ],
)
def test_texts_that_are_no_table(text, part):
    assert part in refusal(text, 1)


def test_hostile_keys_are_shown_short_and_on_one_line():
    message = refusal({"0": 0.5, "1": 0.5, "x" * 10_000: 0.5, "a\nb\x1b[31m": 0.5, 7: 0.5}, 1)
    assert "3 unknown masks" in message
    assert message.isprintable()
    assert len(message) < 400


@given(st.integers(1, 5).flatmap(lambda d: st.lists(st.floats(0, 1), min_size=1 << d, max_size=1 << d)))
def test_any_table_survives_its_text(values):
    d = len(values).bit_length() - 1
    table = dict(zip(mask_strings(d), values, strict=True))
    assert read_artifact(json.dumps(table), d).tolist() == read_artifact(table, d).tolist() == values


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["0", "1", "00", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(JSON | st.text(max_size=12) | st.binary(max_size=12), st.booleans())
def test_anything_else_is_refused_and_nothing_else_is_raised(content, encoded):
    artifact = json.dumps(content) if encoded and not isinstance(content, bytes) else content
    values = None
    with contextlib.suppress(InvalidArtifactError):
        values = read_artifact(artifact, 1)
    assert values is None or (values.shape == (2,) and ((values >= 0) & (values <= 1)).all())
