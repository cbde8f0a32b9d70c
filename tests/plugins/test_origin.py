"""Origins of plug-ins as values, and as the text that plans hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked.plugins.origin import OBJECT, Origin, SourceFile

DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)
NAMES = st.from_regex(r"[\w./-]{1,20}\.py", fullmatch=True)
WORDS = st.from_regex(r"[A-Za-z0-9_.+-]{1,20}", fullmatch=True)
ORIGINS = st.one_of(
    st.just(OBJECT),
    st.builds(Origin, st.just("package"), WORDS, WORDS),
    st.builds(Origin, st.just("module"), WORDS),
    st.builds(lambda module, name: Origin("entry point", f"{module}:{name}"), WORDS, WORDS),
    st.builds(Origin.of_files, st.lists(st.builds(SourceFile, NAMES, DIGESTS), min_size=1, max_size=4)),
)


@given(ORIGINS)
def test_an_origin_comes_back_from_its_text(origin):
    assert origin == OBJECT or str(origin) != str(OBJECT)
    assert Origin.parse(str(origin)) == origin


@given(st.text() | st.builds("{} sha256:{}, {}".format, NAMES, DIGESTS, st.text()))
def test_any_text_of_a_file_stays_as_it_is(text):
    assert str(Origin.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("scikit-learn 1.9.1", "package"),
        ("their.module:Name", "entry point"),
        ("mine", "module"),
        ("python object", "object"),
        (f"mine.py sha256:{'0' * 64}", "files"),
        (f"my own.py sha256:{'0' * 64}, a, b.py sha256:{'1' * 64}", "files"),
    ],
)
def test_kinds(text, kind):
    assert Origin.parse(text).kind == kind


def test_a_file_whose_name_holds_a_comma():
    origin = Origin.of_files([SourceFile("a, b.py", "0" * 64), SourceFile("c.py", "1" * 64)])
    assert Origin.parse(str(origin)).digests == {"a, b.py": "0" * 64, "c.py": "1" * 64}
