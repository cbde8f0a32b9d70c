"""One canonical form of JSON values, and digests of it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

_SURROGATES = re.compile("[\ud800-\udfff]")


def canonical_json(value: Any) -> bytes:
    """Compact, key-sorted UTF-8 JSON; NaN and infinities raise ValueError.

    Examples
    --------
    >>> canonical_json({"b": 1, "a": "é"}).decode()
    '{"a":"é","b":1}'
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def sha256(data: bytes | memoryview) -> str:
    """SHA-256 of `data` in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def encodable(text: str) -> str:
    r"""A text that UTF-8 can hold: half of a surrogate pair, which is no character, becomes U+FFFD.

    Examples
    --------
    >>> encodable("a\ud800") == "a\ufffd"
    True
    """
    return _SURROGATES.sub("\ufffd", text)
