"""Downloads, from servers on this machine's loopback."""

from __future__ import annotations

import contextlib
import io
import json
import socket
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest
import requests
from own_source import DIGEST, MANIFEST, TABLE, Own

from whatworked.catalog import manifest
from whatworked.errors import DigestMismatchError, RawDataError, SourceUnavailableError, TooLargeError
from whatworked.sources import network
from whatworked.sources.library import Library
from whatworked.sources.network import Network
from whatworked.sources.routes import Place, checked


class _Site(BaseHTTPRequestHandler):
    pages: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[str]] = []

    def _answer(self, body: bool) -> None:
        self.asked.append(f"{self.command} {self.path}")
        data = self.pages.get(self.path)
        self.send_response(200 if data is not None else 404)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        if body:
            self.wfile.write(data or b"")

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, *args: object) -> None:
        pass


class _Endless(_Site):
    """A site whose every page goes on for ever."""

    broken_off: ClassVar[threading.Event] = threading.Event()

    def _answer(self, body: bool) -> None:
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            while body:
                self.wfile.write(b"1,1,2.5\r\n" * 100)
        if body:
            self.broken_off.set()


@contextlib.contextmanager
def _serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def endless() -> Iterator[str]:
    """Address of a site whose pages never end."""
    _Endless.broken_off.clear()
    with _serving(_Endless) as address:
        yield address


@pytest.fixture
def site() -> Iterator[str]:
    """Address of a site that serves `_Site.pages`."""
    _Site.pages.clear()
    _Site.asked.clear()
    with _serving(_Site) as address:
        yield address


