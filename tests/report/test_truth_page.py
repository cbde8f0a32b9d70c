"""The page about truth beside process: whole HTML whatever players call themselves, and in a browser."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_helpers import NASTY, Page
from test_browser import BROWSER, FLAGS, SCHEMES

from whatworked.process.graph import write_graph
from whatworked.process.truth import read_games
from whatworked.report.process import write_truth_page
from whatworked.report.process.scatter import _ticks

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "process"))

from truth_games import HAND_IN, buy, graph_of, note, play

PROBE = """
<script>
const shown = (node) => node.getBoundingClientRect().width > 0;
const all = (what) => [...document.querySelectorAll(what)].filter(shown);
const sizes = all("svg text").map((text) => text.getBoundingClientRect().height);
const out = document.createElement("pre");
out.id = "result";
out.textContent = JSON.stringify({
  fits: document.documentElement.scrollWidth <= innerWidth, smallest: Math.min(...sizes),
  paper: getComputedStyle(document.body).backgroundColor, points: all(".point").length,
});
document.body.append(out);
</script>
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("truth-page")
    lines = [note(f"B raises the utility by 0.{size} at 0-0000. {NASTY}") for size in (46, 2, 464)]
    for name in ("first", "second"):
        folder = play(place / "games" / name, buy("010000"), *lines, HAND_IN, player=NASTY, budget=1)
        write_graph(place / "graphs" / f"{name}.graph.json", graph_of(folder))
    write_truth_page(read_games([place]), place / "truth.html", resamples=50)
    return (place / "truth.html").read_text()


def test_it_is_whole_and_holds_no_script_of_a_player(page: str) -> None:
    read = Page(page)
    assert read.all("script") == []
    anchors = {attributes["id"] for _, attributes in read.elements if "id" in attributes}
    assert {attributes["href"].removeprefix("#") for attributes in read.all("a")} <= anchors
    # Three statements a game, each drawn for two widths; the one that is 0.26 off is a ring.
    assert len(read.all("circle", class_="point known")) == 4
    assert "6" in read.texts["dd"]
    assert "default-src 'none'" in read.all("meta", http_equiv="Content-Security-Policy")[0]["content"]
    assert not re.search("(?:src|href)=.(?!#)", page)


@given(st.floats(1e-3, 1.0))
def test_axes_have_a_few_round_ticks_within_their_range(extent: float) -> None:
    ticks = _ticks(-extent, extent)
    assert 3 <= len(ticks) <= 7
    assert 0.0 in ticks
    assert max(map(abs, ticks)) <= extent * (1 + 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 500), ("dark", 1300)])
def test_it_fits_its_window(page: str, tmp_path: Path, scheme: str, width: int) -> None:
    if BROWSER is None:
        pytest.skip("no browser to open the page in: install Debian's chromium (apt-get install -y chromium)")
    text = page.replace("default-src 'none'; ", "default-src 'none'; script-src 'unsafe-inline'; ")
    (tmp_path / "page.html").write_text(text.replace("</body>", f"{PROBE}</body>"))
    ran = subprocess.run(
        [str(BROWSER), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},900",
         f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", "--dump-dom", f"file://{tmp_path / 'page.html'}"],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    result = json.loads(unescape(re.findall('<pre id="result">(.*?)</pre>', ran.stdout, re.DOTALL)[0]))
    assert result["fits"]
    assert result["points"] == 6
    assert result["smallest"] >= 9
    assert result["paper"] == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
