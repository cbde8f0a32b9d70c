"""The tools as players see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatworked.environments.effects.calculating import HELPER_MODULE
from whatworked.environments.effects.helpers import Helpers
from whatworked.environments.effects.options import EffectsOptions
from whatworked.environments.protocol import Tool

_Schema = Mapping[str, Mapping[str, Any]]


def tools_of(options: EffectsOptions, helpers: Helpers, d: int) -> tuple[Tool, ...]:
    """The tools of an episode, in an order that never changes."""
    example = ("01" * d)[:d]
    offered = [
        Tool(
            name="current_evidence",
            purpose="Everything measured so far, and the credits and calculations left. Free.",
        ),
        Tool(
            name="observe_many",
            purpose="Measure masks. Each mask that is new costs one credit; measured ones are free. The whole batch is "
            "measured, or refused without charge.",
            parameters={
                "masks": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": f'Texts of {d} characters 0 or 1, such as "{example}".',
                }
            },
            required=("masks",),
        ),
    ]
    if options.calculations:
        offered.append(
            Tool(
                name="calculate_python",
                purpose=f"Run a Python program ({options.calculations} times at most). It finds the measurements in "
                'observations, a list of {"mask": text, "utility": number}, and as arrays masks (n, d) and values '
                f"(n,); numpy, scipy, scikit-learn and {HELPER_MODULE} can be imported. Print what you want to see. "
                "If it sets result to a table {mask: utility}, that can be submitted by the calculation's id.",
                parameters={"code": {"type": "string", "description": "Text of the program."}},
                required=("code",),
            )
        )
    if options.rules:
        offered.append(
            Tool(
                name="report_rules",
                purpose="Before anything else: report the rules that say when an option has no effect. Once; counts as "
                "a calculation; you are not told whether it is right.",
                parameters={
                    "rules": {
                        "type": "array",
                        "items": {"type": "object"},
                        "description": 'For example [{"option": "D", "when": {"A": 0}}]: D has no effect where A = 0.',
                    }
                },
                required=("rules",),
            )
        )
    offered.append(
        Tool(
            name="note",
            purpose="Write down what you believe and why. Free; it never changes your score.",
            parameters={"text": {"type": "string", "description": "Any text."}},
            required=("text",),
        )
    )
    handed = _handed(helpers, d)
    if options.drafts:
        offered.append(
            Tool(
                name="draft",
                purpose="Set or replace a draft of your answer. It counts if you never submit. Free.",
                parameters=handed,
            )
        )
    offered.append(
        Tool(
            name="submit_diagnosis",
            purpose="Hand in your answer, which closes the episode: one of predictions, estimator and calculation.",
            parameters={
                **handed,
                "check": {
                    "type": "boolean",
                    "description": "true: only say what would be refused or warned of; nothing is handed in.",
                },
            },
            after_deadline=True,
        )
    )
    return tuple(offered)


def _handed(helpers: Helpers, d: int) -> _Schema:
    return {
        "predictions": {
            "type": ["object", "string"],
            "description": f"Your table: a utility from 0 to 1 for each of the {1 << d} masks, as an object or as its "
            "JSON text. Right entries of a refused table are kept; send only the rest.",
        },
        "estimator": {"type": "string", "description": f"A helper fitted to your measurements: {', '.join(helpers)}."},
        "calculation": {"type": "string", "description": 'Id of a calculation whose result is a table, such as "c3".'},
    }
