"""The judge of the drift: statements with their times by the words of the examples, and kappa."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import cohen_kappa_score

from whatworked.environments.drift.scoring import Revision
from whatworked.errors import InvalidOptionError
from whatworked.judging import Reply, RuleJudge, open_panel
from whatworked.process.drift import (
    Judgement,
    Label,
    Statement,
    agreement,
    cohen_kappa,
    criteria,
    disagreements,
    read_labels,
    stub_judge,
)
from whatworked.process.drift.blinding import blinding
from whatworked.process.drift.notes import ShownNotes, shown_notes
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


NAMES = list(criteria())[:6]


def judgement(episode: str, stated: list[bool]) -> Judgement:
    found = [Statement(criterion=c, stated=yes, reply="answer") for c, yes in zip(NAMES, stated, strict=True)]
    return Judgement(episode=episode, judge="x", answered_by=None, statements=tuple(found), evidence={}, score=None)


def test_agreement_has_the_interval_of_resampled_episodes() -> None:
    random = np.random.default_rng(3)
    truth = random.random((12, 6)) < 0.5
    said = truth ^ (random.random((12, 6)) < 0.2)
    judgements = [judgement(f"e{n}", row) for n, row in enumerate(said.tolist())]
    labels = {(f"e{n}", c): Label(bool(truth[n, k]), False) for n in range(12) for k, c in enumerate(NAMES)}
    found = agreement(judgements, labels, resamples=4000)
    assert list(found) == ["all", *NAMES]

    def kappa(chosen: np.ndarray) -> float:
        both = np.stack([said[chosen.astype(int)].ravel(), truth[chosen.astype(int)].ravel()])
        alike, shares = np.mean(both[0] == both[1]), both.mean(axis=1)
        chance = shares.prod() + (1 - shares).prod()
        return float((alike - chance) / (1 - chance))

    theirs = scipy.stats.bootstrap(
        (np.arange(12.0),), kappa, vectorized=False, n_resamples=1500, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    whole = found["all"].stated
    assert (whole.episodes, whole.pairs, whole.same) == (12, 72, int((said == truth).sum()))
    assert whole.kappa == pytest.approx(cohen_kappa_score(said.ravel(), truth.ravel()))
    assert (whole.low, whole.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)
    for k, name in enumerate(NAMES):
        assert found[name].stated.kappa == pytest.approx(cohen_kappa_score(said[:, k], truth[:, k]))
    # Nobody credits any grounding.
    assert found["all"].grounded == (12, 72, 0, 0, 72, None, None, None)
    assert len(disagreements(judgements, labels)) == 72 - whole.same
    alone = agreement(judgements[:1], labels)["all"].stated
    assert (alone.episodes, alone.low, alone.high) == (1, None, None)


def test_a_file_of_labels_is_read_strictly(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("episode,criterion,stated,grounded\ne,FE1,yes,no\n\ne,FE2,no,no\n")
    assert read_labels(path) == {("e", "FE1"): Label(True, False), ("e", "FE2"): Label(False, False)}
    wrong = {
        "e,FE1,yes": "line 2 has 3 cells",
        "e,FE9,yes,no": "names criterion 'FE9'",
        "e,FE1,y,no": "says 'y' and 'no'",
        "e,FE1,no,yes": "grounded without being stated",
        "e,FE1,no,no\ne,FE1,yes,no": "line 3 labels FE1 of e again",
        "": "there are none",
    }
    for text, message in wrong.items():
        path.write_text(f"episode,criterion,stated,grounded\n{text}\n")
        with pytest.raises(InvalidOptionError, match=message):
            read_labels(path)


def revisions(*written: tuple[str, bool, bool]) -> ShownNotes:
    """Notes from (text, replaces, kept), written at 0, 10, 20 … paid actions."""
    return shown_notes([Revision(n + 1, 10 * n, *rest) for n, rest in enumerate(written)], blinding())


def fe1(notes: ShownNotes, reply: Any) -> tuple[Statement, int]:
    """FE1 by a judge who says one thing, and how often it was asked."""
    asked = []

    def rule(fields: Any, vote: int) -> Any:
        asked.append(vote)
        return reply

    async def found() -> tuple[Statement, ...]:
        async with open_panel(RuleJudge({"drift-fe1": rule})) as panel:
            return await ask(panel, notes)

    return asyncio.run(found())[0], len(asked)


def hit(quotes: list[str], first: int = 1, grounds: list[str] | None = None) -> dict[str, Any]:
    return {
        "hit": True, "quotes": quotes, "first_revision": first, "confidence": "high", "grounded": bool(grounds),
        "grounding_quotes": grounds or [],
    }  # fmt: skip


SAID = revisions(("the total is one figure", False, True), ("read 4 then 9", False, False), ("all is new", True, True))


@pytest.mark.parametrize(
    ("answer", "stated_at", "grounded_at", "asked"),
    [
        (hit(["total is  one figure"], 1, ["read 4 then 9"]), 0, 10, 1),  # white space apart; turned away, but said
        (hit(["one figure read 4"]), None, None, 2),  # across two revisions of which one was never in the notes
        (hit(["THE TOTAL is"]), None, None, 2),  # another case of letters
        (hit(["total is one figure", "made up words"]), 0, None, 2),  # what stands is kept
        (hit(["total is one figure"], 1, ["nobody wrote this"]), 0, None, 2),
        (hit(["all is new"], 2), 20, None, 1),  # the quote is later than the revision named
        (hit(["total is one figure"], 4), None, None, 2),  # no such revision
        (hit([]), None, None, 2),
        ({**hit(["all is new"]), "hit": False}, None, None, 2),
        (hit(["figure"]), None, None, 2),  # one word
        (Reply(kind="answer", text="I would say so"), None, None, 2),
        (Reply(kind="truncated", text='{"hit": tr'), None, None, 2),
        (Reply(kind="refusal"), None, None, 2),
    ],
)
def test_an_answer_is_held_to_the_revisions_and_asked_for_once_more(
    answer: Any, stated_at: int | None, grounded_at: int | None, asked: int
) -> None:
    statement, times = fe1(SAID, answer)
    assert (statement.stated_at, statement.grounded_at, times) == (stated_at, grounded_at, asked)
    assert statement.stated == (stated_at is not None)
    assert bool(statement.complaints) == (asked == 2 and statement.reply in ("answer", "unparseable"))


def test_regions_of_a_note_aid_are_neither_shown_nor_quotable() -> None:
    begin, end = blinding().begin, blinding().end
    region = f"{begin}\nthe aid says a total\n{end}"
    notes = revisions(
        (f"mine first\n{region}\nmine second", False, True),
        (f"  {end}\nmine third, as the Note Aid has it", False, True),
        (f"{begin}\n{begin}\nthe aid says a total\n{end}", False, True),
    )
    assert [revision.added for revision in notes.revisions] == [
        "mine first\nmine second", "mine third, as the notes has it", "",
    ]  # fmt: skip
    assert fe1(notes, hit(["aid says a total"]))[0].stated is False
    assert fe1(notes, hit(["mine first mine second"]))[0].stated is True
