"""Counting from words split once equals scikit-learn, to the order of the stored entries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from whatworked.workflows import ngrams

WORDS = st.sampled_from(
    [
        "the",
        "of",
        "The",
        "cat",
        "cats",
        "ca",
        "dog",
        "x1",
        "x_1",
        "naïve",
        "über",
        "éa",
        "日本",
        "and",
        "over",
        "a",
        "-",
    ]
)
TEXTS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=8)


@settings(max_examples=200)
@given(TEXTS, TEXTS, st.booleans(), st.booleans())
def test_counts_equal_those_of_scikit_learn(documents, queries, bigrams, drop) -> None:
    vectorizer = CountVectorizer(
        ngram_range=(1, 2 if bigrams else 1), stop_words="english" if drop else None, dtype=np.float64
    )
    corpus = ngrams.tokenise(documents, queries)
    try:
        expected = vectorizer.fit_transform(documents), vectorizer.transform(queries)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error).partition(";")[0]):
            ngrams.count(corpus, bigrams, drop)
        return
    for found, wanted in zip(ngrams.count(corpus, bigrams, drop), expected, strict=True):
        assert found.shape == wanted.shape
        for part in ("indptr", "indices", "data"):
            assert getattr(found, part).dtype == getattr(wanted, part).dtype
        np.testing.assert_array_equal(found.indptr, wanted.indptr)
        np.testing.assert_array_equal(_rows(found), _rows(wanted))


def _rows(matrix) -> list[tuple[int, float]]:
    return list(zip(matrix.indices.tolist(), matrix.data.tolist(), strict=True))
