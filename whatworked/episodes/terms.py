"""What an episode is of: the first entry of its journal, and what differs when somebody goes on with other things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from whatworked.environments.protocol import Environment, Instance, Json, Opening
from whatworked.errors import EpisodeError
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.wording import printable

ENGINE_VERSION = "1"
"""Changes whenever the engine may answer equal calls otherwise."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """First entry of a journal; its digest is the journal's owner.

    Attributes
    ----------
    environment, environment_version : str
        By which rules.
    engine_version : str
        `ENGINE_VERSION`.
    instance, instance_digest : str
        What is played.
    options : mapping
        All of them, as `Environment.options_of` gives them.
    salt : str or None
        SHA-256 of the private salt, which is kept elsewhere.
    budgets : mapping from str to int
        Limits.
    told : str
        SHA-256 of the text and facts that the player is given.
    """

    environment: str
    environment_version: str
    engine_version: str
    instance: str
    instance_digest: str
    options: Mapping[str, Json]
    salt: str | None
    budgets: Mapping[str, int]
    told: str


_WORDS = {
    "environment": "environment",
    "environment_version": "version of the environment",
    "engine_version": "version of the engine",
    "instance": "instance",
    "instance_digest": "content of the instance (SHA-256)",
    "options": "options",
    "salt": "salt (SHA-256)",
    "budgets": "budgets",
    "told": "text for the player (SHA-256)",
}


def terms_of(
    environment: Environment[Any, Any],
    instance: Instance,
    options: Mapping[str, Json],
    opening: Opening[Any],
    salt: bytes | None = None,
) -> Terms:
    """Terms of an episode that begins with `opening`.

    Parameters
    ----------
    environment : Environment
        By whose rules.
    instance : Instance
        What is played.
    options : mapping
        All of them.
    opening : Opening
        As the environment gives it.
    salt : bytes or None
        What the instance was salted with.

    Returns
    -------
    Terms
    """
    return Terms(
        environment=environment.name,
        environment_version=environment.version,
        engine_version=ENGINE_VERSION,
        instance=instance.name,
        instance_digest=instance.digest,
        options=dict(options),
        salt=None if salt is None else sha256(salt),
        budgets=dict(opening.budgets),
        told=sha256(canonical_json([opening.text, opening.facts])),
    )


def check_terms(written: Terms, given: Terms, where: str) -> None:
    """Refuse to go on with an episode under other terms than those in its journal.

    Parameters
    ----------
    written : Terms
        In the journal.
    given : Terms
        What is here now.
    where : str
        The episode, for the message.

    Raises
    ------
    EpisodeError
        Naming every difference; nothing was changed.
    """
    before, now = msgspec.structs.asdict(written), msgspec.structs.asdict(given)
    differences = [
        f"{words}: {_short(before[name])} there, {_short(now[name])} here"
        for name, words in _WORDS.items()
        if canonical_json(before[name]) != canonical_json(now[name])
    ]
    if differences:
        raise EpisodeError(
            f"the episode in {where} is another one: {'; '.join(differences)}. Nothing was changed; "
            "give what it was played with, or another folder"
        )


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else canonical_json(value).decode()
    return printable(text if len(text) <= 100 else f"{text[:100]}…")
