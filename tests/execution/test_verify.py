"""Verifying tables: each record's verdict, and what may explain it."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from shared_folders import made_once
from toy_family import CONDITIONS, FOUR, OTHER, SIX, WORKFLOW, Shelf, workflow_of

from whatworked import references
from whatworked.cli import cli
from whatworked.errors import InvalidOptionError, ReferenceTableError
from whatworked.execution import RebuildRequest, VerifyReport, VerifyRequest, rebuild, verify
from whatworked.execution.assembly import header_of
from whatworked.execution.differences import compare_rows, explanations, header_differences
from whatworked.execution.verifying import sample_of
from whatworked.references.index import MACHINE, read_index, write_index
from whatworked.references.schema import OptionNote, Row, Table, render
from whatworked.storage.canonical import sha256


def check(folder: Path, shelf: Shelf | None = None, conditions: Any = CONDITIONS, **how: Any) -> VerifyReport:
    return verify(VerifyRequest(tuple(conditions), folder, **how), shelf or Shelf(), workflow_of)


HEADER = header_of(FOUR, WORKFLOW, Shelf()("box"))


def put(folder: Path, condition: str, table: Table) -> None:
    """Replace a table, and its digest in the index."""
    data = render(table)
    references.table_path(condition, folder).write_bytes(data)
    index = read_index(folder)
    entry = msgspec.structs.replace(index.tables[condition], digest=sha256(data))
    write_index(folder, index.merged({condition: entry}, {}))


def change(folder: Path, condition: str, mask: str, **fields: Any) -> None:
    """Change one record of a table, and the index with it."""
    table = references.load_table(condition, folder)
    rows = tuple(msgspec.structs.replace(row, **fields) if row.mask == mask else row for row in table.rows)
    put(folder, condition, msgspec.structs.replace(table, rows=rows))


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy, to be altered, of one rebuilt folder."""
    built = made_once(
        tmp_path_factory, "toys", lambda out: rebuild(RebuildRequest(CONDITIONS, out), Shelf(), workflow_of)
    )
    return Path(shutil.copytree(built, tmp_path, dirs_exist_ok=True))


def test_what_was_just_built_is_identical_staged_and_cold(folder: Path) -> None:
    for cold in (False, True):
        report = check(folder, cold=cold, jobs=2)
        assert (report.count("identical"), report.exit_code) == (144, 0)
        assert [one.explanations for one in report.results] == [(), (), ()]


def test_a_changed_record_is_found_and_named(folder: Path) -> None:
    kept = references.load_table("box__d6", folder).rows[5]
    change(folder, "box__d6", kept.mask, utility=kept.utility / 2, prediction="0" * 64, warnings=("UserWarning",))
    report = check(folder, conditions=[SIX])
    (wrong,) = (record for record in report.results[0].records if record.verdict != "identical")
    assert (wrong.mask, wrong.verdict, report.exit_code) == ("000101", "different", 1)
    assert repr(kept.utility) in wrong.detail
    assert "another prediction" in wrong.detail
    assert "warnings UserWarning in the table, none now" in wrong.detail


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"cost_scale": 0.5}, "cost scale 0.5 in the table, 2.0 now"),
        ({"cost_scale": None}, "cost scale None in the table, 2.0 now"),
        ({"unit": "m"}, "unit 'm' in the table, 'cm' now"),
        ({"options": (OptionNote("A", "else", "no", "yes"), *HEADER.options[1:])}, "another text for option A"),
    ],
    ids=["cost scale", "no cost scale", "unit", "words"],
)
def test_a_table_that_describes_its_condition_otherwise_is_found(
    folder: Path, fields: dict[str, Any], told: str
) -> None:
    table = references.load_table("box", folder)
    put(folder, "box", msgspec.structs.replace(table, header=msgspec.structs.replace(table.header, **fields)))
    report = check(folder, conditions=[FOUR])
    assert (report.results[0].header, report.count("identical"), report.exit_code) == ((told,), 16, 1)
    assert report.results[0].to_dict()["header"] == [told]


def test_a_cost_scale_may_differ_by_rounding() -> None:
    near, far = (msgspec.structs.replace(HEADER, cost_scale=2.0 * (1 + by)) for by in (1e-12, 1e-6))
    assert header_differences(HEADER, near) == ()
    assert len(header_differences(HEADER, far)) == 1


