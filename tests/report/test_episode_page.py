"""The page of an episode: everything that happened, nothing fetched, no text of a player taken for markup."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape

import pytest
from command_line import run_here
from report_helpers import NASTY, Page

from whatworked.episodes import Call, Episode
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.records import read_record, setup_of
from whatworked.errors import InvalidOptionError
from whatworked.report.episode import episode_page

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
CALLS = (
    ("report_rules", {"rules": [{"option": "E", "when": {"C": 0}}]}),
    ("note", {"text": f"I believe\n{NASTY} \x1b[2J"}),
    ("observe_many", {"masks": ["110000", "001100", "000000"]}),
    ("observe_many", {"masks": [NASTY]}),
    ("observe_many", {"masks": ["010101"]}),
    ("calculate_python", {"code": f"print('{NASTY}')"}),
    ("submit_diagnosis", {"estimator": "ridge_pair"}),
)


class Program:
    def perform(self, request):
        del request
        return {"exit": 1, "limit": "cpu", "stdout": NASTY, "stderr": "\x1b[31mno", "truncated": [], "result": None}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with an episode, and its page."""
    folder = tmp_path_factory.mktemp("episodes") / "one"
    rules = effects_environment()
    options = {"budget": 5, "view": "full+rules"}
    with Episode(
        folder, rules, rules.find("wine__d6"), options, performers={**rules.performers, "python": Program()}
    ) as e:
        for tool, arguments in CALLS:
            e.call(Call(tool=tool, arguments=arguments))
    record = read_record(folder)
    return folder, episode_page(record, setup_of(record), player=NASTY)


def test_it_is_sound_html_that_fetches_nothing(made):
    page = Page(made[1])
    assert page.all("script") == []
    assert [
        tag for tag, attributes in page.elements if "src" in attributes or "http" in attributes.get("href", "")
    ] == []
    assert "\x1b" not in made[1]
    assert NASTY in "".join(page.texts["blockquote"])


def test_what_was_bought_stands_in_its_order(made):
    page = Page(made[1])
    titles = page.texts["title"]
    assert [text for text in titles if "bought as" in text] == [
        "001100: bought as 2",
        "010101: bought as 3",
        "110000: bought as 1",
    ]
    assert sum("measured for free" in text for text in titles) == 2
    assert "1 of 1" in page.texts["dd"]  # rules reported


def test_every_effect_is_drawn_as_it_was_told(made):
    record = read_record(made[0])
    setup = setup_of(record)
    surface = setup.instance.surface
    told = setup.environment.score(record.events, setup.instance, setup.options).details["predictions"]
    tips = [text for text in Page(made[1]).texts["title"] if ", in the table " in text]
    assert len(tips) == 2 * 192  # for wide and for narrow windows
    for tip in tips[::37]:
        letter, mask, true, said = re.fullmatch(r"(\w) at (\d+): true (\S+), in the table (\S+)", tip).groups()
        low = int(mask, 2)
        high = low | 1 << (5 - "ABCDEF".index(letter))
        assert float(true) == pytest.approx(surface.utilities[high] - surface.utilities[low], abs=6e-5)
        assert float(said) == pytest.approx(told[high] - told[low], abs=6e-5)


def test_a_missing_answer_has_a_page(tmp_path):
    rules = effects_environment()
    with Episode(tmp_path / "none", rules, rules.find("wine"), {"view": "opaque"}) as episode:
        episode.call(Call(tool="nothing"))
    record = read_record(tmp_path / "none")
    text = episode_page(record, setup_of(record))
    assert "Nothing was handed in" in text
    Page(text)


def test_commands_write_the_page_and_the_shared_inference(made, tmp_path):
    folder = str(made[0])
    run_here("episode", "page", folder, "--out", str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    said = run_here("episode", "infer", folder, "--estimator", "ridge-pair", "--estimator", "class-gp", "--json")
    delivered, ridge, gp = json.loads(said.stdout)
    assert (delivered["form"], ridge["answer"], gp["answer"]) == ("helper:ridge_pair", "ridge-pair", "class-gp")
    assert delivered["grade"]["effect_recovery"] == pytest.approx(ridge["grade"]["effect_recovery"], abs=1e-12)


def test_other_environments_have_no_such_page(made):
    record = read_record(made[0])
    setup = setup_of(record)
    with pytest.raises(InvalidOptionError, match="episodes of effects"):
        episode_page(record, type(setup)(setup.environment, object(), setup.options, setup.opening))


def test_it_fits_a_narrow_window_in_the_dark(made, tmp_path):
    if BROWSER is None:
        pytest.skip("no browser to open the page in: install Debian's chromium (apt-get install -y chromium)")
    probe = (
        "<script>const box = getComputedStyle(document.querySelector('.scroll')); "
        "const out = document.createElement('pre'); out.id = 'probe'; out.textContent = JSON.stringify("
        "[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor, "
        "performance.getEntriesByType('resource').length, box.overflowX, "
        "box.backgroundAttachment]); document.body.append(out);</script></body>"
    )
    path = tmp_path / "page.html"
    allowed = made[1].replace("default-src 'none';", "default-src 'none'; script-src 'unsafe-inline';")
    path.write_text(allowed.replace("</body>", probe))
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--blink-settings=preferredColorScheme=0", "--window-size=500,900"]
    done = subprocess.run(
        [*command, "--dump-dom", path.as_uri()], check=True, capture_output=True, text=True, timeout=180
    )
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
    wide, paper, fetched, overflow, shadows = json.loads(unescape(found.group(1)))
    assert wide <= 500
    assert paper == "rgb(20, 23, 28)"
    assert fetched == 0
    # A shadow at the edge says that there is more; a cover that goes along with the content hides it at the end.
    assert (overflow, shadows) == ("auto", "local, local, scroll, scroll")
