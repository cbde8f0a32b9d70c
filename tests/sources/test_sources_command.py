from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from own_source import TABLE, Own

from whatworked import catalog
from whatworked.catalog.manifest_files import FOLDERS_VARIABLE
from whatworked.cli.sources import sources
from whatworked.errors import UnknownNameError


def _run(own: Own, *arguments: str, code: int = 0) -> Result:
    done = CliRunner().invoke(sources, [*arguments, "--cache", str(own.cache), "--offline"], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def test_every_source_is_listed_with_what_to_do_about_absent_ones(own: Own) -> None:
    text = _run(own).output
    lines = {line.split()[0]: line for line in text.split("\n\n")[0].splitlines()}
    assert list(lines)[1:] == list(catalog.sources())
    assert "yes" in lines["spambase"].split()
    assert lines["mitdb_100"].split()[2:4] == ["no", "network"]
    assert "20 of 30 sources are on this machine." in text
    assert "Families without any source here: beat_detection, retrieval." in text
    assert str(own.cache / "raw" / "<source>") in text
    assert "https://archive.ics.uci.edu/static/public/267/data.csv" in text


def test_the_list_as_json(own: Own) -> None:
    rows = json.loads(_run(own, "--json", "--family", "clustering").stdout)
    assert [row["source"] for row in rows] == ["dry_bean", "glass", "seeds", "wine"]
    assert [row["route"] for row in rows] == ["network", "shipped", "network", "package"]
    assert rows[0]["files"] == ["data.csv"]
    assert rows[1]["files"] == []
    assert rows[1]["licence"] == "CC-BY-4.0"


def test_fetch_prepares_what_is_here_and_lists_the_rest(own: Own) -> None:
    done = _run(own, "fetch", "--family", "clustering", "--json")
    outcomes = {row["source"]: row["outcome"] for row in json.loads(done.stdout)}
    assert outcomes == {"dry_bean": "absent", "glass": "right", "seeds": "absent", "wine": "right"}
    stored = sorted(path.name.split("-")[0] for path in (own.cache / "prepared").iterdir())
    assert stored == ["glass", "wine"]


def test_a_named_source_that_is_absent_is_a_failure(own: Own) -> None:
    done = _run(own, "fetch", "nile", "dry_bean", code=1)
    assert "1 right, 0 wrong, 1 absent" in done.output
    assert "--mirror DIR" in done.output


def test_options_before_the_command_count(own: Own) -> None:
    one = own.declare()
    own.put()
    done = CliRunner().invoke(
        sources,
        ["--mirror", str(own.mirror), "--cache", str(own.cache), "--json", "fetch", "mine"],
        catch_exceptions=False,
    )
    assert json.loads(done.stdout)[0]["what"] == "mirror"
    assert list((own.cache / "prepared").iterdir()) == [own.library().store_path(one)]


def test_a_damaged_prepared_input_is_reported_and_mended(own: Own) -> None:
    own.declare()
    own.put()
    mirror = ("--mirror", str(own.mirror))
    _run(own, "fetch", "mine", *mirror)
    (path,) = (own.cache / "prepared").iterdir()
    path.write_bytes(path.read_bytes()[:-40])
    assert "--again" in _run(own, "fetch", "mine", *mirror, code=1).output
    rows = json.loads(_run(own, "check", "mine", *mirror, "--json", code=1).stdout)
    assert [(row["what"], row["outcome"]) for row in rows] == [("prepared input", "wrong"), ("export", "right")]
    _run(own, "fetch", "mine", "--again", *mirror)
    _run(own, "check", "mine", *mirror)


def test_check_looks_at_every_place(own: Own) -> None:
    own.declare()
    own.put()
    own.put(data=TABLE[:-1], folder=own.cache / "raw")
    rows = json.loads(_run(own, "check", "mine", "--mirror", str(own.mirror), "--json", code=1).stdout)
    assert [(Path(row["origin"]).parent.parent.name, row["outcome"]) for row in rows] == [
        ("raw", "wrong"),
        ("mirror", "right"),
    ]


def test_check_of_an_absent_source(own: Own) -> None:
    own.declare()
    assert "1 absent" in _run(own, "check", "mine", code=1).output


def test_an_export_serves_as_a_mirror(own: Own, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own.declare()
    own.put()
    exported = tmp_path / "exported"
    done = _run(own, "export", str(exported), "--mirror", str(own.mirror))
    assert "21 right, 0 wrong, 10 absent" in done.output
    assert (exported / "mine" / "data.csv").read_bytes() == TABLE
    assert "Attribution: Me" in (exported / "mine" / "ATTRIBUTION.txt").read_text()
    rows = json.loads(_run(own, "check", "--mirror", str(exported), "--json").stdout)
    good = {row["source"] for row in rows if row["outcome"] == "right" and str(exported) in row["origin"]}
    assert len(good) == 21
    monkeypatch.delenv(FOLDERS_VARIABLE)


def test_unknown_names_are_errors_on_purpose(own: Own) -> None:
    with pytest.raises(UnknownNameError, match="spambase"):
        _run(own, "fetch", "spam_base")
    with pytest.raises(UnknownNameError, match="clustering"):
        _run(own, "--family", "cluster")


@pytest.mark.parametrize("command", ["fetch", "check", "export"])
def test_a_folder_that_may_not_be_looked_into_stops_no_other_source(
    own: Own, closed_mirror: None, tmp_path: Path, command: str
) -> None:
    names = [str(tmp_path / "raw"), "mine", "nile"] if command == "export" else ["mine", "nile"]
    done = _run(own, command, *names, "--mirror", str(own.mirror), "--json", code=1)
    findings = {row["source"]: row for row in json.loads(done.stdout)}
    assert {name: row["outcome"] for name, row in findings.items()} == {"mine": "wrong", "nile": "right"}
    assert "Permission denied; correct its permissions" in findings["mine"]["message"]
