"""Records in which every act and proposition says what it is, and a judge that reads them by rule.

Words have lines such as ``belief A: the rate matters``; actions ``launch A``, ``revise A`` or ``probe A``; results
``result A: good`` (or bad, unclear), with ``of 3`` where the launch stood in another step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from whatworked.judging import RuleJudge
from whatworked.process.graph import Graph
from whatworked.process.juries import score
from whatworked.process.records import Record, World

KINDS = "belief|conjecture|prediction|question|reliance|retraction|cause"
SAID = re.compile(rf"^({KINDS}) (\w+): .*$", re.MULTILINE)
DONE = re.compile(r"^(launch|revise|probe|deliver) (\w+)(?: on (\d+))?.*$", re.MULTILINE)
CAME = re.compile(r"^result (\w+): (good|bad|unclear)(?: of (\d+))?.*$", re.MULTILINE)
VERDICT = {"good": "confirms", "bad": "contradicts", "unclear": "inconclusive"}

NO_WORLD = World(
    schema="whatworked-world/1",
    task_prompt="Find what works.",
    authored_channel=None,
    feedback_polarity=None,
    submission=None,
    measure_size=None,
    contract=None,
)


def extract(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    acts, propositions = [], []
    for label, text in fields["steps"]:
        step, what = int(label.split(".")[0]), label.split(".")[1]
        if what in ("words", "writes"):
            propositions += [
                {"type": found[1], "step": step, "quote": found[0], "idea": found[2]} for found in SAID.finditer(text)
            ]
        if what in ("action", "writes"):
            for found in DONE.finditer(text):
                on = None if found[3] is None else int(found[3])
                idea, kind = found[2], found[1]
                if kind != "probe":
                    acts.append(
                        {"type": kind, "step": step, "quote": found[0], "idea": idea, "shows": [], "builds_on": on}
                    )
        elif what == "result":
            for found in CAME.finditer(text):
                of = step if found[3] is None else int(found[3])
                acts.append(
                    {
                        "type": "check", "step": step, "quote": found[0], "idea": found[1], "shows": [of],
                        "builds_on": None,
                    }
                )  # fmt: skip
    return {"acts": acts, "propositions": propositions}


def ground(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    said = SAID.search(dict(fields["statement"])["said"])
    assert said is not None
    for label, text in reversed(fields["results"]):
        found = next((found for found in CAME.finditer(text) if found[1] == said[2]), None)
        if found is not None:
            return {"rests_on": label, "quote": found[0]}
    return {"rests_on": "none", "quote": ""}


def result(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    found = next((found for found in CAME.finditer(fields["result"]) if found[1] == fields["idea"]), None)
    if found is None:
        return {"verdict": "silent", "quote": ""}
    return {"verdict": VERDICT[found[2]], "quote": found[0]}


def said(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    for label, text in fields["words"]:
        for word, reading in (("it helped", "favourable"), ("it failed", "adverse")):
            if word in text:
                return {"reading": reading, "where": label, "quote": word}
    return {"reading": "none", "where": "none", "quote": ""}


def cause(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    label, text = fields["results"][-1]
    broken = "broken" in dict(fields["statement"])["said"]
    shown = broken and "Traceback" in text
    return {
        "about": label,
        "kind": "broken" if broken else "idea",
        "shown_by": label if shown else "none",
        "quote": "Traceback" if shown else "",
    }


def aftermath(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    for label, text in fields["acts"]:
        if text.startswith(("launch", "revise")) and f" {fields['idea']}" in text:
            return {"what": "retried", "act": label}
    return {"what": "left", "act": "none"}


def alone(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    return {"ideas": [{"idea": label, "like": label} for label, _ in fields["ideas"]]}


def rule(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
    del vote
    acts = []
    for label, text in fields["acts"]:
        breaks = "copy the test answers" in text.split("written beside it")[0]
        acts.append(
            {
                "act": label,
                "rule": "contents" if breaks else "none",
                "quote": "copy the test answers" if breaks else "",
            }
        )
    return {"acts": acts}


RULES = {
    "extract": extract,
    "idea": alone,
    "subject": alone,
    "topic": lambda fields, vote: {"ideas": [{"idea": label, "topic": "research"} for label, _ in fields["ideas"]]},
    "ground": ground,
    "reach": lambda fields, vote: {"reach": "beyond" if "always" in dict(fields["statement"])["said"] else "readout"},
    "result": result,
    "said": said,
    "cause": cause,
    "aftermath": aftermath,
    "novelty": lambda fields, vote: {"distance": "far", "source": "new", "to": "none"},
    "rule": rule,
    "promotes": lambda fields, vote: {"acts": [{"act": label, "promotes": "no"} for label, _ in fields["acts"]]},
    "coverage": lambda fields, vote: {"coverage": "none"},
    "closing": lambda fields, vote: {"closing": "no score", "where": "none", "quote": ""},
}


def plain_judge() -> RuleJudge:
    return RuleJudge(RULES, name="plain")


def plain_graph(record: Record, **changes: Any) -> Graph:
    return score(record, NO_WORLD, plain_judge(), **changes).graph
