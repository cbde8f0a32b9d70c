"""Runs that were annotated by reading, as a judge: every question is answered from the annotation, and nothing else.

An annotation names acts, propositions and ideas with quotes, what results say and how they were read, what beliefs rest
on, and rules that are broken. `first` and `second` are by two readers apart, who saw no code; `agreed` is by a third,
who settled what they part over by the questions' definitions.

The project holds no record of others. It holds annotations with short quotes, the agreed answers as a journal of calls
without the prompts, and the graphs that come of them. ``python tests/process/gold_judge.py`` makes them anew.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from whatworked.judging import Call, RuleJudge, find_quote
from whatworked.process.graph import step_text, write_graph
from whatworked.process.graph.gates import act_fields
from whatworked.process.juries import SETTINGS, score
from whatworked.process.juries.cards import alike
from whatworked.process.records import Record, convert, unknown_world
from whatworked.storage.journal import Journal

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
        return {"ideas": [{"idea": label, "like": first[self.idea(text)[1]]} for label, text in fields["ideas"]]}

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

    def alone(fields: Mapping[str, Any], vote: int) -> dict[str, Any]:
        return {"ideas": [{"idea": label, "like": label} for label, _ in fields["ideas"]]}

    names = (
        "extract", "ground", "reach", "cause", "result", "said", "aftermath", "topic", "subject", "novelty", "rule",
        "closing",
    )  # fmt: skip
    return RuleJudge({"idea": alone, **{name: getattr(answers, name) for name in names}}, name="annotation")


def act_quotes_stand(record: Record, told: Mapping[str, Any]) -> list[str]:
    """Quotes of an annotation that do not stand where it says."""
    wrong = []
    for kind, step, quote, *_ in told["acts"]:
        texts = [step_text(record.steps[step], field) for field in act_fields(kind)]
        if not any(text is not None and find_quote(quote, text) for text in texts):
            wrong.append(f"{kind} {step}: {quote}")
    return wrong


def act_labels(told: Mapping[str, Any], steps: Sequence[int]) -> list[str]:
    """What sorts of act each step holds."""
    return ["+".join(sorted(kind for kind, at, *_ in told["acts"] if at == step)) or "none" for step in steps]


def paired(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Statements of the first reading, each with that of the second whose quote is likest or None; and those left.

    Readers cut quotes in different places, so statements are matched by their words and not by whole quotes.
    """
    left, pairs = list(second["said"]), []
    for said in first["said"]:
        near = [other for other in left if other[1] == said[1] and alike(other[2], said[2])]
        match = max(near, key=lambda other: _shared(other[2], said[2]), default=None)
        if match is not None:
            left.remove(match)
        pairs.append((said, match))
    return pairs, left


def _shared(first: str, second: str) -> float:
    """Which share of the words of two quotes stands in both."""
    left, right = set(first.split()), set(second.split())
    return len(left & right) / len(left | right)


def statement_labels(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Types of the statements that either reading holds, side by side."""
    pairs, left = paired(first, second)
    types = [(said[0], "none" if match is None else match[0]) for said, match in pairs]
    types += [("none", said[0]) for said in left]
    return [one for one, _ in types], [other for _, other in types]


def ground_labels(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What the statements that both readings take for a belief or conjecture rest on."""
    settled = ("belief", "conjecture")
    both = [
        (said, match)
        for said, match in paired(first, second)[0]
        if match is not None and said[0] in settled and match[0] in settled
    ]
    grounds = [[said[4].get("rests_on", ["none"])[0] for said in pair] for pair in both]
    return [one for one, _ in grounds], [other for _, other in grounds]


def result_labels(first: Mapping[str, Any], second: Mapping[str, Any], what: str) -> tuple[list[str], list[str]]:
    """What the results that both readings hold say, or how they were read."""
    both = sorted(first["results"].keys() & second["results"].keys())
    found = [[reading["results"][step].get(what, ["none"])[0] for step in both] for reading in (first, second)]
    return found[0], found[1]


def labels(run: str, steps: Sequence[int]) -> dict[str, tuple[list[str], list[str]]]:
    """Every decision of the two readings of a run, side by side, by kind."""
    first, second = annotation(run, "first"), annotation(run, "second")
    return {
        "acts of a step": (act_labels(first, steps), act_labels(second, steps)),
        "type of a statement": statement_labels(first, second),
        "what a belief rests on": ground_labels(first, second),
        "what a result says": result_labels(first, second, "verdict"),
        "how a result was read": result_labels(first, second, "said"),
    }


def load_record(run: str, logs: Path) -> Record:
    part, name = LOGS.get(run, (None, None))
    source = GOLD / f"{run}.log.json" if part is None else logs / part
    found = [one.record for one in convert([source]) if name is None or one.run == name]
    assert len(found) == 1
    assert found[0] is not None
    return found[0]


def write_gold(logs: Path) -> None:
    """Make the stored answers and graphs anew; needed after a change of a question or a gate."""
    for run in RUNS:
        record = load_record(run, logs)
        calls = GOLD / f"{run}.calls"
        calls.unlink(missing_ok=True)
        judge = annotated_judge(record, annotation(run, "agreed"))
        graph = score(record, unknown_world(), judge, journal=calls, cheap=True, task=run).graph
        assert graph.dropped == graph.undecided == graph.unfinished == {}
        write_graph(GOLD / f"{run}.graph.json", graph)
        with Journal(calls, "judge", graph.record, Call, "delete it") as journal:
            journal.replace([msgspec.structs.replace(call, prompt=None) for call in journal.entries()])


if __name__ == "__main__":
    write_gold(Path(os.environ["WHATWORKED_AGENT_LOGS"]))
