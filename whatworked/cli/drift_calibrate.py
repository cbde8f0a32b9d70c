"""``whatworked drift calibrate``: a judge of the drift is tried on notes that are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.judging import (
    JudgingOptions,
    asked_judge,
    judging_options,
    print_estimates,
    sharing_caps,
    spent_text,
)
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import counted, fixed, interval_text

if TYPE_CHECKING:
    from whatworked.judging import Judge, Prices
    from whatworked.process.testbed.calibration import Share
    from whatworked.process.testbed.drift_calibration import JudgedNotes
    from whatworked.process.testbed.drift_games import SpokenDrift
    from whatworked.process.testbed.erring import Rates

_FREE = ("known", "stub")
_NO_NAME = re.compile(r"[^\w.=-]+")
_EPISODES = 20


@click.command()
@click.option(
    "--games", "number", default=_EPISODES, show_default=True, type=click.IntRange(1, 10_000),
    help="How many episodes to play; 20 hold each fault in each bank.",
)  # fmt: skip
@click.option("--wrapper", metavar="RATES", help="Let stub or known err at rates: flip=0.1,drop=0.05,garble=0.02.")
@click.option("--seed", default=0, show_default=True, help="Of the errors of --wrapper.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@judging_options(
    "drift-calibration", "episodes",
    "; or stub, which goes by the words of the examples; or known, which knows what each note does",
)  # fmt: skip
def calibrate(number: int, wrapper: str | None, seed: int, as_json: bool, judging: JudgingOptions) -> None:
    """Find out how good a judge of the drift is, on notes of which is known what they state and ground.

    Episodes are played below --out, with notes in banks of wordings. Prints precision and recall of statements and of
    grounds, how many have their time, and by how many paid actions they are late, in all, by fault and by bank, and
    what was sent. Journals of calls are kept in --out, a folder for each judge: what was interrupted goes on, and
    --replay asks nobody. Caps hold for all episodes together.

    Examples: whatworked drift calibrate --judge stub; whatworked drift calibrate --judge openai/gpt-5 --dry-run
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.process.testbed.drift_games import speaking_drift_games
    from whatworked.process.testbed.erring import read_rates
    from whatworked.progress import progress

    priced = judging.prices()
    rates = None if wrapper is None else read_rates(wrapper)
    if rates is not None and (judging.judge not in _FREE or judging.replay):
        raise InvalidOptionError("--wrapper proves that errors are found; give --judge known or stub with it")
    judge_of = None if judging.dry_run else _judges(judging, rates, seed)
    games = []
    with progress(number, "episode", label="playing") as bar:
        for game in speaking_drift_games(judging.out / "episodes", number):
            games.append(game)
            bar.update(1)
    if judge_of is None:
        _print_estimates(games, priced, judging.judge)
        return
    tried = _try_all(games, judge_of, judging, priced)
    if as_json:
        print_json(_told(tried))
    else:
        _print_all(tried, rates, priced)
    if not all(game.finished for game in tried):
        print_text("not finished: run the same command again when the judge can be reached", errors=True)
        click.get_current_context().exit(1)


def _judges(
    judging: JudgingOptions, rates: Rates | None, seed: int
) -> Callable[[SpokenDrift], tuple[Judge, Judge | None]]:
    """For each episode who is asked, and who is within a judge that errs."""
    from whatworked.process.drift import stub_judge
    from whatworked.process.testbed.drift_calibration import ErringReader
    from whatworked.process.testbed.drift_games import known_drift_judge

    model = None if judging.named() in _FREE and not judging.replay else asked_judge(judging)

    def judge_of(game: SpokenDrift) -> tuple[Judge, Judge | None]:
        if model is not None:
            return model, None
        found = stub_judge() if judging.judge == "stub" else known_drift_judge(game)
        return (found, None) if rates is None else (ErringReader(found, rates, seed, game.episode.name), found)

    return judge_of


