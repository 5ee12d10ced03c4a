"""Counts what the writing rules of CONTRIBUTING.md forbid in documents, help texts, messages and comments, and rejects
that a count rises above its budget.

    python3 tests/words/check_words.py               check the budget
    python3 tests/words/check_words.py --update      lower the budget to the present counts; it never rises
    python3 tests/words/check_words.py --list FILE   print every finding in files or directories
    python3 tests/words/check_words.py --counts      print the counts of the repository, or of the files after --list

The budget, budget.txt, has a line for each kind of text and top-level directory. Findings since the budget was last
committed are printed as "FILE:LINE: PATTERN: 'words' -> what to write". When text moves to another directory, move its
numbers in budget.txt, too.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from patterns import COUNTED_WORD, GLOSSARY, WORDS, Finding, findings, sentences
from prose import KINDS, blocks_of_file, files_of

Cell = tuple[str, str, str]  # kind of text, top-level directory, pattern
PATTERNS = ("opener", "long", "marks", *dict.fromkeys(word.kind for word in (*WORDS, *GLOSSARY)))
MOST_PRINTED = 40


class Text:
    """The findings of files, and how much was read."""

    def __init__(self, root: Path, files: Iterator[str], with_size: bool = False) -> None:
        self.cells: dict[Cell, list[Finding]] = defaultdict(list)
        self.sentences: Counter[str] = Counter()
        self.words: Counter[str] = Counter()
        self.semicolons: Counter[str] = Counter()
        self.pages: Counter[str] = Counter()  # words of each document
        for file in files:
            for block in blocks_of_file(root, file):
                directory = file.split("/")[0] if "/" in file else "."
                for finding in findings(block):
                    self.cells[block.kind, directory, finding.kind].append(finding)
                if with_size:
                    self.sentences[block.kind] += sum(1 for _ in sentences(block.text))
                    words = len(COUNTED_WORD.findall(block.text))
                    self.words[block.kind] += words
                    self.semicolons[block.kind] += len(re.findall(r";(?:\s|$)", block.text))
                    if block.kind == "docs":
                        self.pages[file] += words

    def findings(self) -> list[Finding]:
        return sorted((f for cell in self.cells.values() for f in cell), key=lambda f: (f.file, f.line, f.kind))


def read_budget(path: Path) -> dict[Cell, int]:
    budget = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, directory, *counts = line.split()
            for count in counts:
                pattern, number = count.split("=")
                budget[kind, directory, pattern] = int(number)
    return budget


def write_budget(path: Path, budget: dict[Cell, int]) -> None:
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for pattern in PATTERNS:
        for (kind, directory, name), number in sorted(budget.items()):
            if name == pattern and number > 0:
                rows[kind, directory].append(f"{pattern}={number}")
    text = "# Most findings of each pattern (tests/words/check_words.py --update lowers them).\n"
    for kind in KINDS:
        for row in sorted(row for row in rows if row[0] == kind):
            text += " ".join((*row, *rows[row])) + "\n"
    path.write_text(text, encoding="utf-8")


def git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def changed_lines(root: Path, budget: Path) -> dict[str, set[int]] | None:
    """The lines of each file that were added since the budget was committed; None where git does not know."""
    commit = git(root, "log", "-1", "--format=%H", "--", str(budget)).strip()
    if not commit:
        return None
    lines: dict[str, set[int]] = defaultdict(set)
    file = ""
    for line in git(root, "diff", "-U0", "--no-color", "--no-ext-diff", commit).splitlines():
        if line.startswith("+++ "):
            file = line[6:]
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, number = int(hunk[1]), int(hunk[2] or 1)
            lines[file].update(range(first, first + number))
    for file in git(root, "ls-files", "--others", "--exclude-standard").splitlines():
        lines[file].update(range(1, 1 + len((root / file).read_bytes().splitlines())))
    return lines


def new_findings(found: list[Finding], changed: dict[str, set[int]] | None) -> list[Finding]:
    """Returns the findings on changed lines, or all findings if there are none."""
    if changed is None:
        return found
    new = [f for f in found if not changed.get(f.file, set()).isdisjoint(range(f.line, f.last_line + 1))]
    return new or found


def check(root: Path, budget_path: Path, text: Text) -> list[str]:
    budget = read_budget(budget_path)
    above = {cell: found for cell, found in text.cells.items() if len(found) > budget.get(cell, 0)}
    if not above:
        return []
    changed = changed_lines(root, budget_path)
    messages = []
    for cell, found in sorted(above.items()):
        kind, directory, pattern = cell
        messages.append(f"{pattern} in {kind} of {directory}: {len(found)}, at most {budget.get(cell, 0)} allowed")
        new = new_findings(found, changed)
        messages += [f"    {finding}" for finding in new[:MOST_PRINTED]]
        if len(new) > MOST_PRINTED:
            messages.append(f"    and {len(new) - MOST_PRINTED} more: check_words.py --list {directory}")
    return messages


def update(budget_path: Path, text: Text) -> None:
    counts = {cell: len(found) for cell, found in text.cells.items()}
    if budget_path.exists():
        counts = {cell: min(number, counts.get(cell, 0)) for cell, number in read_budget(budget_path).items()}
    write_budget(budget_path, counts)


def table(text: Text) -> str:
    rows = [f"{'':10}" + "".join(f"{name:>11}" for name in ("sentences", "words", "semicolons", *PATTERNS))]
    for kind in KINDS:
        size = (text.sentences[kind], text.words[kind], text.semicolons[kind])
        counts = [sum(len(f) for cell, f in text.cells.items() if cell[0] == kind and cell[2] == p) for p in PATTERNS]
        rows.append(f"{kind:10}" + "".join(f"{n:>11}" for n in (*size, *counts)))
    if text.pages:
        largest, words = text.pages.most_common(1)[0]
        middle = median(text.pages.values())
        rows.append(f"{len(text.pages)} documents, median {middle:.0f} words, largest {largest} with {words} words")
    return "\n".join(rows)


def chosen_files(root: Path, names: list[str]) -> Iterator[str]:
    chosen = [(Path.cwd() / name).resolve() for name in names]
    for file in files_of(root):
        path = root / file
        if not chosen or any(path == name or name in path.parents for name in chosen):
            yield file


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--budget", type=Path, default=Path(__file__).resolve().parent / "budget.txt")
    parser.add_argument("--update", action="store_true", help="lower the budget to the present counts")
    parser.add_argument("--list", nargs="*", metavar="FILE", help="print every finding in files or directories")
    parser.add_argument("--counts", action="store_true", help="print the counts of the repository")
    options = parser.parse_args(words)
    root = options.root.resolve()
    text = Text(root, chosen_files(root, options.list or []), options.counts)
    if options.counts:
        print(table(text))
    elif options.list is not None:
        print("\n".join(str(finding) for finding in text.findings()))
    if options.list is not None or options.counts:
        return 0
    if options.update:
        update(options.budget, text)
    messages = check(root, options.budget, text)
    print("\n".join(messages) or f"{sum(len(found) for found in text.cells.values())} findings, none above the budget")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
