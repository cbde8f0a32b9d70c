"""The public conformance kit for estimators and policies.

Examples
--------
In a test of your own, all at once or check by check:

>>> from whatworked.testing import check_estimator
>>> results = check_estimator("sklearn.linear_model:LinearRegression", dimensions=(2, 3))
>>> all(result.passed for result in results)
True

>>> import pytest
>>> from whatworked.testing import policy_checks, run_check
>>> @pytest.mark.parametrize("check", policy_checks(), ids=str)
... def test_my_policy(check):
...     result = run_check(check, load(MyPolicy, "policy"), (2, 3, 4))
...     assert result.passed, result.problem
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable
from typing import Any

from whatworked.errors import TransferError
from whatworked.plugins import Plugin, load
from whatworked.plugins.registry import Kind
from whatworked.testing.cases import DIMENSIONS
from whatworked.testing.given import dimensions_of, limit_of, plugin_of
from whatworked.testing.kit import TIME_LIMIT, Check, CheckResult, ConformanceError, raise_failures, run_check

__all__ = [
    "Check",
    "CheckResult",
    "ConformanceError",
    "check_estimator",
    "check_policy",
    "estimator_checks",
    "policy_checks",
    "run_check",
    "run_checks",
]


def estimator_checks() -> tuple[Check, ...]:
    """All checks of estimators.

    Returns
    -------
    tuple of Check
        In the order in which they are run.

    Examples
    --------
    >>> [check.name for check in estimator_checks()][:2]
    ['every size', 'every order']
    """
    from whatworked.testing.estimators import CHECKS

    return CHECKS


def policy_checks() -> tuple[Check, ...]:
    """All checks of policies.

    Returns
    -------
    tuple of Check
        In the order in which they are run.
    """
    from whatworked.testing.policies import CHECKS

    return CHECKS


def checks_of(kind: Kind) -> tuple[Check, ...]:
    """All checks of plug-ins of a kind."""
    return estimator_checks() if kind == "estimator" else policy_checks()


def run_checks(
    plugin: Plugin, dimensions: int | Iterable[int] = DIMENSIONS, time_limit: float | None = TIME_LIMIT
) -> tuple[CheckResult, ...]:
    """Run all checks of a plug-in's kind; failures are in the results.

    Parameters
    ----------
    plugin : Plugin
        What `whatworked.plugins.load` returned.
    dimensions : int or iterable of int, default 1 to 8
        Numbers of options to try.
    time_limit : float or None, default 60
        Seconds for each case of a check (a fit or an ask, or the few that are compared), None for no limit.

    Returns
    -------
    tuple of CheckResult
        One per check, in order.

    Raises
    ------
    InvalidOptionError
        For anything that is no plug-in, no number of options or no limit.
    """
    plugin, sizes, limit = plugin_of(plugin), dimensions_of(dimensions), limit_of(time_limit)
    if limit is not None and threading.current_thread() is not threading.main_thread():
        # In a thread code that stays in a library, or swallows the exception, could not be ended with its process.
        from whatworked.testing.apart import run_checks_apart

        with contextlib.suppress(TransferError):
            return tuple(run_checks_apart(plugin, sizes, limit))
    return tuple(run_check(check, plugin, sizes, limit) for check in checks_of(plugin.kind))


def check_estimator(
    thing: Any, dimensions: int | Iterable[int] = DIMENSIONS, time_limit: float | None = TIME_LIMIT
) -> tuple[CheckResult, ...]:
    """Check that an estimator keeps its contract.

    Parameters
    ----------
    thing : str or object
        Anything that `whatworked.plugins.load` takes: a class, factory, function, object, or a text that names one.
    dimensions : int or iterable of int, default 1 to 8
        Numbers of options to try.
    time_limit : float or None, default 60
        Seconds for each case of a check (a fit or an ask, or the few that are compared), None for no limit.

    Returns
    -------
    tuple of CheckResult
        All passed.

    Raises
    ------
    ConformanceError
        If a check failed; it lists all of them. It is an AssertionError as well, so that a test fails and does not err.
    InvalidOptionError
        For what is no number of options or no limit.
    PluginError
        If the thing cannot be loaded or built.
    UnknownNameError
        For a name that nothing registers.
    """
    return _check(load(thing, "estimator"), dimensions_of(dimensions), limit_of(time_limit))


def check_policy(
    thing: Any, dimensions: int | Iterable[int] = DIMENSIONS, time_limit: float | None = TIME_LIMIT
) -> tuple[CheckResult, ...]:
    """Check that a policy keeps its contract.

    Parameters
    ----------
    thing : str or object
        Anything that `whatworked.plugins.load` takes: a class, factory, function, object, or a text that names one.
    dimensions : int or iterable of int, default 1 to 8
        Numbers of options to try.
    time_limit : float or None, default 60
        Seconds for each case of a check (a fit or an ask, or the few that are compared), None for no limit.

    Returns
    -------
    tuple of CheckResult
        All passed.

    Raises
    ------
    ConformanceError
        If a check failed; it lists all of them. It is an AssertionError as well, so that a test fails and does not err.
    InvalidOptionError
        For what is no number of options or no limit.
    PluginError
        If the thing cannot be loaded or built.
    UnknownNameError
        For a name that nothing registers.

    Examples
    --------
    >>> results = check_policy("gp-effect", dimensions=(1, 2))
    >>> all(result.passed for result in results)
    True
    """
    return _check(load(thing, "policy"), dimensions_of(dimensions), limit_of(time_limit))


def _check(plugin: Plugin, dimensions: tuple[int, ...], time_limit: float | None) -> tuple[CheckResult, ...]:
    plugin.build_estimator() if plugin.kind == "estimator" else plugin.build_policy()
    results = run_checks(plugin, dimensions, time_limit)
    raise_failures(plugin, results)
    return results
