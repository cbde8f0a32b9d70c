"""``whatworked list`` and ``whatworked show``: what the catalog holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.surfaces import references_option
from whatworked.cli.tables import counted, print_json, print_table

if TYPE_CHECKING:
    from whatworked.catalog import Condition
    from whatworked.reversals import OptionSigns
    from whatworked.surface import ResponseSurface


@click.command("list")
@click.option("--family", "families", multiple=True, metavar="FAMILY", help="Only this family; repeatable.")
@references_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_conditions(families: tuple[str, ...], where: Path | None, as_json: bool) -> None:
    """List the conditions of the catalog: family, options, records, range of utility, best mask.

    Conditions without a reference table, for instance of a source of your own, have no utilities yet.
    """
    from whatworked.catalog import select

    facts = [_condition_facts(one, _surface(one.id, where)) for one in select((), families)]
    if as_json:
        print_json(facts)
        return
    header = ("condition", "family", "track", "options", "records", "utility", "best mask", "reversing")
    print_table([header, *map(_list_row, facts)], right=(3, 4))
    sources = counted(len({one["source"] for one in facts}), "source")
    records = counted(sum(one["records"] for one in facts), "record")
    click.echo(f"\n{counted(len(facts), 'condition')} of {sources}, {records}")


@click.command()
@click.argument("condition")
@references_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(condition: str, where: Path | None, as_json: bool) -> None:
    """Show one CONDITION: its options with both settings, source, utilities, and how often each option's sign changes.

    Example: whatworked show spambase__d6
    """
    from whatworked.catalog import condition as find

    one = find(condition)
    facts = _full_facts(one, _surface(one.id, where))
    if as_json:
        print_json(facts)
    else:
        _print_condition(facts)


def _surface(condition: str, where: Path | None) -> ResponseSurface | None:
    """The surface of a condition; None if there is no table of it."""
    from whatworked import references

    if condition not in references.conditions(where):
        if where is not None and not references.conditions(where):
            raise references.no_tables(where)
        return None
    return references.load_surface(condition, where)


def _condition_facts(one: Condition, surface: ResponseSurface | None) -> dict[str, Any]:
    from whatworked.reversals import reversing_options

    facts: dict[str, Any] = {
        "condition": one.id,
        "family": one.family,
        "source": one.source,
        "track": one.track,
        "dimensions": one.dimensions,
        "records": 1 << one.dimensions,
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


def _full_facts(one: Condition, surface: ResponseSurface | None) -> dict[str, Any]:
    from whatworked.manifests import manifest
    from whatworked.reversals import option_signs
    from whatworked.workflows import get

    source, workflow = manifest(one.source), get(one.family).restricted(one.dimensions)
    signs = dict.fromkeys(option.letter for option in workflow.options)
    if surface is not None:
        signs |= {sign.option: _sign_facts(sign) for sign in option_signs(surface)}
    return {
        **_condition_facts(one, surface),
        "summary": workflow.summary,
        "classes": len(workflow.equivalence()),
        "metric": {"name": workflow.metric.name, "unit": workflow.metric.unit},
        "cost_scale": None if surface is None or surface.utility_map is None else surface.utility_map.scale,
        "options": [
            {"letter": one.letter, "name": one.name, "off": one.off, "on": one.on, "effects": signs[one.letter]}
            for one in workflow.options
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


def _print_condition(facts: dict[str, Any]) -> None:
    click.echo(f"{facts['condition']}: {facts['family']} on {facts['source_title']} ({facts['source']})")
    click.echo(facts["summary"])
    classes = f"{facts['classes']} distinct programs"
    click.echo(
        f"{facts['dimensions']} options, {facts['records']} configurations, {classes}; track: {facts['track']}\n"
    )
    header = ("option", "0", "1", "helps", "hurts", "none", "")
    print_table([header, *map(_option_row, facts["options"])], right=(3, 4, 5))
    click.echo(f"\nmetric    {facts['metric']['name']}{_in_unit(facts)}")
    _print_utility(facts)
    click.echo(f"source    {facts['homepage']} ({facts['licence']})")
    click.echo(f"cite      {facts['citation']}")


def _option_row(option: dict[str, Any]) -> tuple[str, ...]:
    effects = option["effects"]
    counts = ("-", "-", "-", "")
    if effects is not None:
        mark = "reverses" if effects["reverses"] else ""
        counts = (str(effects["helps"]), str(effects["hurts"]), str(effects["neutral"]), mark)
    return (f"{option['letter']}  {option['name']}", option["off"], option["on"], *counts)


def _in_unit(facts: dict[str, Any]) -> str:
    unit = f" in {facts['metric']['unit']}" if facts["metric"]["unit"] else ""
    scale = facts["cost_scale"]
    return (
        f"{unit}; utility is 1 / (1 + {facts['metric']['name']} / {scale:.6g})"
        if scale
        else f"{unit}, the utility itself"
    )


def _print_utility(facts: dict[str, Any]) -> None:
    utility = facts["utility"]
    if utility is None:
        click.echo(f"utility   no reference table yet: whatworked rebuild {facts['condition']}")
        return
    spread = f"{utility['minimum']:.6f} to {utility['maximum']:.6f} (range {utility['range']:.6f})"
    click.echo(f"utility   {spread}, best mask {utility['best']}")
    reversing = utility["reversing"]
    named = f": {', '.join(reversing)}" if reversing else ""
    total = facts["dimensions"]
    click.echo(f"reversals {len(reversing)} of {total} options help in one background and hurt in another{named}")
