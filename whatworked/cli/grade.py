"""``whatworked grade``: one prediction table against the reference table of its condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.cli.surfaces import labelled_surface, references_option
from whatworked.errors import InvalidArtifactError, InvalidMaskError, WhatWorkedError
from whatworked.wording import counted, fixed

if TYPE_CHECKING:
    from whatworked.grading.floor import GradeAboveFloor
    from whatworked.grading.grader import Grade
    from whatworked.surfaces.exports import LabelledSurface
    from whatworked.surfaces.masks import FloatArray

Read = TypeVar("Read")

_LONGEST_SHOWN = 60
_FEW_CONTAINERS = 1000
"""Arrays and objects that a file of masks may have, a wrong one included; a right one has a single array."""


@click.command()
@click.argument("condition")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--observed",
    metavar="MASKS|FILE",
    default="",
    help="What was measured besides the two anchors: masks separated by commas, or a file with them [nothing].",
)
@click.option(
    "--noise",
    type=float,
    metavar="SD",
    help="Also grade above the floor of a noisy table: the standard deviation of one of its cells, in utilities.",
)
@references_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def grade(condition: str, file: Path, observed: str, noise: float | None, where: Path | None, as_json: bool) -> None:
    """Grade the prediction table in FILE against the reference table of CONDITION.

    FILE holds one JSON object from each mask to a number in [0, 1]; every error in it is reported at once.
    The two anchors, no option on and all options on, are always among the measured masks, since they are free.
    Measured cells of the prediction are replaced by the true values before it is graded. FILE and --observed name
    files, never standard input; a file of masks separates them by commas or white space, or is a JSON array.

    Examples: whatworked grade wine mine.json; whatworked grade wine mine.json --observed 0100,1000
    """
    from whatworked.grading.floor import grade_above_floor
    from whatworked.grading.grader import grade as graded
    from whatworked.surfaces.masks import as_strings

    labelled = labelled_surface(condition, where)
    problems: list[WhatWorkedError] = []
    table = _kept(lambda: _table(file, labelled.surface.d), problems)
    ranks = _kept(lambda: _measured(observed, labelled.surface.d), problems)
    if table is None or ranks is None:
        raise problems[0] if len(problems) == 1 else InvalidArtifactError("; ".join(map(str, problems)))
    masks, result = as_strings(ranks, labelled.surface.d), graded(labelled.surface, table, ranks)
    filled = _measured_over(table, labelled, ranks)
    above = None if noise is None else grade_above_floor(labelled.surface, filled, noise)
    if as_json:
        unit = labelled.surface.native_unit if labelled.surface.utility_map is not None else None
        printed = {
            "condition": condition,
            "observed_masks": list(masks),
            "native_unit": unit,
            "grade": result.to_dict(),
        }
        print_json(printed if above is None else printed | {"above_noise": asdict(above)})
    else:
        _print_grade(labelled, masks, result)
        if above is not None:
            echo(f"\nAbove the floor that noise of {noise:g} sets")
            print_table(list(_floor_rows(above)), right=(1,))


def _measured_over(table: FloatArray, labelled: LabelledSurface, ranks: Sequence[int]) -> FloatArray:
    """The prediction with the measured cells in place, as the other figures grade it."""
    filled = table.copy()
    filled[list(ranks)] = labelled.surface.utilities[list(ranks)]
    return filled


def _kept(read: Callable[[], Read], problems: list[WhatWorkedError]) -> Read | None:
    """What `read` returns; None where it refuses, with the error added to `problems`."""
    try:
        return read()
    except WhatWorkedError as error:
        problems.append(error)
        return None


def _table(file: Path, d: int) -> FloatArray:
    from whatworked.grading.artifact import read_artifact

    content = _content(file, d)
    try:
        return read_artifact(content, d)
    except InvalidArtifactError as error:
        raise InvalidArtifactError(f"{file}: {error}") from error


def _content(file: Path, d: int) -> bytes:
    from whatworked.grading.artifact import longest
    from whatworked.storage.files import read_start

    if str(file) == "-" and not file.exists():
        raise InvalidArtifactError("standard input is not read, and there is no file called -; give the name of a file")
    content = read_start(file, longest(d))
    if len(content) > longest(d):
        raise InvalidArtifactError(f"{file} has more than the {longest(d)} bytes that {1 << d} masks need at most")
    return content


def _measured(observed: str, d: int) -> list[int]:
    """Ranks of the measured masks in ascending order, the anchors included."""
    from whatworked.surfaces.masks import anchors, mask_ranks

    if observed.strip() and not observed.strip(", \t"):
        raise InvalidMaskError(
            f"--observed is {observed!r}, which holds no mask; give masks separated by commas, or leave it out"
        )
    masks, place = (observed, "") if not observed.strip("01, \t") else (_masks_in(observed, d), f" in {observed}")
    try:
        ranks = mask_ranks(masks.replace(",", " ").split() if isinstance(masks, str) else masks, d)
    except InvalidMaskError as error:
        raise InvalidMaskError(f"--observed{place}: {error}") from error
    return sorted({*anchors(d), *ranks.tolist()})


def _masks_in(file: str, d: int) -> str | list[str]:
    """Content of a file of masks: plain text, or the strings of a JSON array."""
    import json

    from whatworked.storage.json_text import check_amount

    if not _is_there(file):
        shown = file if len(file) <= _LONGEST_SHOWN else f"{file[:_LONGEST_SHOWN]}…"
        raise InvalidMaskError(
            f"--observed is {shown!r}, neither masks (of 0 and 1, separated by commas) nor a file; "
            "give one or the other"
        )
    text = _content(Path(file), d).decode("utf-8", errors="replace")
    if not text.lstrip().startswith(("[", "{")):
        return text
    try:
        check_amount(text.encode(), _FEW_CONTAINERS, 2 << d)
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidMaskError(f"--observed in {file}: the text is not JSON ({error})") from error
    if not isinstance(content, list):
        raise InvalidMaskError(f"--observed in {file}: the text is JSON but not an array; give an array of masks")
    return content


def _is_there(file: str) -> bool:
    """Whether a text names a file; one too long for a name, of many masks and a slip, does not."""
    try:
        return Path(file).exists()
    except OSError:
        return False


def _print_grade(labelled: LabelledSurface, masks: Sequence[str], result: Grade) -> None:
    surface = labelled.surface
    print_text(f"{surface.name}: {labelled.family}, source {labelled.source}, {counted(surface.d, 'option')}")
    print_text(f"{len(masks)} of {1 << surface.d} masks measured, the anchors included: {', '.join(masks)}\n", indent=2)
    print_table(
        [*_effect_rows(result), *_choice_rows(result, surface.best), *_native_rows(labelled, result)], right=(1,)
    )
    echo("\nStrict by tolerance")
    print_table(list(_profile_rows(result)), right=(0, 1))


def _effect_rows(result: Grade) -> list[tuple[str, str, str]]:
    return [
        ("effect recovery", _number(result.effect_recovery), "R = max(0, 1 - E / A)"),
        ("effect mae", _number(result.effect_mae), "E, mean |error| of the conditional effects"),
        ("mean absolute effect", _number(result.mean_absolute_effect), "A, of the truth"),
        ("max effect error", _number(result.max_effect_error), "largest |error| of a conditional effect"),
        ("strict", _said(result.strict), "max effect error at most 0.1 of the utility range"),
        ("utility range", _number(result.utility_range), "of the truth"),
        ("coverage", _number(result.coverage), "c, share of effects with both ends measured"),
        ("effect mae unobserved", _number(result.effect_mae_unobserved), "E_U, over the other effects"),
        ("effect ratio unobserved", _number(result.effect_ratio_unobserved), "Q_U = E_U / A"),
        ("interaction mae", _number(result.interaction_mae), "mean |error| of the mean pair interactions"),
        ("grid mae", _number(result.grid_mae), "mean |error| of all cells"),
        ("grid mae unobserved", _number(result.grid_mae_unobserved), "over the cells not measured"),
    ]


def _choice_rows(result: Grade, best: str) -> list[tuple[str, str, str]]:
    near = "regret at most 0.02"
    if result.near_optimal_vacuous:
        near += "; true of every choice here, since the whole range is below 0.02"
    return [
        ("selected", result.selected or "-", f"largest predicted utility; the best mask is {best}"),
        ("regret", _number(result.regret), "best utility minus that of the selected mask"),
        ("exact", _said(result.exact), "regret at most 1e-12"),
        ("near optimal", _said(result.near_optimal), near),
    ]


def _native_rows(labelled: LabelledSurface, result: Grade) -> list[tuple[str, str, str]]:
    if labelled.surface.utility_map is None:
        return [("native effect recovery", "-", "undefined: the metric is the utility itself")]
    unit = f"in {labelled.surface.native_unit}" if labelled.surface.native_unit else "in the unit of the cost"
    unbounded = "cells predicted at utility 0 or next to it, an infinite cost"
    if result.native_unbounded:
        unbounded += ": E is undefined and R is 0"
    return [
        ("native effect recovery", _number(result.native_effect_recovery), "R of the costs"),
        ("native effect mae", _size(result.native_effect_mae), f"E of the costs, {unit}"),
        ("native mean absolute effect", _size(result.native_mean_absolute_effect), f"A of the costs, {unit}"),
        ("native unbounded", str(result.native_unbounded), unbounded),
    ]


def _profile_rows(result: Grade) -> Iterator[tuple[str, str, str]]:
    from whatworked.grading.grades import ZERO

    yield "share of range", "error allowed", "strict"
    for tolerance, passed in result.strict_profile.items():
        yield tolerance, _number(max(ZERO, float(tolerance) * result.utility_range)), _said(passed)


def _floor_rows(above: GradeAboveFloor) -> Iterator[tuple[str, str, str]]:
    yield "floor", _number(above.floor), "difference of two cells that noise alone exceeds one time in ten"
    yield "effects above it", str(above.effects), "of the table; what is below is neither rewarded nor punished"
    yield "effect recovery above it", _number(above.effect_recovery), "- where no effect exceeds the floor"
    yield "regret above it", _number(above.regret), "best utility minus that of the selected mask, less the floor"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return fixed(value, 6) if value == 0 or abs(value) >= 1e-6 else f"{value:.1e}"


def _size(value: float | None) -> str:
    """A number of any size, in the unit of a cost."""
    return "-" if value is None else f"{value:.6g}"


def _said(passed: bool) -> str:
    return "yes" if passed else "no"
