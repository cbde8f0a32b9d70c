"""A server on this machine that speaks OpenAI's wire form, and misbehaves as it is asked to."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = '{"choice": "red"}'


def completion(text: str | None = GOOD, reason: str = "stop", model: str = "small-judge", **message: Any) -> bytes:
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [
                {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text, **message}}
            ],
            "usage": {"prompt_tokens": 30, "completion_tokens": 2, "total_tokens": 32},
        }
    ).encode()


BODIES = {
    "ok": completion(),
    "in words": completion(f"I think:\n```json\n{GOOD}\n```"),
    "cut": completion('{"choice": "r', reason="length"),
    "filter": completion("", reason="content_filter"),
    "refusal": completion(None, refusal="I will not judge this."),
    "prose": completion("It is red."),
    "two": completion(f"{GOOD} or {GOOD}"),
    "wrong": completion('{"choice": "green"}'),
    "nothing": completion(None),
    "another model": completion(model="other-judge"),
    "html": b"<html>busy</html>",
    "no choices": b'{"id": "1", "object": "chat.completion", "created": 1, "model": "small-judge", "choices": []}',
}


class Server:
    """What was asked of the server, and where it is.

    What it does is told by the quoted material of a request: a name of `BODIES`, ``status N``, ``silent``, ``dead``, or
    several of them with ``then`` between, one a request.
    """

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.over = threading.Event()
        self.seen: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Loopback

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = request["messages"][-1]["content"]
        match = re.search(r"thing>>\n(.*)\n<</", prompt)
        assert match is not None
        told = self.server.told
        told.requests.append(request)
        steps = match[1].split(" then ")
        step = steps[min(told.seen[match[1]], len(steps) - 1)]
        told.seen[match[1]] += 1
        self._do(step)

    def _do(self, step: str) -> None:
        if step == "silent":
            self.server.told.over.wait()
            self.close_connection = True
            return None
        if step == "dead":
            self.send_response(200)
            self.send_header("content-length", "1000")
            self.end_headers()
            self.wfile.write(b'{"id"')
            self.close_connection = True
            return None
        if step.startswith("status "):
            status = int(step.removeprefix("status "))
            return self._send(status, json.dumps({"error": {"message": f"told to say {status}"}}).encode())
        return self._send(200, BODIES[step])

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if status == 429:
            self.send_header("retry-after", "7")
        self.end_headers()
        self.wfile.write(body)


class _Loopback(ThreadingHTTPServer):
    told: Server
    request_queue_size = 64  # as many as ask at once

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that have left."""


@contextmanager
def loopback() -> Iterator[Server]:
    server = _Loopback(("127.0.0.1", 0), _Handler)
    server.told = Server(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.told
    finally:
        server.told.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
