"""Checks with clang-format that the C++ files are formatted: python3 check_format.py CLANG_FORMAT [ROOT]."""

import subprocess
import sys
from pathlib import Path

from check_includes import CPP_SUFFIXES, source_files

root = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).resolve().parents[2]
files = [str(path) for path in source_files(root) if path.suffix in CPP_SUFFIXES]
sys.exit(subprocess.run([sys.argv[1], "--dry-run", "--Werror", *files], check=False).returncode)
