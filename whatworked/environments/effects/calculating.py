"""Running the player's programs: what a program is given, and what becomes of its result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whatworked.environments.effects.answers import EffectsStep, RefusedCall
from whatworked.environments.effects.found import found
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.measuring import observations
from whatworked.environments.effects.state import Calculation, EffectsState
from whatworked.environments.protocol import Effect, Step
from whatworked.errors import InvalidArtifactError
from whatworked.grading.artifact import read_entries
from whatworked.storage.json_text import parse_json
from whatworked.surfaces.masks import mask_strings
from whatworked.wording import printable

LONGEST_CODE = 200_000
"""Characters of a program."""
HELPER_MODULE = "whatworked_helpers"
"""What a program imports the ridge helpers from."""
_NOT_DELIVERED = "`result` was not delivered: "
_LONGEST_REASON = 200
_SANDBOXED = Path(__file__).parent / "sandboxed"


def calculate(instance: SurfaceInstance, state: EffectsState, arguments: Mapping[str, Any]) -> EffectsStep:
    """Ask for a program to be run on the measurements so far."""
    code = arguments.get("code")
    if not isinstance(code, str) or not code.strip():
        what = "missing" if code is None else found(code)
        raise RefusedCall(
            "bad_argument", f"code is {what}; give the text of a Python program. No calculation was used."
        )
    if len(code) > LONGEST_CODE:
        raise RefusedCall(
            "bad_argument",
            f"code has {len(code)} characters; at most {LONGEST_CODE} are taken. The measurements need not be typed "
            "into it: they stand in the variable observations. No calculation was used.",
        )
    if not state.calculations_left:
        raise RefusedCall(
            "overdraft",
            f"all {state.options.calculations} calculations are used. Observing and submitting go on as before.",
        )
    return Step(
        state=state,
        charges={"calculations": 1},
        effect=Effect(kind="python", request=request(instance, state, code)),
    )


def request(instance: SurfaceInstance, state: EffectsState, code: str) -> dict[str, Any]:
    """What the sandbox is asked: a main program of ours, and the files it finds."""
    facts = {
        "d": state.d,
        "options": list(instance.letters),
        "observations": observations(instance, state, state.measured),
    }
    return {
        "code": (_SANDBOXED / "main_program.txt").read_text("utf-8"),
        "files": {
            "program.py": code,
            "facts.json": json.dumps(facts),
            f"{HELPER_MODULE}.py": (_SANDBOXED / f"{HELPER_MODULE}.py").read_text("utf-8"),
        },
    }


def finish_calculation(state: EffectsState, outcome: Mapping[str, Any]) -> EffectsStep:
    """What a program that was run tells its player."""
    if "unavailable" in outcome:
        raise RefusedCall(
            "unavailable",
            f"programs cannot be run here: {outcome['unavailable']}. No calculation was used; everything else works.",
        )
    name = f"c{len(state.calculations) + 1}"
    calculation = _calculation(name, state.d, outcome)
    after = state.with_(calculations=(*state.calculations, calculation))
    result: dict[str, Any] = {
        "calculation": name,
        **{key: outcome.get(key) for key in ("exit", "signal", "limit")},
        "stdout": outcome.get("stdout", ""),
        "stderr": outcome.get("stderr", ""),
        "truncated": outcome.get("truncated", []),
        "result": f"a table; submit_diagnosis(calculation={name!r}) hands it in"
        if calculation.values is not None
        else calculation.fault,
        "calculations_left": after.calculations_left,
    }
    return Step(state=after, result=result, charges={"calculations": 1})


def _calculation(name: str, d: int, outcome: Mapping[str, Any]) -> Calculation:
    text = outcome.get("result")
    if not isinstance(text, str) and (problem := outcome.get("result_problem")):
        return Calculation(name=name, fault=str(problem))
    if not isinstance(text, str) and (reason := _not_delivered(outcome.get("stderr"))):
        return Calculation(name=name, fault=f"the variable result was set, and is no table: {reason}")
    if not isinstance(text, str):
        ended = "" if outcome.get("exit") == 0 else ", and it did not end well"
        return Calculation(name=name, fault=f"the program set no variable result{ended}")
    try:
        reading = read_entries(_by_mask(text, d), d)
    except (InvalidArtifactError, ValueError) as error:
        return Calculation(name=name, fault=f"result is no table: {error}")
    if offences := reading.offences:
        return Calculation(name=name, fault=f"result is no table: {'; '.join(offences)}")
    return Calculation(name=name, values=tuple(reading.fine.values()))


def _not_delivered(stderr: object) -> str:
    """Why the sandbox could not write down a result, as its last line of the program's errors says; or nothing."""
    lines = stderr.splitlines() if isinstance(stderr, str) else []
    said = next((line for line in reversed(lines) if line.startswith(_NOT_DELIVERED)), "")
    if "Out of range float" in said:
        return "it holds NaN or an infinity, which is no number"
    return printable(said.removeprefix(_NOT_DELIVERED)[:_LONGEST_REASON])


def _by_mask(text: str, d: int) -> str | dict[str, Any]:
    """A table by mask; a list of 2**d numbers is one in canonical order."""
    if not text.startswith("["):
        return text
    cells = parse_json(text.encode("utf-8", "replace"), containers=1 << 16, values=1 << 21)
    masks = mask_strings(d)
    if len(cells) != len(masks):
        raise ValueError(f"it is a list of {len(cells)}; a table has {len(masks)} values in the order of the masks")
    return dict(zip(masks, cells, strict=True))
