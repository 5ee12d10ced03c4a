"""Adds texts to a small tree, to show that check_option_names.py finds options in texts, and only these."""

import tempfile
import unittest
from pathlib import Path

from check_option_names import check

CPP = "mapper/job/map.cc"
PYTHON = "python/src/haichi/service/queue.py"


class CheckOptionNames(unittest.TestCase):
    def violations(self, name: str, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            return check(Path(directory).resolve())

    def test_options_in_texts_are_found(self) -> None:
        for name, text, line in (
            (CPP, 'throw OptionError("invalid --shape: " + word);', 1),
            (CPP, 'f();\nthrow OptionError("the shape is missing; "\n  "use --shape A");', 2),
            (CPP, 'f("--shape is missing");', 1),
            (CPP, 'f(\'"\', "use --shape");', 1),
            (CPP, "f(1'000, \"use --shape\", 1'000);", 1),
            (CPP, 'f(R"(use --shape)");', 1),
            (CPP, 'f("see haichi map: it takes --shape");', 1),
            (PYTHON, 'raise OptionError("use --shape")', 1),
            (PYTHON, '"""A module."""\n\nraise OptionError(f"{path}: give --shape {wanted}")', 3),
        ):
            with self.subTest(text):
                expected = f"{name}:{line}: write §shape instead of --shape"
                self.assertEqual(self.violations(name, text), [expected])

    def test_other_texts_are_allowed(self) -> None:
        for name, text in (
            (CPP, 'throw OptionError("invalid §shape: " + word);'),
            (CPP, 'f("a");  // use --shape'),
            (CPP, 'run({"--list", path});'),
            (CPP, 'f("write the file with haichi map --shape A");'),
            (CPP, 'f("export with lstopo --whole-io");'),
            ("mapper/rankmap/slurm.cc", 'f(" --nodes=");'),
            ("cli/commands/map.cc", 'f("use --shape");'),
            (PYTHON, 'words = ["--shape", f"--map={file}"]'),
            (PYTHON, 'def f():\n    """As with ``--shape``."""'),
            ("python/src/haichi/cli/commands.py", 'print("use --shape")'),
        ):
            with self.subTest(text):
                self.assertEqual(self.violations(name, text), [])


if __name__ == "__main__":
    unittest.main()
