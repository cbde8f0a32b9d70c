"""Which modules a source text imports, read from it without running it."""

from __future__ import annotations

import ast
from importlib.util import resolve_name


def imported_names(text: str | bytes, package: str) -> set[str]:
    r"""Absolute names of what may be modules in the import statements of a text, wherever they stand.

    Parameters
    ----------
    text : str or bytes
        Source text; one that cannot be parsed imports nothing.
    package : str
        The package that relative imports start from; empty for a module that is in none.

    Returns
    -------
    set of str
        The modules that things are taken from, and the things, any of which may be a module.

    Examples
    --------
    >>> sorted(imported_names("import json, os.path\nfrom .helpers import one", "mine"))
    ['json', 'mine.helpers', 'mine.helpers.one', 'os.path']
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (origin := _origin(node, package)):
            found |= {origin, *(f"{origin}.{alias.name}" for alias in node.names)}
    return found


def _origin(node: ast.ImportFrom, package: str) -> str:
    """What an import takes things from; empty for one that leaves its package, which fails when it is run."""
    try:
        return resolve_name("." * node.level + (node.module or ""), package)
    except ImportError:
        return ""
