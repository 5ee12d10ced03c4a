"""Installation: the program, its manual pages and its completion scripts below a prefix with a blank in its name."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from haichi_program import fail, succeed

SUM = Path(__file__).parents[1] / "mgen" / "live" / "programs" / "sum.c"


def test_every_command_has_a_page_that_man_can_print(prefix: Path) -> None:
    pages = sorted(prefix.glob("share/man/man1/*.1"))
    names = {page.stem for page in pages}
    assert {"haichi", "haichi-map", "haichi-log", "haichi-log-show", "haichi-serve", "haichi-completion"} <= names
    text = (prefix / "share/man/man1/haichi-map.1").read_text()
    assert (
        ".SH NAME\nhaichi\\-map \\- find a placement" in text and "\\fB\\-m, \\-\\-machine\\fR \\fIMACHINE\\fR" in text
    )
    if shutil.which("groff"):
        for page in pages:
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", page], capture_output=True, text=True, check=True)
            assert not done.stderr, page.name


def completed(prefix: Path, *words: str) -> list[str]:
    """Returns the words that bash offers as completions of the last word."""
    script = prefix / "share/bash-completion/completions/haichi"
    quoted = " ".join(f"'{word}'" for word in words)
    lines = f'. "{script}"; COMP_WORDS=(haichi {quoted}); COMP_CWORD={len(words)}; _haichi; echo "${{COMPREPLY[*]}}"'
    return subprocess.run(["bash", "-c", lines], check=True, capture_output=True, text=True).stdout.split()


def test_bash_completes_commands_options_and_values(prefix: Path) -> None:
    assert completed(prefix, "ma") == ["map", "man"]
    assert completed(prefix, "log", "sh") == ["show"]
    assert completed(prefix, "map", "--objec") == ["--objective"]
    assert completed(prefix, "map", "--objective", "rm") == ["rmatt", "rmatt-3d"]
    assert completed(prefix, "map", "-m", "fug") == ["fugaku"]
    assert completed(prefix, "map", "--machine", "=", "fug") == ["fugaku"]
    assert completed(prefix, "pattern", "random-r") == ["random-ring"]
    assert completed(prefix, "log", "show", "--objec") == []  # an option of another command
    assert " ".join(completed(prefix, "map", "-w", str(prefix / "bin/hai"))) == str(prefix / "bin/haichi")


@pytest.mark.parametrize(("shell", "check"), [("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])])
def test_other_shells_accept_their_scripts(shell: str, check: list[str], prefix: Path, tmp_path: Path) -> None:
    script = tmp_path / shell
    script.write_text(succeed("completion", shell, cwd=tmp_path).stdout)
    if shutil.which(shell):
        subprocess.run([*check, script], check=True)
    assert "rmatt-3d" in script.read_text()


def test_zsh_completes_a_value_after_an_equals_sign(tmp_path: Path) -> None:
    script = succeed("completion", "zsh", cwd=tmp_path).stdout
    assert "'--machine=[Machine" in script and "'-m+[Machine" in script and "'--json[" in script


def test_the_debian_package_has_its_files_in_the_places_of_debian(tmp_path: Path) -> None:
    if not shutil.which("dpkg-deb"):
        pytest.skip("dpkg-deb is not installed")
    slow = ("CPACK_STRIP_FILES=OFF", "CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF", "CPACK_DEBIAN_COMPRESSION_TYPE=none")
    quick = [word for setting in slow for word in ("-D", setting)]
    config = Path(os.environ["HAICHI_BUILD"], "CPackConfig.cmake")
    subprocess.run(
        ["cpack", "-G", "DEB", "--config", config, "-B", tmp_path, *quick],
        check=True,
        capture_output=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
    )
    (package,) = tmp_path.glob("haichi_*.deb")
    listing = subprocess.run(["dpkg-deb", "-c", package], check=True, capture_output=True, text=True).stdout
    assert all("2023-11-14" in line for line in listing.splitlines())  # the date in SOURCE_DATE_EPOCH
    files = {line.split()[-1] for line in listing.splitlines()}
    assert {
        "./usr/bin/haichi",
        "./usr/share/man/man1/haichi-map.1.gz",
        "./usr/share/doc/haichi/copyright",
        "./usr/share/doc/haichi/changelog.Debian.gz",
        "./usr/share/zsh/vendor-completions/_haichi",
    } <= files
    assert not any("modulefiles" in name or "site-functions" in name for name in files)


def test_unknown_pages_and_shells_are_refused(tmp_path: Path) -> None:
    assert "unknown command 'haichi log all'" in fail(2, "man", "log", "all", cwd=tmp_path)
    assert "'tcsh'" in fail(2, "completion", "tcsh", cwd=tmp_path)


def test_a_program_runs_live_below_a_prefix_with_a_blank(prefix: Path, tmp_path: Path) -> None:
    if not (prefix / "lib/haichi/libhaichi-mpich.so").exists():
        pytest.skip("the library for live programs was not built")
    subprocess.run(["mpicc.mpich", SUM, "-o", tmp_path / "sum"], check=True)
    subprocess.run([prefix / "bin/haichi", "run", "-m", "torus:4", "-n", "4", "--", tmp_path / "sum"], check=True)
