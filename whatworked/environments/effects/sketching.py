"""What a person at a terminal sees before each prompt: the cube with what was measured."""

from __future__ import annotations

from whatworked.environments.effects.state import EffectsState
from whatworked.surfaces.masks import mask_string, option_letters

_LARGEST = 8
"""Options up to which the cube fits a terminal."""
_CELL = 6


def sketch(state: EffectsState) -> str:
    """For up to 8 options the cube, rows by the first half of a mask's bits; above it the draft, if there is one.

    Parameters
    ----------
    state : EffectsState
        After the last call.
    """
    draft = [] if state.draft is None else [f"draft: {state.draft.form}"]
    return "\n".join([*draft, *(_cube(state) if state.d <= _LARGEST else ())])


def _cube(state: EffectsState) -> list[str]:
    known = dict(zip(state.measured, state.utilities, strict=True))
    rows_bits = state.d // 2
    columns_bits = state.d - rows_bits
    heads = [mask_string(column, columns_bits) for column in range(1 << columns_bits)]
    letters = option_letters(state.d)
    axes = [("rows", letters[:rows_bits]), ("columns", letters[rows_bits:])]
    lines = [", ".join(f"{axis} {' '.join(names)}" for axis, names in axes if names)]
    lines += [" " * (rows_bits + 1) + "".join(f"{head:>{_CELL}}" for head in heads)]
    for row in range(1 << rows_bits):
        ranks = range(row << columns_bits, (row + 1) << columns_bits)
        cells = [f"{known[rank]:.3f}" if rank in known else "." for rank in ranks]
        head = mask_string(row, rows_bits) if rows_bits else ""
        lines.append(f"{head} " + "".join(f"{cell:>{_CELL}}" for cell in cells))
    return lines
