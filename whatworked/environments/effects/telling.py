"""Free text of the player, and its report of the rules of inactive options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from whatworked.environments.effects.answers import EffectsStep, RefusedCall
from whatworked.environments.effects.found import found
from whatworked.environments.effects.state import EffectsState
from whatworked.environments.protocol import Step
from whatworked.storage.json_text import parse_json
from whatworked.surfaces.inactive import InactiveRule
from whatworked.surfaces.masks import IntArray, edge_starts, option_letters
from whatworked.wording import first_few

LONGEST_NOTE = 20_000
"""Characters of a note."""
_MOST_RULES = 1000
_NAMED = 5


def note(state: EffectsState, arguments: Mapping[str, Any]) -> EffectsStep:
    """Keep a text of the player; nothing else changes."""
    text = arguments.get("text")
    if not isinstance(text, str) or not text.strip():
        raise RefusedCall("bad_argument", f"text is {'missing' if text is None else found(text)}; give a text to keep.")
    if len(text) > LONGEST_NOTE:
        raise RefusedCall(
            "bad_argument",
            f"text has {len(text)} characters; a note has at most {LONGEST_NOTE}. Nothing was kept; split it.",
        )
    return Step(state=state.with_(notes=state.notes + 1), result={"note": state.notes + 1, "kept": True})


def report_rules(state: EffectsState, arguments: Mapping[str, Any]) -> EffectsStep:
    """Take the player's report of the rules, once, and say nothing of whether it is right."""
    if state.reported:
        raise RefusedCall("repeated", "the rules were reported already; a report is taken once.")
    rules = read_rules(arguments.get("rules"), state.d)
    charge = 1 if state.calculations_left else 0
    after = state.with_(reported=True)
    return Step(
        state=after,
        result={"reported": len(rules), "calculations_left": after.calculations_left},
        charges={"calculations": charge} if charge else {},
    )


def read_rules(rules: object, d: int) -> tuple[InactiveRule, ...]:
    """Rules as a player reports them: a list of ``{"option": letter, "when": {letter: bit}}``, or that as a JSON text.

    Raises
    ------
    RefusedCall
        Naming every entry that is none.
    """
    if isinstance(rules, str):
        try:
            rules = parse_json(rules.encode("utf-8", "replace"), containers=1 << 16, values=1 << 16)
        except ValueError as error:
            raise RefusedCall("bad_argument", f"rules is a text that is not JSON: {error}. {_form(d)}") from error
    if not isinstance(rules, list | tuple):
        raise RefusedCall("bad_argument", f"rules is {'missing' if rules is None else found(rules)}. {_form(d)}")
    if len(rules) > _MOST_RULES:
        raise RefusedCall(
            "bad_argument", f"rules has {len(rules)} entries; at most {_MOST_RULES} are taken. {_form(d)}"
        )
    letters = option_letters(d)
    taken = [_rule(entry, letters) for entry in rules]
    if wrong := [f"rules[{k}] is {found(rules[k])}" for k, rule in enumerate(taken) if rule is None]:
        raise RefusedCall("bad_argument", f"{first_few(wrong, _NAMED)}. {_form(d)}")
    return tuple(rule for rule in taken if rule is not None)


def _form(d: int) -> str:
    last = option_letters(d)[-1]
    return (
        f'Give a list such as [{{"option": "{last}", "when": {{"A": 0}}}}], which says that {last} has no effect where '
        "A = 0; an empty list says that there are no such rules."
    )


def _rule(entry: object, letters: tuple[str, ...]) -> InactiveRule | None:
    if not isinstance(entry, dict) or set(entry) != {"option", "when"}:
        return None
    option, when = entry["option"], entry["when"]
    if option not in letters or not isinstance(when, dict) or option in when:
        return None
    if any(letter not in letters or _bit(bit) is None for letter, bit in when.items()):
        return None
    return InactiveRule(option, {letter: _bit(bit) or 0 for letter, bit in when.items()})


def _bit(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch("[01]", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value in (0, 1) else None


def edges_of(rule: InactiveRule, d: int) -> set[tuple[int, int]]:
    """Edges that a rule speaks of: position of the option, and rank of the mask that has it off."""
    letters = option_letters(d)
    option = letters.index(rule.option)
    starts: IntArray = edge_starts(d, option)
    holds = np.ones(len(starts), dtype=bool)
    for letter, bit in rule.when.items():
        holds &= (starts >> (d - 1 - letters.index(letter))) & 1 == bit
    return {(option, int(rank)) for rank in starts[holds]}
