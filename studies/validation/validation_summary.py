"""The summary: counts of verdicts by kind of number and by part, and the reasons for deviations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

PUBLISHED = "published"
BLIND = "predicted blind"
BY_CONSTRUCTION = "by construction"

KINDS = {
    PUBLISHED: "in a paper",
    BLIND: "in a paper, and not known when the model was made",
    "derived from published": "counted or computed from the statements of a paper",
    "checked against an independent program": "another simulator, profiler or search was run for this comparison",
    BY_CONSTRUCTION: "a parameter of a preset, or fitted to the number; these rows test nothing",
}
LEAD = ["## Summary", "", "| kind of number | meaning |", "|---|---|"]
LEAD += [f"| {kind} | {meaning} |" for kind, meaning in KINDS.items()]
LEAD += [""]


def kind_of(row: Any, kinds: dict[str, list[str]]) -> str:
    if row.verdict == BY_CONSTRUCTION:
        return BY_CONSTRUCTION
    if row.blind:
        return BLIND
    return next((kind for kind, sources in kinds.items() if row.source in sources), PUBLISHED)


def _table(head: str, counts: dict[str, Counter[str]], verdicts: Sequence[str]) -> list[str]:
    lines = [f"| {head} | {' | '.join(verdicts)} | all |", "|---" * (len(verdicts) + 2) + "|"]
    for name, of_name in counts.items():
        cells = [str(of_name[verdict]) if of_name[verdict] else "" for verdict in verdicts]
        lines.append(f"| {name} | {' | '.join(cells)} | {of_name.total()} |")
    return [*lines, ""]


def summary(results: list[tuple[str, list[Any]]], kinds: dict[str, list[str]], verdicts: Sequence[str]) -> list[str]:
    """Lines of Markdown. `results` contains the title and the rows of each group."""
    by_kind = {kind: Counter[str]() for kind in (PUBLISHED, BLIND, *kinds, BY_CONSTRUCTION)}
    by_group = {title: Counter(row.verdict for row in rows) for title, rows in results}
    reasons = {"better": Counter[str](), "deviates": Counter[str]()}
    for _, rows in results:
        for row in rows:
            by_kind[kind_of(row, kinds)][row.verdict] += 1
            if row.verdict in reasons:
                reasons[row.verdict][re.split(r":| \(\d", row.reason)[0]] += 1
    lines = [*LEAD, *_table("kind", by_kind, verdicts), *_table("part", by_group, verdicts)]
    for verdict, counts in reasons.items():
        head = f'Reasons of the verdict "{verdict}" ({counts.total()} rows)'
        lines += [f"| {head} | rows |", "|---|---:|"]
        lines += [f"| {reason} | {number} |" for reason, number in counts.most_common()]
        lines.append("")
    return lines
