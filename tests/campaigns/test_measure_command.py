"""Commands as pipelines, ask and tell, and what the command line says."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from whatworked.campaigns import Plan, open_campaign, read_options
from whatworked.campaigns.commands import Reading, Template
from whatworked.cli import cli
from whatworked.errors import InvalidOptionError, WhatWorkedError

TRAIN = """
import sys, time
lr = float(sys.argv[1]); amp = "--amp" in sys.argv
if lr == 0.1 and amp:
    sys.exit("diverged")
if "--slow" in sys.argv and amp:
    time.sleep(60)
print("acc=0.1")
print(f"acc={0.5 + 0.2 * (lr == 0.01) + 0.1 * amp:.2f}")
"""


def call(*arguments):
    result = CliRunner().invoke(cli, ["measure", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


@pytest.fixture
def train(tmp_path: Path, monkeypatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(TRAIN)
    template = f"{sys.executable} train.py {{lr}} {{amp:--amp|}} {{slow:--slow|}}"
    options = ["--option", "lr=0.1,0.01", "--option", "amp=off,on", "--option", "slow"]
    return ["--command", template, *options, "--read", "acc=([0-9.]+)"]


def test_a_command_with_a_broken_and_a_slow_corner(train: list[str]) -> None:
    shown = call(*train, "--dry-run")
    assert f"{sys.executable} train.py 0.1\n" in shown
    assert f"{sys.executable} train.py 0.01 --amp --slow\n" in shown
    assert not Path("campaign").exists()
    found = json.loads(
        call(*train, "--budget", 8, "--jobs", 4, "--batch", 4, "--time-limit", 4, "--json", "--table", "t.csv")
    )
    runs = {run["mask"]: run for run in found["runs"]}
    assert {mask: run["value"] for mask, run in runs.items() if run["value"] is not None} == {
        "000": 0.5, "001": 0.5, "100": 0.7, "101": 0.7, "110": 0.8,
    }  # fmt: skip
    assert runs["010"]["reason"] == "exit code 1; last line: diverged"
    assert "time limit of 4 s" in runs["111"]["reason"]
    assert runs["110"]["ran"] == [sys.executable, "train.py", "0.01", "--amp"]
    assert found["best"]["mask"] == "110"
    assert Path("t.csv").read_text().splitlines()[7] == "110,0.01,on,off,measured,0.8,0.8,0.8"


def test_a_function_in_a_file_goes_on_with_another_budget(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "import os\ndef f(s):\n    print('hi')\n    if s['a']: os._exit(3)\n    return s['b'] * 2\n"
    )
    words = ["./mine.py:f", "--option", "a", "--option", "b=0.5,x", "--budget"]
    shown = call(*words, 1, "--json")
    assert [run["value"] for run in json.loads(shown)["runs"]] == [1.0]
    shown = call(*words, 2)
    assert "2 runs: 1 result, 1 hole" in shown
    assert "exit code 3" in shown
    Path("mine.py").write_text("def f(s):\n    return 1\n")
    with pytest.raises(WhatWorkedError, match="other work"):
        call(*words, 3)


def test_ask_and_tell(tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    asked = json.loads(call("ask", bench, "-n", 2, "--option", "a", "--option", "b", "--json"))
    assert [item["mask"] for item in asked] == ["00", "11"]
    assert asked[1]["setting"] == {"a": True, "b": True}
    shown = call("tell", bench, "00=1.5", "11=out of memory")
    assert "out of memory" in shown
    with pytest.raises(InvalidOptionError, match="already, and 2 was told"):
        call("tell", bench, "00=2")
    assert "10  " in call("ask", bench) or "01  " in call("ask", bench)
    call("tell", bench, "01=1", "10=3", "--markdown", tmp_path / "r.md", "--page", tmp_path / "r.html")
    page = ElementTree.fromstring((tmp_path / "r.html").read_text().partition("</head>")[2].partition("</html>")[0])
    tips = [path[0].text for path in page.iter("{http://www.w3.org/2000/svg}path")]
    assert sorted(tip.partition(":")[0] for tip in tips) == ["a", "b"]
    assert "out of memory" in "".join(page.itertext())
    assert "## Best setting" in (tmp_path / "r.md").read_text()
    with open_campaign(bench) as campaign:
        assert campaign.ask() == ()
        assert [run.value for run in campaign.runs] == [1.5, None, 1.0, 3.0]


def test_a_table_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("cache,lr,score\nyes,0.01,3\nno,0.01,2\nyes,0.1,crashed\nno,0.1,1\n")
    found = json.loads(call("tell", tmp_path / "bench", "--file", tmp_path / "r.csv", "--json"))
    assert [(run["mask"], run["value"]) for run in found["runs"]] == [
        ("10", 3.0),
        ("00", 2.0),
        ("11", None),
        ("01", 1.0),
    ]
    (tmp_path / "bad.csv").write_text("cache,lr,score\nyes,0.01\n")
    with pytest.raises(InvalidOptionError, match="line 2"):
        call("tell", tmp_path / "bench", "--file", tmp_path / "bad.csv")


def test_interrupting_ends_programs_and_keeps_runs(tmp_path: Path) -> None:
    code = "import time,os; open('pid','w').write(str(os.getpid())); time.sleep(100 * {a}); print(1)"
    command = [sys.executable, "-m", "whatworked", "measure", "--command", f'{sys.executable} -c "{code}"']
    process = subprocess.Popen([*command, "--option", "a=0,1", "--budget", "2"], cwd=tmp_path, stderr=subprocess.PIPE)
    log = tmp_path / "campaign" / "logs" / "1.log"
    deadline = time.monotonic() + 120
    while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert (process.returncode, b"finished work is kept" in said) == (130, True)
    with open_campaign(tmp_path / "campaign") as campaign:
        assert [(run.mask, run.value) for run in campaign.runs] == [("0", 1.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run {lr}", "'amp' is not in"),
        ("run {lr} {amp} {x}", "no option 'x'"),
        ("run {lr} {amp} }", "brace"),
        ("", "empty"),
    ],
)
def test_templates_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(InvalidOptionError, match=message):
        Template.read(text, read_options({"lr": ("1", "2"), "amp": (False, True)}))


def test_templates_are_arguments_and_no_shell() -> None:
    options = read_options({"lr": ("$(id)", "a b; c"), "amp": (False, True)})
    template = Template.read("run --lr={lr} {amp:--amp|} '{amp}' {{x}}", options)
    assert template.fill(Plan(options), "00") == ["run", "--lr=$(id)", "off", "{x}"]
    assert template.fill(Plan(options), "11") == ["run", "--lr=a b; c", "--amp", "on", "{x}"]


def test_reading() -> None:
    assert Reading.of("loss (.*)$")("loss 2\nloss 1e-3\nend") == 0.001
    assert Reading.of(None)("a\n-0.5\nb") == -0.5
    assert "'none'" in Reading.of("loss (.*)$")("loss none")
    assert Reading.of("x")("a\nb") == "nothing in the output matches x; last line: b"
