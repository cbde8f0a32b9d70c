"""``whatworked cite``: how to cite the software, the benchmark and the data."""

from __future__ import annotations

import click

from whatworked import __version__
from whatworked.cli.output import echo, print_text
from whatworked.errors import UnknownNameError

_ENTRIES = """@software{{whatworked,
  title = {{WhatWorked}},
  author = {{{{The WhatWorked developers}}}},
  version = {{{version}}},
  license = {{Apache-2.0}},
  year = {{2026}}
}}

@article{{whatworkedbench,
  title = {{WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents}},
  author = {{{{The WhatWorkedBench authors}}}},
  year = {{2026}}
}}"""


@click.command()
@click.argument("names", nargs=-1, metavar="[SOURCE]...")
def cite(names: tuple[str, ...]) -> None:
    """Print BibTeX entries of the software and the benchmark's paper, and how to cite the data of sources.

    SOURCE is a source or a condition.

    Example: whatworked cite wine scifact__d6
    """
    from whatworked.catalog.catalog import condition
    from whatworked.catalog.manifest_files import manifest

    sources = {}
    for name in names:
        try:
            found = manifest(condition(name).source)
        except UnknownNameError:
            found = manifest(name)
        sources[found.id] = found
    echo(_ENTRIES.format(version=__version__))
    for source in sources.values():
        echo()
        print_text(f"{source.id}: {source.citation} {source.attribution} ({source.licence}), {source.homepage}")
