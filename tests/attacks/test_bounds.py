"""Whatever a stranger's file is, reading it ends with a named error, within bounded memory (line 12)."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zlib

import pytest
from command_line import run_here
from packed_runs import finished, sealed

from whatworked.errors import InvalidArtifactError, ReferenceTableError, RunError, StorageError, WhatWorkedError
from whatworked.grading.artifact import read_artifact
from whatworked.leaderboard import unpack
from whatworked.leaderboard.packing import LARGEST, read_packed
from whatworked.references import load_table
from whatworked.runs import catalog_tasks, read_run
from whatworked.storage.canonical import sha256
from whatworked.storage.files import read_file
from whatworked.storage.json_text import parse_json

GIB = 1 << 30

READ_LIMITED = """
import resource, sys
from pathlib import Path
from whatworked.errors import WhatWorkedError
from whatworked.leaderboard.packing import read_packed
from whatworked.grading.artifact import read_artifact
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
try:
    if sys.argv[2] == "packed":
        read_packed(Path(sys.argv[3]))
    else:
        read_artifact(Path(sys.argv[3]).read_bytes(), 20)
except WhatWorkedError as error:
    print(error)
"""


def read_limited(kind, path):
    """What is said of a file by a process that may use 1 GiB beside what importing takes."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    limit = GIB + (512 << 20)  # address space that libraries reserve and do not use
    command = [sys.executable, "-c", READ_LIMITED, str(limit), kind, str(path)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout


def repeated(unit, times):
    """A packed list of one value again and again."""
    stream = zlib.compressobj(1, wbits=31)
    return stream.compress(b"[") + stream.compress(unit * times) + stream.compress(b"0]") + stream.flush()


@pytest.mark.parametrize(
    ("unit", "times", "reason"),
    [
        (b"[],", 40_000_000, "arrays and objects, more than"),
        (b'{"":0},', 15_000_000, "arrays and objects, more than"),
        (b"0.5,", 30_000_000, "values, more than"),
        (b"[]," * 10, 20_000_000, "unpacks to more than 128 MiB"),
        (b"12345678,", 8_300_000, "not a packed run of schema 1"),
        (b"{},", 1_000_000, "not a packed run of schema 1"),
    ],
)
def test_a_packed_text_takes_bounded_memory(tmp_path, unit, times, reason):
    path = tmp_path / "run.json.gz"
    path.write_bytes(repeated(unit, times))
    assert reason in read_limited("packed", path)


@pytest.mark.parametrize("unit", [b'"0":[],', b"[],", b'{"":0},', b'"0":0,'])
def test_a_prediction_table_takes_bounded_memory(tmp_path, unit):
    path = tmp_path / "table.json"
    path.write_bytes(b'{"1":' + b"[" * (unit == b"[],") + unit.partition(b":")[2] + unit * (200_000_000 // len(unit)))
    assert "prediction table refused" in read_limited("artifact", path)


DEEP = b"[" * 100_000
LONG = b"9" * 1_000_000


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (DEEP, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"kind":' + LONG + b"}", "digits"),
        (b'{"kind":"whatworked run","kind":"whatworked run","schema":1}', "the key 'kind' more than once"),
        (b'{"kind":NaN}', "NaN, which is no number"),
        (b'{"kind":-Infinity}', "-Infinity, which is no number"),
        (b'{"kind":"\\ud800"}', "surrogates not allowed"),
        (b'{"kind":"\xff"}', "can't decode byte"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b'{"kind":1} {}', "Extra data"),
        (b"\x00" * 1000, "Expecting value"),
    ],
)
def test_what_is_no_sound_json_is_said_in_few_words(text, reason):
    with pytest.raises(RunError, match=reason) as caught:
        unpack(gzip.compress(text), "file")
    assert len(str(caught.value)) < 600


def test_a_key_of_any_length_is_shown_in_part(small):
    new = json.loads(json.dumps(small))
    new["plan"]["x" * 1_000_000] = 1
    new["plan"]["conditions"] = "y" * 1_000_000
    with pytest.raises(RunError) as caught:
        unpack(sealed(new), "file")
    assert len(str(caught.value)) < 1000


def test_what_follows_or_lacks_is_refused(small):
    data = sealed(small)
    assert unpack(data, "file").name == "ours"
    for wrong in (data + data, data + b"\0", data[:-1], data[:-8], data[:-1] + b"\xff", gzip.compress(data)):
        with pytest.raises(RunError, match="is not a packed run"):
            unpack(wrong, "file")
    with pytest.raises(RunError, match="unpacks to more than"):
        unpack(gzip.compress(bytes(LARGEST + 1), 1), "file")


@pytest.mark.parametrize("member", ["seeds", "batch", "budgets"])
def test_counts_of_a_plan_are_bounded(small, member):
    for count in (10**22, 2**63, 1_048_577):
        new = json.loads(json.dumps(small))
        new["plan"][member] = [count] if member == "budgets" else count
        with pytest.raises(RunError, match="plan: "):
            unpack(sealed(new), "file")


def test_digests_are_those_of_the_whole_text(small):
    content = {name: value for name, value in small.items() if name != "digest"}
    for records in (content["records"], []):
        new = {**content, "records": records, "ä": {"b": []}}
        text = json.dumps(new, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        from whatworked.leaderboard.packing import _digest

        assert _digest(new) == sha256(text.encode())


@pytest.fixture
def odd(tmp_path):
    """Things in the place of a file."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(40 << 30)
    (tmp_path / "link").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


ODD = [
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/mem",
    "/proc/kmsg",
    "/proc/self/maps",
    "pipe",
    "folder",
    "sparse",
    "link",
    "loop",
]


@pytest.mark.parametrize("name", ODD)
def test_what_is_no_file_is_a_named_error_at_once(odd, name):
    path = odd / name
    with pytest.raises((StorageError, RunError)):
        read_packed(path)
    ended = run_here("verify-run", str(path))
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: ")


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "folder", "sparse", "/proc/self/mem"])
def test_the_other_readers_do_not_wait_either(odd, name, tmp_path):
    path = odd / name
    assert run_here("grade", "wine", str(path)).returncode == 2
    table = tmp_path / "table.json"
    table.write_text(json.dumps({f"{rank:04b}": 0.5 for rank in range(16)}))
    assert run_here("grade", "wine", str(table)).returncode == 0
    assert run_here("grade", "wine", str(table), "--observed", str(path)).returncode == 2
    board = tmp_path / "board"
    board.mkdir()
    (board / "run.json.gz").symlink_to(path)
    assert run_here("leaderboard", "--results", str(board)).returncode == 2
    for file in ("index.json", "wine.tsv"):
        where = tmp_path / f"references-{file}"
        where.mkdir()
        import whatworked.references as shipped

        for known in ("index.json", "wine.tsv"):
            target = path if known == file else shipped.folder() / known
            (where / known).symlink_to(target)
        ended = run_here("show", "wine", "--references", str(where))
        assert (ended.returncode, ended.stderr[:6]) == (2, "error:")


@pytest.mark.parametrize("file", ["manifest.json", "records.jsonl", "surfaces.json", "costs.csv"])
@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "deep"])
def test_a_run_folder_is_read_with_the_same_care(odd, tmp_path, file, name):
    if file != "manifest.json" and name == "/dev/zero":
        name = "folder"
    (odd / "deep").write_bytes(b"condition\n" + DEEP + b"\n" if file == "costs.csv" else DEEP)
    run = finished(tmp_path / "run", catalog_tasks(["wine"]), ["mean"], ["design-main"], budgets=(3,))
    assert read_run(tmp_path / "run").records == run.records
    (tmp_path / "run" / file).unlink()
    (tmp_path / "run" / file).symlink_to(odd / name)
    if file == "costs.csv":  # results do not depend on it: a warning says what is wrong with it
        assert read_run(tmp_path / "run").costs == ()
        return
    with pytest.raises(WhatWorkedError):
        read_run(tmp_path / "run")


@pytest.mark.parametrize(
    "text", [DEEP, b'{"schema":1,"tables":' + DEEP, LONG, b"\xff\xfe", b"null", b'{"schema":1e999}']
)
def test_an_index_of_others_is_read_with_the_same_care(tmp_path, text):
    (tmp_path / "index.json").write_bytes(text)
    with pytest.raises(ReferenceTableError):
        load_table("wine", tmp_path)


def test_a_table_of_others_is_read_with_the_same_care():
    from whatworked import references
    from whatworked.references.schema import parse

    data = references.table_path("wine").read_bytes()
    title, columns, first, rest = data.split(b"\n", 3)
    fields = first.split(b"\t")
    fields[5] = DEEP
    deep = b"\n".join([title, columns, b"\t".join(fields), rest])
    many = title.replace(b'"options":[', b'"options":[' + b'["A","a","b","c"],' * 60)
    nested = title.replace(b'"unit"', b'"unity":' + DEEP + b',"unit"')
    for wrong in (deep, b"\n".join([many, columns, first, rest]), b"\n".join([nested, columns, first, rest])):
        with pytest.raises(WhatWorkedError):
            parse(wrong, "table")


@pytest.mark.parametrize(
    "text", [DEEP, '{"0000":' + "9" * 1_000_000 + "}", '{"0000":1e999}', '{"' + "0" * 100_000 + '":1}']
)
def test_a_prediction_table_is_refused_in_few_words(text):
    with pytest.raises(InvalidArtifactError) as caught:
        read_artifact(text, 4)
    assert len(str(caught.value)) < 1000


HUGE = "10000000000000000000000"


@pytest.mark.parametrize(
    "arguments",
    [
        ("bench", "--estimator", "mean", "--policy", "random", "--seeds", HUGE),
        ("bench", "--estimator", "mean", "--policy", "random", "--batch", HUGE),
        ("bench", "--estimator", "mean", "--policy", "random", "--jobs", HUGE),
        ("bench", "--estimator", "mean", "--policy", "random", "--budgets", HUGE),
        ("bench", "--estimator", "mean", "--policy", "random", "--time-limit", HUGE),
        ("rebuild", "wine", "--jobs", HUGE),
        ("verify", "wine", "--jobs", HUGE),
        ("verify", "wine", "--sample", HUGE),
        ("verify", "wine", "--sample", "nan"),
        ("controls", "run", "wine", "--jobs", HUGE),
        ("verify-run", "run.json.gz", "--rerun", "--jobs", HUGE),
        ("compare", "run", "--resamples", HUGE),
        ("compare", "run", "--confidence", HUGE),
        ("report", "run", "--resamples", HUGE),
        ("inference", "loo", "--relabel", HUGE),
        ("check", "mean", "--dimensions", HUGE),
        ("check", "mean", "--dimensions", "1-" + "9" * 5000),
        ("check", "mean", "--time-limit", HUGE),
        ("leaderboard", "--budget", "9" * 5000),
    ],
    ids=lambda given: " ".join((*given[:2], *given[-2:-1])),
)
def test_every_count_has_an_upper_bound(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = run_here(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: ")


def test_counts_are_bounded_from_python_too(tmp_path):
    from whatworked import bench
    from whatworked.errors import InvalidOptionError

    for name, most in (("seeds", 10_000), ("batch", 1_048_576)):
        for count in (10**22, 10**5000, most + 1):
            with pytest.raises(InvalidOptionError, match=f"{name} is .*; it must be at most {most}$"):
                bench("mean", "random", 3, tmp_path / "run", **{name: count})


def test_a_bound_is_told_from_one_byte_less(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    assert read_file(tmp_path / "file", 5) == b"12345"
    with pytest.raises(StorageError, match="more than the 4 bytes allowed"):
        read_file(tmp_path / "file", 4)
    assert parse_json(b"[[1],{}]", containers=3, values=2) == [[1], {}]
    with pytest.raises(ValueError, match="3 arrays and objects, more than the 2 allowed"):
        parse_json(b"[[1],{}]", containers=2, values=2)
    with pytest.raises(ValueError, match="2 values, more than the 1 allowed"):
        parse_json(b"[[1],{}]", containers=3, values=1)
