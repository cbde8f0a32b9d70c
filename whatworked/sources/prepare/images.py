"""Images: grey first, then smaller, then noisy."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from whatworked.catalog.manifest_layout import ImagePreparation, Manifest
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawImage
from whatworked.surfaces.masks import FloatArray

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "PPM", "WEBP")
"""Formats that are read. Pillow knows others, some of which run programs or choose one of several pictures."""

MOST_PIXELS = 50_000_000
"""Pixels that a picture may have before it is shrunk; its header says how many, so that no more are ever unpacked."""

_EIGHT_BITS = ("1", "L", "P", "RGB", "LA", "PA", "RGBA")
"""Modes whose values are 0 to 255, or two-valued."""

_SIXTEEN_BITS = {("I;16", "I;16"), ("I;16", "I;16B"), ("I;16B", "I;16B"), ("I;16L", "I;16"), ("I", "I;16B")}
"""Modes and raw modes of grey pictures whose values are 0 to 65535."""


def prepare_image(manifest: Manifest, how: ImagePreparation, raw: RawImage) -> PreparedInput:
    """`clean` and `noisy` of shape (rows, columns) in [0, 1].

    Grey conversion comes before shrinking: the other order gives other pixels. A fresh generator makes the noise of
    each image. A picture is turned as its EXIF orientation says.

    Raises
    ------
    RawDataError
        If Pillow cannot decode the picture, it is larger than `MOST_PIXELS`, or its values have no one reading as grey:
        several frames, transparent pixels, CMYK, 32-bit integers or floats, more than 8 bits a colour.
    """
    clean = _grey(raw, how.side)
    noise = np.random.default_rng(how.seed).normal(0.0, how.noise, clean.shape)
    noisy = np.clip(clean + noise, 0.0, 1.0)
    return PreparedInput(manifest.id, manifest.family, {"clean": clean, "noisy": noisy}, {})


def _grey(raw: RawImage, side: int) -> FloatArray:
    with _decoding(raw) as picture:
        _check_layout(picture, raw.origin)
        deep = _is_deep(picture)
        picture.load()
        if deep:
            return _deep_grey(picture, side)
        _check_opaque(picture, raw.origin)
        return _eight_bit_grey(picture, side)


@contextmanager
def _decoding(raw: RawImage) -> Iterator[Image]:
    """The opened picture; whatever Pillow raises on it is a `RawDataError`."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # we have a bound of our own
            with Image.open(io.BytesIO(raw.data), formats=FORMATS) as picture:
                yield picture
    except RawDataError:
        raise
    except Image.DecompressionBombError as error:  # far beyond our bound, noticed before we can look
        raise RawDataError(
            f"{raw.origin}: its header says more pixels than the {MOST_PIXELS:,} that are unpacked at most; "
            f"write a smaller one ({error})"
        ) from error
    except UnidentifiedImageError as error:
        raise RawDataError(f"{raw.origin}: Pillow cannot decode it as any of {', '.join(FORMATS)}") from error
    except Exception as error:  # decoders raise whatever they met
        raise RawDataError(f"{raw.origin}: Pillow cannot decode it: {type(error).__name__}: {error}") from error


def _check_layout(picture: Image, origin: str) -> None:
    """Refuse by what the header says, before any pixel is unpacked."""
    columns, rows = picture.size
    if columns * rows > MOST_PIXELS:
        raise RawDataError(
            f"{origin}: {columns} x {rows} pixels, at most {MOST_PIXELS:,} are unpacked; write a smaller one"
        )
    frames = getattr(picture, "n_frames", 1)
    if frames != 1:
        raise RawDataError(f"{origin}: {frames} frames or pages; save the one that is meant")
    if not _is_deep(picture) and (picture.mode not in _EIGHT_BITS or _is_cut(picture) or _is_signed(picture)):
        bits = " of more than 8 bits a colour" if _is_cut(picture) else ""
        raise RawDataError(
            f"{origin}: a picture of mode {picture.mode!r}{bits} has no one reading as grey; save it as 8-bit grey, "
            "8-bit RGB or 16-bit grey"
        )
    if _is_deep(picture) and "transparency" in picture.info:
        raise RawDataError(f"{origin}: one of its 16-bit values is transparent; save it without transparency")


def _stored(picture: Image) -> tuple[Any, ...]:
    """How values are stored in the file, as Pillow tells its decoder: the raw mode first."""
    tiles: Any = getattr(picture, "tile", None)
    arguments = tiles[0][3] if tiles else None
    return arguments if isinstance(arguments, tuple) and arguments else (str(arguments or ""),)


def _is_cut(picture: Image) -> bool:
    """Whether Pillow would keep 8 of more bits."""
    raw_mode, *more = _stored(picture)
    return ";16" in str(raw_mode) or (
        picture.format == "PPM" and any(isinstance(most, int) and most > 255 for most in more)
    )


def _is_signed(picture: Image) -> bool:
    """Whether a TIFF holds signed values, which Pillow takes for unsigned ones if they have 8 bits."""
    kinds = _tiff_tag(picture, 339)
    return bool(set(kinds if isinstance(kinds, tuple) else (kinds,)) - {None, 1})


def _is_deep(picture: Image) -> bool:
    """Whether it is grey of 16 bits, black being 0."""
    if picture.format == "PPM":
        return picture.mode == "I"  # Pillow brings any maximum above 255 to 65535
    known = (picture.mode, str(_stored(picture)[0])) in _SIXTEEN_BITS
    return known and picture.format in ("PNG", "TIFF") and _tiff_tag(picture, 262) != 0 and not _is_signed(picture)


def _tiff_tag(picture: Image, number: int) -> Any:
    """A tag of a TIFF; None where there is none, as in any other format."""
    return getattr(picture, "tag_v2", {}).get(number) if picture.format == "TIFF" else None


def _check_opaque(picture: Image, origin: str) -> None:
    if "transparency" not in picture.info and picture.mode not in ("LA", "PA", "RGBA"):
        return
    alpha = np.asarray(picture.convert("RGBA").getchannel("A"))
    if alpha.min() < 255:
        row, column = np.argwhere(alpha < 255)[0] + 1
        raise RawDataError(
            f"{origin}: pixel in row {row}, column {column} is transparent, so that its grey depends on what is behind "
            "it; save it without transparency"
        )


def _eight_bit_grey(picture: Image, side: int) -> FloatArray:
    from PIL import Image, ImageOps

    grey = ImageOps.exif_transpose(picture).convert("L")
    grey.thumbnail((side, side), Image.Resampling.LANCZOS)
    return np.asarray(grey, dtype=np.float64) / 255.0


def _deep_grey(picture: Image, side: int) -> FloatArray:
    """As for 8 bits, in floats all along: nothing is rounded, and what shrinking overshoots is cut."""
    from PIL import Image, ImageOps

    values = np.asarray(ImageOps.exif_transpose(picture), dtype=np.float32) / np.float32(65535)
    grey = Image.fromarray(values)
    grey.thumbnail((side, side), Image.Resampling.LANCZOS)
    return np.clip(np.asarray(grey, dtype=np.float64), 0.0, 1.0)
