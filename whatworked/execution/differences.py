"""How a recomputed record compares with the one in the reference table."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from whatworked.declaration.fingerprint import PredictionForm
from whatworked.execution.assembly import machine_facts
from whatworked.references.index import MACHINE
from whatworked.references.schema import Header, Row
from whatworked.statistics.agreement import Verdict
from whatworked.workers.software import PACKAGES, Maker

SCALE_TOLERANCE = 1e-9
"""Relative difference of two cost scales that is still rounding."""

SCORE_ROUNDING = 1e-12
"""Difference of two scores of the same prediction that is still rounding, relative where they exceed 1: sums of other
processors part in their last digits."""

VERDICTS = (Verdict.IDENTICAL, Verdict.EQUAL, Verdict.DIFFERENT, Verdict.FAILED)
"""Same in every field; same up to the family's tolerance; neither; the configuration raised an error."""


@dataclass(frozen=True)
class RecordVerdict:
    """One record's comparison.

    Attributes
    ----------
    mask : str
        Which configuration.
    verdict : Verdict
        One of `VERDICTS`.
    detail : str
        What is not the same; empty for identical records.
    """

    mask: str
    verdict: Verdict
    detail: str = ""


def compare_rows(kept: Row, found: Row, form: PredictionForm) -> RecordVerdict:
    """Compare a record of the table with the recomputed one, field by field.

    Parameters
    ----------
    kept, found : Row
        The table's row, and the recomputed one of the same mask.
    form : PredictionForm
        Tolerances of the family: two records of different predictions are equal if their utilities are within its
        `utility_tolerance`, their native values as near as that makes them, and their fingerprints within its
        `tolerance`. Those of the same prediction are equal only if all their scores are, too: then nothing but the sums
        of the metric can have rounded otherwise.
    """
    if kept == found:
        return RecordVerdict(kept.mask, Verdict.IDENTICAL)
    notes = list(_differences(kept, found))
    scores = _same_scores if kept.prediction == found.prediction else _close_scores
    equal = scores(kept, found, form) and form.close(kept.fingerprint, found.fingerprint)
    return RecordVerdict(kept.mask, Verdict.EQUAL if equal else Verdict.DIFFERENT, "; ".join(notes))


def _same_scores(kept: Row, found: Row, form: PredictionForm) -> bool:
    """Whether two records of one prediction have the same scores; its family's tolerances do not matter."""
    del form
    if kept.sensitivity.keys() != found.sensitivity.keys():
        return False
    pairs = [(kept.utility, found.utility), (kept.native, found.native)]
    pairs += [(value, found.sensitivity[name]) for name, value in kept.sensitivity.items()]
    return all(math.isclose(left, right, rel_tol=SCORE_ROUNDING, abs_tol=SCORE_ROUNDING) for left, right in pairs)


def _close_scores(kept: Row, found: Row, form: PredictionForm) -> bool:
    """Whether utilities are within the tolerance of the family, and native values where such utilities put them.

    For u = 1 / (1 + c / s) a change of u by t changes c by c t / (u (1 - u)) in the first order; a native value that is
    the utility itself changes by t.
    """
    allowed = form.utility_tolerance
    spread = found.utility * (1.0 - found.utility)
    room = allowed * max(1.0, abs(found.native) / spread if spread > 0.0 else abs(found.native))
    return abs(kept.utility - found.utility) <= allowed and abs(kept.native - found.native) <= 2.0 * room


def _differences(kept: Row, found: Row) -> Iterator[str]:
    if kept.utility != found.utility:
        yield f"utility {kept.utility!r} in the table, {found.utility!r} now ({found.utility - kept.utility:+.3g})"
    if kept.native != found.native:
        yield f"native value {kept.native!r} in the table, {found.native!r} now"
    if kept.prediction != found.prediction:
        yield "another prediction"
    elif kept.fingerprint != found.fingerprint:
        yield "another fingerprint of the same prediction"
    if kept.warnings != found.warnings:
        yield f"warnings {_named(kept.warnings)} in the table, {_named(found.warnings)} now"
    for name in sorted(kept.sensitivity.keys() | found.sensitivity.keys()):
        before, now = kept.sensitivity.get(name), found.sensitivity.get(name)
        if before != now:
            yield f"{name} {before!r} in the table, {now!r} now"


def header_differences(kept: Header, found: Header) -> tuple[str, ...]:
    """Where the header of a table differs from the one that a rebuild would write, a phrase each.

    Parameters
    ----------
    kept, found : Header
        The table's header, and the one written now. Cost scales may differ by rounding.
    """
    names = ("condition", "family", "source", "metric", "unit")
    pairs = [(name, getattr(kept, name), getattr(found, name)) for name in names]
    if not _same_scale(kept.cost_scale, found.cost_scale):
        pairs.append(("cost scale", kept.cost_scale, found.cost_scale))
    notes = [f"{what} {before!r} in the table, {now!r} now" for what, before, now in pairs if before != now]
    if changed := [now.letter for before, now in zip(kept.options, found.options, strict=False) if before != now]:
        notes.append(f"another text for option {', '.join(changed)}")
    return tuple(notes)


def _same_scale(kept: float | None, found: float | None) -> bool:
    if kept is None or found is None:
        return kept is found
    return math.isclose(kept, found, rel_tol=SCALE_TOLERANCE)


def _named(warnings: tuple[str, ...]) -> str:
    return ", ".join(warnings) or "none"


def explanations(made: Maker, here: Maker, folder: Path) -> tuple[str, ...]:
    """Differences in software and processor that may explain different records, the likeliest first.

    Parameters
    ----------
    made, here : Maker
        What made the table, and what recomputed it.
    folder : Path
        Folder of the table, for the facts of the machine that made it.
    """
    pairs = [
        ("architecture", made.profile.architecture, here.profile.architecture),
        # A package of another version brings other code and, with numpy and scipy, a BLAS of its own: it comes first.
        ("Python", made.python, here.python),
        *_package_pairs(made.packages, here.packages),
        ("vector features", _words(made.profile.vector_features), _words(here.profile.vector_features)),
        ("BLAS", _words(made.profile.blas), _words(here.profile.blas)),
        ("threads", str(made.profile.threads), str(here.profile.threads)),
        *_machine_pairs(folder),
    ]
    return tuple(f"{what} was {before}, is {now}" for what, before, now in pairs if before != now)


def _package_pairs(made: dict[str, str], here: dict[str, str]) -> list[tuple[str, str, str]]:
    names = dict.fromkeys((*PACKAGES, *made, *here))
    return [
        (name, made.get(name, "absent"), here.get(name, "absent")) for name in names if name in made or name in here
    ]


def _machine_pairs(folder: Path) -> list[tuple[str, str, str]]:
    """Facts that the index leaves out; a folder without them, or with unreadable ones, explains nothing."""
    try:
        made: Any = msgspec.json.decode((folder / MACHINE).read_bytes())
    except (OSError, msgspec.DecodeError):
        return []
    here = machine_facts()
    return [(name, str(made.get(name)), str(here[name])) for name in ("processor", "libc", "system") if name in made]


def _words(values: tuple[str, ...]) -> str:
    return ", ".join(values) or platform.machine()
