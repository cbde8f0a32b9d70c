"""What users hand to the kit, or an error that names it."""

from __future__ import annotations

from whatworked.arguments import shown, whole_numbers
from whatworked.errors import InvalidOptionError
from whatworked.plugins import Plugin
from whatworked.plugins.limits import LONGEST, is_limit, seconds
from whatworked.surfaces.masks import check_dimensions


def dimensions_of(values: object) -> tuple[int, ...]:
    """Numbers of options to try, one or several; raises `InvalidOptionError` or `InvalidMaskError`."""
    numbers = whole_numbers(values, "dimensions", 1)
    if not numbers:
        raise InvalidOptionError("dimensions hold nothing; give numbers of options to try, as in [1, 2, 3]")
    return tuple(check_dimensions(number) for number in numbers)


def limit_of(value: object) -> float | None:
    """A time limit in seconds, or None for none; raises `InvalidOptionError`."""
    if value is None:
        return None
    limit = seconds(value)
    if not is_limit(limit):
        raise InvalidOptionError(
            f"the time limit is {limit:g}; give more than 0 and at most {LONGEST} seconds, or None"
        )
    return limit


def plugin_of(value: object) -> Plugin:
    """A loaded plug-in; raises `InvalidOptionError`."""
    if not isinstance(value, Plugin):
        raise InvalidOptionError(
            f"the plug-in is {shown(value)}, which is not loaded; give what whatworked.plugins.load returns, or call "
            "check_estimator or check_policy"
        )
    return value