def _try_all(
    games: Sequence[SpokenDrift],
    judge_of: Callable[[SpokenDrift], tuple[Judge, Judge | None]],
    judging: JudgingOptions,
    prices: Prices | None,
) -> list[JudgedNotes]:
    from whatworked.process.testbed.drift_calibration import try_drift_judge
    from whatworked.progress import progress

    caps = judging.caps
    tried = []
    with progress(len(games), "episode", label="judging") as bar:
        for game in games:
            judge, within = judge_of(game)
            # A journal holds the replies of one judge.
            folder = judging.out / _NO_NAME.sub("-", judge.name)
            folder.mkdir(parents=True, exist_ok=True)
            with sharing_caps(game.episode.name, "episodes", caps, judging.caps):
                found = try_drift_judge(
                    game, judge, within=within, journal=folder / f"{game.episode.name}.calls", jobs=judging.jobs,
                    caps=caps, prices=prices,
                )  # fmt: skip
            caps = caps.after(found.spent, found.money)
            tried.append(found)
            bar.update(1)
    return tried


def _told(tried: Sequence[JudgedNotes]) -> dict[str, Any]:
    from whatworked.process.testbed.drift_calibration import note_error_rates, note_groups, note_qualities

    return {
        name: {
            "episodes": len(games),
            "found": [
                asdict(row) | {part: _share_told(getattr(row, part)) for part in ("precision", "recall", "on_time")}
                for row in note_qualities(games)
            ],
            "errors": {kind: _share_told(share) for kind, share in note_error_rates(games).named()},
        }
        for name, games in note_groups(tried)
    }


def _share_told(share: Share) -> dict[str, Any]:
    return {"taken": share.taken, "offered": share.offered, "share": share.value, "interval": share.interval}


def _print_all(tried: Sequence[JudgedNotes], rates: Rates | None, prices: Prices | None) -> None:
    from whatworked.process.testbed.drift_calibration import note_error_rates, note_groups, note_qualities

    head = [
        "episodes",
        "",
        "n",
        "precision",
        "95% interval",
        "recall",
        "95% interval",
        "on time",
        "late by",
        "interval",
    ]
    rows = [head]
    for name, games in note_groups(tried):
        for row in note_qualities(games):
            late = "-" if row.late is None else fixed(row.late, 2, signed=True)
            rows.append(
                [name, row.part, str(row.recall.offered), *_cells(row.precision), *_cells(row.recall),
                 _cells(row.on_time)[0], late, interval_text(row.low, row.high, 2, signed=True)]
            )  # fmt: skip
    print_table(rows, right=[2, 3, 5, 7, 8], keys=2)
    echo()
    rows = [["error", "given", "found", "95% interval", "of"]]
    for name, share in note_error_rates(tried).named():
        given = "-" if rates is None else f"{getattr(rates, name):g}"
        rows.append([name, given, *_cells(share), str(share.offered)])
    print_table(rows, right=[1, 2, 4], keys=1)
    _print_spent(tried, prices)


def _print_spent(tried: Sequence[JudgedNotes], prices: Prices | None) -> None:
    from whatworked.judging import Spent

    names = Spent.__struct_fields__
    spent = Spent(**{name: sum(getattr(game.spent, name) for game in tried) for name in names})
    money = None if prices is None else sum(game.money or 0.0 for game in tried)
    print_text(f"{counted(len(tried), 'episode')}; {spent_text(spent, money, prices)}")


def _cells(share: Share) -> list[str]:
    if share.value is None or share.interval is None:
        return ["-", "-"]
    return [fixed(share.value, 3), f"{share.interval[0]:.3f} to {share.interval[1]:.3f}"]


def _print_estimates(games: Sequence[SpokenDrift], prices: Prices | None, judge: str | None) -> None:
    from whatworked.process.drift import estimate_judgement

    found = [([game.episode.name], estimate_judgement(game.episode.record.events)) for game in games]
    print_estimates(found, ["episode"], prices, judge)
    print_text("Nothing was sent.")
