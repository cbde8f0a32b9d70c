from __future__ import annotations

import hashlib
import io
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from own_source import MANIFEST

from whatworked import catalog
from whatworked.catalog import Manifest, manifest
from whatworked.catalog.manifest_files import decode
from whatworked.declaration import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources import Library
from whatworked.sources.prepare import prepare
from whatworked.sources.raw import Raw, RawArrays, RawCorpus, RawGraph, RawImage, RawRecord, RawTable

HERE = Library(offline=True)
PRESENT = tuple(name for name in catalog.sources() if HERE.is_present(manifest(name)))


def test_twenty_sources_need_neither_network_nor_mirror() -> None:
    assert len(PRESENT) >= 20
    conditions = [one for one in catalog.conditions() if one.source in PRESENT]
    assert len(conditions) >= 25


@pytest.mark.parametrize("source", PRESENT)
def test_every_raw_form_here_leads_to_the_expected_input(source: str) -> None:
    from whatworked.sources.status import check

    findings = check(Library(offline=True), source)
    assert findings
    assert [finding for finding in findings if finding.outcome != "right"] == []


# Facts published with the benchmark: training rows per class; quantiles (0, 25, 50, 75, 100 %) of the training target
# and of document lengths; digests of prepared files.
CLASS_COUNTS = {
    "banknote": [512, 431],
    "breast_diagnostic": [255, 143],
    "ionosphere": [86, 159],
    "spambase": [1771, 1176],
}
TARGET_QUANTILES = {
    "airfoil": [103.38, 120.02925, 125.607, 129.971, 139.918],
    "concrete": [2.33, 23.2525, 33.725, 44.61, 81.75],
    "energy_efficiency": [6.01, 12.95, 18.71, 31.53, 42.96],
    "yacht": [0.03, 0.775, 2.94, 12.395, 60.85],
}
CLUSTERS = {"dry_bean": 7, "glass": 6, "seeds": 3, "wine": 3}
CUTS = {"co2": 1713, "elnino": 549, "nile": 75, "sunspots": 231}
DOCUMENT_LENGTHS = {
    "scifact": [221.0, 1124.0, 1426.0, 1811.5, 10127.0],
    "arguana": [5.0, 650.0, 940.0, 1303.0, 7164.0],
}
GRAPH_DIGESTS = {
    "graph_lesmis": "10151e22e40baa16b0d1006015b70923c5b6e74a7769b2d0afec7b82c73d0850",
    "graph_adjnoun": "852e8a92f80cb5393de84efec1e85ee12bcfba20d479f0f77dc61f6c6f0b533d",
    "graph_dolphins": "37fd7e6c0528619db1bf163429e4e10f115d81764b475a6f6b66c2003492c396",
    "graph_football": "211b4e74742592f4c59db385336bb88d65f6da6936a5504d47858b7565176bd2",
}
BEAT_DIGESTS = {
    "mitdb_100": "4ff0b526d9f33e73f9e890f7cda82aad28af342017ed5a5b7cf8083c2d2fac26",
    "mitdb_101": "b731c23e9e8c123846caef7c03bbf3eece2a99603cb76cb7b002bd4c70aad3b5",
    "mitdb_102": "811a08f4f21f7c64c459bf61f64361b8a9516a1da4fc742bd0ecc771b2ec4cf7",
    "mitdb_103": "33077a4ba4a447c2726637d065dbbdd01ca09fcd734eef861413b0b00a12a2d4",
}


