"""E2, experiment: whether experiments answer what was written down."""

from __future__ import annotations

from whatworked.process.graph.model import Act
from whatworked.process.graph.verdicts import Verdict
from whatworked.process.measures.view import Item, View, quotes_of

_AGREES = {"favourable": "confirms", "adverse": "contradicts"}
_STATED = frozenset({"belief", "conjecture", "prediction", "question", "reliance"})


def consequential_check(view: View) -> tuple[Item, ...]:
    """Research checks whose result changed the standing of something that was stated before it was shown."""
    return tuple(_check_item(view, check) for check in view.acts_of("check") if not _only_work(view, check))


def consequential_check_any(view: View) -> tuple[Item, ...]:
    """The same over checks of any topic."""
    return tuple(_check_item(view, check) for check in view.acts_of("check"))


def experiment_yield(view: View) -> tuple[Item, ...]:
    """Launches whose result was shown, read by the agent as it is, and not withdrawn."""
    return tuple(_launch_item(view, launch) for launch in view.acts_of("launch"))


def _only_work(view: View, check: Act) -> bool:
    ideas = {row.idea for row in view.verdicts_by.get(check.id, ())} | ({check.idea} if check.idea else set())
    return bool(ideas) and all(view.value("topic", idea) == "work" for idea in ideas)


def _check_item(view: View, check: Act) -> Item:
    rows = view.verdicts_by.get(check.id, ())
    if not rows:
        return Item(check.id, False, "its result bears on nothing that was stated", quotes_of(check))
    changes = [row for row in rows if row.directional and _changes(view, row)]
    for row in changes:
        stated = (said for said in view.said_of.get(row.idea, ()) if said.type in _STATED and said.at < row.at)
        statement = next(stated, None)
        if statement is not None:
            return Item(check.id, True, f"{row.direction} {row.idea}", quotes_of(check, row, statement))
    if changes:
        why = "nothing was stated of it before the result was shown"
    elif any(row.directional for row in rows):
        why = "repeats what was known"
    else:
        why = "the result was void or decided nothing"
    return Item(check.id, False, why, quotes_of(check, rows[0]))


def _changes(view: View, row: Verdict) -> bool:
    before = [other for other in view.verdicts_on[row.idea] if other.directional and other.at < row.at]
    return not before or before[-1].direction != row.direction


def _launch_item(view: View, launch: Act) -> Item:
    looks = view.looks_at(launch.id)
    if not looks:
        return Item(launch.id, False, "no later check shows its result", quotes_of(launch))
    reasons = []
    for check in looks:
        mark = view.mark("said", check.id)
        rows = [row for row in view.verdicts_by.get(check.id, ()) if row.idea == launch.idea]
        if view.edges_to("withdraws", check.id) or view.edges_to("voids", check.id):
            reasons.append("withdrawn as broken")
        elif mark is None or mark.value in (None, "none", "mixed"):
            reasons.append("read, no verdict stated")
        elif not rows:
            reasons.append("a verdict was stated that the result says nothing of")
        elif rows[0].direction != _AGREES[mark.value]:
            reasons.append("the verdict that was stated is not what the result says")
        else:
            return Item(launch.id, True, f"read at {check.id} as {mark.value}", quotes_of(launch, check, rows[0], mark))
    return Item(launch.id, False, reasons[0], quotes_of(launch, looks[0], view.mark("said", looks[0].id)))
