"""Whether code is installed, so that a version names it, or local, so that only its bytes do."""

from __future__ import annotations

import functools
import importlib.metadata
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from whatworked.plugins.origin import Origin

OWN = "whatworked"
_INSTALLED = {"site-packages", "dist-packages"}


def distribution_of(module: str, file: Path | None) -> Origin | None:
    """The origin of an installed module: its distribution and version, or the standard library.

    Parameters
    ----------
    module : str
        Name of the module.
    file : Path or None
        Where it was loaded from; None for one that is of no file.

    Returns
    -------
    Origin or None
        None for local code: what stands in a project's own folder, editable installs among it.
    """
    package = module.partition(".")[0]
    if package == OWN:
        from whatworked import __version__

        return Origin("package", OWN, __version__)
    if package in sys.stdlib_module_names:
        return Origin("module", package)
    for name in _distributions(tuple(sys.path)).get(package, [package]):
        try:
            found = importlib.metadata.distribution(name)
        except (importlib.metadata.PackageNotFoundError, ValueError):
            continue
        if file is None or _holds(found, file):
            return Origin("package", name, found.version)
    return None


def _holds(found: importlib.metadata.Distribution, file: Path) -> bool:
    """Whether the file was installed with the distribution; an editable install leaves its files where they are."""
    root = Path(str(found.locate_file(""))).resolve()
    kept = root.name in _INSTALLED or found.read_text("RECORD") is not None
    return kept and file.resolve().is_relative_to(root)


@functools.lru_cache(maxsize=4)
def _distributions(_path: Sequence[str]) -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()
