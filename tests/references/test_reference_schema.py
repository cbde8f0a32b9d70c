"""The text form of reference tables."""

from __future__ import annotations

import pytest
from reference_samples import table

from whatworked.errors import ReferenceTableError
from whatworked.references.schema import parse, render


def test_a_table_comes_back_with_every_digit() -> None:
    assert parse(render(table(3)), "x") == table(3)


def test_lines_are_one_header_one_title_and_one_per_mask() -> None:
    lines = render(table(2)).decode().splitlines()
    assert len(lines) == 2 + 4
    assert lines[1].split("\t")[0] == "mask"
    assert lines[3].split("\t")[1:3] == ["0.25", repr(0.1 * 3)]
    assert lines[3].split("\t")[4] == "RuntimeWarning,RuntimeWarning"


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda data: data.replace(b'"schema":1', b'"schema":2'), "schema is 2"),
        (lambda data: b"", "header"),
        (lambda data: data.replace(b"# whatworked", b"# something"), "header"),
        (lambda data: data.replace(b"utility\t", b"score\t", 1), "columns"),
        (lambda data: data.replace(b"\n11\t", b"\n10\t"), "missing 11"),
        (lambda data: data[: data.rindex(b"\n11\t") + 1], "missing 11"),
        (lambda data: data.replace(b"\t0.25\t", b"\tnan\t"), r"outside \[0, 1\]"),
        (lambda data: data.replace(b"\t0.25\t", b"\t1.25\t"), r"outside \[0, 1\]"),
        (lambda data: data.replace(b"\t0.25\t", b"\tquarter\t"), "quarter"),
        (lambda data: data[:-40], "not a reference table|missing"),
    ],
)
def test_anything_else_is_refused_by_name(spoil, says) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ReferenceTableError, match=says):
        parse(spoil(render(table(2))), "x.tsv")


def test_an_incomplete_table_cannot_be_written() -> None:
    with pytest.raises(ReferenceTableError, match="missing 11"):
        render(table(2, rows=table(2).rows[:3]))
