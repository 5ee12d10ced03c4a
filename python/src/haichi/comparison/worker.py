"""The worker process of `LocalProcesses`, which runs `main`.

Reads pickled (function, argument) pairs from standard input and writes pickled results to the original standard output.
It does not use multiprocessing, whose workers would import the user's script again.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def main() -> None:
    # The parent handles Ctrl-C and then ends this process. If the parent dies, the kernel kills this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    requests = sys.stdin.buffer
    # A plug-in may print. Its output must not mix with the results.
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            function, argument = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = (True, function(argument))
        except Exception as error:  # a bug, which the parent reports together with the cell
            answer = (False, f"{type(error).__name__}: {error}")
        pickle.dump(answer, results)
        results.flush()
