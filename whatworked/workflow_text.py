"""A workflow as text and as plain facts: what the documentation and the player of an episode are shown."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from whatworked.stage import needs_of

if TYPE_CHECKING:
    from whatworked.workflow import Workflow


def describe(workflow: Workflow) -> dict[str, Any]:
    """Facts of a declaration as JSON values; a stage's ``needs`` are the earlier stages whose results it takes."""
    metric = workflow.metric
    return {
        "family": workflow.family,
        "version": workflow.version,
        "summary": workflow.summary,
        "options": [
            {"letter": option.letter, "name": option.name, "off": option.off, "on": option.on}
            for option in workflow.options
        ],
        "stages": [
            {"name": stage.name, "reads": stage.reads, "needs": list(needs_of(workflow.stages, index))}
            for index, stage in enumerate(workflow.stages)
        ],
        "prediction": workflow.form.name,
        "metric": {
            "name": metric.name,
            "unit": metric.unit,
            "utility": "the metric itself" if metric.cost_scale is None else "1 / (1 + metric / scale)",
        },
    }


def options_table(workflow: Workflow) -> str:
    """The options as a Markdown table, one row each."""
    rows = [("option", "what it chooses", "0", "1"), ("---",) * 4]
    rows += [(option.letter, option.name, option.off, option.on) for option in workflow.options]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def stages_table(workflow: Workflow) -> str:
    """The stages as a Markdown table: what each reads, and whose results it takes."""
    rows = [("stage", "options read", "takes the result of"), ("---",) * 3]
    for index, stage in enumerate(workflow.stages):
        rows.append((stage.name, ", ".join(stage.reads), ", ".join(needs_of(workflow.stages, index))))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def code(workflow: Workflow) -> str:
    """Source text of the modules in which the stages are declared, each once, in stage order.

    Where a module has no source file (an interactive session) the functions' own text is given, and where that is
    missing too a comment says so.
    """
    used = [function for stage in workflow.stages for function in (stage.run, stage.direct) if function is not None]
    texts = dict.fromkeys(_text(_unwrapped(function)) for function in used)
    return "\n\n".join(texts)


def _unwrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _text(function: Callable[..., Any]) -> str:
    for thing in (sys.modules.get(function.__module__), function):
        try:
            return inspect.getsource(thing)  # type: ignore[arg-type]
        except (OSError, TypeError):
            continue
    return f"# the source text of {getattr(function, '__qualname__', function)!r} is not available\n"
