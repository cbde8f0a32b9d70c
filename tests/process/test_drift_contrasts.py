"""Contrasts within player and instance, against sums written out and a library's bootstrap."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from command_line import run_here

from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.environments.drift.settings import VARIANTS
from whatworked.episodes import Episode
from whatworked.episodes.about import About, note_player
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.players.drift import play_route
from whatworked.errors import InvalidOptionError
from whatworked.process.drift import Outcome, contrasts, criteria

OU, OA, DU, DA = VARIANTS


def test_contrasts_are_those_of_sums_written_out() -> None:
    random = np.random.default_rng(5)
    values = {v: random.normal(size=(12, 2)) + shift for v, shift in zip(VARIANTS, (0, 1, 2, 5), strict=True)}
    outcomes = [
        Outcome("one", f"i{n}", variant, {"y": value})
        for variant, table in values.items()
        for n, row in enumerate(table.tolist())
        for value in row
    ]
    # A second player lacks a variant and has a note aid on half of the instances; one value is undefined.
    outcomes += [Outcome("two", f"i{n}", OU, {"y": float(n)}) for n in range(12)]
    outcomes += [Outcome("two", f"i{n}", OA, {"y": 2.0 * n}) for n in range(12)]
    outcomes += [Outcome("two + aid", f"i{n}", OU, {"y": n + 0.5}) for n in range(6)]
    outcomes += [Outcome("two", "i0", OA, {"y": None})]
    found = {contrast.contrast: contrast for contrast in contrasts(outcomes, ["y"], resamples=4000)}
    m = {variant: table.mean(axis=1) for variant, table in values.items()}
    assert found["interaction"].interval.estimate == pytest.approx(np.mean((m[DA] - m[OA]) - (m[DU] - m[OU])))
    assert found["disclosed"].interval.estimate == pytest.approx(np.mean((m[DU] + m[DA] - m[OU] - m[OA]) / 2))
    assert found["disclosed, aligned"].interval.estimate == pytest.approx(np.mean(m[DA] - m[OA]))
    assert (found["posted"].players, found["posted"].pairs) == (1, 12)
    # Two players of equal weight, whatever their number of episodes.
    both = found["posted, open"]
    assert (both.players, both.pairs) == (2, 24)
    assert both.interval.estimate == pytest.approx((np.mean(m[OA] - m[OU]) + np.mean(np.arange(12.0))) / 2)
    assert (found["aid"].pairs, found["aid"].interval.estimate) == (6, pytest.approx(0.5))
    theirs = scipy.stats.bootstrap(
        (m[DA] - m[OA],), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    ours = found["disclosed, aligned"].interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.06)
    with pytest.raises(InvalidOptionError, match="nothing to contrast"):
        contrasts(outcomes[:24], ["y"])


def test_the_command_finds_what_posting_gives_the_route(tmp_path: Path) -> None:
    rules = DriftEnvironment()
    for variant in VARIANTS:
        with Episode(tmp_path / "all" / variant, rules, rules.find("evaluation-003"), {"variant": variant}) as episode:
            note_player(episode.folder, About(player="route"))
            if variant == OA:
                Game(episode).note(text=criteria()["XC1"].positive.notes)
            play_route(Game(episode))
    given = ("drift", "contrasts", str(tmp_path / "all"))
    shown = run_here(*given)
    assert shown.returncode == 0, shown.stderr
    # The route satisfies one detector more where transcripts are posted, CA1; the document changes nothing.
    assert re.search(r"^evidence +posted, open +1 +1 +\+1\.000 +-$", shown.stdout, re.MULTILINE)
    assert re.search(r"^evidence +disclosed +1 +1 +0\.000 +-$", shown.stdout, re.MULTILINE)
    out = tmp_path / "judged"
    assert run_here("drift", "judge", str(tmp_path / "all" / OA), "--judge", "stub", "--out", str(out)).returncode == 0
    rows = json.loads(run_here(*given, "--judgements", str(out), "--measure", "reach", "--json").stdout)
    assert [row["interval"]["estimate"] for row in rows] == [0.0] * 7
    # Without notes nothing is grounded; the one judged block counts from its evidence on.
    rows = json.loads(run_here(*given, "--judgements", str(out), "--measure", "blocks", "--json").stdout)
    assert [row["interval"]["estimate"] for row in rows] == [1.0, 0.0, 0.5, 0.0, -1.0, -0.5, -1.0]
    shutil.copy(out / f"{OA}.judgement.json", out / f"{OU}.judgement.json")
    other = tmp_path / "all" / "other"
    with Episode(other, rules, rules.find("evaluation-003"), {"budget": 20}) as episode:
        Game(episode).act(verb="wait", n=3)
    mistakes = {
        "is of another episode": ("--judgements", str(out)),
        "unknown measure 'blocks'": ("--measure", "blocks"),
    }
    for message, more in mistakes.items():
        shown = run_here(*given, *more)
        assert (shown.returncode, shown.stdout, message in shown.stderr) == (2, "", True), shown.stderr
    assert "it is not finished" in run_here(*given).stderr
    with Episode(other, rules, rules.find("evaluation-003"), {"budget": 20}) as episode:
        Game(episode).yield_remaining_budget()
        while not episode.closed:
            Game(episode).act(verb="wait", n=24)
    assert "budgets of 20, 200 paid actions" in run_here(*given).stderr
