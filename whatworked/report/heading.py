"""What stands at the top of the page: how much was run, and what."""

from __future__ import annotations

from collections.abc import Iterable

from whatworked.report.svg import element, text_of
from whatworked.runs.pool import Pool


def default_title(pool: Pool) -> str:
    """How many methods on how many conditions, under which budgets."""
    budgets = ", ".join(str(budget) for budget in sorted({row["budget"] for row in pool.rows}))
    conditions = len({row["condition"] for row in pool.rows})
    return f"{_counted(len(pool.methods), 'method')} on {_counted(conditions, 'condition')}, B = {budgets}"


def what_ran(pool: Pool) -> str:
    """What was run, in a line."""
    tracks: dict[str, set[str]] = {}
    for row in pool.rows:
        tracks.setdefault(row["track"], set()).add(row["condition"])
    seeds = 1 + max(row["seed"] for row in pool.rows)
    plans = [run.description for run in pool.runs]
    parts = [
        _listed("Estimator", "Estimators", [row["estimator"] for row in pool.rows]),
        _listed("policy", "policies", [row["policy"] for row in pool.rows]),
        _listed(
            "track",
            "tracks",
            [f"{track} ({_counted(len(names), 'condition')})" for track, names in tracks.items()],
        ),
        ("up to " if seeds > 1 else "") + _counted(seeds, "seed"),
        *(["with code-equivalence classes"] if any(plan["rules"] for plan in plans) else []),
        "from " + ", ".join(dict.fromkeys(run.name for run in pool.runs)),
    ]
    return "; ".join(parts) + "."


def _listed(one: str, several: str, names: Iterable[str]) -> str:
    """Distinct names behind what they are."""
    distinct = list(dict.fromkeys(names))
    return f"{one if len(distinct) == 1 else several} {', '.join(distinct)}"


def _counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def summary(pool: Pool) -> str:
    """The counts under the heading, as markup."""
    conditions = {row["condition"] for row in pool.rows}
    facts = [
        (len(pool.methods), "method", "methods"),
        (len(conditions), "condition", "conditions"),
        (len(pool.rows), "record", "records"),
        (pool.missing, "missing delivery", "missing deliveries"),
    ]
    return "".join(
        element("div", element("dt", text_of(one if count == 1 else several)) + element("dd", f"{count:,}"))
        for count, one, several in facts
    )
