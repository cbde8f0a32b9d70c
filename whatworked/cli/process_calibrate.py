"""``whatworked process calibrate``: a judge is tried on games whose answers are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.judging import JudgingOptions, asked_judge, judging_options, print_estimates, sharing_caps
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import counted, fixed

if TYPE_CHECKING:
    from whatworked.judging import Judge, Prices
    from whatworked.process.testbed import SpokenGame
    from whatworked.process.testbed.calibration import JudgedGame, Quality, Share
    from whatworked.process.testbed.erring import Rates

_FREE = ("known", "rules")
_NO_NAME = re.compile(r"[^\w.=-]+")


@click.command()
@click.argument("paths", nargs=-1, metavar="[FOLDER]...", type=click.Path(path_type=Path))
@click.option(
    "--games", "number", type=click.IntRange(1, 10_000),
    help="How many games to play, where no FOLDER is given [28: each fault in each bank].",
)  # fmt: skip
@click.option("--budget", type=click.IntRange(1), help="Credits of each of them [8].")
@click.option("--wrapper", metavar="RATES", help="Let rules or known err at rates: flip=0.1,drop=0.05,garble=0.02.")
@click.option("--seed", default=0, show_default=True, help="Of the errors of --wrapper.")
@click.option("--cheap", is_flag=True, help="One pass and one vote where games are scored as a whole.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@judging_options(
    "calibration", "games", "; or rules, which goes by rules; or known, which knows every answer"
)  # fmt: skip
def calibrate(
    paths: tuple[Path, ...],
    number: int | None,
    budget: int | None,
    wrapper: str | None,
    seed: int,
    cheap: bool,
    as_json: bool,
    judging: JudgingOptions,
) -> None:
    """Find out how good a judge is, on games whose answers are known.

    FOLDER holds episodes of players that speak (`whatworked play effects --player speaker`); without one, games are
    played below --out. Each question is put once as it is in the known graph, then each game is scored as any run is.
    Prints precision and recall of what is found and decided, the errors of measures, both by fault and by bank, and
    what was sent. Games are played for --dry-run, too. Journals of calls are kept in --out, a folder for each judge:
    what was interrupted goes on, and --replay asks nobody. Caps hold for all games together.

    Examples: whatworked process calibrate --judge rules; whatworked process calibrate --judge openai/gpt-5 --dry-run;
    whatworked process calibrate --judge known --wrapper flip=0.1,drop=0.05,garble=0.02
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.process.testbed.erring import read_rates

    priced = judging.prices()
    rates = None if wrapper is None else read_rates(wrapper)
    if rates is not None and (judging.judge not in _FREE or judging.replay):
        raise InvalidOptionError("--wrapper proves that errors are found; give --judge known or rules with it")
    if paths and (number is not None or budget is not None):
        raise InvalidOptionError("--games and --budget are for games to be played; leave them out or give no FOLDER")
    # Who is asked is settled before anything is played.
    judge_of = None if judging.dry_run else _judges(judging, rates, seed)
    games = _games(paths, judging.out / "games", number or 28, budget or 8)
    if judge_of is None:
        _print_estimates(games, cheap=cheap, prices=priced, judge=judging.judge)
        return
    tried = _try_all(games, judge_of, judging, cheap, priced)
    if as_json:
        print_json(_told(tried))
    else:
        _print_all(tried, rates, priced)
    if not all(game.finished for game in tried):
        print_text("not finished: run the same command again when the judge can be reached", errors=True)
        click.get_current_context().exit(1)


