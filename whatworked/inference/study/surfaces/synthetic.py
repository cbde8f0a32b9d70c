"""Functions of six options whose structure is known, two of each kind; values in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from whatworked.inference.study.surfaces.recorded import OutsideSurface
from whatworked.surfaces.masks import FloatArray, all_bits
from whatworked.surfaces.surface import ResponseSurface

_OPTIONS = 6
_REPETITIONS = 2
Generator = np.random.Generator


def _additive(bits: FloatArray, generator: Generator) -> FloatArray:
    return bits @ generator.normal(size=_OPTIONS)


def _sparse(bits: FloatArray, generator: Generator) -> FloatArray:
    first, second = generator.permutation(_OPTIONS)[:2]
    return np.asarray(bits[:, first] + 0.6 * bits[:, second] - 0.8 * bits[:, first] * bits[:, second])


def _pairwise(bits: FloatArray, generator: Generator) -> FloatArray:
    signs = 2.0 * bits - 1.0
    pairs = np.triu(generator.normal(size=(_OPTIONS, _OPTIONS)), 1)
    return np.asarray(signs @ generator.normal(size=_OPTIONS) + 0.5 * np.einsum("ni,ij,nj->n", signs, pairs, signs))


def _gated(bits: FloatArray, generator: Generator) -> FloatArray:
    order = generator.permutation(_OPTIONS)
    seen = bits.copy()
    seen[:, order[0]] *= bits[:, order[1]]
    seen[:, order[2]] *= 1.0 - bits[:, order[3]]
    return _pairwise(seen, generator)


def _curved(bits: FloatArray, generator: Generator) -> FloatArray:
    return np.asarray(-np.exp(-(bits @ np.abs(generator.normal(size=_OPTIONS)))))


def _saturating(bits: FloatArray, generator: Generator) -> FloatArray:
    return np.asarray(np.max(bits * generator.uniform(0.2, 1.0, size=_OPTIONS), axis=1))


def _conjunction(bits: FloatArray, generator: Generator) -> FloatArray:
    chosen = generator.permutation(_OPTIONS)[:3]
    return np.asarray(bits[:, chosen].prod(axis=1) + 0.1 * bits @ generator.normal(size=_OPTIONS))


def _parity(bits: FloatArray, generator: Generator) -> FloatArray:
    chosen = generator.permutation(_OPTIONS)[:3]
    return np.asarray((1.0 - 2.0 * bits[:, chosen]).prod(axis=1))


def _noise(bits: FloatArray, generator: Generator) -> FloatArray:
    return generator.normal(size=len(bits))


STRUCTURES: dict[str, Callable[[FloatArray, Generator], FloatArray]] = {
    "additive": _additive,
    "sparse": _sparse,
    "pairwise": _pairwise,
    "gated": _gated,
    "curved": _curved,
    "saturating": _saturating,
    "conjunction": _conjunction,
    "parity": _parity,
    "noise": _noise,
}


def synthetic_surfaces() -> tuple[OutsideSurface, ...]:
    """All synthetic cubes; the same in every run."""
    bits = all_bits(_OPTIONS).astype(np.float64)
    found = []
    for number, (name, function) in enumerate(STRUCTURES.items()):
        for repetition in range(_REPETITIONS):
            values = function(bits, np.random.default_rng([number, repetition]))
            scaled = 0.1 + 0.8 * (values - values.min()) / np.ptp(values)
            surface = ResponseSurface(tuple("ABCDEF"), scaled, name=f"{name}/{repetition}")
            found.append(OutsideSurface("synthetic", name, surface))
    return tuple(found)
