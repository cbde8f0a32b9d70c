"""``reset`` and ``step`` by the conventions of gymnasium; reward comes at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from whatworked.environments.protocol import Call, Json
from whatworked.episodes.episode import Episode

Begin = Callable[[int], Episode]
"""From a number (a seed) to a new episode."""


class EpisodeGym:
    """Episodes one after another, for a trusted learner in this process.

    ``EpisodeGym(lambda seed: Ticket(…, folder=f"/runs/{seed}").opened())``, then ``gym.reset()``, and
    ``gym.step(("observe_many", {"masks": ["0101"]}))`` until it is terminated or truncated.

    Parameters
    ----------
    begin : callable
        From a seed to a new, open episode, in a folder of its own.
    """

    def __init__(self, begin: Begin) -> None:
        self._begin = begin
        self._episode: Episode | None = None
        self._seed = 0

    def reset(self, *, seed: int | None = None) -> tuple[dict[str, Json], dict[str, Any]]:
        """Begin the next episode.

        Parameters
        ----------
        seed : int, optional
            Given to `begin`; the one after the last unless given.

        Returns
        -------
        observation : dict
            Facts of the opening.
        info : dict
            ``text``, ``tools`` and ``budgets``.
        """
        self.close()
        self._seed = self._seed + 1 if seed is None else seed
        self._episode = self._begin(self._seed)
        tools = [tool.name for tool in self._episode.tools()]
        standing = self._episode.standing().content()
        return dict(self._episode.opening.facts), {
            "text": self._episode.opening.text,
            "tools": tools,
            "budgets": standing["budgets"],
        }

    def step(self, action: tuple[str, Mapping[str, Json]]) -> tuple[dict[str, Json], float, bool, bool, dict[str, Any]]:
        """Call a tool.

        Parameters
        ----------
        action : tuple of str and mapping
            Tool and arguments.

        Returns
        -------
        observation : dict
            The result; empty for a refused call.
        reward : float
            0 until the episode ends, then its primary score, 0 where that is undefined.
        terminated : bool
            Whether it was closed.
        truncated : bool
            Whether the time was up before.
        info : dict
            ``refused``, ``budgets`` and ``remaining_seconds``; at the end ``score``.

        Raises
        ------
        RuntimeError
            Before the first `reset`.
        """
        if self._episode is None:
            raise RuntimeError("call reset first")
        tool, arguments = action
        reply = self._episode.call(Call(tool=tool, arguments=arguments))
        info = {name: reply.content().get(name) for name in ("refused", "budgets", "remaining_seconds")}
        truncated = not reply.closed and reply.remaining_seconds == 0
        reward = self._reward(info) if reply.closed or truncated else 0.0
        return dict(reply.result), reward, reply.closed, truncated, info

    def close(self) -> None:
        """Give up the present episode, which stays as it is."""
        if self._episode is not None:
            self._episode.close()
        self._episode = None

    def _reward(self, info: dict[str, Any]) -> float:
        if self._episode is None:
            return 0.0
        score = self._episode.score()
        info["score"] = dict(score.values)
        return float(score.values.get(score.primary) or 0.0)
