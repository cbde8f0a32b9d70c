"""What a caller puts into the sandbox, checked before anything is run."""

from __future__ import annotations

from collections.abc import Mapping

from whatworked.errors import InvalidCodeError, InvalidOptionError
from whatworked.sandbox.interface import Limits
from whatworked.sandbox.layout import PACKAGE_FOLDER, WORK_FOLDER

MOST_CODE = 1_000_000
"""Characters that a program may have."""


def program_bytes(code: str, what: str) -> bytes:
    """Source as bytes; `InvalidCodeError` if no program can be written so."""
    if not isinstance(code, str):
        raise InvalidCodeError(f"{what} is a {type(code).__name__}; give Python source as a str")
    if len(code) > MOST_CODE:
        raise InvalidCodeError(f"{what} has {len(code)} characters; at most {MOST_CODE} are allowed")
    if (place := code.find("\0")) >= 0:
        raise InvalidCodeError(f"{what} has a NUL character at position {place}; Python source has none: take it out")
    try:
        return code.encode()
    except UnicodeEncodeError as error:
        raise InvalidCodeError(
            f"{what} has half a surrogate pair, {code[error.start]!r}, at position {error.start}; it cannot be written "
            "as UTF-8: take it out"
        ) from None


def work_files(files: Mapping[str, bytes], limits: Limits) -> dict[str, bytes]:
    """Paths in the sandbox and contents of files; `InvalidOptionError` for what is no name, or too large."""
    total = 0
    for name, content in files.items():
        if not name or "/" in name or "\0" in name or name in {".", ".."}:
            raise InvalidOptionError(f"{name!r} is no name of a file in the work folder; give one without folders")
        if len(content) > limits.file_bytes:
            raise InvalidOptionError(
                f"the file {name!r} has {len(content)} bytes; at most {limits.file_bytes} are allowed"
            )
        total += len(content)
    if total > limits.folder_bytes:
        raise InvalidOptionError(
            f"the files have {total} bytes together; at most {limits.folder_bytes} are allowed in the work folder"
        )
    return {f"{WORK_FOLDER}/{name}": bytes(content) for name, content in files.items()}


def module_files(modules: Mapping[str, str]) -> dict[str, bytes]:
    """Paths and contents of modules, with an empty module for each package around one."""
    packages = {name[:place] for name in modules for place, letter in enumerate(name) if letter == "."}
    paths: dict[str, bytes] = {}
    for name in sorted(packages | set(modules)):
        if not all(part.isidentifier() for part in name.split(".")):
            raise InvalidOptionError(f"{name!r} is no name of a module; give one as in an import, like helpers.ridge")
        path = f"{PACKAGE_FOLDER}/{name.replace('.', '/')}{'/__init__' if name in packages else ''}.py"
        paths[path] = program_bytes(modules.get(name, ""), f"the module {name}")
    return paths
