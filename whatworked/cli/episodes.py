"""Arguments that commands about episodes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from whatworked.episodes.ticket import Ticket

_OPTIONS = (
    click.option("--budget", metavar="N", help="The environment's option `budget`."),
    click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="Another of its options; repeatable."),
    click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder [episode-<digest>]."),
    click.option("--salt", type=click.Path(path_type=Path, dir_okay=False), help="File of a private salt."),
)


def episode_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command with the options that say what is played and where."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def ticket_of(environment: str | None, instance: str | None, ticket: str | None, chosen: Mapping[str, Any]) -> Ticket:
    """The ticket that arguments of a command make, or the one that they name.

    Raises
    ------
    InvalidOptionError
        If they do not say what to play, or say it twice.
    """
    from whatworked.episodes.ticket import Ticket, read_ticket
    from whatworked.errors import InvalidOptionError

    if ticket is not None:
        if environment is not None or any(chosen[name] for name in ("budget", "options", "out", "salt")):
            raise InvalidOptionError("--ticket says all of it; give nothing else with it")
        return read_ticket(ticket)
    if environment is None or instance is None:
        raise InvalidOptionError("give an ENVIRONMENT and an INSTANCE, as in `whatworked play effects wine`")
    options = chosen_options(chosen["budget"], chosen["options"])
    folder = chosen["out"] or Path(f"episode-{_digest(environment, instance, options, chosen)}")
    return Ticket(
        environment=environment,
        instance=instance,
        options=options,
        folder=str(folder.absolute()),
        salt=None if chosen["salt"] is None else str(chosen["salt"].absolute()),
    )


def chosen_options(budget: str | None, options: tuple[str, ...]) -> dict[str, str]:
    """Options by name, from ``--budget`` and ``--option``; texts, which the environment reads."""
    from whatworked.errors import InvalidOptionError

    found: dict[str, str] = {} if budget is None else {"budget": budget}
    for text in options:
        name, mark, value = text.partition("=")
        if not mark or not name:
            raise InvalidOptionError(f"--option {text!r} has no value; write --option KEY=VALUE")
        if name in found:
            raise InvalidOptionError(f"the option {name!r} is given twice; give it once")
        found[name] = value
    return found


def _digest(environment: str, instance: str, options: Mapping[str, str], chosen: Mapping[str, Any]) -> str:
    from whatworked.storage.canonical import canonical_json, sha256

    told = [environment, instance, options, str(chosen["salt"]), chosen.get("player")]
    return sha256(canonical_json(told))[:8]
