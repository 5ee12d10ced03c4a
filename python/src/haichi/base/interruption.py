"""INT, TERM and HUP: files are whole or not there, whenever a signal comes."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED = 130


class _Interruption(KeyboardInterrupt):
    """Of a type of its own: where a KeyboardInterrupt itself has passed an exec(), as in the making of a dataclass,
    Python ends by SIGINT, even though it was caught."""


class _Handler:
    """Interrupts the work; around it there is nothing left to put in order."""

    is_working = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.is_working:
            raise _Interruption
        os._exit(_INTERRUPTED)


def exit_code_of(work: Callable[[], int]) -> int:
    """Of a program: the exit code of its work, or 130 when a signal has ended it. Signals that were ignored before (HUP
    under nohup) stay so.

    The program ``haichi`` has held the signals back since it began to start this one. When Python shuts down it makes
    them deadly again: before that they are ignored.
    """
    taken = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    handler = _Handler()
    code = _INTERRUPTED
    atexit.register(_ignore, taken)
    try:
        for number in taken:
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        code = work()
        handler.is_working = False
    except KeyboardInterrupt:
        handler.is_working = False  # Handlers run behind calls: none can come between.
    return code


def _ignore(signals: list[signal.Signals]) -> None:
    for number in signals:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """What is done inside is done as a whole: signals take effect behind it. For writing, not for long work."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python handles signals in the main thread only
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    came: list[int] = []
    try:
        for number, handler in before.items():
            if callable(handler) or handler is signal.SIG_DFL:
                signal.signal(number, lambda caught, frame: came.append(caught))
        yield
    finally:
        for number, handler in before.items():
            if callable(handler) or handler is signal.SIG_DFL:
                signal.signal(number, handler)
        for caught in came:
            signal.raise_signal(caught)
