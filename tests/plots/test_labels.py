"""Names of any characters stand in figures as they are, and figures are drawn whatever the environment says."""

from __future__ import annotations

import io
import os
import warnings
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from command_line import run_apart
from matplotlib.image import imread
from run_helpers import lowest, mean
from slow_sample import slow_but

from whatworked import ResponseSurface, bench
from whatworked.comparing import collect_runs
from whatworked.plots import KINDS, draw, render
from whatworked.plots.calibration import draw_calibration
from whatworked.plots.labels import plain_label
from whatworked.report import write_report
from whatworked.surfaces.exports import LabelledSurface

NAMES = [
    "cost in $",
    "$",
    "$x_i^2$ and $",
    r"$\frac{1}{2}$",
    r"$\nosuchcommand$",
    r"a\$b",
    "$$",
    "x_i^2",
    "100 % of \\alpha & #1 ~ {",
    "_hidden",
    "two\nlines\tand a tab",
    "emoji 🎉 and 漢字",
    "עברית",
    "long " * 200,
    "<b>&amp;\"'",
    "bell\x07 and \x1b[2J",
    "half of a pair \udcff",
    "\ufffe",
    " ",
]


@pytest.mark.parametrize("number", slow_but(range(len(NAMES)), quick={"2", "7", "11", "13", "16"}))
def test_a_name_stands_in_every_panel_as_it_is(number):
    name = NAMES[number]
    surface = ResponseSurface((name, f"{name} too"), [0.25, 0.5, 0.75, 0.5], name=name)
    labelled = LabelledSurface(surface, name, name, "", (f"first {name}", f"second {name}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in KINDS:
            page = render(draw(labelled, kind), "svg")
            texts = [
                element.text or "" for element in ElementTree.fromstring(page).iter("{http://www.w3.org/2000/svg}text")
            ]
            shown = " ".join(" ".join(texts).split())
            wanted = plain_label(name, 16).replace(r"\$", "$").split("too")[0].strip("\u200b… ")
            assert wanted in shown
        assert imread(io.BytesIO(render(draw(labelled, "effects"), "png"))).shape[1] == 1800


def test_labels_are_equal_to_what_is_written_of_them():
    assert [plain_label(name) for name in ("A", "median filter", "é 漢")] == ["A", "median filter", "é 漢"]
    assert plain_label("_x") == "\u200b_x"
    assert plain_label("a\udcffb\x00c") == r"a\udcffb\x00c"
    assert len(plain_label("x" * 1000)) == 48


def test_every_curve_of_a_calibration_is_in_its_legend():
    figure = draw_calibration([0.5, 0.9], {"_first": [0.4, 0.8], "$a$ $b": [0.5, 0.9]})
    assert len(figure.axes[0].get_legend().get_texts()) == 3
    assert render(figure, "svg").decode().count("$a$ $b") == 1


@pytest.mark.parametrize("setting", [{"text.usetex": True}, {"text.parse_math": False}])
def test_settings_of_the_user_do_not_change_the_text(setting):
    surface = ResponseSurface(("a$", "b_1"), [0.25, 0.5, 0.75, 0.5])
    plain = render(draw(surface), "svg")
    with mpl.rc_context(setting):
        assert render(draw(surface), "svg") == plain


BACKENDS = ["module://matplotlib_inline.backend_inline", "module://nosuch", "junk", "", " agg", "module://", "tkagg"]


@pytest.mark.parametrize("backend", slow_but(BACKENDS, quick={"module://nosuch", "junk"}))
def test_figures_are_drawn_whatever_window_system_is_named(backend, tmp_path):
    suffix = "svg" if backend == "junk" else "png"
    done = run_apart("plot", "wine", "--kind", "main", "--out", str(tmp_path / f"x.{suffix}"), MPLBACKEND=backend)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / f"x.{suffix}").read_bytes()[:5] in (b"\x89PNG\r", b"<?xml")


def test_a_report_of_a_folder_whose_name_is_no_text(tmp_path):
    folder = os.fsencode(tmp_path) + b"/r\xff\xe9n"
    run = bench(mean, lowest, 2, os.fsdecode(folder), "wine")
    out = tmp_path / os.fsdecode(b"page\xfe.html")
    write_report(collect_runs(run), out, title="of \udcff", resamples=20)
    page = out.read_bytes().decode("utf-8")
    assert r"r\udcff\udce9n" in page
    assert r"of \udcff" in page
    assert np.array_equal(
        run.records[0].predictions, bench(mean, lowest, 2, os.fsdecode(folder), "wine").records[0].predictions
    )
