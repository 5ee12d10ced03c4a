"""Limits the files that a program may open, with Landlock of the Linux kernel (landlock(7)). This module imports only
the standard library, because the supervisor loads it alone."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeVar

_T = TypeVar("_T")
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # equal on all architectures
_PR_SET_NO_NEW_PRIVS = 38  # <linux/prctl.h>
_ASK_VERSION, _PATH_BENEATH = 1, 1  # <linux/landlock.h>
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_DIR, _MAKE_REG, _REFER, _TRUNCATE, _IOCTL_DEV = 1 << 7, 1 << 8, 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_WRITE = _READ_FILE | _READ_DIR | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
"""Making links, pipes and devices is excluded, because the server reads the files of a job. Files of a job are never
executed."""
_BITS_OF_VERSION = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP, _SCOPES = 0b11, 0b11
"""Restricts bind and connect (from version 4 on), and abstract sockets and signals to other processes (from version 6
on)."""

SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/localtime"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/dev/urandom"),
)
"""Files that every program reads: libraries, locales, time zones and processor data."""


@lru_cache(maxsize=1)
def version() -> int:
    """The version of Landlock in the kernel; 0 if it is missing or disabled."""
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)))


def confine(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Restricts this thread and its later children. They can open only files below these paths, cannot use TCP, and
    cannot signal outside processes. Missing paths are skipped. Does nothing without Landlock. Raises OSError."""
    if not version():
        return
    libc = ctypes.CDLL(None, use_errno=True)
    handled = (1 << _BITS_OF_VERSION[min(version(), 5)]) - 1
    rules = struct.pack("=Q", handled)
    if version() >= 4:
        rules += struct.pack("=Q", _TCP)
    if version() >= 6:
        rules += struct.pack("=Q", _SCOPES)
    ruleset = _checked(libc.syscall(_CREATE_RULESET, rules, ctypes.c_size_t(len(rules)), 0))
    try:
        for paths, allowed in ((readable, _READ), (writable, _WRITE), ((os.devnull,), _READ_FILE | _WRITE_FILE)):
            for path in paths:
                _allow(libc, ruleset, path, allowed & handled)
        _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _checked(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def _allow(libc: Any, ruleset: int, path: str, allowed: int) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(beneath).st_mode):
            allowed &= _OF_FILES
        _checked(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, beneath), 0))
    finally:
        os.close(beneath)


def _checked(answer: int) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return answer


def confined(work: Callable[[], _T], readable: Iterable[str], writable: Iterable[str]) -> _T:
    """Calls `work` in a separate confined thread and returns its result. Other threads of this process are not
    confined."""
    results: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            confine(readable, writable)
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
