"""Adds violations to a small tree, each of which check_includes must find, to show that it can fail."""

import graphlib
import tempfile
import unittest
from pathlib import Path

from check_includes import DIRECTORIES, MOST_LINES, check

CLEAN = {
    "base/CMakeLists.txt": "haichi_module(base SOURCES errors.cc)\n",
    "base/errors.h": "#pragma once\n#include <string>\n",
    "base/errors.cc": '#include "base/errors.h"\n',
    "netmodel/CMakeLists.txt": "haichi_module(netmodel LINKS haichi::base SOURCES routing/network.cc)\n",
    "netmodel/topology/grid.h": '#include "base/errors.h"\n',
    "netmodel/routing/network.h": '#include "netmodel/topology/grid.h"\n',
    "netmodel/routing/network.cc": '#include "netmodel/routing/network.h"\n',
    "netmodel/machine/machine.h": '#include "netmodel/routing/network.h"\n',
    "commlog/CMakeLists.txt": "haichi_module(commlog LINKS haichi::base SOURCES workload/workload.cc)\n",
    "commlog/workload/workload.h": '#include "base/errors.h"\n',
    "commlog/workload/workload.cc": '#include "commlog/workload/workload.h"\n',
    "commlog/profiler/wrap.cc": "#include <mpi.h>\n",
    "mapper/CMakeLists.txt": "haichi_module(mapper LINKS haichi::netmodel haichi::commlog SOURCES job/map.cc)\n",
    "mapper/job/map.h": '#include "commlog/workload/workload.h"\n#include "netmodel/machine/machine.h"\n',
    "mapper/rankmap/rankmap.h": '#include "netmodel/machine/machine.h"\n',
    "tests/base/errors.cc": '#include "base/errors.h"\n#include <gtest/gtest.h>\n',
}


class CheckIncludes(unittest.TestCase):
    def violations(self, **planted: str) -> list[str]:
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            for name, text in (CLEAN | {k.replace("__", "/"): v for k, v in planted.items()}).items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check(root.resolve())

    def assert_found(self, place: str, words: str, planted: dict[str, str]) -> None:
        violations = self.violations(**planted)
        self.assertEqual(len(violations), 1, violations)
        self.assertTrue(violations[0].startswith(place + ":"), violations)
        self.assertIn(words, violations[0])

    def test_a_clean_tree_passes(self) -> None:
        self.assertEqual(self.violations(), [])

    def test_an_upward_include_is_found_with_file_and_line(self) -> None:
        planted = {"base/errors.cc": '\n#include "commlog/workload/workload.h"\n'}
        violations = self.violations(**planted)
        self.assertTrue(violations[0].startswith("base/errors.cc:2: module base may not include"), violations)

    def test_netmodel_and_commlog_do_not_know_each_other(self) -> None:
        self.assert_found(
            "netmodel/topology/grid.h:1",
            "module netmodel may not include module commlog",
            {"netmodel/topology/grid.h": '#include "commlog/workload/workload.h"\n'},
        )
        self.assert_found(
            "commlog/workload/workload.h:1",
            "module commlog may not include module netmodel",
            {"commlog/workload/workload.h": '  #  include "netmodel/topology/grid.h"\n'},
        )

    def test_directories_of_netmodel_have_a_direction(self) -> None:
        self.assert_found(
            "netmodel/topology/grid.h:1",
            "directory netmodel/topology may not include netmodel/routing",
            {"netmodel/topology/grid.h": '#include "netmodel/routing/network.h"\n'},
        )

    def test_directories_of_the_mapper_have_a_direction(self) -> None:
        for upper, lower in (("job", "rankmap"), ("choose", "job")):
            self.assert_found(
                f"mapper/{lower}/planted.h:1",
                f"mapper/{lower} may not include mapper/{upper}",
                {f"mapper/{lower}/planted.h": f'#include "mapper/{upper}/map.h"\n', f"mapper/{upper}/map.h": "\n"},
            )

    def test_directories_with_a_direction_make_no_circle(self) -> None:
        for directories in DIRECTORIES.values():
            graphlib.TopologicalSorter(directories).prepare()

    def test_includes_are_relative_to_the_root(self) -> None:
        for target in ("network.h", "../topology/grid.h", "routing/network.h"):
            self.assert_found(
                "netmodel/routing/network.cc:1",
                "not relative to the root",
                {"netmodel/routing/network.cc": f'#include "{target}"\n'},
            )
        self.assert_found("base/errors.cc:1", "in quotes", {"base/errors.cc": "#include <base/errors.h>\n"})
        self.assert_found("base/errors.cc:1", "does not exist", {"base/errors.cc": '#include "base/gone.h"\n'})

    def test_public_headers_are_below_all_modules(self) -> None:
        public = {"include/haichi/plugin.h": "#include <haichi/error.h>\n"}
        self.assertEqual(self.violations(**public, **{"base/errors.cc": '#include "include/haichi/plugin.h"\n'}), [])
        self.assert_found(
            "include/haichi/plugin.h:1",
            "public header with a private one",
            {"include/haichi/plugin.h": '#include "base/errors.h"\n'},
        )

    def test_mpi_stays_in_the_profiler(self) -> None:
        self.assert_found("base/errors.cc:1", "<mpi.h>", {"base/errors.cc": "#include <mpi.h>\n"})
        self.assert_found("tests/base/errors.cc:1", "<mpi.h>", {"tests/base/errors.cc": "#include <mpi.h>\n"})

    def test_links_agree_with_includes_and_with_the_table(self) -> None:
        self.assert_found(
            "netmodel/CMakeLists.txt:1",
            "module netmodel may not link haichi::mapper",
            {"netmodel/CMakeLists.txt": "haichi_module(netmodel LINKS haichi::base haichi::mapper SOURCES x.cc)\n"},
        )
        self.assert_found(
            "mapper/CMakeLists.txt:1",
            "includes module netmodel but does not link",
            {"mapper/CMakeLists.txt": "# haichi::netmodel\nhaichi_module(mapper LINKS haichi::commlog SOURCES x.cc)\n"},
        )

    def test_long_files_are_found(self) -> None:
        self.assert_found(f"base/errors.cc:{MOST_LINES + 1}", "more than", {"base/errors.cc": "\n" * (MOST_LINES + 1)})


if __name__ == "__main__":
    unittest.main()
