"""Names of models: which judge a name means, and whether it is the model that it judges."""

from __future__ import annotations

import re

from whatworked.judging.inspect_judge import InspectJudge
from whatworked.judging.judges import Judge

_VERSION = re.compile(r"(?:[-@_](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|latest|preview|v\d+(?::\d+)?))+$")


def named_judge(name: str, *, base_url: str | None = None, timeout: float = 300.0) -> Judge:
    """The judge that a name means.

    Parameters
    ----------
    name : str
        A model as Inspect names it, ``provider/model``; for a server that speaks OpenAI's form,
        ``openai-api/NAME/model``.
    base_url : str, optional
        Where the server is, if it is not the provider's own.
    timeout : float
        Seconds that a reply may take.

    Returns
    -------
    Judge

    Raises
    ------
    MissingExtraError
        If Inspect is not installed.
    JudgeError
        If Inspect has no such provider, or the provider lacks its package or its key.
    """
    return InspectJudge(name, base_url=base_url, timeout=timeout)


def same_model_warning(judge: str, player: str | None) -> str | None:
    """A warning where a model judges its own work, by the names alone.

    Parameters
    ----------
    judge : str
        The judge's name, or what its provider calls it.
    player : str or None
        The model that acted, as the record names it; None if it does not.

    Returns
    -------
    str or None
        None where the names differ; two names of one model are not told apart from two models.

    Examples
    --------
    >>> same_model_warning("openai/gpt-x-2025-01-31", "gpt-x")
    "judge and player are one model ('gpt-x'): models favour their own words; take another judge"
    >>> print(same_model_warning("openai/gpt-x", "gpt-x-mini"))
    None
    """
    if player is None or not _family(player) or _family(judge) != _family(player):
        return None
    return f"judge and player are one model ({_family(player)!r}): models favour their own words; take another judge"


def _family(name: str) -> str:
    """A model's name without provider, region and version."""
    return _VERSION.sub("", name.strip().lower().rpartition("/")[2].partition(":free")[0])
