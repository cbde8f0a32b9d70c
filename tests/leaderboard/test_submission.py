"""The form of a packed run."""

from __future__ import annotations

import gzip

import pytest
from command_line import run_here
from packed_runs import altered

from whatworked.errors import InvalidOptionError, RunError, StorageError
from whatworked.leaderboard import board_of, pack, unpack, verified


def test_a_run_survives_the_way_through_a_file(run):
    data = pack(run, "ours", "nothing tuned")
    assert data == pack(run, "ours", "nothing tuned")
    submission = unpack(data, "file")
    assert (submission.name, submission.note) == ("ours", "nothing tuned")
    again = verified(submission)
    for mine, theirs in zip(run.records, again.records, strict=True):
        assert mine.predictions == theirs.predictions
        assert mine.purchases == theirs.purchases
        assert mine.aliases == theirs.aliases
        assert mine.grade == theirs.grade
    assert any(one.aliases for one in again.records)


def test_a_run_is_not_packed_with_a_note_that_could_pass_for_output(run):
    with pytest.raises(InvalidOptionError, match=r"the note of the run is 'a.*b'; give a text in one line, or none"):
        pack(run, "ours", "a\x1b[1mb")


@pytest.mark.parametrize("name", ["", " ", "two\nlines"])
def test_a_run_is_not_packed_without_a_name(run, name):
    with pytest.raises(InvalidOptionError, match=r"the name of the run is .*; give a text in one line"):
        pack(run, name)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not a packed run"),
        (b"not gzip", "is not a packed run"),
        (gzip.compress(b"{", mtime=0), "is not a packed run"),
        (gzip.compress(b"[]", mtime=0), "is not a packed run of schema"),
        (gzip.compress(b'{"kind":"whatworked run","schema":99}', mtime=0), "is not a packed run of schema"),
        (gzip.compress(b'{"kind":"whatworked run","schema":1,"x":NaN}', mtime=0), "NaN, which is no number"),
        (gzip.compress(b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", mtime=0), "it is nested too deeply"),
        (gzip.compress(b'{"kind":"whatworked run","schema":1,"x":1e400}', mtime=0), "is not a packed run: "),
        (gzip.compress(b'{"kind":"whatworked run","schema":1,"x":"\\ud800"}', mtime=0), "is not a packed run: "),
        (gzip.compress(b"[]", mtime=0)[:10] + b"\xff" * 20, "is not a packed run: "),
        (gzip.compress(b'{"kind":"whatworked run","schema":1,"digest":"0"}', mtime=0), "damaged or was altered"),
    ],
)
def test_files_of_another_kind_are_refused(data, words):
    with pytest.raises(RunError, match=words):
        unpack(data, "file")


def test_damage_is_told_from_claims(run):
    data = bytearray(pack(run, "ours"))
    text = gzip.decompress(bytes(data)).replace(b'"seed', b'"sead', 1)
    with pytest.raises(RunError, match="damaged or was altered"):
        unpack(gzip.compress(text), "file")
    with pytest.raises(RunError, match="is not a packed run"):
        unpack(bytes(data[:-20]), "file")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda new: new.pop("plan"), "not a whole packed run"),
        (lambda new: new["plan"].pop("rules"), "missing required field `rules`"),
        (lambda new: new["plan"]["conditions"][0].update(dimensions=99), "<= 20"),
        (lambda new: new["plan"].update(seeds=10**9), "<= 10000"),
        (lambda new: new["plan"]["policies"].clear(), "does not describe design-main, random"),
        (lambda new: new["records"][0].__setitem__(6, ["a"]), "not a whole packed run"),
        (lambda new: new["records"].__setitem__(0, [1, 2]), "not a whole packed run"),
        (lambda new: new.update(name=5), "`name` is 5; it must be a text in one line"),
        (lambda new: new.update(name=" "), "`name` is ' '; it must be a text in one line"),
        (lambda new: new.update(name="a\nb"), "`name` is 'a.*nb'; it must be a text in one line"),
        (lambda new: new.update(note=["tuned"]), r"`note` is \['tuned'\]; it must be a text in one line"),
        (lambda new: new.update(note="tuned\n9 records graded again"), "it must be a text in one line, which may be"),
        (lambda new: new["plan"]["methods"][0].update(method="a\x1b[2Jb"), "a name is a text in one line"),
        (lambda new: new.pop("note"), "`note` is missing"),
        (lambda new: new.update(software="3"), "`software` is '3'; it must be an object"),
        (lambda new: new.update(records={}), "`records` is {}; it must be a list"),
        (lambda new: new.update(off_leaderboard="wine"), "`off_leaderboard` is 'wine'; it must be a list"),
        (lambda new: new["plan"]["conditions"].append(new["plan"]["conditions"][0]), "condition wine more than once"),
        (lambda new: new["plan"]["methods"].append(new["plan"]["methods"][0]), "method ridge-main/.* more than once"),
        (lambda new: new["plan"].update(budgets=[3, 3]), "budget 3 more than once"),
        (lambda new: new["plan"].update(conditions=[], methods=[]), "plan has no condition; its plan has no method"),
    ],
)
def test_malformed_content_is_refused_in_one_line(content, change, words):
    with pytest.raises(RunError, match=words):
        unpack(altered(content, change), "file")


def test_all_that_is_wrong_with_the_form_is_told_at_once(content):
    def change(new):
        new.update(name=5, note=[], software="x")
        new["plan"]["methods"].append(new["plan"]["methods"][0])
        for one in new["records"][:7]:
            one[0] = 1

    with pytest.raises(RunError) as caught:
        unpack(altered(content, change), "file")
    text = str(caught.value)
    for words in ("`name` is 5", "`note` is []", "`software` is 'x'", "more than once", "record 5: ", "and 2 more rec"):
        assert words in text
    assert "record 6: " not in text
    assert len(text.splitlines()) == 11


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr("whatworked.leaderboard.packing.LARGEST", 1000)
    with pytest.raises(RunError, match="unpacks to more than"):
        unpack(gzip.compress(b" " * 2000), "file")


@pytest.mark.parametrize("where", ["nowhere", "file", "link", "new\\nline", "x" * 300, "two/deep"])
def test_a_board_of_no_folder_is_an_error(tmp_path, where):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    done = run_here("leaderboard", "--results", str(tmp_path / where))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    with pytest.raises(StorageError, match="is no folder; give the one that holds the packed runs"):
        board_of(str(tmp_path / where))
