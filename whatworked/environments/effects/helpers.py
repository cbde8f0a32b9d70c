"""Helpers: estimators that a player can hand in by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from whatworked.environments.effects.answers import Refused
from whatworked.environments.effects.delivery import deliver
from whatworked.environments.effects.found import found
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.options import EffectsOptions
from whatworked.environments.effects.state import EffectsState, Offer
from whatworked.errors import WhatWorkedError, nearest
from whatworked.protocols import Estimator
from whatworked.surfaces.equivalence import Equivalence


@dataclass(frozen=True)
class Helper:
    """An estimator that a player can name.

    Attributes
    ----------
    build : callable
        ``build(equivalence) -> estimator``; a new one for each fit.
    purpose : str
        What it assumes, in a few words for the player.
    published : bool
        Whether it belongs to the published rules, or only to the extended arm.
    class_aware : bool
        Whether it uses the classes of equal programs; such a helper exists only where the player is shown the workflow.
    """

    build: Callable[[Equivalence | None], Estimator]
    purpose: str
    published: bool = False
    class_aware: bool = False


Helpers = Mapping[str, Helper]


def helpers_of(every: Helpers, options: EffectsOptions) -> Helpers:
    """The helpers of an episode."""
    extended = options.helpers == "extended"
    return {
        name: helper
        for name, helper in every.items()
        if (helper.published or extended) and (options.told or not helper.class_aware)
    }


def helper_offer(helpers: Helpers, instance: SurfaceInstance, state: EffectsState, name: object) -> Offer:
    """The table of a helper on what was measured; raises `Refused` for a name that is none."""
    if not isinstance(name, str) or name not in helpers:
        near = nearest(name, helpers) if isinstance(name, str) and len(name) < 80 else []
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise Refused("unknown_helper", f"estimator is {found(name)}; the helpers are {', '.join(helpers)}.{hint}")
    helper = helpers[name]
    # Fitted in the order of the workflow, so that a permutation of the options changes no digit.
    classes = instance.equivalence if helper.class_aware else None
    bought = [int(instance.own_ranks[rank]) for rank in state.bought]
    try:
        delivery = deliver(helper.build(classes), instance.surface.utilities, bought, classes)
    except WhatWorkedError as error:
        raise Refused("helper_failed", f"{name} cannot be fitted to these measurements: {error}") from error
    return Offer(form=f"helper:{name}", values=tuple(delivery.predictions[instance.own_ranks].tolist()))
