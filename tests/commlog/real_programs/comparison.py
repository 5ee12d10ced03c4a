"""Compares the extracted sets with the expected sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from expectation import Expectation
from rules import Message, Sets

KINDS = ["equal", "rotated", "other order", "same messages", "several iterations", "same pairs", "different"]


@dataclass(frozen=True)
class Comparison:
    expectation: Expectation
    kind: str  # one of KINDS
    found_sets: int
    found_messages: int
    found_bytes: int

    @property
    def agrees(self) -> bool:
        return self.kind in KINDS[:2]


def counted(sets: Sets, key: Callable[[Message], object]) -> list[Counter[object]]:
    return [Counter(map(key, messages)) for messages in sets]


def compare_one(expectation: Expectation, found: Sets) -> Comparison:
    """Returns the first of KINDS that applies. Estimated sizes are not compared."""
    key: Callable[[Message], object] = (lambda m: m) if expectation.exact_sizes else (lambda m: m[:2])
    wanted_sets = expectation.iteration.sets()
    wanted, got = counted(wanted_sets, key), counted(found, key)
    totals = [sum(sets, Counter()) for sets in (wanted, got)]
    pairs = [sum(counted(sets, lambda m: m[:2]), Counter()) for sets in (wanted_sets, found)]

    def times(n: int) -> Counter[object]:
        return Counter({what: n * count for what, count in totals[0].items()})

    if wanted == got:
        kind = "equal"
    elif len(wanted) == len(got) and any(wanted[k:] + wanted[:k] == got for k in range(len(wanted))):
        kind = "rotated"
    elif Counter(map(frozenset_of, wanted)) == Counter(map(frozenset_of, got)):
        kind = "other order"
    elif totals[0] == totals[1]:
        kind = "same messages"
    elif any(times(n) == totals[1] for n in range(2, 33)):
        kind = "several iterations"
    elif pairs[0] == pairs[1]:
        kind = "same pairs"
    else:
        kind = "different"
    sizes = [size for messages in found for _, _, size in messages]
    return Comparison(expectation, kind, len(found), len(sizes), sum(sizes))


def frozenset_of(messages: Counter[object]) -> frozenset[tuple[object, int]]:
    return frozenset(messages.items())


def compare(expectations: list[Expectation], found: Sets) -> Comparison:
    """Compares the sets with the most similar expected loop."""
    return min((compare_one(e, found) for e in expectations), key=lambda c: KINDS.index(c.kind))
