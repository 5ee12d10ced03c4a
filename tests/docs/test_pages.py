"""Checks the commands and the Python code on the pages: options exist, and code runs."""

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
SITE = REPOSITORY / "docs/site"
PAGES = [
    REPOSITORY / "README.md",
    *(page for page in sorted((REPOSITORY / "docs").rglob("*.md")) if SITE not in page.parents),
]
PAGES_WITH_PYTHON = ["README.md", "docs/howto/python.md"]


def commands(page: Path) -> list[str]:
    """Commands `haichi ...` in indented and fenced blocks of a page, without comments and the rest of a pipeline."""
    text = page.read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    blocks += re.findall(r"^ {4,}(.*\bhaichi (?:[a-z-]+ ).*)$", text, re.MULTILINE)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    parts = [part.split(" #")[0].strip() for line in lines for part in re.split(r" \| | \|\| | && ", line)]
    parts = [re.sub(r"^(?:\w+=\S* )+", "", part) for part in parts]
    return [part for part in parts if re.match(r"haichi (?!mgenc)[a-z]", part)]  # mgencc has the compiler's options


@cache
def help_of(*words: str) -> str:
    environment = os.environ | {"HAICHI_PYTHON": sys.executable}  # some commands are written in Python
    done = subprocess.run([os.environ["HAICHI_BIN"], *words, "--help"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, words
    return done.stdout


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands(page)], ids=lambda page: str(page.relative_to(REPOSITORY))
)
def test_options_of_the_commands_exist(page: Path) -> None:
    for command in commands(page):
        words = command.split()
        help_text = help_of(*(words[1:3] if words[1] in ("log", "advise") else words[1:2]))
        for option in re.findall(r"(?<=\s)--?[a-z][\w-]*", command):
            assert re.search(rf"(?<![\w-]){option}\b", help_text), f"{page.name}: {command}: {option}"


def test_the_pages_have_commands() -> None:
    assert sum(len(commands(page)) for page in PAGES) > 60


def test_pictures_are_small_pngs() -> None:
    screenshots = {"report.png", "service.png"}
    sizes = {path.name: path.stat().st_size for path in (REPOSITORY / "docs/images").iterdir() if path.suffix != ".py"}
    large = [name for name, size in sizes.items() if size > (150_000 if name in screenshots else 60_000)]
    assert large == [], "docs/images/small_png.py makes small ones"
    assert {Path(name).suffix for name in sizes if "." in name} == {".png"}


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON)
def test_python_of_the_page_runs(page: str, tmp_path: Path) -> None:
    blocks = re.findall(r"^( *)```python\n(.*?)^ *```", (REPOSITORY / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    # One interpreter runs all blocks, since the import takes long. Each block has its own names.
    texts = [textwrap.dedent(block) for _, block in blocks]
    script = f"for text in {texts!r}: exec(compile(text, 'block', 'exec'), {{'__name__': '__main__'}})"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["objectives", "folds", "formats", "workload-formats"])
def test_every_name_is_in_a_table_of_a_page(kind: str) -> None:
    asked = [os.environ["HAICHI_BIN"], "list", kind, "--json"]
    rows = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)[kind]
    pages = [page for page in PAGES if page.parent.name == "reference" or page.stem == "concepts"]
    cells = "".join(cell for page in pages for cell in re.findall(r"^\|([^|]*)\|", page.read_text(), re.M))
    names = re.findall(r"`([\w-]+)", cells)
    assert rows and {row["name"] for row in rows} <= set(names)
