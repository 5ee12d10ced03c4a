"""Adds includes of heavy headers to a small tree, to show that check_heavy_headers can fail."""

import tempfile
import unittest
from pathlib import Path

from check_heavy_headers import LIMITS, check, reaching, read_edges, sources

TREE = {
    "engine/heavy.h": '#include "engine/heavy_inl.h"\n',
    "engine/heavy_inl.h": '#include "engine/heavy.h"\n',  # as for templates with definitions in a separate header
    "engine/heavy.cc": '#include "engine/heavy.h"\n',
    "middle/options.h": '#include "engine/heavy.h"\n',
    "middle/job.h": '#include "middle/options.h"\n#include <nlohmann/json_fwd.hpp>\n',
    "cli/map.cc": '#include "middle/job.h"\n',
    "cli/evaluate.cc": '  #  include "middle/job.h"\n// #include "engine/heavy.h"\n',
    "cli/list.cc": "#include <boost/graph/graph.hpp>\n",
    "examples/own/program.c": '#include "beside.h"\n',
    "examples/own/beside.h": '#include "middle/job.h"\n',
}


class CheckHeavyHeaders(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name, text in TREE.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def test_limits_that_hold_pass(self) -> None:
        limits = {"engine/heavy_inl.h": 4, "nlohmann/json.hpp": 0, "nlohmann/json_fwd.hpp": 3, "boost/graph/*": 1}
        self.assertEqual(check(self.root, limits), [])

    def test_one_file_too_many_is_found_with_the_include_that_brings_most(self) -> None:
        violations = check(self.root, {"engine/heavy.h": 3})
        self.assertEqual(violations[0], "engine/heavy.h: 4 source files reach it, at most 3 may. "
                                        "Most come in through")  # fmt: skip
        self.assertEqual(violations[1], "    middle/job.h, which includes middle/options.h (without it: 1)")

    def test_a_pattern_counts_each_file_once(self) -> None:
        self.assertTrue(check(self.root, {"boost/*": 0})[0].startswith("boost/*: 1 source files reach it"))

    def test_limits_name_headers_that_exist(self) -> None:
        repository = Path(__file__).resolve().parents[2]
        edges = read_edges(repository)
        self.assertEqual(
            [header for header, most in LIMITS.items() if most > 0 and not sources(reaching(header, edges))], []
        )


if __name__ == "__main__":
    unittest.main()
