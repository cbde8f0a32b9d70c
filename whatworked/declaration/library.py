"""Libraries that only some families and readers need, imported when they are first used."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from whatworked.errors import MissingExtraError


def required(module: str, purpose: str, distribution: str = "") -> ModuleType:
    """Import a library that something needs.

    Parameters
    ----------
    module : str
        Its name in Python.
    purpose : str
        What needs it, for the error.
    distribution : str, optional
        What is installed; default: the name of the module.

    Returns
    -------
    module

    Raises
    ------
    MissingExtraError
        If it is not installed; the message says what needs it and how to get it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise
        name = distribution or module
        raise MissingExtraError(f"{purpose} needs {name}, which is not installed: pip install {name}") from error


class LazyLibrary:
    """Stands for a library until an attribute of it is used.

    Parameters
    ----------
    module, purpose : str
        As for `required`.
    """

    def __init__(self, module: str, purpose: str) -> None:
        self._module, self._purpose = module, purpose

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(required(self._module, self._purpose), name)
