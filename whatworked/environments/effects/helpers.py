"""Helpers: estimators that a player can hand in by name.

Fitting one is work outside the rules. Its table goes into the journal, so that an episode is the same on every machine,
also where a fit differs in its last digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from whatworked.environments.effects.answers import RefusedCall
from whatworked.environments.effects.found import found
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.options import EffectsOptions
from whatworked.environments.effects.state import EffectsState, Offer
from whatworked.environments.protocol import Effect
from whatworked.errors import nearest

KIND = "helper"
"""Of the effect."""


class Helper(msgspec.Struct, frozen=True, kw_only=True):
    """An estimator that a player can name.

    Attributes
    ----------
    purpose : str
        What it assumes, in a few words for the player.
    published : bool
        Whether it belongs to the published rules, or only to the extended arm.
    class_aware : bool
        Whether it uses the classes of equal programs; such a helper exists only where the player is shown the workflow.
    """

    purpose: str
    published: bool = False
    class_aware: bool = False


Helpers = Mapping[str, Helper]


class FitRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of who fits helpers; masks are in the order of the workflow.

    Attributes
    ----------
    helper : str
        Name.
    masks : tuple of str
        Measured ones, anchors first, then in order of purchase.
    utilities : tuple of float
        Their utilities.
    representatives : tuple of int or None
        Of every mask in canonical order, the rank of its class's representative; for a class-aware helper alone.
    """

    helper: str
    masks: tuple[str, ...]
    utilities: tuple[float, ...]
    representatives: tuple[int, ...] | None = None


def helpers_of(every: Helpers, options: EffectsOptions) -> Helpers:
    """The helpers of an episode."""
    extended = options.helpers == "extended"
    return {
        name: helper
        for name, helper in every.items()
        if (helper.published or extended) and (options.told or not helper.class_aware)
    }


def fit_effect(helpers: Helpers, instance: SurfaceInstance, state: EffectsState, name: object) -> Effect:
    """The work of fitting a helper to what was measured; raises `RefusedCall` for a name that is none."""
    if not isinstance(name, str) or name not in helpers:
        near = nearest(name, helpers) if isinstance(name, str) and len(name) < 80 else []
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise RefusedCall("unknown_helper", f"estimator is {found(name)}; the helpers are {', '.join(helpers)}.{hint}")
    # In the order of the workflow, so that a permutation of the options changes no digit.
    ranks = instance.own_ranks[list(state.measured)]
    classes = instance.equivalence if helpers[name].class_aware else None
    request = FitRequest(
        helper=name,
        masks=tuple(instance.surface.masks[rank] for rank in ranks),
        utilities=tuple(instance.surface.utilities[ranks].tolist()),
        representatives=None if classes is None else tuple(classes.representative.tolist()),
    )
    return Effect(kind=KIND, request=msgspec.to_builtins(request))


def fitted_offer(instance: SurfaceInstance, name: str, outcome: Mapping[str, Any]) -> Offer:
    """The table of a helper that was fitted; raises `RefusedCall` where it could not be."""
    values = outcome.get("values")
    whole = isinstance(values, list) and len(values) == 1 << instance.d
    if not whole or not all(isinstance(v, float | int) and math.isfinite(v) and 0 <= v <= 1 for v in values or ()):
        reason = outcome.get("unavailable", "it gave no table")
        raise RefusedCall("helper_failed", f"{name} cannot be fitted: {reason}. Nothing was delivered; send a table.")
    return Offer(form=f"helper:{name}", values=tuple(np.array(values, dtype=np.float64)[instance.own_ranks].tolist()))
