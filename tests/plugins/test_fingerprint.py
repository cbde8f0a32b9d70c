"""What tells one Python object from another, in this process and in a new one."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import textwrap
import threading
import types

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from whatworked.errors import PluginError
from whatworked.plugins import load
from whatworked.plugins.fingerprint import UnidentifiedError, fingerprint, parameters


def constant(value):
    return lambda masks, utilities, cube: np.full(len(cube), value)


def by_keyword(masks, utilities, cube, *, k=1):
    return np.full(len(cube), k)


class Holds:
    def __init__(self, value):
        self.value = value

    def __call__(self, masks, utilities, cube):
        return np.full(len(cube), self.value)

    def predicted(self, masks, utilities, cube):
        return np.full(len(cube), self.value)


def made_module(value):
    module = types.ModuleType("made")
    module.level = value
    return module


def in_namespace(text, **names):
    space = {"__name__": "__main__", **names}
    exec(textwrap.dedent(text), space)
    return space["it"]


CLASS = """
class Base:
    rate = {rate}
class Own(Base):
    def fit(self, masks, utilities):
        return self
    def predict(self, masks):
        return [{value}] * len(masks)
it = Own
"""


@pytest.mark.parametrize(
    ("make", "first", "second"),
    [
        (Ridge, 1, 100),
        (constant, 0.1, 0.2),
        (Holds, 0.1, 0.2),
        (Holds, np.array([1.0, 2.0]), np.array([1.0, 3.0])),
        (Holds, {"a": [1, {2}]}, {"a": [1, {3}]}),
        (Holds, Ridge(1), Ridge(2)),
        (Holds, np.random.default_rng(0), np.random.default_rng(1)),
        (lambda value: Holds(value).predicted, 1, 2),
        (lambda value: functools.partial(by_keyword, k=value), 1, 2),
        (lambda value: make_pipeline(PolynomialFeatures(value), Ridge()), 1, 2),
        (lambda value: functools.lru_cache(constant(value)), 1, 2),
        (lambda value: lambda m, u, cube, k=value: k, 1, 2),
        (lambda value: in_namespace("def it(m, u, cube): return level", level=value), 1, 2),
        (lambda value: in_namespace("def inner(): return level\ndef it(m, u, c): return inner()", level=value), 1, 2),
        (lambda value: in_namespace(CLASS.format(rate=1, value=value)), 1, 2),
        (lambda value: in_namespace(CLASS.format(rate=value, value=1)), 1, 2),
        (lambda value: in_namespace(CLASS.format(rate=1, value=value))(), 1, 2),
        (lambda value: in_namespace(f"it = lambda m, u, cube: {value}"), 1, 2),
        (lambda value: in_namespace("def it(m, u, cube): return held.level", held=made_module(value)), 1, 2),
    ],
)
def test_what_differs_is_told_apart_and_what_does_not_is_not(make, first, second):
    assert fingerprint(make(first)) == fingerprint(make(first))
    assert fingerprint(make(first)) != fingerprint(make(second))


def test_comments_and_place_do_not_count():
    assert fingerprint(in_namespace("it = lambda m: 1")) == fingerprint(in_namespace("# why\n\n\nit = lambda m: 1"))


@pytest.mark.parametrize("held", [(part for part in "ab"), sys.stdout, threading.local(), np.frompyfunc(len, 1, 1)])
def test_what_cannot_be_told_says_so(held):
    with pytest.raises(UnidentifiedError, match="cannot be pickled"):
        fingerprint(Holds(held))


def test_a_function_of_numpy_is_known_by_its_name():
    assert fingerprint(Holds(np.sin)) == fingerprint(Holds(np.sin)) != fingerprint(Holds(np.cos))


def test_classes_that_name_each_other_end():
    text = "class A:\n def f(self): return B\nclass B:\n def f(self): return A, B, it\nit = A"
    assert fingerprint(in_namespace(text)) == fingerprint(in_namespace(text))


def test_parameters_are_texts():
    assert parameters(Ridge(alpha=100), {})["alpha"] == "100"
    assert parameters(functools.partial(by_keyword, k=3), {}) == {"k": "3"}
    assert parameters(constant(0.5), {}) == {"value": "0.5"}
    assert "0x" not in parameters(Holds(object()), {})["value"]


MODULE = """
from shared import factor
from inner.part import extra

class Own:
    def fit(self, masks, utilities):
        return self

    def predict(self, masks):
        import late
        return [factor * extra * late.VALUE] * len(masks)
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "inner").mkdir()
    files = {
        "mine.py": MODULE,
        "shared.py": "factor = 1\n",
        "late.py": "VALUE = 1\n",
        "inner/__init__.py": "",
        "inner/part.py": "from . import deep\nextra = 1\n",
        "inner/deep.py": "",
        "unrelated.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def provenances(project):
    """Of the module's class named by a text, and of an instance, in a new process."""
    code = (
        "import mine\nfrom whatworked.plugins import load\n"
        "for given in ('mine:Own', mine.Own()):\n print(load(given, 'estimator').provenance.origin)"
    )
    environment = {**os.environ, "PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.splitlines()


def test_a_module_and_what_it_imports_count_in_a_new_process(project):
    before = provenances(project)
    assert "inner/deep.py sha256:" in before[0]
    (project / "unrelated.py").write_text("x = 1\n")
    assert before == provenances(project)
    for name in ("mine.py", "shared.py", "late.py", "inner/part.py", "inner/deep.py", "inner/__init__.py"):
        with (project / name).open("a") as stream:
            stream.write("changed = 1\n")
        after = provenances(project)
        assert all(one != other for one, other in zip(before, after, strict=True)), name
        before = after


def test_a_pair_names_a_plugin():
    assert load(("r", Ridge(1)), "estimator").label == "r"
    assert load(("r", "sklearn.linear_model:Ridge(alpha=2)"), "estimator").arguments == {"alpha": 2}
    for wrong in (("r",), ("r", 1, 2), (1, Ridge()), ("", Ridge()), ("a", ("b", Ridge()))):
        with pytest.raises(PluginError, match="give \\(label, plug-in\\)"):
            load(wrong, "estimator")
