"""From a parsed text to the thing it names."""

from __future__ import annotations

import ast
import atexit
import functools
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from whatworked.errors import AlteredPluginError, PluginError
from whatworked.plugins.distributions import distribution_of
from whatworked.plugins.files import announce, module_name
from whatworked.plugins.guard import named_failures
from whatworked.plugins.inspecting import guess_kind
from whatworked.plugins.local_files import LARGEST_FILE, local_files, module_files
from whatworked.plugins.origin import Origin, SourceFile
from whatworked.plugins.output import divert_for_good
from whatworked.plugins.process_state import noticing
from whatworked.plugins.registry import Kind, named, names
from whatworked.plugins.spec import Spec, parse_spec
from whatworked.storage.canonical import sha256
from whatworked.storage.files import read_file, user_path
from whatworked.wording import first_few
from whatworked.workers.settings import check_settings

CHANGED_AT_IMPORT: dict[str, set[str]] = {}
"""By plug-in text: parts of the process's state that its import changed."""

_FOLDERS: set[str] = set()
"""Folders of plug-in files. Modules are looked for in them last."""


def read_text(text: str) -> Spec:
    """Parse a plug-in text. If it names a file alone, the error offers the names in that file; the file is not run.

    Raises
    ------
    PluginError
        As `parse_spec`, and for a file without a name after it.
    """
    path = user_path(text.strip())
    if not text.strip().endswith(".py") or not _is_file(path):
        return _with_label_or_path(parse_spec(text), text.strip())
    try:
        tree = ast.parse(read_file(path, LARGEST_FILE))
    except (OSError, SyntaxError, ValueError) as error:
        raise PluginError(f"plug-in {text!r}: cannot read {path}: {error}") from None
    kinds = (ast.ClassDef, ast.FunctionDef)
    held = [node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    choice = f"it has {', '.join(held)}" if held else "it has no class or function at its top level"
    raise PluginError(
        f"{text!r} names a file, but nothing in it; {choice}: write {text.strip()}:{(held or ['NAME'])[0]}"
    )


def _with_label_or_path(spec: Spec, text: str) -> Spec:
    """The spec, or that of a file in the current folder whose name has an equals sign: ``my=own.py`` is no label then.

    It is taken for a label wherever a file of the shorter name exists.
    """
    label, equals, target = text.partition("=")
    if not equals or not spec.is_file or spec.text != target.strip() or _is_file(user_path(spec.container)):
        return spec
    whole = f"./{label}={spec.container}"
    return parse_spec(f"./{text}") if _is_file(Path(whole)) else spec


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long a name, or a null character
        return False


def files_before_import(spec: Spec) -> Origin | None:
    """The files that a text names and what they import, as they are read now; nothing is run.

    None for a text that names no local file, or files that cannot be read.
    """
    try:
        if spec.is_file:
            return local_files(user_path(spec.container), _elsewhere()).origin
        files = module_files([spec.container]) if spec.container else ()
    except (OSError, ValueError):
        return None
    return Origin.of_files(files) if files else None


def _elsewhere() -> list[str]:
    """Where modules are looked for, but for folders of plug-in files."""
    return [entry for entry in sys.path if entry not in _FOLDERS]


def resolve(spec: Spec, kind: Kind, expected: Origin | None = None, *, sealed: bool = False) -> tuple[Any, Origin]:
    """The thing that a text names, and its origin; raises `PluginError` or `UnknownNameError`.

    What imported code prints goes to standard error.

    Parameters
    ----------
    spec : Spec
        The parsed text.
    kind : {"estimator", "policy"}
        What it should be.
    expected : Origin, optional
        For a file: what its bytes must be, checked before any of them is run.
    sealed : bool
        Whether a file may import nothing of its folder but what was read and compared.
    """
    check_settings()
    with noticing() as changed, named_failures(f"{kind} {spec.text!r} cannot be imported"):
        if not spec.container:
            return named(kind, spec.target)
        module, origin = (
            _import_file(spec, kind, expected, sealed=sealed) if spec.is_file else _import_module(spec, kind)
        )
        thing: Any = module
        for part in spec.attribute.split("."):
            try:
                thing = getattr(thing, part)
            except AttributeError:
                raise PluginError(
                    f"{kind} {spec.text!r}: {spec.container} has no {spec.attribute!r}; it has {_offer(module)}"
                ) from None
    CHANGED_AT_IMPORT.setdefault(spec.text, set()).update(changed)
    _divert_at_exit()
    return thing, origin


@functools.cache
def _divert_at_exit() -> None:
    """Functions for the exit run last in, first out: this one before those of the plug-in."""
    atexit.register(divert_for_good)


def _import_module(spec: Spec, kind: Kind) -> tuple[ModuleType, Origin]:
    name = spec.container
    if name == "optuna":
        name = "optuna.samplers"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        file = Path(f"{name.replace('.', '/')}.py")
        hint = f"for that file write ./{file}:{spec.attribute}" if file.is_file() else "is it installed?"
        raise PluginError(f"{kind} {spec.text!r} cannot be imported: {error}; {hint}") from error
    return module, _module_origin(module, name, spec, kind)


def _import_file(
    spec: Spec, kind: Kind, expected: Origin | None = None, *, sealed: bool = False
) -> tuple[ModuleType, Origin]:
    path = user_path(spec.container)
    try:
        files = local_files(path, _elsewhere())
    except OSError as error:
        raise PluginError(f"{kind} {spec.text!r}: {_unreadable(error, path)}") from None
    if path.suffix != ".py":
        raise PluginError(f"{kind} {spec.text!r}: {path} is not a Python file; its name must end in .py")
    if expected is not None and files.origin != expected:
        raise AlteredPluginError(f"{kind} {spec.text!r} is of other files: {files.origin} instead of {expected}")
    digest = files.origin.files[0].digest
    name = module_name(path, digest)
    if not sealed:  # a child would find the folder of the file, and import whatever lies there
        announce(name, files.path, digest)
    if name not in sys.modules:
        found = importlib.util.spec_from_file_location(name, files.path, loader=files.loader())
        if found is None or found.loader is None:
            raise PluginError(f"{kind} {spec.text!r}: {path} is not a Python file; its name must end in .py")
        module = importlib.util.module_from_spec(found)
        # Dataclasses and pickle look up a class's module by name. The file may import others of its folder.
        sys.modules[name] = module
        files.serve(sealed=sealed)
        folder = str(files.path.parent)
        if folder not in sys.path and not sealed:
            sys.path.append(folder)
            _FOLDERS.add(folder)
        try:
            found.loader.exec_module(module)
        except BaseException:
            sys.modules.pop(name, None)
            raise
    return sys.modules[name], files.origin


def _unreadable(error: OSError, path: Path) -> str:
    """What kept a file, or one that it imports, from being read."""
    cause = error.__cause__
    if isinstance(cause, OSError):
        return f"cannot read {path}: {cause.strerror or cause}"
    return str(error)


def _module_origin(module: ModuleType, name: str, spec: Spec, kind: Kind) -> Origin:
    """The distribution of an installed module; of local code its files, since it may change without its version."""
    place = getattr(module, "__file__", None)
    file = Path(place) if place else None
    if installed := distribution_of(name, file):
        return installed
    try:
        if files := module_files([name]):
            return Origin.of_files(files)
        if held := next((place for place in file.parents if place.is_file()), None) if file else None:
            return Origin.of_files([SourceFile(held.name, sha256(held.read_bytes()))])  # an archive
        if file is not None and file.is_file():
            return Origin.of_files([SourceFile(file.name, sha256(file.read_bytes()))])
    except OSError as error:
        raise PluginError(f"{kind} {spec.text!r}: cannot read what it imports: {error}") from None
    if name == "__main__":
        raise PluginError(f"{kind} {spec.text!r} is of no file; give the object itself instead of a text")
    return Origin("module", name.partition(".")[0])


def _offer(module: ModuleType) -> str:
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and str(getattr(value, "__module__", "")).startswith(module.__name__)
    ]
    return first_few(own, 12) or "nothing that could be a plug-in"


