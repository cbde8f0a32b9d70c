"""The text by which a plug-in is named: ``label=target(keyword=value, …)``."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from whatworked.errors import PluginError

_LABEL = r"^(?:(?P<label>[\w.+-]+)=)?"
_ARGUMENTS = r"\s*(?P<arguments>\(.*\))?$"
_FILE = re.compile(rf"{_LABEL}(?P<target>.+?\.py:[\w.+-]+){_ARGUMENTS}", re.DOTALL)
"""A file may have any character in its path, which ends at the first ``.py:`` that leaves a whole text."""
_SHAPE = re.compile(rf"{_LABEL}(?P<target>[^()=]+?){_ARGUMENTS}", re.DOTALL)
_HELP = (
    "write a registered name, package.module:Name or ./file.py:Name, with optional arguments as in "
    "sklearn.ensemble:RandomForestRegressor(n_estimators=200), and an optional label as in forest=…"
)


@dataclass(frozen=True)
class Spec:
    """A parsed plug-in text.

    Attributes
    ----------
    text : str
        As given, without the label and outer white space.
    target : str
        A registered name, ``module:attribute`` or ``path.py:attribute``.
    label : str
        What the plug-in is called in results: the label given, else the attribute (or name) with its arguments.
    arguments : mapping of str to literal
        Keyword arguments for the plug-in.
    """

    text: str
    target: str
    label: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def container(self) -> str:
        """The module or file, empty for a registered name."""
        return self.target.rpartition(":")[0]

    @property
    def attribute(self) -> str:
        """The name inside the module or file, or the registered name."""
        return self.target.rpartition(":")[2]

    @property
    def is_file(self) -> bool:
        """Whether the container is a file and not a module."""
        return self.container.endswith(".py") or "/" in self.container


def parse_spec(text: str) -> Spec:
    """Parse a plug-in text.

    Raises
    ------
    PluginError
        If the text has another shape, or an argument is not ``keyword=literal``.

    Examples
    --------
    >>> spec = parse_spec("forest=sklearn.ensemble:RandomForestRegressor(n_estimators=200)")
    >>> spec.label, spec.container, spec.attribute, dict(spec.arguments)
    ('forest', 'sklearn.ensemble', 'RandomForestRegressor', {'n_estimators': 200})
    >>> parse_spec("./mine.py:Mine(depth=2)").label
    'Mine(depth=2)'
    >>> parse_spec("./runs (lr=0.1)/mine.py:Mine").container
    './runs (lr=0.1)/mine.py'
    """
    if not text.isascii() and text.encode("utf-8", "replace") != text.encode("utf-8", "surrogatepass"):
        raise PluginError(f"the plug-in {text!r} has a character that UTF-8 lacks; rename its file or folder")
    found = _FILE.match(text.strip()) or _SHAPE.match(text.strip())
    if not found:
        raise PluginError(f"cannot read the plug-in {text!r}; {_HELP}")
    target, raw = found["target"].strip(), found["arguments"] or ""
    container, colon, attribute = target.rpartition(":")
    if not attribute or (colon and not container) or not re.fullmatch(r"[\w.+-]+", attribute):
        raise PluginError(f"cannot read the plug-in {text!r}; {_HELP}")
    arguments = _parse_arguments(raw, text) if raw else {}
    shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return Spec(
        text=target + raw,
        target=target,
        label=found["label"] or attribute + (f"({shown})" if shown else ""),
        arguments=MappingProxyType(arguments),
    )


def _parse_arguments(raw: str, text: str) -> dict[str, Any]:
    rule = "arguments are keyword=literal (numbers, strings, True, None, lists); for others write a factory in a file"
    try:
        call = ast.parse(f"f{raw}", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # the last two for deep nesting
        raise PluginError(f"cannot read the arguments {raw} of the plug-in {text!r}; {rule}") from None
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Name)
        or call.args
        or any(keyword.arg is None for keyword in call.keywords)
    ):
        raise PluginError(f"cannot read the arguments {raw} of the plug-in {text!r}; {rule}")
    arguments: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg in arguments:
            raise PluginError(f"argument {keyword.arg} of the plug-in {text!r} is given twice; give it once")
        try:
            arguments[str(keyword.arg)] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, MemoryError, RecursionError):
            raise PluginError(f"argument {keyword.arg} of the plug-in {text!r} is not a literal; {rule}") from None
    return arguments
