"""What a plug-in prints: it goes to standard error, without characters that would steer a terminal."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TextIO

from whatworked.wording import printable

_KEPT = "\n\t"


@contextlib.contextmanager
def plugin_output() -> Iterator[None]:
    """Send what Python code prints inside the block to standard error, escaped; see `whatworked.wording.printable`.

    What a plug-in prints must neither spoil the output of a command nor change what a terminal shows of others' words.
    """
    shown = EscapedStream(sys.stderr)
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        yield


class EscapedStream(io.TextIOBase):
    """A text stream that passes on what may be shown and escapes the rest.

    Parameters
    ----------
    stream : text stream
        Where it goes.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.buffer = _EscapedBytes(self)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Of the stream behind it."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Write a text; returns its length."""
        self._stream.write(printable(text, keep=_KEPT))
        return len(text)

    def flush(self) -> None:
        """Flush the stream behind it."""
        # Python flushes a stream when it is freed, which may be after the one behind it was closed.
        with contextlib.suppress(ValueError):
            self._stream.flush()

    def fileno(self) -> int:
        """Of the stream behind it."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """It is."""
        return True

    def isatty(self) -> bool:
        """No terminal: colours and bars would come out as escapes."""
        return False


class _EscapedBytes(io.RawIOBase):
    """The bytes side of an `EscapedStream`."""

    def __init__(self, stream: EscapedStream) -> None:
        self._stream = stream

    def write(self, data: object) -> int:
        """Write bytes; returns their number."""
        content = bytes(memoryview(data))  # type: ignore[arg-type]
        self._stream.write(content.decode("utf-8", "backslashreplace"))
        return len(content)

    def writable(self) -> bool:
        """It is."""
        return True
