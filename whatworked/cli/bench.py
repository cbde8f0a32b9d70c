"""``whatworked bench``: benchmark estimators and policies under budgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.layout import AVERAGED, averaged, counts, print_named, say
from whatworked.cli.output import echo, print_json, print_table
from whatworked.cli.workers import pool_options
from whatworked.wording import counted, first_few

if TYPE_CHECKING:
    from whatworked.comparing.summary import Standing
    from whatworked.runs import Plan, Run


@click.command()
@click.option("--estimator", "estimators", multiple=True, metavar="PLUGIN", help="An estimator; repeatable.")
@click.option("--policy", "policies", multiple=True, metavar="PLUGIN", help="An acquisition policy; repeatable.")
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="A named combination (GP-E, D1, …); repeatable."
)
@click.option("--budgets", default="4,8,20", show_default=True, metavar="N,N,…", help="Credits beside the two anchors.")
@click.option(
    "--condition", "--conditions", "conditions", multiple=True, metavar="ID[,ID…]", help="These conditions only."
)
@click.option("--family", "families", multiple=True, metavar="FAMILY", help="This family only; repeatable.")
@click.option("--track", "tracks", multiple=True, metavar="TRACK", help="four, paired or added; repeatable.")
@click.option("--rules", is_flag=True, help="Hand code-equivalence classes to plug-ins that take them.")
@click.option(
    "--experience",
    is_flag=True,
    help="Let plug-ins that take it read other sources of the family; tracks of their own.",
)
@click.option(
    "--seeds", default=20, show_default=True, type=click.IntRange(1, 10_000), help="For methods with randomness."
)
@click.option("--batch", default=1, show_default=True, type=click.IntRange(1, 1_048_576), help="Masks bought per ask.")
@click.option(
    "--relabel",
    default=1,
    show_default=True,
    type=click.IntRange(1, 720),
    metavar="N",
    help="Average over N orders of options.",
)
@click.option("--time-limit", type=float, metavar="SECONDS", help="For all asks of a record, and for its fit [none].")
@pool_options
@click.option(
    "--references", type=click.Path(path_type=Path, file_okay=False), help="Other folder of reference tables."
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of the run [bench-<digest>].")
@click.option("--fresh", is_flag=True, help="Replace a run that the folder holds, instead of going on with it.")
@click.option("--list", "listing", is_flag=True, help="List the registered plug-ins and named methods, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench(listing: bool, as_json: bool, out: Path | None, jobs: int, backend: str, fresh: bool, **how: Any) -> None:
    """Run every estimator with every policy on all conditions (or some), and grade what they deliver.

    PLUGIN is a registered name, package.module:Name, ./file.py:Name or optuna:Sampler, with keyword arguments and a
    label in front if wanted: forest=sklearn.ensemble:RandomForestRegressor(n_estimators=200). Methods that take a
    random_state or seed run under each seed, others once. An interrupted run goes on when the command is repeated. A
    plug-in that breaks on a condition, or takes longer than --time-limit, counts as a missing delivery there (recovery
    0) and is listed.

    Example: whatworked bench --estimator gp --estimator sklearn.linear_model:BayesianRidge --policy gp-effect --policy
    random --track four
    """
    if listing:
        _print_registered(as_json)
        return
    from whatworked.runs.benchmark import execute
    from whatworked.runs.folder import refuse_edited

    start = Path.cwd()  # a plug-in may change the working folder as soon as it is imported
    if out is not None and not fresh:
        refuse_edited(start / out, {"estimator": how["estimators"], "policy": how["policies"]})
    plan = _plan(**how)
    if (idle := plan.ignoring_rules) and not as_json:
        names = first_few(idle, 4)
        takes = "takes none of them and does" if len(idle) == 1 else "take none of them and do"
        echo(f"--rules: {names} {takes} as without", err=True)
    if how["experience"] and not as_json:
        for line in _little_experience(plan):
            echo(line, err=True)
    folder = out or Path(f"bench-{plan.digest[:8]}")
    run = execute(plan, start / folder, jobs, fresh, backend=backend)
    _print_run(run, folder, as_json)


def _plan(
    estimators: tuple[str, ...],
    policies: tuple[str, ...],
    methods: tuple[str, ...],
    budgets: str,
    conditions: tuple[str, ...],
    families: tuple[str, ...],
    tracks: tuple[str, ...],
    rules: bool,
    experience: bool,
    seeds: int,
    batch: int,
    time_limit: float | None,
    relabel: int,
    references: Path | None,
) -> Plan:
    from whatworked.errors import InvalidOptionError
    from whatworked.runs import Plan, catalog_tasks, crossed
    from whatworked.runs.benchmark import load_all, named_methods
    from whatworked.runs.plan import parse_budgets

    if bool(estimators) != bool(policies):
        missing = "--policy" if estimators else "--estimator"
        raise InvalidOptionError(f"give {missing}, too; `whatworked bench --list` shows the registered ones")
    chosen = crossed(load_all(estimators, "estimator"), load_all(policies, "policy")) + named_methods(methods)
    tasks = catalog_tasks(
        _names_in(conditions), families, tracks, rules=rules, references=references, experience=experience
    )
    return Plan(tasks, chosen, parse_budgets(budgets), seeds, batch, time_limit, relabel)


def _little_experience(plan: Plan) -> list[str]:
    """Conditions whose family has no other source, so that there is nothing to read."""
    alone = [task.condition for task in plan.tasks if task.experience is not None and not len(task.experience)]
    return [f"--experience: no other source of the family of {first_few(alone, 4)} has a table"] if alone else []


def _names_in(conditions: Sequence[str]) -> list[str]:
    """Ids in texts that separate them by commas; a text without any would otherwise mean all conditions there are."""
    from whatworked.errors import InvalidOptionError

    names: list[str] = []
    for text in conditions:
        held = [name.strip() for name in text.split(",") if name.strip()]
        if not held:
            raise InvalidOptionError(
                f"--condition {text!r} names no condition; give ids separated by commas, as in wine,nile, or leave it "
                "out for all"
            )
        names += held
    return names


def _print_registered(as_json: bool) -> None:
    from whatworked.plugins import registry

    content = {
        "estimators": list(registry.names("estimator")),
        "policies": list(registry.names("policy")),
        "methods": {label: {"estimator": pair[0], "policy": pair[1]} for label, pair in registry.methods().items()},
    }
    if as_json:
        print_json(content)
        return
    print_table([("estimators", ""), *[(name, registry.phrase("estimator", name)) for name in content["estimators"]]])
    echo()
    print_table([("policies", ""), *[(name, registry.phrase("policy", name)) for name in content["policies"]]])
    echo()
    print_table([("method", "estimator", "policy"), *[(label, *pair) for label, pair in registry.methods().items()]])


def _print_run(run: Run, folder: Path, as_json: bool) -> None:
    from whatworked.comparing.failures import failures, listed_failures
    from whatworked.comparing.summary import standings

    rows = run.rows()
    table, skipped = standings(rows), run.manifest.skipped_budgets or {}
    if as_json:
        content = {
            "out": str(folder),
            "standings": [standing.to_dict() for standing in table],
            "failures": list(failures(rows)),
            "skipped_budgets": {condition: list(budgets) for condition, budgets in skipped.items()},
        }
        print_json(content)
        return
    _print_standings(table)
    if lines := listed_failures(rows):
        echo(f"\nMissing deliveries, counted as {table[0].score.label} 0 (tracebacks in {folder / 'plugins.log'}):")
        for line in lines:
            say(line, "  ")
    for line in _left_out(run):
        echo(line, err=True)
    echo(f"\n{counted(len(rows), 'record')} in {folder}; next: whatworked compare {folder}")


def _print_standings(table: Sequence[Standing]) -> None:
    columns = {
        "strict": [standing.strict for standing in table],
        "exact": [standing.exact for standing in table],
        "of": [float(standing.sources) for standing in table],
        "spent": [standing.spent for standing in table],
        "missing": [float(standing.missing) for standing in table],
    }
    if not any(columns["missing"]):
        del columns["missing"]
    rows = [
        (standing.track, str(standing.budget), standing.method, f"{standing.value:.3f}", *cells)
        for standing, *cells in zip(table, *map(counts, columns.values()), strict=True)
    ]
    print_named("", ("track", "B", "method", table[0].score.label, *columns), rows)
    if averaged(columns["strict"], columns["exact"]):
        echo(AVERAGED)


def _left_out(run: Run) -> list[str]:
    """Which budgets were left out where: one line per track and number of options."""
    skipped = run.manifest.skipped_budgets or {}
    counts: Counter[tuple[str, int, tuple[int, ...]]] = Counter()
    for condition in run.description.conditions:
        if budgets := skipped.get(condition.condition):
            counts[condition.track, condition.dimensions, budgets] += 1
    return [
        f"\nB = {', '.join(map(str, budgets))} left out on {counted(number, 'condition')} of track {track}: "
        f"{d} options have {(1 << d) - 2} masks to buy"
        for (track, d, budgets), number in counts.items()
    ]
