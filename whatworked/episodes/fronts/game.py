"""An episode as a Python object: what scripted players and agents' own loops hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whatworked.environments.protocol import Call, Json, Tool
from whatworked.episodes.budgets import Budget
from whatworked.episodes.episode import Episode
from whatworked.episodes.fronts.host import EpisodeHost, Host
from whatworked.episodes.reply import Reply
from whatworked.errors import nearest


class Game:
    """A player's side of an episode.

    Each tool is also a method: ``game.observe_many(masks=["0101"])`` is ``game.call("observe_many", masks=["0101"])``.

    Parameters
    ----------
    host : Host or Episode
        Who answers.

    Examples
    --------
    >>> def player(game):
    ...     game.observe_many(masks=["0101", "1010"])
    ...     game.submit_diagnosis(estimator="ridge_pair")
    """

    def __init__(self, host: Host | Episode) -> None:
        self._host: Host = EpisodeHost(host) if isinstance(host, Episode) else host

    @property
    def opening(self) -> str:
        """What the player is told: the task, the tools' rules, the budgets."""
        return self._host.text

    @property
    def facts(self) -> Mapping[str, Json]:
        """The same for programs."""
        return self._host.facts

    @property
    def closed(self) -> bool:
        """Whether nothing more can be called."""
        return self._host.standing().closed

    def tools(self) -> Sequence[Tool]:
        """What can be called now.

        Returns
        -------
        sequence of Tool
        """
        return self._host.tools()

    def budgets(self) -> Mapping[str, Budget]:
        """Limit, used and left of each counter now.

        Returns
        -------
        mapping of str to Budget
        """
        return self._host.standing().budgets

    def remaining_seconds(self) -> float | None:
        """Seconds until the deadline now; None without one.

        Returns
        -------
        float or None
        """
        return self._host.standing().remaining_seconds

    def call(self, tool: str, arguments: Json = None, /, *, call_id: str | None = None, **named: Json) -> Reply:
        """Call a tool.

        Parameters
        ----------
        tool : str
            Its name.
        arguments : mapping, optional
            By name; anything else is refused by the host.
        call_id : str, optional
            Of the player's choice; a second call of that id has the first one's reply.
        **named : object
            Further arguments by name. Values of numpy are taken as lists and numbers.

        Returns
        -------
        Reply
            With the result, or why the call was refused.
        """
        given = arguments if arguments is not None else {}
        given = {**given, **named} if isinstance(given, Mapping) else given
        return self._host.call(Call(tool=tool, arguments=_plain(given), call_id=call_id))

    def __getattr__(self, name: str) -> Callable[..., Reply]:
        names = [] if name.startswith("_") else [tool.name for tool in self.tools()]
        # A closed episode has no tools; that it is closed, the refusal of the call says.
        if name not in names and (name.startswith("_") or not self.closed):
            near = nearest(name, names)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise AttributeError(f"there is no tool of the name {name!r}{hint} (tools: {', '.join(names)})")

        def call(arguments: Json = None, /, *, call_id: str | None = None, **named: Json) -> Reply:
            return self.call(name, arguments, call_id=call_id, **named)

        return call


def _plain(value: Any) -> Any:
    """Arrays and numbers of numpy as JSON has them; everything else as it is."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.tolist() if type(value).__module__ == "numpy" and hasattr(value, "tolist") else value
