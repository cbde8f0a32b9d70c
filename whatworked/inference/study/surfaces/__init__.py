"""Response surfaces outside the catalog: other data under the same families, and synthetic cubes of known structure.

Nothing here is part of the benchmark. The surfaces exist so that methods can be developed and confirmed on something
else than what they are scored on. Three groups:

- ``development``: looked at while the methods of this package were designed;
- ``fresh``: built after the design was fixed. Two strengths of the warp had been run on them before one became the
  default; nothing else was decided with them in sight;
- ``synthetic``: functions of six options with a structure that is known (module `synthetic`).
"""

from __future__ import annotations

from whatworked.inference.study.surfaces.recorded import OutsideSurface, load_outside

__all__ = ["OutsideSurface", "load_outside"]
