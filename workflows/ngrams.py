"""Counting n-grams of a corpus that is tokenised once.

`count` equals scikit-learn's ``CountVectorizer`` with ``ngram_range`` (1, 1) or (1, 2), bit for bit and in the order
of the stored entries: within a row, by the first appearance of the term in the corpus. That order decides how sums
are rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from whatworked.surfaces.masks import IntArray

Counts = tuple[csr_array, csr_array]
"""Term counts of the documents and of the queries, float64, columns in alphabetical order of the terms."""

UNKNOWN, UNKNOWN_STOP_WORD = -1, -2
"""Numbers of query words that no document holds; both count from the end of an array over the vocabulary."""


@dataclass(frozen=True)
class Words:
    """Tokenised texts: word numbers one text after the other, and the text each belongs to."""

    texts: int
    row: IntArray
    word: IntArray

    def without(self, dropped: npt.NDArray[np.bool_]) -> Words:
        """The words that are not dropped; `dropped` has an entry per known word, then one per unknown number."""
        kept = ~dropped[self.word]
        return Words(self.texts, self.row[kept], self.word[kept])


@dataclass(frozen=True)
class Corpus:
    """Documents and queries in the numbers of one alphabetical vocabulary, that of the documents."""

    vocabulary: tuple[str, ...]
    documents: Words
    queries: Words


def tokenise(documents: Sequence[str], queries: Sequence[str]) -> Corpus:
    """Split texts into scikit-learn's default word tokens."""
    analyse = CountVectorizer().build_analyzer()
    tokens = [analyse(text) for text in documents]
    vocabulary = tuple(sorted(set(chain.from_iterable(tokens))))
    number = dict.fromkeys(ENGLISH_STOP_WORDS, UNKNOWN_STOP_WORD) | {word: k for k, word in enumerate(vocabulary)}
    return Corpus(vocabulary, _numbered(tokens, number), _numbered([analyse(text) for text in queries], number))


def count(corpus: Corpus, bigrams: bool, drop_stop_words: bool) -> Counts:
    """Counts of unigrams, and of bigrams if asked for, after dropping English stop words if asked for.

    Raises
    ------
    ValueError
        If no term is left.
    """
    documents, queries = corpus.documents, corpus.queries
    if drop_stop_words:
        # An unknown word is no term itself, but where it stays it keeps its neighbours from forming a pair.
        dropped = np.array([word in ENGLISH_STOP_WORDS for word in corpus.vocabulary] + [True, False])
        documents, queries = documents.without(dropped), queries.without(dropped)
    base = len(corpus.vocabulary) + 1
    row, code = _terms(documents, base, bigrams)
    if not code.size:
        raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
    terms, first, inverse = _distinct(code)
    order = np.argsort(first)
    seen = np.empty_like(order)
    seen[order] = np.arange(order.size)
    query_row, query_code = _terms(queries, base, bigrams)
    place = np.searchsorted(terms, query_code)
    known = terms[np.minimum(place, terms.size - 1)] == query_code
    identity = np.arange(terms.size)
    return (
        _matrix(documents.texts, row, seen[inverse], order),
        _matrix(queries.texts, query_row[known], place[known], identity),
    )


def _numbered(tokens: Iterable[Sequence[str]], number: dict[str, int]) -> Words:
    lengths = [len(words) for words in tokens]
    flat = map(number.get, chain.from_iterable(tokens), repeat(UNKNOWN))
    word = np.fromiter(flat, dtype=np.int64, count=sum(lengths))
    return Words(len(lengths), np.repeat(np.arange(len(lengths)), lengths), word)


def _terms(words: Words, base: int, bigrams: bool) -> tuple[IntArray, IntArray]:
    """Text and code of every term in the order scikit-learn meets them: a text's unigrams, then its bigrams.

    Codes sort like the terms: a space sorts below every character of a word, so "ab cd" comes after "ab" and before
    "abc". A term with an unknown word has code -1.
    """
    row, code = words.row, np.where(words.word < 0, UNKNOWN, words.word * base)
    if not bigrams:
        return row, code
    left, right = words.word[:-1], words.word[1:]
    within = row[:-1] == row[1:]
    pair = np.where((left < 0) | (right < 0), UNKNOWN, left * base + right + 1)[within]
    pair_row = row[:-1][within]
    texts = np.arange(words.texts + 1)
    words_before, pairs_before = np.searchsorted(row, texts), np.searchsorted(pair_row, texts)
    word_place = np.arange(row.size) + pairs_before[row]
    pair_place = np.arange(pair_row.size) + words_before[pair_row + 1]
    met = np.empty(row.size + pair_row.size, dtype=np.int64)
    met[word_place], met[pair_place] = code, pair
    return np.repeat(texts[:-1], np.diff(words_before) + np.diff(pairs_before)), met


def _distinct(code: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Distinct codes ascending, the first place of each, and the position of every entry's code among them.

    This is `numpy.unique` with an unstable sort, which is several times faster; the order of ties leaves no trace.
    """
    order = np.argsort(code)
    ordered = code[order]
    is_start = np.append(True, ordered[1:] != ordered[:-1])
    starts = np.flatnonzero(is_start)
    inverse = np.empty_like(order)
    inverse[order] = np.cumsum(is_start) - 1
    return ordered[starts], np.minimum.reduceat(order, starts), inverse


def _matrix(texts: int, row: IntArray, entry: IntArray, column: IntArray) -> csr_array:
    """Count equal (row, entry) pairs; entries are stored in ascending order and lie in the column ``column[entry]``."""
    width = column.size
    cells, counts = np.unique(row * width + entry, return_counts=True)
    starts = np.searchsorted(cells, np.arange(texts + 1) * width)
    indices = column[cells % width].astype(np.int32)
    return csr_array((counts.astype(np.float64), indices, starts.astype(np.int32)), shape=(texts, width))