@pytest.fixture
def silent() -> Iterator[str]:
    """Address of a site that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _online(own: Own) -> Library:
    library = own.library(mirror=False, offline=False)
    library.network.attempt_seconds = 0.5
    return library


def test_a_download_is_checked_prepared_and_kept(own: Own, site: str) -> None:
    own.declare(f'url = "{site}/data.csv"')
    _Site.pages["/data.csv"] = TABLE
    assert _online(own).prepared("mine").digest == DIGEST
    assert (own.cache / "raw" / "mine" / "data.csv").read_bytes() == TABLE
    again = own.library(mirror=False).acquire(manifest("mine"))
    assert again.routes == ("cache",)


def test_a_member_of_a_downloaded_archive_is_kept(own: Own, site: str) -> None:
    own.declare(f'archive = "data.zip"\narchive_url = "{site}/data.zip"\nmember = "folder/data.csv"')
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("folder/data.csv", TABLE)
    _Site.pages["/data.zip"] = stream.getvalue()
    assert _online(own).prepared("mine").digest == DIGEST
    assert (own.cache / "raw" / "mine" / "data.csv").read_bytes() == TABLE


def test_the_archive_of_a_zenodo_record(own: Own, site: str) -> None:
    own.declare(f'url = "{site}/api/records/1"\nzenodo = true')
    files = [{"key": name, "links": {"self": f"{site}/files/{name}"}} for name in ("readme.txt", "corpus.zip")]
    _Site.pages |= {"/api/records/1": json.dumps({"files": files}).encode(), "/files/corpus.zip": TABLE}
    assert _online(own).prepared("mine").digest == DIGEST


@pytest.mark.parametrize("record", [b"<html>", b"{}", b'{"files": []}', b'{"files": [{"key": "a.zip"}]}'])
def test_another_answer_than_a_zenodo_record(own: Own, site: str, record: bytes) -> None:
    own.declare(f'url = "{site}/api/records/1"\nzenodo = true')
    _Site.pages["/api/records/1"] = record
    with pytest.raises(SourceUnavailableError, match="not a Zenodo record"):
        _online(own).prepared("mine")


def test_other_bytes_are_refused_and_not_kept(own: Own, site: str) -> None:
    own.declare(f'url = "{site}/data.csv"')
    _Site.pages["/data.csv"] = TABLE[:-3]
    with pytest.raises(DigestMismatchError, match=f"{site}/data.csv is not the expected data.csv"):
        _online(own).prepared("mine")
    assert not own.cache.exists()


def test_a_download_that_never_ends_is_broken_off_and_nothing_is_kept(
    own: Own, endless: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    one = own.declare(f'url = "{endless}/data.csv"')
    with pytest.raises(TooLargeError) as caught:
        _online(own).prepared("mine")
    for part in ("data.csv", f"more than the {len(TABLE)} bytes", f"({len(TABLE)} bytes)", endless, one.path):
        assert part in str(caught.value)
    assert _Endless.broken_off.wait(60)
    assert not own.cache.exists()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_catalog_source_that_never_ends_says_to_use_a_mirror(
    own: Own, endless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wine = manifest("wine")
    file = msgspec.structs.replace(wine.forms[0].files[0], url=f"{endless}/data.csv")
    place = Place("network", file.url, lambda: Network().download(file.url, file.largest))
    with pytest.raises(TooLargeError, match=r"source wine: .*11480 bytes.*use a mirror that has the expected ones"):
        checked(place, wine, file)


@pytest.mark.parametrize("spare", [0, 1])
def test_as_many_bytes_as_are_allowed_arrive_whole(site: str, spare: int) -> None:
    _Site.pages["/data.csv"] = TABLE
    assert Network().download(f"{site}/data.csv", len(TABLE) + spare) == TABLE
    with pytest.raises(TooLargeError, match=f"more than the {len(TABLE) - 1} bytes"):
        Network().download(f"{site}/data.csv", len(TABLE) - 1)


@pytest.mark.parametrize("what", ["record", "archive", "member's archive", "file without a size"])
def test_what_has_no_stated_size_is_bounded_all_the_same(
    own: Own, endless: str, site: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(network, "LARGEST", 1 << 16)
    monkeypatch.setattr(network, "RECORD_LARGEST", 1 << 12)
    files = [{"key": "corpus.zip", "links": {"self": f"{endless}/corpus.zip"}}]
    _Site.pages["/api/records/1"] = json.dumps({"files": files}).encode()
    more, bound = {
        "record": (f'url = "{endless}/api/records/1"\nzenodo = true', 1 << 12),
        "archive": (f'url = "{site}/api/records/1"\nzenodo = true\ntree = true', 1 << 16),
        "member's archive": (f'archive_url = "{endless}/data.zip"', 1 << 16),
        "file without a size": (f'url = "{endless}/data.csv"', 1 << 16),
    }[what]
    own.declare(more, text=MANIFEST.replace("size = {size}", "") if what == "file without a size" else MANIFEST)
    with pytest.raises(TooLargeError, match=f"more than the {bound} bytes"):
        _online(own).prepared("mine")
    assert not own.cache.exists()


def test_the_wrong_archive_is_refused(own: Own, site: str) -> None:
    own.declare(f'archive_url = "{site}/data.zip"')
    _Site.pages["/data.zip"] = TABLE
    with pytest.raises(RawDataError, match="not a readable zip"):
        _online(own).prepared("mine")


def test_a_missing_page_is_unavailable(own: Own, site: str) -> None:
    own.declare(f'url = "{site}/gone.csv"')
    with pytest.raises(SourceUnavailableError, match=r"gone\.csv: download failed: 404"):
        _online(own).prepared("mine")


def test_files_that_are_here_are_not_downloaded(own: Own, site: str) -> None:
    own.declare(f'url = "{site}/data.csv"')
    own.put()
    library = own.library(offline=False)
    library.probe(["mine"])
    assert library.prepared("mine").digest == DIGEST
    assert _Site.asked == []


def test_offline_asks_nobody(own: Own, site: str) -> None:
    own.declare(f'url = "{site}/data.csv"')
    _Site.pages["/data.csv"] = TABLE
    library = own.library(mirror=False, offline=True)
    library.probe(["mine"])
    with pytest.raises(SourceUnavailableError, match="offline"):
        library.prepared("mine")
    assert _Site.asked == []


def test_a_silent_site_is_given_up_and_not_asked_again(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    head = requests.head

    def counted(url: str, **options: object) -> requests.Response:
        asked.append(url)
        return head(url, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(requests, "head", counted)
    network = Network(attempt_seconds=0.2)
    for _ in range(3):
        with pytest.raises(SourceUnavailableError, match=r"127\.0\.0\.1: (no answer|not reachable)"):
            network.download(f"{silent}/data.csv")
    assert asked == [f"{silent}/data.csv"]


def test_sites_are_asked_at_once_and_each_once(silent: str, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Barrier(2, timeout=10)

    def head(url: str, **options: object) -> None:
        gate.wait()  # passes only if both sites are being asked at the same time
        if url.startswith(silent):
            raise requests.ConnectTimeout

    monkeypatch.setattr(requests, "head", head)
    network = Network(attempt_seconds=10)
    network.probe([f"{site}/a", f"{site}/b", f"{silent}/a"])
    _Site.pages["/a"] = TABLE
    assert network.download(f"{site}/a") == TABLE
    with pytest.raises(SourceUnavailableError):
        network.download(f"{silent}/a")


def test_no_further_site_is_asked_after_too_much_silence(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(attempt_seconds=0.2, silence_seconds=0.2)
    network.probe([silent])
    monkeypatch.setattr(requests, "head", lambda *_, **__: pytest.fail("asked"))
    with pytest.raises(SourceUnavailableError, match="other sites are silent"):
        network.download("http://example.invalid/data.csv")


def test_a_site_that_stalls_in_mid_download_is_given_up() -> None:
    def serve(server: socket.socket) -> None:
        for body in (b"", b"half"):
            connection, _ = server.accept()
            connection.recv(1000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + body)
            if not body:
                connection.close()
        held.wait(10)
        connection.close()

    held = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        network = Network(attempt_seconds=0.3)
        with pytest.raises(SourceUnavailableError, match="download failed"):
            network.download(f"http://127.0.0.1:{server.getsockname()[1]}/data.csv")
        held.set()
        thread.join()


def test_a_read_only_cache_does_not_waste_the_download(own: Own, site: str) -> None:
    own.declare(f'url = "{site}/data.csv"')
    _Site.pages["/data.csv"] = TABLE
    own.cache.write_text("a file where the folder should be")
    assert _online(own).prepared("mine").digest == DIGEST
