"""The filter of system calls on both architectures, step by step; shared libraries against the system's own ``ldd``."""

from __future__ import annotations

import errno
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from whatworked.sandbox.elf import read_binary, shared_libraries
from whatworked.sandbox.seccomp import ARCHITECTURES, filter_program

ALLOWED, KILLED = 0x7FFF0000, 0x80000000


def verdict(name: str, number: int, argument: int = 0, audit: int | None = None) -> int:
    """What the kernel would make of a call: a reading of the program by the rules of classic BPF (bpf(4))."""
    architecture = ARCHITECTURES[name]
    data = struct.pack("<IIQ6Q", number, audit or architecture.audit, 0, argument, *[0] * 5)
    rows = list(struct.iter_unpack("HBBI", filter_program(architecture)))
    place = accumulator = 0
    while True:
        code, true, false, value = rows[place]
        place += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return int(value)
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            place += true if holds else false


@pytest.mark.parametrize(
    ("name", "clone", "socket", "read", "fork"), [("x86_64", 56, 41, 0, 57), ("aarch64", 220, 198, 63, None)]
)
def test_the_filter_on(name: str, clone: int, socket: int, read: int, fork: int | None) -> None:
    refused = 0x50000 | errno.EPERM
    # The flags of a thread as glibc starts it, and of a process.
    assert verdict(name, clone, 0x3D0F00) == ALLOWED
    assert {verdict(name, clone, flags) for flags in (0x11, 0x1200011, 0x4111, 0x10000000)} == {refused}
    assert verdict(name, 435) == 0x50000 | errno.ENOSYS
    assert verdict(name, socket) == refused
    assert verdict(name, read) == ALLOWED
    assert {verdict(name, number) for number in (457, 600, 0x40000000 + read)} == {0x50000 | errno.ENOSYS}
    assert verdict(name, read, audit=0x40000003) == KILLED
    if fork is not None:
        assert verdict(name, fork) == refused


def test_libraries_are_those_that_the_loader_takes() -> None:
    interpreter = Path(os.path.realpath(sys.executable))
    binary = read_binary(interpreter)
    assert binary is not None
    loader = binary.loader
    told = subprocess.run(["ldd", interpreter], capture_output=True, text=True, check=True).stdout
    wanted = {name: os.path.realpath(path) for name, path in re.findall(r"(\S+) => (/\S+)", told)}
    found = {name: os.path.realpath(path) for name, path in shared_libraries([interpreter], []).items()}
    assert len(wanted) > 1
    assert found.pop(Path(str(loader)).name, None) in (None, os.path.realpath(str(loader)))
    assert found == wanted


def test_what_is_no_binary_is_none(tmp_path: Path) -> None:
    far_headers = struct.pack("<16sHHIQQQIHHH", b"\x7fELF\x02\x01", 3, 62, 1, 0, 1 << 40, 0, 0, 64, 56, 3)
    for content in (b"", b"#!/bin/sh\n", b"\x7fELF\x02\x01", b"\x7fELF\x01\x01" + bytes(100), far_headers):
        (tmp_path / "file").write_bytes(content)
        assert read_binary(tmp_path / "file") is None
