"""Configuration of the documentation site; `make docs` builds it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

from numpydoc import xref
from sphinx.util.nodes import make_refnode

from whatworked import __version__

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.domains.python import PythonDomain
    from sphinx.environment import BuildEnvironment

HERE = Path(__file__).parent

CLASSES: dict[str, list[str]] = {}
"""Classes in the reference, by the name alone."""
for page in sorted((HERE / "reference").glob("*.rst")):
    for place in re.findall(r"^\.\. auto(?:class|exception):: (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE):
        CLASSES.setdefault(place.rpartition(".")[2], []).append(place)

project = "WhatWorked"
author = project_copyright = "The WhatWorked developers"
version = release = __version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
exclude_patterns = ["_static"]
highlight_language = "text"
myst_heading_anchors = 3

# Types stand in the docstrings, with shapes and ranges. Single backticks in them, and classes that have a place in the
# reference, are links.
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "none"
default_role = "py:obj"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
xref.DEFAULT_LINKS.clear()  # they lead to glossaries of other projects, which would have to be fetched
numpydoc_xref_aliases = {name: places[0] for name, places in CLASSES.items() if len(places) == 1}
toc_object_entries_show_parents = "hide"

html_theme = "alabaster"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"WhatWorked {version}"
html_copy_source = False
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
# Colours are variables of site.css, which gives them one value for light and one for dark.
html_theme_options = {
    "description": "How well do you know what each change does?",
    "page_width": "1160px",
    "sidebar_width": "250px",
    "body_max_width": "860px",
    "show_powered_by": False,
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
    "code_font_size": "0.88em",
    **dict.fromkeys(("base_bg", "body_bg"), "var(--page)"),
    **dict.fromkeys(("base_text", "body_text", "code_text"), "var(--text)"),
    **dict.fromkeys(("sidebar_text", "sidebar_list", "sidebar_header"), "var(--text)"),
    **dict.fromkeys(("link", "link_hover", "sidebar_link", "footer_text"), "var(--link)"),
    **dict.fromkeys(("pre_bg", "code_bg", "topic_bg", "xref_bg", "highlight_bg", "anchor_hover_bg"), "var(--raised)"),
    **dict.fromkeys(("hr_border", "sidebar_hr", "sidebar_link_underscore", "table_border"), "var(--line)"),
}

READ_AS = {"](docs/": "](", "](examples)": "](examples.md)", "](benchmarks/README.md)": "](benchmarks.md)"}
"""Links of the README, which stands in the folder above, and what they are on the front page."""


def front_page(_: Sphinx, name: str, source: list[str]) -> None:
    """Put the README before the table of contents of the front page."""
    if name == "index":
        readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
        for link, here in READ_AS.items():
            readme = readme.replace(link, here)
        source[0] = readme + source[0]


def short_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: Element) -> Element | None:
    """Find a name that is given without its module, where only one place of the reference ends in it."""
    if node.get("refdomain") != "py":
        return None
    domain = cast("PythonDomain", env.get_domain("py"))
    found = domain.find_obj(env, "", "", node["reftarget"], None, searchmode=1)
    places = {(entry.docname, entry.node_id) for _, entry in found}
    if len(places) != 1:
        return None
    page, anchor = places.pop()
    return make_refnode(app.builder, node["refdoc"], page, anchor, shown)


def setup(app: Sphinx) -> None:
    """Register what stands above."""
    app.connect("source-read", front_page)
    app.connect("missing-reference", short_name)
