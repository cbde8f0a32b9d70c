"""Who does the work that a call needs outside the rules, such as running a player's program."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from whatworked.environments.protocol import Effect, Json
from whatworked.storage.canonical import canonical_json


class Performer(Protocol):
    """Does one kind of work.

    A performer whose work is cheap and comes out alike everywhere may also have a method ``compare(request, outcome)``.
    It does the work again and gives the first `Gap` between that and a recorded outcome, or None. Replays call it; an
    episode that goes on does not.
    """

    def perform(self, request: Mapping[str, Json]) -> Mapping[str, Json]:
        """The outcome of a request.

        Parameters
        ----------
        request : mapping
            As `Effect.request`.

        Returns
        -------
        mapping
            Plain JSON. The key ``"times"``, if there is one, holds what depends on the machine's speed: it goes into
            the journal's times and to the player, and not to the rules. The key ``"unavailable"`` says why the work
            could not be done at all.
        """


@dataclass(frozen=True)
class Gap:
    """Where a recorded outcome is not what the work gives.

    Attributes
    ----------
    place : str
        Which part of the outcome.
    written, found : object
        What was recorded, and what came out now.
    """

    place: str
    written: Any
    found: Any


def outcome_gap(performers: Mapping[str, Any], effect: Effect, outcome: Mapping[str, Json]) -> Gap | None:
    """Where a recorded outcome is not what its performer gives now.

    Parameters
    ----------
    performers : mapping from str to Performer
        By kind.
    effect : Effect
        What was wanted.
    outcome : mapping
        As recorded.

    Returns
    -------
    Gap or None
        None as well where nobody can compare: a program's run is taken as it was recorded.
    """
    compare = getattr(performers.get(effect.kind), "compare", None)
    if compare is None or "unavailable" in outcome:
        return None
    try:
        gap: Gap | None = compare(effect.request, outcome)
    except Exception as error:
        return Gap("outcome", outcome, f"the work failed: {error}")
    return gap


@dataclass
class Performance:
    """Times of an effect, filled while it is done.

    Attributes
    ----------
    times : dict
        ``effect``, the performer's own, and ``seconds``; empty for a call without an effect.
    """

    times: dict[str, Any] = field(default_factory=dict)


def performed(
    performers: Mapping[str, Performer],
    effect: Effect,
    performance: Performance,
    log: Callable[[BaseException, str], None],
) -> Mapping[str, Json]:
    """Have the work of an effect done.

    Parameters
    ----------
    performers : mapping from str to Performer
        By kind.
    effect : Effect
        What is wanted.
    performance : Performance
        Where the times go.
    log : callable
        Takes what a performer raised, for the host.

    Returns
    -------
    mapping
        The outcome without times; with the key ``"unavailable"`` where nobody can do it.
    """
    if effect.kind not in performers:
        return {"unavailable": f"this host does no work of the kind {effect.kind}"}
    start = time.monotonic()
    try:
        outcome = dict(json.loads(canonical_json(performers[effect.kind].perform(effect.request))))
    except Exception as error:
        log(error, f"work of the kind {effect.kind}")
        return {"unavailable": "it failed on the host, whose people can see why"}
    performance.times["seconds"] = round(time.monotonic() - start, 3)
    performance.times["effect"] = outcome.pop("times", {})
    return outcome
