"""Fences around quoted material: marks that the material cannot hold, chosen from the material itself.

A mark is drawn from the digest of all that is quoted, so that the same material has the same mark everywhere, and a
text that copies a mark changes it. Should a text hold its own mark all the same, the next one is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from whatworked.storage.canonical import canonical_json, sha256

Material: TypeAlias = str | Sequence[tuple[str, str]]
"""What is quoted under one name: a text, or texts with labels."""

LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/|+-]{0,79}")
"""What a label of quoted material may look like; it stands in the fence itself."""

_DIGITS = 12


def mark_for(texts: Sequence[str]) -> str:
    """A mark that none of the texts holds, the same for the same texts.

    Examples
    --------
    >>> mark_for(["a text"]) == mark_for(["a text"]) != mark_for(["another"])
    True
    """
    digest = sha256(canonical_json([text.encode("utf-8", "surrogatepass").hex() for text in texts]))
    while any(digest[:_DIGITS] in text for text in texts):
        digest = sha256(digest.encode())
    return f"q-{digest[:_DIGITS]}"


def texts_of(fields: Mapping[str, Material]) -> list[str]:
    """All texts of some fields, in order."""
    found: list[str] = []
    for material in fields.values():
        found += [material] if isinstance(material, str) else [text for _, text in material]
    return found


def fenced(name: str, material: Material, mark: str) -> str:
    """Quoted material between its fences; the caller has seen to it that no text holds the mark."""
    if isinstance(material, str):
        return _block(name, material, mark)
    if not material:
        return f"(no {name})"
    return "\n".join(_block(f"{name} {label}", text, mark) for label, text in material)


def _block(title: str, text: str, mark: str) -> str:
    return f"<<{mark} {title}>>\n{text}\n<</{mark}>>"
