"""Finds what people read in the files of the repository: paragraphs of documents, help texts, messages, comments.

Text that is not prose (code, addresses, identifiers in backquotes) is masked, and its length is kept.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KINDS = ("docs", "help", "strings", "comments")

SKIPPED_DIRECTORIES = {"build", "dist", "corpus", "__pycache__", "node_modules"}
# Files with the titles of other people's works, and a file that the build writes.
SKIPPED_FILES = {"docs/references.md", "docs/reference/references.md", "python/src/haichi/base/option_types.py"}
C_LIKE = {".cc", ".h", ".c", ".js"}
HASH_COMMENTS = {".sh", ".cmake", ".toml"}
# Strings in these directories are expected by a test or printed for developers.
TESTS = ("tests/", "python/tests/")


@dataclass
class Line:
    number: int
    text: str


@dataclass
class Block:
    """A paragraph, an entry of a list, a cell of a table, a comment or a string, in one line of text."""

    file: str
    kind: str
    text: str  # masked
    unmasked: str
    starts: list[int]  # of the lines in the text
    numbers: list[int]  # of the lines in the file
    is_heading: bool = False
    is_start: bool = True  # begins with a sentence's first word, as opposed to a part of a message

    def line_at(self, offset: int) -> int:
        return self.numbers[max(0, bisect_right(self.starts, offset) - 1)]


MASKED = re.compile(
    r"(?P<code>(?P<quotes>`+).+?(?P=quotes))"
    r"|(?P<math>\$[^$\s][^$]*\$)"
    r"|(?P<link>\]\([^)\s]*\))"
    r"|(?P<url>https?://[^\s)>]+)"
    r"|(?P<tag></?[A-Za-z!][^<>]*>)",
    re.DOTALL,
)


def masked(text: str) -> str:
    """Replaces code and addresses by one word, and link targets and HTML tags by blanks."""

    def mask(match: re.Match[str]) -> str:
        length = len(match[0])
        return " " * length if match.lastgroup in ("link", "tag") else "X" + "x" * (length - 1)

    return MASKED.sub(mask, text) if "`" in text or "<" in text or "$" in text or "(" in text else text


def block_of(
    file: str, kind: str, lines: list[Line], is_heading: bool = False, is_start: bool = True, separator: str = " "
) -> Block:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line.text) + len(separator)
    text = separator.join(line.text for line in lines)
    return Block(file, kind, masked(text), text, starts, [line.number for line in lines], is_heading, is_start)


BULLET = re.compile(r"(\s*)([-*+•]|\d+[.)])\s+")
FENCE = re.compile(r"\s*(```+|~~~+)")
HEADING = re.compile(r"#{1,6}\s+")
UNDERLINE = re.compile(r"\s*(=+|-+|\*+|~+)\s*$")
DIRECTIVE = re.compile(r"\s*(:::|:[\w-]+:|<!--|\.\. |>>>|\\|@|SBATCH\s+-|PJM\s+-)")
CODE_INDENT = 4


def paragraphs(file: str, kind: str, lines: list[Line], *, indented_is_code: bool = False) -> Iterator[Block]:
    """Returns the prose of Markdown or of a comment. With `indented_is_code`, indented lines are code even without an
    empty line before them."""
    held: list[Line] = []
    list_indent = 0
    after_blank = True
    fence = ""
    for line in lines:
        text = line.text
        if fence:
            fence = "" if text.strip().startswith(fence) else fence
            continue
        opening = FENCE.match(text)
        indent = len(text) - len(text.lstrip())
        is_blank = not text.strip()
        bullet = BULLET.match(text)
        if not is_blank and after_blank and not bullet and indent < list_indent:
            list_indent = 0
        is_code = not is_blank and indent >= list_indent + CODE_INDENT and (after_blank or indented_is_code)
        if opening and not is_code:
            fence = opening[1]
        ends = is_blank or is_code or opening or UNDERLINE.match(text) or DIRECTIVE.match(text)
        if ends or bullet or HEADING.match(text) or text.lstrip().startswith("|"):
            if held:
                yield block_of(file, kind, held)
            held = []
        after_blank = bool(is_blank or is_code)
        if ends:
            continue
        if HEADING.match(text):
            yield block_of(file, kind, [Line(line.number, HEADING.sub("", text))], is_heading=True)
            after_blank = True
        elif text.lstrip().startswith("|"):
            cells = masked(text.replace("\\|", "xx")).split("|")
            at = 0
            for cell in cells:
                if cell.strip(" -:"):
                    yield block_of(file, kind, [Line(line.number, text[at : at + len(cell)])])
                at += len(cell) + 1
        else:
            if bullet:
                list_indent = bullet.end()
                text = text[bullet.end() :]
            held.append(Line(line.number, text.lstrip().removeprefix("> ")))
    if held:
        yield block_of(file, kind, held)


C_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|R"(?P<mark>[^()\\ \n]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
JS_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`'
    r"|(?<=[=(,:!&|?])\s*/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/",
    re.DOTALL,
)
PYTHON_TOKEN = re.compile(
    r"#[^\n]*"
    r"|(?P<prefix>\b[rRbBfFuU]{1,2})?"
    r'(?P<string>"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')',
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
FIELD = re.compile(r"\$?\{[^{}\n]*\}")
JOINED = re.compile(r"\s*(?:\+|<<)[^;{}\"]{1,200}(?:\+|<<)\s*\Z")
HELP_BEFORE = re.compile(r"(?:\b(?:description|otherwise|summary) = |return \{\"[\w-]+\",\s*|\bdeclare_\w+\([^;]*)\Z")
CODE_COMMENT = re.compile(
    r"\s*(NOLINT|clang-format|namespace\b|type: ignore|noqa|fmt:|pragma|mypy:|ruff:|!/|-\*-|GCOVR|[-=*#/]{4,})"
)
PROSE_WORD = re.compile(r"(?<![\w.:/-])[A-Za-z][a-z]+(?![\w/(=-])")
NOT_MESSAGE = re.compile(
    r"\s*(?:haichi [\w-]+ (?:.* )?--?\w|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|BEGIN|import)\b)"
)


class Places:
    """Returns line numbers for offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ends = [match.start() for match in re.finditer("\n", text)]

    def line(self, offset: int) -> int:
        return bisect_right(self.ends, offset - 1) + 1

    def column(self, offset: int) -> int:
        return offset - (self.text.rfind("\n", 0, offset) + 1)

    def is_first_in_line(self, offset: int) -> bool:
        return not self.text[self.text.rfind("\n", 0, offset) + 1 : offset].strip()


