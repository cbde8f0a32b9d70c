"""From a plug-in text or object to something that can be built again and again."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from whatworked.errors import AlteredPluginError, PluginError
from whatworked.plugins.adapters import FunctionPolicy, as_estimator
from whatworked.plugins.asktell import AskTellPolicy
from whatworked.plugins.fingerprint import UnidentifiedError, fingerprint, parameters
from whatworked.plugins.guard import named_failures
from whatworked.plugins.inspecting import (
    SIZE_NAMES,
    is_ask_tell,
    is_instance,
    needs_arguments,
    open_seeds,
    parameters_of,
    reseeded,
    takes_seed,
)
from whatworked.plugins.optuna_sampler import OptunaPolicy, is_sampler_class
from whatworked.plugins.origin import OBJECT, Origin
from whatworked.plugins.registry import Kind
from whatworked.plugins.resolve import read_text, resolve
from whatworked.protocols import Estimator, Policy
from whatworked.surfaces.equivalence import Equivalence


@dataclass(frozen=True)
class Provenance:
    """What tells a plug-in from every other one.

    Attributes
    ----------
    origin : Origin
        With the digest of an object made in Python.
    parameters : dict of str to str, or None
        Of an object made in Python, as texts; None for a plug-in named by a text, which holds them.
    doubt : str
        Why an object cannot be told from another one; empty if it can.
    """

    origin: Origin
    parameters: dict[str, str] | None = None
    doubt: str = ""


@dataclass(frozen=True)
class Plugin:
    """An estimator or policy that can be built for any seed.

    Attributes
    ----------
    kind : {"estimator", "policy"}
        What it is.
    label : str
        What it is called in results.
    thing : object
        The class, function, factory or instance behind it.
    arguments : mapping
        Keyword arguments for `thing`.
    spec : str or None
        The text it was loaded from, None for an object handed over in Python.
    origin : Origin
        Where it comes from: distribution and version, or its file and the local files that it imports, each with the
        SHA-256 of its bytes. `provenance` adds the digest of an object made in Python.
    sealed : bool
        Whether its file may import nothing of its folder but the files that its origin names.
    stochastic : bool
        Whether a seed changes it: it takes a ``random_state`` or ``seed``, and none was given.
    """

    kind: Kind
    label: str
    thing: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    spec: str | None = None
    origin: Origin = OBJECT
    sealed: bool = False
    stochastic: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stochastic", takes_seed(self.thing, self.arguments))

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process loads a text again: classes of a file's module cannot be found there by name.
        if self.spec is not None:
            return _load_again, (self.spec, self.kind, self.label, self.origin, self.sealed)
        return Plugin, (self.kind, self.label, self.thing, dict(self.arguments), None, self.origin)

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for two plug-ins that are the same thing under the same label."""
        return (self.label, self.spec, self.origin) if self.spec is not None else (self.label, id(self.thing))

    @functools.cached_property
    def provenance(self) -> Provenance:
        """What tells it from every other plug-in; of an object made in Python, found when it is first asked for."""
        if self.spec is not None:
            return Provenance(self.origin)
        values = parameters(self.thing, self.arguments)
        try:
            digest = fingerprint(self.thing, dict(self.arguments))
        except UnidentifiedError as error:
            return Provenance(OBJECT, values, str(error))
        return Provenance(Origin("object", digest=digest), values)

    @functools.cached_property
    def takes_classes(self) -> bool:
        """Whether it takes code-equivalence classes, by a parameter called `equivalence`."""
        return "equivalence" in parameters_of(self.thing) and "equivalence" not in self.arguments

    @property
    def class_aware(self) -> bool:
        """Whether it is made for code-equivalence classes: it takes them, or is a policy built with ``class_aware``."""
        stated = {**getattr(self.thing, "keywords", {}), **self.arguments}
        return self.takes_classes if self.kind == "estimator" else stated.get("class_aware") is True

    @functools.cached_property
    def _seeds(self) -> list[str]:
        return open_seeds(self.thing, self.arguments)

    @functools.cached_property
    def _makes(self) -> bool:
        """Whether calling it makes the plug-in; otherwise it is the plug-in itself, a function."""
        given = {**self.arguments, **dict.fromkeys(self._seeds)}
        return inspect.isclass(self.thing) or not needs_arguments(self.thing, given)

    def build_estimator(self, seed: int = 0, equivalence: Equivalence | None = None) -> Estimator:
        """A fresh estimator.

        Parameters
        ----------
        seed : int
            For one that takes a ``random_state`` or ``seed`` and was not given one; others ignore it.
        equivalence : Equivalence, optional
            The workflow's classes, handed to an estimator that takes them.

        Returns
        -------
        Estimator

        Raises
        ------
        PluginError
            Naming the plug-in and the cause.
        """
        extra = {"equivalence": equivalence} if self.takes_classes and equivalence is not None else {}
        with _named_failure(self):
            return as_estimator(self._make(seed, **extra), functools.partial(self._make, seed, **extra))

    def build_policy(self, seed: int = 0) -> Policy:
        """A fresh policy.

        Parameters
        ----------
        seed : int
            As for `build_estimator`.

        Returns
        -------
        Policy

        Raises
        ------
        PluginError
            Naming the plug-in and the cause.
        """
        with _named_failure(self):
            if is_sampler_class(self.thing):
                self._make(seed)  # the policy makes one for each episode; what is wrong with it shows here
                return OptunaPolicy(self._make, seed)
            if is_ask_tell(self.thing):
                return AskTellPolicy(self._make_sized, seed)
            made = self._make(seed)
            if callable(getattr(made, "ask", None)):
                return made  # type: ignore[no-any-return]
            if callable(made) and not isinstance(made, type):
                return FunctionPolicy(made)
            raise TypeError("it has no method ask(state, n) and cannot be called as function(state, n)")

    def _make(self, seed: int, **extra: Any) -> Any:
        thing = self.thing
        if not callable(thing) or is_instance(thing):
            if self.arguments:
                raise TypeError("it is an object and not a class, so it takes no arguments")
            return reseeded(copy.deepcopy(thing), seed)
        arguments = {**self.arguments, **extra, **dict.fromkeys(self._seeds, seed)}
        if self._makes:
            return reseeded(thing(**arguments), seed, fixed=self.arguments)
        return functools.partial(thing, **arguments) if arguments else thing

    def _make_sized(self, d: int, seed: int) -> Any:
        accepted = parameters_of(self.thing)
        return self._make(seed, **{name: d for name in SIZE_NAMES if name in accepted and name not in self.arguments})


