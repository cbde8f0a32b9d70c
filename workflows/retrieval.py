"""Retrieval: TF-IDF ranking of documents, scored by NDCG at ten."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from whatworked.declaration.fingerprint import PredictionForm, rankings_fingerprint
from whatworked.declaration.metric import Metric
from whatworked.declaration.workflow import Option, Stage, Switches, Workflow
from whatworked.surfaces.masks import FloatArray
from whatworked.workflows import ngrams, second_metrics
from whatworked.workflows.ngrams import Corpus, Counts

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput

DEPTH = 10
"""Number of documents ranked and scored per query."""

Rankings = dict[str, list[str]]
"""Ids of the best documents, best first, by query id."""


def tokenise(data: PreparedInput, setting: None) -> Corpus:
    """Words of documents and queries."""
    del setting
    return ngrams.tokenise(data.facts["documents"], data.facts["queries"])


def count(data: PreparedInput, setting: tuple[bool, bool], corpus: Corpus) -> Counts:
    """Term counts from words that are already split."""
    del data
    return ngrams.count(corpus, *setting)


def count_directly(data: PreparedInput, setting: tuple[bool, bool]) -> Counts:
    """Term counts of documents and queries; the vocabulary is that of the documents."""
    bigrams, drop_stop_words = setting
    vectorizer = CountVectorizer(
        ngram_range=(1, 2) if bigrams else (1, 1),
        stop_words="english" if drop_stop_words else None,
        dtype=np.float64,
    )
    return vectorizer.fit_transform(data.facts["documents"]), vectorizer.transform(data.facts["queries"])


def weigh(data: PreparedInput, setting: tuple[str, bool], counts: Counts) -> Counts:
    """Term weights: counts, their logarithm or presence, times the inverse document frequency if asked for."""
    del data
    frequency, idf = setting
    documents, queries = counts
    if frequency == "binary":
        documents, queries = _presence(documents), _presence(queries)
    transformer = TfidfTransformer(norm=None, use_idf=idf, sublinear_tf=frequency == "sublinear").fit(documents)
    return transformer.transform(documents), transformer.transform(queries)


def _presence(counts: csr_array) -> csr_array:
    present = counts.copy()
    present.data.fill(1.0)
    return present


def weigh_setting(on: Switches) -> tuple[str, bool]:
    """Form of the term frequency, and whether to use inverse document frequencies."""
    return ("binary" if on["E"] else "sublinear" if on["C"] else "count"), on["D"]


def scale(data: PreparedInput, keep_length: bool, weights: Counts) -> Counts:
    """Documents and queries scaled to unit Euclidean length, unless asked not to."""
    del data
    return weights if keep_length else (normalize(weights[0]), normalize(weights[1]))


def compare(data: PreparedInput, setting: None, weights: Counts) -> FloatArray:
    """Dot product of every query with every document, shape (queries, documents)."""
    del data, setting
    documents, queries = weights
    # Terms that no query holds add nothing to a dot product.
    asked = np.unique(queries.indices)
    return np.ascontiguousarray((documents[:, asked] @ queries[:, asked].T).toarray().T)


def rank(data: PreparedInput, setting: None, scores: FloatArray) -> Rankings:
    """The ten best documents of every query; of equal scores the smaller document id comes first."""
    del setting
    ids = data.facts["document_ids"]
    found = {}
    for query, row, excluded in zip(data.facts["query_ids"], scores, data.facts["excluded"], strict=True):
        found[query] = [ids[index] for index in _best(row, excluded)]
    return found


def _best(scores: FloatArray, excluded: list[int]) -> list[int]:
    allowed = np.delete(np.arange(scores.size), excluded)
    if allowed.size > DEPTH:
        # Only documents that reach the tenth best score can be ranked; sorting these few gives the same as sorting all.
        reached = scores[allowed]
        allowed = allowed[reached >= np.partition(reached, -DEPTH)[-DEPTH]]
    return [int(index) for index in allowed[np.argsort(-scores[allowed], kind="stable")][:DEPTH]]


def ndcg(data: PreparedInput, prediction: Rankings) -> float:
    """Mean over the queries of the discounted cumulative gain at ten over the ideal one; gains are 0 or 1."""
    ids = data.facts["document_ids"]

    discounts = 1.0 / np.log2(np.arange(2, DEPTH + 2))
    scores = []
    for query, relevant in zip(data.facts["query_ids"], data.facts["relevant"], strict=True):
        wanted = {ids[index] for index in relevant}
        gains = np.array([document in wanted for document in prediction[query]], dtype=np.float64)
        ideal = discounts[: min(len(wanted), DEPTH)].sum()
        scores.append(float(gains @ discounts[: gains.size] / ideal))
    return math.fsum(scores) / len(scores)


WORKFLOW = Workflow(
    family="retrieval",
    summary="TF-IDF dot products between queries and documents; the ten best documents of every query.",
    options=(
        Option("A", "terms", "single words", "single words and pairs of neighbouring words"),
        Option("B", "stop words", "kept", "scikit-learn's English stop words removed before pairs are formed"),
        Option("C", "term frequency", "count", "1 + log(count)"),
        Option("D", "inverse document frequency", "not used", "smoothed idf, log((1 + n) / (1 + df)) + 1"),
        Option("E", "binary term frequency", "no", "1 for every term that occurs"),
        Option("F", "length of documents and queries", "scaled to unit Euclidean length", "as it is"),
    ),
    stages=(
        Stage("tokenise", tokenise),
        Stage("count", count, "AB", direct=count_directly),
        Stage("weigh", weigh, "CDE", weigh_setting),
        Stage("scale", scale, "F"),
        Stage("compare", compare),
        Stage("rank", rank),
    ),
    metric=Metric("NDCG_at_10", ndcg, second_metrics.ndcg),
    form=PredictionForm(
        "the ten best documents of every query", rankings_fingerprint, tolerance=0.01, utility_tolerance=0.01
    ),
)
