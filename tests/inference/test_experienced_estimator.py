"""Estimates with experience: nothing changes without it, what is alike helps, what is not does no harm."""

from __future__ import annotations

import numpy as np
import pytest

from whatworked.errors import InvalidMaskError, InvalidSurfaceError
from whatworked.inference.estimator import RelevanceEstimator
from whatworked.inference.experienced import ExperiencedRelevanceEstimator
from whatworked.inference.family import family_of
from whatworked.inference.kernel import Prior
from whatworked.inference.policy import RelevancePolicy
from whatworked.inference.sampler import Sampler
from whatworked.protocols import SearchState, fitted, takes_experience
from whatworked.surfaces import Equivalence, Experience, KnownSurface
from whatworked.surfaces.masks import all_bits, bits_of, ranks_of

OPTIONS = ("cache", "prune", "merge", "stem")
CELLS = all_bits(4)


def member(seed: int, options: tuple[str, ...] = OPTIONS) -> np.ndarray:
    """A surface of a family that has a strong interaction, with coefficients of its own."""
    rng = np.random.default_rng(seed)
    signs = 2.0 * all_bits(len(options)) - 1.0
    product = signs[:, 0] * signs[:, 1] * (signs[:, 2] > 0)
    return 0.5 + 0.2 * product * rng.uniform(0.8, 1.2) + 0.05 * signs @ rng.normal(size=len(options)) / 2


def known(seeds: range, options: tuple[str, ...] = OPTIONS) -> Experience:
    return Experience(OPTIONS, [KnownSurface(f"s{seed}", options, member(seed, options)) for seed in seeds])


RANKS = np.array([0, 15, 5, 6, 9, 3, 12])
TRUE = member(100)
MASKS = bits_of(RANKS, 4)


def error(experience: Experience | None) -> float:
    model = ExperiencedRelevanceEstimator().fit(MASKS, TRUE[RANKS], experience)
    return float(np.sqrt(np.mean((model.predict(CELLS) - TRUE) ** 2)))


def test_without_experience_it_is_the_plain_estimator_to_the_last_bit() -> None:
    plain = RelevanceEstimator().fit(MASKS, TRUE[RANKS])
    flat = Experience(OPTIONS, [KnownSurface("flat", OPTIONS, np.full(16, 0.5))])
    strange = Experience(OPTIONS, [KnownSurface("other", ("x", "y"), [0.1, 0.2, 0.3, 0.4])])
    for experience in (None, Experience(OPTIONS), flat, strange):
        model = ExperiencedRelevanceEstimator().fit(MASKS, TRUE[RANKS], experience)
        assert model.predict(CELLS).tobytes() == plain.predict(CELLS).tobytes()
        for mine, theirs in zip(model.predict_interval(CELLS), plain.predict_interval(CELLS), strict=True):
            assert mine.tobytes() == theirs.tobytes()


def test_surfaces_that_are_alike_help() -> None:
    assert error(known(range(6))) < 0.6 * error(None)


def test_other_surfaces_do_little_harm() -> None:
    rng = np.random.default_rng(3)
    noise = Experience(OPTIONS, [KnownSurface(f"n{number}", OPTIONS, rng.uniform(size=16)) for number in range(6)])
    assert error(noise) < 1.1 * error(None)


def test_the_order_of_the_tables_and_of_the_options_changes_nothing() -> None:
    several = known(range(4))
    again = Experience(OPTIONS, list(reversed(several.surfaces)))
    fits = [ExperiencedRelevanceEstimator().fit(MASKS, TRUE[RANKS], one).predict(CELLS) for one in (several, again)]
    assert fits[0].tobytes() == fits[1].tobytes()
    turned = Experience(OPTIONS, [_turned(one) for one in several.surfaces])
    (mine, theirs) = (family_of(one, Prior(), Sampler()) for one in (several, turned))
    assert mine is not None
    assert theirs is not None
    for lesson in mine.lessons:
        assert min(np.abs(lesson.values - other.values).max() for other in theirs.lessons) < 1e-12


def _turned(surface: KnownSurface) -> KnownSurface:
    order = (2, 0, 3, 1)
    bits = np.empty((16, 4), dtype=np.int8)
    bits[:, list(order)] = CELLS
    return KnownSurface(surface.source, tuple(OPTIONS[place] for place in order), surface.utilities[ranks_of(bits)])


def test_holes_noise_and_other_options_still_help() -> None:
    rng = np.random.default_rng(1)
    surfaces = []
    for seed in range(6):
        whole = member(seed, (*OPTIONS, "extra"))
        noisy = whole + rng.normal(0.0, 0.01, whole.size)
        noisy[rng.choice(32, 6, replace=False)] = np.nan
        surfaces.append(KnownSurface(f"s{seed}", (*OPTIONS, "extra"), noisy, noise=1e-4))
    assert error(Experience(OPTIONS, surfaces)) < 0.8 * error(None)
    fewer = [KnownSurface(f"f{seed}", OPTIONS[:3], member(seed).reshape(8, 2).mean(axis=1)) for seed in range(6)]
    assert error(Experience(OPTIONS, fewer)) < 0.8 * error(None)


