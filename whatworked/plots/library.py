"""Loading matplotlib, whatever the environment says of windows."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from whatworked.errors import MissingExtraError

_BACKEND = "MPLBACKEND"

PLAIN: dict[Any, Any] = {"text.usetex": False, "text.parse_math": True}
"""Settings under which a label is what `whatworked.plots.labels.plain_label` makes it to be."""


def load_matplotlib() -> None:
    """Import matplotlib.

    It checks the environment's window system when it is imported, and fails for one that is not installed, as in a
    process started from a notebook. Figures here are drawn without any, so that a wrong setting is passed over; a right
    one is kept for the user's own figures.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    named = None if "matplotlib" in sys.modules else os.environ.pop(_BACKEND, None)
    try:
        mpl = importlib.import_module("matplotlib")
        importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise missing_extra() from error
    finally:
        if named is not None:
            os.environ[_BACKEND] = named
    if named:
        with contextlib.suppress(ValueError):
            mpl.rcParams["backend"] = named


@contextlib.contextmanager
def plain_settings() -> Iterator[None]:
    """Draw or write text as it stands, and say nothing of characters that the font lacks."""
    import matplotlib as mpl

    with mpl.rc_context(PLAIN), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from", category=UserWarning)
        warnings.filterwarnings("ignore", message=r"Matplotlib currently does not support", category=UserWarning)
        yield


def missing_extra() -> MissingExtraError:
    """The error for an installation without matplotlib, to be raised by the caller."""
    return MissingExtraError('figures need matplotlib; install it with: pip install "whatworked[report]"')
