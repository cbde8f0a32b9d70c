"""What users' own files may hold: it is read as it is meant, or refused with the file, the place and what to do."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
import wfdb
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from whatworked.catalog import Manifest
from whatworked.catalog.manifest_files import decode
from whatworked.catalog.manifest_layout import (
    ArraysReader,
    BeirReader,
    EdgeListReader,
    GmlReader,
    Reader,
    TableReader,
    WfdbReader,
)
from whatworked.declaration import PreparedInput
from whatworked.errors import ManifestError, RawDataError, TooLargeError
from whatworked.sources.prepare import images, prepare
from whatworked.sources.prepare.contract import check_content, needed_arrays
from whatworked.sources.raw import Raw, RawArrays, RawBytes, RawCorpus, RawGraph, RawImage, RawRecord, RawTable
from whatworked.sources.readers import arrays, read
from whatworked.sources.readers.records import MISSING

MANIFEST = """
schema = 1
id = "mine"
title = "Mine"
family = "{family}"
tracks = ["four"]
licence = "CC0-1.0"
attribution = "Me"
citation = "Me (2026)."
homepage = "https://example.org/mine"

[preparation]
{preparation}

[expected]
digest = "{digest}"
shapes = {{}}

[[forms]]
name = "export"
reader = {{ kind = "table" }}

