"""A process that computes cells for `LocalProcesses`, which starts `main` in it.

Reads pickled (function, argument) pairs from standard input and writes pickled results to what was standard output. It
does not use multiprocessing, whose workers import the user's script once more.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def main() -> None:
    # Ctrl-C is the parent's to handle, which ends this process; without a parent there is nobody to work for.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    requests = sys.stdin.buffer
    # What a plug-in prints must not come between the results.
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            function, argument = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = (True, function(argument))
        except Exception as error:  # a bug: told to the parent with the cell it belongs to
            answer = (False, f"{type(error).__name__}: {error}")
        pickle.dump(answer, results)
        results.flush()
