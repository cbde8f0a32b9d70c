"""Downloads from official addresses: given up soon where no site answers, where bytes trickle, where too many arrive.

A failure that is likely to pass, a busy site or a connection that broke, is tried again a few times.
"""

from __future__ import annotations

import io
import json
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from whatworked.errors import SourceUnavailableError
from whatworked.sources.archives import LARGEST, too_large
from whatworked.sources.failures import Failure, failure_of, printable

RECORD_LARGEST = 1 << 24
"""Bytes that a Zenodo record, which names files and holds none, may have."""

TRIES = 3
"""How often an address is asked before a passing failure counts."""

LONGEST_PAUSE = 30.0
"""Seconds that a site may ask us to wait before the next try; a site that asks for more is given up."""

SLOWEST = 1024
"""Bytes a second that must arrive on average, over each `Network.window_seconds`."""

_CHUNK = 1024


@dataclass
class Network:
    """Downloads, with a memory of which sites did not answer.

    A site that did not answer is not asked again, and once `silence_seconds` went by in waiting for nothing no further
    site is asked.

    Parameters
    ----------
    offline : bool
        Whether to leave the network alone altogether.
    attempt_seconds : float
        How long to wait for a site's first answer, and for more bytes in mid-download.
    silence_seconds : float
        How long to wait for silent sites altogether.
    window_seconds : float
        A download is given up when fewer than `SLOWEST` bytes a second arrive over this time.
    pause_seconds : float
        Wait before the second try of an address; twice as long before the third. A site that says when to come back
        (Retry-After) is taken at its word, up to `LONGEST_PAUSE`.
    """

    offline: bool = False
    attempt_seconds: float = 5.0
    silence_seconds: float = 15.0
    window_seconds: float = 10.0
    pause_seconds: float = 1.0
    _obstacles: dict[str, str] = field(default_factory=dict)
    _waited: float = 0.0

    def probe(self, urls: Iterable[str]) -> None:
        """Ask every site of `urls` that was not asked yet, all at once; at most `attempt_seconds` altogether."""
        new = {_site(url): url for url in urls if _site(url) not in self._obstacles}
        patience = min(self.attempt_seconds, self.silence_seconds - self._waited)
        if not new or self.offline or patience <= 0:
            reason = "offline" if self.offline else "not asked, since other sites are silent"
            self._obstacles.update(dict.fromkeys(new, reason))
            return
        start = time.monotonic()
        # Name look-ups know no timeout, so a thread that is still waiting at the end is left behind, not joined.
        self._obstacles.update(dict.fromkeys(new, _silence(patience)))
        threads = [
            threading.Thread(target=self._ask, args=(site, url, patience), daemon=True) for site, url in new.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, start + patience - time.monotonic()))
        if any(self._obstacles[site] for site in new):
            self._waited += time.monotonic() - start

    def download(self, url: str, largest: int = 0, *, zenodo: bool = False) -> bytes:
        """Bytes at `url`, unchecked; progress is shown on a terminal. Nothing is written to disk.

        Parameters
        ----------
        url : str
            Address of the file.
        largest : int
            Bytes that it may have; 0 where that is not known, which is `LARGEST`.
        zenodo : bool
            Whether `url` is a Zenodo record as JSON, whose first zip archive is meant.

        Raises
        ------
        SourceUnavailableError
            If the site does not answer, stalls, trickles, or refuses; a failure that may pass is tried `TRIES` times.
        TooLargeError
            As soon as more than `largest` bytes have arrived; the download is then broken off.
        """
        self.probe([url])
        obstacle = self._obstacles[_site(url)]
        if obstacle:
            raise SourceUnavailableError(f"{urlsplit(url).hostname}: {obstacle}")
        return self._get(_archive_address(self._get(url, RECORD_LARGEST), url) if zenodo else url, largest or LARGEST)

    def _get(self, url: str, largest: int) -> bytes:
        tried = 1
        while True:
            received = _Received(largest)
            failure = self._transfer(url, received)
            if failure is None:
                return received.getvalue()
            pause = failure.retry_after if failure.retry_after is not None else self.pause_seconds * 2 ** (tried - 1)
            if not failure.passing or tried == TRIES or pause > LONGEST_PAUSE:
                raise _unavailable(url, failure, tried)
            time.sleep(pause)
            tried += 1

    def _transfer(self, url: str, received: _Received) -> Failure | None:
        """Download once into `received`; what went wrong, or None."""
        # In a thread of its own, which can be left behind: no timeout of a socket notices bytes that trickle.
        thread = threading.Thread(target=_fill, args=(url, received, self.attempt_seconds), daemon=True)
        thread.start()
        while thread.is_alive():
            before = received.arrived
            thread.join(self.window_seconds)
            if thread.is_alive() and received.arrived - before < SLOWEST * self.window_seconds:
                received.wanted = False
                slow = f"{received.arrived - before} bytes in {self.window_seconds:.2g} s"
                return Failure(f"too slow, {slow}; use a mirror or try again later")
        if received.full:
            raise too_large(printable(url), received.limit)
        return received.failure

    def _ask(self, site: str, url: str, patience: float) -> None:
        import requests

        for tried in range(2):
            try:
                requests.head(url, timeout=patience, allow_redirects=False)
                self._obstacles[site] = ""
                return
            except (requests.ConnectTimeout, requests.ReadTimeout):
                self._obstacles[site] = _silence(patience)
                return
            except Exception as error:  # some come from below requests, as for an address that is none
                failure = failure_of(error)
                if tried or not failure.passing:
                    self._obstacles[site] = f"not reachable ({failure.reason})"
                    return


class _Dropped(Exception):  # noqa: N818 - caught where it is raised
    """What arrives is not wanted: there is no room, or nobody waits any more."""


class _Received(io.BytesIO):
    """What has arrived of one download, and how it ended; a byte beyond `limit` ends it."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.arrived = 0
        self.full = False
        self.wanted = True
        self.failure: Failure | None = None

    def write(self, data: Any, /) -> int:
        self.full = self.arrived + len(data) > self.limit
        if self.full or not self.wanted:
            raise _Dropped
        self.arrived += len(data)
        return super().write(data)


def _fill(url: str, received: _Received, timeout: float) -> None:
    import pooch

    downloader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), chunk_size=_CHUNK, timeout=timeout)
    try:
        downloader(url, received, None)
    except _Dropped:
        pass
    except Exception as error:  # handed to the thread that waits
        received.failure = failure_of(error)


def _unavailable(url: str, failure: Failure, tried: int) -> SourceUnavailableError:
    later = failure.retry_after if failure.passing and (failure.retry_after or 0.0) > LONGEST_PAUSE else None
    times = f", tried {tried} times" if tried > 1 else ""
    back = f"; it asks to come back in {later:.0f} s" if later is not None else ""
    return SourceUnavailableError(f"{printable(url)}: download failed: {failure.reason}{times}{back}")


def _silence(patience: float) -> str:
    return f"no answer within {patience:.2g} s"


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _archive_address(record: bytes, url: str) -> str:
    """Address of the first zip archive in a Zenodo record."""
    try:
        files = json.loads(record)["files"]
        return str(next(file["links"]["self"] for file in files if file["key"].endswith(".zip")))
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError) as error:
        raise SourceUnavailableError(f"{printable(url)}: not a Zenodo record with a zip archive") from error
