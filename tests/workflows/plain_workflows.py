"""The eight workflows again, straight from the specification: six bits in, prediction out, nothing shared.

Options that the declarations call inactive are passed on to the libraries here as they are. Agreement on every mask
shows both that the stages do what the specification says and that the inactive options change nothing.
"""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
from scipy import ndimage, signal
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectPercentile, f_classif
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, RobustScaler, StandardScaler


def signed_log(x):
    return np.sign(x) * np.log1p(np.abs(x))


def classification(data, a, b, c, d, e, f):
    steps = []
    if a:
        steps.append(FunctionTransformer(signed_log))
    if b:
        steps.append(StandardScaler())
    if e:
        steps.append(SelectPercentile(f_classif, percentile=50))
    if f:
        steps.append(PCA(0.95, svd_solver="full"))
    weights = "balanced" if c else None
    model = LogisticRegression(C=0.05 if d else 1.0, class_weight=weights, max_iter=3000, random_state=17)
    return (
        make_pipeline(*steps, model).fit(data.arrays["X_train"], data.arrays["y_train"]).predict(data.arrays["X_test"])
    )


def regression(data, a, b, c, d, e, f):
    steps = []
    scaler = RobustScaler() if f else StandardScaler()
    if b:
        steps.append(scaler)
    polynomial = PolynomialFeatures(2, interaction_only=bool(e), include_bias=False)
    if c:
        steps.append(polynomial)
    model = make_pipeline(*steps, Ridge(alpha=10 if d else 1, solver="svd"))
    if a:
        model = TransformedTargetRegressor(model, func=np.log1p, inverse_func=np.expm1)
    return model.fit(data.arrays["X_train"], data.arrays["y_train"]).predict(data.arrays["X_test"])


def clustering(data, a, b, c, d, e, f):
    features = data.arrays["X"]
    if a:
        features = signed_log(features)
    if b:
        features = StandardScaler().fit_transform(features)
    pca = PCA(0.95, svd_solver="full", whiten=bool(e))
    if c:
        features = pca.fit_transform(features)
    means = KMeans(
        data.facts["n_clusters"],
        init="random" if f else "k-means++",
        n_init=10 if d else 1,
        max_iter=300,
        random_state=17,
    )
    return means.fit_predict(features)


def forecasting(data, a, b, c, d, e, f):
    series, cut = data.arrays["series"], data.facts["cut"]
    level = np.log1p(series) if c else series
    target = np.concatenate([[0.0], level[1:] - level[:-1]]) if f else level
    lags = range(1, 13) if b else range(1, 2)
    rows = [[target[t - lag] for lag in lags] + ([t / cut] if a else []) for t in range(12, len(series))]
    fit, rest = np.array(rows[: cut - 12]), np.array(rows[cut - 12 :])
    model = make_pipeline(RobustScaler() if e else StandardScaler(), Ridge(alpha=10 if d else 1, solver="svd")).fit(
        fit, target[12:cut]
    )
    predicted = []
    for t, row in zip(range(cut, len(series)), rest, strict=True):
        value = model.predict(row[None])[0]
        if f:
            value += level[t - 1]
        predicted.append(np.expm1(value) if c else value)
    return np.array(predicted)


def restoration(data, a, b, c, d, e, f):
    image = data.arrays["noisy"]
    size, sigma = (5 if f else 3), (1.6 if e else 0.8)
    if a:
        image = ndimage.median_filter(image, size, mode="reflect")
    if b:
        image = ndimage.gaussian_filter(image, sigma, mode="reflect")
    if c:
        image = signal.wiener(image, 5)
    if d:
        image = image + 0.5 * (image - ndimage.gaussian_filter(image, 1, mode="reflect"))
    return np.clip(image, 0, 1)


def retrieval(data, a, b, c, d, e, f):
    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2 if a else 1),
        stop_words="english" if b else None,
        sublinear_tf=bool(c),
        use_idf=bool(d),
        binary=bool(e),
        norm=None if f else "l2",
        dtype=np.float64,
    )
    documents = vectorizer.fit_transform(data.facts["documents"])
    scores = (documents @ vectorizer.transform(data.facts["queries"]).T).toarray()
    found = {}
    for column, (query, excluded) in enumerate(zip(data.facts["query_ids"], data.facts["excluded"], strict=True)):
        order = sorted(range(len(scores)), key=lambda index: -scores[index, column])
        found[query] = [data.facts["document_ids"][index] for index in order if index not in excluded][:10]
    return found


def beat_detection(data, a, b, c, d, e, f):
    fs = data.facts["sample_rate"]
    x = data.arrays["signal"] - np.median(data.arrays["signal"])
    if a:
        x = signal.sosfiltfilt(signal.butter(2, 0.5, "high", fs=fs, output="sos"), x)
    if b:
        x = signal.sosfiltfilt(signal.butter(2, 35, "low", fs=fs, output="sos"), x)
    y = np.concatenate([[0.0], x[1:] - x[:-1]]) ** 2 if c else np.abs(x)
    if d:
        y = ndimage.uniform_filter1d(y, round(0.12 * fs), mode="nearest")
    height = np.median(y) + 3 * 1.4826 * np.median(np.abs(y - np.median(y))) if e else y.mean() + y.std()
    beats = set()
    for peak in signal.find_peaks(y, height=height, distance=round((0.3 if f else 0.2) * fs))[0]:
        window = range(max(peak - round(0.075 * fs), 0), min(peak + round(0.075 * fs) + 1, len(x)))
        beats.add(max(window, key=lambda sample: abs(x[sample])))
    return sorted(int(beat) for beat in beats if fs <= beat < len(x) - fs)


def link_prediction(data, a, b, c, d, e, f):
    graph = nx.empty_graph(data.facts["n_nodes"])
    graph.add_edges_from(data.arrays["observed_edges"].tolist())

    def rows(pairs):
        found = []
        for u, v in pairs.tolist():
            common = [node for node in graph if node in graph[u] and node in graph[v]]
            either = set(graph[u]) | set(graph[v])
            row = [len(common)] if a else []
            row += [len(common) / len(either) if either else 0.0] if b else []
            row += [math.fsum(1 / math.log(graph.degree(node)) for node in common)] if c else []
            row += [math.fsum(1 / graph.degree(node) for node in common)] if d else []
            row += [graph.degree(u) * graph.degree(v)] if e else []
            found.append(row or [0.0])
        return np.array(found, dtype=float)

    model = LogisticRegression(C=1.0, max_iter=2000, random_state=20260907)
    model = make_pipeline(StandardScaler(), model) if f else model
    model.fit(rows(data.arrays["fit_pairs"]), data.arrays["fit_labels"])
    return model.predict_proba(rows(data.arrays["test_pairs"]))[:, 1].tolist()
