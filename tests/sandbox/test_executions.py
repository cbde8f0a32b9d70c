"""What becomes of a program in the sandbox: output, tracebacks, names, results."""

from __future__ import annotations

import json

import pytest

from whatworked.errors import InvalidCodeError, InvalidOptionError, SandboxUnavailableError
from whatworked.sandbox import BubblewrapSandbox, Limits


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
    ("code", "said"),
    [
        (
            "def f():\n    return 1 / 0\n\nf()",
            'Traceback (most recent call last):\n  File "/program.py", line 4, in <module>\n    f()\n'
            '  File "/program.py", line 2, in f\n    return 1 / 0\n           ~~^~~\n'
            "ZeroDivisionError: division by zero\n",
        ),
        ("x = 1\ndef (", '  File "/program.py", line 2\n    def (\n        ^\nSyntaxError: invalid syntax\n'),
    ],
    ids=["raised", "syntax"],
)
def test_tracebacks_are_the_programs_own(sandbox: BubblewrapSandbox, code: str, said: str) -> None:
    done = sandbox.run(code, preamble="import json\n" * 5)
    assert (done.status, done.stdout, done.stderr) == (1, "", said)


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


def test_limits_are_positive() -> None:
    with pytest.raises(InvalidOptionError, match="wall_seconds"):
        Limits(wall_seconds=0)
