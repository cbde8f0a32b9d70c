"""A run that is scored by a model behind a server: what goes over the wire is enough to answer every question."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from plain_judge import RULES, plain_graph
from test_juries import STORY

from whatworked.cli import cli
from whatworked.judging import Question
from whatworked.process.graph import read_graph
from whatworked.process.juries import questions
from whatworked.process.records import write_record

BLOCK = re.compile(r"<<(q-[0-9a-f]+) (\w+)(?: ([^\n>]+))?>>\n(.*?)\n<</\1>>", re.DOTALL)


def asked_question(prompt: str) -> Question:
    """The question of a prompt, by the words before its first field."""
    starts = {name: question.prompt.strip().partition("{{")[0] for name, question in questions().items()}
    return questions()[max((name for name in starts if starts[name] in prompt), key=lambda name: len(starts[name]))]


def fields_of(prompt: str, question: Question) -> dict[str, Any]:
    fields: dict[str, Any] = dict.fromkeys(question.fields, ())
    for _, name, label, text in BLOCK.findall(prompt):
        fields[name] = (*fields[name], (label, text)) if label else text
    return fields


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = request["messages"][-1]["content"]
        question = asked_question(prompt)
        answer = RULES[question.id](fields_of(prompt, question), 0)
        message = {"role": "assistant", "content": json.dumps(answer)}
        body = {
            "id": "1", "object": "chat.completion", "created": 1, "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        }  # fmt: skip
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_model_behind_a_server_gives_the_graph_that_its_answers_make(url: str, tmp_path: Path) -> None:
    write_record(tmp_path / "story.record.jsonl", STORY)
    command = ["process", "score", str(tmp_path / "story.record.jsonl"), "--judge", "openai-api/loop/plain"]
    options = ["--base-url", url, "--cheap", "--out", str(tmp_path / "out")]
    shown = CliRunner().invoke(cli, [*command, *options])
    assert shown.exit_code == 0, shown.output
    found, wanted = read_graph(tmp_path / "out" / "story.graph.json"), plain_graph(STORY, cheap=True)
    assert found.judge == "openai-api/loop/plain"
    for part in ("ideas", "acts", "propositions", "edges", "marks", "dropped", "asked"):
        assert getattr(found, part) == getattr(wanted, part)
