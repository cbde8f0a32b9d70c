"""The page about the sandbox: its example, its figures, its table of attacks."""

from __future__ import annotations

import doctest
from pathlib import Path

from whatworked.sandbox import BubblewrapSandbox, Limits


def test_the_example(sandbox: BubblewrapSandbox, root: Path) -> None:
    result = doctest.testfile(str(root / "docs" / "sandbox.md"), module_relative=False)
    assert result.attempted == 5
    assert result.failed == 0


def test_the_figures(root: Path) -> None:
    page, limits = (root / "docs" / "sandbox.md").read_text(encoding="utf-8"), Limits()
    assert f"{limits.cpu_seconds} s of processor time, {limits.wall_seconds:.0f} s in all" in page
    assert (limits.memory_bytes, limits.file_bytes, limits.folder_bytes) == (2 * 10**9, 2 * 10**6, 64 * 10**6)
    assert "2·10⁹ bytes of address space" in page
    assert "64 MB in the work folder, 1 MB in `/dev/shm`, 2·10⁶ bytes a file" in page
    assert f"| {limits.threads}, {limits.open_files}, {limits.cores} |" in page
    assert f"{limits.output_bytes:,} bytes of each stream" in page
    assert f"at {limits.drained_bytes // 10**6} MB the program is ended" in page
