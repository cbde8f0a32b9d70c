"""Which method each method is compared with."""

from __future__ import annotations

from collections.abc import Mapping

from whatworked.errors import unknown_name

PREFERRED = ("gp-effect", "GP-E")
"""Baselines taken, where they are among the methods, when none is named."""


def partners(methods: Mapping[str, tuple[str, str]], baseline: str | None = None) -> dict[str, str]:
    """Baseline of every method that has one.

    Parameters
    ----------
    methods : mapping of str to (estimator, policy)
        All methods of a comparison.
    baseline : str, optional
        A method: every other one is compared with it. Or a policy: every method is compared with the method of the
        same estimator under that policy. Or an estimator: with the method of the same policy and that estimator. A
        policy or estimator that only one method has stands for that method. Default: ``gp-effect`` or ``GP-E`` where
        present, else the first method.

    Returns
    -------
    dict of str to str
        Empty if there is only one method.

    Raises
    ------
    UnknownNameError
        If nothing is called that.

    Examples
    --------
    >>> methods = {"a/x": ("a", "x"), "a/y": ("a", "y"), "b/x": ("b", "x"), "b/y": ("b", "y")}
    >>> partners(methods, "x")
    {'a/y': 'a/x', 'b/y': 'b/x'}
    >>> partners(methods, "a/x")
    {'a/y': 'a/x', 'b/x': 'a/x', 'b/y': 'a/x'}
    """
    known = [*methods, *(part for parts in methods.values() for part in parts)]
    name = baseline or next((one for one in PREFERRED if one in known), next(iter(methods), ""))
    if name not in known:
        raise unknown_name("baseline", name, dict.fromkeys(known))
    if name in methods:
        return {method: name for method in methods if method != name}
    having = [method for method, parts in methods.items() if name in parts]
    if len(having) == 1:
        return {method: having[0] for method in methods if method != having[0]}
    return _crosswise(methods, name)


def _crosswise(methods: Mapping[str, tuple[str, str]], name: str) -> dict[str, str]:
    as_policy = any(policy == name for _, policy in methods.values())
    found: dict[str, str] = {}
    for method, (estimator, policy) in methods.items():
        wanted = (estimator, name) if as_policy else (name, policy)
        partner = next((other for other, parts in methods.items() if parts == wanted), None)
        if partner is not None and wanted != (estimator, policy):
            found[method] = partner
    return found
