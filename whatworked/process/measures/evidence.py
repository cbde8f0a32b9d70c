"""E1, evidence: whether beliefs rest on results that were shown."""

from __future__ import annotations

from whatworked.process.graph.model import Edge, Proposition
from whatworked.process.measures.view import Item, View, quotes_of


def belief_grounded(view: View) -> tuple[Item, ...]:
    """Beliefs and conjectures with an edge to a result that was shown before them."""
    items = []
    seen: set[tuple[str | None, str]] = set()
    for said in view.said("belief", "conjecture"):
        grounds = view.edges_to("grounds", said.id)
        if not grounds:
            if not view.undecided("ground", said.id):
                items.append(Item(said.id, False, "no result that was shown before settles it", quotes_of(said)))
            continue
        keys = {(said.idea, edge.source) for edge in grounds}
        if keys <= seen:
            continue  # the same result said again of the same idea is no new belief
        seen |= keys
        items.append(Item(said.id, True, f"rests on {_listed(grounds)}", quotes_of(said, *grounds)))
    return tuple(items)


def assertion_within_evidence(view: View) -> tuple[Item, ...]:
    """Grounded research beliefs that claim no more than was shown."""
    words = {
        "readout": "says what the result shows",
        "within": "claims no more than the results show",
        "beyond": "claims more than the results show",
    }
    items = []
    seen: set[tuple[str | None, str]] = set()
    for said in _research(view, view.said("belief")):
        grounds, mark = view.edges_to("grounds", said.id), view.mark("reach", said.id)
        if not grounds or mark is None or mark.value is None:
            continue
        keys = {(said.idea, edge.source) for edge in grounds}
        if mark.value == "beyond" or not keys <= seen:
            seen |= keys
            items.append(Item(said.id, mark.value != "beyond", words[mark.value], quotes_of(said, mark, *grounds)))
    return tuple(items)


def reliance_tested(view: View) -> tuple[Item, ...]:
    """Reliances that a check tested after they were stated; an idea counts once."""
    items = []
    ideas: set[str] = set()
    for said in view.said("reliance"):
        if said.idea is None:
            items.append(Item(said.id, False, "nothing in the run could settle it", quotes_of(said)))
            continue
        if not view.is_research(said.idea) or said.idea in ideas:
            continue
        ideas.add(said.idea)
        tests = [row for row in view.verdicts_on.get(said.idea, ()) if row.at > said.at and not row.void]
        why = f"{tests[0].check} tested it" if tests else "no check tested it after it was stated"
        items.append(Item(said.id, bool(tests), why, quotes_of(said, *tests[:1])))
    return tuple(items)


def unshown_belief_held_up(view: View) -> tuple[Item, ...]:
    """Research beliefs stated before any result bore on them that their first test confirmed; an idea counts once."""
    items = []
    ideas: set[str | None] = set()
    for said in _research(view, view.said("belief", "conjecture")):
        if view.edges_to("grounds", said.id) or said.idea in ideas:
            continue
        tests = [row for row in view.verdicts_on.get(said.idea or "", ()) if row.at > said.at and row.directional]
        if tests:
            ideas.add(said.idea)
            first = tests[0]
            items.append(
                Item(
                    said.id,
                    first.direction == "confirms",
                    f"{first.check} {first.direction} it",
                    quotes_of(said, first),
                )
            )
    return tuple(items)


def _research(view: View, said: tuple[Proposition, ...]) -> tuple[Proposition, ...]:
    return tuple(proposition for proposition in said if view.is_research(proposition.idea))


def _listed(edges: tuple[Edge, ...]) -> str:
    return ", ".join(edge.source for edge in edges)
