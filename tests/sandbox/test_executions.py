"""What becomes of a program in the sandbox: output, tracebacks, names, results."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from whatworked.errors import InvalidCodeError, InvalidOptionError, SandboxUnavailableError
from whatworked.sandbox import BubblewrapSandbox, Limits
from whatworked.sandbox.performing import SandboxPerformer


def test_a_program_prints_reads_files_and_delivers(sandbox: BubblewrapSandbox) -> None:
    done = sandbox.run(
        "import numpy, json\n"
        "print(observations, open('more.txt').read())\n"
        "result = {'table': numpy.arange(2) / 2, 'read': __name__}\n",
        preamble="observations = {'0000': 0.25}",
        files={"more.txt": "grün".encode()},
    )
    assert (done.status, done.signal, done.limit, done.stderr) == (0, None, None, "")
    assert done.stdout == "{'0000': 0.25} grün\n"
    assert done.result is not None
    assert json.loads(done.result) == {"table": [0.0, 0.5], "read": "__main__"}
    assert done.wall_seconds > 0


@pytest.mark.parametrize(
    "code",
    ["def f():\n    return 1 / 0\n\nf()", "x = 1\ndef (", "import json\njson.loads('[')", "raise SystemExit('over')"],
    ids=["raised", "syntax", "library", "exit"],
)
def test_messages_are_those_of_a_plain_interpreter(sandbox: BubblewrapSandbox, code: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(code)
    plain = subprocess.run([sys.executable, "-I", tmp_path / "program.py"], capture_output=True, text=True, check=False)
    inside = f"/python/{sys.platlibdir}/{Path(os.__file__).parent.name}"
    expected = plain.stderr.replace(f"{tmp_path}/", "/").replace(str(Path(os.__file__).parent), inside)
    done = sandbox.run(code, preamble="import json\n" * 5)
    assert (done.status, done.stdout, done.stderr) == (plain.returncode, "", expected)
    assert expected != plain.stderr or "over" in expected


def test_what_is_no_program_is_refused_before_anything_runs() -> None:
    nowhere = BubblewrapSandbox("/nonexistent/bwrap")
    for code in ("print('a\0b')", "x = '\ud800'", "#" * 10_000_000):
        with pytest.raises(InvalidCodeError, match=r"NUL|surrogate|at most 1000000"):
            nowhere.run(code)
    for name in ("", "..", "a/b", "a\0"):
        with pytest.raises(InvalidOptionError, match="name of a file"):
            nowhere.run("", files={name: b""})
    with pytest.raises(InvalidOptionError, match="at most 2000000"):
        nowhere.run("", files={"large": bytes(2_000_001)})
    with pytest.raises(InvalidOptionError, match="name of a module"):
        nowhere.run("", modules={"../x": ""})
    with pytest.raises(SandboxUnavailableError, match="was not found; install bubblewrap"):
        nowhere.run("")


def test_another_processor_has_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(SandboxUnavailableError, match=r"needs Linux on x86_64 or aarch64; this is \w+ on riscv64; run"):
        BubblewrapSandbox().run("print(1)")


@pytest.mark.parametrize(
    ("name", "value"), [("wall_seconds", 0), ("wall_seconds", float("nan")), ("memory_bytes", 2e9), ("threads", True)]
)
def test_limits_are_positive_numbers(name: str, value: float) -> None:
    with pytest.raises(InvalidOptionError, match=f"limit {name} is {value}"):
        Limits(**{name: value})


def test_a_preamble_that_fails_stops_there(sandbox: BubblewrapSandbox) -> None:
    done = sandbox.run("print('here')", preamble="1 / 0")
    assert (done.status, done.stdout) == (1, "")
    assert 'File "/preamble.py", line 1' in done.stderr


def test_programs_at_the_same_time_do_not_meet(sandbox: BubblewrapSandbox) -> None:
    code = (
        "import os, time\nopen('mine', 'w').write(str(name))\ntime.sleep(0.2)\nprint(os.listdir(), open('mine').read())"
    )
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda name: sandbox.run(code, preamble=f"name = {name}").stdout, range(4)))
    assert done == [f"['mine'] {name}\n" for name in range(4)]


def test_a_host_gets_outcomes_in_plain_json(sandbox: BubblewrapSandbox) -> None:
    performer = SandboxPerformer(sandbox, Limits(output_bytes=100))
    request = {
        "code": "import more\nprint('x' * 1000)\nresult = {more.name: value}",
        "preamble": "value = float(open('facts').read())",
        "files": {"facts": "0.5"},
        "modules": {"more": "name = '01'"},
    }
    outcome = performer.perform(request)
    assert outcome.pop("times")["wall"] > 0
    assert outcome == {
        "exit": 0,
        "signal": None,
        "limit": None,
        "stderr": "",
        "truncated": ["stdout"],
        "result_problem": None,
        "stdout": f"{'x' * 50}\n[901 bytes left out]\n{'x' * 49}\n",
        "result": '{"01": 0.5}',
    }
    refused = performer.perform({"code": "a\0"})
    assert (refused["exit"], refused["stderr"][:51]) == (1, "The program was not run: the program has a NUL char")


def test_a_player_is_not_told_of_the_hosts_folders() -> None:
    outcome = SandboxPerformer(BubblewrapSandbox("/secret/bwrap")).perform({"code": ""})
    assert list(outcome) == ["unavailable"]
    assert "secret" not in outcome["unavailable"]
