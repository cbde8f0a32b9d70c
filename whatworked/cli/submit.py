"""``whatworked submit`` and ``verify-run``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.layout import AVERAGED, averaged, counts, say
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.cli.surfaces import references_option
from whatworked.cli.workers import MOST_JOBS
from whatworked.wording import counted, first_few

if TYPE_CHECKING:
    from whatworked.runs.folder import Run
    from whatworked.statistics.agreement import Verdict


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", required=True, help="What the run is called on the leaderboard.")
@click.option("--note", default="", help="A sentence about it: where the methods come from, what was tuned on what.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="The file [<name>.json.gz].")
@references_option
def submit(folder: Path, name: str, note: str, out: Path | None, where: Path | None) -> None:
    """Pack a finished run into one file, after grading it again.

    A run on other reference tables than those of the package needs --references. It can be handed to others who have
    the tables; the leaderboard of the project takes conditions of the catalog only.

    Example: whatworked submit bench-1 --name "our forest" --note "defaults, nothing tuned"
    """
    import re

    from whatworked.leaderboard.packing import SUFFIX, pack, unpack
    from whatworked.leaderboard.rerunning import plugin_files
    from whatworked.leaderboard.verification import unverifiable, verified
    from whatworked.runs import read_run
    from whatworked.runs.journal import refuse_unfinished
    from whatworked.storage.files import write_atomic

    refuse_unfinished(folder)
    data = pack(read_run(folder), name, note)
    run = verified(unpack(data, str(folder)), where)
    path = out or Path(re.sub(r"[^\w.+-]+", "-", name) + SUFFIX)
    if out is None:
        _refuse_other(path, name)
    write_atomic(path, data)
    for file, digest in plugin_files(run.description).items():
        say(f"{file} (SHA-256 {digest[:12]}…) is not in the packed run; hand it over, too: verify-run --rerun needs it")
    for unknown in unverifiable(run.description):
        say(f"Not for the leaderboard: {unknown}")
    if line := _off_leaderboard(run):
        say(line)
    records = f"{counted(len(run.records), 'record')}, all" if len(run.records) > 1 else "1 record,"
    echo(f"{path} ({len(data) / 1e6:.2f} MB): {records} graded again and found as stated")


def _refuse_other(path: Path, name: str) -> None:
    """Refuse to replace a file that is no packed run of this name: other names may lead to the same file."""
    from whatworked.errors import InvalidOptionError, RunError
    from whatworked.leaderboard.packing import LARGEST, unpack
    from whatworked.storage.files import read_file

    if not path.exists() and not path.is_symlink():
        return
    held = "no packed run"
    if path.is_file():
        data = read_file(path, LARGEST)
        try:
            submission = unpack(data, str(path))
        except RunError:
            submission = None
        if submission is not None and submission.name == name:
            return
        held = "no packed run" if submission is None else f"the packed run {submission.name!r}"
    raise InvalidOptionError(f"{path} is there and is {held}; give another --name, or name the file with --out")


def _off_leaderboard(run: Run) -> str | None:
    from whatworked.leaderboard.packing import off_leaderboard

    off = off_leaderboard(run.description)
    if not off:
        return None
    return (
        f"Not for the leaderboard of the project, which takes conditions of the catalog on the package's tables only: "
        f"{first_few(off)}. To verify the run, others need these tables and --references."
    )


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--rerun", is_flag=True, help="Run its plug-ins again, too, and compare what they deliver.")
@click.option("--trust", is_flag=True, help="Let --rerun run code that the file names: anything it can import.")
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1, MOST_JOBS), help="Workers of --rerun.")
@references_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify_run(
    context: click.Context, file: Path, rerun: bool, trust: bool, jobs: int, where: Path | None, as_json: bool
) -> None:
    """Grade a packed run again from its predictions, and refuse it if anything does not match.

    Checked are reference tables, completeness, purchases against budgets, measured cells, aliases and the grades
    claimed. With --rerun its plug-ins run again; exit code 1 if they deliver anything else. Registered names run, and
    files whose bytes are those stated. Anything else that the file names is listed, and runs only with --trust.

    Example: whatworked verify-run results/controls.json.gz
    """
    from whatworked.comparing.summary import standings
    from whatworked.leaderboard.packing import off_leaderboard, read_packed
    from whatworked.leaderboard.verification import unverifiable, verified

    submission = read_packed(file)
    run = verified(submission, where)
    again = _rerun(run, jobs, where, trust=trust) if rerun else None
    if as_json:
        content = {
            "name": submission.name,
            "note": submission.note,
            "digest": submission.digest,
            "records": len(run.records),
            "missing": run.manifest.missing,
            "unverifiable": unverifiable(run.description),
            "off_leaderboard": list(off_leaderboard(run.description)),
            "standings": [standing.to_dict() for standing in standings(run.rows())],
            "rerun": again,
        }
        print_json(content)
    else:
        _print_verified(run, submission.note, again)
    agree = all(verdict.agrees for verdict, places in (again or {}).items() if places)
    context.exit(0 if agree else 1)


def _rerun(run: Run, jobs: int, where: Path | None, *, trust: bool) -> dict[Verdict, list[str]]:
    import tempfile

    from whatworked.leaderboard.rerunning import rerun
    from whatworked.leaderboard.trust import listing, untrusted

    if trust and (found := untrusted(run.description)):
        print_text(f"Trusted, and run as you:{listing(found)}", errors=True)
    with tempfile.TemporaryDirectory() as folder:
        return rerun(run, Path(folder) / "run", jobs, where, trust=trust)


def _print_verified(run: Run, note: str, again: dict[Verdict, list[str]] | None) -> None:
    from whatworked.comparing.summary import standings
    from whatworked.leaderboard.verification import unverifiable

    echo(f"{run.name}: {counted(len(run.records), 'record')} graded again and found as stated")
    if note:
        echo(f"note: {note}")
    for unknown in unverifiable(run.description):
        say(f"Not verified, and not for the leaderboard: {unknown}")
    if line := _off_leaderboard(run):
        say(line)
    found = standings(run.rows())
    strict, exact = [standing.strict for standing in found], [standing.exact for standing in found]
    rows = [
        (standing.track, str(standing.budget), standing.method, f"{standing.value:.3f}", *shown)
        for standing, *shown in zip(found, counts(strict), counts(exact), strict=True)
    ]
    print_table([("track", "B", "method", found[0].score.label, "strict", "exact"), *rows], right=(1, 3, 4, 5))
    _print_averaged(strict, exact)
    if again is not None:
        from whatworked.statistics.agreement import in_words

        echo("run again: " + in_words({verdict: len(places) for verdict, places in again.items()}))
        different = [place for verdict, places in again.items() if not verdict.agrees for place in places]
        for place in different[:12]:
            echo(f"  different: {place}")


def _print_averaged(strict: Sequence[float], exact: Sequence[float]) -> None:
    if averaged(strict, exact):
        echo(AVERAGED)
