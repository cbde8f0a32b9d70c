"""Experience as the folder of a campaign keeps it, so that the campaign goes on where the earlier ones have gone."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from whatworked.surfaces.experience import Experience, KnownSurface


class _Held(msgspec.Struct, forbid_unknown_fields=True):
    """A known surface as a campaign keeps it; null where nothing was measured."""

    source: str
    options: list[str]
    utilities: list[float | None]
    noise: float


def encode_experience(experience: Experience) -> bytes:
    """The surfaces as JSON, for the folder of a campaign."""
    held = [
        _Held(
            surface.source,
            list(surface.options),
            [None if np.isnan(value) else value for value in surface.utilities.tolist()],
            surface.noise,
        )
        for surface in experience
    ]
    return msgspec.json.encode(held) + b"\n"


def decode_experience(data: bytes, options: Sequence[str]) -> Experience:
    """The surfaces of `encode_experience`, about the same options; raises `msgspec.MsgspecError` for other content."""
    held = msgspec.json.decode(data, type=list[_Held])
    surfaces = (
        KnownSurface(
            one.source,
            tuple(one.options),
            np.array([np.nan if value is None else value for value in one.utilities]),
            one.noise,
        )
        for one in held
    )
    return Experience(tuple(options), tuple(surfaces))
