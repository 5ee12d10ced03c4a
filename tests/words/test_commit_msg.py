"""The hook that bootstrap.sh --developer installs accepts valid commit subjects and rejects invalid ones."""

import subprocess
import tempfile
import unittest
from pathlib import Path

HOOK = Path(__file__).resolve().parents[2] / ".githooks/commit-msg"
ACCEPTED = (
    "Let map say how many of the most loaded links it lists",
    "Process requests in turn",
    "Need no header of MPICH",
    "Ä" * 72,
    "Merge branch 'words'",
    'Revert "docs: a subject that was accepted before the hook was there, and is long"',
)
REJECTED = {
    "A" + "b" * 72: "the subject has 73 characters (at most 72)",
    "Add an option.": "the subject ends with a full stop",
    "docs: add a page": "the subject begins with a label",
    "add a page": "the subject begins with a small letter",
    "Adds a page": "'Adds' is not a verb in the imperative",
    "Added a page": "'Added' is not a verb in the imperative",
    "Adding a page": "'Adding' is not a verb in the imperative",
}


class CommitMessage(unittest.TestCase):
    def run_hook(self, text: str) -> subprocess.CompletedProcess[str]:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as message:
            message.write(text)
            message.flush()
            return subprocess.run([HOOK, message.name], capture_output=True, text=True)

    def test_subjects_are_accepted(self) -> None:
        for subject in ACCEPTED:
            with self.subTest(subject):
                done = self.run_hook(f"# a comment\n\n{subject}\n\nA body. {'b' * 100}\n")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_subjects_are_rejected_with_the_reason(self) -> None:
        for subject, reason in REJECTED.items():
            with self.subTest(subject):
                done = self.run_hook(subject + "\n")
                self.assertEqual(done.returncode, 1)
                self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    unittest.main()
