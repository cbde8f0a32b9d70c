"""Secrets in a record: taken out before anything is sent, and listed by kind and place, never by value."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from whatworked.judging.fences import Material
from whatworked.storage.canonical import encodable

_TOKEN = r"(?<![A-Za-z0-9_])(?:{})(?![A-Za-z0-9])"  # noqa: S105 - a pattern around tokens
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private key",
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?"
            r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
    ),
    ("password in a URL", re.compile(r"(?<=://)(?P<keep>[^\s/:@'\"<>]{0,100}:)[^\s/@'\"<>]{1,300}(?=@)")),
    ("bearer header", re.compile(r"(?P<keep>\b[Bb]earer[ \t]+)[A-Za-z0-9._~+/-]{8,}=*")),
    (
        "basic header",
        re.compile(r"(?P<keep>\b[Aa]uthorization['\"]?[ \t]*[:=][ \t]*['\"]?[Bb]asic[ \t]+)[A-Za-z0-9+/]{8,}=*"),
    ),
    (
        "netrc password",
        re.compile(
            r"(?P<keep>\bmachine\s{1,80}\S{1,200}\s{1,80}(?:login\s{1,80}\S{1,200}\s{1,80})?password\s{1,80})"
            r"(?!\[secret removed)\S+"
        ),
    ),
    ("OpenAI or Anthropic key", re.compile(_TOKEN.format(r"sk-(?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_-]{16,}"))),
    ("AWS access key", re.compile(_TOKEN.format(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"))),
    (
        "AWS secret key",
        re.compile(
            r"(?P<keep>(?i:aws[_-]?secret[_-]?(?:access[_-]?)?key)['\"]?\s*[:=]\s*['\"]?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
        ),
    ),
    ("GitHub token", re.compile(_TOKEN.format(r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}"))),
    ("GitLab token", re.compile(_TOKEN.format(r"glpat-[A-Za-z0-9_-]{20,}"))),
    ("Hugging Face token", re.compile(_TOKEN.format(r"(?:hf|api_org)_[A-Za-z0-9]{30,}"))),
    ("Google key", re.compile(_TOKEN.format(r"AIza[A-Za-z0-9_-]{35}"))),
    ("Slack token", re.compile(_TOKEN.format(r"xox[abeoprs]-[A-Za-z0-9-]{10,}"))),
    ("PyPI token", re.compile(_TOKEN.format(r"pypi-[A-Za-z0-9_-]{50,}"))),
    ("npm token", re.compile(_TOKEN.format(r"npm_[A-Za-z0-9]{36}"))),
    ("web token", re.compile(_TOKEN.format(r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"))),
    (
        "assigned secret",
        re.compile(
            r"(?P<keep>\b[A-Za-z0-9_]*(?:API_?KEY|SECRET|PASSWORD|PASSWD|ACCESS_?TOKEN|AUTH_?TOKEN)\b['\"]?"
            r"[ \t]*[=:][ \t]*['\"]?)(?!\[secret removed)[A-Za-z0-9_./+~-]{16,}",
        ),
    ),
)


class Secret(msgspec.Struct, frozen=True, order=True):
    """A secret that was taken out.

    Attributes
    ----------
    place : str
        Where it stood: the field, or the field and label, and the line.
    kind : str
        What it looked like.
    """

    place: str
    kind: str


def redact(text: str, place: str) -> tuple[str, tuple[Secret, ...]]:
    """A text without what looks like a secret.

    Only known forms are found: this lowers the harm of sending a record, and is no proof that nothing is left.

    Parameters
    ----------
    text : str
        Any text.
    place : str
        What to call it in the list.

    Returns
    -------
    text : str
        With ``[secret removed: KIND]`` in place of each; the same if there is none. Doing it twice changes nothing.
    secrets : tuple of Secret
        What was found, by place.

    Examples
    --------
    >>> text, found = redact("git clone https://me:hunter2@example.org/x", "action")
    >>> text
    'git clone https://me:[secret removed: password in a URL]@example.org/x'
    >>> found
    (Secret(place='action, line 1', kind='password in a URL'),)
    """
    spans = _spans(text)
    parts: list[str] = []
    found: list[Secret] = []
    position = line = 0
    for start, end, kind in spans:
        before = text[position:start]
        line += before.count("\n")
        parts += [before, f"[secret removed: {kind}]"]
        found.append(Secret(f"{place}, line {line + 1}", kind))
        line += text.count("\n", start, end)
        position = end
    return "".join([*parts, text[position:]]), tuple(found)


def _spans(text: str) -> list[tuple[int, int, str]]:
    """Where secrets stand, in order; of two that overlap, the one whose form stands first in the list."""
    found: list[tuple[int, int, str]] = []
    taken = bytearray(len(text))
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.end("keep") if "keep" in pattern.groupindex else match.start(), match.end()
            if 1 not in taken[start:end]:
                taken[start:end] = b"\x01" * (end - start)
                found.append((start, end, kind))
    return sorted(found)


def redact_material(name: str, material: Material) -> tuple[Material, tuple[Secret, ...]]:
    """Quoted material as it may be sent, without secrets and half characters, and the list of what was a secret."""
    if isinstance(material, str):
        return redact(encodable(material), name)
    texts: list[tuple[str, str]] = []
    found: list[Secret] = []
    for label, text in material:
        clean, secrets = redact(encodable(text), f"{name} {label}")
        texts.append((label, clean))
        found += secrets
    return tuple(texts), tuple(found)


def told(secrets: Iterable[Secret]) -> list[str]:
    """One line for each kind and place."""
    return [f"{secret.kind}: {secret.place}" for secret in sorted(set(secrets))]
