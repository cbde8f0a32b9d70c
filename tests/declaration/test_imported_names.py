from __future__ import annotations

import pytest

from whatworked.declaration.imports import imported_names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def late():\n    import far.away as near", {"far.away"}),
        ("from . import twig", {"tree.branch", "tree.branch.twig"}),
        ("from ..root import deep", {"tree.root", "tree.root.deep"}),
        ("from ... import beyond", set()),
        ("from other import *", {"other", "other.*"}),
        ("not python", set()),
        (b"import json\0", set()),
    ],
)
def test_import_statements_are_read_wherever_they_stand(text, found):
    assert imported_names(text, "tree.branch") == found


def test_a_module_in_no_package_has_nothing_relative_to_it():
    assert imported_names("from . import helper\nfrom .helper import one\nimport two", "") == {"two"}
