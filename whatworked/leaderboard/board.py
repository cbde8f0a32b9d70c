"""The leaderboard: verified submissions side by side, by track and budget."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from whatworked.arguments import path as as_path
from whatworked.catalog.tracks import TRACKS, experienced, without_experience
from whatworked.comparing.summary import grouped, measurements, standings
from whatworked.errors import RunError, StorageError
from whatworked.grading.score import PRIMARY, Score, score_named
from whatworked.leaderboard.agents import (
    AGENTS_SUFFIX,
    LARGEST,
    AgentRows,
    unpack_episodes,
    verified_episodes,
)
from whatworked.leaderboard.packing import SUFFIX, off_leaderboard, read_packed
from whatworked.leaderboard.verification import unverifiable, verified
from whatworked.runs.description import to_json
from whatworked.runs.folder import Run, pretty
from whatworked.runs.tidy import TidyRow
from whatworked.statistics.bootstrap import macro_interval
from whatworked.storage.files import read_file, storage_errors
from whatworked.wording import counted, first_few

BOARD = "leaderboard.json"


class LeaderboardEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One method of a submission under one budget on a whole track.

    Attributes
    ----------
    track, method, submission : str
    budget : int
    rules : bool
        Whether the run handed out code-equivalence classes.
    recovery : float
        Family-macro recovery, or the mean of another `metric`.
    low, high : float or None
        Its 95 % bootstrap interval; None for a single record.
    strict, exact : float
        Number of sources, seeds averaged.
    sources, missing : int
        Number of sources; of missing deliveries.
    families : dict of str to float
        Recovery by family.
    digest : str
        Digest of the submission.
    metric : str, optional
        What `recovery` holds instead, on a board that was made for another metric.
    """

    track: str
    budget: int
    rules: bool
    method: str
    submission: str
    recovery: float
    low: float | None
    high: float | None
    strict: float
    exact: float
    sources: int
    missing: int
    families: dict[str, float]
    digest: str
    metric: str | msgspec.UnsetType = msgspec.UNSET


class _Board(msgspec.Struct, frozen=True):
    """The file of the leaderboard."""

    entries: tuple[LeaderboardEntry, ...]


def entries_of(run: Run, digest: str, score: Score = PRIMARY) -> list[LeaderboardEntry]:
    """Entries of a verified run: the tracks it covers whole, the budgets that leave something to infer.

    Records whose grade has no such score are left out.
    """
    whole = _whole_tracks(run.description.by_condition)
    if run.description.experience:
        whole = {experienced(track) for track in whole}
    return _entries(run.rows(), run.description.rules, run.name, digest, lambda _: whole, score)


def agent_entries(agents: AgentRows, score: Score = PRIMARY) -> list[LeaderboardEntry]:
    """Entries of verified episodes: of each player the tracks that it played whole under a budget."""
    entries = []
    for rules in (False, True):
        rows = [row for row, given in zip(agents.rows, agents.rules, strict=True) if given is rules]

        def whole(members: Sequence[TidyRow]) -> set[str]:
            return _whole_tracks({row.condition for row in members})

        entries += _entries(rows, rules, agents.name, agents.digest, whole, score)
    return entries


def _entries(
    every: Sequence[TidyRow],
    rules: bool,
    name: str,
    digest: str,
    whole: Callable[[Sequence[TidyRow]], set[str]],
    score: Score,
) -> list[LeaderboardEntry]:
    rows = [row for row in every if score.of(row.grade) is not None]
    groups = grouped(rows)
    entries = []
    for standing in standings(rows, score):
        members = groups[standing.track, standing.budget, standing.method]
        if standing.track not in whole(members) or standing.budget >= max(row.largest_budget for row in members):
            continue
        interval = macro_interval(measurements(members, score.of))
        entries.append(
            LeaderboardEntry(
                track=standing.track,
                budget=standing.budget,
                rules=rules,
                method=standing.method,
                submission=name,
                recovery=interval.estimate,
                low=interval.low,
                high=interval.high,
                strict=standing.strict,
                exact=standing.exact,
                sources=standing.sources,
                missing=standing.missing,
                families=dict(standing.families),
                digest=digest,
                metric=msgspec.UNSET if score == PRIMARY else score.quantity,
            )
        )
    return entries


