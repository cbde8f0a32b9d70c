"""Sites that trickle, are busy, break off or cannot be trusted; all of them on this machine's loopback."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
import requests
from own_source import DIGEST, TABLE, Own

from whatworked.errors import SourceUnavailableError
from whatworked.sources import network
from whatworked.sources.failures import failure_of, printable
from whatworked.sources.network import Network

Serve = Callable[[socket.socket, bytes, int], None]
"""Answers one connection: its socket, what was asked, and how many GET requests there were with it."""

OK = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(TABLE)
HEAD_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


@contextlib.contextmanager
def _site(serve: Serve) -> Iterator[str]:
    """Address of a site that answers every HEAD, and GET as `serve` does."""
    gets = 0
    lock = threading.Lock()

    def answer(connection: socket.socket) -> None:
        nonlocal gets
        with connection, contextlib.suppress(OSError):
            asked = connection.recv(4000)
            with lock:
                gets += asked.startswith(b"GET")
                number = gets
            serve(connection, asked, number)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _after(*failures: bytes) -> Serve:
    """Answers with each failure once, then with the table; an empty one resets the connection."""

    def serve(connection: socket.socket, asked: bytes, number: int) -> None:
        if asked.startswith(b"HEAD"):
            connection.sendall(HEAD_OK)
        elif number > len(failures):
            connection.sendall(OK + TABLE)
        elif failures[number - 1]:
            connection.sendall(failures[number - 1])
        else:
            _reset(connection)

    return serve


def _reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def _refusal(code: int, reason: str = "Busy", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {code} {reason}", "Content-Length: 0", *headers]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the network would have waited between tries; it does not wait."""
    waited: list[float] = []
    monkeypatch.setattr(network.time, "sleep", waited.append)
    return waited


@pytest.mark.parametrize(
    "failures",
    [
        *((_refusal(code),) for code in (408, 425, 429, 500, 502, 503, 504)),
        (_refusal(503), _refusal(502)),
        (b"",),
        (OK + TABLE[:50],),
        (OK[:10],),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",),
    ],
    ids=str,
)
def test_a_failure_that_passes_is_tried_again(own: Own, pauses: list[float], failures: tuple[bytes, ...]) -> None:
    with _site(_after(*failures)) as address:
        own.declare(f'url = "{address}/data.csv"')
        assert own.library(mirror=False, offline=False).prepared("mine").digest == DIGEST
    assert pauses == [1.0, 2.0][: len(failures)]


def test_a_site_that_resets_the_first_connection_of_all_is_asked_again() -> None:
    connections = []

    def serve(connection: socket.socket, asked: bytes, number: int) -> None:
        connections.append(number)
        if len(connections) == 1:
            _reset(connection)
        else:
            connection.sendall(HEAD_OK if asked.startswith(b"HEAD") else OK + TABLE)

    with _site(serve) as address:
        assert Network().download(f"{address}/data.csv") == TABLE


def test_a_failure_that_stays_is_named_with_the_tries(pauses: list[float]) -> None:
    told = pytest.raises(SourceUnavailableError, match=r"503 Server Error: Out of order .*, tried 3 times")
    with _site(_after(*[_refusal(503, "Out of order")] * 9)) as address, told:
        Network().download(f"{address}/data.csv")
    assert pauses == [1.0, 2.0]


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 501])
def test_a_refusal_is_not_tried_again(pauses: list[float], code: int) -> None:
    with _site(_after(_refusal(code))) as address, pytest.raises(SourceUnavailableError, match=f"failed: {code} "):
        Network().download(f"{address}/data.csv")
    assert pauses == []


def _moment(seconds: int) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("told", "waited"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("30", 30.0),
        ("soon", 1.0),
        ("-3", 1.0),
        # The id must not hold the time of day: the parallel workers compare ids.
        pytest.param(_moment(-60), 0.0, id="a minute ago"),
    ],
)
def test_a_site_that_says_when_to_come_back_is_taken_at_its_word(pauses: list[float], told: str, waited: float) -> None:
    with _site(_after(_refusal(503, "Busy", f"Retry-After: {told}"))) as address:
        assert Network().download(f"{address}/data.csv") == TABLE
    assert pauses == [waited]


@pytest.mark.parametrize("told", ["31", "3600", "999999999", pytest.param(_moment(7200), id="in two hours")])
def test_a_site_that_asks_for_more_patience_than_we_have_is_given_up(pauses: list[float], told: str) -> None:
    given_up = pytest.raises(SourceUnavailableError, match=r"429 .*asks to come back in \d+ s")
    with _site(_after(_refusal(429, "Busy", f"Retry-After: {told}"))) as address, given_up:
        Network().download(f"{address}/data.csv")
    assert pauses == []


