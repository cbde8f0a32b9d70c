"""Saying once for many conditions that their sources are not on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from whatworked.cli.output import print_text
from whatworked.wording import counted

FEW = 3
"""Conditions with one reason that are named before it."""


class Obstacle(NamedTuple):
    """A condition that could not run: its source, the whole reason, and why alone where the source is absent."""

    condition: str
    source: str
    reason: str
    absence: tuple[str, ...]


def print_obstacles(obstacles: Sequence[Obstacle], what: str) -> None:
    """Say why conditions could not run, each reason once; several absent sources share one paragraph.

    Parameters
    ----------
    obstacles : sequence of Obstacle
        The conditions.
    what : str
        What became of them, for instance ``"not checked"``; empty where the reasons say so.
    """
    absent = [obstacle for obstacle in obstacles if obstacle.absence]
    together = absent if len({obstacle.source for obstacle in absent}) > 1 else []
    apart = [obstacle for obstacle in obstacles if obstacle not in together]
    for reason in dict.fromkeys(obstacle.reason for obstacle in apart):
        names = [obstacle.condition for obstacle in apart if obstacle.reason == reason]
        listed = ", ".join(names)
        if len(names) > FEW:
            print_text(f"- {f'{len(names)} conditions {what}'.strip()}: {reason} ({listed})", indent=2)
        else:
            print_text(f"- {f'{listed} {what}'.strip()}: {reason}", indent=2)
    if together:
        sources = tuple(dict.fromkeys(obstacle.source for obstacle in together))
        print_text(
            f"- {counted(len(together), 'condition')} {what}, for {counted(len(sources), 'source')} that are not "
            f"on this machine ({_reasons(together)}): {', '.join(sources)}. Give --mirror DIR with raw files in "
            "DIR/<source>; `whatworked sources` says which files, and where they are from",
            indent=2,
        )


def _reasons(absent: Sequence[Obstacle]) -> str:
    """All reasons, each once; sites that have the same one are named together."""
    sites: dict[str, list[str]] = {}
    for reason in dict.fromkeys(reason for obstacle in absent for reason in obstacle.absence):
        site, colon, what = reason.partition(": ")
        sites.setdefault(what if colon else reason, []).extend([site] if colon else [])
    return "; ".join(f"{', '.join(named)}: {what}" if named else what for what, named in sites.items())
