"""The signals INT, TERM and HUP. Files are written whole or not at all, whenever a signal arrives."""

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
    """A subclass, because of a flaw of Python. If a plain KeyboardInterrupt passes through exec(), which dataclasses
    use, Python ends with SIGINT although the exception is caught."""


class _Handler:
    """A signal handler that interrupts the work. A signal that arrives after the work is ignored."""

    is_working = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.is_working:
            raise _Interruption
        os._exit(_INTERRUPTED)


def exit_code_of(work: Callable[[], int]) -> int:
    """Runs `work` and returns its exit code, or 130 if a signal ended it. Signals that were ignored before (HUP under
    nohup) stay ignored.

    The program ``haichi`` blocks the signals before it starts this process. Python restores the default actions when it
    shuts down, and these would kill the process. The signals are therefore ignored before that.
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
        handler.is_working = False  # Handlers run after calls, so none can run in between.
    return code


def _ignore(signals: list[signal.Signals]) -> None:
    for number in signals:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Delays signals until the enclosed work is complete. Use it for writing, not for long work."""
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
