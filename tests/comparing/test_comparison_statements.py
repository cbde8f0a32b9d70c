"""Saying what follows from a comparison, in statements and by the command."""

from __future__ import annotations

import json
from dataclasses import replace

from click.testing import CliRunner
from comparison_runs import Fails, flip, made, many_tasks
from run_helpers import lowest, mean, shuffled

from whatworked.cli.compare import compare as compare_command
from whatworked.comparing import collect_runs, compare_methods, uncompared
from whatworked.comparing.failures import failures, listed_failures, merged_causes
from whatworked.comparing.statements import multiplicity, overview, statement
from whatworked.errors import UnknownNameError
from whatworked.grading import score_named
from whatworked.statistics import Interval, compare


def rows_of(values):
    from whatworked.statistics.averages import Measurement

    return [Measurement(family, source, value) for (family, source), value in values.items()]


def stated(differences, low, high, missing=(0, 0), nothing=False):
    """Statement of a comparison with the given differences by (family, source)."""
    paired = compare(rows_of(differences), rows_of(dict.fromkeys(differences, 0.0)))
    families = {family for family, _ in differences}
    interval = Interval(paired.macro.mean, low, high, 0.95, 99, 0, len(families), len(differences))
    return statement(("new", "old"), "four track, B = 8", interval, paired, missing, nothing)


FIVE = [("f1", "s1"), ("f1", "s2"), ("f2", "s3"), ("f3", "s4"), ("f4", "s5")]


def test_a_clear_difference_may_be_stated_with_its_range():
    said = stated(dict(zip(FIVE, [0.1, 0.2, 0.1, 0.3, 0.2], strict=True)), 0.05, 0.25)
    assert said.verdict == "ahead"
    text = str(said)
    assert "new against old, four track, B = 8: +0.188 family-macro recovery (95% interval +0.050 to +0.250" in text
    assert "better on 5, equal on 0, worse on 0 of 5 sources" in text
    assert "new is ahead of old on sources and families like these" in text
    assert "like these (0.150 to 0.217 when any one source is left out)." in text


def test_exceptions_to_a_difference_are_named():
    said = stated(dict(zip(FIVE, [-0.1, -0.2, -0.1, 0.05, -0.2], strict=True)), -0.25, -0.01)
    assert said.verdict == "behind"
    assert "old is ahead of new on sources and families like these" in said.supports
    assert said.limits == ("It does not hold everywhere: on 1 source the difference has the other sign.",)
    assert "ahead of new on sources and families like these (0.067 to 0.150 when any one" in said.supports


def test_an_interval_around_nothing_allows_no_claim_either_way():
    said = stated(dict(zip(FIVE, [0.1, -0.2, 0.1, 0.1, -0.05], strict=True)), -0.12, 0.09)
    assert said.verdict == "undecided"
    assert "Neither is shown to be ahead, and they are not shown to be equal: differences up to 0.120" in said.supports


def test_a_difference_that_hangs_on_one_source_says_so():
    differences = dict(zip(FIVE, [-0.01, -0.01, -0.01, 0.4, -0.01], strict=True))
    said = stated(differences, 0.001, 0.2)
    assert said.verdict == "one source"
    assert "new is ahead of old only with s4" in said.supports


def test_few_families_allow_no_word_about_others():
    said = stated({("f1", "s1"): 0.3, ("f1", "s2"): 0.2, ("f2", "s3"): 0.2}, 0.1, 0.4)
    assert said.verdict == "ahead here"
    assert said.supports == (
        "On these 3 sources new is ahead of old; they are of 2 families: this says nothing of others."
    )
    assert stated({("f1", "s1"): 0.3, ("f1", "s2"): -0.2}, -0.1, 0.4).verdict == "undecided here"


def test_a_single_value_is_a_fact_about_its_source_without_an_interval():
    said = stated({("f1", "s1"): -0.3}, None, None)
    assert said.verdict == "behind here"
    assert said.difference.endswith("-0.300 family-macro recovery (better on 0, equal on 0, worse on 1 of 1 source).")
    assert said.supports == "On this source old is ahead of new; it is of 1 family: this says nothing of others."
    assert multiplicity(0, 0.95) == "A single value has no interval."


