"""Output files of a call."""

from __future__ import annotations

import os
from collections.abc import Iterable

from haichi import _core
from haichi.base.file_names import encoded
from haichi.base.interruption import held_back


def write_files(files: Iterable[tuple[str | os.PathLike[str], str | bytes]]) -> None:
    """Writes several files (texts in UTF-8). Either all are written whole, or none is changed.

    The files get their names after all contents are on the disk. Pipes and devices are written directly. Raises
    OptionError for files that cannot be written and for one file under two names, InputError if the disk is full.
    """
    contents = [
        (encoded("path", path), content.encode() if isinstance(content, str) else content) for path, content in files
    ]
    with held_back():
        _core.write_files(contents)
