"""``whatworked drift``: instances of the drift, what they hold, and scripts run against them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.lazy import LazyGroup
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.environments.drift.answer_space import AnswerSpace
    from whatworked.environments.drift.drawing import Family
    from whatworked.environments.drift.instance import Instance

_INSTANCE = click.argument("instance", type=click.Path(path_type=Path))


@click.group(
    cls=LazyGroup,
    lazy={
        "calibrate": (
            "whatworked.cli.drift_calibrate:calibrate",
            "Find out how good a judge of the drift is, on notes that are known.",
        ),
        "contrasts": (
            "whatworked.cli.drift_contrasts:contrasts",
            "Contrast episodes of the drift: what posting, disclosing and note aids change.",
        ),
        "judge": (
            "whatworked.cli.drift_judge:judge",
            "Ask a judge what the notes of episodes of the drift state and ground, and since when.",
        ),
    },
)
def drift() -> None:
    """The drift: worlds whose representation must be found."""


@drift.command()
@_INSTANCE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def answer(instance: Path, as_json: bool) -> None:
    """Carry out the standing order of an instance and print the three figures that it is asked for.

    Example: whatworked drift answer world.json
    """
    from whatworked.environments.drift.order import answer_of

    figures = answer_of(_read(instance))._asdict()
    if as_json:
        print_json(figures)
    else:
        print_table([list(figures), list(map(str, figures.values()))], right=[0, 1, 2])


@drift.command()
@_INSTANCE
@click.option("--ordered", is_flag=True, help="Show the pass in which the standing order is carried out.")
def show(instance: Path, ordered: bool) -> None:
    """Show what no player sees: the individuals of an instance at tick 0, and a pass that nobody disturbs.

    Example: whatworked drift show world.json --ordered
    """
    from whatworked.environments.drift.checking import instance_digest
    from whatworked.environments.drift.showing import individual_rows, order_line, pass_rows

    read = _read(instance)
    print_text(f"{read.file.name or 'unnamed'}  {instance_digest(read)[:16]}")
    print_text(order_line(read))
    echo()
    print_table(individual_rows(read), right=[1])
    echo()
    print_table(pass_rows(read, ordered=ordered), right=[0, 1, 2])


@drift.command()
@_INSTANCE
@click.argument("script", type=click.Path(path_type=Path))
def trace(instance: Path, script: Path) -> None:
    """Run a script of actions against an instance, and print one line of JSON an action.

    Actions that cannot be asked for where the agent stands leave no line. The last line gives, for each block, the paid
    actions after which its evidence was first in the log.

    Example: whatworked drift trace world.json walk.json
    """
    from whatworked.environments.drift.script import read_script, trace_lines
    from whatworked.storage.files import user_path

    read = _read(instance)
    for line in trace_lines(read, read_script(user_path(script))):
        echo(line)


@drift.command()
@click.argument("instances", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(instances: tuple[Path, ...], as_json: bool) -> None:
    """Examine instances against the constraints that generated ones satisfy, G1 to G11, and the set that they make.

    The exit code is 1 if a constraint does not hold or an instance is retired.

    Example: whatworked drift check worlds/*.json
    """
    from whatworked.environments.drift.answer_space import answer_space
    from whatworked.environments.drift.examining import examine_set

    read = [_read(path) for path in instances]
    report = examine_set(read)
    space = answer_space(read)
    if as_json:
        rows = [{"instance": name, **finding._asdict()} for name, finding in report]
        print_json({"findings": rows, "answers": space._asdict()})
    else:
        header = ["instance", "constraint", "holds", "found"]
        rows_shown = [[name, found.constraint, "yes" if found.holds else "NO", found.detail] for name, found in report]
        print_table([header, *rows_shown], keys=2)
        _print_space(space)
    if not all(finding.holds for _, finding in report):
        click.get_current_context().exit(1)


@drift.command()
@click.argument("ensemble")
@click.option("--count", type=click.IntRange(1, 10_000), help="How many instances; by default those of a public set.")
@click.option("--family", type=click.Choice(["paper", "wide"]), default="paper", show_default=True)
@click.option("--salt", type=click.Path(path_type=Path), help="File with a secret; the instances are private then.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write to.")
def generate(ensemble: str, count: int | None, family: Family, salt: Path | None, out: Path) -> None:
    """Generate a set of instances, one file each, with an index of hashes and the statistics of its answers.

    The set is the same wherever it is generated; sets of other names have other instances. The public sets are
    evaluation (12 instances) and reserved (120). With --salt only the index may be published, until the salt is.

    Example: whatworked drift generate reserved --out worlds
    """
    from whatworked.environments.drift.answer_space import answer_space, set_finding
    from whatworked.environments.drift.sets import PUBLIC_SETS, read_salt, write_set
    from whatworked.errors import InvalidOptionError
    from whatworked.progress import progress
    from whatworked.storage.files import user_path

    if not ensemble.replace("-", "").isalnum() or not ensemble.isascii():
        raise InvalidOptionError(f"the name {ensemble!r} has more than letters, digits and hyphens; choose another")
    wanted = count or PUBLIC_SETS.get(ensemble)
    if wanted is None:
        raise InvalidOptionError(f"{ensemble} is none of the public sets {', '.join(PUBLIC_SETS)}; say its --count")
    secret = None if salt is None else read_salt(user_path(salt))
    made = []
    with progress(wanted, "instance") as bar:
        for instance in write_set(user_path(out), ensemble, wanted, family=family, salt=secret):
            made.append(instance)
            bar.update()
    space = answer_space(made)
    _print_space(space)
    holds, detail = set_finding(space)
    print_text(f"G10 {'holds' if holds else 'does NOT hold'}: {detail}")
    print_text(f"written: {counted(wanted, 'instance')} below {out}")


@drift.command()
@click.option("--ensemble", default="reserved", show_default=True, help="Name of the set to play on.")
@click.option("--count", type=click.IntRange(1, 10_000), default=120, show_default=True, help="How many instances.")
@click.option("--family", type=click.Choice(["paper", "wide"]), default="wide", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def strategies(ensemble: str, count: int, family: Family, as_json: bool) -> None:
    """Play every scripted strategy on a set, and print how often its prediction is exact, and what it costs.

    The exit code is 1 if a script that is not told the answer is exact on more than 15 % of the instances.

    Example: whatworked drift strategies --count 30 --family paper
    """
    from whatworked.environments.drift.generation import generate_set
    from whatworked.environments.drift.strategies.measuring import (
        LIMIT,
        STRATEGIES,
        falsifier_rates,
        strategy_rates,
    )
    from whatworked.progress import progress
    from whatworked.wording import fixed

    with progress(count, "instance", label="generating") as bar:
        instances = []
        for instance in generate_set(ensemble, count, family=family):
            instances.append(instance)
            bar.update()
    rates = []
    with progress(len(STRATEGIES) + 1, "strategy", label="playing") as bar:
        for rate in strategy_rates(instances):
            rates.append(rate)
            bar.update()
    refutations = list(falsifier_rates(instances))
    if as_json:
        print_json({"rates": [rate._asdict() for rate in rates], "falsifiers": [row._asdict() for row in refutations]})
    else:
        header = ["strategy", "exact", "intake", "answer", "counter", "actions", "evidence"]
        rows = [
            [rate.strategy, *(f"{share:.1%}" for share in rate[2:6]), fixed(rate.price, 1), fixed(rate.evidence, 1)]
            for rate in rates
        ]
        print_table([header, *rows], right=list(range(1, 7)))
        echo()
        refuted = [[row.repair, f"{row.share:.1%}", fixed(row.price, 1)] for row in refutations]
        print_table([["repair", "refuted", "actions"], *refuted], right=[1, 2])
    if any(rate.exact > LIMIT for rate in rates if rate.strategy != "oracle"):
        click.get_current_context().exit(1)


def _print_space(space: AnswerSpace) -> None:
    rows = [[name, str(space.values[name]), f"{space.top_shares[name]:.1%}"] for name in space.values]
    echo()
    print_table([["field", "values", "most common"], *rows], right=[1, 2])
    print_text(
        f"{counted(space.instances, 'instance')}, {counted(space.triples, 'answer')} of {space.capacity} "
        "that the fields allow; "
        f"{space.mean_start:.1f} individuals at tick 0"
    )


def _read(path: Path) -> Instance:
    from whatworked.environments.drift.checking import read_instance
    from whatworked.storage.files import user_path

    return read_instance(user_path(path))
