"""Verification excuses rounding and nothing else (line 7)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from whatworked.declaration import PredictionForm, values_fingerprint
from whatworked.execution.differences import compare_rows
from whatworked.references import load_table
from whatworked.references.schema import Row
from whatworked.workflows import get

FORM = PredictionForm("values", values_fingerprint, "<f8", tolerance=1e-6, utility_tolerance=0.01)
ROW = Row(
    mask="01",
    utility=0.5,
    native=2.0,
    prediction="a" * 64,
    warnings=("UserWarning",),
    fingerprint=dict(values_fingerprint([0.0, 1.0, 2.0])),
    sensitivity={"wide": 0.75},
)


def verdict(form: PredictionForm = FORM, row: Row = ROW, **fields: Any) -> str:
    return compare_rows(msgspec.structs.replace(row, **fields), row, form).verdict


@pytest.mark.parametrize(
    "fields",
    [
        {"utility": 0.504},
        {"utility": 0.5 + 1e-9},
        {"native": 2.0 + 1e-9},
        {"native": -2.0},
        {"utility": 0.504, "native": 1.968},
        {"sensitivity": {"wide": 0.7501}},
        {"sensitivity": {}},
        {"sensitivity": {"wide": 0.75, "wider": 0.8}},
        {"fingerprint": {}},
        {"fingerprint": {"n": 3, "buckets": [3]}},
    ],
)
def test_scores_of_the_same_prediction_must_be_the_same(fields: dict[str, Any]) -> None:
    assert verdict(**fields) == "different"


def test_last_digits_of_a_sum_are_rounding() -> None:
    assert verdict(utility=0.5 + 1e-15, native=2.0 - 1e-15) == "equal"
    assert verdict() == "identical"


def test_another_prediction_has_the_tolerance_of_its_family() -> None:
    other = {"prediction": "b" * 64}
    assert verdict(utility=0.504, native=1.968254, **other) == "equal"
    assert verdict(utility=0.52, **other) == "different"
    assert verdict(utility=0.504, native=3.0, **other) == "different"
    assert verdict(native=2.2, **other) == "different"
    assert verdict(native=-2.0, **other) == "different"


def test_warnings_are_told_but_depend_on_versions() -> None:
    found = compare_rows(msgspec.structs.replace(ROW, warnings=()), ROW, FORM)
    assert (found.verdict, found.detail) == ("equal", "warnings none in the table, UserWarning now")


@pytest.mark.parametrize("condition", ["wine", "nile", "mitdb_100__d6"])
def test_shipped_rows_that_were_altered_or_swapped_are_found(condition: str) -> None:
    table = load_table(condition)
    form = get(table.header.family).form
    row = table.rows[5]
    for name in ("utility", "native"):
        assert verdict(form, row, **{name: getattr(row, name) + 0.004}) == "different"
    for other in table.rows:
        if other.prediction != row.prediction and abs(other.utility - row.utility) > form.utility_tolerance:
            assert (
                verdict(form, row, **{n: getattr(other, n) for n in Row.__struct_fields__ if n != "mask"})
                == "different"
            )
