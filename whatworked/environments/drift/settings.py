"""Settings of an episode as users give them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from whatworked.arguments import shown
from whatworked.environments.drift.rules import Options
from whatworked.errors import InvalidOptionError, nearest

CHOICES: dict[str, tuple[str, ...]] = {
    "representation": ("open", "disclosed"),
    "evidence": ("distributed", "aligned"),
}
"""The two surfaces in which the four variants differ."""
BUDGETS = (1, 10_000)
"""Fewest and most paid actions."""
DEFAULTS: dict[str, Any] = {"budget": 200, "representation": "open", "evidence": "distributed"}
_DIGITS = re.compile(r"[0-9]{1,9}")


def read_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of an episode, defaults filled in.

    Parameters
    ----------
    given : mapping
        `budget`, `representation`, `evidence`; a number may be a text of digits.

    Returns
    -------
    dict

    Raises
    ------
    InvalidOptionError
        Naming every unknown name and every value that is not allowed.
    """
    problems = []
    settings = dict(DEFAULTS)
    for name, value in given.items():
        if name in CHOICES:
            if not isinstance(value, str) or value not in CHOICES[name]:
                problems.append(f"{name} is {shown(value)}; allowed: {', '.join(CHOICES[name])}")
            settings[name] = value
        elif name == "budget":
            number = int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else value
            if type(number) is not int or not BUDGETS[0] <= number <= BUDGETS[1]:
                problems.append(f"budget is {shown(value)}; allowed: whole numbers from {BUDGETS[0]} to {BUDGETS[1]}")
            settings[name] = number
        else:
            near = nearest(str(name), DEFAULTS)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            problems.append(f"there is no option {shown(name)}{hint} (there are {', '.join(DEFAULTS)})")
    if problems:
        raise InvalidOptionError("; ".join(problems))
    return settings


def options_of(settings: Mapping[str, Any]) -> Options:
    """The rules' options from complete settings."""
    return Options(
        budget=settings["budget"],
        aligned=settings["evidence"] == "aligned",
        disclosed=settings["representation"] == "disclosed",
    )