def test_less_is_better_of_an_error():
    differences = dict(zip(FIVE, [-0.1, -0.2, -0.1, -0.3, -0.2], strict=True))
    paired = compare(rows_of(differences), rows_of(dict.fromkeys(differences, 0.0)))
    interval = Interval(paired.macro.mean, -0.25, -0.05, 0.95, 99, 0, 4, 5)
    said = statement(("new", "old"), "four track, B = 8", interval, paired, score=score_named("effect-mae"))
    assert said.verdict == "ahead"
    assert "new is ahead of old" in said.supports


def test_two_that_delivered_nothing_are_not_called_the_same():
    said = stated(dict.fromkeys(FIVE, 0.0), 0.0, 0.0, missing=(5, 5), nothing=True)
    assert said.verdict == "missing"
    assert "Neither delivered anything" in said.supports
    assert overview("new", "old", ["missing"], [("four", 4)]).endswith("nothing delivered by either in 1 (B = 4).")


def test_equality_on_every_source_and_missing_deliveries():
    said = stated(dict.fromkeys(FIVE, 0.0), 0.0, 0.0, missing=(1, 3))
    assert said.verdict == "same"
    assert "0.000 family-macro recovery (95% interval 0.000 to 0.000;" in said.difference
    assert said.limits == (
        "1 delivery of new is missing and counts as recovery 0.",
        "3 deliveries of old are missing and count as recovery 0.",
    )


def test_one_source_per_family_says_nothing_about_a_family():
    said = stated({(f"f{k}", f"s{k}"): 0.1 + k / 100 for k in range(4)}, 0.08, 0.2)
    assert "With one source per family, this supports nothing about a single family." in said.limits


def test_overview_and_multiplicity():
    assert (
        overview("new", "old", ["ahead", "undecided", "undecided"])
        == "new against old, 3 comparisons: ahead in 1, undecided in 2."
    )
    places = [("four", 4), ("paired", 8), ("paired", 20)]
    assert overview("new", "old", ["ahead", "undecided", "undecided"], places).endswith(
        "ahead in 1 (four: B = 4), undecided in 2 (paired: B = 8, 20)."
    )
    assert overview("new", "old", ["undecided"], [("four", 4)]).endswith("undecided in 1 (B = 4).")
    assert overview("new", "old", ["same"]) == "new against old, 1 comparison: the same in 1."
    assert "78 comparisons were made, each at 95%: if no methods differed at all, about 3.9" in multiplicity(78, 0.95)
    assert multiplicity(1, 0.9).startswith("1 comparison was made")


def run_command(tmp_path, *arguments):
    made(tmp_path, estimators=[mean, flip, Fails], policies=[lowest, shuffled])
    return CliRunner().invoke(compare_command, [str(tmp_path / "run"), "--resamples", "99", *arguments])


def test_the_command_prints_every_section(tmp_path):
    result = run_command(tmp_path, "--baseline", "mean", "--sources", "--statements", "--details")
    assert result.exit_code == 0, result.output
    for heading in (
        "Family-macro effect recovery",
        "Comparison by comparison",
        "Paired differences by source",
        "Strict sources by tolerance",
        "Mean cost per record",
        "What the comparison supports",
    ):
        assert heading in result.output
    assert "30 of 90 deliveries are missing and count as recovery 0" in result.output
    words = " ".join(result.output.split())
    assert "Fails/lowest on 5 conditions (one, two, three, …), budgets 1, 3 (10 records): estimator: Runtime" in words
    assert "Fails/lowest against mean/lowest, 2 comparisons: behind in 2" in words
    listed = result.output.partition("Paired differences by source")[2].splitlines()
    assert [line.split()[-2] for line in listed[2:7]] == ["one", "two", "three", "four", "five"]
    assert "flip/lowest against mean/lowest, outside track, B = 1:" in " ".join(result.output.split())
    assert "None of this covers other budgets" in " ".join(result.output.split())
    assert result.output.startswith("flip/lowest is not shown to differ from mean/lowest")
    assert max(map(len, result.output.splitlines())) <= 80


def test_the_command_as_json(tmp_path):
    content = json.loads(run_command(tmp_path, "--json").output)
    assert len(content["figures"]) == 12
    assert content["records"] == 90
    assert len(content["failures"]) == 10
    assert content["not_compared"] == []


