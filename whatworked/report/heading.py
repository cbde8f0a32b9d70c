"""What stands at the top of the page: how much was run, and what."""

from __future__ import annotations

from whatworked.comparing.collection import RunCollection
from whatworked.report.svg import element, text_of
from whatworked.wording import counted, listed


def default_title(runs: RunCollection) -> str:
    """How many methods on how many conditions, under which budgets."""
    budgets = ", ".join(str(budget) for budget in sorted({row.budget for row in runs.rows}))
    conditions = len({row.condition for row in runs.rows})
    return f"{counted(len(runs.methods), 'method')} on {counted(conditions, 'condition')}, B = {budgets}"


def what_ran(runs: RunCollection) -> str:
    """What was run, in a line."""
    tracks: dict[str, set[str]] = {}
    for row in runs.rows:
        tracks.setdefault(row.track, set()).add(row.condition)
    seeds = 1 + max(row.seed for row in runs.rows)
    parts = [
        listed(list(dict.fromkeys(row.estimator for row in runs.rows)), "Estimator"),
        listed(list(dict.fromkeys(row.policy for row in runs.rows)), "policy", "policies"),
        listed([f"{track} ({counted(len(names), 'condition')})" for track, names in tracks.items()], "track"),
        ("up to " if seeds > 1 else "") + counted(seeds, "seed"),
        *(["with code-equivalence classes"] if any(run.description.rules for run in runs.runs) else []),
        "from " + ", ".join(dict.fromkeys(run.name for run in runs.runs)),
    ]
    return "; ".join(parts) + "."


def summary(runs: RunCollection) -> str:
    """The counts under the heading, as markup."""
    conditions = {row.condition for row in runs.rows}
    counts = [
        (len(runs.methods), "method", "methods"),
        (len(conditions), "condition", "conditions"),
        (len(runs.rows), "record", "records"),
        (runs.missing, "missing delivery", "missing deliveries"),
    ]
    return "".join(
        element("div", element("dt", text_of(singular if count == 1 else plural)) + element("dd", f"{count:,}"))
        for count, singular, plural in counts
    )
