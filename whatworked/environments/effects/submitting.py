"""Handing in a table: given whole or in parts, named by a helper or a calculation; checked, drafted, delivered.

A table that is refused is not lost: its right entries are kept, and the next table need hold only the others. What is
kept counts for nothing until a table is whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whatworked.environments.effects.answers import EffectsStep, RefusedCall
from whatworked.environments.effects.contradictions import contradictions
from whatworked.environments.effects.found import found
from whatworked.environments.effects.helpers import Helpers, fit_effect, fitted_offer
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.state import EffectsState, Offer
from whatworked.environments.protocol import Call, Step, WorldEvent
from whatworked.errors import InvalidArtifactError
from whatworked.grading.artifact import Reading, read_entries
from whatworked.surfaces.masks import mask_strings
from whatworked.wording import counted, first_few

SUBMIT, DRAFT = "submit_diagnosis", "draft"
"""The tools."""
_FORMS = ("predictions", "estimator", "calculation")
_NAMED = 6
_LISTED = 256
"""Masks that an answer lists at most."""
_MOST_ENTRIES = 4
"""Entries that a table may have, in cubes: more are no table with a few mistakes."""


def hand_in(
    helpers: Helpers, instance: SurfaceInstance, state: EffectsState, call: Call, outcome: Mapping[str, Any] | None
) -> EffectsStep:
    """Submit, check or draft an answer.

    Parameters
    ----------
    helpers : mapping
        Those of the episode.
    instance, state, call
        What is played, and what was called.
    outcome : mapping or None
        Of fitting the helper that was named; without it, a helper's fit is asked for.
    """
    arguments = call.arguments or {}
    check = _flag(arguments, "check")
    form = _form_of(helpers, arguments)
    if form == "estimator":
        effect = fit_effect(helpers, instance, state, arguments[form])
        if outcome is None:
            return Step(state=state, effect=effect)
        offer, after = fitted_offer(instance, arguments[form], outcome), state
    elif form == "calculation":
        offer, after = _calculated(state, arguments[form]), state
    else:
        _check_no_name(helpers, state, arguments[form])
        offer, after = _table(state, arguments[form])
    warnings = contradictions(instance, state, offer.values)
    result: dict[str, Any] = {"form": offer.form, "warnings": [warning.text for warning in warnings]}
    if form == "predictions":
        result["completed_with_kept"] = _taken_from_kept(state, arguments[form])
    if call.tool == DRAFT:
        return _drafted(after, offer, result)
    broken = any(warning.breaks for warning in warnings)
    return _checked(after, result) if check else _submitted(after, offer, result, broken)


def _checked(after: EffectsState, result: Mapping[str, Any]) -> EffectsStep:
    text = "Checked only: this can be submitted as it is. Nothing was delivered."
    return Step(state=after, result={"checked": True, **result, "next": text})


def _drafted(after: EffectsState, offer: Offer, result: Mapping[str, Any]) -> EffectsStep:
    text = "It counts if you submit nothing. You can go on, replace it, or submit."
    return Step(
        state=after.with_(draft=offer),
        result={"drafted": True, "replaced": after.draft is not None, **result, "next": text},
        events=(_event("draft", offer),),
    )


def _submitted(after: EffectsState, offer: Offer, result: Mapping[str, Any], broken: bool) -> EffectsStep:
    if broken and after.options.drafts and after.warned != offer:
        # The draft counts should the player vanish now, so holding the table back loses nothing.
        text = (
            "Held back once because of the warnings, and set as your draft. Send a corrected table; or send the same "
            "again to deliver it as it is."
        )
        return Step(
            state=after.with_(warned=offer, draft=offer),
            result={"delivered": False, **result, "next": text},
            events=(_event("draft", offer),),
        )
    return Step(
        state=after.with_(delivered=offer),
        result={"delivered": True, **result, "next": "The episode is closed."},
        events=(_event("delivered", offer),),
    )


def _event(kind: str, offer: Offer) -> WorldEvent:
    return WorldEvent(kind=kind, facts={"form": offer.form, "values": list(offer.values)})


def _taken_from_kept(state: EffectsState, predictions: Any) -> int:
    """How many entries of a whole table were kept from earlier ones."""
    return (1 << state.d) - len(read_entries(predictions, state.d).fine)


def _flag(arguments: Mapping[str, Any], name: str) -> bool:
    value = arguments.get(name, False)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise RefusedCall("bad_argument", f"{name} is {found(value)}; give true or false. Nothing was delivered.")


def _form_of(helpers: Helpers, arguments: Mapping[str, Any]) -> str:
    """Which of the three forms of an answer the arguments hold."""
    given = [form for form in _FORMS if arguments.get(form) is not None]
    if len(given) != 1:
        what = "none of them" if not given else " and ".join(given)
        raise RefusedCall(
            "bad_argument",
            f"give exactly one of predictions (your table), estimator ({' or '.join(helpers)}) and calculation (the id "
            f"of a calculation whose result is a table); found {what}. Nothing was delivered.",
        )
    return given[0]


def _calculated(state: EffectsState, name: object) -> Offer:
    ready = [calculation.name for calculation in state.calculations if calculation.values is not None]
    for calculation in state.calculations:
        if calculation.name == name:
            if calculation.values is None:
                raise RefusedCall(
                    "no_result",
                    f"calculation {calculation.name} has no table to submit: {calculation.fault}. Run one that sets "
                    "the variable result to a table, or send the table itself. Nothing was delivered.",
                )
            return Offer(form=f"calculation:{calculation.name}", values=calculation.values)
    raise RefusedCall(
        "unknown_calculation",
        f"calculation is {found(name)}; there is no such calculation in this episode ("
        f"{f'with a table: {first_few(ready, 20)}' if ready else 'none has a table yet'}). Nothing was delivered.",
    )


def _check_no_name(helpers: Helpers, state: EffectsState, predictions: object) -> None:
    """Raise `RefusedCall` for a word where a table belongs, saying which argument takes it."""
    if not isinstance(predictions, str) or not predictions.strip().isidentifier():
        return
    word = predictions.strip()
    if word in helpers:
        said = "the name of a helper; give it as estimator instead"
    elif word in (calculation.name for calculation in state.calculations):
        said = "the name of a calculation; give it as calculation instead"
    else:
        said = f"a word and no table; estimator takes a helper ({' or '.join(helpers)}), calculation the id of one"
    raise RefusedCall("bad_table", f"predictions is {found(predictions)}, {said}. Nothing was delivered.")


def _table(state: EffectsState, predictions: object) -> tuple[Offer, EffectsState]:
    """A table that is whole, by itself or with the entries kept; else raises `RefusedCall`, keeping what is right."""
    reading = _read(state, predictions)
    table = {**state.kept, **reading.fine}
    masks = mask_strings(state.d)
    missing = [mask for mask in masks if mask not in table]
    # An entry that is wrong now is not the one that was right before.
    wrong = {mask: value for each in reading.wrong.values() for mask, value in each.items()}
    if missing or wrong or reading.duplicates or reading.unknown:
        kept = {mask: value for mask, value in table.items() if mask not in wrong and mask not in reading.duplicates}
        raise _refused_table(state, reading, wrong, kept)
    # Kept whole as well: after a check or a draft, a player sends only what it changes.
    return Offer(form="table", values=tuple(table[mask] for mask in masks)), state.with_(kept=table)


def _read(state: EffectsState, predictions: object) -> Reading:
    if isinstance(predictions, dict) and len(predictions) > _MOST_ENTRIES << state.d:
        raise RefusedCall(
            "bad_table",
            f"predictions is an object with {len(predictions)} entries; there are {1 << state.d} masks. Nothing was "
            "delivered or kept.",
        )
    if not isinstance(predictions, dict | str):
        raise RefusedCall(
            "bad_table",
            f"predictions is {found(predictions)}; give an object from each of the {1 << state.d} masks to a number "
            "from 0 to 1, or the same as a JSON text. Nothing was delivered.",
        )
    try:
        return read_entries(predictions, state.d)
    except InvalidArtifactError as error:
        raise RefusedCall("bad_table", f"{error}. Nothing was delivered. {_kept_so_far(state.kept)}") from error


def _refused_table(
    state: EffectsState, reading: Reading, wrong: Mapping[str, str], kept: Mapping[str, float]
) -> RefusedCall:
    """The refusal of a table, which says what was found where and keeps the rest."""
    cells = 1 << state.d
    missing = [mask for mask in mask_strings(state.d) if mask not in kept]
    absent = [mask for mask in missing if mask not in wrong and mask not in reading.duplicates]
    values = {
        kind.removeprefix("that is "): [f"{m}: {v}" for m, v in each.items()] for kind, each in reading.wrong.items()
    }
    parts = [
        *(f"{counted(len(each), 'value')} {kind} ({first_few(each, _NAMED)})" for kind, each in values.items() if each),
        *_phrases("given twice", reading.duplicates),
        *_phrases("no mask of this task", reading.unknown),
        *_phrases("missing", absent),
    ]
    result: dict[str, Any] = {"kept": len(kept), "to_send": missing[:_LISTED]}
    if wrong:
        result["wrong"] = dict(list(wrong.items())[:_LISTED])
    if reading.unknown:
        result["unknown"] = list(reading.unknown[:_LISTED])
    return RefusedCall(
        "bad_table",
        f"The table was refused: {'; '.join(parts)}. A table has each of the {cells} masks of {state.d} characters "
        f"once, with a finite number from 0 to 1. Nothing was delivered. {_kept_so_far(kept)} "
        + (
            f"Send only the {_to_send(missing)}, as predictions, to complete it; or a whole table."
            if missing
            else "All masks are there now: send predictions {} to hand in what is kept, or a whole table."
        ),
        result,
        state.with_(kept=dict(kept)),
    )


def _to_send(missing: Sequence[str]) -> str:
    rest = f" and the {len(missing) - _LISTED} behind them" if len(missing) > _LISTED else ""
    return f"{min(len(missing), _LISTED)} in to_send{rest}"


def _phrases(what: str, names: tuple[str, ...] | list[str]) -> list[str]:
    return [f"{counted(len(names), 'entry', 'entries')} {what} ({first_few(list(names), _NAMED)})"] if names else []


def _kept_so_far(kept: Mapping[str, float]) -> str:
    if not kept:
        return "No entry is kept."
    return f"{counted(len(kept), 'entry', 'entries')} {'is' if len(kept) == 1 else 'are'} kept."
