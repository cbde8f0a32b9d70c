"""What a Python object is, as a digest: its code, its values, and all that they lead to.

Installed classes and functions count by name and version of their distribution, local ones by their compiled code, with
defaults, closures, the globals they name and, for those of a module, its files. Other objects count by what pickling
them would keep, since that is what a worker receives.
"""

from __future__ import annotations

import builtins
import copyreg
import dis
import functools
import hashlib
import inspect
import pickle
import sys
import types
from collections.abc import Iterator, Mapping
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

import numpy as np

from whatworked.plugins.distributions import distribution_of
from whatworked.plugins.local_files import module_files

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
_LOCKS = ("lock", "RLock")
_UNTOLD = {
    "__dict__",
    "__weakref__",
    "__doc__",
    "__module__",
    "__qualname__",
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__firstlineno__",
    "__static_attributes__",
    "__orig_bases__",
    "__parameters__",
    "__slotnames__",
    "_abc_impl",
}
"""What stands in a class and does not decide what it does."""
_LONGEST = 120


class UnidentifiedError(Exception):
    """An object, or something it holds, cannot be told from another one."""


def fingerprint(*things: Any) -> str:
    """SHA-256 of what `things` are; the same in another process for the same code and values.

    Raises
    ------
    UnidentifiedError
        If something in them cannot be pickled, such as an open file or a generator.
    """
    writer = _Writer()
    try:
        writer.add(things)
    except RecursionError:
        raise UnidentifiedError("it is nested too deeply") from None
    except OSError as error:
        raise UnidentifiedError(f"a file of its code cannot be read: {error}") from None
    return writer.digest()


