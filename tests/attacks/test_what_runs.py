"""A packed run names code; none of it runs unless it is known what it is (line 11)."""

from __future__ import annotations

import gzip
import importlib.metadata
import json
import os
import py_compile
import sys
from pathlib import Path

import pytest
from packed_runs import altered, finished

from whatworked.cli.submit import verify_run
from whatworked.errors import PluginError, RunError, WhatWorkedError
from whatworked.leaderboard import pack, unpack
from whatworked.leaderboard.rerunning import plan_of
from whatworked.leaderboard.trust import untrusted
from whatworked.plugins import load
from whatworked.runs import catalog_tasks
from whatworked.storage.canonical import sha256

MINE = "import numpy as np\ndef half(masks, utilities, cube):\n    return np.full(len(cube), 0.5)\n"


def plan_with(content, spec, origin="module"):
    def change(new):
        (estimator,) = new["plan"]["estimators"].values()
        estimator |= {"spec": spec, "origin": origin}

    return unpack(altered(content, change), "file").plan


def of_file(path, origin=None, names=()):
    files = [path, *(path.parent / name for name in names)]
    named = [f"{file.relative_to(path.parent).as_posix()} sha256:{sha256(file.read_bytes())}" for file in files]
    return origin or ", ".join(named)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "spec",
    [
        'subprocess:getoutput(cmd="touch OWNED")',
        "os:system(command='touch OWNED')",
        "own=os:system(command='touch OWNED')",
        "whatworked.cli:os.system(command='touch OWNED')",
        "whatworked.cli.streams:os.system",
        "sklearn.linear_model:Ridge",
        "sklearn.utils:os.system",
        "optuna:TPESampler",
        "optuna:os.system",
        "antigravity_of_ours:fly",
        'builtins:exec(object=\'open("OWNED", "w")\')',
        "ｏｓ:system",
    ],
)
def test_what_can_be_imported_is_not_run_unasked(small, here, spec):
    (here / "antigravity_of_ours.py").write_text("open('OWNED', 'w')\n")
    before = set(sys.modules)
    with pytest.raises(RunError, match=r"nothing was run: .*names 1 plug-in") as caught:
        plan_of(plan_with(small, spec))
    assert "--trust" in str(caught.value)
    assert not {"optuna", "antigravity_of_ours"} & (set(sys.modules) - before)
    assert not (here / "OWNED").exists()


def test_the_command_lists_what_would_run_and_runs_nothing(small, here, monkeypatch):
    from click.testing import CliRunner

    def change(new):
        new["plan"]["estimators"]["ridge-main"] |= {"spec": 'subprocess:getoutput(cmd="touch OWNED")', "origin": "x"}

    (here / "run.json.gz").write_bytes(altered(small, change))
    result = CliRunner().invoke(verify_run, ["run.json.gz", "--rerun", "--jobs", "1"])
    assert isinstance(result.exception, RunError)
    assert 'estimator subprocess:getoutput(cmd="touch OWNED"): something to import' in str(result.exception)
    assert not (here / "OWNED").exists()


def test_trust_loads_what_was_listed(small):
    plan = plan_with(small, "sklearn.linear_model:Ridge(alpha=2.0)", "scikit-learn 1")
    assert list(untrusted(plan)) == ["estimator sklearn.linear_model:Ridge(alpha=2.0)"]
    (estimator,) = plan_of(plan, trust=True).estimators
    assert estimator.label == "ridge-main"


@pytest.mark.parametrize("name", ["mean", "gp", "ridge-main"])
def test_names_of_the_package_run(small, name):
    assert untrusted(plan_with(small, name, "whatworked 0")) == {}


class _Package:
    def __init__(self, name, version):
        self.name, self.version = name, version


class _Point:
    """An entry point of another package, which must not be loaded."""

    value = "os:system"

    def __init__(self, name, version):
        self.name, self.dist = name, _Package("elsewhere", version)

    def load(self):
        raise AssertionError("it was imported")


def test_registered_names_run_if_the_package_is_the_stated_one(small, monkeypatch):
    points = [_Point("theirs", "1.0"), _Point("mean", "1.0")]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)
    assert untrusted(plan_with(small, "theirs", "elsewhere 1.0")) == {}
    (reason,) = untrusted(plan_with(small, "theirs", "elsewhere 2.0")).values()
    assert reason == "registered by elsewhere 1.0 as os:system; the run had it from elsewhere 2.0"
    # A name of the package stays the package's, whoever else registers it.
    plan = plan_with(small, "mean", "elsewhere 1.0")
    assert untrusted(plan) == {}
    assert str(plan_of(plan).estimators[0].origin).startswith("whatworked ")


