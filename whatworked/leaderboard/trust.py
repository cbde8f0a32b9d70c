"""Which plug-ins of a packed run may be run without being asked for: a stranger's file names them, and their arguments.

The text of a plug-in can name anything that Python can import and call, ``subprocess:getoutput`` included. So nothing
that a packed run names is imported before it is known what it is:

- a name that comes with WhatWorked is run;
- a name that an installed package registers is run if the package and its version are the stated ones;
- a class or function defined in a file is run if that file, and every file of its folder that it imports, has the
  stated digest. Files of Python's own library or of installed packages do not count: everybody knows their bytes, and
  what they define was not written to be a plug-in;
- anything else, such as ``package.module:Name``, needs the word of whoever runs it.
"""

from __future__ import annotations

import ast
import re
import sys
import sysconfig
from pathlib import Path

from whatworked.errors import RunError
from whatworked.plugins.local_files import LARGEST_FILE
from whatworked.plugins.origin import Origin
from whatworked.plugins.registry import Kind, built_in, installed
from whatworked.plugins.spec import Spec, parse_spec
from whatworked.runs.description import KINDS, PlanDescription, PluginDescription
from whatworked.storage.canonical import sha256
from whatworked.storage.files import read_file, user_path
from whatworked.wording import counted, printable

_PACKAGE_FOLDERS = ("site-packages", "dist-packages")
_LIBRARY = re.compile(r"python[23](\.[0-9]+t?)?|Python3[0-9]+")
"""Names of the folders that other interpreters on this machine keep their library in."""
_SYSTEM_FOLDERS = tuple(map(Path, ("/usr", "/lib", "/lib64", "/opt", "/etc", "/proc", "/sys", "/dev")))


def untrusted(description: PlanDescription) -> dict[str, str]:
    """What a plan would run that may not be run without being asked for; nothing of it is imported.

    Parameters
    ----------
    description : PlanDescription
        The plan of a packed run.

    Returns
    -------
    dict of str to str
        Kind and text of each such plug-in to the reason.
    """
    found: dict[str, str] = {}
    for kind in KINDS:
        for stated in description.plugins(kind).values():
            if stated.spec is not None and (reason := _reason(kind, stated)):
                found[f"{kind} {printable(stated.spec)}"] = reason
    return found


def listing(found: dict[str, str]) -> str:
    """What would run and why it is asked about, a line each."""
    return "".join(f"\n  {thing}: {reason}" for thing, reason in found.items())


def require_trust(description: PlanDescription) -> None:
    """Refuse a plan that names what may not be run without being asked for.

    Raises
    ------
    RunError
        With a line for each such plug-in.
    """
    if found := untrusted(description):
        raise RunError(
            f"nothing was run: the packed run names {counted(len(found), 'plug-in')} that could do anything on this "
            f"machine:{listing(found)}\nlook at each, and give --trust to run them as you"
        )


def _reason(kind: Kind, stated: PluginDescription) -> str | None:
    """Why a plug-in needs to be asked for; None if it does not."""
    spec = parse_spec(str(stated.spec))
    if not spec.container:
        return _of_name(kind, spec, stated.origin)
    if not spec.is_file:
        return "something to import and call, which is no registered name"
    if not stated.origin.files:
        return "a file of which the packed run states no digest"
    return _of_file(spec, stated.origin)


def _of_name(kind: Kind, spec: Spec, stated: Origin) -> str | None:
    if spec.target in built_in(kind):
        return None
    point = installed(kind).get(spec.target)
    if point is None:
        return None  # nothing is registered under it, so nothing can run
    here = Origin("package", point.dist.name, point.dist.version) if point.dist else Origin("entry point", point.value)
    return None if here == stated else f"registered by {here} as {point.value}; the run had it from {stated}"


def _of_file(spec: Spec, stated: Origin) -> str | None:
    path = user_path(spec.container)
    real = path.resolve()
    if folder := _public_folder(real):
        return f"a file in {folder}, whose bytes everybody knows"
    try:
        data = read_file(path, LARGEST_FILE)
    except OSError:
        return None  # loading it will say what is wrong
    if sha256(data) != stated.files[0].digest:
        return None  # likewise: it is refused, whatever is trusted
    if spec.attribute not in _defined(data):
        return f"{printable(spec.attribute)} is no class or function that {printable(path.name)} defines"
    return None


def _defined(data: bytes) -> set[str]:
    """Names of the classes and functions at the top level of a file, read without running it."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return set()
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def _public_folder(path: Path) -> Path | None:
    """The folder of installed things that a file is in: Python's own library, packages, this package; else None."""
    import whatworked

    for folder in path.parents:
        if folder.name in _PACKAGE_FOLDERS or _LIBRARY.fullmatch(folder.name):
            return folder
    here = [*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, str(Path(whatworked.__file__).parent)]
    folders = [*_SYSTEM_FOLDERS, *(Path(folder).resolve() for folder in here)]
    return next((folder for folder in folders if folder.parent != folder and path.is_relative_to(folder)), None)


def files_needed(label: str, stated: PluginDescription) -> str:
    """Which files a plug-in of a packed run needs, in words."""
    own, *imported = stated.origin.files
    others = "".join(f", and {printable(file.name)} in its folder with {file.digest}" for file in imported)
    return (
        f"{printable(label)} was run from the file {printable(parse_spec(str(stated.spec)).container)} with SHA-256 "
        f"{own.digest}{others}, which is not in the packed run; get it from the run's makers and repeat this where "
        "that path leads to it"
    )