def load(
    value: Any, kind: Kind, label: str | None = None, expected: Origin | None = None, *, sealed: bool = False
) -> Plugin:
    """Make a `Plugin` of a text, class, function, factory or instance.

    Parameters
    ----------
    value : str or object
        ``name``, ``module:Name`` or ``./file.py:Name``, with ``(keyword=literal, …)`` after it and ``label=`` before it
        if wanted; or the thing itself; or a pair of a label and one of these; or a `Plugin`, which is returned as it
        is.
    kind : {"estimator", "policy"}
        What it should be.
    label : str, optional
        What to call it; it overrides the label of a text.
    expected : Origin, optional
        For a text that names a file: what the file must be, checked before anything of it is run.
    sealed : bool
        Whether a file may import nothing of its folder but what was read and compared.

    Returns
    -------
    Plugin

    Raises
    ------
    PluginError
        Naming the plug-in and the cause.
    UnknownNameError
        For a name that nothing registers.

    Examples
    --------
    >>> plugin = load("ridge=sklearn.linear_model:Ridge(alpha=0.5)", "estimator")
    >>> plugin.label, dict(plugin.arguments), plugin.stochastic
    ('ridge', {'alpha': 0.5}, True)
    """
    if isinstance(value, Plugin):
        return value
    if isinstance(value, tuple):
        if len(value) != 2 or not isinstance(value[0], str) or not value[0].strip() or isinstance(value[1], tuple):
            raise PluginError(f"the {kind} {value!r} is a tuple; give (label, plug-in), as in ('mine', Ridge(2))")
        return load(value[1], kind, label or value[0])
    if not isinstance(value, str):
        with named_failures(f"{kind} {label or type.__getattribute__(type(value), '__name__')!r} cannot be used"):
            name = getattr(value, "__name__", None) or type(value).__name__
            return Plugin(kind, label or str(name), value)
    spec = read_text(value)
    with named_failures(f"{kind} {spec.text!r} cannot be imported"):
        thing, origin = resolve(spec, kind, expected, sealed=sealed)
        return Plugin(kind, label or spec.label, thing, spec.arguments, spec.text, origin, sealed)


def _load_again(spec: str, kind: Kind, label: str, origin: Origin, sealed: bool) -> Plugin:
    try:
        plugin = load(spec, kind, label, origin if origin.files else None, sealed=sealed)
    except AlteredPluginError as error:
        raise PluginError(f"{kind} {spec!r} changed while it was in use: {error}") from None
    if plugin.origin != origin:
        raise PluginError(f"{kind} {spec!r} changed while it was in use: it was {origin} and is {plugin.origin}")
    return plugin


def _named_failure(plugin: Plugin) -> AbstractContextManager[None]:
    return named_failures(f"{plugin.kind} {(plugin.spec or plugin.label)!r} cannot be built")
