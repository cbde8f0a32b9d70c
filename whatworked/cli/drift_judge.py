"""``whatworked drift judge``: a judge is asked about the notes of episodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.judging import (
    JudgingOptions,
    asked_judge,
    judging_options,
    print_estimates,
    print_secrets,
    sharing_caps,
    spent_text,
)
from whatworked.cli.output import echo, print_table, print_text

if TYPE_CHECKING:
    from whatworked.judging import Caps, Judge, Prices
    from whatworked.process.drift import Asked, Judgement, NotedEpisode

_QUOTE = 60
"""Characters of a quote that the table shows; the file has all of it."""


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="EPISODE|FOLDER...", type=click.Path(path_type=Path))
@click.option(
    "--page", type=click.Path(path_type=Path, dir_okay=False),
    help="Write the episode's page here, with what was stated and since when; for one episode.",
)  # fmt: skip
@click.option(
    "--labels", type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file (episode,criterion,stated,grounded) of what people say; print how far the judge agrees.",
)  # fmt: skip
@click.option("--salt", type=click.Path(path_type=Path, dir_okay=False), help="The private salt of the episodes.")
@judging_options("drift-judgements", "judgements", "; or stub, which goes by the words of the examples and asks nobody")
def judge(
    paths: tuple[Path, ...], page: Path | None, labels: Path | None, salt: Path | None, judging: JudgingOptions
) -> None:
    """Ask a judge what the notes of episodes of the drift state and ground, and since when.

    EPISODE is the folder of an episode; a FOLDER may hold many. For each, NAME.judgement.json and a journal of calls
    (NAME.calls) are written to --out, NAME being that of its folder. What was interrupted goes on from the journal, and
    with --replay everything is answered from there. Caps hold for all episodes together. Of several episodes, those
    that cannot be judged are named. With --labels, agreement with people follows: Cohen's kappa with its interval, in
    all and for each criterion, and what is read differently. The exit code is 1 if none could be judged, or one is not
    finished.

    Examples: whatworked drift judge episodes --judge openai/gpt-5 --dry-run; whatworked drift judge episode-1
    --judge stub --page judged.html
    """
    from whatworked.cli.drift_agreement import print_agreement, read_labels_of
    from whatworked.errors import InvalidOptionError
    from whatworked.storage.files import user_path

    priced = judging.prices()
    episodes = _read_all(paths, salt)
    if page is not None and len(episodes) != 1:
        raise InvalidOptionError(f"--page is for one episode; here are {len(episodes)}")
    given = None if labels is None else read_labels_of(user_path(labels), {episode.name for episode in episodes})
    if judging.dry_run:
        _print_estimates(episodes, priced, judging.judge)
        return
    judgements = _judge_all(episodes, _judge(judging), judging, priced, page)
    if given is not None:
        print_agreement(judgements, given, judging.out)
    if any(judgement.score is None for judgement in judgements):
        click.get_current_context().exit(1)


def _read_all(paths: Sequence[Path], salt: Path | None) -> list[NotedEpisode]:
    """The episodes of some paths; of several, those that cannot be judged are named and left out."""
    from whatworked.episodes.standings import find_episodes
    from whatworked.errors import EpisodeError, InvalidOptionError
    from whatworked.process.drift import read_noted_episode
    from whatworked.storage.files import user_path

    given = [user_path(path) for path in paths]
    missing = [str(path) for path in given if not path.is_dir()]
    if missing:
        raise InvalidOptionError(f"there is no folder {', no '.join(missing)}; give folders of episodes")
    folders = find_episodes(given)
    names = [folder.resolve().name for folder in folders]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidOptionError(
            f"more than one episode is called {', '.join(twice)}, and their files in --out would be the same; judge "
            "them one after another, each with its own --out"
        )
    secret = None if salt is None else user_path(salt)
    if len(folders) == 1:
        return [read_noted_episode(folders[0], secret)]
    found = []
    for folder in folders:
        try:
            found.append(read_noted_episode(folder, secret))
        except EpisodeError as error:
            print_text(f"left out: {error}", errors=True)
    if not found:
        raise EpisodeError(f"none of the {len(folders)} episodes can be judged; the reasons stand above")
    return found


def _judge(judging: JudgingOptions) -> Judge:
    from whatworked.process.drift import STUB, stub_judge

    return stub_judge() if judging.named() == STUB and not judging.replay else asked_judge(judging)


def _judge_all(
    episodes: Sequence[NotedEpisode], judge: Judge, judging: JudgingOptions, prices: Prices | None, page: Path | None
) -> list[Judgement]:
    """Judge episodes one after another."""
    from whatworked.process.drift import judgement_bytes
    from whatworked.storage.files import write_atomic

    caps = judging.caps
    judgements = []
    for episode in episodes:
        asked = _ask(episode, judge, judging, caps, prices)
        caps = caps.after(asked.spent, asked.money)
        path = judging.out / f"{episode.name}.judgement.json"
        write_atomic(path, judgement_bytes(asked.judgement))
        _print_asked(asked, path, prices)
        if page is not None:
            _write_page(page, episode, asked.judgement)
        judgements.append(asked.judgement)
    return judgements


def _ask(episode: NotedEpisode, judge: Judge, judging: JudgingOptions, caps: Caps, prices: Prices | None) -> Asked:
    from whatworked.episodes.speaking.aids import MARK
    from whatworked.judging import same_model_warning
    from whatworked.process.drift import estimate_judgement, judge_episode
    from whatworked.progress import progress

    # A note aid's name stands behind the model's.
    warning = same_model_warning(judge.name, episode.player.partition(MARK)[0])
    if warning is not None:
        print_text(f"{episode.name}: {warning}", errors=True)
    events = episode.record.events
    if not judging.replay:
        judging.out.mkdir(parents=True, exist_ok=True)
    with (
        progress(round(estimate_judgement(events).calls.expected), "vote", label=episode.name) as bar,
        sharing_caps(episode.name, "episodes", caps, judging.caps),
    ):
        return judge_episode(
            episode.name, events, episode.instance, episode.options, judge,
            calls=judging.out / f"{episode.name}.calls", jobs=judging.jobs, caps=caps, prices=prices, progress=bar,
        )  # fmt: skip


def _print_asked(asked: Asked, path: Path, prices: Prices | None) -> None:
    judgement = asked.judgement
    echo(f"\n{judgement.episode}: {path}")
    rows = [["criterion", "evidence", "stated", "grounding", "confidence", "reply", "quote"]]
    for statement in judgement.statements:
        times = (judgement.evidence.get(statement.criterion), statement.stated_at, statement.grounded_at)
        quote = next(iter(statement.quotes), "")
        rows.append(
            [
                statement.criterion,
                *("-" if time is None else str(time) for time in times),
                statement.confidence or "-",
                statement.reply,
                quote if len(quote) <= _QUOTE else f"{quote[:_QUOTE]}…",
            ]
        )
    print_table(rows, right=[1, 2, 3], drop=[6, 5, 4], keys=1)
    print_text("Times are paid actions: evidence in the log, statement and grounding in the notes.")
    _print_score(judgement)
    print_text(spent_text(asked.spent, asked.money, prices))
    for statement in judgement.statements:
        for complaint in statement.complaints:
            print_text(f"{statement.criterion}: asked twice, and still: {complaint}", indent=4)
    print_secrets(asked.secrets)


def _print_score(judgement: Judgement) -> None:
    from whatworked.environments.drift.structure import BLOCKS, BRIDGES, CHANGES
    from whatworked.wording import fixed

    score = judgement.score
    if score is None:
        print_text("not finished: run the same command again when the judge can be reached")
        return
    print_text(
        f"grounded blocks {score.blocks} of {len(BLOCKS)}, area under their curve {fixed(score.auc, 3)}, bridges "
        f"{score.xc} of {len(BRIDGES)}; changes of representation stated {score.rc} of {len(CHANGES)}, with evidence "
        f"{len(score.evidenced)}"
    )


def _write_page(page: Path, episode: NotedEpisode, judgement: Judgement) -> None:
    from whatworked.cli.episode_after import write_page
    from whatworked.report.drift import drift_page, verdicts_of
    from whatworked.storage.files import user_path

    if judgement.score is None:
        print_text(f"{page} is not written, as not every criterion has an answer")
        return
    content = drift_page(episode.record, episode.setup, episode.player, verdicts=verdicts_of(judgement))
    write_page(user_path(page), content)


def _print_estimates(episodes: Sequence[NotedEpisode], prices: Prices | None, judge: str | None) -> None:
    from whatworked.environments.drift.scoring import revisions_of
    from whatworked.process.drift import estimate_judgement

    found = []
    for episode in episodes:
        events = episode.record.events
        revisions = sum(1 for _ in revisions_of(events))
        found.append(([episode.name, str(revisions)], estimate_judgement(events)))
    print_estimates(found, ["episode", "notes"], prices, judge)
    print_text("Expected, with the least and the most, where each criterion is asked again. Nothing was sent.")
