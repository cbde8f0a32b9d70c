"""From a record to its graph: every question in order, and what may be told of the asking."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from whatworked.errors import NotJudgeableError
from whatworked.judging import Caps, Judge, Patience, Prices, Secret, Spent, open_panel
from whatworked.process.graph import Assembly, Graph, WorldFacts
from whatworked.process.juries.beliefs import ground_beliefs, judge_novelty, judge_reach
from whatworked.process.juries.catalog import scorer_version
from whatworked.process.juries.evaluation import judge_closing, judge_coverage, judge_promotion, judge_rules
from whatworked.process.juries.extraction import extract
from whatworked.process.juries.ideas import mark_subjects, mark_topics, settle_ideas
from whatworked.process.juries.inquiry import Inquiry
from whatworked.process.juries.results import judge_aftermath, judge_causes, judge_readings, judge_results
from whatworked.process.records import Record, World, record_bytes, unjudgeable
from whatworked.progress import Progress
from whatworked.storage.canonical import sha256


@dataclass(frozen=True)
class Scoring:
    """A graph with what may be told of how it was made.

    Attributes
    ----------
    graph : Graph
        Of the run.
    kinds : mapping of str to int
        Votes by class of reply.
    lost : mapping of str to int
        Votes that were lost, by class and reason.
    spent : Spent
        Calls and tokens.
    money : float or None
        What they cost, where a price is known.
    secrets : tuple of Secret
        What was taken out of the record's texts before they were sent.
    answered_by : str or None
        The model that answered, in its provider's words.
    """

    graph: Graph
    kinds: Mapping[str, int]
    lost: Mapping[str, int]
    spent: Spent
    money: float | None
    secrets: tuple[Secret, ...]
    answered_by: str | None

    @property
    def finished(self) -> bool:
        """Whether every question got a reply."""
        return not self.graph.unfinished


def score(
    record: Record,
    world: World,
    judge: Judge,
    *,
    task: str | None = None,
    journal: Path | None = None,
    jobs: int = 6,
    cheap: bool = False,
    caps: Caps | None = None,
    prices: Prices | None = None,
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> Scoring:
    """Ask a judge everything about a run, and build its graph.

    Parameters
    ----------
    record : Record
        The run.
    world : World
        What is known of its task.
    judge : Judge
        Who is asked.
    task : str, optional
        Name of the task; the digest of its prompt where it is left out.
    journal : Path, optional
        File of calls, from which an interrupted run goes on and a finished one is replayed.
    jobs : int
        Calls that are under way at once; the graph does not depend on it.
    cheap : bool
        One pass and one vote; the graph says so.
    caps : Caps, optional
        What may be spent.
    prices : Prices, optional
        What the judge costs.
    progress : Progress, optional
        Told of every vote.
    patience : Patience, optional
        How long a judge out of reach is waited for.

    Returns
    -------
    Scoring

    Raises
    ------
    NotJudgeableError
        If the record lacks what judging needs.
    JudgeError
        If the judge cannot be asked on, or a cap is reached; the journal keeps what was answered.
    JournalError
        If the journal is damaged or of another record.
    StorageError
        If it cannot be read or written.
    """
    return asyncio.run(
        score_run(
            record,
            world,
            judge,
            task=task,
            journal=journal,
            jobs=jobs,
            cheap=cheap,
            caps=caps,
            prices=prices,
            progress=progress,
            patience=patience,
        )
    )


async def score_run(
    record: Record,
    world: World,
    judge: Judge,
    *,
    task: str | None = None,
    journal: Path | None = None,
    jobs: int = 6,
    cheap: bool = False,
    caps: Caps | None = None,
    prices: Prices | None = None,
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> Scoring:
    """`score`, to be awaited where an event loop is running already."""
    reason = unjudgeable(record)
    if reason is not None:
        raise NotJudgeableError(f"run {record.header.run} cannot be judged: {reason}")
    digest = sha256(record_bytes(record))
    assembly = Assembly(record)
    async with open_panel(
        judge,
        journal=journal,
        of=digest,
        jobs=jobs,
        caps=caps,
        prices=prices,
        cheap=cheap,
        progress=progress,
        patience=patience,
    ) as panel:
        inquiry = Inquiry(record, world, assembly, panel, cheap=cheap)
        await ask_everything(inquiry)
        graph = assembly.finish(
            scorer=scorer_version(),
            judge=judge.name,
            cheap=cheap,
            record=record,
            digest=digest,
            world=world_facts(world, task),
            asked=inquiry.asked,
            undecided=inquiry.undecided,
            unfinished=inquiry.unfinished,
        )
        kinds = {str(kind): count for kind, count in panel.kinds.items()}
        lost = dict(sorted(inquiry.lost.items()))
        return Scoring(graph, kinds, lost, panel.spent, panel.money, panel.secrets, panel.answered_by)


async def ask_everything(inquiry: Inquiry) -> None:
    """Put every question about a run, each when what it rests on is there.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    await settle_ideas(inquiry, await extract(inquiry))
    await mark_topics(inquiry)
    await mark_subjects(inquiry)
    await judge_results(inquiry)
    await judge_readings(inquiry)
    await judge_causes(inquiry)
    await judge_aftermath(inquiry)
    await ground_beliefs(inquiry)
    await judge_reach(inquiry)
    await judge_novelty(inquiry)
    await judge_rules(inquiry)
    await judge_promotion(inquiry)
    await judge_coverage(inquiry)
    await judge_closing(inquiry)


def world_facts(world: World, task: str | None) -> WorldFacts:
    """What measures need of a manifest.

    Parameters
    ----------
    world : World
        The manifest.
    task : str or None
        Name of the task.

    Returns
    -------
    WorldFacts
        Without a name, the task is named by the first digits of its prompt's digest.
    """
    prompt = world.task_prompt
    named = task if task is not None else None if prompt is None else f"task {sha256(prompt.encode())[:12]}"
    return WorldFacts(
        task=named, prompt=prompt is not None, submission=world.submission, measure_size=world.measure_size
    )
