"""The report in a real browser: it fits narrow screens, and has two schemes."""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from builders.pipelines import make_trained
from spacy.tokens import Doc, Span

from spacy_latperc.report.page import Subject, write_report

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed"),
    pytest.mark.filterwarnings("ignore:.LP915"),
]
OPTIONS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
OPTIONS += "--disable-background-networking --disable-component-update --disable-sync"
SCRIPT = """
onload = () => {
  document.title = [...document.querySelectorAll("iframe")].map((frame) => {
    const root = frame.contentDocument.documentElement;
    frame.contentDocument.querySelectorAll("details").forEach((x) => (x.open = true));
    const loaded = frame.contentWindow.performance.getEntriesByType("resource").length;
    const scripts = frame.contentDocument.scripts.length;
    const colour = frame.contentWindow.getComputedStyle(root).getPropertyValue("--red");
    const wide = root.scrollWidth - root.clientWidth;
    return [wide, loaded, scripts, colour].join(",");
  }).join(" ");
};
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report with long words and text that looks like HTML."""
    nlp = make_trained("latperc_ner")
    nlp.config["training"]["max_epochs"] = 5
    docs = []
    for words in (
        ["Ada", "met", "<script>alert(1)</script>", "x" * 300, "in", "London"],
        ["London", "and", "Rome", "&", "Paris"],
    ):
        doc = Doc(nlp.vocab, words=words)
        doc.ents = [Span(doc, 1, 2, "VERY_LONG_NAME_OF_A_TYPE"), Span(doc, 3, 4, "ORG")]
        docs.append(doc)
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, Subject(nlp, "entities", "test data", docs, docs))
    return path.read_text(encoding="utf-8")


def in_browser(page: str, folder: Path, *options: str) -> list[list[str]]:
    """Return what SCRIPT finds in frames of 400 and 1400 pixels."""
    frames = "".join(
        f'<iframe width={width} height=900 style="border:0" '
        f'srcdoc="{html.escape(page)}"></iframe>'
        for width in (400, 1400)
    )
    path = folder / "frames.html"
    path.write_text(f"<title></title>{frames}<script>{SCRIPT}</script>")
    command = [str(BROWSER), *OPTIONS.split(), *options, "--dump-dom"]
    command += [f"--user-data-dir={folder / 'profile'}", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    (title,) = re.findall("<title>(.+?)</title>", done.stdout)[:1]
    return [found.split(",") for found in title.split(" ")]


def test_page_fits_loads_nothing_and_runs_no_script(page, tmp_path):
    found = in_browser(page, tmp_path)
    assert [x[:3] for x in found] == [["0", "0", "0"]] * 2


def test_page_has_a_dark_scheme(page, tmp_path):
    light = in_browser(page, tmp_path)[0][3]
    dark = in_browser(page, tmp_path, "--blink-settings=preferredColorScheme=0")[0][3]
    assert light != dark