[[forms.files]]
name = "data.csv"
sha256 = "{digest}"
"""


def _manifest(family: str, preparation: str) -> Manifest:
    return decode(MANIFEST.format(family=family, preparation=preparation, digest="0" * 64), "mine.toml")


def _read(reader: Reader, **files: bytes | str) -> Raw:
    named = {name: data.encode() if isinstance(data, str) else data for name, data in files.items()}
    return read(reader, {name: RawBytes(data, f"/raw/{name}") for name, data in named.items()})


def _table(text: str | bytes, reader: TableReader = TableReader()) -> RawTable:  # noqa: B008 - immutable
    raw = _read(reader, file=text)
    assert isinstance(raw, RawTable)
    return raw


def _classes(*labels: str) -> np.ndarray:
    rows = "".join(f'{row},"{label}"\n' for row, label in enumerate(labels))
    prepared = prepare(_manifest("clustering", 'kind = "table"\ntarget = "c"'), _table(f"a,c\n{rows}"))
    return prepared.arrays["labels"]


def _values(*cells: str) -> list[float]:
    rows = "".join(f'"{cell}",{row}\n' for row, cell in enumerate(cells))
    prepared = prepare(_manifest("clustering", 'kind = "table"\ntarget = "c"'), _table(f"a,c\n{rows}"))
    values: list[float] = prepared.arrays["X"].ravel().tolist()
    return values


# ---- tables


@pytest.mark.parametrize(
    "label",
    ["", " ", "?", "NaN", "nan", "NA", "na", "N/A", "null", "NULL", "None", "<NA>", "#N/A", ".", "-nan", "\u00a0"],
)
def test_a_missing_class_label_is_no_class(label: str) -> None:
    with pytest.raises(RawDataError, match=r"/raw/file: column 'c', row 2: class label .* stands for a missing value"):
        _classes("x", label, "y")


@pytest.mark.parametrize(
    ("label", "other"),
    [
        ("yes", "Yes"),
        ("a b", "a  b"),
        ("é", "e\u0301"),
        ("1", "1.0"),
        ("01", "1"),
        ("b", "'b'"),
        ("２", "2"),
    ],
)
def test_labels_that_differ_in_nothing_but_their_writing_are_named(label: str, other: str) -> None:
    with pytest.raises(RawDataError, match=r"column 'c', row 3: class label .* of row 1 .*labels"):
        _classes(label, "z", other)


def test_labels_give_a_cell_another_name() -> None:
    reader = TableReader(labels={"c": {"?": "unknown", "A": "upper"}})
    raw = _table("a,c\n1,?\n2,A\n3,a\n", reader)
    prepared = prepare(_manifest("clustering", 'kind = "table"\ntarget = "c"'), raw)
    assert prepared.arrays["labels"].tolist() == [1, 2, 0]


@pytest.mark.parametrize("pair", [("+", "-"), ("women's", "men's"), ("Nap", "Map"), ("10", "9"), ("x", "x y")])
def test_labels_that_differ_are_classes(pair: tuple[str, str]) -> None:
    assert sorted(_classes(*pair).tolist()) == [0, 1]


@pytest.mark.parametrize(
    "cell",
    [
        *("1_000", "1,000", "1 000", "1'000", "1,5", "1.000,5", "0x1F", "1d5", "１２", "−5", "5%", "$5", "TRUE", "inf"),
        *("-Infinity", "nan", "NA", "?", "1e999", "1e-999", "12345678901234567891", "--1", "1e", "."),
    ],
)
def test_what_is_no_plain_decimal_number_is_named(cell: str) -> None:
    with pytest.raises(RawDataError, match=r"/raw/file: column 'a', row 2: "):
        _values("1", cell)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([repr, "{:+}".format, "{:.17E}".format]))
def test_every_finite_number_is_read_exactly(value: float, form: object) -> None:
    assert callable(form)
    assert _values("1", form(value)) == [1.0, value]


@pytest.mark.parametrize(
    "cell", ["1.", ".5", "+3", "007", "-0", "0e5", "9007199254740993.0", f"-{'0' * 5000}7"], ids=len
)
def test_other_ways_to_write_a_number(cell: str) -> None:
    assert _values("1", cell) == [1.0, float(cell)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (",a,c\n0,1,x\n", "column 1 has no name"),
        ("a,c,\n1,x,\n", "column 3 has no name"),
        ("a,c\n1,x\n,\n", "data row 2 is empty"),
        ("v\n1\n\n3\n", "data row 2 is empty"),
        ("a,c\n1,x\n2\n", "data row 2 has 1 fields"),
        ("a,c\n1,x,9\n", "data row 1 has 3 fields"),
        ("a,a\n1,x\n", "named more than once: a"),
        (b"\xff\xfea\x00", "not UTF-8"),
        ('a,c\n1,"x\n', "separated by"),
        ("\n\n", "no rows"),
    ],
)
def test_tables_of_another_layout_are_refused(text: str | bytes, told: str) -> None:
    with pytest.raises(RawDataError, match=f"/raw/file: .*{told}"):
        _table(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_a_byte_order_mark_and_an_end_of_line_inside_quotes(end: str) -> None:
    table = _table("\ufeff" + end.join(["a,c", '1,"x', 'y"', "2,z", "", ""]))
    assert dict(table.columns) == {"a": ["1", "2"], "c": [f"x{end}y", "z"]}


# ---- series


def _series(text: str, more: str = "") -> list[float]:
    prepared = prepare(_manifest("forecasting", f'kind = "series"\ncolumns = ["v"]\n{more}'), _table(text))
    series: list[float] = prepared.arrays["series"].tolist()
    return series


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("year,v\n2000,1\n2000,2\n", "'year', row 2: '2000' stands twice, first in row 1"),
        ("year,v\n2001,1\n2000,2\n", "'year', row 2: '2000' comes after '2001'"),
        ("Date,v\n2026-01-31,1\n2026-01-30,2\n", "'Date', row 2: .*sort the rows"),
        ("timestamp,v\n2026-01-31T10:00,1\n2026-01-31T09:00,2\n", "row 2"),
        ("date,v\n31.1.2026,1\n31.1.2026,2\n", "stands twice"),
        ("year,v\n2000,\n2001,2\n", "first value is missing"),
        ("year,v\n2000,1\n2001,NA\n", "column 'v', row 2: 'NA' is no finite number"),
    ],
)
def test_times_that_do_not_ascend_are_refused(text: str, told: str) -> None:
    with pytest.raises(RawDataError, match=told):
        _series(text)


def test_the_manifest_names_the_time() -> None:
    text = "year,t,v\n2000,1,5\n2000,2,\n"
    assert _series(text, 'time = "t"') == [5.0, 5.0]
    with pytest.raises(RawDataError, match="stands twice"):
        _series(text, 'time = "year"')
    with pytest.raises(RawDataError, match="missing column 'z'"):
        _series(text, 'time = "z"')
    with pytest.raises(RawDataError, match="'t', row 2: 'later' is no time"):
        _series("t,v\n1,5\nlater,6\n", 'time = "t"')


# ---- pictures


def _encoded(picture: Image.Image, form: str, **options: object) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, form, **options)
    return stream.getvalue()


def _clean(data: bytes, side: int = 256) -> np.ndarray:
    prepared = prepare(_manifest("restoration", f'kind = "image"\nside = {side}'), RawImage(data, "/raw/p"))
    return prepared.arrays["clean"]


RAMP = (np.arange(64 * 64).reshape(64, 64) * 16).astype(np.uint16)
GREY = Image.fromarray((RAMP >> 8).astype(np.uint8))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(values: np.ndarray, colour: int, *more: bytes) -> bytes:
    """A PNG of 16 bits, written by hand: Pillow writes none in colour."""
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    head = struct.pack(">IIBBBBB", values.shape[1], values.shape[0], 16, colour, 0, 0, 0)
    parts = [_chunk(b"IHDR", head), *more, _chunk(b"IDAT", zlib.compress(rows)), _chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _tiff(values: np.ndarray, sample_format: int, black: int = 1) -> bytes:
    data = values.tobytes()
    rows, columns = values.shape
    tags = [(256, columns), (257, rows), (258, values.itemsize * 8), (259, 1), (262, black), (273, 8), (277, 1)]
    tags += [(278, rows), (279, len(data)), (339, sample_format)]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(tags)) + entries + bytes(4)


@pytest.mark.parametrize("form", ["PNG", "TIFF", "PPM"])
def test_sixteen_bits_of_grey_stay_sixteen(form: str) -> None:
    assert np.array_equal(_clean(_encoded(Image.fromarray(RAMP), form)), np.float32(RAMP / 65535).astype(float))


def test_sixteen_bits_shrink_as_eight_do() -> None:
    wide = (np.arange(128)[None, :] * 257 * np.ones((128, 1))).astype(np.uint16)
    deep = _clean(_encoded(Image.fromarray(wide), "PNG"), 32)
    flat = _clean(_encoded(Image.fromarray((wide // 257).astype(np.uint8)), "PNG"), 32)
    assert deep.shape == flat.shape == (32, 32)
    assert np.abs(deep - flat).max() < 1 / 255


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "LA", "RGBA"])
def test_modes_with_one_grey_give_what_pillow_makes_of_them(mode: str) -> None:
    picture = GREY.convert("RGB").quantize(16) if mode == "P" else GREY.convert(mode)
    assert np.array_equal(_clean(_encoded(picture, "PNG")), np.asarray(picture.convert("L")) / 255.0)


def _see_through(mode: str) -> Image.Image:
    picture = GREY.convert(mode)
    picture.putpixel((3, 5), (9,) * (len(mode) - 1) + (100,))
    return picture


COLOURS = np.repeat(RAMP[:, :, None], 3, 2)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (_encoded(_see_through("RGBA"), "PNG"), "row 6, column 4 is transparent"),
        (_encoded(_see_through("LA"), "PNG"), "row 6, column 4 is transparent"),
        (_encoded(GREY.convert("RGB"), "PNG", transparency=(0, 0, 0)), "row 1, column 1 is transparent"),
        (_png(RAMP, 0, _chunk(b"tRNS", b"\0\0")), "transparent"),
        (_png(COLOURS, 2), "more than 8 bits a colour"),
        (_png(np.stack([RAMP, RAMP], 2), 4), "more than 8 bits a colour"),
        (b"P6 1 1 65535\n" + bytes(6), "more than 8 bits a colour"),
        (_encoded(GREY.convert("CMYK"), "JPEG"), "mode 'CMYK'"),
        (_encoded(GREY.convert("YCbCr"), "TIFF"), "mode 'YCbCr'"),
        (_encoded(Image.fromarray(RAMP.astype(np.int32)), "TIFF"), "mode 'I'"),
        (_encoded(Image.fromarray(RAMP.astype(np.float32)), "TIFF"), "mode 'F'"),
        (_tiff(RAMP.astype("<i2"), 2), "mode 'I'"),
        (_tiff(RAMP, 1, black=0), "mode 'I;16'"),
        (_tiff(np.asarray(GREY).astype("i1"), 2), "mode 'L'"),
        (_encoded(GREY, "GIF", save_all=True, append_images=[GREY.rotate(90)]), "2 frames"),
        (_encoded(GREY, "PNG", save_all=True, append_images=[GREY.rotate(90)]), "2 frames"),
        (_encoded(GREY, "TIFF", save_all=True, append_images=[GREY.rotate(90)]), "2 frames"),
        (_encoded(GREY, "ICO"), "as any of PNG, JPEG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "as any of PNG, JPEG"),
        (_encoded(GREY, "BMP")[:-9], "cannot decode it: OSError: image file is truncated"),
        (_encoded(Image.new("1", (20000, 20000)), "PNG"), "50,000,000"),
        (_encoded(Image.new("1", (10000, 5001)), "PNG"), "10000 x 5001 pixels, at most 50,000,000"),
    ],
    ids=str,
)
def test_pictures_without_one_grey_are_refused(data: bytes, told: str) -> None:
    with pytest.raises(RawDataError, match=f"/raw/p: .*{told}"):
        _clean(data)


def test_no_pixel_of_too_large_a_picture_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _encoded(GREY, "BMP")
    monkeypatch.setattr(images, "MOST_PIXELS", 64 * 64 - 1)
    monkeypatch.setattr(Image.Image, "load", lambda *_: pytest.fail("unpacked"))
    with pytest.raises(RawDataError, match="64 x 64 pixels"):
        _clean(data)


def test_a_picture_is_turned_as_cameras_say() -> None:
    exif = Image.Exif()
    exif[0x112] = 6
    turned = _encoded(GREY, "PNG", exif=exif)
    assert np.array_equal(_clean(turned), np.rot90(np.asarray(GREY), -1) / 255.0)


# ---- ECG records


def _record(
    values: list[int],
    form: str = "16",
    gain: str = "200(0)/mV",
    fs: str = "100",
    head: str = "",
    beats: tuple[int, ...] = (3,),
) -> dict[str, bytes]:
    """A record written by hand: wfdb itself writes no sample that it takes for a missing one."""
    data = np.array(values, "<i2").tobytes()
    if form == "212":
        pairs = np.array(values + values[-1:] * (len(values) % 2)) & 0xFFF
        low, high = pairs[::2], pairs[1::2]
        packed = np.stack([low & 0xFF, (low >> 8) | ((high >> 8) << 4), high & 0xFF], 1)
        data = packed.astype(np.uint8).tobytes()
    if form == "80":
        data = (np.array(values) + 128).astype(np.uint8).tobytes()
    header = head or f"r 1 {fs} {len(values)}\nr.dat {form} {gain} 0 0 0 0 0 ECG\n"
    steps = np.diff([0, *beats])
    marks = b"".join(struct.pack("<H", (1 << 10) | int(step)) for step in steps) + b"\0\0"
    return {"r.hea": header.encode(), "r.dat": data, "r.atr": marks}


def _beats(files: dict[str, bytes], samples: int = 8, more: str = "gain = 200.0\nbaseline = 0") -> PreparedInput:
    raw = _read(WfdbReader(record="r"), **files)
    assert isinstance(raw, RawRecord)
    how = f'kind = "beats"\nsamples = {samples}\nsample_rate = 100\ncodes = [1]\n{more}'
    return prepare(_manifest("beat_detection", how), raw)


BEAT = [0, 10, 20, 90, 20, 10, 0, -5]


def test_a_record_written_by_hand_is_read() -> None:
    for form in ("16", "212", "80"):
        prepared = _beats(_record(BEAT, form))
        assert prepared.arrays["signal"].tolist() == [value / 200 for value in BEAT]
        assert prepared.arrays["events"].tolist() == [3]


@pytest.mark.parametrize(("form", "code"), [("16", -32768), ("212", -2048), ("80", -128)])
def test_missing_samples_are_no_voltages(form: str, code: int, tmp_path: object) -> None:
    files = _record([*BEAT[:5], code, code, 0], form)
    with pytest.raises(RawDataError, match=rf"2 samples of channel 0 are missing \(stored as {code}\), .* sample 5"):
        _beats(files)
    assert _beats(files, samples=5).arrays["signal"].tolist() == [value / 200 for value in BEAT[:5]]


def test_the_marks_of_missing_samples_are_those_of_wfdb(tmp_path) -> None:
    """Where we see a mark, the package that reads the record gives no physical value."""
    for form, code in (("16", -32768), ("212", -2048), ("80", -128)):
        for name, data in _record([*BEAT[:5], code, 1, 2], form).items():
            (tmp_path / name).write_bytes(data)
        physical = wfdb.rdrecord(str(tmp_path / "r")).p_signal.ravel()
        assert np.flatnonzero(np.isnan(physical)).tolist() == [5]
        assert MISSING[form] == code


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (_record([7] * 8), "all 8 samples of channel 0 are 7"),
        (_record(BEAT, gain="100(0)/mV"), "header says gain 100 per mV and baseline 0.*manifest 200 and 0"),
        (_record(BEAT, gain="200(5)/mV"), "baseline 5"),
        (_record(BEAT, gain="200(0)/mmHg"), "is in mmHg, which is no voltage"),
        (_record(BEAT, fs="100.5"), "100.5 samples a second"),
        (_record(BEAT, fs="50"), "needed are 8 samples of channel 0 at 100 Hz"),
        (_record(BEAT, head="r/2 1 100 8\ns1 4\ns2 4\n"), "a record of 2 segments"),
        (_record(BEAT, head="r 1 100 8\nother.dat 16 200\n"), "which the form does not list"),
        (_record(BEAT, head="r 1 100 4\nr.dat 16x2 200(0)/mV\n"), "several samples a frame"),
        (_record(BEAT, beats=()), "no event of the listed codes"),
        (_record(BEAT, beats=(3, 3)), "two events stand at sample 3"),
    ],
    ids=str,
)
def test_records_that_cannot_be_read_as_one_voltage_are_refused(files: dict[str, bytes], told: str) -> None:
    with pytest.raises(RawDataError, match=told):
        _beats(files)


@pytest.mark.parametrize("gain", ["", "0", "0(0)/mV", "0.2(0)/uV"])
def test_a_header_without_a_gain_leaves_it_to_the_manifest(gain: str) -> None:
    head = f"r 1 100 8\nr.dat 16 {gain}\n"
    assert _beats(_record(BEAT, head=head)).arrays["signal"].tolist() == [value / 200 for value in BEAT]


# ---- corpora


BEIR = {
    "corpus.jsonl": '{"_id": "d1", "title": "", "text": "one"}\n{"_id": "d2", "title": "", "text": "two"}\n',
    "queries.jsonl": '{"_id": "q1", "text": "what"}\n{"_id": "q2", "text": ""}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t1\nq1\td2\t0\n",
}


def test_a_judgement_may_stand_twice_and_an_unjudged_query_may_be_empty() -> None:
    raw = _read(BeirReader(), **BEIR)
    assert isinstance(raw, RawCorpus)
    assert (raw.queries, raw.relevant) == ({"q1": "what"}, {"q1": ["d1"]})


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("corpus.jsonl", BEIR["corpus.jsonl"].replace('"d2"', '"d1"'), "line 2: id 'd1' stands twice, first in line 1"),
        ("corpus.jsonl", BEIR["corpus.jsonl"] * 2, "line 3: id 'd1' stands twice"),
        ("corpus.jsonl", '{"_id": "d1", "title": "", "text": " "}\n', "document without any text: d1"),
        ("corpus.jsonl", '{"_id": "d1", "_id": "d2", "title": "", "text": "x"}\n', "line 1 .*'_id' stands twice"),
        ("corpus.jsonl", '{"_id": "d1 ", "title": "", "text": "x"}\n', "line 1: id 'd1 ' is empty"),
        ("corpus.jsonl", '{"_id": "", "title": "", "text": "x"}\n', "line 1: id '' is empty"),
        ("corpus.jsonl", '{"_id": "d1", "title": "", "text": "\\ud800"}\n', "line 1: text holds half of a surrogate"),
        ("corpus.jsonl", '{"_id": 1, "title": "", "text": "x"}\n', "line 1 lacks"),
        ("corpus.jsonl", "[" * 100_000 + "\n", "line 1 is not JSON"),
        ("queries.jsonl", '{"_id": "q1", "text": "a"}\n{"_id": "q1", "text": "b"}\n', "line 2: id 'q1' stands twice"),
        ("queries.jsonl", '{"_id": "q1", "text": "\\n"}\n', "query without any text: q1"),
        (
            "qrels/test.tsv",
            "h\th\th\nq1\td1\t1\nq1\td1\t0\n",
            "line 3: query 'q1' and document 'd1' have score 0, but 1",
        ),
        ("qrels/test.tsv", "q1\td1\t1\n", "line 1 is a judgement"),
        ("qrels/test.tsv", "h\th\th\nq1\td1\t1.0\n", "line 2 is not query"),
        ("qrels/test.tsv", "h\th\th\nq1\td1\t²\n", "line 2 is not query"),
        ("qrels/test.tsv", "h\th\th\nq1 \td1\t1\n", "unknown queries q1 "),
    ],
)
def test_corpora_that_contradict_themselves_are_refused(file: str, text: str, told: str) -> None:
    with pytest.raises(RawDataError, match=f"/raw/{file}: .*{told}"):
        _read(BeirReader(), **(BEIR | {file: text}))


# ---- graphs


GML = "graph [ directed 0 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 value 3.5 ] edge [ source 1 target 0 ] ]"


def test_weights_comments_and_edges_in_both_directions_are_one_link() -> None:
    raw = _read(GmlReader(), file=f"# made by hand\n{GML}")
    assert isinstance(raw, RawGraph)
    assert raw.edges == ((0, 1), (1, 0))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("directed 0", "directed 1", "the graph is directed"),
        ("id 1 ", "id 0 ", "node id 0 stands twice"),
        ("id 1 ", "id 1 id 2 ", "'id' twice: 1, 2"),
        ("id 1 ", "id 1_0 ", "integer 'id', but '1_0'"),
        ("id 1 ", "id 1.0 ", "integer 'id', but '1.0'"),
        ("target 1 ", "target 9 ", r"unknown nodes \[9\]"),
        ("id 1 ", 'id 1 label "x ', "quotation mark is never closed"),
    ],
)
def test_graphs_of_another_kind_are_refused(old: str, new: str, told: str) -> None:
    assert old in GML
    with pytest.raises(RawDataError, match=told):
        _read(GmlReader(), file=GML.replace(old, new, 1))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0\t1\n1\t2\t5\n", "line 2 is not two names"),
        ("# n\n0\t1_0\n", "line 2: unknown node '1_0', no integer"),
        ("0\t 1\n", "line 1: unknown node ' 1'"),
        ("0\t１\n", "unknown node '１'"),
        ("a,b\n", "line 1 is not two names"),
    ],
)
def test_edge_lists_of_another_kind_are_refused(text: str, told: str) -> None:
    with pytest.raises(RawDataError, match=told):
        _read(EdgeListReader(), file=text)


def test_a_node_outside_the_manifest_is_named() -> None:
    with pytest.raises(RawDataError, match="line 2: unknown node 'B', not in the manifest's nodes"):
        _read(EdgeListReader(nodes=("a", "b")), file="a\tb\na\tB\n")
    with pytest.raises(ValueError, match="'a' stands twice"):
        EdgeListReader(nodes=("a", "a"))


def test_a_graph_too_large_for_its_pairs_is_refused() -> None:
    raw = RawGraph(tuple(range(5001)), ((0, 1),), "/raw/g")
    with pytest.raises(RawDataError, match="5001 nodes, at most 5000"):
        prepare(_manifest("link_prediction", 'kind = "links"\nsplit_seed = 5'), raw)


# ---- arrays


def _npz(**members: bytes) -> bytes:
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return stream.getvalue()


def _npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array)
    return stream.getvalue()


def test_column_order_byte_order_and_narrow_numbers_are_read_exactly() -> None:
    X = np.asfortranarray(np.arange(6, dtype=">f4").reshape(3, 2))
    raw = _read(ArraysReader(), file=_npz(X=_npy(X), labels=_npy(np.array([0, 1, 1], np.uint8))))
    assert isinstance(raw, RawArrays)
    prepared = prepare(_manifest("clustering", 'kind = "arrays"\nfacts = { n_clusters = 2 }'), raw)
    assert prepared.arrays["X"].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert (prepared.arrays["X"].dtype, prepared.arrays["labels"].dtype) == (np.float64, np.int64)
    check_content(prepared)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (_npz(x=_npy(np.arange(3.0))[:-8]), "16 bytes of data, its header says 24"),
        (_npz(x=_npy(np.arange(3.0)) + b"\0"), "25 bytes of data"),
        (_npz(x=_npy(np.arange(3.0)).replace(b"(3,), ", b"(9**9,)")), "array 'x'|plain arrays"),
        (_npz(x=_npy(np.array(["2026"], "M8[Y]"))), "neither numbers"),
        (_npz(x=_npy(np.zeros(2, [("a", "f8")]))), "neither numbers"),
        (_npz(), "no arrays"),
    ],
)
def test_archives_of_other_arrays_are_refused(data: bytes, told: str) -> None:
    with pytest.raises(RawDataError, match=f"/raw/file: .*({told})"):
        _read(ArraysReader(), file=data)


def test_a_header_that_promises_more_than_memory_makes_nothing() -> None:
    huge = _npy(np.arange(3.0)).replace(b"(3,), }" + b" " * 12, b"(999999999999,), }" + b" ")
    with pytest.raises(RawDataError, match="24 bytes of data, its header says 7999999999992"):
        _read(ArraysReader(), file=_npz(x=huge))


def test_arrays_beyond_all_bounds_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "LARGEST", 200)
    with pytest.raises(TooLargeError, match="more than the"):
        _read(ArraysReader(), file=_npz(x=_npy(np.arange(9.0)), y=_npy(np.arange(9.0))))


GOOD = {"X_train": np.eye(2), "y_train": np.arange(2.0), "X_test": np.eye(2), "y_test": np.arange(2.0)}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"X_train": np.array([[1, np.nan], [2, 3]])}, r"'X_train' holds nan at \[0, 1\]"),
        ({"y_test": np.array([1, np.inf])}, r"'y_test' holds inf at \[1\]"),
        ({"y_train": np.arange(3.0)}, "X_train has 2 rows, y_train has 3"),
        ({"X_test": np.ones((2, 3))}, "X_train has 2 columns, X_test 3"),
        ({"X_train": np.ones((2, 2))}, "all 2 rows of X_train are equal"),
        ({"y_train": np.ones(2)}, "y_train holds one value"),
    ],
)
def test_prepared_content_that_cannot_be_scored_is_refused(changed: dict[str, np.ndarray], told: str) -> None:
    check_content(PreparedInput("mine", "regression", GOOD, {}))
    with pytest.raises(RawDataError, match=told):
        check_content(PreparedInput("mine", "regression", GOOD | changed, {}))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"labels": np.array([2**63, 1], np.uint64)}, "uint64 holds values that i8 cannot"),
        ({"labels": np.array([0.5, 1])}, "float64 holds values that i8 cannot"),
        ({"X": np.array([[2**60 + 1], [1]])}, "int64 holds values that f8 cannot"),
        ({"X": np.arange(2.0)}, r"shape \[2\], 2 dimensions"),
        ({"X": np.array([["a"], ["b"]])}, "numbers are needed"),
        ({"X": np.array([[1j], [1]])}, "numbers are needed"),
    ],
)
def test_arrays_that_lose_something_in_their_type_are_refused(changed: dict[str, np.ndarray], told: str) -> None:
    good = {"X": np.eye(2), "labels": np.arange(2)}
    with pytest.raises(RawDataError, match=told):
        needed_arrays("clustering", good | changed)
    with pytest.raises(RawDataError, match="'labels' is missing"):
        needed_arrays("clustering", {"X": np.eye(2)})


@pytest.mark.parametrize(
    ("family", "content", "facts", "told"),
    [
        ("forecasting", {"series": np.arange(4.0)}, {"cut": 4}, "cut is 4, a whole number from 1 to 3"),
        ("forecasting", {"series": np.arange(4.0)}, {"cut": "2"}, "cut is '2'"),
        ("forecasting", {"series": np.ones(4)}, {"cut": 2}, "holds one value"),
        ("restoration", {"clean": np.eye(2) * 255, "noisy": np.eye(2)}, {}, "clean has values from 0 to 255"),
        ("restoration", {"clean": np.eye(2), "noisy": np.eye(3)}, {}, "they must be one picture"),
        ("beat_detection", {"signal": np.arange(4.0), "events": np.array([4])}, {"sample_rate": 9}, "below 4"),
        ("beat_detection", {"signal": np.arange(4.0), "events": np.array([1])}, {"sample_rate": 0}, "sample_rate is 0"),
        ("clustering", {"X": np.eye(2), "labels": np.arange(2)}, {"n_clusters": 3}, "n_clusters is 3"),
    ],
)
def test_facts_that_do_not_fit_are_refused(
    family: str, content: dict[str, np.ndarray], facts: dict[str, object], told: str
) -> None:
    with pytest.raises(RawDataError, match=told):
        check_content(PreparedInput("mine", family, content, facts))


# ---- manifests


@pytest.mark.parametrize(
    ("family", "preparation", "told"),
    [
        (
            "regression",
            'kind = "table"\ntarget = "y"\ntest_fraction = 2.0',
            "test_fraction is 2.0; allowed: more than 0",
        ),
        ("regression", 'kind = "table"\ntarget = "y"\ntest_fraction = nan', "test_fraction is nan"),
        ("regression", 'kind = "table"\ntarget = "y"\nseed = -1', "seed is -1; allowed: 0 to 4294967295"),
        ("regression", 'kind = "table"\ntarget = ""', "target is ''"),
        ("regression", 'kind = "table"\ntarget = "y"\nfeatures = ["y"]', "columns other than the target"),
        ("regression", 'kind = "table"\ntarget = "y"\nfeatures = ["a", "a"]', "'a' stands twice"),
        ("regression", 'kind = "table"\ntarget = "y"\ndrop = ["y"]', "columns that are not used"),
        ("forecasting", 'kind = "series"\ncolumns = []', "columns is"),
        ("forecasting", 'kind = "series"\ncolumns = ["v"]\ntrain_fraction = 1.0', "train_fraction is 1.0"),
        ("restoration", 'kind = "image"\nside = 0', "side is 0; allowed: 8 to 4096"),
        ("restoration", 'kind = "image"\nnoise = -0.1', "noise is -0.1"),
        ("retrieval", 'kind = "retrieval"\nqueries = 0', "queries is 0"),
        ("link_prediction", 'kind = "links"\nsplit_seed = 1\npart_fraction = 0.5', "part_fraction is 0.5"),
        (
            "beat_detection",
            'kind = "beats"\nsamples = 9\nsample_rate = 4\ngain = 0.0\nbaseline = 0\ncodes = [1]',
            "gain is 0.0",
        ),
    ],
)
def test_values_out_of_range_are_refused_with_what_is_allowed(family: str, preparation: str, told: str) -> None:
    with pytest.raises(ManifestError, match=f"mine.toml: .*{told}"):
        _manifest(family, preparation)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('kind = "table" }', 'kind = "table", delimiter = ";;" }', "delimiter is ';;'"),
        ('kind = "table" }', 'kind = "table", delimiter = "1" }', "delimiter is '1'"),
        ('kind = "table" }', 'kind = "table", skip_lines = -1 }', "skip_lines is -1"),
        ('kind = "table" }', 'kind = "wfdb", record = "../x" }', "record is '../x'"),
        ('name = "data.csv"', 'name = "data.csv"\nsize = -1', "size of 'data.csv' is -1"),
        ('name = "data.csv"', 'name = "data.csv"\nurl = "file:///etc/passwd"', "url is 'file:///etc/passwd'"),
        ('name = "data.csv"', 'name = "data.csv"\npackage = "../x"', "package is"),
        ('title = "Mine"', 'title = "\\u001b[2J"', "title is '.x1b"),
        ('digest = "0', 'digest = "g', "digest is 'g0"),
    ],
)
def test_other_fields_out_of_range(old: str, new: str, told: str) -> None:
    text = MANIFEST.format(family="regression", preparation='kind = "table"\ntarget = "y"', digest="0" * 64)
    assert old in text
    with pytest.raises(ManifestError, match=told):
        decode(text.replace(old, new, 1))


def test_a_label_in_a_message_cannot_steer_a_terminal() -> None:
    with pytest.raises(RawDataError) as caught:
        _classes("x", "\x1b[2J")
    assert str(caught.value).isprintable()
    with pytest.raises(RawDataError, match="cannot be printed"):
        _classes("x", "x\u200b")


def test_a_table_of_very_many_columns_is_read() -> None:
    names = [f"c{number}" for number in range(200_000)]  # comparing each with each would take hours
    assert list(_table(f"{','.join(names)}\n{','.join('1' * len(names))}\n").columns) == names