def _published_digest(**arrays: object) -> str:
    """Digest of the compressed npz file that the published benchmark kept."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return hashlib.sha256(_as_written_since_3_11_4(stream.getvalue())).hexdigest()


def _as_written_since_3_11_4(data: bytes) -> bytes:
    """The same archive with the zip64 marks that zipfile puts into headers since Python 3.11.4, whoever made it."""
    new, zip64 = bytearray(data), (45).to_bytes(2, "little")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        place = archive.start_dir
        for one in archive.infolist():
            start = one.header_offset
            new[start + 4 : start + 6] = zip64
            new[start + 18 : start + 26] = b"\xff" * 8
            new[place + 4 : place + 5], new[place + 6 : place + 8] = zip64[:1], zip64
            lengths = (int.from_bytes(data[place + at : place + at + 2], "little") for at in (28, 30, 32))
            place += 46 + sum(lengths)
    return bytes(new)


def _classification(prepared: PreparedInput) -> None:
    assert np.bincount(prepared.arrays["y_train"]).tolist() == CLASS_COUNTS[prepared.source]


def _regression(prepared: PreparedInput) -> None:
    found = np.quantile(prepared.arrays["y_train"], [0, 0.25, 0.5, 0.75, 1])
    assert found == pytest.approx(TARGET_QUANTILES[prepared.source], rel=1e-13)


def _clustering(prepared: PreparedInput) -> None:
    assert prepared.facts["n_clusters"] == CLUSTERS[prepared.source] == len(np.unique(prepared.arrays["labels"]))


def _forecasting(prepared: PreparedInput) -> None:
    assert prepared.facts["cut"] == CUTS[prepared.source]
    assert np.isfinite(prepared.arrays["series"]).all()


def _restoration(prepared: PreparedInput) -> None:
    clean, noisy = prepared.arrays["clean"], prepared.arrays["noisy"]
    assert max(clean.shape) == 256
    assert noisy.min() >= 0
    assert noisy.max() <= 1
    inside = (noisy > 0) & (noisy < 1) & (clean > 0.3) & (clean < 0.7)
    assert (noisy - clean)[inside].std() == pytest.approx(0.1, abs=0.005)


def _retrieval(prepared: PreparedInput) -> None:
    lengths = [len(text) for text in prepared.facts["documents"]]
    assert np.quantile(lengths, [0, 0.25, 0.5, 0.75, 1]).tolist() == DOCUMENT_LENGTHS[prepared.source]
    assert len(prepared.facts["queries"]) == 64


def _link_prediction(prepared: PreparedInput) -> None:
    names = ("observed_edges", "fit_pairs", "fit_labels", "test_pairs", "test_labels")
    nodes = np.int64(prepared.facts["n_nodes"])
    found = _published_digest(n_nodes=nodes, **{name: prepared.arrays[name] for name in names})
    assert found == GRAPH_DIGESTS[prepared.source]


def _beat_detection(prepared: PreparedInput) -> None:
    arrays = prepared.arrays
    found = _published_digest(signal=arrays["signal"], true_events=arrays["events"], sample_rate=360)
    assert found == BEAT_DIGESTS[prepared.source]


FACTS = {
    "classification": _classification,
    "regression": _regression,
    "clustering": _clustering,
    "forecasting": _forecasting,
    "restoration": _restoration,
    "retrieval": _retrieval,
    "link_prediction": _link_prediction,
    "beat_detection": _beat_detection,
}


@pytest.mark.parametrize("source", PRESENT)
def test_published_facts_are_met(source: str) -> None:
    FACTS[manifest(source).family](HERE.prepared(source))


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.sampled_from(["A b", " a  B", "c", "ﬁ", "fi"]), min_size=5))
def test_cohorts_are_the_smallest_digests_and_exclude_copies_of_the_query(texts: dict[str, str]) -> None:
    raw = RawCorpus(texts, texts, {name: [name, name] for name in texts}, "x")
    one = _manifest("retrieval", 'kind = "retrieval"\nqueries = 4\nexclude_copies = true')
    facts = prepare(one, raw).facts
    chosen, ids = facts["query_ids"], facts["document_ids"]
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in texts}
    assert ids == sorted(texts)
    assert [digests[name] for name in chosen] == sorted(digests.values())[:4]
    assert [[ids[place] for place in places] for places in facts["relevant"]] == [[name] for name in chosen]
    alike = {"A b": {"A b", " a  B"}, " a  B": {"A b", " a  B"}, "c": {"c"}, "ﬁ": {"ﬁ", "fi"}, "fi": {"ﬁ", "fi"}}
    for name, places in zip(chosen, facts["excluded"], strict=True):
        assert {ids[place] for place in places} == {other for other in texts if texts[other] in alike[texts[name]]}


def test_without_exclusion_nothing_is_excluded() -> None:
    raw = RawCorpus({"d": "t"}, {"q": "t"}, {"q": ["d"]}, "x")
    assert prepare(_manifest("retrieval", 'kind = "retrieval"\nqueries = 1'), raw).facts["excluded"] == [[]]


def _manifest(family: str, preparation: str, shapes: str = "{}") -> Manifest:
    text = MANIFEST.format(digest="0" * 64, size=1, sha256="0" * 64, more="")
    text = text.replace('family = "regression"', f'family = "{family}"')
    text = text.replace('kind = "table"\ntarget = "y"', preparation)
    return decode(text.replace("shapes = { X_train = [14, 2], y_test = [6] }", f"shapes = {shapes}"))


def _table(**columns: list[object]) -> RawTable:
    cells = {name: [str(cell) for cell in column] for name, column in columns.items()}
    return RawTable(cells, len(next(iter(cells.values()))), "/raw/data.csv")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from("ab")), min_size=25, max_size=60))
def test_equal_features_never_stand_on_both_sides(rows: list[tuple[int, int, str]]) -> None:
    one = _manifest("classification", 'kind = "table"\ntarget = "c"')
    columns = [list(column) for column in zip(*rows, strict=True)]
    if len({row[:2] for row in rows}) < 4:
        return
    prepared = prepare(one, _table(a=columns[0], b=columns[1], c=columns[2]))
    train = set(map(tuple, prepared.arrays["X_train"]))
    test = set(map(tuple, prepared.arrays["X_test"]))
    assert not train & test
    assert len(prepared.arrays["y_train"]) + len(prepared.arrays["y_test"]) == len(set(rows))
    assert prepared.arrays["y_train"].dtype == np.int64


def test_duplicates_go_and_the_first_stays_in_order() -> None:
    one = _manifest("clustering", 'kind = "table"\ntarget = "c"')
    prepared = prepare(one, _table(a=[3, 1, 3, 1, 2], c=["x", "y", "x", "z", "x"]))
    assert prepared.arrays["X"].ravel().tolist() == [3, 1, 1, 2]
    assert prepared.arrays["labels"].tolist() == [0, 1, 2, 0]
    assert prepared.facts == {"n_clusters": 3}


@pytest.mark.parametrize("cell", ["", "x", "nan", "inf", "1,5"])
def test_a_cell_that_is_no_finite_number_is_named(cell: str) -> None:
    one = _manifest("regression", 'kind = "table"\ntarget = "y"')
    with pytest.raises(RawDataError, match=r"/raw/data.csv: column 'a', row 2"):
        prepare(one, _table(a=[1, cell], y=[1, 2]))


def test_missing_columns_are_named_with_those_that_are_there() -> None:
    one = _manifest("regression", 'kind = "table"\ntarget = "y"\nfeatures = ["a", "b"]')
    with pytest.raises(RawDataError, match=r"missing column 'y', 'b'; it has a, z"):
        prepare(one, _table(a=[1], z=[1]))


def test_identifiers_are_left_out() -> None:
    one = _manifest("clustering", 'kind = "table"\ntarget = "c"\ndrop = ["id", "absent"]')
    assert prepare(one, _table(id=[1, 2], a=[5, 6], c=["x", "y"])).arrays["X"].tolist() == [[5], [6]]


def test_a_table_for_another_family_is_refused() -> None:
    with pytest.raises(RawDataError, match="retrieval"):
        prepare(_manifest("retrieval", 'kind = "table"\ntarget = "c"'), _table(a=[1], c=[1]))


def test_series_are_unrolled_and_filled_forward() -> None:
    one = _manifest("forecasting", 'kind = "series"\ncolumns = ["a", "b"]')
    prepared = prepare(one, _table(year=[1, 2, 3], a=[1, "", 5], b=["", 4, ""]))
    assert prepared.arrays["series"].tolist() == [1, 1, 1, 4, 5, 5]
    assert prepared.facts == {"cut": 4}


def test_a_series_cannot_start_with_a_gap() -> None:
    one = _manifest("forecasting", 'kind = "series"\ncolumns = ["a"]')
    with pytest.raises(RawDataError, match="first value is missing"):
        prepare(one, _table(a=["", 1]))
    with pytest.raises(RawDataError, match="row 2"):
        prepare(one, _table(a=[1, "n/a"]))


def test_links_of_a_small_graph() -> None:
    one = _manifest("link_prediction", 'kind = "links"\nsplit_seed = 5')
    ring = [(10 * k, 10 * ((k + 1) % 11)) for k in range(11)]
    raw = RawGraph(tuple(range(0, 110, 10)), (*ring, (0, 0), (10, 0)), "/raw/g")
    prepared = prepare(one, raw)
    arrays = prepared.arrays
    assert prepared.facts == {"n_nodes": 11}
    assert [len(arrays[name]) for name in ("observed_edges", "fit_pairs", "test_pairs")] == [7, 4, 4]
    edges = {(min(k, (k + 1) % 11), max(k, (k + 1) % 11)) for k in range(11)}
    positives = [*arrays["observed_edges"], *arrays["fit_pairs"][:2], *arrays["test_pairs"][:2]]
    negatives = {tuple(pair) for pair in (*arrays["fit_pairs"][2:], *arrays["test_pairs"][2:])}
    assert {tuple(pair) for pair in positives} == edges
    assert len(negatives) == 4
    assert not negatives & edges
    assert arrays["fit_labels"].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("family", "preparation", "raw"),
    [
        ("link_prediction", 'kind = "links"\nsplit_seed = 5', RawGraph((0, 1), ((0, 1),), "x")),
        (
            "beat_detection",
            'kind = "beats"\nsamples = 9\nsample_rate = 4\ngain = 2.0\nbaseline = 1\ncodes = [1]',
            RawRecord(np.zeros((8, 1), np.int64), 4, np.zeros(0, np.int64), np.zeros(0, np.int64), "x"),
        ),
        ("restoration", 'kind = "image"', RawImage(b"no picture", "x")),
        ("retrieval", 'kind = "retrieval"\nqueries = 2', RawCorpus({"d": "t"}, {"q": "t"}, {"q": ["d"]}, "x")),
        (
            "retrieval",
            'kind = "retrieval"\nqueries = 1',
            RawCorpus({"d": "t"}, {"q": "t"}, {"q": ["gone"]}, "x"),
        ),
    ],
)
def test_content_that_cannot_be_prepared_is_refused(family: str, preparation: str, raw: Raw) -> None:
    with pytest.raises(RawDataError):
        prepare(_manifest(family, preparation), raw)


@pytest.mark.parametrize(
    ("preparation", "raw", "told"),
    [
        ('kind = "table"\ntarget = "y"', RawImage(b"", "/raw/a.png"), "'table' takes a RawTable, but /raw/a.png"),
        ('kind = "image"', RawTable({}, 0, "/raw/a.csv"), "'image' takes a RawImage"),
        ('kind = "links"\nsplit_seed = 5', RawArrays({}, "x"), "'links' takes a RawGraph"),
    ],
)
def test_a_reader_that_does_not_go_with_the_preparation_is_refused(preparation: str, raw: Raw, told: str) -> None:
    with pytest.raises(RawDataError, match=told):
        prepare(_manifest("regression", preparation), raw)


def test_beats_in_millivolt_with_listed_labels_only() -> None:
    how = 'kind = "beats"\nsamples = 3\nsample_rate = 4\ngain = 2.0\nbaseline = 1\ncodes = [1, 5]\nchannel = 1'
    samples = np.array([[0, 1], [0, 3], [0, 0], [0, 9]])
    raw = RawRecord(samples, 4, np.array([0, 1, 2, 3]), np.array([1, 2, 5, 1]), "x")
    prepared: PreparedInput = prepare(_manifest("beat_detection", how), raw)
    assert prepared.arrays["signal"].tolist() == [0.0, 1.0, -0.5]
    assert prepared.arrays["events"].tolist() == [0, 2]


def test_other_shapes_than_expected_are_refused() -> None:
    raw = RawArrays({"series": np.arange(3.0)}, "/raw/a.npz")
    one = _manifest(
        "forecasting", 'kind = "arrays"\nfacts = { cut = 2, names = ["a"] }', "{ series = [4], names = [1] }"
    )
    with pytest.raises(RawDataError, match=r"series \[3\], expected \[4\]$"):
        prepare(one, raw)
