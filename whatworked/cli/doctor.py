"""``whatworked doctor``: what works on this machine."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from whatworked.cli.output import echo, print_json, print_table, print_text

if TYPE_CHECKING:
    from whatworked.sandbox import Check


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> None:
    """Say what works on this machine, and how to mend the rest.

    The exit code is 0 if all that benchmarks and grades need is here, whatever else is missing; otherwise it is 1. A
    small program is run in the sandbox, which takes some seconds.
    """
    from whatworked.sandbox import examine

    checks = examine()
    ready = all(check.works for check in checks if check.needed)
    if as_json:
        print_json({"ready": ready, "checks": [asdict(check) for check in checks]})
    else:
        _print(checks, ready)
    context.exit(0 if ready else 1)


def _print(checks: tuple[Check, ...], ready: bool) -> None:
    print_table([("what", "state", "found"), *((check.name, _state(check), check.found) for check in checks)])
    echo()
    print_text("All that is needed is here." if ready else "Something that is needed is missing.")
    for fix in dict.fromkeys(check.fix for check in checks if not check.works):
        mended = [check for check in checks if check.fix == fix]
        print_text(f"- {', '.join(check.name for check in mended)} (for {mended[-1].purpose}): {fix}", indent=2)


def _state(check: Check) -> str:
    if check.works:
        return "works"
    return "missing" if check.needed else "missing, optional"
