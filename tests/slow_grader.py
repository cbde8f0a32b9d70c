"""A second grader, written from the specification in plain Python over dictionaries of masks."""

from __future__ import annotations

from itertools import combinations, product
from math import fsum


def masks(d: int) -> list[str]:
    return ["".join(bits) for bits in product("01", repeat=d)]


def switched(mask: str, *options: int) -> str:
    return "".join("1" if i in options else bit for i, bit in enumerate(mask))


def edges(d: int) -> list[tuple[int, str, str]]:
    return [(i, mask, switched(mask, i)) for i in range(d) for mask in masks(d) if mask[i] == "0"]


def effects(table: dict[str, float]) -> list[float]:
    d = len(next(iter(table)))
    return [table[on] - table[off] for _, off, on in edges(d)]


def interactions(table: dict[str, float]) -> list[float]:
    d = len(next(iter(table)))
    values = []
    for i, j in combinations(range(d), 2):
        corners = [mask for mask in masks(d) if mask[i] == mask[j] == "0"]
        terms = [
            table[switched(mask, i, j)] - table[switched(mask, i)] - table[switched(mask, j)] + table[mask]
            for mask in corners
        ]
        values.append(fsum(terms) / len(terms))
    return values


def mean(values: list[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def mean_error(left: list[float], right: list[float]) -> float | None:
    return mean([abs(a - b) for a, b in zip(left, right, strict=True)])


def recovery(error: float, scale: float) -> float:
    if scale > 1e-12:
        return max(0.0, 1 - error / scale)
    return 1.0 if error <= 1e-12 else 0.0


def grade(
    truth: dict[str, float], prediction: dict[str, float], observed: set[str], s: float | None = None
) -> dict[str, object]:
    """All quantities of section 6 under the names of `Grade`; `s` is the scale of the utility map."""
    d = len(next(iter(truth)))
    table = {mask: truth[mask] if mask in observed else prediction[mask] for mask in truth}
    true_effects, errors = effects(truth), [a - b for a, b in zip(effects(table), effects(truth), strict=True)]
    scale, error = mean([abs(e) for e in true_effects]), mean([abs(e) for e in errors])
    hidden = [abs(e) for e, (_, off, on) in zip(errors, edges(d), strict=True) if not {off, on} <= observed]
    spread = max(truth.values()) - min(truth.values())
    worst = max(abs(e) for e in errors)
    selected = min(table, key=lambda mask: (-table[mask], mask.count("1"), mask))
    regret = max(truth.values()) - truth[selected]
    rest = [mask for mask in truth if mask not in observed]
    strict = {f"{t:g}": worst <= max(1e-12, t * spread) for t in (0.025, 0.05, 0.1, 0.2, 0.4)}
    result: dict[str, object] = {
        "delivered": True,
        "observed": len(observed),
        "effect_mae": error,
        "effect_recovery": recovery(error, scale),
        "max_effect_error": worst,
        "interaction_mae": mean_error(interactions(table), interactions(truth)),
        "grid_mae": mean([abs(table[mask] - truth[mask]) for mask in truth]),
        "grid_mae_unobserved": mean([abs(table[mask] - truth[mask]) for mask in rest]),
        "selected": selected,
        "regret": regret,
        "exact": regret <= 1e-12,
        "near_optimal": regret <= 0.02,
        "near_optimal_vacuous": spread < 0.02,
        "strict": strict["0.1"],
        "strict_profile": strict,
        "coverage": 1 - len(hidden) / len(errors),
        "effect_mae_unobserved": mean(hidden),
        "effect_ratio_unobserved": mean(hidden) / scale if hidden and scale > 1e-12 else None,
        "mean_absolute_effect": scale,
        "utility_range": spread,
        "native_effect_mae": None,
        "native_effect_recovery": None,
        "native_mean_absolute_effect": None,
        "native_unbounded": 0,
    }
    if s is not None:
        result.update(native(truth, table, s))
    return result


def native(truth: dict[str, float], table: dict[str, float], s: float) -> dict[str, object]:
    true_costs = {mask: s * (1 / u - 1) for mask, u in truth.items()}
    scale = mean([abs(e) for e in effects(true_costs)])
    unbounded = sum(u <= 0 for u in table.values())
    result: dict[str, object] = {"native_mean_absolute_effect": scale, "native_unbounded": unbounded}
    if unbounded:
        return result | {"native_effect_mae": None, "native_effect_recovery": 0.0}
    costs = {mask: s * (1 / u - 1) for mask, u in table.items()}
    error = mean_error(effects(costs), effects(true_costs))
    return result | {"native_effect_mae": error, "native_effect_recovery": recovery(error, scale)}
