"""``whatworked serve``: let a player from another process play one episode."""

from __future__ import annotations

import os
import sys

import click

from whatworked.cli.episodes import episode_options, ticket_of


@click.command()
@click.argument("environment", required=False)
@click.argument("instance", required=False)
@episode_options
@click.option("--ticket", metavar="FILE", help="File of mode 600 with all of this; then nothing else is given.")
@click.option(
    "--front", type=click.Choice(["jsonl"]), default="jsonl", show_default=True, help="How the player speaks with it."
)
def serve(environment: str | None, instance: str | None, ticket: str | None, front: str, **chosen: object) -> None:
    """Serve an episode to a player in another process.

    It is begun, or gone on with where it exists. The name of the instance stands in the command line then, which every
    process of the machine can read; with --ticket it does not.

    Example: whatworked serve effects wine --budget 8 --out episode
    """
    del front
    from whatworked.episodes.fronts.host import EpisodeHost
    from whatworked.episodes.fronts.lines import serve_lines
    from whatworked.episodes.hosts import keep_private, take_output

    output = take_output()
    keep_private()
    held = ticket_of(environment, instance, ticket, chosen)
    with held.opened() as episode, os.fdopen(output, "wb") as sink:
        serve_lines(EpisodeHost(episode), sys.stdin.buffer, sink)
