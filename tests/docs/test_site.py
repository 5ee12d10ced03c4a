"""The documentation as users see it: built without a warning, whole, and without a network."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

REPOSITORY = Path(__file__).parents[2]
LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}


class Page(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in LOADS and LOADS[tag] in values:
            self.loads.append(values[LOADS[tag]])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("docs")
    builder = REPOSITORY / "docs/site/build_site.py"
    command = [sys.executable, builder, "--haichi", os.environ["HAICHI_BIN"], "--output", output]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    return output / "html"


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_page_of_the_repository_is_there(site: Path) -> None:
    names = [path.stem for path in (REPOSITORY / "docs").glob("*.md")]
    assert len(names) >= 7
    for name in names:
        assert (site / f"docs/{name}.html").exists()


def test_no_link_inside_leads_nowhere(pages: dict[Path, Page]) -> None:
    followed = 0
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, f"{path.name}: {link}"
                followed += 1
    assert followed > 100


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert [load for load in page.loads if urlsplit(load).netloc] == [], path
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", sheet.read_text()), sheet


def test_the_references_name_what_the_program_and_the_package_have(site: Path) -> None:
    import haichi

    program = (site / "reference/program.html").read_text()
    for option in ("--objective", "--sim-iterations", "--sends-per-rank", "haichi log show"):
        assert option in program
    tables = (site / "reference/tables.html").read_text()
    for entry in haichi.list_objectives() + haichi.list_machines() + haichi.list_formats():
        assert entry.name.split("[")[0].split(":")[0] in tables
    anchors = Page(site / "reference/python.html").anchors
    assert {f"haichi.{name}" for name in haichi.__all__} <= anchors
