"""Secrets are taken out before anything is sent, and listed without their values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from question_files import question, with_panel

from whatworked.judging import Case, Panel, Reply, Request, Secret, redact

# Written in two parts, so that no scanner of this repository takes them for keys. All are made up.
MADE_UP = "abcdefghij0123456789" * 3
SECRETS = {
    "OpenAI or Anthropic key": ["sk-" + MADE_UP[:48], "sk-" + "ant-api03-" + MADE_UP[:30], "sk-" + "proj-" + MADE_UP],
    "AWS access key": ["AKIA" + "IOSFODNN7EXAMPLE"],
    "AWS secret key": ["aws_secret_access_key = " + MADE_UP[:40]],
    "GitHub token": ["ghp_" + MADE_UP[:36], "github" + "_pat_" + MADE_UP[:40]],
    "Hugging Face token": ["hf_" + MADE_UP[:34]],
    "Google key": ["AIza" + MADE_UP[:35]],
    "Slack token": ["xoxb-" + MADE_UP[:30]],
    "web token": ["eyJ" + MADE_UP[:20] + ".eyJ" + MADE_UP[:20] + "." + MADE_UP[:20]],
    "bearer header": ["Authorization: Bearer " + MADE_UP[:25]],
    "basic header": ["Authorization: Basic " + MADE_UP[:20] + "=="],
    "password in a URL": ["postgres://user:" + "hunter2@db.example.org/x", "https://:" + MADE_UP[:9] + "@example.org"],
    "netrc password": ["machine example.org login me password " + "hunter2", "machine example.org\n  password hunter2"],
    "private key": ["-----BEGIN RSA PRIVATE KEY-----\n" + MADE_UP + "\n-----END RSA PRIVATE KEY-----"],
    "assigned secret": ["export WANDB_API_KEY=" + MADE_UP[:40]],
}


def value(secret: str) -> str:
    """The part that must not be sent."""
    for begin in ("://user:", "://:"):
        if begin in secret:
            return secret.partition(begin)[2].partition("@")[0]
    return secret.replace("\n", " ").split(" ")[-1].split("=", 1)[-1] if "PRIVATE" not in secret else MADE_UP


@pytest.mark.parametrize("kind", SECRETS)
def test_known_forms_are_found(kind: str) -> None:
    for secret in SECRETS[kind]:
        text, found = redact(f"before\nx {secret}\nafter", "step 3")
        assert found == (Secret("step 3, line 2", kind),) or kind == "netrc password"
        assert [one.kind for one in found] == [kind]
        assert value(secret) not in text
        assert text.startswith("before\nx ")
        assert text.endswith("\nafter")
        assert redact(text, "step 3") == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn-pipeline-with-many-words and task-0123456789abcdef0123",
        "see https://example.org:8080/path@2 and me@example.org",
        "sha256 " + "0123456789abcdef" * 4,
        "password = getpass()",
        "the bearer of this letter",
        "loss=0.12345678901234567890",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text, "x") == (text, ())


@given(st.text())
def test_other_texts_stay_and_twice_is_once(text: str) -> None:
    clean, _ = redact(text, "x")
    assert redact(clean, "x") == (clean, ())


@pytest.mark.parametrize("part", ["sk-", "eyJ.eyJ", "-----BEGIN A ", "machine a login b ", "://a:", "API_KEY", "_"])
def test_texts_written_against_the_patterns_are_read_through(part: str) -> None:
    """A pattern that goes back and forth over such a text would not end within a test run."""
    text = part * 60_000
    assert redact(text, "x") == (text, ())
    many = f"{part} sk-{MADE_UP[:40]}\n" * 20_000
    assert len(redact(many, "x")[1]) >= 20_000


def test_places_are_lines_of_the_text_as_it_was() -> None:
    key = SECRETS["private key"][0]
    _, found = redact(f"{key}\n{key}\nsk-{MADE_UP}", "log")
    assert [secret.place for secret in found] == ["log, line 1", "log, line 4", "log, line 7"]


def test_nothing_of_a_secret_leaves(tmp_path: Path) -> None:
    sent: list[Request] = []

    class Noting:
        name = "noting"

        async def reply(self, request: Request) -> Reply:
            sent.append(request)
            return Reply(kind="answer", text='{"choice": "red"}')

    secret = SECRETS["Hugging Face token"][0]
    case = Case(question=question(tmp_path), fields={"thing": [("k1", "fine"), ("k2", f"a\n{secret}")]}, about="idea")

    async def work(panel: Panel) -> tuple[Secret, ...]:
        await panel.decide([case])
        return panel.secrets

    assert with_panel(Noting(), work, journal=tmp_path / "calls") == (
        Secret("idea: thing k2, line 2", "Hugging Face token"),
    )
    assert sent
    assert not any(secret in request.prompt or secret in str(request.fields) for request in sent)
    assert secret not in (tmp_path / "calls").read_text()
