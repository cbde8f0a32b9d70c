"""`whatworked sources`: what data there are, where from, on which terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from whatworked.cli.lazy import Group
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.sources.library import Library
    from whatworked.sources.status import Finding, SourceStatus

Command = TypeVar("Command", bound=Callable[..., Any])


def _common(command: Command) -> Command:
    """Options of the list and of each command: which sources, where raw data may be, how to print."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--offline", is_flag=True, default=None, help="Leave the network alone."),
        click.option("--cache", metavar="DIR", help="Downloads and prepared inputs [WHATWORKED_CACHE]."),
        click.option("--mirror", metavar="DIR", help="A folder of raw files per source [WHATWORKED_MIRROR]."),
        click.option("--family", "families", multiple=True, metavar="FAMILY", help="Only this family; repeatable."),
    ):
        command = option(command)
    return command


_names = click.argument("names", nargs=-1, metavar="[SOURCE]...")


@click.group(cls=Group, invoke_without_command=True)
@_common
@click.pass_context
def sources(context: click.Context, /, as_json: bool, **options: Any) -> None:
    """List, fetch, check or export the raw data; begin a source of your own.

    Without a command, list them.
    """
    context.obj = {**options, "as_json": as_json}
    if context.invoked_subcommand is None:
        _list(*_selection(context, (), {}), as_json)


@sources.command("list")
@_names
@_common
@click.pass_context
def list_sources(context: click.Context, /, names: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """List sources: whether each is on this machine, where it comes from, its licence."""
    _list(*_selection(context, names, options), as_json or context.obj["as_json"])


@sources.command()
@click.argument("name")
@click.argument("folder", default=".", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False))
@click.option("--family", required=True, metavar="FAMILY", help="The family that the source is for.")
def new(name: str, folder: Path, family: str) -> None:
    """Write a commented manifest NAME.toml into DIR (here by default), with raw data drawn at random, to begin with.

    It works at once; put your own data in the place of those drawn.
    """
    from whatworked.testing.skeletons import write_source

    path = write_source(name, family, folder)
    print_text(f"{path} declares source {name} of family {family}. Put your data in the place of those drawn. Next:")
    echo()
    echo(f"    export WHATWORKED_MANIFESTS={folder}")
    echo(f"    whatworked sources check {name}")


@sources.command()
@_names
@_common
@click.option("--again", is_flag=True, help="Build prepared inputs again even if they are stored.")
@click.pass_context
def fetch(context: click.Context, /, names: tuple[str, ...], again: bool, **options: Any) -> None:
    """Get raw data and prepare them: the named sources, or all.

    Sources that no route leads to are listed with what to do. Exit code 1 if a named source is absent or any is wrong.
    """
    from whatworked.sources.status import fetch as fetch_source

    library, wanted = _selection(context, names, options)
    library.probe(wanted)
    _run(context, wanted, lambda name: [fetch_source(library, name, again=again)], names, options)


@sources.command()
@_names
@_common
@click.pass_context
def check(context: click.Context, /, names: tuple[str, ...], **options: Any) -> None:
    """Check the digests of everything on this machine, and that every raw form leads to the same prepared input.

    Exit code 1 if anything is wrong, or a named source is absent.
    """
    from whatworked.sources.status import check as check_source

    library, wanted = _selection(context, names, options)
    _run(context, wanted, lambda name: check_source(library, name), names, options)


@sources.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@_names
@_common
@click.pass_context
def export(context: click.Context, /, folder: Path, names: tuple[str, ...], **options: Any) -> None:
    """Write raw files and attributions into DIR, which then serves as a mirror (--mirror DIR).

    Sources that no route leads to are left out and listed. Exit code 1 if a named source is absent or any is wrong.
    """
    from whatworked.sources.status import export as export_source

    library, wanted = _selection(context, names, options)
    library.probe(wanted)
    _run(context, wanted, lambda name: [export_source(library, name, folder)], names, options)


def _selection(
    context: click.Context, names: tuple[str, ...], options: dict[str, Any]
) -> tuple[Library, tuple[str, ...]]:
    """The library and the wanted sources; options given before the command's name count where it has none itself."""
    from whatworked.catalog.catalog import sources as source_ids
    from whatworked.catalog.manifest_files import entry
    from whatworked.sources.library import Library

    given = {key: options.get(key) or value for key, value in context.obj.items()}
    library = Library(given["cache"], given["mirror"], given["offline"])
    named = tuple(entry(name).id for name in names)
    families = given["families"] or ((None,) if not names else ())
    wanted = (*named, *(name for family in families for name in source_ids(family)))
    return library, tuple(dict.fromkeys(wanted))


def _list(library: Library, wanted: tuple[str, ...], as_json: bool) -> None:
    from whatworked.sources.status import status

    lines = [status(library, name) for name in wanted]
    if as_json:
        print_json([asdict(line) for line in lines])
        return
    rows = [(line.source, line.family, "yes" if line.present else "no", line.route, line.licence) for line in lines]
    print_table([("source", "family", "present", "from", "licence"), *rows])
    here = sum(line.present for line in lines)
    wrong = [line for line in lines if line.problem]
    absent = [line for line in lines if not line.present and not line.problem]
    echo()
    print_text(f"{here} of {counted(len(lines), 'source')} {'is' if here == 1 else 'are'} on this machine.")
    if absent:
        known = [line for line in lines if not line.problem]
        _print_absent(absent, {line.family for line in known} - {line.family for line in known if line.present})
    for line in wrong:
        print_text(f"- {line.source}: {line.problem}", indent=2)


def _print_absent(absent: list[SourceStatus], empty: set[str]) -> None:
    if empty:
        print_text(f"Families without any source here: {', '.join(sorted(empty))}.")
    print_text(
        "To get the others: `whatworked sources fetch`. Without a network: --mirror DIR with the files below in "
        f"DIR/<source>{_or_cache(absent[0].folder)}.\n"
    )
    print_table(
        [
            ("source", "files", "official address"),
            *((line.source, ", ".join(line.files), line.address) for line in absent),
        ]
    )


def _or_cache(folder: str) -> str:
    return f", or put them into {Path(folder).parent}/<source>" if folder else ""


def _run(
    context: click.Context,
    wanted: tuple[str, ...],
    action: Callable[[str], list[Finding]],
    names: tuple[str, ...],
    options: dict[str, Any],
) -> None:
    """Run an action on each source with progress, print what it found, and exit with its code."""
    from whatworked.progress import progress

    findings: list[Finding] = []
    with progress(len(wanted), "sources") as bar:
        for name in wanted:
            bar.set_postfix_str(name)
            findings += action(name)
            bar.update()
    if options["as_json"] or context.obj["as_json"]:
        print_json([asdict(finding) for finding in findings])
    else:
        _print_findings(findings)
    bad = ("wrong", "absent") if names else ("wrong",)
    context.exit(int(any(finding.outcome in bad for finding in findings)))


def _print_findings(findings: list[Finding]) -> None:
    print_table([(finding.source, finding.outcome, finding.what, finding.origin) for finding in findings], drop=(3,))
    counts = {
        outcome: sum(finding.outcome == outcome for finding in findings) for outcome in ("right", "wrong", "absent")
    }
    echo("\n" + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    for finding in findings:
        if finding.message:
            print_text(f"- {finding.message}", indent=2)
