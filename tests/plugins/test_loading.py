"""Loading: any of the accepted things becomes a plug-in, and a broken one names itself and the cause."""

from __future__ import annotations

import importlib.metadata
import pickle
import sys

import numpy as np
import pytest

from whatworked.errors import PluginError, UnknownNameError
from whatworked.plugins import load, names, registry
from whatworked.plugins.origin import Origin, SourceFile
from whatworked.protocols import SearchState
from whatworked.storage.canonical import sha256
from whatworked.surfaces import all_bits, bits_of

MASKS = bits_of([0, 15, 3, 9], 4)
UTILITIES = np.array([0.1, 0.9, 0.4, 0.6])


def state(masks=MASKS, utilities=UTILITIES, remaining=5) -> SearchState:
    return SearchState(masks.shape[1], masks, utilities, remaining)


def predict(plugin, seed=0):
    return plugin.build_estimator(seed).fit(MASKS, UTILITIES).predict(all_bits(4))


@pytest.fixture
def module_file(tmp_path):
    def write(text: str, name: str = "mine.py") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_scikit_learn_regressor_with_arguments():
    plugin = load("sklearn.ensemble:RandomForestRegressor(n_estimators=7)", "estimator")
    assert plugin.label == "RandomForestRegressor(n_estimators=7)"
    assert plugin.origin == Origin("package", "scikit-learn", importlib.metadata.version("scikit-learn"))
    assert plugin.stochastic
    first, again, other = predict(plugin, 1), predict(plugin, 1), predict(plugin, 2)
    assert first.shape == (16,)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_regressor_predictors_survive_a_later_fit():
    estimator = load("sklearn.linear_model:LinearRegression", "estimator").build_estimator()
    predictor = estimator.fit(MASKS, UTILITIES)
    before = predictor.predict(all_bits(4))
    estimator.fit(MASKS, 1 - UTILITIES)
    np.testing.assert_array_equal(predictor.predict(all_bits(4)), before)


def test_a_given_seed_makes_a_regressor_deterministic():
    assert not load("sklearn.ensemble:RandomForestRegressor(random_state=3)", "estimator").stochastic
    assert not load("sklearn.neighbors:KNeighborsRegressor(n_neighbors=1)", "estimator").stochastic


def test_a_pipeline_object_is_seeded_inside_and_left_alone(module_file):
    path = module_file(
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "from sklearn.ensemble import ExtraTreesRegressor\n"
        "model = make_pipeline(StandardScaler(), ExtraTreesRegressor(n_estimators=3, max_features=1))\n"
    )
    plugin = load(f"{path}:model", "estimator")
    assert plugin.stochastic
    np.testing.assert_array_equal(predict(plugin, 5), predict(plugin, 5))
    assert plugin.thing.get_params()["extratreesregressor__random_state"] is None
    assert not hasattr(plugin.thing[-1], "estimators_")


def test_single_column_predictions_are_flattened():
    assert predict(load("sklearn.cross_decomposition:PLSRegression(n_components=1)", "estimator")).shape == (16,)


def test_class_in_a_file_with_neighbours_and_dataclasses(module_file):
    module_file("LEVEL = 0.25\n", "helper_of_plugin.py")
    path = module_file(
        "import dataclasses, numpy as np\n"
        "from helper_of_plugin import LEVEL\n"
        "@dataclasses.dataclass\n"
        "class Mine:\n"
        "    shift: float = 0.0\n"
        "    def fit(self, masks, utilities):\n"
        "        self.level = LEVEL + self.shift\n"
        "        return self\n"
        "    def predict(self, masks):\n"
        "        return np.full(len(masks), self.level)\n"
    )
    plugin = load(f"{path}:Mine(shift=0.5)", "estimator")
    np.testing.assert_array_equal(predict(plugin), np.full(16, 0.75))
    assert plugin.origin.files[0].name == "mine.py"
    assert not plugin.stochastic


def test_an_edited_file_is_loaded_anew(module_file):
    text = "import numpy as np\ndef mine(masks, utilities, cube):\n    return np.full(len(cube), {})\n"
    first = load(f"{module_file(text.format(0.1))}:mine", "estimator")
    second = load(f"{module_file(text.format(0.2))}:mine", "estimator")
    assert first.origin != second.origin
    assert (predict(first)[0], predict(second)[0]) == (0.1, 0.2)


