"""The expected communication sets of real programs (real_programs/README.md) follow from their sources. The comparison
with the extracted sets finds every difference."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "real_programs"))

import expected  # noqa: E402
import mini_apps  # noqa: E402
from comparison import compare  # noqa: E402
from rules import Iteration  # noqa: E402


def test_the_committed_lists_follow_from_the_functions() -> None:
    committed = Path(expected.__file__).with_name("expected.json").read_text()
    assert expected.text() == committed


def test_a_wave_has_a_level_for_each_diagonal() -> None:
    """Three ranks in a line forward a message. The last one answers the first, which waits from the beginning."""
    it = Iteration(3)
    answer = it.irecv(0, 2)
    it.send(0, 1, 8)
    it.recv(1, 0)
    it.send(1, 2, 8)
    it.recv(2, 1)
    it.send(2, 0, 16)
    it.wait(0, answer)
    assert it.sets() == [[(0, 1, 8)], [(1, 2, 8)], [(2, 0, 16)]]


def test_blocking_sends_of_a_rank_are_one_after_the_other() -> None:
    it = Iteration(3)
    for rank in [1, 2]:
        it.recv(rank, 0)
        it.send(0, rank, 8)
    assert it.sets() == [[(0, 1, 8)], [(0, 2, 8)]]


def test_what_is_posted_together_is_one_level_spread_over_sets() -> None:
    it = Iteration(3)
    for rank in [1, 2]:
        it.recv(rank, 0)
    it.wait(0, it.isend(0, 1, 8), it.isend(0, 2, 8))
    assert it.sets() == [[(0, 1, 8)], [(0, 2, 8)]]
    all_to_all = Iteration(4)
    for rank in range(4):
        others = [(rank + k) % 4 for k in [1, 2, 3]]
        posts = [all_to_all.irecv(rank, other) for other in others]
        all_to_all.wait(rank, *posts, *(all_to_all.isend(rank, other, 8) for other in others))
    assert [len(s) for s in all_to_all.sets()] == [4, 4, 4]


def test_the_comparison_tells_equal_from_shifted_and_changed() -> None:
    expectations = mini_apps.hpccg(4)
    sets = expectations[0].iteration.sets()
    assert compare(expectations, sets).kind == "equal"
    assert compare(expectations, sets[1:] + sets[:1]).kind == "rotated"
    assert compare(expectations, [sets[1], sets[0], sets[2]]).kind == "other order"
    assert compare(expectations, [sets[0] + sets[1], sets[2]]).kind == "same messages"
    assert compare(expectations, sets * 3).kind == "several iterations"
    source, to, size = sets[0][0]
    longer = [[(source, to, size + 8), *sets[0][1:]], *sets[1:]]
    assert compare(expectations, longer).kind == "same pairs"
    assert not compare(expectations, longer).agrees
    assert compare(expectations, sets[:2]).kind == "different"
