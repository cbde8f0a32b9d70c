"""``whatworked list`` and ``whatworked show``: what the catalog holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.cli.surfaces import no_table, references_option
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.catalog.catalog import Condition
    from whatworked.surfaces.reversals import OptionSigns
    from whatworked.surfaces.surface import ResponseSurface


@click.command("list")
@click.option("--family", "families", multiple=True, metavar="FAMILY", help="Only this family; repeatable.")
@references_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_conditions(families: tuple[str, ...], where: Path | None, as_json: bool) -> None:
    """List the conditions of the catalog: family, options, records, range of utility, best mask.

    Conditions without a reference table, for instance of a source of your own, have no utilities yet.
    """
    from whatworked.catalog.catalog import select
    from whatworked.catalog.fit import problem_of

    facts = [
        {**_condition_facts(condition, _surface(condition.id, where)), "problem": problem_of(condition)}
        for condition in select((), families)
    ]
    if as_json:
        print_json(facts)
        return
    header = ("condition", "family", "track", "options", "records", "utility", "best mask", "reversing")
    print_table([header, *map(_list_row, facts)], right=(3, 4), drop=(4, 2, 1))
    sources = counted(len({row["source"] for row in facts}), "source")
    records = counted(sum(row["records"] for row in facts), "record")
    print_text(f"\n{counted(len(facts), 'condition')} of {sources}, {records}{_tables_there(facts, where)}")
    for row in facts:
        if row["problem"]:
            print_text(f"- {row['condition']}: {row['problem']}", indent=2)


@click.command()
@click.argument("condition")
@references_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(condition: str, where: Path | None, as_json: bool) -> None:
    """Show one CONDITION: its options with both settings, source, utilities, and how often each option's sign changes.

    Example: whatworked show spambase__d6
    """
    from whatworked.catalog.catalog import condition as find

    chosen = find(condition)
    facts = _full_facts(chosen, _surface(chosen.id, where))
    if as_json:
        print_json(facts)
    else:
        _print_condition(facts, where)


def _tables_there(facts: list[dict[str, Any]], where: Path | None) -> str:
    """How many conditions have a table, unless all do."""
    from whatworked import references

    present = sum(row["utility"] is not None for row in facts)
    if present == len(facts):
        return ""
    return f"; {counted(present, 'condition')} with a reference table in {where or references.folder()}"


def _surface(condition: str, where: Path | None) -> ResponseSurface | None:
    """The surface of a condition; None if there is no table of it."""
    from whatworked import references

    if condition not in references.conditions(where):
        if where is not None and not references.conditions(where):
            raise references.no_tables(where)
        return None
    return references.load_surface(condition, where)


def _condition_facts(condition: Condition, surface: ResponseSurface | None) -> dict[str, Any]:
    from whatworked.surfaces.reversals import reversing_options

    facts: dict[str, Any] = {
        "condition": condition.id,
        "family": condition.family,
        "source": condition.source,
        "track": condition.track,
        "dimensions": condition.dimensions,
        "records": 1 << condition.dimensions,
        "utility": None,
    }
    if surface is not None:
        facts["utility"] = {
            "minimum": float(surface.utilities.min()),
            "maximum": float(surface.utilities.max()),
            "range": surface.range,
            "best": surface.best,
            "reversing": list(reversing_options(surface)),
        }
    return facts


def _full_facts(condition: Condition, surface: ResponseSurface | None) -> dict[str, Any]:
    from whatworked.catalog.fit import fitting
    from whatworked.catalog.manifest_files import manifest
    from whatworked.surfaces.reversals import option_signs

    source, workflow = manifest(condition.source), fitting(condition)
    signs = dict.fromkeys(option.letter for option in workflow.options)
    if surface is not None:
        signs |= {sign.option: _sign_facts(sign) for sign in option_signs(surface)}
    return {
        **_condition_facts(condition, surface),
        "summary": workflow.summary,
        "classes": len(workflow.equivalence()),
        "metric": {
            "name": workflow.metric.name,
            "unit": workflow.metric.unit,
            "is_cost": workflow.metric.cost_scale is not None,
        },
        "cost_scale": None if surface is None or surface.utility_map is None else surface.utility_map.scale,
        "options": [
            {
                "letter": option.letter,
                "name": option.name,
                "off": option.off,
                "on": option.on,
                "effects": signs[option.letter],
            }
            for option in workflow.options
        ],
        "source_title": source.title,
        "licence": source.licence,
        "citation": source.citation,
        "homepage": source.homepage,
    }


def _sign_facts(signs: OptionSigns) -> dict[str, Any]:
    return {"helps": signs.helps, "hurts": signs.hurts, "neutral": signs.neutral, "reverses": signs.reverses}


def _list_row(facts: dict[str, Any]) -> tuple[str, ...]:
    utility = facts["utility"]
    measured = ("-", "-", "-")
    if utility is not None:
        spread = f"{utility['minimum']:.3f} to {utility['maximum']:.3f}"
        measured = (spread, utility["best"], "".join(utility["reversing"]) or "none")
    first = (facts["condition"], facts["family"], facts["track"], str(facts["dimensions"]), str(facts["records"]))
    return (*first, *measured)


def _print_condition(facts: dict[str, Any], where: Path | None) -> None:
    print_text(f"{facts['condition']}: {facts['family']} on {facts['source_title']} ({facts['source']})")
    print_text(facts["summary"])
    classes = f"{facts['classes']} distinct programs"
    print_text(
        f"{facts['dimensions']} options, {facts['records']} configurations, {classes}; track: {facts['track']}\n"
    )
    header = ("option", "0", "1", "helps", "hurts", "none", "")
    print_table([header, *map(_option_row, facts["options"])], right=(3, 4, 5))
    echo()
    _print_fact("metric", f"{facts['metric']['name']}{_in_unit(facts)}")
    _print_utility(facts, where)
    _print_fact("source", f"{facts['homepage']} ({facts['licence']})")
    _print_fact("cite", facts["citation"])


def _print_fact(name: str, text: str) -> None:
    print_text(f"{name:<10}{text}", indent=10)


def _option_row(option: dict[str, Any]) -> tuple[str, ...]:
    effects = option["effects"]
    counts = ("-", "-", "-", "")
    if effects is not None:
        mark = "reverses" if effects["reverses"] else ""
        counts = (str(effects["helps"]), str(effects["hurts"]), str(effects["neutral"]), mark)
    return (f"{option['letter']}  {option['name']}", option["off"], option["on"], *counts)


def _in_unit(facts: dict[str, Any]) -> str:
    unit = f" in {facts['metric']['unit']}" if facts["metric"]["unit"] else ""
    if not facts["metric"]["is_cost"]:
        return f"{unit}, the utility itself"
    scale = facts["cost_scale"]
    divisor = "a scale of the source" if scale is None else f"{scale:.6g}"
    return f"{unit}; utility is 1 / (1 + {facts['metric']['name']} / {divisor})"


def _print_utility(facts: dict[str, Any], where: Path | None) -> None:
    utility = facts["utility"]
    if utility is None:
        _print_fact("utility", no_table(facts["condition"], where))
        return
    spread = f"{utility['minimum']:.6f} to {utility['maximum']:.6f} (range {utility['range']:.6f})"
    _print_fact("utility", f"{spread}, best mask {utility['best']}")
    reversing = utility["reversing"]
    named = f": {', '.join(reversing)}" if reversing else ""
    total = facts["dimensions"]
    _print_fact("reversals", f"{len(reversing)} of {total} options help in one background and hurt in another{named}")
