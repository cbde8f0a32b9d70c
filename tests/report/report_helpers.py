"""A small run with everything a page can show, and a strict reader of HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
from run_helpers import lowest, make_plan, mean, noise, shuffled, synthetic_task

from whatworked.comparing import collect_runs
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import claim, finish

NASTY = "</script><b>&\"'x"
VOID = {"meta", "link", "br", "input", "img", "hr"}


class Failing:
    """Fails on condition three."""

    def fit(self, masks, utilities):
        if masks.shape[1] == 4:
            raise RuntimeError("no <four> & more")
        return self

    def predict(self, masks):
        return np.full(len(masks), 0.5)


def made_runs(tmp_path, name="run", estimators=(mean, noise, Failing), policies=(lowest, shuffled)):
    tasks = [
        synthetic_task("one", 3, 1, "left", "four"),
        synthetic_task("two", 3, 2, "right", "four"),
        synthetic_task("three", 4, 3, "right", "paired"),
    ]
    plan = make_plan(tasks, estimators, policies, budgets=(0, 2, 4, 6), seeds=2)
    claim(tmp_path / name, plan)
    return collect_runs([finish(tmp_path / name, plan, run_in_process(plan), {"python": "3"})])


class Page(HTMLParser):
    """Elements of a page; raises AssertionError where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open, tag
        assert self.open[-1] == tag, (self.open[-3:], tag)
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag, **wanted):
        return [
            attributes
            for name, attributes in self.elements
            if name == tag
            and all(attributes.get(key.rstrip("_").replace("_", "-")) == value for key, value in wanted.items())
        ]
