"""A user's library of sources: what is where, and how each becomes its prepared input."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whatworked.errors import (
    DigestMismatchError,
    InvalidOptionError,
    SourceUnavailableError,
    StorageError,
)
from whatworked.files import write_atomic
from whatworked.manifests import Manifest, RawFile, RawForm, manifest
from whatworked.prepared import PreparedInput
from whatworked.sources import store
from whatworked.sources.network import Network
from whatworked.sources.prepare import prepare
from whatworked.sources.raw import RawBytes
from whatworked.sources.readers import read
from whatworked.sources.routes import LOCAL_ROUTES, Folders, Place, Route, checked, locate, unpack

CACHE_VARIABLE = "WHATWORKED_CACHE"
MIRROR_VARIABLE = "WHATWORKED_MIRROR"
OFFLINE_VARIABLE = "WHATWORKED_OFFLINE"

_log = logging.getLogger("whatworked.sources")

Plan = tuple[tuple[RawFile, Place], ...]


@dataclass(frozen=True)
class Acquired:
    """One complete raw form, checked: its files by name, and the routes they came by."""

    form: RawForm
    files: Mapping[str, RawBytes]
    routes: tuple[Route, ...]


@dataclass
class Library:
    """Sources of one user.

    Parameters
    ----------
    cache : path, optional
        Folder of prepared inputs and downloads; default `WHATWORKED_CACHE`, else ``~/.cache/whatworked``.
    mirror : path, optional
        Folder with one folder of raw files per source; default `WHATWORKED_MIRROR`, else none.
    offline : bool, optional
        Leave the network alone; default whether `WHATWORKED_OFFLINE` is set.

    Raises
    ------
    InvalidOptionError
        If the mirror is no folder.
    """

    cache: Path | str | None = None
    mirror: Path | str | None = None
    offline: bool | None = None
    network: Network = field(init=False)
    folders: Folders = field(init=False)

    def __post_init__(self) -> None:
        cache = self.cache or os.environ.get(CACHE_VARIABLE) or Path("~/.cache/whatworked")
        mirror = self.mirror or os.environ.get(MIRROR_VARIABLE) or None
        self.folders = Folders(Path(cache).expanduser(), Path(mirror).expanduser() if mirror else None)
        if self.folders.mirror is not None and not self.folders.mirror.is_dir():
            raise InvalidOptionError(f"mirror {mirror!s} is no folder; give one that holds <source>/<raw file>")
        offline = bool(os.environ.get(OFFLINE_VARIABLE)) if self.offline is None else self.offline
        self.network = Network(offline=offline)

    def prepared(self, source: str, *, again: bool = False) -> PreparedInput:
        """The prepared input of a source: from the store, else from raw data, which are then stored.

        Where the cache cannot be written the work goes on without it, and a warning is logged.

        Parameters
        ----------
        source : str
            Source id.
        again : bool
            Build it anew even if it is stored.

        Raises
        ------
        UnknownNameError
            If there is no such source.
        SourceUnavailableError
            If no route leads to its raw data.
        DigestMismatchError
            If raw bytes, the stored file or the result differ from what the manifest says.
        RawDataError
            If raw data cannot be read or prepared.
        """
        one = manifest(source)
        path = store.store_path(self.folders.cache, one.id, one.expected.digest)
        if path.is_file() and not again:
            return store.load(path, one.id, one.family, one.expected.digest)
        prepared = build(one, self.acquire(one))
        try:
            store.save(prepared, path)
        except StorageError as error:
            _log.warning("going on without the store of prepared inputs: %s", error)
        return prepared

    def acquire(self, one: Manifest) -> Acquired:
        """Raw data of a source by the first route that has a complete form, checked.

        An installed package may hold other bytes in another version: its copy is then passed over with a warning. A
        wrong file anywhere else is an error, since somebody put it there.

        Raises
        ------
        SourceUnavailableError, DigestMismatchError, RawDataError, StorageError
            As for `prepared`.
        """
        problems: list[DigestMismatchError] = []
        for form, plan in self.plans(one):
            try:
                files = {file.name: checked(place, one, file) for file, place in plan}
            except DigestMismatchError as error:
                if all(place.route != "package" for _, place in plan):
                    raise
                problems.append(error)
                _log.warning("%s", error)
                continue
            return Acquired(form, files, tuple(place.route for _, place in plan))
        if problems and self.network.offline:
            raise problems[0]
        return self._download(one, problems)

    def plans(self, one: Manifest) -> Iterator[tuple[RawForm, Plan]]:
        """Complete forms that local routes have, best route first; a form may draw its files from several routes."""
        seen: list[RawForm] = []
        for last in range(1, len(LOCAL_ROUTES) + 1):
            for form in one.forms:
                plan = self.plan(one, form, LOCAL_ROUTES[:last])
                if form not in seen and len(plan) == len(form.files):
                    seen.append(form)
                    yield form, plan

    def plan(self, one: Manifest, form: RawForm, routes: Iterable[Route] = LOCAL_ROUTES) -> Plan:
        """Files of a form that the given local routes have, each at the first place that has it."""
        ways = tuple(routes)
        found = (
            (file, next(filter(None, (locate(way, self.folders, one, file) for way in ways)), None))
            for file in form.files
        )
        return tuple((file, place) for file, place in found if place is not None)

    def probe(self, sources: Iterable[str]) -> None:
        """Ask, all at once, the sites that these sources would have to be fetched from."""
        missing = (one for one in map(manifest, sources) if not self.is_prepared(one) and not any(self.plans(one)))
        self.network.probe(
            _address(file) for one in missing for form in one.forms for file in form.files if _address(file)
        )

    def is_prepared(self, one: Manifest) -> bool:
        """Whether the store has the prepared input of a source; the file is not checked."""
        return store.store_path(self.folders.cache, one.id, one.expected.digest).is_file()

    def _download(self, one: Manifest, problems: list[DigestMismatchError]) -> Acquired:
        reasons = [str(problem) for problem in problems]
        for form in one.forms:
            plan = {file.name: place for file, place in self.plan(one, form)}
            missing = [file for file in form.files if file.name not in plan]
            if not all(_address(file) for file in missing) or not missing:
                continue
            try:
                places = plan | {file.name: self._fetch(one, file) for file in missing}
            except SourceUnavailableError as error:
                reasons.append(str(error))
                continue
            files = {file.name: checked(places[file.name], one, file) for file in form.files}
            self._keep(one, {file.name: files[file.name] for file in missing})
            return Acquired(form, files, tuple(places[file.name].route for file in form.files))
        raise SourceUnavailableError(self._absence(one, reasons))

    def _fetch(self, one: Manifest, file: RawFile) -> Place:
        data = self.network.download(_address(file))
        if not file.url and file.archive_url:
            data = unpack(data, file.member or file.name, file.archive_url)
        return Place("network", _address(file), lambda: data)

    def _keep(self, one: Manifest, files: Mapping[str, RawBytes]) -> None:
        try:
            for name, raw in files.items():
                write_atomic(self.folders.raw(one.id) / name, raw.data)
        except StorageError as error:
            _log.warning("going on without keeping the download: %s", error)

    def _absence(self, one: Manifest, reasons: list[str]) -> str:
        wanted = one.forms[0]
        names = ", ".join(file.name for file in wanted.files)
        places = " ".join(dict.fromkeys(_address(file) or one.homepage for file in wanted.files))
        mirror = f"the mirror {self.folders.mirror} lacks it" if self.folders.mirror else "no mirror is given"
        told = "; ".join(dict.fromkeys(reasons)) or "no address is recorded"
        return (
            f"source {one.id} is not on this machine: {mirror}; {told}. Put {names} ({places}) into "
            f"{self.folders.raw(one.id)}, or give --mirror DIR with {one.id}/{wanted.files[0].name}"
        )


def build(one: Manifest, acquired: Acquired) -> PreparedInput:
    """Read and prepare one acquired form, and check the content digest of the result.

    Raises
    ------
    RawDataError
        If the raw data cannot be read or prepared.
    DigestMismatchError
        If the prepared input differs from the manifest's.
    """
    prepared = prepare(one, read(acquired.form.reader, acquired.files))
    if prepared.digest != one.expected.digest:
        raise DigestMismatchError(
            f"source {one.id}: the prepared input made from the {acquired.form.name} has digest {prepared.digest}, "
            f"{one.path} expects {one.expected.digest}; other versions of numpy, scikit-learn or Pillow may prepare "
            "otherwise, and in a manifest of your own the expected digest may have to be corrected"
        )
    return prepared


def _address(file: RawFile) -> str:
    return file.url or file.archive_url