def test_functions_factories_and_objects():
    def mean(masks, utilities, cube):
        return np.full(len(cube), utilities.mean())

    def shifted(masks, utilities, cube, shift):
        return np.full(len(cube), shift)

    def factory(level=0.5):
        return lambda masks, utilities, cube: np.full(len(cube), level)

    assert predict(load(mean, "estimator"))[0] == pytest.approx(0.5)
    assert load(mean, "estimator").label == "mean"
    assert predict(load(factory, "estimator"))[0] == 0.5
    from whatworked.plugins.loading import Plugin

    assert predict(Plugin("estimator", "x", shifted, {"shift": 0.3}))[0] == 0.3


def test_function_policy_and_seeded_function():
    def lowest(state, n):
        return state.bits(state.unmeasured[:n])

    def noisy(state, n, random_state):
        return state.bits(np.random.default_rng(random_state).permutation(state.unmeasured)[:n])

    assert load(lowest, "policy").build_policy().ask(state(), 2).tolist() == [[0, 0, 0, 1], [0, 0, 1, 0]]
    assert not load(lowest, "policy").stochastic
    assert load(noisy, "policy").stochastic
    answers = [load(noisy, "policy").build_policy(seed).ask(state(), 4).tolist() for seed in (1, 1, 2)]
    assert answers[0] == answers[1] != answers[2]


def test_declared_determinism_wins():
    class Seeded:
        deterministic = True

        def __init__(self, random_state=0):
            pass

        def fit(self, masks, utilities): ...

    class Unseeded(Seeded):
        deterministic = False

        def __init__(self):
            pass

    assert not load(Seeded, "estimator").stochastic
    assert load(Unseeded, "estimator").stochastic


def test_loading_twice_changes_nothing():
    plugin = load("sklearn.svm:SVR", "estimator")
    assert load(plugin, "estimator") is plugin
    assert pickle.loads(pickle.dumps(plugin.thing)) is plugin.thing


class _Distribution:
    name, version = "their-package", "1.2"


def _entry_point(monkeypatch, value: str, group: str):
    point = importlib.metadata.EntryPoint("theirs", value, group)._for(_Distribution())
    real = importlib.metadata.entry_points
    monkeypatch.setattr(
        registry.importlib.metadata,
        "entry_points",
        lambda **wanted: importlib.metadata.EntryPoints([point] if wanted.get("group") == group else real(**wanted)),
    )


def test_entry_point(monkeypatch):
    _entry_point(monkeypatch, "sklearn.neighbors:KNeighborsRegressor", "whatworked.estimators")
    plugin = load("theirs(n_neighbors=1)", "estimator")
    assert plugin.origin == Origin("package", "their-package", "1.2")
    assert predict(plugin)[0] == UTILITIES[0]
    assert "theirs" in names("estimator")
    assert "theirs" not in names("policy")


def test_broken_entry_point_names_itself_its_package_and_the_cause(monkeypatch):
    _entry_point(monkeypatch, "no_such_module_here:Thing", "whatworked.policies")
    with pytest.raises(PluginError, match=r"policy 'theirs', installed by their-package 1.2 .*no_such_module_here"):
        load("theirs", "policy")


def test_unknown_name_offers_the_known_ones():
    with pytest.raises(UnknownNameError, match="unknown estimator 'nonesuch'"):
        load("nonesuch", "estimator")


@pytest.mark.parametrize("name", ["sklearn.linear_model.BayesianRidge", "json.JSONDecoder(strict=True)"])
def test_a_dot_where_a_colon_stands_is_answered_with_the_colon(name):
    module, _, thing = name.partition("(")[0].rpartition(".")
    with pytest.raises(UnknownNameError, match=rf"unknown estimator .* with a colon: {module}:{thing}$"):
        load(name, "estimator")


@pytest.mark.parametrize("name", ["no_such_package.Thing", "gp.", "sklearn.1", ".Thing", "json.py"])
def test_other_dots_are_no_modules(name):
    with pytest.raises(UnknownNameError, match="exist: ridge-main"):
        load(name, "estimator")


@pytest.mark.parametrize(
    ("text", "attribute", "expected"),
    [
        ("def broken(:\n", "Mine", r"SyntaxError.*line 1"),
        ("raise RuntimeError('at import')\n", "Mine", "RuntimeError: at import"),
        ("raise SystemExit(3)\n", "Mine", "SystemExit: 3"),
        ("import no_such_dependency\n", "Mine", "no_such_dependency"),
        ("class Other: pass\nOTHER_VALUE = 3\n", "Mine", r"has no 'Mine'; it has Other"),
        ("", "Mine", "nothing that could be a plug-in"),
    ],
)
def test_a_broken_file_names_itself_and_the_cause(module_file, text, attribute, expected):
    path = module_file(text)
    with pytest.raises(PluginError, match=expected) as caught:
        load(f"{path}:{attribute}", "estimator")
    assert path in str(caught.value)
    assert not [name for name in sys.modules if name.startswith("whatworked.plugins.files.mine") and "broken" in name]


