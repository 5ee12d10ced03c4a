"""What the pages tell users to type: commands that the program knows, and Python that runs."""

import json
import os
import re
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]


def commands(page: Path) -> list[str]:
    """`haichi ...` in the indented blocks of a page, without comments and what is piped in or out."""
    lines = re.findall(r"^ {4,}(.*\bhaichi (?:[a-z-]+ ).*)$", page.read_text(), re.MULTILINE)
    parts = [part.split(" #")[0].strip() for line in lines for part in re.split(r" \| | && ", line)]
    return [part for part in parts if part.startswith("haichi ")]


@cache
def help_of(*words: str) -> str:
    environment = os.environ | {"HAICHI_PYTHON": sys.executable}  # some commands are Python's
    done = subprocess.run([os.environ["HAICHI_BIN"], *words, "--help"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, words
    return done.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_options_of_the_commands_exist(page: Path) -> None:
    for command in commands(page):
        words = command.split()
        help_text = help_of(*(words[1:3] if words[1] in ("log", "advise") else words[1:2]))
        for option in re.findall(r"(?<=\s)--?[a-z][\w-]*", command):
            assert re.search(rf"(?<![\w-]){option}\b", help_text), f"{page.name}: {command}: {option}"


def test_the_guide_has_commands() -> None:
    assert len(commands(REPOSITORY / "docs/guide.md")) > 40


def test_pictures_are_small_pngs() -> None:
    screenshots = {"report.png", "service.png"}
    sizes = {path.name: path.stat().st_size for path in (REPOSITORY / "docs/images").iterdir() if path.suffix != ".py"}
    large = [name for name, size in sizes.items() if size > (150_000 if name in screenshots else 60_000)]
    assert large == [], "docs/images/small_png.py makes small ones"
    assert {Path(name).suffix for name in sizes if "." in name} == {".png"}


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md"])
def test_python_of_the_page_runs(page: str, tmp_path: Path) -> None:
    blocks = re.findall(r"^( *)```python\n(.*?)^ *```", (REPOSITORY / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    # Each has names of its own; one interpreter imports the package once.
    texts = [textwrap.dedent(block) for _, block in blocks]
    script = f"for text in {texts!r}: exec(compile(text, 'block', 'exec'), {{'__name__': '__main__'}})"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("kind", "page"),
    [("objectives", "concepts"), ("folds", "concepts"), ("formats", "formats"), ("workload-formats", "formats")],
)
def test_every_row_of_a_table_stands_in_a_table_of_its_page(kind: str, page: str) -> None:
    asked = [os.environ["HAICHI_BIN"], "list", kind, "--json"]
    rows = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)[kind]
    names = re.findall(
        r"`([\w-]+)", "".join(re.findall(r"^\|([^|]*)\|", (REPOSITORY / f"docs/{page}.md").read_text(), re.M))
    )
    assert rows and {row["name"] for row in rows} <= set(names)