def test_the_command_is_narrowed_like_its_figures(tmp_path):
    arguments = ("--json", "--baseline", "lowest", "--budget", "3", "--method", "Fails/shuffled")
    content = json.loads(run_command(tmp_path, *arguments).output)
    standings = [one["standing"] for one in content["figures"]]
    assert {(one["budget"], one["method"]) for one in standings} == {(3, "Fails/lowest"), (3, "Fails/shuffled")}
    assert content["records"] == 10 + 5
    assert {tuple(one["budgets"]) for one in content["failures"]} == {(3,)}
    text = run_command(tmp_path, *arguments[1:]).output
    assert "mean" not in text.replace("Mean", "").replace("mean over seeds", "")
    assert "15 of 15 deliveries" in text


def test_nothing_is_left_out_of_a_single_source(tmp_path):
    heading = "Range when any one source is left out"
    made(tmp_path, "one", estimators=[mean, flip], tasks=many_tasks()[:1])
    made(tmp_path, "two", estimators=[mean, flip], tasks=many_tasks()[:2])
    arguments = ("--details", "--resamples", "9")
    shown = [CliRunner().invoke(compare_command, [str(tmp_path / name), *arguments]) for name in ("one", "two")]
    assert [heading in result.output for result in shown] == [False, True]
    assert [result.exit_code for result in shown] == [0, 0]


def test_the_command_names_unknown_baselines(tmp_path):
    assert isinstance(run_command(tmp_path, "--baseline", "nonesuch").exception, UnknownNameError)


def test_methods_without_a_counterpart_are_named_with_baselines_that_have_one(tmp_path):
    first = made(tmp_path, "a", estimators=[mean], policies=[lowest, shuffled])
    second = made(tmp_path, "b", estimators=[flip], policies=[lowest])
    runs = collect_runs([first, second])
    figures = compare_methods(runs, "lowest", resamples=9)
    roles = {one.standing.method: one.role for one in figures}
    assert roles == {"mean/lowest": "baseline", "mean/shuffled": "compared", "flip/lowest": "not compared"}
    said = (
        "flip/lowest: not compared, no counterpart under this baseline; try --baseline flip/lowest or mean/lowest.",
    )
    assert uncompared(runs, figures, "lowest") == said
    folders = [str(tmp_path / name) for name in "ab"]
    result = CliRunner().invoke(compare_command, [*folders, "--baseline", "lowest", "--resamples", "9"])
    assert said[0] in " ".join(result.output.split())
    for named in ("flip/lowest", "mean/lowest"):
        assert uncompared(runs, compare_methods(runs, named, resamples=9), named) == ()


def test_places_without_common_sources_are_named(tmp_path):
    tasks = many_tasks()
    tracks = [*tasks[:2], *(replace(task, track="other") for task in tasks[2:])]
    runs = collect_runs(
        [made(tmp_path, "a", estimators=[mean], tasks=tracks[:2]), made(tmp_path, "b", estimators=[flip], tasks=tracks)]
    )
    figures = compare_methods(runs, "mean/lowest", resamples=9)
    assert uncompared(runs, figures, "mean/lowest") == (
        "flip/lowest: not compared with mean/lowest on other: B = 1, 3, where they share no source.",
    )


def test_two_methods_that_always_fail_are_both_missing(tmp_path):
    runs = collect_runs([made(tmp_path, estimators=[Fails], policies=[lowest, shuffled])])
    verdicts = [one.against.statement.verdict for one in compare_methods(runs, "lowest", resamples=9) if one.against]
    assert verdicts == ["missing", "missing"]


def test_causes_that_differ_in_numbers_alone_are_one(tmp_path):
    def picky(masks, utilities, cube):
        raise ValueError(f"float{len(masks)} n_samples_fit = {len(masks)}, n_neighbors = 12")

    def counting(masks, utilities, cube):
        raise ValueError(f"n_samples_fit = {len(masks)}, n_neighbors = 12.")

    rows = made(tmp_path, estimators=[picky, counting]).rows()
    lines = listed_failures(rows)
    assert lines[-1] == (
        "counting/lowest on 5 conditions (one, two, three, …), budgets 1, 3 (10 records): "
        "estimator: ValueError: n_samples_fit = 3 or 5, n_neighbors = 12."
    )
    assert len(lines) == 3
    assert "budget 1 (5 records): estimator: ValueError: float3 n_samples_fit = 3," in lines[0]
    assert listed_failures(rows[:1])[0].startswith("picky/lowest on one, budget 1 (1 record): ")
    assert len(list(failures(rows))) == 15
    assert merged_causes([f"at {value}" for value in ("0.5", "-2", "7", "1e-3")]) == "at -2 to 7"
