"""The package imported from an archive, as Python can: its data are found, or it is said that they are missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

WITHOUT_DATA = (".py",)


def archive(root: Path, path: Path, suffixes: tuple[str, ...] | None = None) -> Path:
    """All packages with their data files, as a wheel has them; only files of some suffixes if given."""
    settings = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    mapped = settings["package-dir"]
    with zipfile.ZipFile(path, "w") as packed:
        for package in settings["packages"]:
            base = max((name for name in mapped if f"{package}.".startswith(f"{name}.")), key=len)
            place = "/".join(package.split("."))
            folder = root / mapped[base] / "/".join(package.split(".")[base.count(".") + 1 :])
            for file in sorted(folder.rglob("*")):
                within = file.relative_to(folder)
                module = file.suffix == ".py" and within.parent == Path()
                data = file.suffix != ".py" and file.is_file() and "__pycache__" not in within.parts
                if (module or data) and (suffixes is None or file.suffix in suffixes):
                    name = f"{place}/{within}"
                    if name not in packed.NameToInfo:
                        packed.write(file, name)
    return path


@pytest.fixture(scope="module")
def packed(root, tmp_path_factory):
    return archive(root, tmp_path_factory.mktemp("archive") / "package.zip")


def run(path: Path, where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The package of an archive (or folder), which must be the one that is imported."""
    libraries = [entry for entry in sys.path if entry.endswith("site-packages")]
    code = (
        f"import sys; sys.path[:0] = [{str(path)!r}]; sys.path += {libraries!r}; import whatworked; "
        f"assert whatworked.__file__.startswith({str(path)!r}); from whatworked.cli import main; main()"
    )
    environment = {**os.environ, "WHATWORKED_OFFLINE": "1", "PYTHONPATH": str(path), "TMPDIR": str(where)}
    return subprocess.run(
        [sys.executable, "-S", "-c", code, *arguments],
        env=environment,
        cwd=where,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list",), "36 conditions of 30 sources, 1248 records"),
        (("show", "wine"), "Aeberhard"),
        (("sources", "list"), "of 30 sources are on this machine"),
        (("controls", "table", "--budget", "4"), "GP-E"),
        (("leaderboard", "--track", "paired"), "controls"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_commands_find_their_data(packed, tmp_path, arguments, said):
    done = run(packed, tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout
    assert list(tmp_path.iterdir()) == []  # what was unpacked has gone


@pytest.mark.parametrize("form", ["archive", "folder"])
@pytest.mark.parametrize("command", [("list",), ("show", "wine"), ("bench", "--method", "D1"), ("sources", "list")])
def test_a_package_without_its_data_says_so(root, tmp_path, command, form):
    path = archive(root, tmp_path / "bare.zip", WITHOUT_DATA)
    if form == "folder":
        shutil.unpack_archive(path, tmp_path / "bare")
        path = tmp_path / "bare"
    done = run(path, tmp_path, *command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert "install it again" in " ".join(done.stderr.split())
