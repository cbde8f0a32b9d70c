"""``whatworked check``: run the conformance kit on a plug-in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from whatworked.cli.output import echo, print_json

if TYPE_CHECKING:
    from whatworked.plugins import Plugin
    from whatworked.testing import CheckResult


@click.command()
@click.argument("plugin")
@click.option("--kind", type=click.Choice(["estimator", "policy"]), help="What it is, where that cannot be told.")
@click.option("--dimensions", default="1-8", show_default=True, metavar="N-M", help="Numbers of options to try.")
@click.option(
    "--time-limit", type=float, default=60.0, show_default=True, metavar="SECONDS", help="For each case of a check."
)
@click.option("--traceback", is_flag=True, help="Show where a failed check broke.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check(
    context: click.Context,
    plugin: str,
    kind: str | None,
    dimensions: str,
    time_limit: float,
    traceback: bool,
    as_json: bool,
) -> None:
    """Check that an estimator or policy keeps its contract: sizes, determinism, no mutation, nothing but purchases.

    PLUGIN is a registered name, package.module:Name, ./file.py:Name or optuna:Sampler, with keyword arguments if need
    be. Exit code 1 if a check fails. A plug-in that hangs, or ends its process, fails the check in which it does.

    Example: whatworked check ./my_estimator.py:Mine
    """
    from whatworked.plugins import load
    from whatworked.plugins.resolve import kind_of
    from whatworked.testing.apart import run_checks_apart

    chosen = kind_of(plugin, kind)
    loaded = load(plugin, chosen)
    loaded.build_estimator() if chosen == "estimator" else loaded.build_policy()
    coming = run_checks_apart(loaded, tuple(_dimensions(dimensions)), _seconds(time_limit))
    results = list(coming) if as_json else list(_shown(coming, loaded, traceback))
    failed = sum(not result.passed for result in results)
    if as_json:
        checks = [{"name": one.name, "what": one.what, "passed": one.passed, "problem": one.problem} for one in results]
        print_json(
            {"plugin": plugin, "kind": chosen, "stochastic": loaded.stochastic, "failed": failed, "checks": checks}
        )
    else:
        echo(f"{failed} of {len(results)} checks failed" if failed else f"all {len(results)} checks passed")
    context.exit(1 if failed else 0)


def _shown(results: Iterable[CheckResult], plugin: Plugin, traceback: bool) -> Iterator[CheckResult]:
    """Print each result as it comes, and hand it on."""
    seeds = "run under several seeds" if plugin.stochastic else "run once"
    echo(f"{plugin.kind} {plugin.label} ({plugin.origin}), {seeds}")
    for one in results:
        echo(f"  {'ok  ' if one.passed else 'FAIL'}  {one.name}: {one.problem or one.what}")
        if traceback and one.trace:
            echo(one.trace)
        yield one


def _seconds(time_limit: float) -> float:
    from whatworked.errors import InvalidOptionError
    from whatworked.plugins.limits import LONGEST, is_limit

    if not is_limit(time_limit):
        raise InvalidOptionError(f"--time-limit is {time_limit:g}; give more than 0 and at most {LONGEST} seconds")
    return time_limit


def _dimensions(text: str) -> range:
    import re

    from whatworked.errors import InvalidOptionError
    from whatworked.surfaces.masks import check_dimensions

    first, _, last = text.partition("-")
    if not re.fullmatch(r"[0-9]{1,3}(-[0-9]{1,3})?", text, re.ASCII):
        raise InvalidOptionError(f"--dimensions is {text!r}; give a number of options or a range of them, as in 1-8")
    low, high = check_dimensions(int(first)), check_dimensions(int(last or first))
    if low > high:
        raise InvalidOptionError(f"--dimensions is {text!r}; the range ends before it begins")
    return range(low, high + 1)
