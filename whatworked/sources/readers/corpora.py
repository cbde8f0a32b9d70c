"""Retrieval corpora in BEIR's layout."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from whatworked.catalog.manifest_layout import BeirReader
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawBytes, RawCorpus
from whatworked.sources.readers import named
from whatworked.wording import first_few


def read_beir(reader: BeirReader, files: Mapping[str, RawBytes]) -> RawCorpus:
    """Documents (title, one space, text), and the queries that the qrels file names with a positive score.

    Parameters
    ----------
    reader : BeirReader
        Without options.
    files : mapping of str to RawBytes
        ``corpus.jsonl``, ``queries.jsonl`` and one file whose name starts with ``qrels/``.

    Raises
    ------
    RawDataError
        If one of the files is not there, a line is no JSON object with the needed keys, or the qrels name an unknown
        query.
    """
    del reader
    qrels = named(files, "qrels/")
    documents = {
        row["_id"]: f"{row['title']} {row['text']}"
        for row in json_lines(named(files, "corpus.jsonl"), ("_id", "title", "text"))
    }
    texts = {row["_id"]: row["text"] for row in json_lines(named(files, "queries.jsonl"), ("_id", "text"))}
    relevant: dict[str, list[str]] = {}
    for query, document in _judgements(qrels):
        relevant.setdefault(query, []).append(document)
    unknown = sorted(set(relevant) - set(texts))
    if unknown:
        raise RawDataError(f"{qrels.origin}: unknown queries {first_few(unknown)}")
    return RawCorpus(documents, {query: texts[query] for query in relevant}, relevant, qrels.origin)


def json_lines(raw: RawBytes, keys: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Objects of a JSON-lines file; `RawDataError` names the line that is no object with text under all `keys`."""
    for number, line in enumerate(raw.data.decode("utf-8").split("\n"), start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise RawDataError(f"{raw.origin}: line {number} is not JSON: {error}") from error
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in keys):
            raise RawDataError(f"{raw.origin}: line {number} lacks one of {', '.join(keys)}")
        yield row


def _judgements(raw: RawBytes) -> Iterator[tuple[str, str]]:
    lines = raw.data.decode("utf-8").splitlines()
    for number, line in enumerate(lines[1:], start=2):
        parts = line.split("\t")
        if len(parts) != 3 or not parts[2].strip().lstrip("-").isdigit():
            raise RawDataError(f"{raw.origin}: line {number} is not query, document and score separated by tabs")
        if int(parts[2]) > 0:
            yield parts[0], parts[1]
