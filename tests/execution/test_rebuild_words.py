"""What a rebuild says of failures and of the package's tables."""

from __future__ import annotations

import pytest

from whatworked.catalog import Condition, condition
from whatworked.cli import rebuild as command
from whatworked.execution import ConditionResult, RebuildReport
from whatworked.execution.report import cause_of


def built(name: str, as_shipped: bool | None) -> ConditionResult:
    return ConditionResult(condition(name), "built", 16, digest="0" * 64, as_shipped=as_shipped)


@pytest.mark.parametrize(
    ("same", "text"),
    [
        ((True, True), "2 of 2 tables have the same bytes as the package's"),
        ((True, None), "1 of 1 table has the same bytes as the package's"),
        (
            (False, True),
            "1 of 2 tables have the same bytes as the package's; not nile: "
            "`whatworked verify nile` says if more than rounding differs",
        ),
        ((None, None), ""),
    ],
)
def test_tables_are_counted_against_those_of_the_package(same: tuple[bool | None, ...], text: str) -> None:
    report = RebuildReport(tuple(map(built, ("nile", "wine"), same)))
    assert command._comparison(report) == text
    assert [one["as_shipped"] for one in report.to_dict()["conditions"]] == list(same)


def test_causes_that_differ_in_numbers_alone_are_one() -> None:
    causes = {"ValueError: 3 rows are too few": 2, "ValueError: 5 rows are too few": 1, "KeyError: 'x'": 1}
    one = ConditionResult(Condition("box", "box", "toys", 4, "four"), "failed", reason="4 of 16 failed", causes=causes)
    assert command._reason(one) == "4 of 16 failed; ValueError: 3 or 5 rows are too few (3); KeyError: 'x' (1)"


def test_the_cause_is_the_last_line_of_a_traceback() -> None:
    assert cause_of("Traceback (most recent call last):\n  at\nZeroDivisionError: division by zero\n") == (
        "ZeroDivisionError: division by zero"
    )