def test_a_table_of_another_number_of_options_is_an_error(folder: Path) -> None:
    with pytest.raises(ReferenceTableError, match="has 4 options, the condition has 6"):
        check(folder, conditions=[dataclasses.replace(FOUR, dimensions=6)])


def test_a_fingerprint_of_another_form_is_different(folder: Path) -> None:
    kept = references.load_table("box", folder).rows[5]
    change(folder, "box", kept.mask, fingerprint={**kept.fingerprint, "quantiles": ["a"]})
    report = check(folder, conditions=[FOUR])
    assert (report.count("different"), report.exit_code) == (1, 1)
    assert report.results[0].records[5].detail == "another fingerprint of the same prediction"


def test_a_rounding_difference_is_equal(folder: Path) -> None:
    kept = references.load_table("box", folder).rows[5]
    change(folder, "box", kept.mask, utility=kept.utility + 1e-15, native=kept.native + 1e-15, prediction="0" * 64)
    report = check(folder, conditions=[FOUR])
    assert (report.count("identical"), report.count("equal"), report.exit_code) == (15, 1, 0)


def test_an_equal_score_of_another_prediction_is_different(folder: Path) -> None:
    kept = references.load_table("box", folder).rows[5]
    shifted = {**kept.fingerprint, "quantiles": [value + 0.1 for value in kept.fingerprint["quantiles"]]}
    change(folder, "box", kept.mask, prediction="0" * 64, fingerprint=shifted)
    assert check(folder, conditions=[FOUR]).count("different") == 1


@pytest.mark.parametrize(("offset", "verdict"), [(0.0, "identical"), (5e-10, "equal"), (2e-9, "different")])
def test_the_tolerance_of_the_family_decides(offset: float, verdict: str) -> None:
    kept = Row(mask="0000", utility=0.5, native=2.0, prediction="a", fingerprint=dict(WORKFLOW.form.fingerprint([1.0])))
    found = msgspec.structs.replace(kept, utility=0.5 + offset, prediction="b" if offset else "a")
    assert compare_rows(kept, found, WORKFLOW.form).verdict == verdict


def test_a_failing_record_counts_against_the_table(folder: Path) -> None:
    report = check(folder, Shelf(box={"fails": [True, False]}), [FOUR])
    assert (report.count("failed"), report.count("identical"), report.exit_code) == (4, 12, 1)
    assert report.results[0].records[2].detail == "ValueError: this setting cannot be mixed"


def test_a_changed_input_comes_first_among_explanations(folder: Path) -> None:
    report = check(folder, Shelf(box={"fails": [True, False]}), [FOUR])
    assert report.results[0].explanations[0].startswith("prepared input was ")


def test_software_and_processor_differences_are_explained_in_order(folder: Path) -> None:
    index = read_index(folder)
    made = index.maker_of("box")
    facts = json.loads((folder / MACHINE).read_text())
    (folder / MACHINE).write_text(json.dumps({**facts, "processor": "Z80"}))
    here = msgspec.structs.replace(
        made,
        python="3.99.0",
        packages=dict.fromkeys(reversed(made.packages), "9.9"),
        profile=msgspec.structs.replace(made.profile, vector_features=("NEON",), blas=("other",)),
    )
    told = explanations(made, here, folder)
    names = ("Python", "numpy", "scipy", "scikit-learn", "networkx", "vector features", "BLAS", "processor")
    assert [line.split(" was ")[0] for line in told] == list(names)
    python, numpy, *_, features, blas, processor = told
    assert python == f"Python was {made.python}, is 3.99.0"
    assert blas.endswith(", is other")
    assert features == f"vector features was {', '.join(made.profile.vector_features)}, is NEON"
    assert numpy == f"numpy was {made.packages['numpy']}, is 9.9"
    assert processor.startswith("processor was Z80, is ")


