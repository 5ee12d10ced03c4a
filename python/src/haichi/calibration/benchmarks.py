"""One round of each benchmark, as MPI calls of two ranks that the simulator replays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_BYTE = 2  # ID of a one-byte data type in the trace format
_ACKNOWLEDGEMENT_BYTES = 4
_Calls = list[str]


def _message(verb: str, peer: int, size: int) -> str:
    return f"{verb} {peer} 0 {size} {_BYTE}"


def _ping_pong(size: int, _: int) -> tuple[_Calls, _Calls]:
    return (
        [_message("send", 1, size), _message("recv", 1, size)],
        [_message("recv", 0, size), _message("send", 0, size)],
    )


def _both(calls: Callable[[int], _Calls]) -> tuple[_Calls, _Calls]:
    """Makes the calls of both ranks, each with the other rank as its peer."""
    return calls(1), calls(0)


def _ping_ping(size: int, _: int) -> tuple[_Calls, _Calls]:
    return _both(lambda peer: [_message("isend", peer, size), _message("recv", peer, size), "waitall 1"])


def _stream(size: int, window: int) -> tuple[_Calls, _Calls]:
    wait, acknowledgement = f"waitall {window}", _ACKNOWLEDGEMENT_BYTES
    return (
        [_message("isend", 1, size)] * window + [wait, _message("recv", 1, acknowledgement)],
        [_message("irecv", 0, size)] * window + [wait, _message("send", 0, acknowledgement)],
    )


def _two_streams(size: int, window: int) -> tuple[_Calls, _Calls]:
    return _both(
        lambda peer: (
            [_message("irecv", peer, size)] * window + [_message("isend", peer, size)] * window + [f"waitall {window}"]
        )
    )


def _acknowledged_streams(size: int, window: int) -> tuple[_Calls, _Calls]:
    first, second = _two_streams(size, window)
    return (
        [*first, _message("recv", 1, _ACKNOWLEDGEMENT_BYTES)],
        [*second, _message("send", 0, _ACKNOWLEDGEMENT_BYTES)],
    )


def _barrier(_: int, __: int) -> tuple[_Calls, _Calls]:
    return ["barrier"], ["barrier"]


@dataclass(frozen=True)
class Benchmark:
    """A supported benchmark."""

    title: str
    calls: Callable[[int, int], tuple[_Calls, _Calls]]
    """Makes the calls of both ranks in a round. Arguments: the message size in bytes, and the number of messages in a
    window."""
    shares: int = 1
    """The round time divided by this number is the result: 2 for half a round trip."""
    window: int = 0
    """The number of messages in flight in a stream, by which the time of a round is divided. The value is the default
    of the benchmark program, or 0 if the benchmark is not a stream."""
    both_ways: bool = False
    """Both ranks send at the same time."""

    @property
    def is_stream(self) -> bool:
        return self.window > 0


BENCHMARKS = {
    "latency": Benchmark("ping-pong", _ping_pong, shares=2),
    "pingping": Benchmark("ping-ping", _ping_ping, both_ways=True),
    "bandwidth": Benchmark("stream", _stream, window=64),
    "uniband": Benchmark("stream", _stream, window=256),
    "bibandwidth": Benchmark("two streams", _two_streams, window=64, both_ways=True),
    "biband": Benchmark("two streams", _acknowledged_streams, window=256, both_ways=True),
    "barrier": Benchmark("barrier", _barrier),
}


def trace(benchmark: str, size: int, window: int, rounds: int) -> str:
    """A trace with this number of rounds in the time-independent format (TIT)."""
    lines = []
    for rank, of_round in enumerate(BENCHMARKS[benchmark].calls(size, window)):
        lines += [f"{rank} {call}\n" for call in ["init", *of_round * rounds, "finalize"]]
    return "".join(lines)
