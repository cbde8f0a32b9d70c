"""``whatworked families``: workflow families, and one of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from whatworked.cli.lazy import Group
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import counted


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def families(context: click.Context) -> None:
    """List workflow families; begin and check one of your own.

    Without a command, list them.

    Example: whatworked families new mine
    """
    if context.invoked_subcommand is None:
        context.invoke(list_families)


@families.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_families(as_json: bool = False) -> None:
    """List families: options, stages, metric, sources."""
    from whatworked import workflows
    from whatworked.catalog.catalog import conditions
    from whatworked.errors import WhatWorkedError

    sources: dict[str, set[str]] = {}
    for condition in conditions():
        sources.setdefault(condition.family, set()).add(condition.source)
    facts: list[dict[str, Any]] = []
    problems: list[tuple[str, str]] = []
    for name in workflows.families():
        try:
            workflow = workflows.get(name)
        except WhatWorkedError as error:
            problems.append((name, str(error)))
            continue
        facts.append(
            {
                "family": name,
                "options": workflow.d,
                "programs": len(workflow.equivalence()),
                "metric": workflow.metric.name,
                "sources": sorted(sources.get(name, ())),
            }
        )
    if as_json:
        print_json({"families": facts, "problems": dict(problems)})
        return
    rows = [(*row.values(),) for row in facts]
    head = ("family", "options", "programs", "metric", "sources")
    print_table([head, *(tuple(map(str, (*row[:-1], len(row[-1])))) for row in rows)], right=(1, 2, 4))
    for name, problem in problems:
        print_text(f"- {name}: {problem}", indent=2)


@families.command()
@click.argument("name")
@click.argument("folder", default=".", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False))
def new(name: str, folder: Path) -> None:
    """Write NAME_family.py into DIR (here by default): a commented family of five options that runs at once."""
    from whatworked.testing.skeletons import write_family

    path = write_family(name, folder)
    print_text(f"{path} declares family {name}, five options. Next, a source for it, a check, and its table:")
    echo()
    for line in (
        f"export PYTHONPATH={folder} WHATWORKED_FAMILIES={name}={name}_family:WORKFLOW",
        f"whatworked sources new {name}_data --family {name} {folder / 'sources'}",
        f"export WHATWORKED_MANIFESTS={folder / 'sources'}",
        f"whatworked families check {name}",
        f"whatworked rebuild {name}_data --out tables",
    ):
        echo(f"    {line}")


@families.command()
@click.argument("family")
@click.option("--cache", metavar="DIR", help="Downloads and prepared inputs [WHATWORKED_CACHE].")
@click.option("--mirror", metavar="DIR", help="A folder of raw files per source [WHATWORKED_MIRROR].")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check(context: click.Context, family: str, cache: str | None, mirror: str | None, as_json: bool) -> None:
    """Say what is wrong with FAMILY and what is missing before the commands can run it.

    FAMILY is a registered name, or module:attribute of a workflow. A few masks are run on each of its sources that is
    on this machine. Exit code 1 if a check fails.
    """
    from whatworked import workflows
    from whatworked.sources.library import Library
    from whatworked.testing.families import check_family, notes_on

    workflow = workflows.get(family)
    results = []
    if not as_json:
        echo(f"family {workflow.family}: {counted(workflow.d, 'option')}, {len(workflow.equivalence())} programs")
    for result in check_family(workflow, Library(cache, mirror, offline=True)):
        results.append(result)
        if not as_json:
            mark = "ok  " if result.passed else "FAIL"
            print_text(f"  {mark}  {result.name}: {result.problem or result.what}", indent=8)
    notes = tuple(notes_on(workflow))
    failed = sum(not result.passed for result in results)
    if as_json:
        checks = [
            {"name": result.name, "what": result.what, "passed": result.passed, "problem": result.problem}
            for result in results
        ]
        print_json({"family": workflow.family, "failed": failed, "checks": checks, "notes": list(notes)})
    else:
        for note in notes:
            print_text(f"  note  {note}", indent=8)
        echo(f"{failed} of {len(results)} checks failed" if failed else f"all {len(results)} checks passed")
    context.exit(1 if failed else 0)
