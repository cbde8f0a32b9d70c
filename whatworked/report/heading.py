"""What stands at the top of the page: how much was run, and what."""

from __future__ import annotations

from whatworked.comparing.pool import Pool
from whatworked.report.svg import element, text_of
from whatworked.wording import counted, listed


def default_title(pool: Pool) -> str:
    """How many methods on how many conditions, under which budgets."""
    budgets = ", ".join(str(budget) for budget in sorted({row["budget"] for row in pool.rows}))
    conditions = len({row["condition"] for row in pool.rows})
    return f"{counted(len(pool.methods), 'method')} on {counted(conditions, 'condition')}, B = {budgets}"


def what_ran(pool: Pool) -> str:
    """What was run, in a line."""
    tracks: dict[str, set[str]] = {}
    for row in pool.rows:
        tracks.setdefault(row["track"], set()).add(row["condition"])
    seeds = 1 + max(row["seed"] for row in pool.rows)
    plans = [run.description for run in pool.runs]
    parts = [
        listed(_distinct(pool, "estimator"), "Estimator"),
        listed(_distinct(pool, "policy"), "policy", "policies"),
        listed([f"{track} ({counted(len(names), 'condition')})" for track, names in tracks.items()], "track"),
        ("up to " if seeds > 1 else "") + counted(seeds, "seed"),
        *(["with code-equivalence classes"] if any(plan["rules"] for plan in plans) else []),
        "from " + ", ".join(dict.fromkeys(run.name for run in pool.runs)),
    ]
    return "; ".join(parts) + "."


def _distinct(pool: Pool, column: str) -> list[str]:
    return list(dict.fromkeys(row[column] for row in pool.rows))


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
