"""Buying measurements, and looking at those one has."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from whatworked.environments.effects.answers import EffectsStep, RefusedCall
from whatworked.environments.effects.found import found
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.state import EffectsState
from whatworked.environments.protocol import Step
from whatworked.storage.json_text import parse_json
from whatworked.surfaces.masks import mask_string
from whatworked.wording import counted, first_few

_NAMED = 5
"""Offending entries that a refusal names."""
_TEXT = 64
"""Characters that the text of a list of masks may have for each mask."""


def observe(instance: SurfaceInstance, state: EffectsState, arguments: Mapping[str, Any]) -> EffectsStep:
    """Measure masks: one credit for each that is new; the whole batch or nothing."""
    asked = _asked_ranks(arguments.get("masks"), state.d)
    new = tuple(dict.fromkeys(rank for rank in asked if rank not in set(state.measured)))
    if len(new) > state.credits:
        raise RefusedCall(
            "overdraft",
            f"the batch has {counted(len(new), 'new mask')}, at a credit each; {state.credits} of "
            f"{state.options.budget} credits are left. Nothing was measured or charged. "
            + ("Choose fewer masks." if state.credits else "Measured masks stay free; the next step is to submit."),
        )
    told = tuple(float(instance.shown_utilities[rank]) for rank in new)
    after = state.with_(bought=(*state.bought, *new), utilities=(*state.utilities, *told))
    result = {
        "observations": observations(instance, state, tuple(dict.fromkeys(asked))),
        "new": [mask_string(rank, state.d) for rank in new],
        "charged": len(new),
        "credits_left": after.credits,
    }
    return Step(state=after, result=result, charges={"credits": len(new)} if new else {})


def evidence(instance: SurfaceInstance, state: EffectsState) -> EffectsStep:
    """Everything measured so far, and what is left."""
    d, options = state.d, state.options
    result: dict[str, Any] = {
        "options": list(instance.letters),
        "d": d,
        "masks": f"texts of {d} characters 0 or 1, option A first; {1 << d} of them",
        "observations": observations(instance, state, state.measured),
        "credits_left": state.credits,
        "budget": options.budget,
        "unmeasured": (1 << d) - len(state.measured),
        "calculations_left": state.calculations_left,
    }
    if ready := [calculation.name for calculation in state.calculations if calculation.values is not None]:
        result["calculations_to_submit"] = ready
    if state.kept:
        result["kept_entries"] = len(state.kept)
    if options.drafts:
        result["draft"] = None if state.draft is None else state.draft.form
    return Step(state=state, result=result)


def observations(instance: SurfaceInstance, state: EffectsState, ranks: Sequence[int]) -> list[dict[str, Any]]:
    """Measured masks with their values, as the player gets them."""
    native = state.options.native
    return [{"mask": mask_string(rank, state.d), **instance.facts(rank, native)} for rank in ranks]


def _asked_ranks(masks: object, d: int) -> list[int]:
    """Ranks of the masks of a batch; raises `RefusedCall` naming every offence unless all are masks."""
    largest = (1 << d) - 2
    masks = _listed(masks, d)
    if not 1 <= len(masks) <= largest:
        raise RefusedCall(
            "bad_argument",
            f"masks has {counted(len(masks), 'entry', 'entries')}; a call takes 1 to {largest}. Nothing was charged.",
        )
    legal = re.compile(f"[01]{{{d}}}")
    offences = [
        f"masks[{place}] is {found(mask)}"
        for place, mask in enumerate(masks)
        if not (isinstance(mask, str) and legal.fullmatch(mask))
    ]
    if offences:
        raise RefusedCall(
            "illegal_mask",
            f"{len(offences)} of {counted(len(masks), 'mask')} cannot be measured: {first_few(offences, _NAMED)}. "
            f"A mask is a text of {d} characters 0 or 1, such as '{'01' * d:.{d}}'. The batch was refused whole, and "
            "nothing was charged.",
        )
    return [int(mask, 2) for mask in masks]


def _listed(masks: object, d: int) -> list[Any]:
    """The list of masks; a text that is a JSON list is as good as that list."""
    if isinstance(masks, str) and masks.lstrip().startswith("[") and len(masks) <= _TEXT << d:
        # What is no JSON is refused below, as the text it is.
        with contextlib.suppress(ValueError):
            masks = parse_json(masks.encode("utf-8", "replace"))
    if isinstance(masks, tuple):
        masks = list(masks)
    if not isinstance(masks, list):
        raise RefusedCall(
            "bad_argument",
            f"masks is {'missing' if masks is None else found(masks)}; give a list of texts, as in "
            f'["{"01" * d:.{d}}"]. Nothing was charged.',
        )
    return masks