@dataclass
class Comment:
    line: int
    column: int
    is_alone: bool
    lines: list[Line]


def comment_of(token: str, offset: int, places: Places) -> Comment:
    number = places.line(offset)
    if token.startswith("/*"):
        texts = [re.sub(r"^\s*\*+ ?", "", text) for text in token[2:-2].lstrip("*!<").split("\n")]
    else:
        texts = [re.sub(r"^(?:/{2,}[!<]?<?|#+:?) ?", "", token)]
    lines = [Line(number + i, text) for i, text in enumerate(texts)]
    return Comment(number, places.column(offset), places.is_first_in_line(offset), lines)


class Collector:
    """Joins comments on lines that follow each other, and parts of a message."""

    def __init__(self, file: str, help_file: bool, with_strings: bool) -> None:
        self.file = file
        self.help_file = help_file
        self.with_strings = with_strings
        self.blocks: list[Block] = []
        self.comment: Comment | None = None

    def add_comment(self, comment: Comment) -> None:
        if CODE_COMMENT.match(comment.lines[0].text):
            return
        last = self.comment
        follows = last and comment.is_alone and comment.line == last.lines[-1].number + 1
        if last and follows and (last.is_alone or comment.column == last.column):
            last.lines += comment.lines
            return
        self.end_comment()
        self.comment = comment

    def end_comment(self) -> None:
        if self.comment:
            self.blocks += paragraphs(self.file, "comments", self.comment.lines, indented_is_code=True)
        self.comment = None

    def add_message(self, parts: list[Line], before: str) -> None:
        if not self.with_strings:
            return
        text = "".join(part.text for part in parts)
        if len(PROSE_WORD.findall(text)) < 3 or NOT_MESSAGE.match(text):
            return
        kind = "help" if self.help_file or HELP_BEFORE.search(before) else "strings"
        is_start = not text[:1].isspace() and before.rstrip()[-1:] not in ("+", "<", "?", ":")
        held: list[Line] = []
        for part in [*parts, Line(0, "\n")]:
            for i, piece in enumerate(part.text.split("\n")):
                if i > 0 and held:
                    self.blocks.append(block_of(self.file, kind, held, is_start=is_start, separator=""))
                    held = []
                if piece.strip():
                    held.append(Line(part.number, piece))


def unescaped(text: str) -> str:
    return ESCAPE.sub(lambda match: {"n": "\n", "t": " "}.get(match[1], match[1]), text)


