"""Plants every pattern in a small tree to show that check_words can fail. Also plants clean text, which must not be
reported."""

import io
import subprocess
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from check_words import Text, check, main, read_budget, update
from prose import files_of

LONG = " ".join(["word"] * 26)

# The text of each file, and its findings as "line pattern".
PLANTED = {
    "docs/openers.md": ("Of a log it reads sets.\n\nWords. What came is sorted.\n", ["1 opener", "3 opener"]),
    "docs/where.md": ("- Where it fails, stop.\n- Whoever asked, waits.\n", ["1 opener", "2 opener", "2 glossary"]),
    "docs/long.md": (f"A short one.\nHere\n{LONG}.\n", ["2 long"]),
    "docs/marks.md": ("One: two; three.\n\n| a; b | c: d |\n|---|---|\n", ["1 marks"]),
    "docs/words.md": ("The set behind it\nis no set and\ncomes to that of others.\n",
                      ["1 behind", "2 negation", "3 comes-to", "3 that-of"]),
    "docs/told.md": ("It is told once. It stands alone. There are none, they are none.\n",
                     ["1 negation", "1 told", "1 stands"]),
    "docs/what.md": ("It counts what is left out in this folder.\n", ["1 what-is", "1 glossary"]),
    "docs/cell.md": ("| use | not |\n|---|---|\n| `room` | a room, the busiest |\n", ["3 glossary", "3 glossary"]),
    "mgen/comment.cc": ("int i = 0;  ///< of ranks\n// It is read\n// behind the last.\n", ["1 opener", "3 behind"]),
    "mgen/block.h": ("/* A rank is told\n * what is new. */\n", ["1 told", "2 what-is"]),
    "mgen/message.cc": ('throw InputError(file + ": " + name + " is no rank"\n    " of the job");\n', ["1 negation"]),
    "mgen/raw.cc": ('text = R"(first line\nthe ranks are told)";\n', ["2 told"]),
    "options/help.cc": ('add("n", {.description = "Of all random choices"});\n', ["1 opener"]),
    "cli/map.cc": ('return {"map",\n        "what is placed on nodes", "haichi map"};\n', ["2 opener", "2 what-is"]),
    "python/a.py": ('def f():\n    """Reads it.\n\n    Of a log it is told.\n    """\n', ["4 opener", "4 told"]),
    "python/b.py": ("x = 1  # the rank that stands\n", ["1 stands"]),
    "python/c.py": ('raise E(f"{name} is no rank"\n        f" and stands on {node}")\n', ["1 negation", "2 stands"]),
    "python/page.js": ("const text = `the ${n} ranks behind`; // is no rank\n", ["1 behind", "1 negation"]),
    "python/page.html": ("<p>One rank\nis no <b>node</b></p>\n", ["2 negation"]),
    "machines/k.json": ('{"notes": "the link behind it"}\n', ["1 behind"]),
    "scripts/run.sh": ("#!/bin/sh\n# Of a run.\n", ["2 opener"]),
    "CMakeLists.txt": ("# it is told\n", ["1 told"]),
}  # fmt: skip

# Text that looks like a finding but is not one.
CLEAN = {
    "docs/clean.md": (
        "# What it does\n\n"
        "It reads `what is behind` and [links](behind.md#room). What does it cost?\n"
        "There is no such rank. It is no longer read. It takes `-w FILE`: see `a: b; c: d`.\n\n"
        "    Of code: a; b; told\n\n"
        "```sh\nOf code: a; b; told\n```\n\n"
        "1. An item.\n\n       Of its code: told\n\n"
        "See e.g. Fig. 2 of J. Smith et al. Then i.e. What-if is a word. The buffer has no room. Use --hottest.\n"
        f"W{LONG[1:100]}. W{LONG[1:100]}.\n"
    ),
    "mgen/clean.cc": (
        '#include "behind/told.h"\n'
        '// A comment.\n//\n//     a = b: told; behind\n'
        "// clang-format off: behind; told: what is\n"
        'const char* kName = "behind";\n'
        'call("haichi map -m behind --told no rank");\n'
        "auto c = ';'; auto n = 1'000'000; int told = behind(of);\n"
    ),
    "python/clean.py": 'x = "#told"\ny = {"behind": 1}\n"""One.\n\n>>> told(behind)\n"""\n',
    "python/clean.js": 'const r = x.replace(/["\'`]/g, ""); // a comment\n',
    "tests/clean.cc": 'EXPECT_EQ(error, "this is no rank; it is told: behind");\n',
    "docs/references.md": "Of whom it is told: behind; the room.\n",
    "build/docs/page.md": "It is told.\n",
}  # fmt: skip


class CheckWords(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name).resolve()
        self.budget = self.root / "tests/words/budget.txt"
        self.write("tests/words/budget.txt", "")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def text(self) -> Text:
        return Text(self.root, files_of(self.root))

    def test_every_pattern_is_found_at_its_line(self) -> None:
        for name, (text, expected) in PLANTED.items():
            self.write(name, text)
            with self.subTest(name):
                found = [f"{f.line} {f.kind}" for f in self.text().findings() if f.file == name]
                self.assertEqual(sorted(found), sorted(expected))

    def test_code_names_and_abbreviations_are_no_findings(self) -> None:
        for name, text in CLEAN.items():
            self.write(name, text)
        self.assertEqual([str(finding) for finding in self.text().findings()], [])

    def test_kinds_of_text_are_counted_apart(self) -> None:
        for name, (text, _) in PLANTED.items():
            self.write(name, text)
        cells = self.text().cells
        self.assertEqual(len(cells["help", "options", "opener"]), 1)
        self.assertEqual(len(cells["help", "cli", "what-is"]), 1)
        self.assertEqual(len(cells["strings", "machines", "behind"]), 1)
        self.assertEqual(len(cells["comments", ".", "told"]), 1)

    def test_a_rise_fails_with_the_new_findings(self) -> None:
        self.write("docs/a.md", "It is told.\n")
        self.budget.unlink()
        update(self.budget, self.text())
        self.assertEqual(check(self.root, self.budget, self.text()), [])
        for words in ("init -q", "add -A", "-c user.name=t -c user.email=t@t commit -q -m start"):
            subprocess.run(["git", "-C", str(self.root), *words.split()], check=True)
        self.write("docs/a.md", "A line.\n\nIt is told.\n\nThe ranks are told.\n")
        messages = check(self.root, self.budget, self.text())
        self.assertEqual(messages[0], "told in docs of docs: 2, at most 1 allowed")
        self.assertEqual(len(messages), 2)
        self.assertIn("docs/a.md:5: told: 'The ranks are told.' -> print", messages[1])

    def test_without_git_all_findings_of_a_rise_are_listed(self) -> None:
        self.write("docs/a.md", "It is told.\n\nIt is told.\n")
        self.assertEqual(len(check(self.root, self.budget, self.text())), 3)

    def test_update_lowers_the_budget_and_never_raises_it(self) -> None:
        self.write("tests/words/budget.txt", "docs docs told=2 behind=1\n")
        self.write("docs/a.md", "It is told. It is no set.\n")
        with redirect_stdout(io.StringIO()) as printed:
            status = main(["--root", str(self.root), "--budget", str(self.budget), "--update"])
        self.assertEqual(read_budget(self.budget), {("docs", "docs", "told"): 1})
        self.assertEqual(status, 1)
        self.assertIn("negation in docs of docs: 1, at most 0 allowed", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
