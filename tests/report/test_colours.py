"""The style sheet's colours: enough contrast in light and dark, apart for colour-blind eyes."""

from __future__ import annotations

import itertools
import re
from importlib.resources import files

import numpy as np
import pytest

CSS = (files("whatworked.report") / "assets" / "report.css").read_text()
# Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15,
# 2009: linear RGB transforms at full severity.
DEFICIENCIES = {
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "none": np.eye(3),
}


def theme(name):
    light, dark = CSS.split("@media (prefers-color-scheme: dark)")
    part = light if name == "light" else dark
    found = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", part.split("* {")[0]))
    return {key: linear(value) for key, value in found.items()}


def linear(colour):
    channels = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(colour):
    return float(colour @ [0.2126, 0.7152, 0.0722])


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(colour):
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(
        colour, 0, 1
    )
    ratio = xyz / [0.9505, 1.0, 1.089]
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_and_lines_stand_out_from_what_is_behind_them(name):
    colours = theme(name)
    for behind in ("paper", "panel"):
        for text in ("ink", "faint", "focus"):
            assert contrast(colours[text], colours[behind]) >= 4.5, (text, behind)
        for series in range(9):  # lines and markers: 3:1, as WCAG 1.4.11 asks of graphics
            assert contrast(colours[f"s{series}"], colours[behind]) >= 3.0, (series, behind)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_no_two_series_look_alike(name):
    colours = theme(name)
    seen = [lab(colours[f"s{series}"]) for series in range(9)]
    apart = {(a, b): np.linalg.norm(seen[a] - seen[b]) for a, b in itertools.combinations(range(9), 2)}
    assert min(apart.values()) > 20, min(apart, key=apart.get)


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_series_that_share_a_dash_pattern_differ_in_colour(name, deficiency):
    """Nine series have nine markers and four dash patterns; those with one pattern must differ in colour as well."""
    colours = theme(name)
    seen = [lab(DEFICIENCIES[deficiency] @ colours[f"s{series}"]) for series in range(9)]
    for a, b in itertools.combinations(range(9), 2):
        if a % 4 == b % 4:
            assert np.linalg.norm(seen[a] - seen[b]) > 12, (a, b)


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_shades_of_the_heat_map_go_one_way(name, deficiency):
    colours = theme(name)
    lightness = [lab(DEFICIENCIES[deficiency] @ colours[f"h{step}"])[0] for step in range(7)]
    steps = np.diff(lightness if name == "dark" else lightness[::-1])
    assert (steps > 4).all(), steps
