"""What a table contradicts that its player was told: said, never silently mended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.state import EffectsState
from whatworked.surfaces.masks import FloatArray, mask_string
from whatworked.wording import counted, first_few

NOTICEABLE = 1e-3
"""Difference above which two utilities contradict each other; less is rounding in a table that was typed."""
_NAMED = 4


@dataclass(frozen=True)
class Contradiction:
    """One contradiction.

    Attributes
    ----------
    text : str
        For the player.
    breaks : bool
        Whether it changes what is graded; a contradicted measurement does not, since the measurement is put in.
    """

    text: str
    breaks: bool


def contradictions(
    instance: SurfaceInstance, state: EffectsState, values: Sequence[float]
) -> tuple[Contradiction, ...]:
    """What a table contradicts: measurements of the player's own, and in its view the rules of inactive options."""
    table = np.array(values)
    found = [_measured(instance, state, table)]
    if state.options.rules:
        found.append(_rules(instance, state, table))
    return tuple(warning for warning in found if warning is not None)


def _measured(instance: SurfaceInstance, state: EffectsState, table: FloatArray) -> Contradiction | None:
    ranks = np.array(state.measured)
    gaps = np.abs(table[ranks] - instance.shown_utilities[ranks])
    off = np.flatnonzero(gaps > NOTICEABLE)
    if not off.size:
        return None
    shown = [
        f"{mask_string(int(ranks[k]), state.d)}: {table[ranks[k]]:.6g}, measured "
        f"{instance.shown_utilities[ranks[k]]:.6g}"
        for k in off[np.argsort(-gaps[off], kind="stable")]
    ]
    return Contradiction(
        f"{counted(off.size, 'measured mask')} {'has' if off.size == 1 else 'have'} another value in the table "
        f"({first_few(shown, _NAMED)}); the measured values are graded in their place",
        breaks=False,
    )


def _rules(instance: SurfaceInstance, state: EffectsState, table: FloatArray) -> Contradiction | None:
    classes = instance.shown_equivalence
    if classes is None:
        return None
    ranks = np.array(state.measured)
    whole = table.copy()
    whole[ranks] = instance.shown_utilities[ranks]
    # Against the measured value of the class if there is one, else against its representative.
    expected = whole[classes.representative]
    for rank in ranks[::-1]:
        expected[classes.representative == classes.representative[rank]] = whole[rank]
    gaps = np.abs(whole - expected)
    off = np.flatnonzero(gaps > NOTICEABLE)
    if not off.size:
        return None
    shown = [
        f"{mask_string(int(rank), state.d)}: {whole[rank]:.6g}, its equal "
        f"{mask_string(int(classes.representative[rank]), state.d)}: {expected[rank]:.6g}"
        for rank in off[np.argsort(-gaps[off], kind="stable")]
    ]
    return Contradiction(
        f"{counted(off.size, 'mask')} break the rules of inactive options: masks that are the same program have equal "
        f"utilities, and here they differ ({first_few(shown, _NAMED)})",
        breaks=True,
    )
