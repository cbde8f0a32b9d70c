"""The page about a run in a real browser: a measure leads to its opportunities, and they to the quotes in place."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from test_browser import BROWSER, FLAGS, SCHEMES

from whatworked.report.process import process_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "process"))

PROBE = """
<script>
const result = {errors: []};
const click = (node) => node.dispatchEvent(new MouseEvent("click", {bubbles: true}));
const settled = () => new Promise((resolve) => setTimeout(resolve, 60));
(async () => {
  try {
    result.ready = document.documentElement.dataset.ready;
    result.paper = getComputedStyle(document.body).backgroundColor;
    result.width = document.documentElement.scrollWidth;
    const texts = [...document.querySelectorAll(".axis svg text")];
    result.small = Math.min(...texts.map((text) => text.getBoundingClientRect().height));
    const measure = document.getElementById("m-experiment_yield");
    result.closedBefore = measure.open;
    location.hash = document.querySelector('.axis a[href="#m-experiment_yield"]').getAttribute("href");
    await settled();
    result.openAfter = measure.open;
    result.items = measure.querySelectorAll(".items li").length;
    result.taken = measure.querySelectorAll(".items li.taken").length;
    const cite = measure.querySelector("cite a");
    result.quoted = measure.querySelector("blockquote q").textContent;
    for (const step of document.querySelectorAll("details.step")) step.open = false;
    location.hash = cite.getAttribute("href");
    await settled();
    const here = document.querySelector("mark.here");
    result.here = here.textContent;
    result.stepOpen = here.closest("details").open;
    const box = here.getBoundingClientRect();
    result.inSight = box.top >= 0 && box.bottom <= innerHeight;
    const only = document.getElementById("only-missed");
    only.checked = true;
    only.dispatchEvent(new Event("change"));
    const shown = (item) => getComputedStyle(item).display !== "none";
    result.hidden = ![...measure.querySelectorAll("li.taken")].some(shown);
    const node = document.querySelector("[data-node='a1.launch']");
    node.dispatchEvent(new PointerEvent("pointerenter"));
    result.lit = document.querySelectorAll(".edge.lit").length;
    click(document.querySelector("button[data-open='all']"));
    result.allOpen = [...document.querySelectorAll("details.measure")].every((part) => part.open);
  } catch (error) { result.errors.push(String(error)); }
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(result);
  document.body.append(out);
})();
</script>
"""


def story_page() -> str:
    from plain_judge import plain_graph
    from test_juries import STORY

    return process_page(plain_graph(STORY), STORY)


def seen(folder: Path, scheme: str, width: int) -> dict[str, Any]:
    if BROWSER is None:
        pytest.skip("no browser to open the page in: install Debian's chromium (apt-get install -y chromium)")
    path = folder / "page.html"
    path.write_text(story_page().replace("</body>", PROBE + "</body>"))
    command = [
        BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}",
        f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", f"--window-size={width},900", "--dump-dom",
        path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=180)
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return dict(json.loads(unescape(found.group(1))))


@pytest.mark.parametrize(("scheme", "width", "paper"), [("light", 1300, "255, 255, 255"), ("dark", 500, "20, 23, 28")])
def test_from_a_measure_to_the_quote_in_place(scheme: str, width: int, paper: str, tmp_path: Path) -> None:
    result = seen(tmp_path, scheme, width)
    assert result["errors"] == []
    assert result["ready"] == "yes"
    assert result["paper"] == f"rgb({paper})"
    assert result["width"] <= width
    assert result["small"] >= 9
    assert (result["closedBefore"], result["openAfter"]) == (False, True)
    assert (result["taken"], result["items"]) == (2, 3)
    assert result["here"] == result["quoted"] == "launch A"
    assert result["stepOpen"] is result["inSight"] is result["hidden"] is result["allOpen"] is True
    assert result["lit"] == 2  # expects the prediction, and is read by its check


def test_a_page_fetches_nothing_and_text_of_a_record_is_no_markup() -> None:
    from hand_graphs import run_record
    from plain_judge import plain_graph

    record = run_record(("belief A: <script>alert(1)</script> & so", "run", "launch A", "result A: good"))
    page = process_page(plain_graph(record), record)
    assert "<script>alert" not in page
    assert "belief A: &lt;script&gt;alert(1)&lt;/script&gt; &amp; so" in page
    assert re.findall(r"""(?:src|href)=["'](?!#)""", page) == []
    assert "url(" not in page


def test_a_long_text_is_shown_around_its_quotes_and_what_is_left_out_is_said() -> None:
    from hand_graphs import run_record
    from plain_judge import plain_graph

    long = "x" * 20_000 + "\nresult A: good\n" + "y" * 20_000
    record = run_record(("belief A: so", "run", "launch A", long))
    page = process_page(plain_graph(record), record)
    assert len(page) < 60_000
    assert "<mark>result A: good</mark>" in page
    left_out = [int(number.replace(",", "")) for number in re.findall(r"… ([\d,]+) characters …", page)]
    assert sum(left_out) == 2 * (20_000 - 3_000) + 2
