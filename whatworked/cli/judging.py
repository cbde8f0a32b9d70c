"""What every command that asks a model shares: its options, who is asked, what it costs and what was sent."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.output import print_text
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.judging import Caps, Estimate, Judge, Prices, Secret, Spent

LISTED = 20
"""Secrets, and reasons of lost votes, that are listed one by one."""


@dataclass(frozen=True)
class JudgingOptions:
    """The options of `judging_options`, as they were given."""

    judge: str | None
    base_url: str | None
    replay: bool
    dry_run: bool
    out: Path
    jobs: int
    prices_file: Path | None
    caps: Caps

    def prices(self) -> Prices | None:
        """The user's prices, if there are any."""
        return _prices(self.prices_file)

    def named(self) -> str:
        """The judge's name; an error if none is given."""
        from whatworked.errors import InvalidOptionError

        if self.judge is None:
            raise InvalidOptionError(
                "nobody is named who should be asked; give --judge, or --dry-run to see what it costs"
            )
        return self.judge


def _base_url(who: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option("--base-url", metavar="URL", help=f"Where the {who}'s server is, if not its provider's own.")


_DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what it would cost, and send nothing.")
_SPENDING = (
    click.option("--prices", type=click.Path(path_type=Path, dir_okay=False), help="TOML file with prices of models."),
    click.option("--max-calls", type=click.IntRange(1), help="Stop before more calls than this are sent."),
    click.option("--max-tokens", type=click.IntRange(1), help="Likewise for tokens read and written."),
    click.option("--max-money", type=click.FloatRange(0, min_open=True), help="Likewise for money; needs --prices."),
)


@dataclass(frozen=True)
class ModelOptions:
    """The options of `model_options`, as they were given."""

    base_url: str | None
    dry_run: bool
    prices_file: Path | None
    caps: Caps

    def prices(self) -> Prices | None:
        """The user's prices, if there are any."""
        return _prices(self.prices_file)

    def given(self) -> bool:
        """Whether any of them was."""
        from whatworked.judging import Caps

        return self.base_url is not None or self.dry_run or self.prices_file is not None or self.caps != Caps()


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options of a command in which a model plays; it gets them as one argument, ``asking``."""

    @functools.wraps(function)
    def command(
        *,
        base_url: str | None,
        dry_run: bool,
        prices: Path | None,
        max_calls: int | None,
        max_tokens: int | None,
        max_money: float | None,
        **others: Any,
    ) -> Any:
        from whatworked.judging import Caps

        caps = Caps(calls=max_calls, tokens=max_tokens, money=max_money)
        return function(asking=ModelOptions(base_url, dry_run, prices, caps), **others)

    for option in reversed((_base_url("model"), _DRY_RUN, *_SPENDING)):
        command = option(command)
    return command


def judging_options(out: str, holds: str, judge: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Options of a command that asks a judge; it gets them as one argument, ``judging``.

    Parameters
    ----------
    out : str
        Default of ``--out``.
    holds : str
        What is written to that folder.
    judge : str
        What else may be given as ``--judge``.
    """
    options = (
        click.option("--judge", metavar="MODEL", help=f"Who is asked, by its name for Inspect: provider/model{judge}."),
        _base_url("judge"),
        click.option("--replay", is_flag=True, help="Ask nobody: answer everything from the journals in --out."),
        _DRY_RUN,
        click.option(
            "--out", default=out, show_default=True, type=click.Path(path_type=Path, file_okay=False),
            help=f"Folder for {holds} and journals of calls.",
        ),
        click.option(
            "--jobs", default=6, show_default=True, type=click.IntRange(1, 256),
            help="Calls that are under way at once.",
        ),
        *_SPENDING,
    )  # fmt: skip

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def command(
            *,
            judge: str | None,
            base_url: str | None,
            replay: bool,
            dry_run: bool,
            out: Path,
            jobs: int,
            prices: Path | None,
            max_calls: int | None,
            max_tokens: int | None,
            max_money: float | None,
            **others: Any,
        ) -> Any:
            from whatworked.judging import Caps
            from whatworked.storage.files import user_path

            caps = Caps(calls=max_calls, tokens=max_tokens, money=max_money)
            given = JudgingOptions(judge, base_url, replay, dry_run, user_path(out), jobs, prices, caps)
            return function(judging=given, **others)

        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _prices(path: Path | None) -> Prices | None:
    from whatworked.judging import load_prices
    from whatworked.storage.files import user_path

    return None if path is None else load_prices(user_path(path))


def asked_judge(judging: JudgingOptions) -> Judge:
    """Who is asked: the model that is named, or nobody but the journals."""
    from whatworked.judging import ReplayJudge, named_judge

    name = judging.named()
    return ReplayJudge(name) if judging.replay else named_judge(name, base_url=judging.base_url)


@contextlib.contextmanager
def sharing_caps(name: str, before: str, left: Caps, given: Caps) -> Iterator[None]:
    """Say of a cap that is reached what it is the rest of, where several things are judged under it.

    Parameters
    ----------
    name : str
        What is judged.
    before : str
        What was judged before it, in the plural.
    left, given : Caps
        What is left of the caps, and the caps themselves.

    Raises
    ------
    CapReachedError
        As it was raised within.
    """
    from whatworked.errors import CapReachedError

    try:
        yield
    except CapReachedError as error:
        if left == given:
            raise
        raise CapReachedError(f"{name}, after what the {before} before took of the caps: {error}") from None


def print_estimates(
    found: Sequence[tuple[Sequence[str], Estimate]], head: Sequence[str], prices: Prices | None, judge: str | None
) -> None:
    """Print what asking would cost: a row for each of several things, and their sum.

    Parameters
    ----------
    found : sequence of (sequence of str, Estimate)
        First cells of a row, and its estimate.
    head : sequence of str
        Heads of the first cells.
    prices : Prices or None
        The user's.
    judge : str or None
        Who would be asked.
    """
    from whatworked.cli.output import print_table
    from whatworked.judging import total

    rows = [[*head, "calls", "characters", "tokens read", "tokens written", "money"]]
    rows += [[*cells, *_estimate_cells(estimate, prices, judge)] for cells, estimate in found]
    if len(found) > 1:
        whole = total(estimate for _, estimate in found)
        rows.append(["all", *[""] * (len(head) - 1), *_estimate_cells(whole, prices, judge)])
    print_table(rows, right=range(1, len(rows[0])), keys=1)


def _estimate_cells(parts: Estimate, prices: Prices | None, judge: str | None) -> list[str]:
    spans = [parts.calls, parts.characters, parts.input_tokens, parts.output_tokens]
    cells = [f"{span.expected:,.0f} ({span.low:,.0f} to {span.high:,.0f})" for span in spans]
    if prices is None or judge is None:
        return [*cells, "-"]
    price = prices.of(judge)
    money = [
        price.money(getattr(parts.input_tokens, end), getattr(parts.output_tokens, end))
        for end in ("expected", "low", "high")
    ]
    return [*cells, f"{money[0]:.2f} ({money[1]:.2f} to {money[2]:.2f}) {prices.currency}"]


def spent_text(spent: Spent, money: float | None, prices: Prices | None) -> str:
    """What was sent, in words."""
    cost = "" if money is None or prices is None else f", {money:.2f} {prices.currency}"
    return (
        f"{counted(spent.calls, 'call')} sent, {spent.replayed} from the journal, "
        f"{spent.input_tokens + spent.output_tokens:,} tokens{cost}"
    )


def print_secrets(secrets: Sequence[Secret]) -> None:
    """Print what was taken out before sending, if anything was."""
    if not secrets:
        return
    print_text(f"taken out before sending: {counted(len(secrets), 'secret')}")
    for secret in secrets[:LISTED]:
        print_text(f"  {secret.kind}: {secret.place}", indent=4)
    if len(secrets) > LISTED:
        print_text(f"  and {len(secrets) - LISTED} more")
