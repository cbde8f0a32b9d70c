"""Variables that joblib and scikit-learn read, checked before they do: their own errors name no variable."""

from __future__ import annotations

import importlib
import multiprocessing
import os

from whatworked.arguments import shown
from whatworked.errors import InvalidOptionError

_NUMBERS = (
    "LOKY_MAX_CPU_COUNT",
    "LOKY_MAX_DEPTH",
    "JOBLIB_MULTIPROCESSING",
    "SKLEARN_WORKING_MEMORY",
    "SKLEARN_PAIRWISE_DIST_CHUNK_SIZE",
)
_START, _PICKLER = "JOBLIB_START_METHOD", "LOKY_PICKLER"


def check_settings() -> None:
    """Refuse variables that joblib and scikit-learn cannot be imported or used with.

    Raises
    ------
    InvalidOptionError
        Naming the variable, its value and what is allowed.
    """
    for name in (*_NUMBERS, _START, _PICKLER):
        value = os.environ.get(name)
        if value is not None and (allowed := _allowed(name, value)):
            raise InvalidOptionError(f"the environment variable {name} is {shown(value)}; give {allowed}, or unset it")


def _allowed(name: str, value: str) -> str:
    """What a variable may be; empty where it is that."""
    if name in _NUMBERS:
        return "" if _is_whole(value) else "a whole number"
    if name == _START:
        methods = multiprocessing.get_all_start_methods()
        return "" if value.strip() in ("", *methods) else f"one of {', '.join(methods)}"
    return "" if value in ("", "cloudpickle") or _pickles(value) else "the name of a module that pickles"


def _is_whole(value: str) -> bool:
    try:
        int(value)
    except ValueError:
        return False
    return True


def _pickles(module: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), "Pickler")
    except Exception:  # whatever importing a module may raise
        return False
