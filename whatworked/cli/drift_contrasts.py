"""``whatworked drift contrasts``: what posting, disclosing and note aids change, within player and instance."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.output import print_json, print_table, print_text

if TYPE_CHECKING:
    from whatworked.process.drift import Contrast


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="EPISODE|FOLDER...", type=click.Path(path_type=Path))
@click.option(
    "--judgements", type=click.Path(path_type=Path, file_okay=False),
    help="Folder with what `drift judge` wrote; adds blocks, their area, bridges and changes.",
)  # fmt: skip
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="One of the measures; repeatable [all].")
@click.option("--salt", type=click.Path(path_type=Path, dir_okay=False), help="The private salt of the episodes.")
@click.option(
    "--resamples", default=9_999, show_default=True, type=click.IntRange(1, 1_000_000), help="Of the bootstrap."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def contrasts(
    paths: tuple[Path, ...], judgements: Path | None, measures: tuple[str, ...], salt: Path | None, resamples: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Contrast episodes of the drift: what posting, disclosing and note aids change.

    Posted is contrasted with not, disclosed with not, and the one within the other. A contrast is taken within each
    player and instance, over the mean of the episodes of each variant; intervals resample players, and within them
    instances. A note aid is contrasted with the same model without it.

    Example: whatworked drift contrasts episodes --judgements drift-judgements --measure evidence_auc --measure blocks
    """
    from whatworked.episodes.standings import find_episodes, read_rows
    from whatworked.errors import EpisodeError, unknown_name
    from whatworked.process.drift import JUDGED, LOGGED, outcomes_of
    from whatworked.process.drift import contrasts as contrasts_of
    from whatworked.storage.files import user_path

    allowed = [*LOGGED, *(JUDGED if judgements is not None else ())]
    for name in measures:
        if name not in allowed:
            raise unknown_name("measure", name, allowed)
    folders = find_episodes([user_path(path) for path in paths])
    if not folders:
        raise EpisodeError(f"there is no episode in {', '.join(map(str, paths))}; give folders of episodes")
    rows = read_rows(folders, salt=None if salt is None else user_path(salt))
    outcomes, left_out = outcomes_of(rows, None if judgements is None else user_path(judgements))
    for reason in left_out:
        print_text(f"left out: {reason}", errors=True)
    found = contrasts_of(outcomes, list(dict.fromkeys(measures)) or allowed, resamples=resamples)
    if as_json:
        print_json([contrast._asdict() | {"interval": dataclasses.asdict(contrast.interval)} for contrast in found])
        return
    head = ["measure", "contrast", "players", "pairs", "difference", "95 % interval"]
    print_table([head, *map(_row, found)], right=[2, 3, 4], keys=2)
    print_text(
        "A pair is a player on an instance. The interaction is (disclosed-aligned - open-aligned) - "
        "(disclosed-distributed - open-distributed). No correction is made for the number of rows."
    )


def _row(found: Contrast) -> list[str]:
    from whatworked.wording import fixed, interval_text

    interval = found.interval
    return [
        found.measure,
        found.contrast,
        str(found.players),
        str(found.pairs),
        fixed(interval.estimate, 3, signed=True),
        interval_text(interval.low, interval.high, 3, signed=True),
    ]