def kind_of(text: str, given: str | None = None) -> Kind:
    """Whether a plug-in text names an estimator or a policy.

    Parameters
    ----------
    text : str
        The plug-in text.
    given : {"estimator", "policy"}, optional
        The answer, where it is known.

    Raises
    ------
    PluginError
        If neither fits: an object without ``fit`` and ``ask``, a function with another number of arguments.
    UnknownNameError
        If nothing is registered under a bare name.
    """
    if given is not None:
        return "estimator" if given == "estimator" else "policy"
    spec = read_text(text)
    if not spec.container:
        return "policy" if spec.target in names("policy") and spec.target not in names("estimator") else "estimator"
    thing, _ = resolve(spec, "estimator")
    with named_failures(f"{text!r} cannot be used"):
        told = guess_kind(thing, spec.arguments)
    if told is None and (inspect.isclass(thing) or not callable(thing)):
        own = [name for name in vars(thing) if not name.startswith("_")] if inspect.isclass(thing) else []
        held = f"; it has {first_few(own, 12)}" if own else ""
        raise PluginError(
            f"{text!r} has neither fit nor ask{held}: an estimator has fit(masks, utilities), a policy ask(state, n)"
        )
    if told is None:
        raise PluginError(
            f"cannot tell whether {text!r} is an estimator (fit, or a function of masks, utilities, all_masks) "
            "or a policy (ask, or a function of state, n); say it with --kind"
        )
    return told
