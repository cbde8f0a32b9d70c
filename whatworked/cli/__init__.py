"""The command line. Each command lives in its own module and is imported only when it runs."""

from __future__ import annotations

import sys
import warnings

import click

from whatworked import __version__
from whatworked.cli.interrupts import keep_interrupts
from whatworked.cli.lazy import LazyGroup
from whatworked.cli.output import echo, print_text
from whatworked.cli.streams import drop_output, prepare_streams
from whatworked.errors import WhatWorkedError

COMMANDS = {
    "rebuild": ("whatworked.cli.rebuild:rebuild", "Run configurations into hashed reference tables."),
    "verify": ("whatworked.cli.verify:verify", "Recompute records and say how each compares."),
    "list": ("whatworked.cli.catalog:list_conditions", "List the conditions of the catalog."),
    "show": ("whatworked.cli.catalog:show", "Show one condition: options, settings, source, utilities."),
    "sources": (
        "whatworked.cli.sources:sources",
        "List, fetch, check or export the raw data; begin a source of your own.",
    ),
    "families": ("whatworked.cli.families:families", "List workflow families; begin and check one of your own."),
    "examples": ("whatworked.cli.examples:examples", "Write the examples of the documentation as files."),
    "effects": ("whatworked.cli.effects:effects", "Which options help, hurt and reverse, and where."),
    "grade": ("whatworked.cli.grade:grade", "Grade one prediction table against a condition."),
    "export": ("whatworked.cli.export:export", "Write effects, interactions and the catalog summary as CSV."),
    "plot": ("whatworked.cli.plot:plot", "Draw one condition (needs the report extra)."),
    "controls": ("whatworked.cli.controls:controls", "Run, verify and tabulate the control study."),
    "inference": ("whatworked.cli.inference:inference", "Choose, confirm and calibrate our own inference."),
    "bench": ("whatworked.cli.bench:bench", "Benchmark estimators and policies under budgets."),
    "compare": ("whatworked.cli.compare:compare", "Say whether, where and how surely a method is better."),
    "measure": ("whatworked.cli.measure:measure", "Measure a few settings of a pipeline; know what each switch does."),
    "report": ("whatworked.cli.report:report", "Write one self-contained HTML page about a run."),
    "drift": ("whatworked.cli.drift:drift", "The drift: worlds whose representation must be found."),
    "play": ("whatworked.cli.play:play", "Let a player or a person play an episode."),
    "serve": ("whatworked.cli.serve:serve", "Serve an episode to a player in another process."),
    "episode": ("whatworked.cli.episode:episode", "Show, grade and replay episodes; put many into a table."),
    "process": ("whatworked.cli.process:process", "Process scoring: records of agents' runs."),
    "doctor": ("whatworked.cli.doctor:doctor", "Say what works on this machine, and how to mend the rest."),
    "check": ("whatworked.cli.check:check", "Run the conformance kit on a plug-in."),
    "cite": ("whatworked.cli.cite:cite", "Say how to cite the software and the data."),
    "submit": ("whatworked.cli.submit:submit", "Pack a run for the leaderboard."),
    "verify-run": ("whatworked.cli.submit:verify_run", "Re-grade a packed run from its predictions."),
    "leaderboard": ("whatworked.cli.leaderboard:leaderboard", "Show the recorded results."),
}


@click.group(
    cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="whatworked")
def cli() -> None:
    """Measure how well something that runs experiments comes to know what each change does."""


def main() -> None:
    """Entry point: an error on purpose is one line and exit code 2, Ctrl-C is exit code 130."""
    prepare_streams()
    keep_interrupts()
    # Without semaphores (no writable /dev/shm) joblib warns of something that our own workers do without.
    warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
    sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        # Outside its standalone mode click returns the code that a command exits with.
        code = cli(standalone_mode=False)
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        echo("interrupted; finished work is kept, run the same command again to go on", err=True)
        return 130
    except WhatWorkedError as error:
        print_text(f"error: {error}", indent=2, errors=True)
        return 2
    except SystemExit as ended:
        # In this mode click exits by itself, with code 1, only if the reader of our output (`head`, a pager) has gone.
        drop_output()
        return 141 if ended.code == 1 else 0
    except OSError as error:
        # What the library reads and writes has errors of its own; this is the output itself, on a full disk say.
        echo(f"error: {error}; send the output elsewhere and run the same command again", err=True)
        drop_output()
        return 2
    except (ValueError, ImportError):
        # What libraries read from the environment when they are imported they refuse with errors of their own.
        if not (problem := _wrong_setting()):
            raise
        print_text(f"error: {problem}", indent=2, errors=True)
        return 2
    return code if isinstance(code, int) else 0


def _wrong_setting() -> str:
    from whatworked.workers.settings import check_settings

    try:
        check_settings()
    except WhatWorkedError as error:
        return str(error)
    return ""


def _show(error: click.ClickException) -> None:
    """Print click's own errors in the style of ours; a group called without a command prints its help."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    said = " ".join(error.format_message().split()).rstrip(".")
    said = said.replace(". Did you", "; did you").replace(". (Did you", " (did you")
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return
    more = "" if context is None else f"; see {context.command_path} --help"
    print_text(f"error: {said[:1].lower()}{said[1:]}{more}", indent=2, errors=True)
