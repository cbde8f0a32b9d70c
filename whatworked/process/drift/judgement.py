"""One episode of the drift before a judge: its statements, and with the log its blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from whatworked.environments.drift.detectors import first_truths
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.metrics import BlockScore, block_score
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.scoring import events_of, revisions_of
from whatworked.environments.protocol import Event
from whatworked.judging import Caps, Estimate, Judge, Prices, Secret, Spent, estimate, open_panel
from whatworked.process.drift.blinding import blinding
from whatworked.process.drift.notes import shown_notes
from whatworked.process.drift.statements import Statement, ask, cases_of
from whatworked.progress import Progress
from whatworked.storage.canonical import canonical_json, sha256

FORMAT = "drift-judgement/1"


class Judgement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a judge and the log say of an episode.

    Attributes
    ----------
    format : str
        ``"drift-judgement/1"``.
    episode : str
        Name of its folder.
    judge : str
        Who was asked.
    answered_by : str or None
        The model that answered, in its provider's words.
    statements : tuple of Statement
        One for each criterion.
    evidence : dict of str to int or None
        Paid actions after which each block's evidence was first in the log.
    score : BlockScore or None
        None where the judge could not be reached for some criterion, as nothing is known then.
    """

    format: str = FORMAT
    episode: str
    judge: str
    answered_by: str | None
    statements: tuple[Statement, ...]
    evidence: dict[str, int | None]
    score: BlockScore | None


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement and what it took.

    Attributes
    ----------
    judgement : Judgement
        The result.
    spent : Spent
        Calls and tokens.
    money : float or None
        Where a price is known.
    secrets : tuple of Secret
        What was taken out before sending.
    """

    judgement: Judgement
    spent: Spent
    money: float | None
    secrets: tuple[Secret, ...]


def judgement_bytes(judgement: Judgement) -> bytes:
    """A judgement as the bytes of its file.

    Parameters
    ----------
    judgement : Judgement
        Of an episode.

    Returns
    -------
    bytes
        A line of canonical JSON, the same for the same judgement.
    """
    return canonical_json(msgspec.to_builtins(judgement)) + b"\n"


def estimate_judgement(journal: Sequence[Event]) -> Estimate:
    """What judging an episode will cost, before anything is sent.

    Parameters
    ----------
    journal : sequence of Event
        Of the engine.

    Returns
    -------
    Estimate
    """
    return estimate(list(cases_of(shown_notes(revisions_of(journal), blinding())).values()))


def judge_episode(
    name: str,
    journal: Sequence[Event],
    instance: Instance,
    options: Options,
    judge: Judge,
    *,
    calls: Path | None = None,
    jobs: int = 6,
    caps: Caps | None = None,
    prices: Prices | None = None,
    progress: Progress | None = None,
) -> Asked:
    """Ask a judge about the notes of an episode, and count its blocks.

    Parameters
    ----------
    name : str
        What to call the episode; the judge does not see it.
    journal : sequence of Event
        Of the engine.
    instance : Instance
        What was played.
    options : Options
        How.
    judge : Judge
        Who is asked.
    calls : Path, optional
        Journal of calls; what stands there is not asked again.
    jobs : int
        Calls that are under way at once.
    caps : Caps, optional
        What may be spent.
    prices : Prices, optional
        What the judge costs.
    progress : Progress, optional
        Told of every criterion.

    Returns
    -------
    Asked
        The judgement is the same for any number of jobs, and from the journal of calls alone.

    Raises
    ------
    JudgeError
        If the judge cannot be asked on, or a cap is reached.
    JournalError
        If the journal of calls is damaged or belongs to other notes.
    StorageError
        If it cannot be read or written.
    """
    revisions = tuple(revisions_of(journal))
    notes = shown_notes(revisions, blinding())
    of = sha256(canonical_json([list(revision) for revision in revisions]))

    async def asked() -> Asked:
        async with open_panel(
            judge, journal=calls, of=of, jobs=jobs, caps=caps, prices=prices, progress=progress
        ) as panel:
            statements = await ask(panel, notes)
            evidence = dict(first_truths(events_of(journal), moving_ticks(instance)))
            judgement = Judgement(
                episode=name,
                judge=judge.name,
                answered_by=panel.answered_by,
                statements=statements,
                evidence=evidence,
                score=score_statements(statements, evidence, options),
            )
            return Asked(judgement=judgement, spent=panel.spent, money=panel.money, secrets=panel.secrets)

    return asyncio.run(asked())


def score_statements(
    statements: Sequence[Statement], evidence: Mapping[str, int | None], options: Options
) -> BlockScore | None:
    """Blocks by the log and the statements together.

    Parameters
    ----------
    statements : sequence of Statement
        One for each criterion.
    evidence : mapping of str to int or None
        First truth of each block's evidence.
    options : Options
        Budget, and whether the document was shown.

    Returns
    -------
    BlockScore or None
        None where a reply never came: a criterion that nobody judged is not a miss.
    """
    if any(statement.reply == "unreachable" for statement in statements):
        return None
    stated = {statement.criterion: statement.stated_at for statement in statements}
    grounding = {statement.criterion: statement.grounded_at for statement in statements}
    return block_score(evidence, stated, grounding, budget=options.budget, disclosed=options.disclosed)
