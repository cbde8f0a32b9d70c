"""The registered names keep the public contract."""

from __future__ import annotations

import pytest

from whatworked import inference
from whatworked.testing import check_estimator, check_policy


@pytest.mark.parametrize("name", sorted(inference.ESTIMATORS))
def test_estimators_conform(name):
    check_estimator(name, dimensions=(1, 2, 4))


@pytest.mark.parametrize("name", sorted(inference.POLICIES))
def test_policies_conform(name):
    check_policy(name, dimensions=(1, 2, 4))


def test_methods_name_what_exists():
    for method in inference.METHODS.values():
        assert method.estimator in inference.ESTIMATORS
        assert method.policy in inference.POLICIES
