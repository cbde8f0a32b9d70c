"""From names in cards to ideas: which names are one, what each is about, and which vary the same thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whatworked.judging import Ballot, Verdict
from whatworked.process.graph import Act, Proposition, Quoted
from whatworked.process.juries.cards import Cards
from whatworked.process.juries.inquiry import Inquiry, Matter, floor_of
from whatworked.process.juries.windows import Labelled


async def settle_ideas(inquiry: Inquiry, cards: Cards) -> None:
    """Merge names that are one idea, and put ideas, acts and propositions into the graph.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    cards : Cards
        What extraction found.
    """
    names = _names(cards)
    labels = {name: f"n{number}" for number, name in enumerate(names, 1)}
    texts = {labels[name]: f"{name}\n{quote}" for name, quote in names.items()}
    home = await group(inquiry, "idea", texts)
    ideas: dict[str, str] = {}
    for name, label in labels.items():
        first = next(other for other, known in labels.items() if known == home[label])
        ideas[name] = ideas[first] if first in ideas else inquiry.assembly.idea(name)
    _add_nodes(inquiry, cards, ideas)


async def mark_topics(inquiry: Inquiry) -> None:
    """Say of each idea whether it is about the studied thing or the work.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    ideas = [(idea.id, text) for idea in inquiry.assembly.ideas if (text := _told(inquiry, idea.id)) is not None]
    batches = [ideas[start : start + inquiry.settings.batch] for start in range(0, len(ideas), inquiry.settings.batch)]
    cases: list[Matter] = [
        (", ".join(label for label, _ in batch), {"task": inquiry.task(), "ideas": tuple(batch)}) for batch in batches
    ]
    for batch, verdict in zip(batches, await inquiry.decide("topic", cases), strict=True):
        for label, _ in batch:
            choice = verdict.choices.get(label)
            inquiry.assembly.mark("topic", label, None if choice is None else str(choice))


async def mark_subjects(inquiry: Inquiry) -> None:
    """Say of each research idea which subject it is on: the first idea that varies the same thing.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    """
    research = [idea for idea in inquiry.assembly.ideas if inquiry.value("topic", idea.id) == "research"]
    texts = {idea.id: text for idea in research if (text := _told(inquiry, idea.id)) is not None}
    names = {idea.id: idea.name for idea in research}
    for idea, first in (await group(inquiry, "subject", texts)).items():
        inquiry.assembly.mark("subject", idea, names[first])


async def group(inquiry: Inquiry, question: str, texts: Mapping[str, str]) -> Mapping[str, str]:
    """For each label the first one that it is like, by a question that compares new ones with known ones.

    New ones come in batches; each batch is shown the known ones that share most words with it, and the latest of them
    where that does not decide. So the work grows with the number of labels and not with its square.

    Parameters
    ----------
    inquiry : Inquiry
        About the run.
    question : str
        ``idea`` or ``subject``.
    texts : mapping of str to str
        By label, in order.

    Returns
    -------
    mapping of str to str
        Where the votes do not decide, a label is like none before it.
    """
    home: dict[str, str] = {}
    waiting = list(texts)
    size = inquiry.settings.batch
    for start in range(0, len(waiting), size):
        batch = waiting[start : start + size]
        known = _nearest([label for label in home if home[label] == label], batch, texts, inquiry.settings.known)
        if len(batch) + len(known) == 1:
            home[batch[0]] = batch[0]
            continue
        fields = {"known": _labelled(known, texts), "ideas": _labelled(batch, texts)}
        order = [*known, *batch]

        def ballot(about: str, answer: Any, order: Sequence[str] = order, batch: Sequence[str] = batch) -> Ballot:
            del about
            return {
                item["idea"]: item["like"]
                for item in answer["ideas"]
                if item["idea"] in batch
                and item["like"] in order
                and order.index(item["like"]) <= order.index(item["idea"])
            }

        (verdict,) = await inquiry.decide(question, [(", ".join(batch), fields)], ballot)
        _place(home, batch, verdict)
    return home


def _place(home: dict[str, str], batch: Sequence[str], verdict: Verdict) -> None:
    for label in batch:
        like = verdict.choices.get(label)
        home[label] = home.get(str(like), label) if like is not None else label


def _nearest(known: Sequence[str], batch: Sequence[str], texts: Mapping[str, str], most: int) -> list[str]:
    words = {word for label in batch for word in texts[label].lower().split()}
    places = {label: place for place, label in enumerate(known)}
    shared = {label: len(words & set(texts[label].lower().split())) for label in known}
    best = sorted(known, key=lambda label: (-shared[label], -places[label]))[:most]
    return sorted(best, key=places.__getitem__)


def _labelled(labels: Sequence[str], texts: Mapping[str, str]) -> Labelled:
    return tuple((label, texts[label]) for label in labels)


def _names(cards: Cards) -> Mapping[str, str]:
    """Names of ideas in order of first mention, each with the quote that stands there."""
    placed = [(card.step, 0, card.idea, card.quote) for card in cards.propositions]
    placed += [(card.step, 1, card.idea, card.quote) for card in cards.acts]
    names: dict[str, str] = {}
    for _, _, idea, quote in sorted(placed, key=lambda place: (place[0], place[1], place[2] or "", place[3])):
        if idea is not None:
            names.setdefault(idea, quote[:400])
    return names


def _add_nodes(inquiry: Inquiry, cards: Cards, ideas: Mapping[str, str]) -> None:
    assembly, floor = inquiry.assembly, floor_of("extract")
    of_launch = {act.step: act.idea for act in cards.acts if act.type == "launch"}
    for said in cards.propositions:
        assembly.proposition(
            said.type, Quoted(said.step, said.quote), None if said.idea is None else ideas[said.idea], floor
        )
    for act in cards.acts:
        idea = act.idea or next((of_launch[step] for step in act.shows if of_launch.get(step)), None)
        assembly.act(act.type, Quoted(act.step, act.quote), None if idea is None else ideas[idea], floor)
    for act in cards.acts:
        for step in act.shows if act.type == "check" else ():
            assembly.edge("reads", f"a{act.step}.check", f"a{step}.launch")
        if act.builds_on is not None and act.type in ("launch", "revise"):
            assembly.edge("builds_on", f"a{act.step}.{act.type}", f"a{act.builds_on}.launch")
    _add_expectations(inquiry)


def _add_expectations(inquiry: Inquiry) -> None:
    """A launch is held to the last prediction on its idea that was stated before its result."""
    assembly = inquiry.assembly
    shown = {edge.target: edge.source for edge in assembly.edges if edge.type == "reads"}
    moments = {act.id: act.at for act in assembly.acts}
    predictions = [said for said in assembly.propositions if said.type == "prediction" and said.idea is not None]
    for launch in assembly.acts:
        if launch.type != "launch" or launch.idea is None:
            continue
        until = moments[shown[launch.id]] if launch.id in shown else launch.at
        before = [said for said in predictions if said.idea == launch.idea and said.at < until]
        if before:
            assembly.edge("expects", launch.id, before[-1].id)


def _told(inquiry: Inquiry, idea: str) -> str | None:
    """The name of an idea with the first words of the record that are about it; None if nothing is."""
    nodes: list[Act | Proposition] = [*inquiry.assembly.propositions, *inquiry.assembly.acts]
    about = sorted((node for node in nodes if node.idea == idea), key=lambda node: (node.at, node.id))
    if not about:
        return None
    name = next(known.name for known in inquiry.assembly.ideas if known.id == idea)
    return "\n".join([name, *dict.fromkeys(node.quote.text[:400] for node in about[:2])])
