"""Settings of an episode as users give them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from whatworked.arguments import shown
from whatworked.environments.drift.rules import Options
from whatworked.errors import InvalidOptionError, nearest

VARIANTS = ("open-distributed", "open-aligned", "disclosed-distributed", "disclosed-aligned")
"""Whether the document on the representation is shown, and whether transcripts are posted."""
BUDGETS = (1, 10_000)
"""Fewest and most paid actions."""
DEFAULTS: dict[str, Any] = {"budget": 200, "variant": VARIANTS[0]}
_DIGITS = re.compile(r"[0-9]{1,9}")


def read_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of an episode, defaults filled in.

    Parameters
    ----------
    given : mapping
        `budget` and `variant`; a number may be a text of digits.

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
        if name == "variant":
            if not isinstance(value, str) or value not in VARIANTS:
                problems.append(f"variant is {shown(value)}; allowed: {', '.join(VARIANTS)}")
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
    representation, _, evidence = settings["variant"].partition("-")
    return Options(budget=settings["budget"], aligned=evidence == "aligned", disclosed=representation == "disclosed")
