"""The patterns of the writing rules (CONTRIBUTING.md): how each is recognised, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from prose import Block

MOST_WORDS = 25
MOST_MARKS = 1  # semicolons and colons of a sentence, together


@dataclass(frozen=True)
class Word:
    """An expression that is never written, and what to write instead."""

    kind: str
    expression: str
    advice: str


# Reports and the budget name a word by its `kind`. Expressions are whole words, in upper or lower case.
WORDS = (
    Word("behind", "behind", "after (time); below or downstream (position)"),
    Word("negation", r"(?<!there )(?:is no(?! (?:longer|more|less|fewer)\b)|is none|are none)", "is not a; none of"),
    Word("told", r"told|(?:tells?|telling)(?! (?:\w+ ){0,3}apart\b)", "print, report or warn, with the actor"),
    Word("stands", "stands", "is, means or is written"),
    Word("that-of", "that of", "repeat the noun"),
    Word("comes-to", "comes? to", "reaches, results in or is"),
    Word("what-is", "what (?:is|are|was|were)", "name the thing: 'what is left out' -> 'omitted calls'"),
    Word("what-is", "it is said", "state the actor: 'the report states'"),
)

# Words of the glossary's right-hand column that have no second meaning in this project.
GLOSSARY = (
    Word("glossary", r"rooms|(?<!no )(?<!more )(?<!enough )room(?! (?:for|to|in|left)\b)", "module"),
    Word("glossary", "houses?|storeys?", "layer"),
    Word("glossary", "world ranks?", "rank in MPI_COMM_WORLD"),
    Word("glossary", r"(?:rank|process|task|default|optimi[sz]ed|random|best) mappings?", "placement"),
    Word("glossary", r"mappings? (?:of (?:the )?ranks|strateg(?:y|ies))", "placement"),
    Word("glossary", "hottest|busiest|worst links?", "most loaded"),
    Word("glossary", "network interfaces?", "NIC"),
    Word("glossary", "folders?", "directory"),
    Word("glossary", "gates?", "gateway node"),
    Word("glossary", "host times?", "CPU overhead"),
    Word("glossary", "computing times?", "computation time"),
    Word("glossary", "repetitions?", "iteration"),
    Word("glossary", "passages?", "link traversal"),
    Word("glossary", "places? (?:of|in) the program", "call site"),
    Word("glossary", "shares? of|shared? out", "fraction of; distribute"),
    Word("glossary", "from scratch|fresh values?", "full evaluation"),
    Word("glossary", "free of contention", "contention-free"),
    Word("glossary", "companions?", "smoothing term"),
    Word("glossary", "equal bytes", "byte-identical"),
    Word("glossary", "accuracy cards?", "validation"),
    Word("glossary", "up-straight", "s-mod-k"),
    Word("glossary", "down-straight", "d-mod-k"),
    Word("glossary", "mails?", "remote event"),
    Word("glossary", "standings?", "evaluation score"),
    Word("glossary", "says?|said|hears?|heard|asks?|asked|asking", "state, report, print, warn or request"),
)

# Names of files, options and identifiers that contain a word are not the word.
BEFORE, AFTER = r"(?<![\w§/.$%&-])", r"(?![\w/(-]|\.\w)"
PATTERNS = [(word, re.compile(f"{BEFORE}(?:{word.expression}){AFTER}", re.IGNORECASE)) for word in (*WORDS, *GLOSSARY)]
ANY_WORD = re.compile(
    BEFORE + "(?:" + "|".join(f"(?:{word.expression})" for word in (*WORDS, *GLOSSARY)) + ")" + AFTER, re.IGNORECASE
)

OPENER = re.compile(r"(?:\W*)\b(Of|What|Where|Whoever|of|what|where|whoever)\b(?![-/(=])")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_]*(?:[A-Z0-9§]|haichi\b))")
ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|eqs?|figs?|sec|no|vol|pp|ed|al|approx|resp|max|min)|\b[A-Z])\.$", re.IGNORECASE
)
MARK = re.compile(r"[;:](?=\s|$)")
LOCATION = re.compile(r"(?:(?:line )?X?:\s+)+")  # "FILE:LINE: " of a message
COUNTED_WORD = re.compile(r"\S*\w\S*")


@dataclass(frozen=True)
class Finding:
    kind: str
    file: str
    line: int
    last_line: int  # of the sentence, which begins at or before `line`
    words: str
    advice: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}: '{self.words}' -> {self.advice}"


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of `text`, each with its offset."""
    begin = 0
    for end in SENTENCE_END.finditer(text):
        if ABBREVIATION.search(text, begin, end.start()):
            continue
        yield begin, text[begin : end.start()]
        begin = end.end()
    yield begin, text[begin:]


def quoted(text: str, begin: int, end: int, most: int = 72) -> str:
    """Returns text[begin:end] with some of the surrounding text, on one line."""
    around = max(0, most - (end - begin)) // 2
    first, last = max(0, begin - around), min(len(text), end + around, max(0, begin - around) + most)
    words = " ".join(text[first:last].split())
    return ("..." if first > 0 else "") + words + ("..." if last < len(text) else "")


def findings(block: Block) -> Iterator[Finding]:
    def found(kind: str, begin: int, end: int, sentence_end: int, advice: str) -> Finding:
        words = quoted(block.unmasked, begin, end)
        return Finding(kind, block.file, block.line_at(begin), block.line_at(sentence_end), words, advice)

    has_word = ANY_WORD.search(block.text) is not None
    for begin, sentence in sentences(block.text):
        end = begin + len(sentence)
        last = max(begin, end - 1)
        opener = OPENER.match(sentence)
        if opener and not block.is_heading and not sentence.rstrip().endswith("?"):
            is_start = begin > 0 or block.is_start
            if opener[1][0].isupper() or (is_start and begin == 0):
                yield found("opener", begin, begin + opener.end(), last, "put the subject first, then the verb")
        if len(sentence) > 2 * MOST_WORDS:
            number = sum(1 for _ in COUNTED_WORD.finditer(sentence))
            if number > MOST_WORDS:
                yield found("long", begin, end, last, f"{number} words; split into sentences of at most {MOST_WORDS}")
        if has_word:
            for word, pattern in PATTERNS:
                for match in pattern.finditer(sentence):
                    yield found(word.kind, begin + match.start(), begin + match.end(), last, word.advice)
        is_message = block.kind == "strings"
        marked = LOCATION.sub("", sentence, count=1).rstrip(" :") if is_message else sentence
        if len(MARK.findall(marked)) > MOST_MARKS:
            yield found("marks", begin, end, last, "at most one semicolon or colon; split into sentences")
