"""``whatworked check``."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from whatworked.cli.check import check
from whatworked.errors import InvalidOptionError, PluginError, UnknownNameError

SOUND = "def lowest(state, n):\n    return state.bits(state.unmeasured[:n])\n"
ESTIMATOR = "import numpy as np\ndef mean(masks, utilities, cube):\n    return np.full(len(cube), utilities.mean())\n"
BROKEN = "class Mine:\n    def fit(self, masks, utilities):\n        raise ValueError('not today')\n"


@pytest.fixture
def run(tmp_path):
    def invoke(text, name, *arguments):
        path = tmp_path / "mine.py"
        path.write_text(text)
        return CliRunner().invoke(check, [f"{path}:{name}", "--dimensions", "1-3", *arguments], catch_exceptions=True)

    return invoke


def test_a_sound_plugin_passes_and_its_kind_is_told(run):
    result = run(SOUND, "lowest")
    assert result.exit_code == 0
    assert "policy lowest (mine.py sha256:" in result.output
    assert "all 11 checks passed" in result.output
    assert "estimator mean" in run(ESTIMATOR, "mean").output


def test_a_broken_plugin_fails_with_the_cause_and_without_a_traceback(run):
    result = run(BROKEN, "Mine")
    assert result.exit_code == 1
    assert "FAIL  every size: ValueError: not today (d = 1, 2 measured masks)" in result.output
    assert "Traceback" not in result.output
    assert "Traceback" in run(BROKEN, "Mine", "--traceback").output


HANGING = """
import collections, itertools, os
def spins(masks, utilities, cube):
    if len(masks) > 3:
        while True:
            pass
    return cube[:, 0] * 0.5
def in_c(masks, utilities, cube):
    if len(masks) > 3:
        collections.deque(itertools.repeat(0), maxlen=0)
    return cube[:, 0] * 0.5
def ends(masks, utilities, cube):
    if len(masks) > 3:
        os._exit(0)
    return cube[:, 0] * 0.5
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("spins", "TimeLimitError: not done within the time limit of 0.5 s (d = 2, 4 measured masks)"),
        (
            "in_c",
            "TimeLimitError: not done within the time limit of 0.5 s, and could not be interrupted "
            "(d = 2, 4 measured masks)",
        ),
        ("ends", "it ended the process, or ran out of memory"),
    ],
)
def test_a_plugin_that_hangs_or_ends_its_process_is_named_and_the_other_checks_run(run, name, words):
    result = run(HANGING, name, "--kind", "estimator", "--dimensions", "2", "--time-limit", "0.5", "--traceback")
    assert result.exit_code == 1, result.output
    assert f"FAIL  every size: {words}" in result.output
    assert "ok    classes" in result.output
    assert re.search(r"\d of 12 checks failed", result.output)


def test_json(run):
    content = json.loads(run(BROKEN, "Mine", "--json").output)
    assert content["kind"] == "estimator"
    assert content["failed"] == sum(not one["passed"] for one in content["checks"]) > 0


@pytest.mark.parametrize(
    ("text", "name", "arguments", "error", "words"),
    [
        ("x = 3\n", "x", (), PluginError, "x' has neither fit nor ask: an estimator has fit"),
        ("class X:\n    def ft(self, a, b): pass\n", "X", (), PluginError, "neither fit nor ask; it has ft: an estim"),
        ("def x(one): pass\n", "x", (), PluginError, "cannot tell whether"),
        ("def f(a): ...\n", "f", (), PluginError, "say it with --kind"),
        (SOUND, "lowest", ("--dimensions", "0"), ValueError, "integers 1 to"),
        (SOUND, "lowest", ("--dimensions", "5-2"), InvalidOptionError, "ends before it begins"),
        (SOUND, "lowest", ("--dimensions", "a-b"), InvalidOptionError, "as in 1-8"),
        (SOUND, "lowest", ("--time-limit", "0"), InvalidOptionError, "--time-limit is 0; give more than 0"),
        (SOUND, "lowest", ("--time-limit", "nan"), InvalidOptionError, "--time-limit is nan; give more than 0"),
        ("import nonsense_module\n", "x", (), PluginError, "nonsense_module"),
    ],
)
def test_what_cannot_be_checked_is_an_error_with_a_name(run, text, name, arguments, error, words):
    result = run(text, name, *arguments)
    assert isinstance(result.exception, error)
    assert words in str(result.exception)


def test_registered_names(tmp_path):
    assert "estimator ridge-main" in CliRunner().invoke(check, ["ridge-main", "--dimensions", "2"]).output
    assert "policy gp-grid" in CliRunner().invoke(check, ["gp-grid", "--dimensions", "2"]).output
    assert isinstance(CliRunner().invoke(check, ["gp-grit"]).exception, UnknownNameError)
