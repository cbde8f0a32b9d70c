"""E3, revision: whether ideas that results contradict are repaired or explained."""

from __future__ import annotations

from whatworked.process.graph.model import Act
from whatworked.process.graph.verdicts import Verdict
from whatworked.process.measures.view import Item, View, quotes_of


def contradicted_resolved(view: View) -> tuple[Item, ...]:
    """Contradicted research ideas that were repaired, or explained with work that followed from the cause."""
    items = []
    for idea in view.graph.ideas:
        against = view.live_contradictions(idea.id)
        if against and view.is_research(idea.id):
            items.append(
                _repaired(view, idea.id, against) or _explained(view, idea.id, against) or _open(view, idea.id, against)
            )
    return tuple(items)


def _repaired(view: View, idea: str, against: tuple[Verdict, ...]) -> Item | None:
    first = against[0]
    later = [
        row for row in view.verdicts_on[idea] if row.directional and row.direction == "confirms" and row.at > first.at
    ]
    if later:
        return Item(idea, True, f"repaired: {later[0].check} confirms it", quotes_of(first, later[0]))
    roots = {edge.target for row in against for edge in view.edges_from("reads", row.check)}
    for launch in _descendants(view, roots):
        for check in view.looks_at(launch.id):
            rows = [row for row in view.verdicts_by.get(check.id, ()) if row.idea == launch.idea]
            passed = [row for row in rows if row.directional and row.direction == "confirms" and row.at > first.at]
            if passed:
                return Item(idea, True, f"repaired by {launch.id}", quotes_of(first, launch, passed[0]))
    return None


def _explained(view: View, idea: str, against: tuple[Verdict, ...]) -> Item | None:
    for row in against:
        for cause in view.edges_to("explains", row.check):
            said = view.propositions[cause.source]
            acts = [view.acts[edge.source] for edge in view.edges_to("answers", row.check)]
            acted = next((act for act in acts if act.at > said.at), None)
            if acted is not None:
                return Item(idea, True, f"a cause was stated and {acted.id} acts on it", quotes_of(row, said, acted))
    return None


def _open(view: View, idea: str, against: tuple[Verdict, ...]) -> Item:
    causes = [edge for row in against for edge in view.edges_to("explains", row.check)]
    why = "a cause was stated, and no work followed from it" if causes else "neither repaired nor explained"
    said = [view.propositions[edge.source] for edge in causes]
    return Item(idea, False, why, quotes_of(*against, *said))


def _descendants(view: View, roots: set[str]) -> tuple[Act, ...]:
    """Launches that build on some launches, directly or by others."""
    found: set[str] = set()
    waiting = sorted(roots)
    while waiting:
        for edge in view.edges_to("builds_on", waiting.pop()):
            if edge.source not in found:
                found.add(edge.source)
                waiting.append(edge.source)
    launches = [view.acts[name] for name in found if view.acts[name].type == "launch"]
    return tuple(sorted(launches, key=lambda act: (act.at, act.id)))
