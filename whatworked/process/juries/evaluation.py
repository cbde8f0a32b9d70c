"""Whether the evaluation was left alone: rules, what is handed in, how much of the measure was run, the last report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whatworked.judging import Ballot, Verdict
from whatworked.judging.fences import Material
from whatworked.process.graph import Act, Quoted
from whatworked.process.juries.catalog import house_rules
from whatworked.process.juries.inquiry import NONE, Inquiry, Matter, floor_of, winning
from whatworked.process.juries.windows import Labelled, labelled_parts

_LAST_TEXTS = 3
"""Last steps in which the agent says something that are its last report."""


async def judge_rules(inquiry: Inquiry) -> None:
    """Mark the launches, revisions and deliveries that break a rule.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    acts = _chosen(inquiry)
    texts = [(label, text) for act in acts.values() for label, text in _whole(inquiry, act)]
    rules = house_rules()
    batches = _batches(inquiry, texts)
    by_about = {_about(batch): batch for batch in batches}

    def ballot(about: str, answer: Any) -> Ballot:
        labels = {label for label, _ in by_about[about]}
        choices: dict[str, str] = {}
        for item in answer["acts"]:
            label, rule = item["act"], item["rule"]
            if label not in labels or rule not in (NONE, *rules):
                continue
            step = acts[_act_of(label)].step
            if rule == NONE or inquiry.stands("rule", item["quote"], step, "action"):
                choices[label] = rule
        return choices

    cases: list[Matter] = [
        (
            about,
            {
                "rules": tuple(rules.items()),
                "task": inquiry.task(),
                "contract": inquiry.contract(),
                "acts": tuple(batch),
            },
        )
        for about, batch in by_about.items()
    ]
    for verdict in await inquiry.decide("rule", cases, ballot):
        for label, rule in sorted(verdict.choices.items()):
            act = acts[_act_of(label)]
            if rule == NONE or inquiry.value("breach", act.id) is not None:
                continue
            quote = _quote_of(inquiry, verdict, label, str(rule), act.step)
            inquiry.assembly.mark("breach", act.id, rules[str(rule)], Quoted(act.step, quote), floor_of("rule"))


async def judge_promotion(inquiry: Inquiry) -> None:
    """Say of launches, revisions and deliveries whether they choose what is handed in; asked only where that is known.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    if inquiry.world.submission is None:
        return
    acts = _chosen(inquiry)
    texts = [(act.id, _with_words(inquiry, act)) for act in acts.values()]
    batches = _batches(inquiry, texts)
    cases: list[Matter] = [
        (_about(batch), {"submission": inquiry.world.submission, "acts": tuple(batch)}) for batch in batches
    ]
    for batch, verdict in zip(batches, await inquiry.decide("promotes", cases), strict=True):
        for label, _ in batch:
            choice = verdict.choices.get(label)
            inquiry.assembly.mark("promotes", label, None if choice is None else str(choice))


async def judge_coverage(inquiry: Inquiry) -> None:
    """Say of each check on how much of the measure it rests; asked only where its size is known.

    A long result is shown whole, in numbered parts; where they do not fit one question, any part that tells counts.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    if inquiry.world.measure_size is None:
        return
    settings = inquiry.settings
    cases: list[Matter] = []
    for check in (act for act in inquiry.assembly.acts if act.type == "check" and not act.mandated):
        text = inquiry.assembly.text(check.step, "observation") or ""
        parts = labelled_parts(check.id, text, settings.part)
        for start in range(0, len(parts), settings.parts):
            fields: dict[str, Material] = {
                "size": str(inquiry.world.measure_size),
                "action": inquiry.action(check.step),
                "result": parts[start : start + settings.parts],
            }
            cases.append((f"{check.id} {start}", fields))
    found: dict[str, list[str | None]] = {}
    for verdict in await inquiry.decide("coverage", cases):
        choice = verdict.choices.get("")
        found.setdefault(verdict.about.split()[0], []).append(None if choice is None else str(choice))
    for check_id, choices in found.items():
        told = [choice for choice in choices if choice in ("all", "part")]
        inquiry.assembly.mark("coverage", check_id, told[-1] if told else None if None in choices else "none")


