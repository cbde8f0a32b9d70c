"""Properties of runs over random surfaces, policies and texts."""

from __future__ import annotations

import csv
import io
import keyword
import zlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from run_helpers import make_plan, mean, synthetic_task

from whatworked.plugins import load, parse_spec
from whatworked.plugins.adapters import FunctionPolicy
from whatworked.runs.acquisition import acquire
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import decode, encode
from whatworked.runs.journal import JOURNAL, BenchJournal
from whatworked.runs.tidy import as_csv
from whatworked.runs.unit import purchase
from whatworked.wording import from_csv_text


def scrambled(salt):
    """A deterministic policy whose choice depends on everything measured, in no simple way."""

    def policy(state, n):
        seen = state.masks.tobytes() + state.utilities.tobytes() + bytes([salt])
        order = np.random.default_rng(zlib.crc32(seen)).permutation(state.unmeasured)
        return state.bits(order[:n])

    return policy


@given(d=st.integers(1, 5), seed=st.integers(0, 999), salt=st.integers(0, 255), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_smaller_budget_buys_the_beginning_of_what_a_larger_one_buys(d, seed, salt, data):
    truth = synthetic_task("made", d, seed).surface.utilities
    large = data.draw(st.integers(0, (1 << d) - 2))
    small = data.draw(st.integers(0, large))
    policy = FunctionPolicy(scrambled(salt))
    whole, part = acquire(policy, truth, large), acquire(policy, truth, small)
    assert whole.ranks[:small] == part.ranks
    assert len(set(whole.ranks)) == large
    assert not set(whole.ranks) & {0, (1 << d) - 1}


@given(d=st.integers(2, 4), seed=st.integers(0, 99), salt=st.integers(0, 255), batch=st.integers(1, 4), data=st.data())
@settings(max_examples=40, deadline=None)
def test_purchases_by_budget_are_those_of_separate_runs(d, seed, salt, batch, data):
    task = synthetic_task("made", d, seed)
    budgets = sorted(data.draw(st.sets(st.integers(0, (1 << d) - 2), min_size=1, max_size=4)))
    plugin = load(scrambled(salt), "policy")
    together = purchase(task, plugin, 0, budgets, batch)
    for budget in budgets:
        alone = purchase(task, plugin, 0, [budget], batch)[budget]
        assert together[budget].ranks[:budget] == alone.ranks


@given(seeds=st.lists(st.integers(0, 99), min_size=1, max_size=3, unique=True), cut=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_a_journal_cut_anywhere_keeps_whole_units_from_the_beginning(tmp_path_factory, seeds, cut):
    folder = tmp_path_factory.mktemp("journal")
    plan = make_plan([synthetic_task(f"t{seed}", 2, seed) for seed in seeds], budgets=(0, 2))
    results = run_in_process(plan)
    with BenchJournal(folder, plan.digest) as journal:
        for unit, result in zip(plan.units(), results, strict=True):
            journal.append(unit, result)
    path = folder / JOURNAL
    path.write_bytes(path.read_bytes()[:cut])
    with BenchJournal(folder, plan.digest) as journal:
        kept = journal.finished()
    keys = [unit.key for unit in plan.units()]
    assert list(kept) == keys[: len(kept)]
    for result, held in zip(results, kept.values(), strict=False):
        assert held.records == result.records


@given(d=st.integers(1, 4), seed=st.integers(0, 999))
@settings(max_examples=20, deadline=None)
def test_records_survive_their_file(d, seed):
    plan = make_plan([synthetic_task("made", d, seed)], [mean], budgets=(0,))
    records = tuple(record for result in run_in_process(plan) for record in result.records)
    assert decode(encode(records)) == records


texts = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\r\x00"), max_size=20)
cells = st.one_of(texts, st.integers(), st.floats(allow_nan=False), st.booleans(), st.none())


@given(rows=st.lists(st.fixed_dictionaries({"a": cells, "b,": cells}), min_size=1, max_size=5))
def test_csv_holds_every_value(rows):
    read = list(csv.reader(io.StringIO(as_csv(rows, ["a", "b,"]))))
    assert read[0] == ["a", "b,"]
    for line, row in zip(read[1:], rows, strict=True):
        for text, value in zip(line, (row["a"], row["b,"]), strict=True):
            if value is None:
                assert text == ""
            elif isinstance(value, bool):
                assert text == str(int(value))
            elif isinstance(value, float):
                assert float(text) == value
            elif isinstance(value, str):
                assert from_csv_text(text) == value
                assert text == value or text == f"'{value}"
            else:
                assert text == str(value)


literals = st.recursive(
    st.one_of(st.integers(-999, 999), st.booleans(), st.none(), st.text("abc'\" ()=,", max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.tuples(inner, inner)),
    max_leaves=5,
)
identifiers = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name))


@given(
    label=st.none() | st.from_regex(r"[\w.+-]{1,8}", fullmatch=True),
    target=st.from_regex(r"([a-z]+(\.[a-z]+)?:)?[A-Za-z]+", fullmatch=True),
    arguments=st.dictionaries(identifiers, literals, max_size=3),
)
def test_a_written_spec_is_read_back(label, target, arguments):
    inside = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    text = (f"{label}=" if label else "") + target + (f"({inside})" if inside else "")
    spec = parse_spec(text)
    assert spec.target == target
    assert dict(spec.arguments) == arguments
    assert label is None or spec.label == label