@pytest.mark.parametrize("what", ["body", "headers of GET", "chunks"])
def test_a_site_that_trickles_is_given_up(what: str) -> None:
    """A byte now and then keeps every time-out of a socket from ending."""
    head = {"body": b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n", "headers of GET": b"HTTP/1.1 200 OK\r\n"}
    begin = head.get(what, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    drop = b"1\r\nx\r\n" if what == "chunks" else b"x"
    given_up = threading.Event()

    def serve(connection: socket.socket, asked: bytes, number: int) -> None:
        connection.sendall(HEAD_OK if asked.startswith(b"HEAD") else begin)
        while asked.startswith(b"GET") and not given_up.wait(0.05):
            connection.sendall(drop)

    with _site(serve) as address:
        slow = Network(attempt_seconds=5, window_seconds=0.5)
        with pytest.raises(SourceUnavailableError, match=r"download failed: too slow, \d+ bytes in 0\.5 s"):
            slow.download(f"{address}/data.csv")
        given_up.set()


def test_a_slow_site_that_keeps_going_is_waited_for() -> None:
    """Several windows go by, in each of which enough arrives."""
    begun = threading.Event()

    def serve(connection: socket.socket, asked: bytes, number: int) -> None:
        if asked.startswith(b"HEAD"):
            connection.sendall(HEAD_OK)
            return
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 40960\r\n\r\n")
        for _ in range(10):
            connection.sendall(bytes(4096))
            begun.wait(0.05)

    with _site(serve) as address:
        patient = Network(attempt_seconds=5, window_seconds=0.2)
        assert patient.download(f"{address}/data.csv") == bytes(40960)


def test_a_site_whose_first_answer_trickles_is_silent() -> None:
    given_up = threading.Event()

    def serve(connection: socket.socket, asked: bytes, number: int) -> None:
        while not given_up.wait(0.05):
            connection.sendall(b"x")

    with _site(serve) as address:
        with pytest.raises(SourceUnavailableError, match=r"no answer within 0\.5 s"):
            Network(attempt_seconds=0.5).download(f"{address}/data.csv")
        given_up.set()


@pytest.mark.parametrize("steering", ["\x1b[2J", "\x07", "\x9b2J", "\x1b]0;owned\x07"])
def test_what_a_server_says_cannot_steer_a_terminal(pauses: list[float], steering: str) -> None:
    head = f"HTTP/1.1 404 Gone{steering}away\r\nContent-Length: 0\r\n\r\n".encode("latin-1")
    with _site(_after(head)) as address, pytest.raises(SourceUnavailableError) as caught:
        Network().download(f"{address}/data.csv")
    assert "away" in str(caught.value)
    assert str(caught.value).isprintable()


def test_an_answer_that_is_no_http_is_printable() -> None:
    def serve(connection: socket.socket, asked: bytes, number: int) -> None:
        connection.sendall(b"\x1b[2J\x07 hello\r\n\r\n")

    with _site(serve) as address, pytest.raises(SourceUnavailableError, match="not reachable") as caught:
        Network().download(f"{address}/data.csv")
    assert str(caught.value).isprintable()


def test_long_reasons_are_cut_and_passwords_left_out() -> None:
    assert len(printable("x" * 10_000)) < 400
    assert printable("http://me:secret@127.0.0.1/x") == "http://127.0.0.1/x"


def test_the_reason_of_a_certificate_is_told() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).parent / "self_signed.pem")

    def accept(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection, contextlib.suppress(OSError):
                    context.wrap_socket(connection, server_side=True)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, args=(server,), daemon=True).start()
        told = r"not reachable \(SSLError: .*CERTIFICATE_VERIFY_FAILED.*self.signed.*REQUESTS_CA_BUNDLE"
        with pytest.raises(SourceUnavailableError, match=told):
            Network().download(f"https://127.0.0.1:{server.getsockname()[1]}/data.csv")


def test_the_reason_of_a_site_that_speaks_no_tls_is_told() -> None:
    def serve(connection: socket.socket, asked: bytes, number: int) -> None:
        connection.sendall(_refusal(400))

    with _site(serve) as address, pytest.raises(SourceUnavailableError, match=r"SSLError: .*WRONG_VERSION_NUMBER"):
        Network().download(address.replace("http:", "https:") + "/data.csv")


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def test_the_reason_of_a_proxy_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://me:secret@127.0.0.1:{_closed_port()}")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(SourceUnavailableError, match=r"ProxyError: Connection refused; correct HTTPS_PROXY") as caught:
        Network().download("http://site.invalid/data.csv")
    assert "secret" not in str(caught.value)


def test_a_port_that_nobody_listens_at_is_told_at_once(pauses: list[float]) -> None:
    with pytest.raises(SourceUnavailableError, match=r"not reachable \(ConnectionError: Connection refused\)"):
        Network().download(f"http://127.0.0.1:{_closed_port()}/data.csv")
    assert pauses == []


def test_a_name_that_nobody_has_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(SourceUnavailableError, match=r"site\.example: not reachable .*Name or service not known"):
        Network().download("http://site.example/data.csv")


def test_an_error_of_no_request_is_told_by_its_type() -> None:
    assert failure_of(ValueError("odd")).reason == "ValueError: odd"
    assert not failure_of(ValueError("odd")).passing
    assert failure_of(requests.ConnectionError("gone")).passing
