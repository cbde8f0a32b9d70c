"""``whatworked examples``: the examples of the documentation, as files."""

from __future__ import annotations

from functools import partial
from operator import eq
from pathlib import Path

import click

from whatworked.cli.output import echo, print_text


@click.command()
@click.argument("folder", default="examples", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False))
def examples(folder: Path) -> None:
    """Write the examples of the documentation into DIR, `examples` by default.

    A file there that was changed is kept, and nothing is written then.
    """
    from whatworked.storage.files import write_atomic
    from whatworked.storage.foreign import refuse_foreign
    from whatworked.storage.package_data import package_folder

    place = package_folder("whatworked.examples")
    files = [path for path in sorted(place.glob("*.*")) if path.suffix in (".py", ".sh") and path.stem != "__init__"]
    contents = {path.name: path.read_bytes() for path in files}
    refuse_foreign({folder / name: partial(eq, data) for name, data in contents.items()}, "whatworked examples")
    for name, data in contents.items():
        write_atomic(folder / name, data)
        echo(str(folder / name))
    print_text("What each shows is in its first lines.")
