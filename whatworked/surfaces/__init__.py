"""Response surfaces and what they say: masks, effects, interactions, spectrum, reversals, equivalence."""

from __future__ import annotations

from whatworked.surfaces.cost_map import (
    CostMap,
)
from whatworked.surfaces.effects import (
    conditional_effects,
    mean_absolute_effect,
    mean_effects,
    pair_interactions,
    path_effects,
)
from whatworked.surfaces.equivalence import (
    Equivalence,
)
from whatworked.surfaces.experience import (
    Experience,
    KnownSurface,
)
from whatworked.surfaces.inactive import (
    InactiveRule,
    inactive_rules,
)
from whatworked.surfaces.interaction_indices import (
    anova_component,
    banzhaf_interactions,
    inverse_mobius,
    mobius,
    sobol_indices,
    total_sobol_indices,
)
from whatworked.surfaces.masks import (
    all_bits,
    anchors,
    any_mask_rank,
    bits_of,
    mask_rank,
    mask_ranks,
    mask_string,
    mask_strings,
    option_letters,
    ranks_of,
)
from whatworked.surfaces.reversals import (
    OptionSigns,
    SignSplit,
    floor_of,
    option_signs,
    reversing_options,
    sign_split,
)
from whatworked.surfaces.spectrum import (
    inverse_walsh_hadamard,
    order_shares,
    variance_by_order,
    walsh_hadamard,
)
from whatworked.surfaces.surface import (
    EdgeEffect,
    ResponseSurface,
)

__all__ = [
    "CostMap",
    "EdgeEffect",
    "Equivalence",
    "Experience",
    "InactiveRule",
    "KnownSurface",
    "OptionSigns",
    "ResponseSurface",
    "SignSplit",
    "all_bits",
    "anchors",
    "anova_component",
    "any_mask_rank",
    "banzhaf_interactions",
    "bits_of",
    "conditional_effects",
    "floor_of",
    "inactive_rules",
    "inverse_mobius",
    "inverse_walsh_hadamard",
    "mask_rank",
    "mask_ranks",
    "mask_string",
    "mask_strings",
    "mean_absolute_effect",
    "mean_effects",
    "mobius",
    "option_letters",
    "option_signs",
    "order_shares",
    "pair_interactions",
    "path_effects",
    "ranks_of",
    "reversing_options",
    "sign_split",
    "sobol_indices",
    "total_sobol_indices",
    "variance_by_order",
    "walsh_hadamard",
]
