"""Which method each method is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whatworked.errors import InvalidOptionError, unknown_name
from whatworked.wording import first_few

PREFERRED = ("RGP", "relevance-gp/relevance-lookahead", "CRGP", "GP-E", "gp/gp-effect", "CGP-E", "gp")
"""Tried in this order where no baseline is named: the best method that comes with WhatWorked, then the best published
one; the first that gives pairs is taken."""


def partners(methods: Mapping[str, tuple[str, str]], baseline: str | None = None) -> dict[str, str]:
    """Baseline of every method that has one.

    Parameters
    ----------
    methods : mapping of str to (estimator, policy)
        All methods of a comparison.
    baseline : str, optional
        A method: every other one is compared with it. Or a policy: every method is compared with the method of the
        same estimator under that policy. Or an estimator: with the method of the same policy and that estimator. A
        policy or estimator that only one method has stands for that method. Default: the first of `PREFERRED` that
        there is, else the first method.

    Returns
    -------
    dict of str to str
        Empty if there is only one method.

    Raises
    ------
    UnknownNameError
        If nothing is called that.
    InvalidOptionError
        If `baseline` pairs with none of several methods.

    Examples
    --------
    >>> methods = {"a/x": ("a", "x"), "a/y": ("a", "y"), "b/x": ("b", "x"), "b/y": ("b", "y")}
    >>> partners(methods, "x")
    {'a/y': 'a/x', 'b/y': 'b/x'}
    >>> partners(methods, "a/x")
    {'a/y': 'a/x', 'b/x': 'a/x', 'b/y': 'a/x'}
    """
    known = list(dict.fromkeys([*methods, *(part for parts in methods.values() for part in parts)]))
    if baseline is None:
        chosen = default_baseline(methods) if methods else ""
        return {method: chosen for method in methods if method != chosen}
    if not isinstance(baseline, str) or baseline not in known:
        raise unknown_name("baseline", baseline, known)
    found = _pairs(methods, baseline)
    if not found and len(methods) > 1:
        raise InvalidOptionError(_no_pairs(methods, baseline, known))
    return found


def default_baseline(methods: Mapping[str, tuple[str, str]]) -> str:
    """The whole method that others are compared with where none is named; at least one method is needed.

    Examples
    --------
    >>> default_baseline({"mine/random": ("mine", "random"), "GP-E": ("gp", "gp-effect")})
    'GP-E'
    """
    for name in PREFERRED:
        having = [method for method, parts in methods.items() if name == method or name in parts]
        if name in methods or len(having) == 1:
            return name if name in methods else having[0]
    return next(iter(methods))


def _pairs(methods: Mapping[str, tuple[str, str]], name: str) -> dict[str, str]:
    if name in methods:
        return {method: name for method in methods if method != name}
    having = [method for method, parts in methods.items() if name in parts]
    if len(having) == 1:
        return {method: having[0] for method in methods if method != having[0]}
    return _crosswise(methods, name)


def _no_pairs(methods: Mapping[str, tuple[str, str]], name: str, known: Sequence[str]) -> str:
    kind = "policy" if any(policy == name for _, policy in methods.values()) else "estimator"
    other = "estimator" if kind == "policy" else "policy"
    useful = [candidate for candidate in known if _pairs(methods, candidate)]
    return (
        f"the {kind} {name!r} as a baseline pairs no two methods: none has the same {other} with and without it; "
        f"give one of {first_few(useful, 12)}"
    )


def _crosswise(methods: Mapping[str, tuple[str, str]], name: str) -> dict[str, str]:
    as_policy = any(policy == name for _, policy in methods.values())
    found: dict[str, str] = {}
    for method, (estimator, policy) in methods.items():
        wanted = (estimator, name) if as_policy else (name, policy)
        partner = next((other for other, parts in methods.items() if parts == wanted), None)
        if partner is not None and wanted != (estimator, policy):
            found[method] = partner
    return found
