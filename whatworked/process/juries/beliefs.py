"""What beliefs rest on, whether they reach beyond it, and how new ideas are."""

from __future__ import annotations

from typing import Any

from whatworked.judging import Ballot
from whatworked.process.graph import Act, Proposition, Quoted
from whatworked.process.juries.inquiry import NONE, Inquiry, Matter, floor_of, winning
from whatworked.process.juries.windows import Labelled


async def ground_beliefs(inquiry: Inquiry) -> None:
    """Tie each belief and conjecture to the result, shown before it, that settles it.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    assembly = inquiry.assembly
    said = {
        proposition.id: proposition
        for proposition in assembly.propositions
        if proposition.type in ("belief", "conjecture")
    }
    shown = {
        name: {act.id: act for act in inquiry.shown_before(stated, "check", "probe")} for name, stated in said.items()
    }

    def ballot(about: str, answer: Any) -> Ballot:
        act = shown[about].get(answer["rests_on"])
        if act is None:
            return {"": NONE} if answer["rests_on"] == NONE else {}
        return {"": act.id} if inquiry.stands("ground", answer["quote"], act.step, "observation") else {}

    cases: list[Matter] = [
        (name, {"statement": inquiry.stated(stated.quote), "results": _results(inquiry, shown[name].values())})
        for name, stated in said.items()
        if shown[name]
    ]
    for name in said:
        if not shown[name]:
            assembly.mark("ground", name, "not shown")
    for verdict in await inquiry.decide("ground", cases, ballot):
        choice = verdict.choices.get("")
        if choice not in (None, NONE):
            quoted = Quoted(shown[verdict.about][str(choice)].step, winning(verdict, ballot)[0]["quote"])
            assembly.edge("grounds", str(choice), verdict.about, quoted, floor_of("ground"))
        assembly.mark("ground", verdict.about, None if choice is None else "not shown" if choice == NONE else "shown")


async def judge_reach(inquiry: Inquiry) -> None:
    """Say of each research belief that rests on a result whether it claims more.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    assembly = inquiry.assembly
    acts = {act.id: act for act in assembly.acts}
    grounds: dict[str, list[Act]] = {}
    for edge in inquiry.edges("grounds"):
        grounds.setdefault(edge.target, []).append(acts[edge.source])
    said = [
        stated
        for stated in assembly.propositions
        if stated.id in grounds
        and stated.type == "belief"
        and stated.idea is not None
        and inquiry.value("topic", stated.idea) == "research"
    ]
    cases: list[Matter] = [
        (stated.id, {"statement": inquiry.stated(stated.quote), "results": _results(inquiry, grounds[stated.id])})
        for stated in said
    ]
    for verdict in await inquiry.decide("reach", cases):
        choice = verdict.choices.get("")
        assembly.mark("reach", verdict.about, None if choice is None else str(choice))


async def judge_novelty(inquiry: Inquiry) -> None:
    """Say of each research idea how it stands to what was settled before it came up.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    assembly = inquiry.assembly
    nodes: list[Act | Proposition] = [*assembly.propositions, *assembly.acts]
    moments = {act.id: act.at for act in assembly.acts}
    void = {edge.target for edge in inquiry.edges("voids")}
    verdicts = [edge for edge in inquiry.edges("confirms", "contradicts") if edge.source not in void]
    names = {idea.id: idea.name for idea in assembly.ideas}
    settled: dict[str, dict[str, str]] = {}
    first: dict[str, Act | Proposition] = {}
    for idea in names:
        about = sorted((node for node in nodes if node.idea == idea), key=lambda node: (node.at, node.id))
        if not about or inquiry.value("topic", idea) != "research":
            continue
        first[idea] = about[0]
        before = sorted(
            (edge for edge in verdicts if edge.target != idea and moments[edge.source] < about[0].at),
            key=lambda edge: (moments[edge.source], edge.source, edge.target),
        )
        found = {edge.target: f"{names[edge.target]}: a result {edge.type} it" for edge in before}
        if len(found) >= inquiry.settings.settled_before:
            settled[idea] = dict(list(found.items())[-inquiry.settings.settled :])

    def ballot(about: str, answer: Any) -> Ballot:
        del about
        return {"distance": answer["distance"], "source": answer["source"]}

    cases: list[Matter] = [
        (
            idea,
            {"idea": f"{names[idea]}\n{inquiry.around(first[idea].quote)}", "settled": tuple(known.items())},
        )
        for idea, known in settled.items()
    ]
    for verdict in await inquiry.decide("novelty", cases, ballot):
        distance, source = verdict.choices.get("distance"), verdict.choices.get("source")
        assembly.mark("distance", verdict.about, None if distance is None else str(distance))
        assembly.mark("source", verdict.about, None if source is None else str(source))


def _results(inquiry: Inquiry, acts: Any) -> Labelled:
    return tuple((act.id, inquiry.around(act.quote)) for act in acts)