def test_an_option_that_a_known_surface_lacks_is_averaged_or_left_open() -> None:
    surface = KnownSurface("a", ("p", "q", "r"), [0.0, 0.2, np.nan, 0.6, 0.1, np.nan, np.nan, np.nan])
    places, table = surface.matched(("r", "z", "p"))
    assert places == (0, 2)
    # By r and p: the mean over what was measured of q.
    np.testing.assert_allclose(table, [0.0, 0.1, 0.4, np.nan])


def test_intervals_and_effects_are_of_the_same_mixture() -> None:
    model = ExperiencedRelevanceEstimator().fit(MASKS, TRUE[RANKS], known(range(4)))
    low, high = model.predict_interval(CELLS, 0.9)
    assert (low <= model.predict(CELLS) + 1e-12).all()
    assert (model.predict(CELLS) <= high + 1e-12).all()
    assert (high - low)[RANKS].max() < 1e-3 < (high - low).max()


def test_the_policy_reads_the_experience_of_its_state_only_where_it_is_told_to() -> None:
    def asked(policy: RelevancePolicy, experience: Experience | None) -> list[list[float]]:
        rows = bits_of(RANKS[:4], 4).astype(np.float64)
        return policy.ask(SearchState(4, rows, TRUE[RANKS[:4]], 9, None, experience), 3).tolist()

    plain, experienced = RelevancePolicy(), RelevancePolicy(experienced=True)
    assert asked(plain, None) == asked(plain, known(range(6))) == asked(experienced, None)
    assert asked(experienced, known(range(6))) != asked(plain, None)


def test_experience_reaches_estimators_that_take_it() -> None:
    class Plain:
        def fit(self, masks: np.ndarray, utilities: np.ndarray) -> str:
            return "plain"

    class Experienced:
        def fit(self, masks: np.ndarray, utilities: np.ndarray, experience: Experience | None = None) -> object:
            return experience

    experience = known(range(2))
    assert not takes_experience(Plain())
    assert not takes_experience(object())
    assert fitted(Plain(), MASKS, TRUE[RANKS], experience) == "plain"  # type: ignore[arg-type,comparison-overlap]
    assert fitted(Experienced(), MASKS, TRUE[RANKS], experience) is experience  # type: ignore[arg-type]
    assert fitted(Experienced(), MASKS, TRUE[RANKS], None) is None  # type: ignore[arg-type]


def test_class_aware_estimates_hand_experience_on() -> None:
    from whatworked.inference.methods import ESTIMATORS

    classes = Equivalence.from_keys([0, 0, *range(2, 16)])
    build = ESTIMATORS["class-experienced-gp"]
    with_experience = fitted(build(classes), MASKS, TRUE[RANKS], known(range(6))).predict(CELLS.astype(float))
    without = fitted(build(classes), MASKS, TRUE[RANKS], None).predict(CELLS.astype(float))
    assert with_experience[0] == with_experience[1] == TRUE[0]
    assert np.abs(with_experience - without).max() > 1e-3


def test_bad_experience_is_refused() -> None:
    with pytest.raises(InvalidMaskError, match="masks have 4 options and the experience is about 2"):
        ExperiencedRelevanceEstimator().fit(MASKS, TRUE[RANKS], Experience(("a", "b")))
    for wrong, says in (
        ({"utilities": [0.1, 0.2]}, "have shape"),
        ({"utilities": [0.1, np.inf, 0.2, 0.3]}, "infinite"),
        ({"utilities": [0.1, np.nan, np.nan, np.nan]}, "fewer than two"),
        ({"utilities": ["a"] * 4}, "no numbers"),
        ({"options": ("a", "a")}, "not distinct"),
        ({"noise": -1.0}, "noise is -1.0"),
        ({"source": ""}, "source is ''"),
    ):
        content = {"source": "s", "options": ("a", "b"), "utilities": [0.1, 0.2, 0.3, 0.4], **wrong}
        with pytest.raises(InvalidSurfaceError, match=says):
            KnownSurface(**content)  # type: ignore[arg-type]
    twice = KnownSurface("s", ("a", "b"), [0.1, 0.2, 0.3, 0.4])
    with pytest.raises(InvalidSurfaceError, match="given twice"):
        Experience(("a", "b"), [twice, twice])
    with pytest.raises(InvalidSurfaceError, match="no KnownSurface"):
        Experience(("a", "b"), ["tides"])  # type: ignore[list-item]
