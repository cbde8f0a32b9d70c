"""Retrieval corpora in BEIR's layout."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whatworked.catalog.manifest_layout import BeirReader
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawBytes, RawCorpus
from whatworked.sources.readers import named
from whatworked.wording import first_few

_SCORE = re.compile(r"-?[0-9]+")


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
        If one of the files is not there, a line is no JSON object with the needed keys, an id stands twice or is not
        plain, a document or a judged query has no text, the qrels lack their header or contradict themselves, or they
        name an unknown query. The message names the line.
    """
    del reader
    qrels = named(files, "qrels/")
    corpus, questions = named(files, "corpus.jsonl"), named(files, "queries.jsonl")
    documents = texts_by_id(
        ((line, row["_id"], f"{row['title']} {row['text']}") for line, row in json_lines(corpus, (*_KEYS, "title"))),
        corpus.origin,
    )
    texts = texts_by_id(
        ((line, row["_id"], row["text"]) for line, row in json_lines(questions, _KEYS)), questions.origin
    )
    relevant = _relevant(qrels)
    unknown = sorted(set(relevant) - set(texts))
    if unknown:
        raise RawDataError(f"{qrels.origin}: unknown queries {first_few(unknown)}")
    require_text(documents, "document", corpus.origin)
    require_text({query: texts[query] for query in relevant}, "query", questions.origin)
    return RawCorpus(documents, {query: texts[query] for query in relevant}, relevant, qrels.origin)


_KEYS = ("_id", "text")


def json_lines(raw: RawBytes, keys: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line numbers and objects of a JSON-lines file.

    Raises
    ------
    RawDataError
        If a line is no object with text under all `keys`, or has a key twice; the message names it.
    """
    for number, line in enumerate(raw.data.decode("utf-8-sig").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except (ValueError, RecursionError) as error:
            raise RawDataError(f"{raw.origin}: line {number} is not JSON: {error}") from error
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in keys):
            raise RawDataError(f"{raw.origin}: line {number} lacks one of {', '.join(keys)}")
        if broken := next((key for key in keys if not _is_unicode(row[key])), None):
            raise RawDataError(
                f"{raw.origin}: line {number}: {broken} holds half of a surrogate pair, which is no text"
            )
        yield number, row


def texts_by_id(rows: Iterable[tuple[int, str, str]], origin: str) -> dict[str, str]:
    """Texts by id, from lines of a number, an id and a text.

    Raises
    ------
    RawDataError
        If an id stands twice, is empty, has white space at an end, or a character that cannot be printed.
    """
    texts: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line, name, text in rows:
        if not name or name != name.strip() or not name.isprintable():
            raise RawDataError(
                f"{origin}: line {line}: id {name!r} is empty, has white space at an end or cannot be printed"
            )
        if name in lines:
            raise RawDataError(
                f"{origin}: line {line}: id {name!r} stands twice, first in line {lines[name]}; keep one"
            )
        texts[name], lines[name] = text, line
    return texts


def require_text(texts: Mapping[str, str], what: str, origin: str) -> None:
    """`RawDataError` naming those of the ids that have no text but white space."""
    empty = [name for name, text in texts.items() if not text.strip()]
    if empty:
        raise RawDataError(f"{origin}: {what} without any text: {first_few(empty)}; leave it out everywhere")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return row


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _relevant(raw: RawBytes) -> dict[str, list[str]]:
    """Documents with a positive score by query; a judgement may stand twice if both say the same."""
    relevant: dict[str, list[str]] = {}
    said: dict[tuple[str, str], tuple[int, int]] = {}
    for line, query, document, score in _judgements(raw):
        before, first = said.setdefault((query, document), (score, line))
        if before != score:
            raise RawDataError(
                f"{raw.origin}: line {line}: query {query!r} and document {document!r} have score {score}, but "
                f"{before} in line {first}; keep one"
            )
        if score > 0 and first == line:
            relevant.setdefault(query, []).append(document)
    return relevant


def _judgements(raw: RawBytes) -> Iterator[tuple[int, str, str, int]]:
    """Line number, query, document and score, below a header line, for which no judgement is taken."""
    lines = raw.data.decode("utf-8-sig").removesuffix("\n").split("\n")
    if _SCORE.fullmatch(lines[0].split("\t")[-1].strip()):
        raise RawDataError(
            f"{raw.origin}: line 1 is a judgement; the header line query-id, corpus-id, score is missing"
        )
    for number, line in enumerate(lines[1:], start=2):
        parts = line.removesuffix("\r").split("\t")
        if len(parts) != 3 or not _SCORE.fullmatch(parts[2].strip()):
            raise RawDataError(f"{raw.origin}: line {number} is not query, document and score separated by tabs")
        yield number, parts[0], parts[1], int(parts[2])