def _games(paths: Sequence[Path], folder: Path, number: int, budget: int) -> list[SpokenGame]:
    """Games that are given, or played."""
    from whatworked.episodes.standings import find_episodes
    from whatworked.errors import InvalidOptionError
    from whatworked.process.testbed import read_spoken, speaking_games
    from whatworked.progress import progress
    from whatworked.storage.files import user_path

    if not paths:
        with progress(number, "game", label="playing") as bar:
            played = []
            for game in speaking_games(folder, number, budgets=(budget,)):
                played.append(game)
                bar.update(1)
            return played
    given = [user_path(path) for path in paths]
    missing = [str(path) for path in given if not path.is_dir()]
    if missing:
        raise InvalidOptionError(f"there is no folder {', no '.join(missing)}; give folders of episodes")
    games = [read_spoken(found) for found in find_episodes(given)]
    names = [game.name for game in games]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidOptionError(f"more than one episode is called {', '.join(twice)}; rename all but one")
    return games


def _judges(
    judging: JudgingOptions, rates: Rates | None, seed: int
) -> Callable[[SpokenGame], tuple[Judge, Judge | None]]:
    """For each game who is asked, and who is within a judge that errs."""
    from whatworked.process.testbed import known_judge, rule_judge
    from whatworked.process.testbed.erring import ErringJudge

    model = None if judging.named() in _FREE and not judging.replay else asked_judge(judging)

    def judge_of(game: SpokenGame) -> tuple[Judge, Judge | None]:
        if model is not None:
            return model, None
        found = rule_judge() if judging.judge == "rules" else known_judge(game)
        return (found, None) if rates is None else (ErringJudge(found, rates, seed, game.name), found)

    return judge_of


def _try_all(
    games: Sequence[SpokenGame],
    judge_of: Callable[[SpokenGame], tuple[Judge, Judge | None]],
    judging: JudgingOptions,
    cheap: bool,
    prices: Prices | None,
) -> list[JudgedGame]:
    from whatworked.process.testbed.calibration import try_judge
    from whatworked.progress import progress

    caps = judging.caps
    tried = []
    with progress(len(games), "game", label="judging") as bar:
        for game in games:
            judge, within = judge_of(game)
            # A journal holds the replies of one judge.
            folder = judging.out / _NO_NAME.sub("-", judge.name)
            folder.mkdir(parents=True, exist_ok=True)
            with sharing_caps(game.name, "games", caps, judging.caps):
                found = try_judge(
                    game, judge, within=within, journal=folder / f"{game.name}.calls", jobs=judging.jobs,
                    cheap=cheap, caps=caps, prices=prices,
                )  # fmt: skip
            caps = caps.after(found.spent, found.money)
            tried.append(found)
            bar.update(1)
    return tried


def _groups(tried: Sequence[JudgedGame]) -> list[tuple[str, list[JudgedGame]]]:
    """All games, those of each fault, and those of each bank."""
    from whatworked.episodes.players.speakers import FAULTS
    from whatworked.episodes.players.wordings import BANKS, HELD_OUT

    found = [("all", list(tried))]
    found += [(f"fault {fault}", [game for game in tried if game.fault == fault]) for fault in FAULTS]
    found += [
        (f"bank {bank}{' (held out)' if bank == HELD_OUT else ''}", [game for game in tried if game.bank == bank])
        for bank in BANKS
    ]
    return [(name, games) for name, games in found if games]


def _told(tried: Sequence[JudgedGame]) -> dict[str, Any]:
    from whatworked.process.testbed.calibration import error_rates, measure_errors, qualities

    return {
        name: {
            "games": len(games),
            "found": [
                {
                    "asked": row.asked,
                    "choice": row.choice,
                    "precision": _share_told(row.precision),
                    "recall": _share_told(row.recall),
                }
                for row in qualities(games)
            ],
            "measures": [asdict(row) for row in measure_errors(games)],
            "errors": {kind: _share_told(share) for kind, share in error_rates(games).named()},
        }
        for name, games in _groups(tried)
    }


def _share_told(share: Share) -> dict[str, Any]:
    return {"taken": share.taken, "offered": share.offered, "share": share.value, "interval": share.interval}


