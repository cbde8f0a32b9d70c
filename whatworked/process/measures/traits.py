"""T1 to T6: habits of work, of which none is better than its opposite."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from whatworked.process.graph.model import Act, Idea, Proposition, Quote
from whatworked.process.measures.view import Abstention, Item, View, quotes_of

_AHEAD = frozenset({"conjecture", "question", "prediction"})
CALLS = 5
"""Model calls that the share of tokens needs."""
REACH = 8
"""Acts before and after one that are looked at for subjects that recur."""


def doing(view: View) -> float | Abstention:
    """T1: output tokens of model calls that act, hidden thinking left out, of all output tokens."""
    budget = view.graph.budget
    if budget.calls == 0 or budget.recorded < budget.calls:
        return Abstention(
            f"tokens are not recorded: output and hidden thinking are stated for {budget.recorded} of {budget.calls} "
            "model calls"
        )
    if budget.calls < CALLS:
        return Abstention(f"{budget.calls} of the {CALLS} model calls that the share needs")
    if budget.output == 0:
        return Abstention("no output tokens are recorded")
    return budget.acting / budget.output


def open_subjects(view: View) -> tuple[Item, ...]:
    """T2: research acts at which two subjects or more were open at once."""
    acts = [act for act in view.acts_of("launch", "check", "probe", "revise") if _subject(view, act) is not None]
    acts = [act for act in acts if view.is_research(act.idea)]
    items = []
    for place, act in enumerate(acts[:-1]):
        before = {_subject(view, other) for other in acts[max(0, place - REACH) : place + 1]}
        after = {_subject(view, other) for other in acts[place + 1 : place + 1 + REACH]}
        number = len(before & after)
        items.append(Item(act.id, number >= 2, f"subjects that were open: {number}", quotes_of(act)))
    return tuple(items)


def pacing(view: View) -> tuple[Item, ...]:
    """T2: launches that began before the result of the one before, of any line of work, was read."""
    launches = view.acts_of("launch")
    items = []
    for before, launch in pairwise(launches):
        read = [check for check in view.looks_at(before.id) if check.at < launch.at]
        why = f"{before.id} was read before" if read else f"{before.id} was not read yet"
        items.append(Item(launch.id, not read, why, quotes_of(before, *read[:1], launch)))
    return tuple(items)


def birth_novelty(view: View) -> tuple[Item, ...]:
    """T3: research ideas that were far from what the run had settled when they came up."""
    words = {"far": "far from what was settled", "near": "close to what was settled"}
    return tuple(
        Item(idea.id, mark.value == "far", words[mark.value], _first_quotes(view, idea) + quotes_of(mark))
        for idea in _research_ideas(view)
        if (mark := view.mark("distance", idea.id)) is not None and mark.value is not None
    )


def subject_opened(view: View) -> tuple[Item, ...]:
    """T3: research launches that are the first on their subject."""
    items = []
    seen: set[str] = set()
    for launch in view.acts_of("launch"):
        subject = _subject(view, launch)
        if subject is not None and view.is_research(launch.idea):
            why = "already worked on" if subject in seen else "first launch"
            items.append(Item(launch.id, subject not in seen, f"{why}: {subject}", quotes_of(launch)))
            seen.add(subject)
    return tuple(items)


def leaves_subject(view: View) -> tuple[Item, ...]:
    """T4: launches that their result contradicted, after which the next launch was on another subject."""
    launches = view.acts_of("launch")
    moments = [launch.at for launch in launches]
    items = []
    for launch in launches:
        against = [row for check in view.looks_at(launch.id) for row in view.verdicts_by.get(check.id, ())]
        against = [
            row for row in against if row.idea == launch.idea and row.direction == "contradicts" and not row.void
        ]
        following = bisect_right(moments, against[0].at) if against else len(launches)
        later = launches[following : following + 1]
        here, there = _subject(view, launch), _subject(view, later[0]) if later else None
        if here is not None and there is not None and view.is_research(launch.idea):
            why = f"next was {later[0].id} on {'the same subject' if here == there else 'another subject'}"
            items.append(Item(launch.id, here != there, why, quotes_of(launch, against[0], later[0])))
    return tuple(items)


def leaves_idea(view: View) -> tuple[Item, ...]:
    """T4: contradictions after which the idea was undone or left."""
    items = []
    for row in view.verdicts:
        mark = view.mark("aftermath", row.check)
        if row.direction != "contradicts" or row.void or not view.is_research(row.idea):
            continue
        if mark is not None and mark.value is not None:
            items.append(Item(row.check, mark.value in ("undone", "left"), mark.value, quotes_of(row, mark)))
    return tuple(items)


def transferred(view: View) -> tuple[Item, ...]:
    """T5: research ideas that carry over what the run had shown elsewhere, of these and those that were far and new."""
    items = []
    for idea in _research_ideas(view):
        mark = view.mark("source", idea.id)
        if mark is None or mark.value is None:
            continue
        if mark.value == "transfer" or view.value("distance", idea.id) == "far":
            why = "carries over what was shown elsewhere" if mark.value == "transfer" else "new"
            items.append(Item(idea.id, mark.value == "transfer", why, _first_quotes(view, idea) + quotes_of(mark)))
    return tuple(items)


def hypothesis_first(view: View) -> tuple[Item, ...]:
    """T6: research ideas with a result of which something was stated before the first result was shown."""
    items = []
    for idea in _research_ideas(view):
        acts = view.acts_on.get(idea.id, ())
        launches = [act for act in acts if act.type == "launch" and not act.mandated]
        shown = view.first_shown(launches)
        if shown is None:
            continue
        stated = [said for said in view.said_of.get(idea.id, ()) if said.type in _AHEAD]
        stated += [
            view.propositions[edge.target] for launch in launches for edge in view.edges_from("expects", launch.id)
        ]
        before = sorted((said for said in stated if said.at < shown), key=lambda said: (said.at, said.id))
        why = (
            f"{before[0].id} was stated before its first result"
            if before
            else "nothing was stated before its first result"
        )
        items.append(Item(idea.id, bool(before), why, quotes_of(*before[:1], launches[0])))
    return tuple(items)


def _research_ideas(view: View) -> Sequence[Idea]:
    return [idea for idea in view.graph.ideas if view.is_research(idea.id)]


def _subject(view: View, act: Act) -> str | None:
    return view.value("subject", act.idea)


def _first_quotes(view: View, idea: Idea) -> tuple[Quote, ...]:
    nodes: list[Proposition | Act] = [*view.said_of.get(idea.id, ())[:1], *view.acts_on.get(idea.id, ())[:1]]
    return quotes_of(min(nodes, key=lambda node: (node.at, node.id))) if nodes else ()
