from __future__ import annotations

import sys

import numpy as np
import pytest
from surface_tables import labelled

from whatworked import plots
from whatworked.errors import InvalidOptionError, MissingExtraError


def surface(d):
    return labelled("toy", np.random.default_rng(d).uniform(0.2, 0.8, 1 << d))


def svg(one, kind="overview"):
    return plots.render(plots.draw(one, kind), "svg").decode()


@pytest.mark.parametrize("kind", plots.KINDS)
@pytest.mark.parametrize("d", [1, 4])
def test_every_kind_is_drawn(kind, d):
    if kind == "interactions" and d == 1:
        with pytest.raises(InvalidOptionError, match="no interactions"):
            plots.draw(surface(d), kind)
        return
    text = svg(surface(d), kind)
    assert "toy (made up)" in text
    assert "utility" in text


def test_panels_name_options_units_and_backgrounds():
    text = svg(surface(4))
    for part in (
        "A  option A",
        ">000<",
        ">111<",
        "change of utility",
        "u(11) - u(10) - u(01) + u(00), in utility",
        "|Walsh-Hadamard coefficient| (utility)",
        ">ABCD<",
        "order 4: ",
        "mean effect",
        "hurts",
    ):
        assert part in text, part


def test_numbers_are_those_of_the_surface():
    one = surface(3)
    text = svg(one)
    for value in [*one.surface.effects().ravel(), *one.surface.interactions()]:
        assert f">{value:+.3f}<" in text


def test_a_surface_without_effects_is_drawn():
    text = svg(labelled("flat", np.full(16, 0.5)))
    assert text.count(">0<") >= 32
    assert "order 1: 0.0%" in text


def test_equal_figures_have_equal_bytes():
    assert svg(surface(4)) == svg(surface(4))
    first, second = (plots.render(plots.draw(surface(4)), "png") for _ in range(2))
    assert first == second
    assert first.startswith(b"\x89PNG")


def test_what_is_refused(monkeypatch):
    with pytest.raises(InvalidOptionError, match="kind of figure is 'pie'"):
        plots.draw(surface(2), "pie")
    with pytest.raises(InvalidOptionError, match="figure format is 'gif'"):
        plots.render(plots.draw(surface(2)), "gif")
    with pytest.raises(InvalidOptionError, match="11 options; figures are drawn for up to 10"):
        plots.draw(surface(11))
    monkeypatch.setitem(sys.modules, "whatworked.plots.figures", None)
    monkeypatch.delattr(plots, "figures")
    with pytest.raises(MissingExtraError, match=r"whatworked\[report\]"):
        plots.draw(surface(2))
