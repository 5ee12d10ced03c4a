"""libhaichi from outside: installed, found, used, and as a part of another project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "examples/library"


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def configure(source: Path, prefix: Path, cwd: Path, *more: str) -> Path:
    run("cmake", "-G", "Ninja", "-S", source, "-B", cwd / "build", f"-DCMAKE_PREFIX_PATH={prefix}", *more, cwd=cwd)
    return cwd / "build"


def libraries(prefix: Path) -> Path:
    return next(prefix.glob("lib*/**/libhaichi.so")).parent


def test_a_project_finds_the_library_and_maps_a_job(prefix: Path, tmp_path: Path) -> None:
    build = configure(EXAMPLE, prefix, tmp_path)
    run("cmake", "--build", build, cwd=tmp_path)
    printed = run(build / "place", cwd=tmp_path)
    before, after = map(float, re.fullmatch(r"(\S+) -> (\S+) byte-hops\n", printed).groups())  # type: ignore[union-attr]
    assert after <= before
    assert len(json.loads((tmp_path / "ranks.json").read_text())["node_of_rank"]) == 64


def test_the_page_shows_the_example() -> None:
    page = (REPOSITORY / "docs/howto/cpp.md").read_text()
    assert (EXAMPLE / "place.cc").read_text().split("\n", 1)[1] in page
    assert (EXAMPLE / "CMakeLists.txt").read_text().split("\n", 2)[2] in page


def test_the_version_file_accepts_the_same_minor_version(prefix: Path, tmp_path: Path) -> None:
    version = re.search(r"project\(haichi VERSION (\d+)\.(\d+)", (REPOSITORY / "CMakeLists.txt").read_text())
    assert version
    major, minor = int(version[1]), int(version[2])
    lines = "cmake_minimum_required(VERSION 3.22)\nproject(p LANGUAGES NONE)\nfind_package(haichi {} QUIET)\n"
    lines += 'file(WRITE "${{CMAKE_BINARY_DIR}}/found" "${{haichi_FOUND}} ${{haichi_CONSIDERED_VERSIONS}}")\n'
    for wanted, expected in [(f"{major}.{minor}", "1"), (f"{major}.{minor + 1}", "0"), (f"{major + 1}.0", "0")]:
        (tmp_path / "CMakeLists.txt").write_text(lines.format(wanted))
        shutil.rmtree(tmp_path / "build", ignore_errors=True)
        found = (configure(tmp_path, prefix, tmp_path) / "found").read_text()
        assert found.startswith(expected), (wanted, found)


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="requires pkg-config")
def test_pkg_config_suffices_for_every_class_of_the_library(prefix: Path, tmp_path: Path) -> None:
    lib = libraries(prefix)
    command = (
        f'eval c++ -std=c++20 -Wall -Wextra -Werror "$(pkg-config --cflags haichi)" {REPOSITORY}/tests/library/api.cc '
        '"$(pkg-config --libs haichi)" -o api'
    )
    environment = {**os.environ, "PKG_CONFIG_PATH": str(lib / "pkgconfig"), "LD_LIBRARY_PATH": str(lib)}
    subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, check=True)
    done = subprocess.run(
        [tmp_path / "api"], cwd=tmp_path, env=environment, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    modversion = subprocess.run(
        ["pkg-config", "--modversion", "haichi"], env=environment, capture_output=True, text=True
    )
    assert done.stdout == modversion.stdout


def test_the_library_exports_only_its_interface(prefix: Path, tmp_path: Path) -> None:
    printed = run("nm", "-DC", "--defined-only", libraries(prefix) / "libhaichi.so", cwd=tmp_path)
    names = {line.split(" ", 2)[2] for line in printed.splitlines()}
    assert not {name for name in names if "haichi::v0::" not in name}
    assert not {name for name in names if "haichi::v0::detail::" in name.split("(")[0]}


def test_the_headers_include_nothing_else_of_haichi(prefix: Path) -> None:
    for header in (prefix / "include/haichi").glob("*.h"):
        if header.name.startswith("mgen"):
            continue  # for programs that are written for the simulated machine
        includes = re.findall(r"#include [<\"]([^>\"]+)", header.read_text())
        assert all("/" not in name or (REPOSITORY / "include" / name).is_file() for name in includes), header


def test_a_plug_in_is_built_with_the_installed_header_alone(prefix: Path, tmp_path: Path) -> None:
    build = configure(REPOSITORY / "examples/plugin_objective", prefix, tmp_path, "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", build, cwd=tmp_path)
    haichi = prefix / "bin/haichi"
    run(haichi, "pattern", "ring", "--ranks", "8", "-o", "ring.json", cwd=tmp_path)
    job = ["-m", "torus:4x4", "-w", "ring.json", "--evaluations", "2000", "--json"]
    printed = run(haichi, "map", *job, "--objective", "./build/libset_diameter.so:set-diameter", cwd=tmp_path)
    assert json.loads(printed)["value"] == 1
    needed = run("readelf", "-d", build / "libset_diameter.so", cwd=tmp_path)
    assert "NEEDED" in needed and "libhaichi" not in needed


FAULTY = """
#include <haichi/plugin.h>
#include <limits>
#include <stdexcept>
template <int FAULT>
struct Faulty {
    using Value = double;
    static constexpr haichi::plugin::ObjectiveInfo kInfo{FAULT == 0   ? "throws"
                                                         : FAULT == 1 ? "throws-int"
                                                         : FAULT == 2 ? "not-a-number"
                                                         : FAULT == 3 ? "bound"
                                                                      : "ranks",
                                                         "1", "an objective with a fault"};
    Faulty(const haichi::plugin::Problem&, const haichi::plugin::Placement&) {}
    void reset(const haichi::plugin::Placement&) {}
    haichi::plugin::Change propose(const haichi::plugin::Placement&, haichi::plugin::Move) {
        if (FAULT == 0) throw std::runtime_error("no luck");
        if (FAULT == 1) throw 1;
        return {0, 0};
    }
    void rollback() {}
    double value() const { return FAULT == 2 ? std::numeric_limits<double>::quiet_NaN() : 1; }
    double value_from_scratch(const haichi::plugin::Placement&) const { return value(); }
    std::optional<double> lower_bound() const {
        if (FAULT == 3) return 2;
        return std::nullopt;
    }
    void append_hot_ranks(const haichi::plugin::Placement&, std::vector<haichi::plugin::Rank>& ranks) const {
        if (FAULT == 4) ranks.push_back(-5);
    }
};
HAICHI_PLUGIN_OBJECTIVES(Faulty<0>, Faulty<1>, Faulty<2>, Faulty<3>, Faulty<4>)
"""


def test_faults_of_a_plug_in_are_its_errors(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "faulty.cc").write_text(FAULTY)
    run("c++", "-std=c++20", "-fPIC", "-shared", f"-I{prefix}/include", "faulty.cc", "-o", "faulty.so", cwd=tmp_path)
    haichi = prefix / "bin/haichi"
    run(haichi, "pattern", "ring", "--ranks", "8", "-o", "ring.json", cwd=tmp_path)
    for name, message in {
        "throws": "the objective throws failed: 'no luck'",
        "throws-int": "the objective throws-int failed",
        "not-a-number": "the objective not-a-number has the value nan",
        "bound": "below its lower bound",
        "ranks": "appended rank -5, but the job has 8 ranks",
    }.items():
        command = [haichi, "map", "-m", "torus:4x4", "-w", "ring.json", "--evaluations", "300", "--moves", "focused"]
        done = subprocess.run(
            [*command, "--objective", f"./faulty.so:{name}"], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 2 and message in done.stderr, (name, done.returncode, done.stderr)


def test_nothing_leaks_into_a_project_that_contains_haichi(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(outside LANGUAGES CXX)\n"
        f'add_subdirectory("{REPOSITORY}" haichi)\nadd_executable(outside outside.cc)\n'
        "target_link_libraries(outside PRIVATE haichi::haichi)\nadd_library(own STATIC outside.cc)\n"
        "install(TARGETS own)\n"
    )
    (tmp_path / "outside.cc").write_text("int main() {}\n")
    build = configure(tmp_path, tmp_path, tmp_path, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    commands = [entry["command"] for entry in json.loads((build / "compile_commands.json").read_text())]
    options = {}
    for command in commands:
        if found := re.search(r"-o CMakeFiles/(\w+)\.dir/", command):
            options[found[1]] = command
    assert " -W" not in options["outside"] and "-ffp-contract" not in options["outside"]
    assert re.findall(r"-I\s*(\S+)|-isystem\s*(\S+)", options["outside"]) == [(str(REPOSITORY / "include"), "")]
    assert not re.search(r" -[ID]| -std| -W| -O", options["own"])
    assert "CMAKE_BUILD_TYPE:STRING=\n" in (build / "CMakeCache.txt").read_text()
    everything = run("ninja", "-C", build, "-t", "inputs", "all", cwd=tmp_path)
    assert "library/libhaichi.so" in everything and "cli/" not in everything
    installed = (build / "cmake_install.cmake").read_text()
    assert "libown.a" in installed and "haichi/cmake_install.cmake" not in installed
