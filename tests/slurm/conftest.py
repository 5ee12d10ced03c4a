"""Lets the tests import the module of the cluster."""

from __future__ import annotations

import sys
from pathlib import Path

# The tests are imported by path (importlib mode), so their directory is not on the module search path.
sys.path.insert(0, str(Path(__file__).parent))
