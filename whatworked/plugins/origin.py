"""Where a plug-in comes from: a value, with one text form for files and people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from whatworked.plugins.spec import parse_spec

OriginKind = Literal["package", "entry point", "module", "files", "object"]

_MARK = " sha256:"
"""Stands between the name of a file and the digest of its bytes."""
_FILE = re.compile(rf"(.+?){_MARK}([0-9a-f]{{64}})(?:, |$)")
_PACKAGE = re.compile(r"(\S+) (\S+)")
_OBJECT = "python object"
_IDENTIFIED = re.compile(rf"{_OBJECT}{_MARK}([0-9a-f]{{64}})")


@dataclass(frozen=True)
class SourceFile:
    """A file and what is in it.

    Attributes
    ----------
    name : str
        Its path in the folder of the plug-in's own file.
    digest : str
        SHA-256 of its bytes.
    """

    name: str
    digest: str


@dataclass(frozen=True)
class Origin:
    """Where a plug-in comes from.

    Attributes
    ----------
    kind : {"package", "entry point", "module", "files", "object"}
        An installed distribution; an entry point or a module of which no distribution is known; local code, with the
        local files that it imports; an object made in Python.
    name : str
        Of the distribution, the entry point (``module:attribute``) or the module; else empty.
    version : str
        Of the distribution; else empty.
    files : tuple of SourceFile
        The plug-in's own file first, then those it imports, by name; else empty.
    digest : str
        Of an object made in Python: SHA-256 of its code and values; empty where they cannot be told, or were not noted.

    Examples
    --------
    >>> origin = Origin("package", "scikit-learn", "1.9.1")
    >>> str(origin)
    'scikit-learn 1.9.1'
    >>> Origin.parse("scikit-learn 1.9.1") == origin
    True
    """

    kind: OriginKind
    name: str = ""
    version: str = ""
    files: tuple[SourceFile, ...] = ()
    digest: str = ""

    def __str__(self) -> str:
        """The text that plans hold and messages show."""
        if self.kind == "files":
            return ", ".join(f"{file.name}{_MARK}{file.digest}" for file in self.files)
        if self.kind == "package":
            return f"{self.name} {self.version}"
        if self.kind == "object":
            return f"{_OBJECT}{_MARK}{self.digest}" if self.digest else _OBJECT
        return self.name

    @classmethod
    def of_files(cls, files: Iterable[SourceFile]) -> Origin:
        """The origin of a plug-in that is a file.

        Parameters
        ----------
        files : iterable of SourceFile
            Its own file first, then those that it imports.

        Returns
        -------
        Origin
        """
        return cls("files", files=tuple(files))

    @classmethod
    def parse(cls, text: str) -> Origin:
        """The origin that a plan holds as text.

        Parameters
        ----------
        text : str
            As ``str`` of an origin gives it. Any other text is taken for a name.

        Returns
        -------
        Origin
            Its ``str`` is the text again, whatever the text is.
        """
        if text == _OBJECT:
            return cls("object")
        if found := _IDENTIFIED.fullmatch(text):
            return cls("object", digest=found[1])
        files = cls.of_files(SourceFile(name, digest) for name, digest in _FILE.findall(text))
        if files.files and str(files) == text:
            return files
        if found := _PACKAGE.fullmatch(text):
            return cls("package", found[1], found[2])
        return cls("entry point" if ":" in text else "module", text)

    @property
    def is_own_package(self) -> bool:
        """Whether it comes with WhatWorked."""
        return self.kind == "package" and self.name == "whatworked"

    @property
    def digests(self) -> dict[str, str]:
        """Name to digest of the files; empty where the plug-in is of no file."""
        return {file.name: file.digest for file in self.files}


OBJECT = Origin("object")
"""The origin of a plug-in that was handed over in Python."""


def path_in_folder(spec: str, name: str) -> str:
    """Path of a file in the folder of the file that a plug-in's text names.

    Examples
    --------
    >>> path_in_folder("./mine/own.py:Own(depth=2)", "helper.py")
    './mine/helper.py'
    """
    folder, slash, _ = parse_spec(spec).container.rpartition("/")
    return folder + slash + name