def test_a_file_is_compared_before_it_runs(small, here):
    mine = here / "mine.py"
    mine.write_text(MINE)
    stated = of_file(mine)
    assert plan_of(plan_with(small, "./mine.py:half", stated)).estimators[0].sealed
    mine.write_text(MINE + "open('OWNED', 'w')\n")
    for trust in (False, True):
        with pytest.raises(PluginError, match="nothing was run, since this is another file"):
            plan_of(plan_with(small, "./mine.py:half", stated), trust=trust)
    assert not (here / "OWNED").exists()


@pytest.mark.parametrize("statement", ["import beside_a", "from beside_a import x", "import pack_a.inner"])
def test_files_beside_are_compared_before_anything_runs(small, here, statement):
    mine, name = here / "mine.py", "pack_a/inner.py" if "pack_a" in statement else "beside_a.py"
    mine.write_text(f"{MINE}def later():\n    {statement}\nopen('RUN', 'w')\n")
    (here / "pack_a").mkdir()
    (here / name).write_text("x = 1\n")
    stated = of_file(mine, names=[name])
    (here / name).write_text("x = 2\nopen('OWNED', 'w')\n")
    with pytest.raises(PluginError, match="another file"):
        plan_of(plan_with(small, "./mine.py:half", stated))
    # A run that states the own file alone says nothing of what it imports.
    with pytest.raises(PluginError, match="another file"):
        plan_of(plan_with(small, "./mine.py:half", of_file(mine)))
    assert not (here / "OWNED").exists()
    assert not (here / "RUN").exists()


