"""The judge that goes by rules: it answers every question of process scoring about games of players that speak."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from whatworked.judging import RuleJudge
from whatworked.process.testbed.known import (
    FIXED,
    READINGS,
    TYPES,
    all_research,
    distinct,
    every_vote,
    no_breach,
    novelty,
    promotions,
    subjects,
)
from whatworked.process.testbed.sentences import Sentence, sentences

RULES = "rules"
"""Name of the judge that goes by rules."""
_BOUGHT = re.compile(r"[01]{3,26}")
_SHOWN = re.compile(r"^([01]{3,26}): (\S+)$", re.MULTILINE)
_IDEA = re.compile(r"^(\w) (up|down|no effect) (?:at )?(\S+)")
_WAY = {"up": 1, "down": -1, "no effect": 0}
_FLAT = 5e-4
_NONE = "none"
_PREFIX = "text: "


def rule_judge() -> RuleJudge:
    """A judge for games of players that speak, which asks nobody.

    It reads sentences by the words of all banks but the held-out one, and results by their numbers. Questions whose
    answer is the same in all these games it answers so: all ideas are about the workflow, no act breaks a rule.

    Returns
    -------
    RuleJudge
        Named ``"rules"``.
    """
    rules: dict[str, Callable[[Mapping[str, Any]], Any]] = {
        "extract": _extract,
        "idea": distinct,
        "subject": subjects,
        "topic": all_research,
        "result": _result,
        "said": _reading,
        "cause": _cause,
        "aftermath": _aftermath,
        "ground": _ground,
        "reach": _reach,
        "novelty": novelty,
        "rule": no_breach,
        "promotes": promotions,
    }
    return RuleJudge({**{name: every_vote(rule) for name, rule in rules.items()}, **FIXED}, name=RULES)


def _extract(fields: Mapping[str, Any]) -> dict[str, Any]:
    acts: list[dict[str, Any]] = []
    said: list[dict[str, Any]] = []
    ideas = [name for _, name in fields["ideas"]]
    launched: dict[str, int] = {}
    for label, text in fields["steps"]:
        step, what = int(label.split(".")[0]), label.split(".")[1]
        if what == "writes" and text.startswith(_PREFIX):
            found = list(_propositions(step, text.removeprefix(_PREFIX), ideas))
            said += found
            ideas += [entry["idea"] for entry in found if entry["idea"] is not None]
        elif what == "writes" and re.match(r"(?:estimator|predictions|calculation):", text):
            acts.append(_act("deliver", step, text.split("\n")[0], None))
        elif what == "action" and text.startswith("masks: "):
            option, where = _tested(text)
            # Without a word before it, a purchase tests that the option helps.
            idea = _idea_on(ideas, option, where) or (None if option is None else f"{option} up at {where}")
            acts.append({**_act("launch", step, text, idea), "builds_on": launched.get(option or "")})
            launched[option or ""] = step
        elif what == "result" and acts and acts[-1]["step"] == step and acts[-1]["type"] == "launch":
            line = _new_line(acts[-1]["quote"], text)
            if line is not None:
                acts.append({**_act("check", step, line, acts[-1]["idea"]), "shows": [step]})
    return {"acts": acts, "propositions": said}


def _propositions(step: int, text: str, ideas: Iterable[str]) -> Iterator[dict[str, Any]]:
    told = [said for said in sentences(text) if said.says in TYPES]
    known = [*ideas, *(said.idea for said in told if said.idea is not None)]
    for said in told:
        idea = None if said.says in ("cause", "question") else said.idea
        if idea is None and said.option is not None:
            # What failed is what was said of it first, before the result.
            idea = _idea_on(known[::-1] if said.says == "cause" else known, said.option, said.where)
        yield {"type": TYPES[said.says], "step": step, "quote": said.text, "idea": idea}


def _result(fields: Mapping[str, Any]) -> dict[str, Any]:
    found = _IDEA.match(fields["idea"])
    shown = dict(_SHOWN.findall(fields["result"]))
    if found is None or "-" not in found[3]:
        return {"verdict": "silent", "quote": ""}
    before, after = (found[3].replace("-", bit) for bit in "01")
    if before not in shown or after not in shown:
        return {"verdict": "silent", "quote": ""}
    came = _way(float(shown[after]) - float(shown[before]))
    return {"verdict": "confirms" if came == _WAY[found[2]] else "contradicts", "quote": f"{after}: {shown[after]}"}


def _reading(fields: Mapping[str, Any]) -> dict[str, Any]:
    about = _tested(fields["action"])
    for label, text in fields["words"]:
        for told in sentences(text.removeprefix(_PREFIX)):
            if told.says in READINGS and (told.option, told.where) == about:
                return {"reading": told.says, "where": label, "quote": told.text}
    return {"reading": _NONE, "where": _NONE, "quote": ""}


def _cause(fields: Mapping[str, Any]) -> dict[str, Any]:
    label, _ = _showing(_statement(fields), fields["results"])
    return {"about": label, "kind": "neither" if label == _NONE else "idea", "shown_by": _NONE, "quote": ""}


def _aftermath(fields: Mapping[str, Any]) -> dict[str, Any]:
    launches = [(label, text) for label, text in fields["acts"] if text.startswith("launch: ")]
    if launches and _tested(launches[0][1].split("\n")[0])[0] == fields["idea"][:1]:
        return {"what": "retried", "act": launches[0][0]}
    return {"what": "left", "act": _NONE}


def _ground(fields: Mapping[str, Any]) -> dict[str, Any]:
    said = _statement(fields)
    if TYPES.get(said.says) != "belief" or said.says == "forged":
        return {"rests_on": _NONE, "quote": ""}
    label, quote = _showing(said, fields["results"])
    return {"rests_on": label, "quote": quote}


def _reach(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"reach": "beyond" if _statement(fields).where is None else "readout"}


def _statement(fields: Mapping[str, Any]) -> Sentence:
    return next(sentences(dict(fields["statement"])["said"]))


def _showing(said: Sentence, results: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Label of the last result that shows what a sentence is about, and its line; ``none`` and nothing otherwise."""
    for label, text in [*results][::-1]:
        shown = _SHOWN.findall(text)
        if len(shown) < 2 or _differing([mask for mask, _ in shown])[0] != said.option:
            continue
        (first, x), (second, y) = sorted(shown)[:2]
        if said.where is None and _way(float(y) - float(x)) != said.direction:
            continue
        if said.where in (None, _differing([first, second])[1]):
            return label, f"{second}: {y}"
    return _NONE, ""


