"""Which data the surfaces outside the catalog come from: all from installed packages or generated with a fixed seed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from whatworked.declaration.prepared import PreparedInput
from whatworked.inference.study.surfaces import inputs
from whatworked.surfaces.masks import FloatArray

Builder = Callable[[], PreparedInput]


def _statsmodels(name: str) -> Any:
    import statsmodels.api as sm

    return getattr(sm.datasets, name).load_pandas().data


def _table(name: str, target: str, drop: tuple[str, ...] = ()) -> tuple[FloatArray, FloatArray]:
    data = _statsmodels(name).dropna()
    features = data.drop(columns=[target, *drop]).select_dtypes("number")
    return features.to_numpy(dtype=np.float64), data[target].to_numpy()


def _sklearn(name: str, **arguments: Any) -> tuple[FloatArray, FloatArray]:
    import sklearn.datasets as datasets

    found = getattr(datasets, name)(**arguments)
    return (found.data, found.target) if hasattr(found, "data") else (found[0], found[1])


def _supervised(
    name: str, family: str, load: Callable[[], tuple[Any, Any]], every: int = 1, positive: bool = False
) -> PreparedInput:
    X, y = load()
    return inputs.supervised(name, family, X[::every], (y[::every] > 0).astype(np.int64) if positive else y[::every])


def _clustering(name: str, load: Callable[[], tuple[Any, Any]], rows: int | None = None) -> PreparedInput:
    X, y = load()
    return inputs.clustering(name, X[:rows], y[:rows])


def _linnerud() -> tuple[FloatArray, FloatArray]:
    import sklearn.datasets as datasets

    found = datasets.load_linnerud()
    return found.data, found.target[:, 1]


def _series(name: str, data: str, column: str, factor: float = 1.0) -> PreparedInput:
    values = _statsmodels(data)[column].dropna().to_numpy(dtype=np.float64)
    return inputs.forecasting(name, values * factor)


def _image(name: str, **arguments: Any) -> PreparedInput:
    import skimage.data

    found = np.asarray(getattr(skimage.data, name)(**arguments))
    return inputs.restoration(name, found.astype(np.float64) if found.dtype == np.bool_ else found)


def _graph(name: str, maker: str, *arguments: Any, **named: Any) -> PreparedInput:
    import networkx as nx

    return inputs.link_prediction(name, getattr(nx, maker)(*arguments, **named))


def _docstrings(name: str, *modules: str) -> PreparedInput:
    """Function documentation: the summary line asks, the rest of the text answers."""
    import importlib

    pairs = []
    for module in map(importlib.import_module, modules):
        for member in sorted(dir(module)):
            text = getattr(getattr(module, member), "__doc__", None) or ""
            head, _, rest = text.strip().partition("\n\n")
            if not member.startswith("_") and len(head.split()) >= 4 and len(rest.split()) >= 80:
                pairs.append((re.sub(r"\s+", " ", rest), re.sub(r"\s+", " ", head)))
    distinct = list(dict(pairs).items())
    # Queries are spread over the whole alphabet of functions.
    step = max(1, len(distinct) // 64)
    order = [*range(0, len(distinct), step)]
    order += sorted(set(range(len(distinct))) - set(order))
    return inputs.retrieval(name, [distinct[k][0] for k in order], [distinct[k][1] for k in order])


_Named = Mapping[tuple[str, str], Builder]


def _restorations(*names: str) -> dict[tuple[str, str], Builder]:
    return {("restoration", name): partial(_image, name) for name in names}


def _tables(family: str, **tables: tuple[Any, ...]) -> dict[tuple[str, str], Builder]:
    return {(family, name): partial(_supervised, name, family, *parts) for name, parts in tables.items()}


def _graphs(**graphs: tuple[Any, ...]) -> dict[tuple[str, str], Builder]:
    return {("link_prediction", name): partial(_graph, name, *parts) for name, parts in graphs.items()}


def _macro(*columns: str) -> dict[tuple[str, str], Builder]:
    return {("forecasting", f"macro_{one}"): partial(_series, f"macro_{one}", "macrodata", one) for one in columns}


DEVELOPMENT: _Named = MappingProxyType(
    {
        **_tables(
            "classification",
            iris=(partial(_sklearn, "load_iris"),),
            digits=(partial(_sklearn, "load_digits"), 3),
            fair=(partial(_table, "fair", "affairs"), 5, True),
            anes96=(partial(_table, "anes96", "vote"),),
            spector=(partial(_table, "spector", "GRADE"),),
            heart=(partial(_table, "heart", "censors"),),
            randhie=(partial(_table, "randhie", "mdvis"), 20, True),
        ),
        **_tables(
            "regression",
            diabetes=(partial(_sklearn, "load_diabetes", scaled=False),),
            star98=(partial(_table, "star98", "NABOVE", ("NBELOW",)),),
            statecrime=(partial(_table, "statecrime", "murder"),),
            ccard=(partial(_table, "ccard", "AVGEXP"),),
            longley=(partial(_table, "longley", "TOTEMP"),),
            scotland=(partial(_table, "scotland", "YES"),),
            stackloss=(partial(_table, "stackloss", "STACKLOSS"),),
            copper=(partial(_table, "copper", "WORLDCONSUMPTION"),),
            cpunish=(partial(_table, "cpunish", "EXECUTIONS"),),
            linnerud=(_linnerud,),
        ),
        ("clustering", "iris"): partial(_clustering, "iris", partial(_sklearn, "load_iris")),
        ("clustering", "digits"): partial(_clustering, "digits", partial(_sklearn, "load_digits"), 500),
        ("clustering", "heart"): partial(_clustering, "heart", partial(_table, "heart", "censors")),
        ("clustering", "anes96"): partial(_clustering, "anes96", partial(_table, "anes96", "vote")),
        **_macro("infl", "realgdp", "unemp", "m1", "tbilrate"),
        ("forecasting", "strikes"): partial(_series, "strikes", "strikes", "duration"),
        ("forecasting", "interest"): partial(_series, "interest", "interest_inflation", "R", 100.0),
        **_restorations("camera", "coins", "moon", "page", "brick", "grass", "cat", "clock", "cell", "text"),
        **_restorations("immunohistochemistry", "retina", "gravel"),
        **_graphs(
            karate=("karate_club_graph",),
            davis=("davis_southern_women_graph",),
            florentine=("florentine_families_graph",),
        ),
        ("link_prediction", "preferential"): partial(_graph, "preferential", "barabasi_albert_graph", 80, 4, seed=1),
        ("link_prediction", "small_world"): partial(_graph, "small_world", "watts_strogatz_graph", 80, 6, 0.2, seed=1),
        ("link_prediction", "caveman"): partial(_graph, "caveman", "relaxed_caveman_graph", 10, 8, 0.2, seed=1),
        ("link_prediction", "blocks"): partial(
            _graph, "blocks", "random_partition_graph", [20, 20, 30], 0.3, 0.05, seed=1
        ),
        ("link_prediction", "random"): partial(_graph, "random", "gnp_random_graph", 70, 0.1, seed=1),
    }
)
"""(family, name) to builder of the surfaces that the methods were designed on."""

FRESH: _Named = MappingProxyType(
    {
        **_tables(
            "classification",
            moons=(partial(_sklearn, "make_moons", n_samples=400, noise=0.3, random_state=1),),
            imbalanced=(
                partial(_sklearn, "make_classification", n_samples=600, n_features=12, weights=[0.85], random_state=1),
            ),
            hastie=(partial(_sklearn, "make_hastie_10_2", n_samples=600, random_state=1),),
            quantiles=(partial(_sklearn, "make_gaussian_quantiles", n_samples=400, n_features=5, random_state=1),),
        ),
        **_tables(
            "regression",
            friedman1=(partial(_sklearn, "make_friedman1", n_samples=300, noise=1.0, random_state=1),),
            friedman2=(partial(_sklearn, "make_friedman2", n_samples=300, random_state=1),),
            friedman3=(partial(_sklearn, "make_friedman3", n_samples=300, random_state=1),),
            grunfeld=(partial(_table, "grunfeld", "invest"),),
            randhie_visits=(partial(_table, "randhie", "mdvis"), 40),
        ),
        ("clustering", "blobs"): partial(
            _clustering,
            "blobs",
            partial(_sklearn, "make_blobs", n_samples=300, centers=5, n_features=4, cluster_std=2.5, random_state=1),
        ),
        ("clustering", "grunfeld"): partial(_clustering, "grunfeld", partial(_table, "grunfeld", "year")),
        ("clustering", "spector"): partial(_clustering, "spector", partial(_table, "spector", "GRADE")),
        **_macro("realcons", "realinv", "cpi", "pop", "realint"),
        **_restorations("horse", "colorwheel", "shepp_logan_phantom", "checkerboard", "logo"),
        ("restoration", "binary_blobs"): partial(_image, "binary_blobs", length=200, rng=1),
        ("link_prediction", "triangles"): partial(_graph, "triangles", "powerlaw_cluster_graph", 90, 3, 0.6, seed=1),
        ("link_prediction", "geometric"): partial(_graph, "geometric", "random_geometric_graph", 80, 0.2, seed=1),
        ("link_prediction", "planted"): partial(_graph, "planted", "planted_partition_graph", 4, 18, 0.4, 0.03, seed=1),
        ("link_prediction", "duplication"): partial(
            _graph, "duplication", "duplication_divergence_graph", 100, 0.45, seed=1
        ),
        ("retrieval", "numpy_docs"): partial(_docstrings, "numpy_docs", "numpy"),
        ("retrieval", "scipy_docs"): partial(
            _docstrings, "scipy_docs", "scipy.signal", "scipy.ndimage", "scipy.linalg"
        ),
        ("beat_detection", "clean_ecg"): partial(inputs.beat_detection, "clean_ecg", 1, 0.03, 0.15, 0.25),
        ("beat_detection", "noisy_ecg"): partial(inputs.beat_detection, "noisy_ecg", 2, 0.15, 0.4, 0.45),
    }
)
"""(family, name) to builder of the surfaces that were built after the design was fixed."""
