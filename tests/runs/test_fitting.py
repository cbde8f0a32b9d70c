"""From purchases to a prediction table."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from run_helpers import everything_reachable, leaks

from whatworked.environments.effects.delivery import aliases_of
from whatworked.plugins import load
from whatworked.runs.fitting import fit
from whatworked.surfaces import Equivalence, all_bits

TRUTH = np.array([0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18])


def run(function, bought=(3,), equivalence=None):
    return fit(load(function, "estimator").build_estimator, TRUTH, bought, equivalence)


def test_measured_values_are_put_back_and_the_rest_is_clipped():
    made = run(lambda masks, utilities, cube: np.linspace(-1, 2, 8))
    assert made.delivery.predictions[[0, 7, 3]].tolist() == [0.11, 0.18, 0.14]
    assert made.delivery.predictions.min() == 0.0
    assert made.delivery.predictions.max() == 1.0
    np.testing.assert_allclose(made.delivery.predictions[4], -1 + 3 * 4 / 7)


def test_the_estimator_sees_anchors_first_then_purchases_in_order():
    seen = {}

    def watching(masks, utilities, cube):
        seen.update(masks=masks.tolist(), utilities=utilities.tolist(), cube=cube)
        return np.zeros(8)

    run(watching, (5, 2))
    assert seen["masks"] == [[0, 0, 0], [1, 1, 1], [1, 0, 1], [0, 1, 0]]
    assert seen["utilities"] == [0.11, 0.18, 0.16, 0.13]
    np.testing.assert_array_equal(seen["cube"], all_bits(3))


def test_nothing_unmeasured_can_be_reached_from_the_arguments():
    hidden = set(TRUTH.tolist()) - {0.11, 0.18, 0.14}
    reached = []

    class Cheat:
        def fit(self, masks, utilities):
            reached.extend(everything_reachable([masks, utilities]))
            return self

        def predict(self, masks):
            reached.extend(everything_reachable(masks))
            return np.zeros(len(masks))

    run(Cheat)
    gc.collect()
    assert any(isinstance(thing, np.ndarray) and 0.14 in thing for thing in reached)
    assert not leaks(reached, hidden)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda masks, utilities, cube: np.zeros(7), "shape (7,); expected (8,)"),
        (
            lambda masks, utilities, cube: np.full(8, np.nan),
            "8 values that are not finite, the first for mask 000: nan",
        ),
        (
            lambda masks, utilities, cube: [0.0] * 5 + [np.inf] * 3,
            "3 values that are not finite, the first for mask 101: inf",
        ),
        (lambda masks, utilities, cube: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda masks, utilities, cube: utilities.sort(), "read-only"),
        (lambda masks, utilities, cube: exit(2), "SystemExit: 2"),
        (lambda masks, utilities, cube: ["a"] * 8, "could not convert string"),
        (lambda masks, utilities, cube: np.ma.masked_greater(cube[:, 0], 0.5), "some predictions are masked"),
    ],
)
def test_a_broken_estimator_gives_a_named_failure(function, expected):
    made = run(function)
    assert made.delivery is None
    assert made.failure.where == "estimator"
    assert expected in made.failure.cause
    assert "Traceback" in made.failure.trace


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (np.zeros((8, 2)), "shape (8, 2)"),
        (np.zeros(8, dtype=complex), "complex"),
        (np.array(["0"] * 8), "type"),
        (np.ma.masked_less(np.arange(8.0), 2.0), "masked values"),
        (None, "shape ()"),
    ],
)
def test_a_broken_predictor_gives_a_named_failure(answer, expected):
    class Broken:
        def fit(self, masks, utilities):
            return self

        def predict(self, masks):
            return answer

    assert expected in run(Broken).failure.cause


def test_causes_are_equal_from_run_to_run():
    class Thing:
        pass

    def raises(masks, utilities, cube):
        raise ValueError(f"cannot use {Thing()}\nin two lines")

    first, second = run(raises).failure.cause, run(raises).failure.cause
    assert first == second
    assert "0x…" in first
    assert "\n" not in first


def test_warnings_are_counted_and_prints_go_to_standard_error(capsys):
    import warnings

    def noisy(masks, utilities, cube):
        print("hello")  # noqa: T201
        warnings.warn("one", RuntimeWarning, stacklevel=1)
        warnings.warn("two", RuntimeWarning, stacklevel=1)
        return np.zeros(8)

    assert run(noisy).warnings == {"RuntimeWarning": 2}
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n")


def test_hyperparameters_that_the_predictor_states_are_kept():
    class Stating:
        hyperparameters = {"alpha": np.float64(0.5)}  # noqa: RUF012

        def fit(self, masks, utilities):
            return self

        def predict(self, masks):
            return np.zeros(len(masks))

    assert run(Stating).chosen == {"alpha": 0.5}
    assert not run(Stating).near_tie
    Stating.near_tie = True
    assert run(Stating).near_tie


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_hyperparameters_that_no_record_can_hold_are_a_named_failure(value):
    class Stating:
        hyperparameters = {"alpha": value}  # noqa: RUF012

        def fit(self, masks, utilities):
            return self

        def predict(self, masks):
            return np.zeros(len(masks))

    assert f"hyperparameters must be finite numbers: alpha = {value}" in run(Stating).failure.cause


def test_messages_that_cannot_be_written_or_told_are_failures_like_others():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no message")

    def unwritable(masks, utilities, cube):
        raise ValueError("no file \udcff")

    def mute(masks, utilities, cube):
        raise Mute

    failure = run(unwritable).failure
    assert failure.cause == "ValueError: no file \\udcff"
    failure.trace.encode()
    assert run(mute).failure.cause == "Mute: its message cannot be told"


CLASSES = Equivalence(np.array([0, 0, 2, 3, 4, 4, 4, 4]))


def test_aliases_name_the_mask_their_class_was_measured_by():
    aliases, sources = aliases_of(np.array([0, 7, 3, 5, 1]), CLASSES)
    assert (aliases.tolist(), sources.tolist()) == ([4, 6], [7, 7])
    assert [part.tolist() for part in aliases_of(np.array([0, 7]), Equivalence.trivial(3))] == [[], []]


def test_masks_of_measured_classes_take_the_measured_value():
    made = run(lambda masks, utilities, cube: np.arange(8) / 10, (5,), CLASSES)
    np.testing.assert_allclose(made.delivery.predictions, [0.11, 0.11, 0.2, 0.3, 0.18, 0.16, 0.18, 0.18])
    assert made.delivery.aliases == (1, 4, 6)
    plain = run(lambda masks, utilities, cube: np.arange(8) / 10, (5,))
    assert plain.delivery.aliases == ()
    assert plain.delivery.predictions[1] == 0.1
