"""Retrieval: documents sorted by id, a cohort of queries chosen by digest."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from whatworked.catalog.manifest_layout import Manifest, RetrievalPreparation
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawCorpus
from whatworked.storage.canonical import sha256
from whatworked.wording import first_few


def prepare_retrieval(manifest: Manifest, how: RetrievalPreparation, raw: RawCorpus) -> PreparedInput:
    """Documents in string order of their ids, and the queries whose ids have the smallest SHA-256, in that order.

    With `exclude_copies` each query excludes the documents whose normalised text equals its own.

    Raises
    ------
    RawDataError
        If there are fewer eligible queries than wanted, or a relevant document is missing.
    """
    if len(raw.queries) < how.queries:
        raise RawDataError(f"{raw.origin}: {len(raw.queries)} eligible queries, {how.queries} are needed")
    ids = sorted(raw.documents)
    texts = [raw.documents[name] for name in ids]
    cohort = sorted(raw.queries, key=lambda name: sha256(name.encode("utf-8")))[: how.queries]
    queries = [raw.queries[name] for name in cohort]
    facts = {
        "documents": texts,
        "document_ids": ids,
        "queries": queries,
        "query_ids": cohort,
        "relevant": _relevant(raw, cohort, {name: index for index, name in enumerate(ids)}),
        "excluded": _copies(texts, queries) if how.exclude_copies else [[] for _ in cohort],
    }
    return PreparedInput(manifest.id, manifest.family, {}, facts)


def normalised(text: str) -> str:
    r"""NFKC, case folded, runs of white space as one space, none at the ends.

    Examples
    --------
    >>> normalised(" Straße\n\tﬁn ")
    'strasse fin'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _relevant(raw: RawCorpus, cohort: list[str], index: Mapping[str, int]) -> list[list[int]]:
    missing = [name for query in cohort for name in raw.relevant[query] if name not in index]
    if missing:
        raise RawDataError(f"{raw.origin}: relevant documents are missing from the corpus: {first_few(missing)}")
    return [sorted({index[name] for name in raw.relevant[query]}) for query in cohort]


def _copies(texts: list[str], queries: list[str]) -> list[list[int]]:
    places: dict[str, list[int]] = {}
    for position, text in enumerate(texts):
        places.setdefault(normalised(text), []).append(position)
    return [places.get(normalised(query), []) for query in queries]
