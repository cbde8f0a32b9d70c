"""Runs that were annotated by reading, as a judge: every question is answered from the annotation, and nothing else.

An annotation names acts, propositions and ideas with quotes, what results say and how they were read, what beliefs rest
on, and rules that are broken. `first` and `second` were made apart, `agreed` after comparing the two.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whatworked.judging import RuleJudge, find_quote
from whatworked.process.graph import step_text
from whatworked.process.graph.gates import act_fields
from whatworked.process.juries import SETTINGS
from whatworked.process.records import Record

GOLD = Path(__file__).parent / "gold"
RUNS = ("repaired_simulation", "missing_colon", "wrong_sender", "unread_results", "honest_failure")
LOGS = {
    "repaired_simulation": ("inspect/vivaria_small.eval", "default_epoch_3"),
    "missing_colon": ("mini_swe_agent/github_issue.traj.json", None),
    "wrong_sender": ("inspect/docent_ctf.json", "59_epoch_2"),
    "unread_results": ("codex_cli_text_log/bi_align/codex_log.log", None),
}
"""Where the logs stand below WHATWORKED_AGENT_LOGS, and which run of a file; the last run is written for the tests."""


def annotation(run: str, which: str) -> dict[str, Any]:
    return tomllib.loads((GOLD / f"{run}.{which}.toml").read_text(encoding="utf-8"))


class _Answers:
    """Answers of an annotation to the questions about one record."""

    def __init__(self, record: Record, told: Mapping[str, Any]) -> None:
        self.record = record
        self.told = told
        self.checks = {self.around(step, ("observation",), quote): step for kind, step, quote, *_ in told["acts"]
                       if kind == "check"}  # fmt: skip

    def around(self, step: int, fields: Sequence[Any], quote: str) -> str:
        for field in fields:
            text = step_text(self.record.steps[step], field)
            span = None if text is None else find_quote(quote, text)
            if text is not None and span is not None:
                return text[max(0, span.start - SETTINGS.excerpt) : span.end + SETTINGS.excerpt]
        raise AssertionError(f"step {step} does not hold {quote!r}")

    def extract(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        steps = {int(label.split(".")[0]) for label, _ in fields["steps"]}
        acts = [
            {"type": kind, "step": step, "quote": quote, "idea": idea or None, "shows": shows,
             "builds_on": None if on < 0 else on}
            for kind, step, quote, idea, shows, on in self.told["acts"] if step in steps
        ]  # fmt: skip
        said = [
            {"type": kind, "step": step, "quote": quote, "idea": idea or None}
            for kind, step, quote, idea, _ in self.told["said"] if step in steps
        ]  # fmt: skip
        return {"acts": acts, "propositions": said}

    def statement(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        quote = dict(fields["statement"])["said"]
        (found,) = [more for _, _, text, _, more in self.told["said"] if " ".join(text.split()) == quote]
        return dict(found)

    def ground(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        on, quote = self.statement(fields).get("rests_on", ("none", ""))
        return {"rests_on": on, "quote": quote}

    def reach(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        return {"reach": self.statement(fields)["reach"]}

    def cause(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        told = self.statement(fields)
        by, quote = told.get("shown_by", ("none", ""))
        return {"about": told.get("about", "none"), "kind": told.get("kind", "neither"), "shown_by": by, "quote": quote}

    def results(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        return dict(self.told["results"][str(self.checks[fields["result"]])])

    def result(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        verdict, *quote = self.results(fields).get("verdict", ["silent"])
        return {"verdict": verdict, "quote": quote[0] if quote else ""}

    def said(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        reading, *where = self.results(fields)["said"]
        if reading == "none":
            return {"reading": "none", "where": "none", "quote": ""}
        labels = [label for label, text in fields["words"] if int(label.split(".")[0]) == where[0] and where[1] in text]
        return {"reading": reading, "where": labels[0], "quote": where[1]}

    def aftermath(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        what, act = self.results(fields)["after"]
        return {"what": what, "act": act}

    def topic(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        return {"ideas": [{"idea": label, "topic": self.idea(text)[0]} for label, text in fields["ideas"]]}

    def subject(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        listed = [(label, self.idea(text)[1]) for label, text in (*fields["known"], *fields["ideas"])]
        first = {subject: label for label, subject in reversed(listed)}
        return {
            "ideas": [{"idea": label, "like": first[self.idea(text)[1]]} for label, text in fields["ideas"]]
        }

    def novelty(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        distance, source = self.told["novelty"][fields["idea"].split("\n")[0]]
        return {"distance": distance, "source": source, "to": "none"}

    def idea(self, text: str) -> tuple[str, str]:
        topic, subject = self.told["ideas"][text.split("\n")[0]]
        return topic, subject

    def rule(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        broken = {act: (rule, quote) for act, rule, quote in self.told["rules"]}
        acts = []
        for label, _ in fields["acts"]:
            rule, quote = broken.get(label, ("none", ""))
            acts.append({"act": label, "rule": rule, "quote": quote})
        return {"acts": acts}

    def closing(self, fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        closing, *where = self.told["closing"]
        if not where:
            return {"closing": closing, "where": "none", "quote": ""}
        labels = [label for label, text in fields["words"] if where[1] in text]
        return {"closing": closing, "where": labels[0], "quote": where[1]}


def annotated_judge(record: Record, told: Mapping[str, Any]) -> RuleJudge:
    """A judge that answers as an annotation says; what it does not say is refused."""
    answers = _Answers(record, told)
    alone = {"idea": lambda fields, vote: {"ideas": [{"idea": label, "like": label} for label, _ in fields["ideas"]]}}
    names = (
        "extract", "ground", "reach", "cause", "result", "said", "aftermath", "topic", "subject", "novelty", "rule", "closing"
    )  # fmt: skip
    return RuleJudge({**alone, **{name: getattr(answers, name) for name in names}}, name="annotation")


def act_quotes_stand(record: Record, told: Mapping[str, Any]) -> list[str]:
    """Quotes of an annotation that do not stand where it says."""
    wrong = []
    for kind, step, quote, *_ in told["acts"]:
        texts = [step_text(record.steps[step], field) for field in act_fields(kind)]
        if not any(text is not None and find_quote(quote, text) for text in texts):
            wrong.append(f"{kind} {step}: {quote}")
    return wrong
