"""Where each source is or would come from, and whether what is here is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import eq
from pathlib import Path
from typing import Literal

from whatworked.catalog.manifest_files import Entry, entry, manifest
from whatworked.catalog.manifest_layout import Manifest, RawForm
from whatworked.errors import ManifestError, SourceUnavailableError, StorageError, WhatWorkedError
from whatworked.sources import store
from whatworked.sources.library import Library, Plan, absence, build, collect, wanted_form
from whatworked.sources.routes import LOCAL_ROUTES, is_file
from whatworked.storage.files import write_atomic
from whatworked.storage.foreign import refuse_foreign


@dataclass(frozen=True)
class SourceStatus:
    """One line of the list of sources.

    Attributes
    ----------
    source, family, title, licence : str
        From the manifest.
    present : bool
        Whether it can be used without the network.
    route : str
        ``prepared`` (in the store), ``cache``, ``package``, ``shipped`` or ``mirror`` where it is present; ``network``
        where it would be downloaded; ``none`` where no route is known.
    origin : str
        The file or address behind the route.
    files : tuple of str
        Files that a user without it would have to get; empty for a present source.
    address : str
        Where from: the official address of the one file or archive, else the home page.
    folder : str
        Where to put them; empty where no cache folder is known.
    problem : str
        What is wrong with its manifest or its folder; empty where nothing is.
    """

    source: str
    family: str
    title: str
    licence: str
    present: bool
    route: str
    origin: str
    files: tuple[str, ...]
    address: str
    folder: str
    problem: str = ""


@dataclass(frozen=True)
class Finding:
    """What became of one thing: the outcome, and the error's message where it is wrong or absent.

    `what` is the route for a fetch, else what was looked at.
    """

    source: str
    what: str
    origin: str
    outcome: Literal["right", "wrong", "absent"]
    message: str = ""


def status(library: Library, source: str) -> SourceStatus:
    """Where a source is or would come from; nothing is read or fetched."""
    known = entry(source)
    if known.manifest is None:
        return _wrong(known, "", "", known.problem)
    one = known.manifest
    try:
        route, origin = _route(library, one)
    except StorageError as error:
        return _wrong(known, one.title, one.licence, str(error))
    present = route not in ("network", "none")
    form = wanted_form(one)
    files = () if present else tuple(file.name for file in form.files)
    addresses = {file.address for file in form.files}
    address = addresses.pop() if len(addresses) == 1 else ""
    folder = str(library.folders.raw(one.id) or "")
    return SourceStatus(
        one.id, one.family, one.title, one.licence, present, route, origin, files, address or one.homepage, folder
    )


def _wrong(known: Entry, title: str, licence: str, problem: str) -> SourceStatus:
    return SourceStatus(known.id, known.family, title, licence, False, "none", known.path, (), known.path, "", problem)


def fetch(library: Library, source: str, *, again: bool = False) -> Finding:
    """Get and prepare a source, and say how it went; see `Library.prepared`."""
    try:
        one = manifest(source)
        route, origin = _route(library, one)
        if again and route == "prepared":
            route, origin = _raw_route(library, one)
    except (StorageError, ManifestError) as error:
        return Finding(source, "raw data", "", "wrong", str(error))
    return _attempt(source, route, origin, partial(library.prepared, source, again=again))


def check(library: Library, source: str) -> list[Finding]:
    """Check the stored prepared input of a source and every complete raw form at every place on this machine.

    Each form is read and prepared, and must lead to the expected prepared input.
    """
    try:
        return _check(library, manifest(source))
    except (StorageError, ManifestError) as error:
        return [Finding(source, "raw data", "", "wrong", str(error))]


def _check(library: Library, one: Manifest) -> list[Finding]:
    path = library.store_path(one)
    found = [_check_form(one, form, plan) for form in one.forms for plan in _plans(library, one, form)]
    if path is not None and is_file(path):
        load = partial(store.load, path, one.id, one.family, one.expected.digest)
        found.insert(0, _attempt(one.id, "prepared input", str(path), load))
    return found or [Finding(one.id, "raw data", "", "absent", absence(one, library.folders))]


def export(library: Library, source: str, folder: Path) -> Finding:
    """Write one checked raw form of a source, and whom to name, into ``folder/source``; the folder then is a mirror."""
    return _attempt(source, "raw data", str(folder / source), partial(_export, library, source, folder))


def _export(library: Library, source: str, folder: Path) -> None:
    one = manifest(source)
    terms = f"Licence: {one.licence}\nAttribution: {one.attribution}\nCitation: {one.citation}\nSee {one.homepage}\n"
    files = {folder / one.id / name: raw.data for name, raw in library.acquire(one).files.items()}
    refuse_foreign({path: partial(eq, data) for path, data in files.items()}, "whatworked sources export")
    attribution = folder / one.id / "ATTRIBUTION.txt"
    refuse_foreign({attribution: lambda held: b"\nLicence: " in held}, "whatworked sources export")
    for path, data in files.items():
        write_atomic(path, data)
    write_atomic(attribution, f"{one.title}\n\n{terms}".encode())


def _attempt(source: str, what: str, origin: str, action: Callable[[], object]) -> Finding:
    try:
        action()
    except SourceUnavailableError as error:
        return Finding(source, what, origin, "absent", str(error))
    except WhatWorkedError as error:
        return Finding(source, what, origin, "wrong", str(error))
    except Exception as error:  # whatever one source meets, the others go on
        return Finding(source, what, origin, "wrong", f"{type(error).__name__}: {error}")
    return Finding(source, what, origin, "right")


def _route(library: Library, one: Manifest) -> tuple[str, str]:
    path = library.store_path(one)
    if path is not None and is_file(path):
        return "prepared", str(path)
    return _raw_route(library, one)


def _raw_route(library: Library, one: Manifest) -> tuple[str, str]:
    for _, plan in library.plans(one):
        return plan[-1][1].route, plan[-1][1].origin
    address = next((file.address for form in one.forms for file in form.files if file.address), "")
    return ("network", address) if address else ("none", "")


def _plans(library: Library, one: Manifest, form: RawForm) -> list[Plan]:
    """Plans that draw a complete form from one route; else the one that draws it from several, if it is complete."""
    single = [library.plan(one, form, (route,)) for route in LOCAL_ROUTES]
    plans = [plan for plan in single if len(plan) == len(form.files)] or [library.plan(one, form)]
    return [plan for plan in plans if len(plan) == len(form.files)]


def _check_form(one: Manifest, form: RawForm, plan: Plan) -> Finding:
    origin = ", ".join(place.origin for _, place in plan)
    return _attempt(one.id, form.name, origin, lambda: build(one, collect(one, form, plan)))
