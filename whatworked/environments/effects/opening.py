"""What a player is told at the beginning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from whatworked.environments.effects.helpers import Helpers
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.options import EffectsOptions
from whatworked.surfaces.masks import anchors, mask_string

PROMPTS = "1"
"""Version of the texts; each has a folder of its own."""
_FOLDER = Path(__file__).parent / "prompts" / f"v{PROMPTS}"
_LARGEST_FOUR = 4


def opening_facts(instance: SurfaceInstance, options: EffectsOptions, helpers: Helpers) -> dict[str, Any]:
    """What the player is told, for programs."""
    d = instance.d
    facts: dict[str, Any] = {
        "d": d,
        "options": list(instance.letters),
        "masks": 1 << d,
        "edges": d << (d - 1),
        "budget": options.budget,
        "calculations": options.calculations,
        "deadline": options.deadline,
        "view": options.view,
        "receipts": options.receipts,
        "delivery": options.delivery,
        "helpers": {name: helper.purpose for name, helper in helpers.items()},
        "observations": [{"mask": mask_string(rank, d), **instance.facts(rank, options.native)} for rank in anchors(d)],
        "prompts": PROMPTS,
    }
    if options.native and instance.metric:
        facts["native"] = "the metric in its own unit" if not options.told else f"{instance.metric}, {instance.unit}"
    if options.told:
        facts["workflow"] = _workflow_facts(instance)
    if options.rules:
        facts["rules"] = [{"option": rule.option, "when": dict(rule.when)} for rule in instance.rules]
    return facts


def opening_text(instance: SurfaceInstance, options: EffectsOptions, helpers: Helpers, facts: Mapping[str, Any]) -> str:
    """What the player is told, in words."""
    d = instance.d
    words = {
        "d": d,
        "letters": ", ".join(instance.letters),
        "cells": 1 << d,
        "edges": d << (d - 1),
        "budget": options.budget,
        "calculations": options.calculations,
        "deadline": options.deadline,
        "minutes": f"{options.deadline / 60:g}",
        "off": "0" * d,
        "on": "1" * d,
        "helpers": "\n".join(f"- {name}: {helper.purpose}" for name, helper in helpers.items()),
    }
    parts = [_prompt("task", words), _prompt("four" if d <= _LARGEST_FOUR else "six", words)]
    if options.calculations:
        parts.append(_prompt("calculations", words))
    parts.append(_prompt("draft" if options.drafts else "delivery", words))
    if options.rules:
        parts.append(_prompt("structure", words))
    parts.append("Measured for free:\n" + json.dumps(facts["observations"]))
    if options.rules:
        rules = "\n".join(f"- {rule}" for rule in instance.rules)
        parts.append(f"Rules of inactive options:\n{rules or '- none: no option is ever without effect here'}")
    parts.append(_workflow_text(facts["workflow"]) if options.told else _prompt("opaque", words))
    return "\n\n".join(parts) + "\n"


def _prompt(name: str, words: Mapping[str, Any]) -> str:
    return Template((_FOLDER / f"{name}.md").read_text("utf-8")).substitute(words).strip()


def _workflow_facts(instance: SurfaceInstance) -> dict[str, Any]:
    """The workflow and its source as they are public."""
    workflow = instance.workflow
    if workflow is None:
        return {}
    described = workflow.describe()
    shown = [
        {"letter": letter, "name": text.name, "off": text.off, "on": text.on, "letter_in_code": text.letter}
        for letter, text in zip(instance.letters, instance.shown_options, strict=True)
    ]
    if not instance.seal:
        for option in shown:
            del option["letter_in_code"]
    return {
        "family": instance.family,
        "summary": workflow.summary,
        "options": shown,
        "held_off": [f"{option.letter}: {option.name}: {option.off}" for option in workflow.held_off],
        "metric": described["metric"],
        "cost_scale": None if instance.surface.utility_map is None else instance.surface.utility_map.scale,
        "source": _source_facts(instance),
        "code": workflow.code(),
    }


def _source_facts(instance: SurfaceInstance) -> dict[str, Any]:
    from whatworked import catalog
    from whatworked.errors import WhatWorkedError

    try:
        manifest = catalog.manifest(instance.source)
    except WhatWorkedError:  # a source of one's own, not in a manifest that is known here
        return {"name": instance.source}
    shapes = {name: list(shape) for name, shape in manifest.expected.shapes.items()}
    return {"name": instance.source, "title": manifest.title, "shapes": shapes}


def _workflow_text(facts: Mapping[str, Any]) -> str:
    metric, source = facts["metric"], facts["source"]
    lines = [
        f"The workflow: {facts['summary']}",
        f"Source: {source.get('title', source['name'])}"
        + (f"; arrays {_shapes(source['shapes'])}" if source.get("shapes") else ""),
        f"Metric: {metric['name']}" + (f", {metric['unit']}" if metric["unit"] else "") + f"; utility: {_map(facts)}",
        "Options (0 → 1):",
    ]
    for option in facts["options"]:
        code = option.get("letter_in_code")
        lines.append(
            f"- {option['letter']}{f' (in the code: {code})' if code else ''}: {option['name']}: {option['off']} → "
            f"{option['on']}"
        )
    if facts["held_off"]:
        lines.append(f"Held at 0 throughout: {'; '.join(facts['held_off'])}")
    lines.append(f"Code:\n```python\n{facts['code']}\n```")
    return "\n".join(lines)


def _map(facts: Mapping[str, Any]) -> str:
    scale = facts["cost_scale"]
    return str(facts["metric"]["utility"]) if scale is None else f"1 / (1 + metric / {scale:.6g})"


def _shapes(shapes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {' × '.join(map(str, shape))}" for name, shape in shapes.items())
