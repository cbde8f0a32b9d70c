"""Question files are read strictly, and schemas of answers mean what JSON Schema means."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from question_files import COLOUR, question

from whatworked.errors import QuestionError
from whatworked.judging import Schema, load_questions
from whatworked.judging.schema import json_schema, misfits, offences

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.5, 1.0]), st.sampled_from("ab"))
VALUES = st.recursive(
    SCALARS,
    lambda below: st.one_of(
        st.lists(below, max_size=3), st.dictionaries(st.sampled_from(["p", "q", "r"]), below, max_size=3)
    ),
    max_leaves=6,
)
BOUNDS = st.one_of(st.none(), st.integers(0, 2))
LEAVES = st.builds(
    Schema,
    type=st.lists(
        st.sampled_from(["string", "integer", "number", "boolean", "null"]), min_size=1, max_size=2, unique=True
    ).map(tuple),
    enum=st.one_of(st.none(), st.lists(SCALARS, min_size=1, max_size=3).map(tuple)),
    min_length=BOUNDS,
    max_length=BOUNDS,
    minimum=BOUNDS,
    maximum=BOUNDS,
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda below: st.one_of(
        st.builds(Schema, type=st.just("array"), items=below, min_items=BOUNDS, max_items=BOUNDS),
        st.builds(
            Schema,
            type=st.just("object"),
            properties=st.dictionaries(st.sampled_from(["p", "q"]), below, min_size=1),
            required=st.sampled_from([None, ()]),
        ),
    ),
    max_leaves=4,
)


@given(SCHEMAS, VALUES)
def test_schemas_agree_with_the_library_of_json_schema(schema: Schema, value: object) -> None:
    assert list(offences(schema)) == []
    assert (list(misfits(schema, value)) == []) == Draft202012Validator(json_schema(schema)).is_valid(value)


@given(SCHEMAS)
def test_what_a_judge_is_shown_is_a_schema(schema: Schema) -> None:
    Draft202012Validator.check_schema(json_schema(schema))
    assert msgspec.json.decode(msgspec.json.encode(json_schema(schema))) == json_schema(schema)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version = 1", "", "missing required field `version`"),
        ("version = 1", "version = 0", "version is 0; allowed: 1 and above"),
        ("votes = 3", "votes = 3\nvotess = 3", "unknown field `votess`"),
        ("votes = 3", "votes = 3\nfloor = 4", "floor is 4; allowed: 1 to 3 votes"),
        ("votes = 3", "votes = 3\ntemperature = -1", "temperature is -1; allowed: 0 to 2"),
        ('id = "colour"', 'id = "Colour"', "differs from the file's name"),
        ("{{thing}}", "{{thin}}", "the prompt does not hold {{thing}}; the prompt holds {{thin}}, which is no field"),
        ('value = "choice"', 'value = "colour"', "'colour' is no required property"),
        ('value = "choice"', 'value = "choice", list = "choice"', "list and key go together"),
        ('value = "choice"', 'value = "choice", list = "x", key = "y"', "'x' is no list of the answer"),
        ('type = "string"', 'type = "number"', "may be number; allowed: boolean, integer, null, string"),
        ('type = "object"', 'type = "array"', "a list without items; answer: it must be an object"),
        ('type = "string"', 'type = "text"', "Invalid enum value 'text'"),
        ("votes = 3", "votes = ", "colour.toml"),
    ],
)
def test_what_contradicts_itself_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in COLOUR
    with pytest.raises(QuestionError) as caught:
        question(tmp_path, COLOUR.replace(old, new))
    assert said in str(caught.value)


def test_a_folder_of_questions(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="holds no questions"):
        load_questions(tmp_path)
    question(tmp_path)
    assert list(load_questions(tmp_path)) == ["colour"]


def test_floors_of_quotes(tmp_path: Path) -> None:
    asked = question(tmp_path, "shortest_quote = { characters = 9, words = 2 }\n" + COLOUR)
    assert asked.long_enough("loss is 0.5")
    assert not asked.long_enough("accuracies")
    assert not asked.long_enough("a   \n   b")