def _tested(action: str) -> tuple[str | None, str | None]:
    """Letter of the option that a purchase of two masks tests, and where the others stand."""
    return _differing(_BOUGHT.findall(action))


def _differing(masks: list[str]) -> tuple[str | None, str | None]:
    if len(masks) < 2 or len(masks[0]) != len(masks[1]):
        return None, None
    places = [place for place, (x, y) in enumerate(zip(masks[0], masks[1], strict=True)) if x != y]
    if len(places) != 1:
        return None, None
    (place,) = places
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place], f"{masks[0][:place]}-{masks[0][place + 1 :]}"


def _new_line(action: str, result: str) -> str | None:
    """The line of a result that shows the last mask of a purchase."""
    masks = _BOUGHT.findall(action)
    lines = {mask: f"{mask}: {value}" for mask, value in _SHOWN.findall(result)}
    return lines.get(masks[-1]) if masks else None


def _idea_on(ideas: Iterable[str], option: str | None, where: str | None) -> str | None:
    """The last idea on an option where the others stand so."""
    ends = f" at {where}"
    return next((name for name in [*ideas][::-1] if name[:1] == option and name.endswith(ends)), None)


def _way(change: float) -> int:
    return 0 if abs(change) < _FLAT else 1 if change > 0 else -1


def _act(kind: str, step: int, quote: str, idea: str | None) -> dict[str, Any]:
    return {"type": kind, "step": step, "quote": quote, "idea": idea, "shows": [], "builds_on": None}
