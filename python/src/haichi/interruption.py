"""INT, TERM and HUP: files are whole or not there, whenever a signal comes."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED = 130


def take_signals() -> None:
    """Of a program, at its start: they raise KeyboardInterrupt, unless they were ignored before (HUP under nohup).

    The program ``haichi`` has held them back since it began to start this one.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def end_at_signals() -> None:
    """Of a program whose work is done: there is nothing left to put in order."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


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


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)