def test_missing_file_module_and_the_hint_for_a_file_here(tmp_path, monkeypatch):
    with pytest.raises(PluginError, match="No such file"):
        load("./nowhere.py:Mine", "estimator")
    (tmp_path / "beside_me.py").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PluginError, match=r"write \./beside_me\.py:Mine"):
        load("beside_me:Mine", "estimator")
    with pytest.raises(PluginError, match="is it installed"):
        load("quite_absent:Mine", "estimator")


@pytest.mark.parametrize(
    ("thing", "kind", "expected"),
    [
        ("sklearn.ensemble:RandomForestClassifier", "estimator", "a regressor is needed"),
        ("sklearn.linear_model:Ridge(nonsense=1)", "estimator", "TypeError: .*nonsense"),
        ("sklearn.linear_model:Ridge", "policy", r"no method ask\(state, n\)"),
        (object, "estimator", r"no fit\(masks, utilities\)"),
        (object, "policy", r"no method ask"),
    ],
)
def test_a_thing_of_the_wrong_kind_is_refused(thing, kind, expected):
    plugin = load(thing, kind)
    with pytest.raises(PluginError, match=expected) as caught:
        plugin.build_estimator() if kind == "estimator" else plugin.build_policy()
    assert (plugin.spec or plugin.label) in str(caught.value)


def test_a_file_named_alone_lists_what_it_holds_without_running_it(module_file):
    path = module_file("raise SystemExit\nclass Mine:\n    pass\ndef other(state, n):\n    pass\n_hidden = 1\n")
    with pytest.raises(
        PluginError, match=r"names a file, but nothing in it; it has Mine, other: write .*mine\.py:Mine"
    ):
        load(path, "estimator")
    with pytest.raises(PluginError, match="has no class or function"):
        load(module_file("x = 1"), "estimator")


@pytest.mark.parametrize("kind", ["estimator", "policy"])
def test_every_registered_name_has_a_phrase(kind):
    for name in registry.built_in(kind):
        phrase = registry.phrase(kind, name)
        assert phrase.strip()
        assert "functools" not in phrase
        assert name.startswith("class-") == ("code-equivalence classes" in phrase), (name, phrase)


def test_what_is_printed_while_importing_and_building_goes_to_standard_error(module_file, capsys):
    text = "print('importing')\nclass Loud:\n    def __init__(self):\n        print('building')\n"
    path = module_file(text + "    def fit(self, masks, utilities):\n        return self\n    predict = fit\n")
    load(f"{path}:Loud", "estimator").build_estimator()
    assert capsys.readouterr() == ("", "importing\nbuilding\n")


def test_files_beside_a_plugin_that_it_imports_are_part_of_its_origin(tmp_path, module_file):
    module_file("import numpy, other_beside\nfrom inner_beside import leaf\n", "helper_beside.py")
    module_file("x = 1\n", "other_beside.py")
    module_file("x = 1\n", "unused_beside.py")
    module_file("x = 1\n", "numpy.py")
    module_file("x = 1\n", "json.py")
    (tmp_path / "inner_beside").mkdir()
    module_file("", "inner_beside/__init__.py")
    module_file("from . import twig\n", "inner_beside/leaf.py")
    module_file("x = 1\n", "inner_beside/twig.py")
    module_file("x = 1\n", "inner_beside/unused.py")
    text = "import json\ndef mine(masks, utilities, cube):\n    import helper_beside\n"
    origin = load(f"{module_file(text)}:mine", "estimator").origin
    expected = ("helper_beside.py", "inner_beside/__init__.py", "inner_beside/leaf.py", "inner_beside/twig.py")
    assert list(origin.digests) == ["mine.py", *expected, "other_beside.py"]
    for name, digest in origin.digests.items():
        assert digest == sha256((tmp_path / name).read_bytes())
    assert origin == load(f"{tmp_path}/mine.py:mine", "estimator").origin
    module_file("x = 2\n", "inner_beside/twig.py")
    edited = load(f"{tmp_path}/mine.py:mine", "estimator").origin
    changed = [name for name, digest in edited.digests.items() if digest != origin.digests[name]]
    assert changed == ["inner_beside/twig.py"]


def test_a_file_without_such_imports_has_the_origin_it_always_had(module_file, tmp_path):
    path = module_file("import numpy, json\nmine = len\n", "plain.py")
    origin = load(f"{path}:mine", "estimator").origin
    digest = sha256((tmp_path / "plain.py").read_bytes())
    assert origin == Origin("files", files=(SourceFile("plain.py", digest),))
    assert str(origin) == f"plain.py sha256:{digest}"