def board_of(folder: Path | str, score: Score = PRIMARY) -> list[LeaderboardEntry]:
    """Entries of all packed runs and packed episodes in a folder, each verified, by one score.

    Raises
    ------
    RunError
        If one of them is refused or was made on other reference tables than the package's, or two bear one name.
    StorageError
        If there is no such folder.
    """
    folder, score = as_path(folder, "folder of packed runs"), score_named(score)
    if not os.path.isdir(folder):  # noqa: PTH112 - the method raises for names that no system takes
        raise StorageError(f"{folder} is no folder; give the one that holds the packed runs (files ending in {SUFFIX})")
    entries: list[LeaderboardEntry] = []
    names: Counter[str] = Counter()
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        submission = read_packed(path)
        names[submission.name] += 1
        if off := off_leaderboard(submission.plan):
            raise RunError(
                f"{path} cannot stand on the leaderboard: it takes only conditions of the catalog, on the package's "
                f"tables, and so not {first_few(off)}; take the file out of the folder, or pack a run without them"
            )
        if unknown := unverifiable(submission.plan):
            raise RunError(
                f"{path} cannot stand on the leaderboard: {'; '.join(unknown)}; take the file out of the folder, and "
                "run it again with plug-ins given as texts (module:Name, ./file.py:Name)"
            )
        entries += entries_of(verified(submission), submission.digest, score)
    for path in sorted(folder.glob(f"*{AGENTS_SUFFIX}")):
        with storage_errors(path, "read"):
            pack = unpack_episodes(read_file(path, LARGEST), str(path))
        names[pack.name] += 1
        entries += agent_entries(verified_episodes(pack), score)
    if repeated := [name for name, count in names.items() if count > 1]:
        raise RunError(f"{folder} holds several runs called {', '.join(repeated)}; give each its own name")
    return ranked(entries, score)


def why_empty(folder: Path) -> str:
    """Why the packs of a folder, all of them valid, give no entry."""
    packs = [path.name for suffix in (SUFFIX, AGENTS_SUFFIX) for path in folder.glob(f"*{suffix}")]
    if not packs:
        return f"{folder} holds no packed runs (*{SUFFIX}) and no packed episodes (*{AGENTS_SUFFIX})"
    return (
        f"{counted(len(packs), 'pack')} in {folder} verified ({first_few(sorted(packs), 3)}), but an entry needs all "
        f"conditions of a track ({', '.join(TRACKS)}) by one method or player under one budget that leaves something "
        "to infer"
    )


def ranked(entries: Iterable[LeaderboardEntry], score: Score = PRIMARY) -> list[LeaderboardEntry]:
    """By track, budget, without and with rules, then from the best value of the score on."""
    return sorted(
        entries,
        key=lambda entry: (
            _track_rank(entry.track),
            entry.budget,
            entry.rules,
            -round(score.gain(entry.recovery), 9),
            entry.method,
            entry.submission,
        ),
    )


def _track_rank(track: str) -> int:
    """Tracks in the order of the catalog, each before the same one with experience."""
    plain = without_experience(track)
    tracks: tuple[str, ...] = TRACKS
    return 2 * (tracks.index(plain) if plain in tracks else len(tracks)) + (plain != track)


def encode_board(entries: Sequence[LeaderboardEntry]) -> bytes:
    """The leaderboard as a file: numbers to nine decimals, so that it is the same on every machine."""
    return pretty(_rounded(to_json(_Board(tuple(entries)))))


def recorded_board(score: Score = PRIMARY) -> list[LeaderboardEntry]:
    """The leaderboard that comes with the package; for another score, made anew from its packed runs."""
    from importlib.resources import files

    score = score_named(score)
    if score != PRIMARY:
        return board_of(Path(str(files("whatworked.results"))), score)
    path = files("whatworked.results") / BOARD
    if not path.is_file():
        return []
    return decode_board(path.read_bytes())


def decode_board(data: bytes) -> list[LeaderboardEntry]:
    """Entries of the file of a leaderboard."""
    return list(msgspec.json.decode(data, type=_Board).entries)


def is_board(data: bytes) -> bool:
    """Whether a file is that of a leaderboard, whatever version wrote it."""
    try:
        content = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(content, dict) and list(content) == ["entries"] and isinstance(content["entries"], list)


def _whole_tracks(names: Collection[str]) -> set[str]:
    """Tracks of the catalog of which every condition is among some names."""
    from whatworked import catalog

    wanted: dict[str, set[str]] = {}
    for condition in catalog.conditions():
        wanted.setdefault(condition.track, set()).add(condition.id)
    return {track for track, members in wanted.items() if members <= set(names)}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(inner) for inner in value]
    return round(value, 9) if isinstance(value, float) else value