async def judge_closing(inquiry: Inquiry) -> None:
    """Say of the last words whether they give a score on a part as if it were the whole.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    words: list[tuple[str, str]] = []
    texts = 0
    for step in reversed(inquiry.record.steps):
        if texts == _LAST_TEXTS:
            break
        said = inquiry.said_in(step, inquiry.settings.part * inquiry.settings.report_parts)
        texts += bool(said)
        words[:0] = [part for label, text in said for part in labelled_parts(label, text, inquiry.settings.part)]
    if not words:
        return
    checks = [act for act in inquiry.assembly.acts if act.type == "check"][-inquiry.settings.results :]
    fields: dict[str, Material] = {
        "task": inquiry.task(),
        "results": tuple((act.id, f"{inquiry.action(act.step)}\n{inquiry.around(act.quote)}") for act in checks),
        "words": tuple(words),
    }

    def ballot(about: str, answer: Any) -> Ballot:
        del about
        closing, label = answer["closing"], answer["where"]
        if closing == "no score":
            return {"": closing}
        stands = label in dict(words) and inquiry.stands(
            "closing", answer["quote"], int(label.split(".")[0]), "words", "action"
        )
        return {"": closing} if stands else {}

    (verdict,) = await inquiry.decide("closing", [("run", fields)], ballot)
    choice = verdict.choices.get("")
    quoted = None
    if choice not in (None, "no score"):
        answer = winning(verdict, ballot)[0]
        quoted = Quoted(int(answer["where"].split(".")[0]), answer["quote"])
    inquiry.assembly.mark("closing", "run", None if choice is None else str(choice), quoted, floor_of("closing"))


def _chosen(inquiry: Inquiry) -> dict[str, Act]:
    """Launches, revisions and deliveries that the agent chose."""
    return {
        act.id: act for act in inquiry.assembly.acts if act.type in ("launch", "revise", "deliver") and not act.mandated
    }


def _whole(inquiry: Inquiry, act: Act) -> Labelled:
    action = inquiry.assembly.text(act.step, "action") or ""
    words = (inquiry.assembly.text(act.step, "words") or "")[: inquiry.settings.excerpt]
    parts = labelled_parts(act.id, action, inquiry.settings.part)
    return tuple((label, f"{text}\n\nwritten beside it: {words}" if words else text) for label, text in parts)


def _with_words(inquiry: Inquiry, act: Act) -> str:
    words = (inquiry.assembly.text(act.step, "words") or "")[: inquiry.settings.excerpt]
    return f"{inquiry.action(act.step)}\n\nwritten beside it: {words}" if words else inquiry.action(act.step)


def _batches(inquiry: Inquiry, texts: Sequence[tuple[str, str]]) -> list[Labelled]:
    batches: list[Labelled] = []
    batch: list[tuple[str, str]] = []
    room = inquiry.settings.part * inquiry.settings.parts
    for label, text in texts:
        full = len(batch) == inquiry.settings.batch or sum(len(other) for _, other in batch) + len(text) > room
        if batch and full:
            batches.append(tuple(batch))
            batch = []
        batch.append((label, text))
    return [*batches, tuple(batch)] if batch else batches


def _about(batch: Labelled) -> str:
    return ", ".join(label for label, _ in batch)


def _act_of(label: str) -> str:
    """The act of a label, which may end in the number of a part."""
    return ".".join(label.split(".")[:2])


def _quote_of(inquiry: Inquiry, verdict: Verdict, label: str, rule: str, step: int) -> str:
    """The first quote of a vote for a rule that stands in the action."""
    items = [item for vote in verdict.votes if vote.kind == "answer" for item in vote.answer["acts"]]
    chosen = (str(item["quote"]) for item in items if item["act"] == label and item["rule"] == rule)
    return next(quote for quote in chosen if inquiry.stands("rule", quote, step, "action"))
