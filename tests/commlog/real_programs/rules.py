"""The rules of docs/reference/extraction.md for call sequences written by hand. The posts and waits of each rank in one
iteration, in order, become steps, and steps become communication sets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

# A message: source, destination, bytes.
Message = tuple[int, int, int]
Sets = list[list[Message]]
Handle = tuple[str, int, int]


@dataclass
class Channel:
    """Messages of a source to a destination with one tag. The k-th send goes to the k-th receive."""

    sent: list[tuple[int, int, int]] = field(default_factory=list)  # highest step completed before, bytes, post
    expected: list[int] = field(default_factory=list)  # highest step completed before
    sends: int = 0
    receives: int = 0


class Iteration:
    """One iteration. The functions take the rank first. They are the calls of the program, in order."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.steps: list[list[tuple]] = [[] for _ in range(ranks)]
        self.collectives: list[str] = []

    def isend(self, rank: int, to: int, size: int, tag: int = 0) -> int:
        self.steps[rank].append(("send", to, size, tag))
        return len(self.steps[rank]) - 1

    def irecv(self, rank: int, source: int, tag: int = 0) -> int:
        self.steps[rank].append(("receive", source, tag))
        return len(self.steps[rank]) - 1

    def wait(self, rank: int, *posts: int) -> None:
        self.steps[rank].append(("wait", posts))

    def send(self, rank: int, to: int, size: int, tag: int = 0) -> None:
        self.wait(rank, self.isend(rank, to, size, tag))

    def recv(self, rank: int, source: int, tag: int = 0) -> None:
        self.wait(rank, self.irecv(rank, source, tag))

    def sendrecv(self, rank: int, to: int, size: int, source: int, tag: int = 0) -> None:
        received = self.irecv(rank, source, tag)
        self.wait(rank, received, self.isend(rank, to, size, tag))

    def collective(self, name: str) -> None:
        """Adds a collective of all ranks. Call it once, after each rank's calls up to here."""
        for steps in self.steps:
            steps.append(("collective", len(self.collectives)))
        self.collectives.append(name)

    def sets(self) -> Sets:
        """Returns the sets in order of steps. In a step, messages are sorted by source and post. Each goes to the first
        set in which its source and its destination have no message yet."""
        sets: Sets = []
        by_level: dict[int, list[tuple[int, int, Message]]] = defaultdict(list)
        for level, post, message in Levels(self).messages:
            if message[0] != message[1]:
                by_level[level].append((message[0], post, message))
        for level in sorted(by_level):
            first = len(sets)
            sources: list[set[int]] = []
            destinations: list[set[int]] = []
            for source, _, message in sorted(by_level[level]):
                at = 0
                while at < len(sources) and (source in sources[at] or message[1] in destinations[at]):
                    at += 1
                if at == len(sources):
                    sources.append(set())
                    destinations.append(set())
                    sets.append([])
                sources[at].add(source)
                destinations[at].add(message[1])
                sets[first + at].append(message)
        return sets


class Levels:
    """A message's step is one more than the highest step that its sender had completed before the send, or its receiver
    before the receive. Ranks are executed until they wait for a post that has not happened."""

    def __init__(self, iteration: Iteration) -> None:
        self.steps = iteration.steps
        self.at = [0] * iteration.ranks
        self.done = [0] * iteration.ranks
        self.channels: dict[tuple[int, int, int], Channel] = defaultdict(Channel)
        self.handles: list[dict[int, tuple[tuple[int, int, int], int]]] = [{} for _ in range(iteration.ranks)]
        self.reached: dict[int, dict[int, int]] = defaultdict(dict)  # by collective: rank to step
        progress = True
        while progress:
            progress = False
            for rank in range(iteration.ranks):
                while self.at[rank] < len(self.steps[rank]) and self.advance(rank):
                    self.at[rank] += 1
                    progress = True
        stuck = [rank for rank in range(iteration.ranks) if self.at[rank] < len(self.steps[rank])]
        assert not stuck, f"ranks {stuck[:8]} wait for ever: {self.steps[stuck[0]][self.at[stuck[0]]]}"
        self.messages = []
        for (source, to, _), channel in self.channels.items():
            assert len(channel.sent) == len(channel.expected), (source, to)
            for k, (_, size, post) in enumerate(channel.sent):
                self.messages.append((self.level(channel, k), post, (source, to, size)))

    @staticmethod
    def level(channel: Channel, k: int) -> int:
        return 1 + max(channel.sent[k][0], channel.expected[k])

    def advance(self, rank: int) -> bool:
        """Executes the rank's next call. Returns False if it has to wait."""
        step = self.steps[rank][self.at[rank]]
        if step[0] == "send":
            _, to, size, tag = step
            channel = self.channels[rank, to, tag]
            self.handles[rank][self.at[rank]] = ((rank, to, tag), len(channel.sent))
            channel.sent.append((self.done[rank], size, self.at[rank]))
        elif step[0] == "receive":
            _, source, tag = step
            channel = self.channels[source, rank, tag]
            self.handles[rank][self.at[rank]] = ((source, rank, tag), len(channel.expected))
            channel.expected.append(self.done[rank])
        elif step[0] == "wait":
            levels = []
            for post in step[1]:
                key, k = self.handles[rank][post]
                channel = self.channels[key]
                if k >= len(channel.sent) or k >= len(channel.expected):
                    return False
                levels.append(self.level(channel, k))
            self.done[rank] = max([self.done[rank], *levels])
        else:
            reached = self.reached[step[1]]
            reached.setdefault(rank, self.done[rank])
            if len(reached) < len(self.steps):
                return False
            self.done[rank] = 1 + max(reached.values())
        return True
