"""Descriptors that a child process is given: files in memory and pipes, all closed at the end."""

from __future__ import annotations

import os


class Descriptors:
    """Descriptors for a child process; as a context manager it closes what is still open."""

    def __init__(self) -> None:
        self._open: list[int] = []
        self._ours: set[int] = set()

    def __enter__(self) -> Descriptors:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._open:
            os.close(descriptor)

    def memory(self, content: bytes) -> int:
        """A file in memory, at its start."""
        descriptor = os.memfd_create("sandbox", os.MFD_CLOEXEC)
        self._open.append(descriptor)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def pipe(self) -> tuple[int, int]:
        """A pipe whose reading end stays here."""
        read, write = os.pipe()
        self._open += [read, write]
        self._ours.add(read)
        return read, write

    def given(self) -> tuple[int, ...]:
        """Those that the child inherits."""
        return tuple(descriptor for descriptor in self._open if descriptor not in self._ours)

    def close(self, descriptor: int) -> None:
        """Close one before the end."""
        self._open.remove(descriptor)
        os.close(descriptor)
