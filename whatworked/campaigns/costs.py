"""What each setting costs, told by options, by settings or by a function."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import compress
from typing import Any

from whatworked import arguments
from whatworked.campaigns.coding import Coding, setting_of
from whatworked.campaigns.options import WHOLE, Option, named
from whatworked.errors import InvalidOptionError
from whatworked.surfaces.masks import mask_strings


def read_costs(given: object, options: tuple[Option, ...], codings: tuple[Coding, ...] = ()) -> tuple[float, ...]:
    """Costs of all settings in canonical order.

    Parameters
    ----------
    given : None, mapping, or callable
        A mapping from names of options to what the second level adds to a cost of 1; a mapping from masks to costs,
        other settings costing 1; or a function from a setting, as the measured one gets it, to its cost.
    options : tuple of Option
        The options of the campaign.
    codings : tuple of Coding
        Those of more than two levels. A function is not asked about settings that mean no level; they cost 1.

    Returns
    -------
    tuple of float
        Empty for None: every setting costs 1.

    Raises
    ------
    InvalidOptionError
        For anything else, and for a cost that is not above 0.

    Examples
    --------
    >>> read_costs({"large": 2.0}, (Option("amp"), Option("large")))
    (1.0, 3.0, 1.0, 3.0)
    """
    if given is None:
        return ()
    if len(options) > WHOLE:
        raise InvalidOptionError(f"there are {len(options)} options; costs can be told for at most {WHOLE}")
    masks = mask_strings(len(options))
    if callable(given):
        settings = [setting_of(options, codings, mask) for mask in masks]
        costs = [1.0 if setting is None else given(setting) for setting in settings]
    elif isinstance(given, Mapping) and given and all(key in masks for key in given):
        costs = [given.get(mask, 1.0) for mask in masks]
    elif isinstance(given, Mapping) and given:
        added = {named(options, name).name: arguments.real_number(cost, "cost") for name, cost in given.items()}
        steps = [added.get(option.name, 0.0) for option in options]
        costs = [1.0 + math.fsum(compress(steps, map(int, mask))) for mask in masks]
    else:
        raise InvalidOptionError(f"cost is {arguments.shown(given)}; give a mapping of options or masks, or a function")
    read = tuple(arguments.real_number(cost, "cost") for cost in costs)
    for mask, cost in zip(masks, read, strict=True):
        if not 0.0 < cost < math.inf:
            raise InvalidOptionError(f"setting {mask} costs {cost:g}; a cost is above 0 and finite")
    return read


Cost = Mapping[str, float] | Callable[[dict[str, Any]], float]
"""What `read_costs` takes."""
