"""A strict parser for JSON of clients, and a script that splits large bodies.

`json` holds the interpreter lock while it parses, so the server could not answer during this time. Therefore this file
runs as a script (`python -I -S json_bodies.py DESCRIPTOR`) with the standard library only. The script reads an object
from standard input and writes large values to the descriptor, as the files of jobs. Standard output receives a line of
JSON: {"fields": {name: value}}, or {"error": why}. A value is {"is": small} for a small value, {"from": begin, "size":
bytes, "is_text": bool} for a part of the descriptor's file, or {"list": [values]}.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import Counter
from typing import Any, BinaryIO

LONGEST_INLINE = 4096
"""The maximum length of a text that stays in the output line. No word of a command line is longer."""
_LONGEST_NAME = 1000
_MOST_PARTS = 10_000
"""The maximum number of fields, and of values in all lists."""
_MOST_INLINE = 2**20
"""The maximum number of characters in the output line. The server parses this line, and cannot answer during that
time."""
_TOO_MUCH = "it has too many values; send files as uploads of a form"


def parsed(text: bytes) -> Any:
    """Parses JSON. Raises ValueError with the reason."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("the nesting is too deep") from None
    except ValueError as error:
        if "integer string conversion" in str(error):
            raise ValueError("a number has too many digits") from None
        raise


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"duplicate key {twice[:100]!r}")
    return found


def _refuse_constant(word: str) -> None:
    raise ValueError(f"invalid number {word}")


def taken_apart(text: bytes, output: BinaryIO) -> dict[str, Any]:
    """Splits a body. Returns the object for standard output."""
    try:
        content = parsed(text)
        if not isinstance(content, dict):
            return {"error": "expected an object"}
        if len(content) > _MOST_PARTS:
            return {"error": _TOO_MUCH}
        pieces = _Pieces(output)
        # Short lists come first, so that words stay in the output line.
        by_length = sorted(content.items(), key=lambda item: len(item[1]) if isinstance(item[1], list) else 0)
        return {"fields": {name[:_LONGEST_NAME]: pieces.of(value) for name, value in by_length}}
    except UnicodeEncodeError:
        return {"error": "a text is not Unicode"}
    except ValueError as error:
        return {"error": str(error)}
    except (MemoryError, RecursionError):
        return {"error": _TOO_MUCH}


class _Pieces:
    """Converts values to their form in the output line, within its limits."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._parts = _MOST_PARTS
        self._inline = _MOST_INLINE

    def of(self, value: Any) -> dict[str, Any]:
        if isinstance(value, list) and len(value) <= self._parts:
            self._parts -= len(value)
            return {"list": [self._one(one) for one in value]}
        return self._one(value)

    def _one(self, value: Any) -> dict[str, Any]:
        is_text = isinstance(value, str)
        text = value if is_text else json.dumps(value)
        if len(text) <= min(LONGEST_INLINE, self._inline):
            self._inline -= len(text)
            return {"is": value}
        begin = self._output.tell()
        return {"from": begin, "size": self._output.write(text.encode()), "is_text": is_text}


def main() -> int:
    gc.disable()  # the values have no cycles, and searching for cycles takes ten times as long as parsing
    text = sys.stdin.buffer.read()
    with os.fdopen(int(sys.argv[1]), "wb") as output:
        told = taken_apart(text, output)
    print(json.dumps(told), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
