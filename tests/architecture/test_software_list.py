"""Lists the software in a made-up release with scripts/software_list.py."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import software_list  # noqa: E402


@unittest.skipUnless(shutil.which("dpkg-deb") and (ROOT / ".git").exists(), "requires dpkg-deb and a clone")
class SoftwareOfARelease(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.release = Path(directory.name, "release")
        self.release.mkdir()
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        with tarfile.open(self.release / "haichi-1.2.3.tar.gz", "w:gz"):
            pass
        control = Path(directory.name, "tree/DEBIAN/control")
        control.parent.mkdir(parents=True)
        control.write_text(
            "Package: haichi\nVersion: 1.2.3\nArchitecture: all\nMaintainer: m <m@m>\nDescription: d\n"
            "Depends: libc6 (>= 2.3), libstdc++6\n"
        )
        package = self.release / "haichi_1.2.3_all.deb"
        subprocess.run(["dpkg-deb", "-b", control.parents[1], package], check=True, capture_output=True)

    def test_the_files_and_what_they_require_are_listed_with_versions(self) -> None:
        listed = software_list.software_list(self.release)
        self.assertEqual(listed["metadata"]["component"]["version"], "1.2.3")
        self.assertEqual(listed["metadata"]["timestamp"], "2023-11-14T22:13:20Z")
        names = {component["name"] for component in listed["components"]}
        self.assertLessEqual({"haichi-1.2.3.tar.gz", "haichi_1.2.3_all.deb", "libc6", "libstdc++6"}, names)
        required = {entry["ref"]: entry["dependsOn"] for entry in listed["dependencies"]}
        self.assertEqual(required["haichi-1.2.3.tar.gz"], [])
        self.assertTrue(any("/libstdc%2B%2B6@" in name for name in required["haichi_1.2.3_all.deb"]))
        references = {component["bom-ref"] for component in listed["components"]}
        self.assertLessEqual({name for names in required.values() for name in names}, references)

    def test_the_same_commit_gives_the_same_list(self) -> None:
        self.assertEqual(software_list.software_list(self.release), software_list.software_list(self.release))

    def test_python_packages_have_the_pinned_versions(self) -> None:
        self.assertIn("numpy", {component["name"] for component in software_list.pinned("run")})


if __name__ == "__main__":
    unittest.main()
