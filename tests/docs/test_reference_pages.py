"""The documentation site, and the docstrings of the names on its reference pages."""

from __future__ import annotations

import inspect
import pkgutil
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate

import whatworked

PAGES = sorted((Path(__file__).parents[2] / "docs" / "reference").glob("*.rst"))

# No docstring; parameters that are missing, unknown, in another order, without type or text; a result, or what is
# yielded, that is not told.
CODES = {"GL08", "PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "RT02", "YD01"}


class HouseValidator(Validator):
    """Knows that results tell their fields under Attributes, and that nobody calls protocols and errors."""

    def __init__(self, obj_name: str) -> None:
        super().__init__(get_doc_object(pkgutil.resolve_name(obj_name), config={"show_class_members": False}))

    @property
    def signature_parameters(self) -> tuple[str, ...]:
        called = not (inspect.isclass(self.obj) and (issubclass(self.obj, Exception) or is_protocol(self.obj)))
        return super().signature_parameters if called else ()

    @property
    def doc_all_parameters(self) -> dict[str, Any]:
        told = {name: (one.type, one.desc) for one in self.doc["Attributes"] for name in one.name.split(", ")}
        fields = {name: what for name, what in told.items() if name in self.signature_parameters}
        return {**super().doc_all_parameters, **fields}


def is_protocol(thing: type) -> bool:
    return bool(getattr(thing, "_is_protocol", False))


def directives() -> list[tuple[str, str]]:
    """Each name on the reference pages, with the options that it stands there with."""
    pattern = re.compile(r"^\.\. auto\w+:: ([\w.]+)\n((?: +:.*\n)*)", flags=re.MULTILINE)
    return [found for page in PAGES for found in pattern.findall(page.read_text(encoding="utf-8") + "\n")]


@cache
def listed() -> tuple[str, ...]:
    """Classes and functions on the pages, and the methods and properties that are shown of the classes."""
    names: list[str] = []
    for name, options in directives():
        thing = pkgutil.resolve_name(name)
        if callable(thing):
            names.append(name)
        if inspect.isclass(thing) and ":no-members:" not in options:
            names += [f"{name}.{member}" for member in shown_members(thing, options)]
    return tuple(names)


def shown_members(thing: type, options: str) -> list[str]:
    chosen = re.search(r":members: (.+)", options)
    if chosen:
        return chosen[1].split(", ")
    kinds = (property, classmethod, staticmethod)
    return [
        name
        for name, member in vars(thing).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, kinds) or is_cached(member))
    ]


def is_cached(member: object) -> bool:
    return type(member).__name__ == "cached_property"


def test_the_site_is_built_without_a_warning(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", tmp_path / "trees"]
    done = subprocess.run([*command, root / "docs", tmp_path / "site"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="rebuilding.html"' in front
    assert 'href="reference/index.html"' in front
    grading = (tmp_path / "site" / "reference" / "grading.html").read_text(encoding="utf-8")
    assert 'id="whatworked.grade"' in grading


@pytest.mark.parametrize("name", listed())
def test_docstring(name: str) -> None:
    found = validate(name, validator_cls=HouseValidator)["errors"]
    assert [error for error in found if error[0] in CODES] == []


def test_no_name_is_on_the_pages_twice() -> None:
    things = [pkgutil.resolve_name(name) for name, _ in directives()]
    assert len(things) == len({id(thing) for thing in things})


def test_every_exported_name_is_on_a_page() -> None:
    named = {name for name, _ in directives()}
    assert {f"whatworked.{name}" for name in whatworked.__all__} <= named
