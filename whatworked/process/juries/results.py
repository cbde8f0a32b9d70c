"""What results say, how the agent reads them, what they were withdrawn for, and what was done after them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatworked.judging import Ballot
from whatworked.judging.fences import Material
from whatworked.process.graph import Act, Proposition, Quoted
from whatworked.process.graph.model import VERDICTS
from whatworked.process.juries.inquiry import NONE, NOT_RECORDED, Inquiry, Matter, floor_of, winning
from whatworked.process.juries.windows import Labelled

_STATEMENTS = 5
"""Statements on an idea that are shown with a result."""


async def judge_results(inquiry: Inquiry) -> None:
    """Give each check its verdicts: on its own idea, and on those of the launches that it reads.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    assembly = inquiry.assembly
    acts = {act.id: act for act in assembly.acts}
    reads = _launches_read(inquiry, acts)
    pairs: dict[str, tuple[Act, str]] = {}
    for check in (act for act in assembly.acts if act.type == "check"):
        for idea in dict.fromkeys([check.idea, *(launch.idea for launch in reads[check.id])]):
            if idea is not None:
                pairs[f"{check.id} {idea}"] = (check, idea)

    def ballot(about: str, answer: Any) -> Ballot:
        verdict, step = answer["verdict"], pairs[about][0].step
        if verdict != "silent" and not inquiry.stands("result", answer["quote"], step, "observation"):
            return {}
        return {"": verdict}

    names = {idea.id: idea.name for idea in assembly.ideas}
    said: dict[str, list[Proposition]] = {}
    for proposition in assembly.propositions:
        said.setdefault(proposition.idea or "", []).append(proposition)
    cases: list[Matter] = []
    for about, (check, idea) in pairs.items():
        before = [stated for stated in said.get(idea, []) if stated.at < check.at][-_STATEMENTS:]
        launched = reads[check.id][-1].step if reads[check.id] else check.step
        fields: dict[str, Material] = {
            "idea": names[idea],
            "statements": tuple((stated.id, stated.quote.text) for stated in before),
            "action": inquiry.action(launched),
            "result": inquiry.around(check.quote),
        }
        cases.append((about, fields))
    for verdict in await inquiry.decide("result", cases, ballot):
        check, idea = pairs[verdict.about]
        kind = next((known for known in VERDICTS if known == verdict.choices.get("")), None)
        if kind is not None:
            quote = winning(verdict, ballot)[0]["quote"]
            assembly.edge(kind, check.id, idea, Quoted(check.step, quote), floor_of("result"))


async def judge_readings(inquiry: Inquiry) -> None:
    """Say of each check that reads a launch how the agent says it came out.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    readers = {edge.source for edge in inquiry.edges("reads")}
    words: dict[str, Labelled] = {}
    checks = {act.id: act for act in inquiry.assembly.acts if act.id in readers}
    for name, check in checks.items():
        words[name] = _words_after(inquiry, check)
        if not words[name]:
            inquiry.assembly.mark("said", name, "none")

    def ballot(about: str, answer: Any) -> Ballot:
        reading = answer["reading"]
        labels = [label for label, _ in words[about]]
        if reading == "none":
            return {"": reading}
        if answer["where"] not in labels:
            return {}
        stands = inquiry.stands("said", answer["quote"], _step_of(answer["where"]), "words", "action")
        return {"": reading} if stands else {}

    cases: list[Matter] = [
        (name, {"action": inquiry.action(check.step), "result": inquiry.around(check.quote), "words": words[name]})
        for name, check in checks.items()
        if words[name]
    ]
    for verdict in await inquiry.decide("said", cases, ballot):
        choice = verdict.choices.get("")
        quoted = None
        if choice not in (None, "none"):
            answer = winning(verdict, ballot)[0]
            quoted = Quoted(_step_of(answer["where"]), answer["quote"])
        inquiry.assembly.mark("said", verdict.about, None if choice is None else str(choice), quoted, floor_of("said"))


async def judge_causes(inquiry: Inquiry) -> None:
    """Tie each cause and retraction to the result that it speaks of.

    A result that the agent takes back is withdrawn. It is void, and its verdict no verdict, only if a result shows the
    fault: the agent's word is not enough to take a contradiction away.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    assembly = inquiry.assembly
    said = {
        proposition.id: proposition
        for proposition in assembly.propositions
        if proposition.type in ("cause", "retraction")
    }
    shown = {name: {act.id: act for act in inquiry.shown_before(stated, "check")} for name, stated in said.items()}

    def ballot(about: str, answer: Any) -> Ballot:
        results = shown[about]
        if answer["about"] not in results and answer["about"] != NONE:
            return {}
        faulty = answer["kind"] == "broken" and answer["shown_by"] in results
        faulty = faulty and inquiry.stands("cause", answer["quote"], results[answer["shown_by"]].step, "observation")
        return {
            "about": answer["about"],
            "kind": answer["kind"] if answer["about"] != NONE else "neither",
            "shown": answer["shown_by"] if faulty else NONE,
        }

    cases: list[Matter] = [
        (
            name,
            {
                "statement": inquiry.stated(stated.quote),
                "results": tuple((act.id, inquiry.around(act.quote)) for act in shown[name].values()),
            },
        )
        for name, stated in said.items()
        if shown[name]
    ]
    for verdict in await inquiry.decide("cause", cases, ballot):
        about, kind, by = (verdict.choices.get(item) for item in ("about", "kind", "shown"))
        if about in (None, NONE) or kind in (None, "neither"):
            continue
        if kind == "idea":
            if said[verdict.about].type == "cause":
                assembly.edge("explains", verdict.about, str(about))
            continue
        assembly.edge("withdraws", verdict.about, str(about))
        if by not in (None, NONE):
            answers = [answer for answer in winning(verdict, ballot) if answer["shown_by"] == by]
            if answers:
                quoted = Quoted(shown[verdict.about][str(by)].step, answers[0]["quote"])
                assembly.edge("voids", verdict.about, str(about), quoted, floor_of("cause"))


