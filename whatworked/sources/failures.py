"""Why a download failed, in words for a terminal, and whether it is worth another try."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
"""Status codes of sites that are busy or out of order for the moment."""

LONGEST_REASON = 300
"""Characters of a reason; the rest of what a server says is left out."""


@dataclass(frozen=True)
class Failure:
    """One failed download.

    Attributes
    ----------
    reason : str
        Why, without characters that would steer a terminal.
    passing : bool
        Whether another try may succeed.
    retry_after : float or None
        Seconds after which the site asks to come back; None where it does not say.
    """

    reason: str
    passing: bool = False
    retry_after: float | None = None


def failure_of(error: BaseException) -> Failure:
    """What an exception of requests, or of what lies below it, says of the cause.

    Parameters
    ----------
    error : BaseException
        As raised by `requests`.

    Returns
    -------
    Failure
    """
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        told = error.response
        after = _seconds(told.headers.get("Retry-After", ""))
        return Failure(printable(str(error)), told.status_code in PASSING, after)
    if isinstance(error, requests.exceptions.SSLError):
        reason = _innermost(error)
        advice = "; set REQUESTS_CA_BUNDLE to the certificates that this network uses" if "VERIFY" in reason else ""
        return Failure(f"SSLError: {reason}{advice}")
    if isinstance(error, requests.exceptions.ProxyError):
        return Failure(f"ProxyError: {_innermost(error)}; correct HTTPS_PROXY, HTTP_PROXY or NO_PROXY")
    broken = isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError)
    passing = broken and not _is_lasting(error)
    return Failure(f"{type(error).__name__}: {_innermost(error)}", passing)


def printable(text: str) -> str:
    r"""Text of others for a terminal: what cannot be printed is escaped, and nothing is longer than a few lines.

    Examples
    --------
    >>> print(printable("503 \x1b[2JBusy\r\n"))
    503 \x1b[2JBusy\r\n
    """
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
    shown = re.sub(r"(?<=://)[^/@\s]+@", "", shown)  # a name and password in an address
    return shown if len(shown) <= LONGEST_REASON else f"{shown[:LONGEST_REASON]}…"


def _is_lasting(error: BaseException) -> bool:
    """Whether a connection failed for want of a name, of anybody who listens or who answers: no second try helps."""
    names = ("gaierror", "NameResolutionError", "ReadTimeoutError", "ConnectTimeoutError")
    return any(
        isinstance(cause, ConnectionRefusedError | TimeoutError) or type(cause).__name__ in names
        for cause in _causes(error)
    )


def _innermost(error: BaseException) -> str:
    """The text of the cause behind an exception, which requests wraps several times."""
    *_, last = _causes(error)
    told = getattr(last, "strerror", None) or str(last) or type(last).__name__
    return printable(re.sub(r"^<[^>]*>: |^[A-Za-z]+\(.*?\): ", "", str(told)))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and what caused it, the outermost first; urllib3 keeps a cause as `reason` or an argument."""
    seen: list[BaseException] = []
    while error not in seen:
        seen.append(error)
        yield error
        inner = [*(argument for argument in error.args if isinstance(argument, BaseException))]
        reason = getattr(error, "reason", None)
        candidates = [reason, *inner, error.__cause__, error.__context__]
        error = next((cause for cause in candidates if isinstance(cause, BaseException)), error)


def _seconds(text: str) -> float | None:
    """A Retry-After header, which has seconds or a date, as seconds from now."""
    if re.fullmatch(r"[0-9]{1,9}", text.strip()):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