def test_compiled_code_beside_is_not_used(here):
    (here / "poisoned_b.py").write_text("LEVEL = 2\n")
    stamp = (here / "poisoned_b.py").stat()
    cached = Path(py_compile.compile(str(here / "poisoned_b.py")))
    (here / "poisoned_b.py").write_text("LEVEL = 1\n")
    os.utime(here / "poisoned_b.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert cached.exists()
    (here / "mine.py").write_text("import poisoned_b\ndef level():\n    return poisoned_b.LEVEL\n")
    assert load("./mine.py:level", "estimator").thing() == 1


def test_what_was_read_is_what_runs(here, monkeypatch):
    """Whoever exchanges the file between the comparison and the import gains nothing."""
    from whatworked.plugins import resolve

    mine, other = here / "mine.py", here / "other.py"
    (here / "first.py").write_text("def level():\n    return 'first'\n")
    other.write_text("def level():\n    return 'other'\n")
    mine.symlink_to("first.py")
    read = resolve.local_files

    def exchanged(*given):
        found = read(*given)
        mine.unlink()
        mine.symlink_to("other.py")
        (here / "first.py").write_text(other.read_text())
        return found

    monkeypatch.setattr(resolve, "local_files", exchanged)
    plugin = load("./mine.py:level", "estimator")
    assert plugin.thing() == "first"


def test_a_file_of_the_folder_that_was_not_compared_is_not_imported(small, here):
    mine = here / "mine.py"
    (here / "hidden_c.py").write_text("open('OWNED', 'w')\n")
    mine.write_text("import importlib\nimportlib.import_module('hidden' + '_c')\n" + MINE)
    with pytest.raises(PluginError, match="No module named 'hidden_c'"):
        plan_of(plan_with(small, "./mine.py:half", of_file(mine)))
    assert str(here) not in sys.path
    assert not (here / "OWNED").exists()


@pytest.mark.parametrize(
    "attribute",
    ["os.system(command='touch OWNED')", "system(command='touch OWNED')", "half.__globals__", "np", "alias"],
)
def test_only_what_a_file_defines_is_taken_from_it(small, here, attribute):
    mine = here / "mine.py"
    mine.write_text(f"import os\nfrom os import system\n{MINE}alias = system\n")
    with pytest.raises(RunError, match=r"is no class or function that mine\.py defines"):
        plan_of(plan_with(small, f"./mine.py:{attribute}", of_file(mine)))


def test_files_that_everybody_has_are_no_proof(small, here):
    import subprocess

    import numpy

    import whatworked.wording

    (here / "mine.py").symlink_to(subprocess.__file__)
    places = [subprocess.__file__, numpy.__file__, whatworked.wording.__file__, str(here / "mine.py")]
    for place in places:
        spec = f"{place}:getoutput(cmd='touch OWNED')"
        with pytest.raises(RunError, match="whose bytes everybody knows"):
            plan_of(plan_with(small, spec, of_file(Path(place))))


def test_a_file_without_a_stated_digest_is_not_run(small, here):
    (here / "mine.py").write_text(MINE + "open('OWNED', 'w')\n")
    for origin in ("module", "numpy 2.0", "mine.py sha256:" + "0" * 63, "python object", ""):
        with pytest.raises(RunError, match="states no digest"):
            plan_of(plan_with(small, "./mine.py:half", origin))
    assert not (here / "OWNED").exists()


@pytest.mark.parametrize(
    "spec", ["/dev/zero:half", "/proc/self/mem.py:half", "./pipe.py:half", ".:half", "./a\0.py:half"]
)
def test_what_is_no_file_is_an_error_that_does_not_wait(small, here, spec):
    os.mkfifo(here / "pipe.py")
    with pytest.raises(WhatWorkedError):
        plan_of(plan_with(small, spec, "pipe.py sha256:" + "0" * 64))


def test_line_breaks_and_controls_in_a_name_are_shown_as_such(small):
    with pytest.raises(WhatWorkedError) as caught:
        plan_of(plan_with(small, "os:system(x='\x1b[2J\u202e\u2028')"))
    assert "\\x1b[2J\\u202e\\u2028" in str(caught.value)
    assert not {"\x1b", "\u202e", "\u2028"} & set(str(caught.value))


def test_workers_compare_before_they_run_too(here):
    import pickle

    (here / "mine.py").write_text(MINE)
    plugin = load("./mine.py:half", "estimator")
    sent = pickle.dumps(plugin)
    (here / "mine.py").write_text(MINE + "open('OWNED', 'w')\n")
    with pytest.raises(PluginError, match="changed while it was in use"):
        pickle.loads(sent)
    assert not (here / "OWNED").exists()


def test_files_of_the_current_folder_are_not_what_workers_start_with(here, monkeypatch):
    from whatworked.leaderboard import verified
    from whatworked.leaderboard.rerunning import rerun

    mine = here / "mine.py"
    mine.write_text(MINE)
    before = list(sys.path)
    run = finished(here / "run", catalog_tasks(["wine"]), ["./mine.py:half"], ["design-main"], budgets=(3,))
    # The folder of a plug-in of one's own is searched last; running a stranger's adds none.
    monkeypatch.setattr(sys, "path", before)
    packed = pack(run, "half")
    assert json.loads(gzip.decompress(packed))["plan"]["estimators"]["half"]["origin"] == of_file(mine)
    for name in ("joblib.py", "json.py", "numpy.py", "random.py", "lz4.py", "psutil.py", "multiprocessing.py"):
        (here / name).write_text("open('OWNED', 'a').write(__file__)\n")
    found = rerun(verified(unpack(packed, "file")), here / "again", jobs=1)
    assert sum(map(len, found.values())) == 1
    assert not found["different"]
    assert not (here / "OWNED").exists()


GROWING = MINE + "open({log!r}, 'a').write('x')\n"


@pytest.mark.parametrize("way", ["labels", "unfinished", "helper", "module"])
def test_an_edited_file_is_refused_before_it_is_run(here, monkeypatch, way):
    from run_helpers import lowest, synthetic_task

    from whatworked import bench

    monkeypatch.syspath_prepend(str(here))
    name = f"own_{way}"
    file, log = here / f"{name}.py", here / "log"
    code = GROWING.format(log=str(log))
    file.write_text(f"import helper_{name}\n{code}" if way == "helper" else code)
    (here / f"helper_{name}.py").write_text(code)
    text = f"{name}:half" if way == "module" else f"./{name}.py:half"
    given = [f"a={text}", ("b", text)] if way == "labels" else text
    task = synthetic_task("one", 2, 1)

    def run(budget=1, **how):
        return bench(given, lowest, budget, out="run", tasks=task, **how)

    run()
    monkeypatch.delitem(sys.modules, name, raising=False)
    edited = here / f"helper_{name}.py" if way == "helper" else file
    edited.write_text(edited.read_text() + "open('OWNED', 'w')\n")
    if way == "unfinished":
        (here / "run" / "manifest.json").unlink()
    seen = log.read_text()
    for budget in (1, 2):  # also where more differs
        with pytest.raises(WhatWorkedError, match=r"\.py was edited \(SHA-256 \w{8} → \w{8}\) since the run in"):
            run(budget)
    assert log.read_text() == seen
    assert not (here / "OWNED").exists()
