"""Settings of an episode of this environment, decoded and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec

from whatworked.arguments import shown
from whatworked.errors import InvalidOptionError, nearest
from whatworked.surfaces.masks import MAX_OPTIONS

View = Literal["full", "opaque", "full+rules"]
Receipts = Literal["utility", "utility+native"]
DeliveryArm = Literal["published", "draft"]
HelpersArm = Literal["published", "extended"]

_CHOICES: dict[str, tuple[str, ...]] = {
    "view": get_args(View),
    "receipts": get_args(Receipts),
    "delivery": get_args(DeliveryArm),
    "helpers": get_args(HelpersArm),
}
_NUMBERS = {"budget": (0, (1 << MAX_OPTIONS) - 2), "calculations": (0, 1000), "deadline": (1, 31_536_000)}
"""Smallest and largest value of each number."""
_DIGITS = re.compile(r"[0-9]{1,9}")


class EffectsOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of an episode.

    Attributes
    ----------
    budget : int
        Credits: distinct masks that may be measured besides the two anchors.
    view : {"full", "opaque", "full+rules"}
        What the player is told of the workflow: its code and the meaning of its options; nothing; or the code with the
        rules that say when an option has no effect, of which it reports first.
    receipts : {"utility", "utility+native"}
        Whether a measurement states the native metric beside the utility.
    delivery : {"published", "draft"}
        Whether a draft can be set, which counts when there is no submission.
    helpers : {"published", "extended"}
        The two ridges; or Gaussian processes and class-aware methods beside them.
    calculations : int
        Programs that the player may run.
    deadline : int
        Seconds from the opening, after which only a submission is taken.
    """

    budget: int = 8
    view: View = "full"
    receipts: Receipts = "utility"
    delivery: DeliveryArm = "published"
    helpers: HelpersArm = "published"
    calculations: int = 20
    deadline: int = 1800

    @property
    def native(self) -> bool:
        """Whether measurements state the native metric."""
        return self.receipts == "utility+native"

    @property
    def drafts(self) -> bool:
        """Whether a draft can be set."""
        return self.delivery == "draft"

    @property
    def told(self) -> bool:
        """Whether the player is shown the workflow."""
        return self.view != "opaque"

    @property
    def rules(self) -> bool:
        """Whether the player is given the rules of inactive options, and asked for them first."""
        return self.view == "full+rules"


def read_options(given: Mapping[str, Any]) -> EffectsOptions:
    """Options from what a user gave, by name; a number may be a text of digits.

    Raises
    ------
    InvalidOptionError
        Naming every unknown name and every value that is not allowed.
    """
    problems: list[str] = []
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name in _CHOICES:
            values[name] = value
            if not isinstance(value, str) or value not in _CHOICES[name]:
                problems.append(f"{name} is {shown(value)}; allowed: {', '.join(_CHOICES[name])}")
        elif name in _NUMBERS:
            values[name] = _number(name, value, problems)
        else:
            problems.append(_unknown(name))
    if problems:
        raise InvalidOptionError("; ".join(problems))
    return EffectsOptions(**values)


def _number(name: str, value: object, problems: list[str]) -> int:
    least, most = _NUMBERS[name]
    number = int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else value
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        problems.append(f"{name} is {shown(value)}; allowed: whole numbers from {least} to {most}")
        return least
    return number


def _unknown(name: object) -> str:
    known = (*_NUMBERS, *_CHOICES)
    near = nearest(name, known) if isinstance(name, str) else []
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"there is no option {shown(name)}{hint} (there are {', '.join(known)})"
