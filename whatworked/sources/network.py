"""Downloads from official addresses: given up soon where no site answers, and where more arrives than is expected."""

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

RECORD_LARGEST = 1 << 24
"""Bytes that a Zenodo record, which names files and holds none, may have."""


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
    """

    offline: bool = False
    attempt_seconds: float = 5.0
    silence_seconds: float = 15.0
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
        self._obstacles.update(dict.fromkeys(new, f"no answer within {patience:.2g} s"))
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
            If the site does not answer, stalls, or refuses.
        TooLargeError
            As soon as more than `largest` bytes have arrived; the download is then broken off.
        """
        self.probe([url])
        obstacle = self._obstacles[_site(url)]
        if obstacle:
            raise SourceUnavailableError(f"{urlsplit(url).hostname}: {obstacle}")
        return self._get(_archive_address(self._get(url, RECORD_LARGEST), url) if zenodo else url, largest or LARGEST)

    def _get(self, url: str, largest: int) -> bytes:
        import pooch

        downloader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=self.attempt_seconds)
        received = _Bounded(largest)
        try:
            downloader(url, received, None)
            return received.getvalue()
        except (OSError, ValueError) as error:  # what requests raises are OSErrors
            raise SourceUnavailableError(f"{url}: download failed: {error}") from error
        except _Full:
            pass
        # Raised out here, where nothing refers to the answer any more: that closes the connection.
        raise too_large(url, largest)

    def _ask(self, site: str, url: str, patience: float) -> None:
        import requests

        try:
            requests.head(url, timeout=patience, allow_redirects=False)
            self._obstacles[site] = ""
        except (OSError, ValueError) as error:
            self._obstacles[site] = f"not reachable ({type(error).__name__})"


class _Full(Exception):  # noqa: N818 - caught where it is raised
    """More arrives than there is room for."""


class _Bounded(io.BytesIO):
    """Room for `limit` bytes; the first one beyond raises `_Full`."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def write(self, data: Any, /) -> int:
        if self.tell() + len(data) > self._limit:
            raise _Full
        return super().write(data)


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _archive_address(record: bytes, url: str) -> str:
    """Address of the first zip archive in a Zenodo record."""
    try:
        files = json.loads(record)["files"]
        return str(next(file["links"]["self"] for file in files if file["key"].endswith(".zip")))
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise SourceUnavailableError(f"{url}: not a Zenodo record with a zip archive") from error