async def judge_aftermath(inquiry: Inquiry) -> None:
    """Say of each contradiction what was done after it.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    assembly = inquiry.assembly
    checks = {act.id: act for act in assembly.acts if act.type == "check"}
    void = {edge.target for edge in inquiry.edges("voids")}
    names = {idea.id: idea.name for idea in assembly.ideas}
    against: dict[str, str] = {}
    for edge in inquiry.edges("contradicts"):
        if edge.source not in void:
            against.setdefault(edge.source, edge.target)
    after: dict[str, dict[str, Act]] = {}
    for name in against:
        later = [act for act in assembly.acts if act.at > checks[name].at and not act.mandated]
        after[name] = {act.id: act for act in later[: inquiry.settings.acts_after]}

    def ballot(about: str, answer: Any) -> Ballot:
        act = after[about].get(answer["act"])
        answers = act is not None and act.type in ("launch", "revise")
        return {"what": answer["what"], "act": answer["act"] if answers else NONE}

    cases: list[Matter] = [
        (
            name,
            {
                "idea": names[idea],
                "result": inquiry.around(checks[name].quote),
                "acts": tuple((act.id, _act_text(inquiry, act)) for act in after[name].values()),
            },
        )
        for name, idea in against.items()
        if after[name]
    ]
    for verdict in await inquiry.decide("aftermath", cases, ballot):
        what, act = verdict.choices.get("what"), verdict.choices.get("act")
        assembly.mark("aftermath", verdict.about, None if what is None else str(what))
        if act not in (None, NONE):
            assembly.edge("answers", str(act), verdict.about)


def _launches_read(inquiry: Inquiry, acts: Mapping[str, Act]) -> Mapping[str, list[Act]]:
    found: dict[str, list[Act]] = {act.id: [] for act in acts.values() if act.type == "check"}
    for edge in inquiry.edges("reads"):
        found[edge.source].append(acts[edge.target])
    return {check: sorted(launches, key=lambda act: (act.at, act.id)) for check, launches in found.items()}


def _words_after(inquiry: Inquiry, check: Act) -> Labelled:
    """What the agent wrote after a result was shown, the first texts of it."""
    found: list[tuple[str, str]] = []
    for step in inquiry.record.steps[check.at.step + 1 :]:
        found += inquiry.said_in(step, 2 * inquiry.settings.excerpt)
        if len(found) >= inquiry.settings.words_after:
            break
    return tuple(found[: inquiry.settings.words_after])


def _step_of(label: str) -> int:
    number = label.partition(".")[0]
    return int(number) if number.isdecimal() else -1


def _act_text(inquiry: Inquiry, act: Act) -> str:
    words = inquiry.assembly.text(act.step, "words") or ""
    what = inquiry.around(act.quote)
    return f"{act.type}: {what}\n{words[: inquiry.settings.excerpt] or NOT_RECORDED}"