def test_the_command_names_every_difference_that_may_explain_a_record(tmp_path: Path) -> None:
    shipped, table = read_index(references.folder()), references.load_table("nile")
    first = table.rows[0]
    first = msgspec.structs.replace(first, utility=first.utility + 1e-15, prediction="0" * 64)
    rows = (first, *table.rows[1:])
    data = render(msgspec.structs.replace(table, rows=rows))
    references.table_path("nile", tmp_path).write_bytes(data)
    made = shipped.maker_of("nile")
    profile = msgspec.structs.replace(made.profile, blas=("openblas 0.1 Z80",))
    maker = msgspec.structs.replace(made, python="3.0", packages=dict.fromkeys(made.packages, "0.1"), profile=profile)
    entry = msgspec.structs.replace(shipped.tables["nile"], digest=sha256(data), maker=maker.digest)
    write_index(tmp_path, msgspec.structs.replace(shipped, entries={"nile": entry}, makers={maker.digest: maker}))
    done = CliRunner().invoke(cli, ["verify", "nile", "--references", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0
    told = " ".join(done.output.split("may be explained by: ")[1].split())
    names = [reason.split(" was ")[0] for reason in told.split("; ")]
    assert names[:6] == ["Python", "numpy", "scipy", "scikit-learn", "networkx", "BLAS"]
    assert "numpy was 0.1, is " in told


def test_a_missing_source_or_table_is_skipped_with_its_reason(folder: Path) -> None:
    (index, entries) = (read_index(folder), dict(read_index(folder).tables))
    del entries["jar__d6"]
    write_index(folder, msgspec.structs.replace(index, entries=entries))
    report = check(folder, Shelf(box={"absent": True}))
    assert ["not on this machine" in one.skipped for one in report.results] == [True, True, False]
    assert "no table" in report.results[2].skipped
    assert report.exit_code == 0


def test_a_folder_without_any_table_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReferenceTableError, match="holds no reference tables"):
        check(tmp_path)


def test_an_altered_table_is_an_error(folder: Path) -> None:
    path = references.table_path("box", folder)
    path.write_bytes(path.read_bytes().replace(b"MAE", b"MBE"))
    with pytest.raises(ReferenceTableError, match="altered"):
        check(folder, conditions=[FOUR])


def test_a_sample_holds_its_share_the_same_each_time_and_another_for_another_seed() -> None:
    sample = sample_of(CONDITIONS, 0.1, seed=0)
    assert [sum(one.id == name for name, _ in sample) for one in CONDITIONS] == [2, 7, 7]
    assert sample == sample_of(CONDITIONS, 0.1, seed=0)
    assert set(sample) != set(sample_of(CONDITIONS, 0.1, seed=1))
    assert len(set(sample_of([OTHER], 1.0, seed=0))) == 64


@pytest.mark.parametrize("share", [0.0, -0.1, 1.5, float("nan")])
def test_a_share_out_of_range_is_refused(share: float) -> None:
    with pytest.raises(InvalidOptionError, match="share of the records"):
        VerifyRequest(CONDITIONS, Path(), sample=share)


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("prepared", "0" * 64),
        ("workflow", "99"),
        ("family", "another"),
        ("source", "another"),
        ("dimensions", 3),
        ("records", 1),
    ],
)
def test_a_fact_of_the_index_that_was_altered_is_found_though_all_records_are_identical(
    folder: Path, fact: str, value: Any
) -> None:
    index = read_index(folder)
    entry = msgspec.structs.replace(index.tables[FOUR.id], **{fact: value})
    write_index(folder, index.merged({FOUR.id: entry}, {}))
    report = check(folder, conditions=[FOUR, SIX])
    assert report.count("identical") == 80
    assert report.exit_code == 1
    first, second = report.results
    assert len(first.header) == 1
    assert f"{value!r} in the index, " in first.header[0]
    assert not second.header


@pytest.mark.parametrize("fact", ["python", "packages", "profile"])
def test_a_maker_that_was_altered_is_refused(folder: Path, fact: str) -> None:
    path = folder / "index.json"
    content = json.loads(path.read_text())
    (maker,) = content["makers"].values()
    if fact == "python":
        maker["python"] = "3.99.0"
    elif fact == "packages":
        maker["packages"]["numpy"] = "9.9"
    else:
        maker["profile"]["threads"] = 64
    path.write_text(json.dumps(content))
    with pytest.raises(ReferenceTableError, match=r"of the maker \w{8}… was altered"):
        check(folder)
