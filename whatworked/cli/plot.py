"""``whatworked plot``: one condition as a figure."""

from __future__ import annotations

from pathlib import Path

import click

from whatworked import plots
from whatworked.cli.output import echo, print_text
from whatworked.cli.surfaces import references_option, surface_or_table, table_options
from whatworked.errors import InvalidOptionError


@click.command()
@click.argument("condition")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; its suffix, .png or .svg, is the format.",
)
@click.option(
    "--kind",
    default="overview",
    show_default=True,
    type=click.Choice(plots.KINDS),
    help="Everything on one page, or one panel.",
)
@references_option
@table_options
def plot(condition: str, out: Path, kind: str, where: Path | None, column: str | None, direction: str | None) -> None:
    """Draw CONDITION: effects by background, main effects, pair interactions and spectrum.

    CONDITION may be a CSV file with a column for each option, of two levels each, and one of results for all settings.

    Needs matplotlib, which the report extra brings: pip install "whatworked[report]"

    Examples: whatworked plot astronaut__d6 --out X.png; whatworked plot wine --kind interactions --out wine.svg
    """
    from whatworked.storage.files import write_atomic

    form = out.suffix.removeprefix(".").lower()
    if form not in plots.FORMATS:
        allowed = " or ".join(f".{name}" for name in plots.FORMATS)
        raise InvalidOptionError(f"the suffix of {out} is {out.suffix or 'missing'!r}; end the name with {allowed}")
    labelled, note = surface_or_table(condition, where, column, direction)
    write_atomic(out, plots.render(plots.draw(labelled, kind), form))
    echo(str(out))
    if note:
        print_text(note)
