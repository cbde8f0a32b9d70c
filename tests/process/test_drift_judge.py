"""The judge of the drift: statements with their times by the words of the examples, and kappa."""

from __future__ import annotations

import asyncio

import pytest
from sklearn.metrics import cohen_kappa_score

from whatworked.environments.drift.scoring import Revision
from whatworked.judging import open_panel
from whatworked.process.drift import Statement, cohen_kappa, criteria, stub_judge
from whatworked.process.drift.blinding import blinding
from whatworked.process.drift.notes import shown_notes
from whatworked.process.drift.statements import ask


def judged(texts: list[str]) -> tuple[Statement, ...]:
    notes = shown_notes([Revision(n + 1, 10 * n, text, False, True) for n, text in enumerate(texts)], blinding())

    async def asked() -> tuple[Statement, ...]:
        async with open_panel(stub_judge()) as panel:
            return await ask(panel, notes)

    return asyncio.run(asked())


def test_each_example_states_its_criterion_at_its_revision_and_no_negative_one_does() -> None:
    found = judged([criterion.positive.notes for criterion in criteria().values()])
    assert [(s.stated_at, s.grounded_at, s.complaints) for s in found] == [(10 * n, 10 * n, ()) for n in range(21)]
    assert not any(s.stated for s in judged([criterion.negative for criterion in criteria().values()]))


def test_kappa_is_that_of_scikit_learn() -> None:
    first, second = [True, True, False, False, True, False], [True, False, False, False, True, True]
    assert cohen_kappa(first, second) == pytest.approx(cohen_kappa_score(first, second))
    assert cohen_kappa([True], [True]) is None
