"""Nothing that others wrote steers a terminal, and no spreadsheet takes a name for a formula (line 13)."""

from __future__ import annotations

import csv
import io
import json
import sys
import unicodedata

import pytest
from command_line import run_apart, run_here
from hypothesis import given
from hypothesis import strategies as st
from packed_runs import altered

from whatworked.cli import output
from whatworked.cli.rows import print_rows
from whatworked.plugins import load
from whatworked.plugins.guard import guarded
from whatworked.plugins.said import EscapedStream
from whatworked.progress import progress
from whatworked.runs import Plan, catalog_tasks, crossed, read_run
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import claim, finish
from whatworked.runs.tidy import as_csv
from whatworked.surfaces.exports import Column, FlatTable
from whatworked.wording import csv_lines, csv_text, from_csv_text, printable

STEERING = {
    "clear": "\x1b[2J",
    "title": "\x1b]0;x\x07",
    "return": "\r",
    "back": "\b\b",
    "del": "\x7f",
    "csi": "\x9b2J",
    "next line": "\x85",
    "override": "\u202e",
    "isolate": "\u2066\u2069",
    "mark": "\u200f",
    "joiner": "\u200b\u200d\ufeff",
    "filler": "\u3164\u115f",
    "selector": "\ufe0f\U000e0101",
    "tag": "\U000e0041",
    "line": "\u2028",
    "paragraph": "\u2029",
    "surrogate": "\ud800",
    "vertical": "\x0b\x0c",
    "null": "\0",
}
TEXTS = [pytest.param(text, id=name) for name, text in STEERING.items()]


def steers(text):
    """The characters of a text that steer a terminal or are not seen, told by their Unicode categories."""
    kinds = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    unseen = "\u3164\u115f\u1160\uffa0\u034f\ufe0f\U000e0101"
    return {letter for letter in text if letter != "\n" and (unicodedata.category(letter) in kinds or letter in unseen)}


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_escaped_and_said(text):
    shown = printable(f"a{text}b")
    assert not steers(shown)
    assert shown.encode().decode("unicode_escape") == f"a{text}b"


@given(st.text())
def test_nothing_that_steers_is_left_and_what_is_escaped_stays_so(text):
    shown = printable(text)
    assert not steers(shown)
    assert printable(shown) == shown


@pytest.mark.parametrize("text", ["naïve Δ 中文 עברית العربية हिन्दी", "… × – → “x” 😀", "a\u00a0b\u3000c"])
def test_letters_of_every_script_stay(text):
    assert printable(text) == text


@pytest.mark.parametrize("text", TEXTS)
def test_tables_prose_and_json_of_commands(text, capsys):
    output.print_table([("a", f"x{text}y\nz"), (text, "b")])
    output.print_text(f"said {text}")
    output.print_text(f"said {text}", errors=True)
    output.echo(f"said {text}")
    print_rows([{"name": f"n{text}", "value": 1.0}], "table")
    out, err = capsys.readouterr()
    assert not steers(out + err)
    assert out.startswith(f"a  {''.ljust(0)}") or "\\nz" in out
    assert "\\nz" in out
    value = {f"k{text}": [text, "Δ\n"]}
    output.print_json(value)
    shown = capsys.readouterr().out
    assert not steers(shown)
    assert json.loads(shown) == value


@pytest.mark.parametrize("text", TEXTS)
def test_packed_runs(small, tmp_path, text):
    def name(new):
        new["name"] = f"ours{text}"

    def note(new):
        new["note"] = text

    def condition(new):
        new["records"][0][0] = f"wine{text}\n  and all is well"

    def failure(new):
        new["records"][0][6:8] = [None, f"died {text}"]

    def spec(new):
        new["plan"]["estimators"]["ridge-main"]["spec"] = f"nothing{text}"

    def label(new):
        new["plan"]["methods"][0]["estimator"] = f"{text}x"

    def field(new):
        new["plan"][f"f{text}"] = 1

    path = tmp_path / "run.json.gz"
    for change in (name, note, condition, failure, spec, label, field):
        if text == "\ud800":
            path.write_bytes(b"\x1f\x8b" + text.encode("utf-8", "surrogatepass"))
        else:
            path.write_bytes(altered(small, change))
        for further in ((), ("--json",), ("--rerun",)):
            ended = run_here("verify-run", str(path), *further)
            assert not steers(ended.stdout + ended.stderr)
            assert "\n  and all is well" not in ended.stderr


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b2J", "\u202e", "\u2028"])
def test_arguments_and_names_of_files(tmp_path, text):
    (tmp_path / f"f{text}.json.gz").write_bytes(b"")
    (tmp_path / f"f{text}.json").write_text("{}")
    for arguments in (
        ("verify-run", str(tmp_path / f"f{text}.json.gz")),
        ("verify-run", str(tmp_path / f"absent{text}")),
        ("grade", "wine", str(tmp_path / f"f{text}.json")),
        ("grade", f"wine{text}", "x"),
        ("show", f"wine{text}"),
        (f"show{text}", "wine"),
        ("show", f"--{text}"),
        (f"--{text}",),
        ("bench", "--estimator", f"m{text}", "--policy", "random"),
        ("bench", "--seeds", text),
        ("leaderboard", "--track", text),
        ("sources", "check", f"wine{text}"),
    ):
        ended = run_here(*arguments)
        assert ended.returncode == 2
        assert not steers(ended.stdout + ended.stderr)