def _print_all(tried: Sequence[JudgedGame], rates: Rates | None, prices: Prices | None) -> None:
    from whatworked.process.testbed.answers import EXTRACTION
    from whatworked.process.testbed.calibration import measure_errors, qualities

    rows = [["asked", "choice", "precision", "95% interval", "recall", "95% interval"]]
    rows += [
        [row.asked, row.choice, *_cells(row.precision), *_cells(row.recall)]
        for row in qualities(tried)
    ]  # fmt: skip
    print_table(rows, right=[2, 4], keys=2)
    echo()
    groups = _groups(tried)
    asked = [*EXTRACTION, *(row.asked for row in qualities(tried, choices=False) if row.asked not in EXTRACTION)]
    table = {name: {row.asked: row for row in qualities(games, choices=False)} for name, games in groups}
    for side in ("precision", "recall"):
        print_text(f"{side.capitalize()}, by fault and by bank:")
        cells = [[name, *(_short(table[name].get(what), side) for what in asked)] for name, _ in groups]
        print_table([["games", *asked], *cells], right=range(1, len(asked) + 1), keys=1)
        echo()
    rows = [["measure", "games", "one-sided", "bias", "95% interval", "mean error"]]
    for row in measure_errors(tried):
        ends = "-" if row.low is None or row.high is None else f"{row.low:+.3f} to {row.high:+.3f}"
        bias = "-" if row.bias is None else f"{row.bias:+.3f}"
        size = "-" if row.absolute is None else fixed(row.absolute, 3)
        rows.append([row.measure, str(row.games), str(row.one_sided), bias, ends, size])
    print_table(rows, right=[1, 2, 3, 5], keys=1)
    echo()
    _print_rates(tried, rates)
    _print_spent(tried, prices)


def _print_rates(tried: Sequence[JudgedGame], rates: Rates | None) -> None:
    from whatworked.process.testbed.calibration import error_rates

    rows = [["error", "given", "found", "95% interval", "of"]]
    for name, share in error_rates(tried).named():
        given = "-" if rates is None else f"{getattr(rates, name):g}"
        rows.append([name, given, *_cells(share), str(share.offered)])
    print_table(rows, right=[1, 2, 4], keys=1)


def _print_spent(tried: Sequence[JudgedGame], prices: Prices | None) -> None:
    calls, replayed = (sum(getattr(game.spent, name) for game in tried) for name in ("calls", "replayed"))
    tokens = sum(game.spent.input_tokens + game.spent.output_tokens for game in tried)
    money = [game.money for game in tried]
    cost = "" if prices is None else f", {sum(value or 0.0 for value in money):.2f} {prices.currency}"
    print_text(
        f"{counted(len(tried), 'game')}; {counted(calls, 'call')} sent, {replayed} from the journal, {tokens:,} "
        f"tokens{cost}"
    )


def _cells(share: Share) -> list[str]:
    if share.value is None or share.interval is None:
        return ["-", "-"]
    return [fixed(share.value, 3), f"{share.interval[0]:.3f} to {share.interval[1]:.3f}"]


def _short(row: Quality | None, side: str) -> str:
    share: Share | None = None if row is None else getattr(row, side)
    return "-" if share is None or share.value is None else fixed(share.value, 2)


def _print_estimates(games: Sequence[SpokenGame], *, cheap: bool, prices: Prices | None, judge: str | None) -> None:
    from whatworked.judging import estimate, total
    from whatworked.process.juries import estimate_score
    from whatworked.process.testbed.answers import known_cases

    single = total(estimate([known.case for known in known_cases(game)], cheap=True) for game in games)
    whole = total(
        total(estimate_score(game.record, game.world, cheap=cheap).values()) for game in games
    )  # fmt: skip
    print_estimates([(["question by question"], single), (["as a whole"], whole)], ["asked"], prices, judge)
    print_text(
        f"Of {counted(len(games), 'game')}. What is asked twice in the same words is sent once. Nothing was sent."
    )
