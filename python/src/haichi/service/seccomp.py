"""Refuses system calls that a job's program does not need, and that reach beyond its own processes and files
(seccomp(2)). It imports the standard library only, because the supervisor loads this file alone."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _MODE_FILTER = 22, 38, 2  # <linux/prctl.h>, <linux/seccomp.h>
_LOAD_WORD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # <linux/bpf_common.h>
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_FIRST_OF_X32 = 0x40000000
_NAMESPACES = 0x7E020000
"""All CLONE_NEW flags of clone(2)."""

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The number of the architecture (<linux/audit.h>), and the column of `_REFUSED`."""
_MISSING = -1
_REFUSED = {
    # Sockets, also those with a path, and io_uring, which makes sockets without these calls.
    "socket": (41, 198), "socketpair": (53, 199), "io_uring_setup": (425, 425),
    # Memory and queues that outlive the job.
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    # Other processes of the same user.
    "setpriority": (141, 140), "ioprio_set": (251, 30), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "kcmp": (312, 272), "perf_event_open": (298, 241),
    # Permissions and times of files, which Landlock does not protect, and the names of files.
    "chmod": (90, _MISSING), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, _MISSING), "fchown": (93, 55), "lchown": (94, _MISSING), "fchownat": (260, 54),
    "utime": (132, _MISSING), "utimes": (235, _MISSING), "futimesat": (261, _MISSING), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
    "file_setattr": (469, 469), "inotify_init": (253, _MISSING), "inotify_init1": (294, 26),
    "fanotify_init": (300, 262), "open_by_handle_at": (304, 265),
    # Namespaces, and parts of the kernel with many faults.
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "fsopen": (430, 430), "bpf": (321, 280), "userfaultfd": (323, 282),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "syslog": (103, 116),
}  # fmt: skip
_ONLY_FOR_ITSELF = {
    "prlimit64": (302, 261), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274),
}  # fmt: skip
"""The first argument must be 0, the calling process."""
_CLONE, _CLONE3 = (56, 220), (435, 435)
"""The arguments of clone3 are in memory. Without it, libraries use clone."""


def exists() -> bool:
    """False without a filter for this kernel or processor."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_SECCOMP, _MODE_FILTER, None, 0, 0)
    return ctypes.get_errno() == errno.EFAULT and os.uname().machine in _MACHINES


def refuse_calls() -> None:
    """From now on, this thread and its children get errors from these calls. Does nothing without a filter."""
    if not exists():
        return
    text = _filter(*_MACHINES[os.uname().machine])
    content = ctypes.create_string_buffer(text, len(text))
    program = struct.pack("HP", len(text) // 8, ctypes.addressof(content))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")


def _filter(architecture: int, column: int) -> bytes:
    """A program of the kernel's packet filter. Jumps skip a number of instructions if true, or else another one."""

    def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    allow, refuse = step(_RETURN, _ALLOW), step(_RETURN, _ERROR | errno.EPERM)
    argument = step(_LOAD_WORD, _FIRST_ARGUMENT)
    clone, clone3 = _CLONE[column], _CLONE3[column]
    parts = [
        step(_LOAD_WORD, _ARCHITECTURE) + step(_IF_EQUAL, architecture, 1) + refuse,
        step(_LOAD_WORD, _NUMBER) + step(_IF_AT_LEAST, _FIRST_OF_X32, 0, 1) + refuse,
    ]
    for numbers in _REFUSED.values():
        if numbers[column] != _MISSING:
            parts.append(step(_IF_EQUAL, numbers[column], 0, 1) + refuse)
    for numbers in _ONLY_FOR_ITSELF.values():
        parts.append(step(_IF_EQUAL, numbers[column], 0, 4) + argument + step(_IF_EQUAL, 0, 1) + refuse + allow)
    parts.append(step(_IF_EQUAL, clone, 0, 4) + argument + step(_IF_ANY_BIT, _NAMESPACES, 0, 1) + refuse + allow)
    parts.append(step(_IF_EQUAL, clone3, 0, 1) + step(_RETURN, _ERROR | errno.ENOSYS))
    return b"".join(parts) + allow
