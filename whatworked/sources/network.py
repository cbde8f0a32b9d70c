"""Downloads from official addresses: given up soon where no site answers."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from whatworked.errors import SourceUnavailableError

ATTEMPT_SECONDS = 5.0


@dataclass
class Network:
    """Downloads, with a memory of which sites did not answer.

    All sites are asked at once and given `attempt_seconds` altogether, so a machine without a network loses that much
    time once, whatever the number of sources. A site that stops sending for as long in mid-download is given up too.

    Parameters
    ----------
    attempt_seconds : float
        How long to wait for a site's first answer, and for more bytes.
    offline : bool
        Whether to leave the network alone altogether.
    """

    attempt_seconds: float = ATTEMPT_SECONDS
    offline: bool = False
    _answers: dict[str, str] = field(default_factory=dict)

    def probe(self, urls: Iterable[str]) -> None:
        """Ask every site of `urls` that was not asked yet, all at once."""
        sites = {_site(url): url for url in urls}
        new = {site: url for site, url in sites.items() if site not in self._answers and not self.offline}
        found: dict[str, str] = {}
        threads = [
            threading.Thread(target=self._ask, args=(site, url, found), daemon=True) for site, url in new.items()
        ]
        for thread in threads:
            thread.start()
        end = time.monotonic() + self.attempt_seconds
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        # Name look-ups ignore timeouts, so threads that are still waiting are left behind, not joined.
        silence = f"no answer within {self.attempt_seconds:g} s"
        self._answers.update({site: found.get(site, silence) for site in new})

    def obstacle(self, url: str) -> str:
        """Why a download of `url` is not worth trying; empty if its site answers."""
        if self.offline:
            return "offline"
        self.probe([url])
        reason = self._answers[_site(url)]
        return f"{urlsplit(url).hostname}: {reason}" if reason else ""

    def download(self, url: str) -> bytes:
        """Bytes at `url`, unchecked; progress is shown on a terminal.

        Raises
        ------
        SourceUnavailableError
            If the site does not answer, stalls, or refuses.
        """
        obstacle = self.obstacle(url)
        if obstacle:
            raise SourceUnavailableError(f"{url}: {obstacle}")
        import pooch

        downloader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=self.attempt_seconds)
        with tempfile.TemporaryDirectory(prefix="whatworked-") as folder:
            target = Path(folder) / "download"
            try:
                downloader(url, str(target), None)
                return target.read_bytes()
            except (OSError, ValueError) as error:  # errors of requests are OSErrors
                raise SourceUnavailableError(f"{url}: download failed: {error}") from error

    def _ask(self, site: str, url: str, found: dict[str, str]) -> None:
        import requests

        try:
            requests.head(url, timeout=self.attempt_seconds, allow_redirects=False)
            found[site] = ""
        except OSError as error:
            found[site] = f"not reachable ({type(error).__name__})"


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