def source_blocks(file: str, text: str, token: re.Pattern[str], is_python: bool) -> list[Block]:
    places = Places(text)
    is_test = file.startswith(TESTS)
    collector = Collector(file, file.startswith("options/") and file.endswith(".cc"), not is_test)
    parts: list[Line] = []
    before = ""
    last_end = 0

    def end_message() -> None:
        nonlocal parts
        if parts:
            collector.add_message(parts, before)
        parts = []

    for match in token.finditer(text):
        word = match[0]
        begin = match.start()
        if word.startswith(("//", "/*", "#")):
            end_message()
            collector.add_comment(comment_of(word, begin, places))
            continue
        if word.lstrip().startswith("/") or (word.startswith("'") and token is C_TOKEN):
            continue  # skips regular expressions and characters
        if is_python:
            body = match["string"]
            if body.startswith(('"""', "'''")) and places.is_first_in_line(begin):
                end_message()
                collector.blocks += docstring_blocks(file, body[3:-3], places.line(begin))
                continue
            prefix = (match["prefix"] or "").lower()
            body = body[3:-3] if body.startswith(('"""', "'''")) else body[1:-1]
        elif word.startswith("R"):
            prefix, body = "r", word[word.index("(") + 1 : word.rindex(")")]
        else:
            prefix, body = ("f" if word.startswith("`") else ""), word[1:-1]
        if is_test:
            continue
        gap = text[last_end:begin]
        last_end = match.end()
        if not (parts and (not gap.strip() or JOINED.match(gap))):
            end_message()
            before = text[max(0, begin - 160) : begin]
        if parts and gap.strip():
            body = "X" + body
        parts += string_lines(body, places.line(begin), is_raw="r" in prefix)
    end_message()
    collector.end_comment()
    return collector.blocks


def string_lines(body: str, first_line: int, is_raw: bool) -> Iterator[Line]:
    """The lines of a literal. Consecutive lines are one paragraph; an escaped or an empty line ends it."""
    pieces = body.split("\n")
    for i, piece in enumerate(pieces):
        if not is_raw and "\\" in piece:
            piece = unescaped(piece)
        if "{" in piece:
            piece = FIELD.sub("X", piece)
        if len(pieces) > 1:
            piece = piece.strip() + " " if piece.strip() else "\n"
        yield Line(first_line + i, piece)


def docstring_blocks(file: str, body: str, first_line: int) -> Iterator[Block]:
    texts = body.split("\n")
    indents = [len(text) - len(text.lstrip()) for text in texts[1:] if text.strip()]
    indent = min(indents, default=0)
    lines = [Line(first_line + i, text if i == 0 else text[indent:]) for i, text in enumerate(texts)]
    return paragraphs(file, "comments", lines)


def hash_comment_blocks(file: str, text: str) -> list[Block]:
    collector = Collector(file, False, False)
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.lstrip()
        if bare.startswith("#") and not bare.startswith("#!"):
            column = len(line) - len(bare)
            collector.add_comment(Comment(number, column, True, [Line(number, re.sub(r"^#+ ?", "", bare))]))
    collector.end_comment()
    return collector.blocks


HTML_UNREAD = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)


def html_blocks(file: str, text: str) -> list[Block]:
    readable = HTML_UNREAD.sub(lambda match: re.sub(r"[^\n]", " ", match[0])[:-1] + "\0", text)
    blocks, number = [], 1
    for chunk in readable.split("\0"):
        lines = [Line(number + i, line.strip()) for i, line in enumerate(chunk.split("\n"))]
        number += chunk.count("\n")
        if any(line.text for line in lines):
            blocks.append(block_of(file, "strings", [line for line in lines if line.text]))
    return blocks


def json_blocks(file: str, text: str) -> list[Block]:
    collector = Collector(file, False, True)
    for number, line in enumerate(text.split("\n"), 1):
        for string in re.findall(r'"(?:\\.|[^"\\])*"', line):
            collector.add_message([Line(number, unescaped(string[1:-1]))], "")
    return collector.blocks


def blocks_of_file(root: Path, file: str) -> list[Block]:
    suffix = os.path.splitext(file)[1]
    text = (root / file).read_text(encoding="utf-8", errors="replace")
    if suffix == ".md":
        lines = [Line(i, line) for i, line in enumerate(text.split("\n"), 1)]
        if lines[0].text == "---":
            end = next((i for i, line in enumerate(lines[1:], 1) if line.text == "---"), 0)
            lines = lines[end + 1 :]
        return list(paragraphs(file, "docs", lines))
    if suffix == ".py":
        return source_blocks(file, text, PYTHON_TOKEN, True)
    if suffix == ".js":
        return source_blocks(file, text, JS_TOKEN, False)
    if suffix in C_LIKE:
        return source_blocks(file, text, C_TOKEN, False)
    if suffix == ".html":
        return html_blocks(file, text)
    if suffix == ".json":
        return json_blocks(file, text)
    return hash_comment_blocks(file, text)


def is_read(file: str) -> bool:
    name = file.rsplit("/", 1)[-1]
    suffix = os.path.splitext(name)[1]
    if file in SKIPPED_FILES:
        return False
    if suffix == ".json":
        return file.startswith("machines/")
    return suffix in C_LIKE or suffix in HASH_COMMENTS or suffix in (".md", ".py", ".html") or name == "CMakeLists.txt"


def files_of(root: Path) -> Iterator[str]:
    """All files that people read, relative to the root, in a fixed order."""
    for directory, subdirectories, names in os.walk(root):
        subdirectories[:] = sorted(
            name for name in subdirectories if name not in SKIPPED_DIRECTORIES and not name.startswith(".")
        )
        inside = os.path.relpath(directory, root)
        for name in sorted(names):
            file = name if inside == "." else f"{inside}/{name}"
            if is_read(file):
                yield file
