"""How this suite is run: the sample of slow tests, skips that may not be, the time it took, Ctrl-C that is ignored."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from slow_sample import sample, slow_but

SLOW = """
import pytest

@pytest.mark.slow
@pytest.mark.parametrize("number", range(40))
def test_slow(number):
    pass

def test_quick():
    pass
"""
SKIPPED = "import pytest\ndef test_browser():\n    pytest.skip('no browser; install one')\n"
MODULE_SKIPPED = "import pytest\npytest.skip('no browser; install one', allow_module_level=True)\n"


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """An empty suite with our options."""
    options = "-p slow_sample -p no_skips -p last_duration"
    pytester.makeini(f"[pytest]\naddopts = {options}\nmarkers = slow: exhaustive\n")
    return pytester


def test_a_sample_of_slow_tests_is_the_same_each_time_and_all_samples_are_everything(suite: pytest.Pytester) -> None:
    suite.makepyfile(SLOW)

    def chosen(*arguments: str) -> set[str]:
        lines = suite.runpytest_inprocess("--collect-only", "-q", *arguments).outlines
        return {line.partition("::")[2] for line in lines if "::" in line}

    everything = chosen()
    assert len(everything) == 41
    assert chosen("--slow-sample", "1") == everything
    fifth = chosen("--slow-sample", "5")
    assert "test_quick" in fifth
    assert 1 < len(fifth) < 20
    assert chosen("--slow-sample", "5") == fifth
    assert chosen("--slow-sample", "5", "-m", "slow") == fifth - {"test_quick"}
    of_all = chosen("--sample", "5")
    assert of_all - {"test_quick"} == fifth - {"test_quick"}
    assert chosen("--sample", "1") == everything


@pytest.mark.parametrize("option", ["--slow-sample", "--sample"])
@pytest.mark.parametrize("number", ["0", "-3", "many"])
def test_a_sample_of_none_is_refused(suite: pytest.Pytester, option: str, number: str) -> None:
    suite.makepyfile(SLOW)
    assert suite.inline_run(option, number).ret == pytest.ExitCode.USAGE_ERROR


def test_samples_are_of_about_the_size_asked_for_and_never_empty() -> None:
    names = [f"tests/a/test_b.py::test_c[{number}]" for number in range(1000)]
    assert 70 < len(sample(names, 10)) < 130
    assert len(sample(names[:3], 10**9)) == 1
    assert sample([], 10) == set()


def test_a_sweep_is_slow_but_for_what_shows_the_mechanism() -> None:
    swept = slow_but([1, 2, 3], quick={"2"})
    assert [(one.values, one.id, [mark.name for mark in one.marks]) for one in swept] == [
        ((1,), "1", ["slow"]),
        ((2,), "2", []),
        ((3,), "3", ["slow"]),
    ]
    with pytest.raises(ValueError, match="the sweep has no 4"):
        slow_but([1, 2, 3], quick={"4"})


@pytest.mark.parametrize("text", [SKIPPED, MODULE_SKIPPED], ids=["test", "module"])
def test_a_skip_is_shown_with_its_reason_and_fails_where_nothing_may_be_skipped(
    suite: pytest.Pytester, text: str
) -> None:
    suite.makepyfile(text)
    shown = suite.runpytest_inprocess("-ra")
    shown.assert_outcomes(skipped=1)
    shown.stdout.fnmatch_lines(["SKIPPED*no browser; install one"])
    refused = suite.runpytest_inprocess("--no-skips")
    assert refused.ret not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    refused.stdout.fnmatch_lines(["*no browser; install one*"])


def test_what_is_expected_to_fail_is_no_skip(suite: pytest.Pytester) -> None:
    suite.makepyfile("import pytest\n@pytest.mark.xfail(strict=True)\ndef test_it():\n    raise ValueError\n")
    suite.runpytest_inprocess("--no-skips").assert_outcomes(xfailed=1)


def test_the_time_of_the_same_tests_is_told_the_next_time(suite: pytest.Pytester) -> None:
    suite.makepyfile(SLOW)

    def told(*arguments: str) -> list[str]:
        lines = suite.runpytest_inprocess(*arguments).outlines
        return [line for line in lines if line.startswith("last time: ")]

    assert told("--collect-only") == []
    assert told() == []
    # How long they take is up to the machine.
    assert [line.rsplit(" in ", 1)[0] for line in told("-x")] == ["last time: 41 tests"]
    assert told("-m", "not slow") == []
    assert [line.rsplit(" in ", 1)[0] for line in told("-m", "not slow")] == ["last time: 1 test"]


def test_ctrl_c_is_heeded_by_processes_that_tests_start() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    assert done.stdout == "False\n"