def parameters(thing: Any, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of a Python object as texts: of scikit-learn, attributes, keywords, defaults and closures."""
    return {name: _shown(value) for name, value in sorted({**_values(thing), **arguments}.items())}


def _values(thing: Any) -> dict[str, Any]:
    if isinstance(thing, functools.partial):
        positions = {f"argument {place}": value for place, value in enumerate(thing.args, 1)}
        return {**_values(thing.func), **positions, **thing.keywords}
    if isinstance(thing, types.MethodType):
        return _values(thing.__self__)
    if isinstance(thing, types.FunctionType):
        cells = zip(thing.__code__.co_freevars, thing.__closure__ or (), strict=False)
        held = {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}
        given = inspect.signature(thing).parameters.values()
        return {**held, **{one.name: one.default for one in given if one.default is not one.empty}}
    if inspect.isclass(thing):
        return {}
    if callable(getattr(thing, "get_params", None)):
        try:
            return {str(name): value for name, value in thing.get_params().items()}
        except Exception:
            return {}
    return {str(name): value for name, value in getattr(thing, "__dict__", {}).items()}


def _shown(value: Any) -> str:
    text = _text(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _text(value: Any) -> str:
    if type(value) in _PLAIN:
        return repr(value)
    if type(value) in (list, tuple):
        return f"{type(value).__name__}({', '.join(_text(part) for part in value[:_LONGEST])})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if inspect.isclass(value) or inspect.isroutine(value):
        name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
    else:
        name = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, np.ndarray):
        name += f" {value.shape} {value.dtype}"
    try:
        return f"{name} {fingerprint(value)[:12]}"
    except UnidentifiedError:
        return name


def _is_filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


class _Writer:
    """Hashes a walk over everything that an object consists of. What comes again is named by its number."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []
        self._modules: set[str] = set()

    def digest(self) -> str:
        return self._hash.hexdigest()

    def put(self, *parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(data) + data)

    def add(self, value: Any) -> None:
        if type(value) in _PLAIN:
            self.put(type(value).__name__, repr(value))
        elif type(value) is tuple:
            self.put("tuple", len(value))
            for part in value:
                self.add(part)
        elif id(value) in self._numbers:
            self.put("again", self._numbers[id(value)])
        else:
            # Kept, so that no other object comes to have its id.
            self._kept.append(value)
            self._numbers[id(value)] = len(self._numbers)
            self._add_new(value)

    def _add_new(self, value: Any) -> None:
        if type(value) is list:
            self.put("list", len(value))
            for part in value:
                self.add(part)
        elif type(value) in (dict, types.MappingProxyType):
            self.put("dict", len(value))
            for key, part in value.items():
                self.add(key)
                self.add(part)
        elif type(value) in (set, frozenset):
            self.put(type(value).__name__, *sorted(fingerprint(part) for part in value))
        elif type(value) is np.ndarray:
            self._add_array(value)
        elif isinstance(value, np.generic) and not value.dtype.hasobject:
            self.put("scalar", value.dtype.str, value.tobytes())
        elif isinstance(value, types.CodeType):
            self._add_code(value)
        elif isinstance(value, types.ModuleType):
            self._add_module(value)
        elif inspect.isroutine(value) or inspect.isclass(value) or isinstance(value, functools._lru_cache_wrapper):
            self._add_named(value)
        else:
            self._add_member(value)

    def _add_array(self, value: np.ndarray[Any, Any]) -> None:
        self.put("array", value.dtype.str if value.dtype.names is None else value.dtype.descr, value.shape)
        if value.dtype.hasobject:
            self.add(value.tolist())
        else:
            self.put(value.tobytes())

    def _add_named(self, value: Any) -> None:
        """A class or something that is called: by name if it is installed and found there, else by what it is."""
        if isinstance(value, types.MethodType):
            self.put("bound")
            self.add(value.__func__)
            self.add(value.__self__)
        elif installed := _installed(value):
            self.put("installed", installed)
        elif isinstance(value, types.FunctionType):
            self._add_function(value)
        elif inspect.isclass(value):
            self._add_class(value)
        elif isinstance(value, functools._lru_cache_wrapper):
            self.put("cached", sorted(value.cache_parameters().items()))
            self.add(value.__wrapped__)
        elif isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType):
            self.put("builtin", value.__qualname__)
            if not isinstance(value.__self__, types.ModuleType):
                self.add(value.__self__)
        elif hasattr(value, "__objclass__"):
            self.put("slot", value.__name__, value.__objclass__.__qualname__)
        elif isinstance(value, staticmethod | classmethod):
            self._add_member(value)
        else:
            self._add_reduced(value)

    def _add_member(self, value: Any) -> None:
        if isinstance(value, property):
            self.put("property")
            for part in (value.fget, value.fset, value.fdel):
                self.add(part)
        elif isinstance(value, staticmethod | classmethod):
            self.put(type(value).__name__)
            self.add(value.__func__)
        elif isinstance(value, functools.cached_property):
            self.put("cached property")
            self.add(value.func)
        elif isinstance(value, types.CellType):
            self.put("cell")
            if _is_filled(value):
                self.add(value.cell_contents)
        elif type(value).__module__ == "_thread" and type(value).__name__ in _LOCKS:
            self.put("lock")
        elif inspect.ismemberdescriptor(value) or inspect.isgetsetdescriptor(value):
            self.put("slot", value.__name__)
        else:
            self._add_reduced(value)

    def _add_function(self, function: types.FunctionType) -> None:
        self.put("function")
        self._add_code(function.__code__)
        self._add_files(function.__module__)
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            self.add(cell)
        self.add(function.__dict__)
        names = function.__globals__
        package = names.get("__package__") or ""
        for name in sorted(set(_globals_of(function.__code__))):
            if name in names:
                self.put("global", name)
                self.add(names[name])
        imported = sorted(set(_imports_of(function.__code__, package)))
        self.put("imports", *(f"{file.name} {file.digest}" for file in module_files(imported)))

    def _add_class(self, value: type) -> None:
        self.put("class", value.__name__)
        self._add_files(value.__module__)
        self.add(type(value))
        self.add(value.__bases__)
        for name, member in vars(value).items():
            if name not in _UNTOLD:
                self.put(name)
                self.add(member)

    def _add_code(self, code: types.CodeType) -> None:
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        self.put("code", code.co_name, *counts, code.co_code, getattr(code, "co_exceptiontable", b""))
        self.put(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        for constant in code.co_consts:
            self.add(constant)

    def _add_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        self.put("module", name, distribution_of(name, _file_of(module)) or "local")
        self._add_files(name)
        if sys.modules.get(name) is not module:
            # Made by a program, so that no other process can import it: workers get what it holds.
            held = {key: value for key, value in vars(module).items() if not key.startswith("__")}
            self.add(dict(sorted(held.items())))

    def _add_files(self, name: str | None) -> None:
        """The local files of a module, once: workers import them again. A script or notebook has none."""
        if not name or name == "__main__" or name in self._modules:
            return
        self._modules.add(name)
        self.put("files", *(f"{file.name} {file.digest}" for file in module_files([name])))

    def _add_reduced(self, value: Any) -> None:
        reduce = copyreg.dispatch_table.get(type(value))
        try:
            reduced = reduce(value) if reduce else value.__reduce_ex__(4)
        except RecursionError:
            raise
        except Exception as error:
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise UnidentifiedError(f"it holds a {kind}, which cannot be pickled: {error}") from None
        self.put("object")
        if isinstance(reduced, str):
            self._add_global(value, reduced)
            return
        make, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        self.add(make)
        self.add(arguments)
        ordered = type(state) is dict and all(isinstance(name, str) for name in state)
        self.add(dict(sorted(state.items())) if ordered else state)
        self.add(list(items) if items is not None else None)
        self.add([tuple(pair) for pair in pairs] if pairs is not None else None)

    def _add_global(self, value: Any, name: str) -> None:
        """Something that pickling keeps by its name alone, such as a universal function of numpy."""
        module = sys.modules.get(pickle.whichmodule(value, name))  # type: ignore[attr-defined]
        if module is None or functools.reduce(_member, name.split("."), module) is not value:
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise UnidentifiedError(f"it holds a {kind}, which cannot be pickled: no module has it as {name}")
        self.put(type(value).__module__, module.__name__, name)
        self.add(module)


def _member(held: Any, name: str) -> Any:
    return getattr(held, name, None)


def _installed(value: Any) -> str:
    """Name and version of an installed class or function; empty for a local one, or one not found by its name."""
    name, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    module = sys.modules.get(name) if isinstance(name, str) else None
    if module is None or not isinstance(path, str):
        return ""
    found: Any = module
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is not value:
        return ""
    origin = distribution_of(module.__name__, _file_of(module)) if module is not builtins else "builtins"
    return f"{name}.{path} {origin}" if origin is not None else ""


def _file_of(module: types.ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file) if file else None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _globals_of(code: types.CodeType) -> Iterator[str]:
    for part in _codes(code):
        for step in dis.get_instructions(part):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
                yield str(step.argval)


def _imports_of(code: types.CodeType, package: str) -> Iterator[str]:
    """Modules that the import statements inside a function may load."""
    for part in _codes(code):
        level, origin = 0, ""
        steps = list(dis.get_instructions(part))
        for place, step in enumerate(steps):
            if step.opname == "IMPORT_NAME":
                level = steps[place - 2].argval if place >= 2 else 0
                level = level if isinstance(level, int) and not isinstance(level, bool) else 0
                try:
                    origin = resolve_name("." * level + str(step.argval), package)
                except ImportError:
                    origin = ""
                if origin:
                    yield origin
            elif step.opname == "IMPORT_FROM" and origin:
                yield f"{origin}.{step.argval}"
