"""Surfaces and states that the tests of the controls share."""

from __future__ import annotations

import numpy as np

from whatworked.protocols import SearchState
from whatworked.surfaces import Equivalence, ResponseSurface, anchors, bits_of, mask_string, mask_strings
from whatworked.surfaces.masks import as_strings


def rough_surface(d, seed, name="rough"):
    """A surface with main effects, pairs and noise, all utilities in [0, 1]."""
    rng = np.random.default_rng(seed)
    bits = bits_of(range(1 << d), d) - 0.5
    values = bits @ rng.normal(size=d) + (bits[:, 0] * bits[:, -1]) * rng.normal() + 0.2 * rng.normal(size=1 << d)
    values = 0.05 + 0.9 * (values - values.min()) / np.ptp(values)
    return ResponseSurface(tuple("ABCDEFGH"[:d]), values, name=name)


def switched_classes(d):
    """Classes of a workflow whose last option does nothing while the first is off."""
    return Equivalence(np.array([rank & ~1 if rank < 1 << (d - 1) else rank for rank in range(1 << d)]))


def consistent(surface, classes):
    """The surface with every mask given the utility of its class representative."""
    return ResponseSurface(surface.options, surface.utilities[classes.representative], name=surface.name)


def as_dict(surface):
    return dict(zip(surface.masks, surface.utilities.tolist(), strict=True))


def representatives(classes):
    return {
        mask: mask_string(classes.representative[rank], classes.d) for rank, mask in enumerate(mask_strings(classes.d))
    }


def state_of(surface, bought=(), equivalence=None, remaining=None):
    ranks = [*anchors(surface.d), *bought]
    left = (1 << surface.d) - len(ranks) if remaining is None else remaining
    return SearchState(surface.d, bits_of(ranks, surface.d), surface.utilities[ranks], left, equivalence)


def strings(ranks, d):
    return list(as_strings(list(ranks), d))
