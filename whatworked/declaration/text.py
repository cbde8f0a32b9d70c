"""A workflow as text and as plain facts: what the documentation and the player of an episode are shown."""

from __future__ import annotations

import functools
import inspect
import linecache
import sys
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from whatworked.declaration.imports import imported_names
from whatworked.declaration.stage import needs_of

if TYPE_CHECKING:
    from whatworked.declaration.workflow import Workflow


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
    """Source text of the modules in which the stages are declared, then of the helper modules that these import.

    Each module stands once, under a comment with its name: those of the stages in stage order, helpers by name. Helpers
    are found in the import statements: modules of the same package, imported directly or by one another. The module of
    the metric's second computation, which takes no part in a prediction or its score, is left out.

    Where a module has no source file (an interactive session) the functions' own text is given, and where that is
    missing too a comment says so.
    """
    functions = [_unwrapped(function) for function in _stage_functions(workflow)]
    metric = workflow.metric
    scoring = {_module_of(each) for each in (metric.native, metric.cost_scale, metric.extras) if each is not None}
    declared = dict.fromkeys(_module_of(function) for function in functions)
    apart = set() if metric.second is None else {_module_of(metric.second)}
    helpers = _helpers(declared, apart - scoring)
    texts = [*map(_text, functions), *(_titled(name, _source(name) or "") for name in sorted(helpers))]
    return "\n\n".join(dict.fromkeys(texts))


def deciding_text(workflow: Workflow) -> str:
    """Whatever text decides a table: `code`, and the modules of the settings, the metric and the fingerprint."""
    metric = workflow.metric
    others: tuple[Callable[..., Any] | None, ...] = (
        *(stage.setting for stage in workflow.stages),
        metric.native,
        metric.cost_scale,
        metric.extras,
        workflow.form.fingerprint,
    )
    functions = (*_stage_functions(workflow), *(function for function in others if function is not None))
    return "\n\n".join(dict.fromkeys((code(workflow), *(_text(_unwrapped(function)) for function in functions))))


def _stage_functions(workflow: Workflow) -> list[Callable[..., Any]]:
    return [function for stage in workflow.stages for function in (stage.run, stage.direct) if function is not None]


def _helpers(declared: Iterable[str], apart: set[str]) -> set[str]:
    """Modules that the `declared` ones import from their own package, directly or not, `apart` from some."""
    found: set[str] = set()
    for first in declared:
        waiting = [first]
        while waiting:
            new = _siblings(waiting.pop(), _package(first)) - found - apart - set(declared)
            found |= new
            waiting += new
    return found


def _siblings(name: str, package: str) -> set[str]:
    """Modules of `package` that the text of a module imports, wherever in it."""
    names = imported_names(_source(name) or "", _package(name))
    return {name for name in names if package and name.startswith(f"{package}.") and _source(name) is not None}


def _spec(name: str) -> ModuleSpec | None:
    """How a module is found, whether it was imported yet or not; None for what is none."""
    try:
        return find_spec(name)
    except (ImportError, ValueError):  # what it would be in is no package; it was made in an interactive session
        return None


def _package(name: str) -> str:
    spec = _spec(name)
    return "" if spec is None else spec.parent or ""


def _source(name: str) -> str | None:
    """Source text of a module; None where there is no such module, or no text."""
    spec = _spec(name) if name else None
    path = spec.origin if spec is not None and spec.has_location else None
    if path is None or not path.endswith(".py"):
        return None
    linecache.checkcache(path)
    text = "".join(linecache.getlines(path))
    return text or None


def _titled(name: str, text: str) -> str:
    return f"# {name}\n\n{text}"


def _unwrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _module_of(function: Callable[..., Any]) -> str:
    return getattr(_unwrapped(function), "__module__", None) or ""


def _text(function: Callable[..., Any]) -> str:
    name = _module_of(function)
    if text := _source(name):
        return _titled(name, text)
    for thing in (sys.modules.get(name), function):
        try:
            return inspect.getsource(thing)  # type: ignore[arg-type]
        except (OSError, TypeError):
            continue
    return f"# the source text of {getattr(function, '__qualname__', function)!r} is not available\n"
