"""The documentation builds without warnings, is complete, and works without a network."""

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
    """Links, loaded files and anchors of a page."""

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
    docs = REPOSITORY / "docs"
    pages = [page.relative_to(docs) for page in docs.rglob("*.md") if docs / "site" not in page.parents]
    assert len(pages) >= 7
    for page in pages:
        assert (site / "docs" / page.with_suffix(".html")).exists()


def test_no_written_page_has_the_name_of_a_generated_one(site: Path) -> None:
    for name in ("command_line", "choices", "python"):
        assert not (REPOSITORY / f"docs/reference/{name}.md").exists()
        assert (site / f"docs/reference/{name}.html").exists()


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

    program = (site / "docs/reference/command_line.html").read_text()
    for option in ("--objective", "--sim-iterations", "--sends-per-rank", "haichi log show"):
        assert option in program
    choices = (site / "docs/reference/choices.html").read_text()
    for entry in haichi.list_objectives() + haichi.list_machines() + haichi.list_formats():
        assert entry.name.split("[")[0].split(":")[0] in choices
    anchors = Page(site / "docs/reference/python.html").anchors
    assert {f"haichi.{name}" for name in haichi.__all__} <= anchors
