"""The filter of system calls: threads but no processes, no sockets, nothing that reaches the kernel's rarer parts.

Classic BPF as seccomp takes it (``man 2 seccomp``): eight bytes per instruction, which read the number of the call, its
architecture and its first argument.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_THREAD = 0x10000
"""Flag of ``clone`` that makes a thread of the same process."""


@dataclass(frozen=True)
class Architecture:
    """Numbers of system calls on one kind of processor.

    Attributes
    ----------
    audit : int
        The kernel's number of the architecture.
    clone : int
        What starts threads and processes.
    refused : tuple of int
        Calls that are refused.
    clone3 : int
        A newer way to start threads and processes.
    least_unknown : int
        Calls from this number on are newer than this list and do not exist for the program.
    """

    audit: int
    clone: int
    refused: tuple[int, ...]
    clone3: int = 435
    least_unknown: int = 457


_REFUSED = (
    ("fork", 57, None),
    ("vfork", 58, None),
    ("socket", 41, 198),
    ("shmget", 29, 194),
    ("semget", 64, 190),
    ("msgget", 68, 186),
    ("mq_open", 240, 180),
    ("ptrace", 101, 117),
    ("process_vm_readv", 310, 270),
    ("process_vm_writev", 311, 271),
    ("kcmp", 312, 272),
    ("add_key", 248, 217),
    ("request_key", 249, 218),
    ("keyctl", 250, 219),
    ("bpf", 321, 280),
    ("userfaultfd", 323, 282),
    ("perf_event_open", 298, 241),
    ("mount", 165, 40),
    ("umount2", 166, 39),
    ("pivot_root", 155, 41),
    ("chroot", 161, 51),
    ("unshare", 272, 97),
    ("setns", 308, 268),
    ("swapon", 167, 224),
    ("swapoff", 168, 225),
    ("reboot", 169, 142),
    ("init_module", 175, 105),
    ("finit_module", 313, 273),
    ("delete_module", 176, 106),
    ("kexec_load", 246, 104),
    ("kexec_file_load", 320, 294),
    ("syslog", 103, 116),
    ("acct", 163, 89),
    ("quotactl", 179, 60),
    ("personality", 135, 92),
    ("settimeofday", 164, 170),
    ("clock_settime", 227, 112),
    ("adjtimex", 159, 171),
    ("clock_adjtime", 305, 266),
    ("sethostname", 170, 161),
    ("name_to_handle_at", 303, 264),
    ("open_by_handle_at", 304, 265),
    ("fanotify_init", 300, 262),
    ("memfd_create", 319, 279),
    ("iopl", 172, None),
    ("ioperm", 173, None),
    ("modify_ldt", 154, None),
    ("uselib", 134, None),
    ("lookup_dcookie", 212, 18),
    ("sched_setaffinity", 203, 122),
    ("sched_setscheduler", 144, 119),
    ("sched_setparam", 142, 118),
    ("sched_setattr", 314, 274),
    ("mbind", 237, 235),
    ("set_mempolicy", 238, 237),
    ("migrate_pages", 256, 238),
    ("move_pages", 279, 239),
    ("setdomainname", 171, 162),
    ("vhangup", 153, 58),
    ("seccomp", 317, 277),
    ("pidfd_send_signal", 424, 424),
    ("io_uring_setup", 425, 425),
    ("io_uring_enter", 426, 426),
    ("io_uring_register", 427, 427),
    ("open_tree", 428, 428),
    ("move_mount", 429, 429),
    ("fsopen", 430, 430),
    ("fsconfig", 431, 431),
    ("fsmount", 432, 432),
    ("fspick", 433, 433),
    ("pidfd_open", 434, 434),
    ("pidfd_getfd", 438, 438),
    ("process_madvise", 440, 440),
    ("mount_setattr", 442, 442),
    ("quotactl_fd", 443, 443),
    ("memfd_secret", 447, 447),
    ("process_mrelease", 448, 448),
)
"""System calls with their numbers on x86_64 and aarch64; None where there is no such call."""

ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {
        "x86_64": Architecture(0xC000003E, 56, tuple(number for _, number, _ in _REFUSED)),
        "aarch64": Architecture(0xC00000B7, 220, tuple(number for _, _, number in _REFUSED if number is not None)),
    }
)
"""By the name that the kernel gives the machine; elsewhere there is no sandbox."""


def filter_program(architecture: Architecture) -> bytes:
    """The filter in the form that bubblewrap reads from a descriptor."""
    rows = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        # glibc then starts its threads by `clone`, whose flags can be read here; those of clone3 lie in memory.
        *_refuse([architecture.clone3], errno.ENOSYS),
        *_refuse(architecture.refused, errno.EPERM),
        # With the calls of another ABI on the same processor (x32).
        (_AT_LEAST, 0, 1, architecture.least_unknown),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_EQUAL, 0, 3, architecture.clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 1, 0, _THREAD),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *row) for row in rows)


def _refuse(numbers: Iterable[int], error: int) -> list[tuple[int, int, int, int]]:
    return [row for number in numbers for row in ((_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error))]