SAYING = (
    "import sys, numpy as np\n"
    "print('importing \\x1b[2J')\n"
    "def mine(masks, utilities, cube):\n"
    "    print('fitting \\x1b[2J\\r'); sys.stderr.write('\\x9b2J'); sys.stdout.buffer.write(b'\\x1b[3J')\n"
    "    raise ValueError('no \\x1b[2J\\u202e')\n"
)


def test_what_plugins_print_and_die_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saying.py").write_text(SAYING)
    how = ("--estimator", "./saying.py:mine", "--policy", "design-main", "--budgets", "3", "--condition", "wine")
    ended = run_apart("bench", *how, "--jobs", "1", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    assert "importing \\x1b[2J" in ended.stderr
    assert "fitting \\x1b[2J\\r" in ended.stderr
    assert not steers(ended.stdout + ended.stderr)
    assert not steers((tmp_path / "run" / "plugins.log").read_text())
    (record,) = read_run("run").records
    assert record.failure == "estimator: ValueError: no \x1b[2J\u202e"
    for command in (("compare", "run"), ("compare", "run", "--json"), ("report", "run")):
        ended = run_here(*command)
        assert not steers(ended.stdout + ended.stderr)


def test_a_stream_of_plugins_passes_on_what_may_be_shown():
    behind = io.StringIO()
    stream = EscapedStream(behind)
    print("a\tΔ", file=stream)
    print("\x1b[2J", file=stream)
    stream.buffer.write(b"\xff\x1b\n")
    assert behind.getvalue() == "a\tΔ\n\\x1b[2J\n\\xff\\x1b\n"
    assert not stream.isatty()


def test_output_is_put_back_after_a_failure():
    before = sys.stdout, sys.stderr
    with guarded("here"):
        raise ValueError
    assert (sys.stdout, sys.stderr) == before


class _Terminal(io.StringIO):
    def isatty(self):
        return True

    def fileno(self):
        return 2


def test_the_progress_bar(monkeypatch):
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("os.get_terminal_size", lambda number: (0, 0))
    with progress(2, "records", label="bench") as bar:
        bar.set_postfix_str("m\x1b[2J\u202e")
        bar.update()
    assert "m\\x1b" in terminal.getvalue()
    assert not steers(terminal.getvalue()) - {"\r"}


FORMULAS = [
    '=HYPERLINK("http://x")',
    "+1+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "'=1",
    "''@x",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_file_has_a_formula_in_a_cell(text, capsys):
    column = Column("option_name", "string", "", "")
    texts = [
        FlatTable("t", (column,), ((text,),)).to_csv().decode(),
        as_csv([{"option_name": text}]),
    ]
    print_rows([{"option_name": text}], "csv")
    texts.append(capsys.readouterr().out if not steers(text) else texts[0])
    for written in texts:
        _, (cell,) = csv.reader(io.StringIO(written, newline=""))
        assert cell == f"'{text}"
        assert from_csv_text(cell) == text


@pytest.mark.parametrize("text", ["-1", "+0.5", "1e-05", "-.5", "wine", "'quoted'", "", "0100", "a=b", "-2.5E+3"])
def test_numbers_and_ordinary_texts_keep_their_bytes(text):
    assert csv_text(text) == text


@given(st.lists(st.lists(st.text() | st.integers() | st.floats() | st.none() | st.booleans(), min_size=1)))
def test_rows_are_read_back_by_the_standard_library(rows):
    written = csv_lines(rows)
    expected = [[from_csv_text(cell) for cell in row] for row in csv.reader(io.StringIO(written, newline=""))]
    told = [["" if v is None else str(int(v)) if isinstance(v, bool) else str(v) for v in row] for row in rows]
    assert expected == told


@given(st.lists(st.lists(st.text(st.characters(exclude_characters="\r")), min_size=1)))
def test_bytes_are_those_of_the_standard_library(rows):
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([[csv_text(cell) for cell in row] for row in rows])
    assert csv_lines(rows) == stream.getvalue()


@given(st.text(alphabet="'=+-@\t\ra1.e") | st.text())
def test_the_rule_can_be_reversed(text):
    assert from_csv_text(csv_text(text)) == text


def test_numbers_stay_numbers_and_labels_come_back(tmp_path):
    assert as_csv([{"a": -0.5, "b": True, "c": None, "d": -3}]) == "a,b,c,d\n-0.5,1,,-3\n"
    labelled = [load("+mine=mean", "estimator")]
    plan = Plan(tuple(catalog_tasks(["wine"])), crossed(labelled, [load("design-main", "policy")]), (3,), 1)
    claim(tmp_path, plan)
    run = finish(tmp_path, plan, run_in_process(plan), {})
    for file in ("records.csv", "costs.csv"):
        assert "'+mine/design-main" in (tmp_path / file).read_text()
    assert read_run(tmp_path).costs == run.costs


def test_the_page_escapes_what_others_wrote(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text(
        "def broken(masks, utilities, cube):\n    raise ValueError('</script><img src=x onerror=alert(1)>')\n"
    )
    how = ("--policy", "design-main", "--budgets", "3", "--condition", "wine", "--jobs", "1", "--out", "run")
    assert run_here("bench", "--estimator", "./broken.py:broken", *how).returncode == 0
    assert run_here("report", "run", "--title", "<b>=1</b>", "--out", "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "alert(1)" in page
    assert "<img src=x" not in page
    assert "<b>=1</b>" not in page
