"""Installs the wheel of this source tree in a new environment, uses it, removes it and installs it again.

The script prints the contents of the wheel. The ctest entry python.wheel runs it.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
MOST_WHEEL_BYTES = 8 * 2**20
STRIPPED = "--config-settings=install.strip=true"  # releases are always stripped
USE = """
import haichi
haichi.Job(haichi.Workload.from_pattern("ring", ranks=4), "mesh:2x2").optimize()
print(haichi.__file__)
"""


def run(*command: object) -> str:
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run(ROOT / "scripts" / "install_python.sh", "wheel", STRIPPED, "--no-index", "--wheel-dir", folder)
        (wheel,) = Path(folder).glob("haichi-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                print(f"{entry.file_size:9} {entry.filename}")
        print(f"{wheel.stat().st_size:9} {wheel.name}")
        assert wheel.stat().st_size < MOST_WHEEL_BYTES

        environment = Path(folder) / "environment"
        run(sys.executable, "-m", "venv", "--without-pip", environment)
        python = environment / "bin" / "python"
        site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip()
        # The new environment uses NumPy of the current environment.
        for folder_of_numpy in Path(numpy.__file__).parents[1].glob("numpy*"):
            (Path(site) / folder_of_numpy.name).symlink_to(folder_of_numpy)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python]
        program = environment / "bin" / "haichi"
        for _ in range(2):
            run(*pip, "install", "--no-index", "--no-deps", wheel)
            assert run(program, "--version").startswith("haichi ")
            where = run(python, "-c", USE)
            assert where.startswith(str(environment)), where
            run(*pip, "uninstall", "--yes", "haichi")
            assert not program.exists() and not (Path(site) / "haichi").exists()


if __name__ == "__main__":
    main()
