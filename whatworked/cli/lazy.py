"""Groups of commands: help in full, the nearest command where one is unknown, commands imported when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from whatworked.errors import nearest


class Group(click.Group):
    """Group that never shortens a command's help line, and offers the nearest command for one that does not exist."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands and their help lines, each over as many lines as it needs."""
        with formatter.section("Commands"):
            formatter.write_dl(self.help_lines(ctx))

    def help_lines(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Name and help line of every command."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        return [(name, command.get_short_help_str(limit=1000)) for name, command in commands if command is not None]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a usage error that offers the nearest ones if there is none."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            near = nearest(name, known, n=2, cutoff=0.6)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
            ctx.fail(f"unknown command {name!r}; {hint}")
        return super().resolve_command(ctx, args)


class LazyGroup(Group):
    """Group over ``{name: ("module:attribute", one-line help)}``.

    The help line stands here as well so that ``--help`` needs no import; a test holds the two together.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order they were declared."""
        return [*self.lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if there is none of that name."""
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, attribute = self.lazy[cmd_name][0].split(":")
        command = getattr(importlib.import_module(module), attribute)
        return command if isinstance(command, click.Command) else None

    def help_lines(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Name and help line of every command, without importing any."""
        declared = [(name, text) for name, (_, text) in self.lazy.items()]
        others = ((name, super(LazyGroup, self).get_command(ctx, name)) for name in super().list_commands(ctx))
        return declared + [
            (name, command.get_short_help_str(limit=1000)) for name, command in others if command is not None
        ]
