"""What an answer must look like: the part of JSON Schema that closed questions need, read strictly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

Type: TypeAlias = Literal["object", "array", "string", "integer", "number", "boolean", "null"]


class Schema(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A schema of answers; each word means what it means in JSON Schema.

    Two things are fixed, so that a question cannot leave them open: an object has no properties but those that are
    named, and where `required` is not given, all of them are required.

    Attributes
    ----------
    type : str or tuple of str
        Type or types of the value.
    description : str or None
        Told to the judge.
    enum : tuple or None
        Values that are allowed.
    properties : mapping of str to Schema
        Properties of an object.
    required : tuple of str or None
        Properties that must be there; None means all.
    items : Schema or None
        What each item of a list must look like.
    min_items, max_items, min_length, max_length : int or None
        Bounds of a list and of a text in characters.
    minimum, maximum : float or None
        Bounds of a number.
    """

    type: Type | tuple[Type, ...]
    description: str | None = None
    enum: tuple[Any, ...] | None = None
    properties: Mapping[str, Schema] = {}
    required: tuple[str, ...] | None = None
    items: Schema | None = None
    min_items: int | None = None
    max_items: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None

    def types(self) -> tuple[Type, ...]:
        """The types that are allowed.

        Returns
        -------
        tuple of str
        """
        return (self.type,) if isinstance(self.type, str) else self.type

    def needed(self) -> tuple[str, ...]:
        """The properties that must be there.

        Returns
        -------
        tuple of str
        """
        return tuple(self.properties) if self.required is None else self.required


def offences(schema: Schema) -> Iterator[str]:
    """What is wrong with a schema itself, if anything."""
    if not schema.types() or len(set(schema.types())) < len(schema.types()):
        yield "a type is missing or stands twice"
    if schema.enum == ():
        yield "an enum that allows nothing"
    if "object" in schema.types() and not schema.properties:
        yield "an object without properties"
    if "array" in schema.types() and schema.items is None:
        yield "a list without items"
    for name in schema.needed():
        if name not in schema.properties:
            yield f"required property {name!r} is none of the properties"
    for below in schema.properties.values():
        yield from offences(below)
    if schema.items is not None:
        yield from offences(schema.items)


def json_schema(schema: Schema) -> dict[str, Any]:
    """The schema as a document of JSON Schema, with what is fixed written out."""
    words = msgspec.to_builtins(schema)
    found: dict[str, Any] = {
        word: list(value) if isinstance(value, tuple) else value
        for word, value in words.items()
        if word not in ("properties", "required", "items") and value is not None
    }
    if schema.properties:
        found["properties"] = {name: json_schema(below) for name, below in schema.properties.items()}
        found["required"] = list(schema.needed())
        found["additionalProperties"] = False
    if schema.items is not None:
        found["items"] = json_schema(schema.items)
    return found


def misfits(schema: Schema, value: object, where: str = "the answer") -> Iterator[str]:
    """Why a JSON value does not fit a schema; nothing where it does."""
    if not any(_is(value, name) for name in schema.types()):
        yield f"{where} is {_shown(value)}, not {' or '.join(schema.types())}"
        return
    if schema.enum is not None and not any(_same(value, allowed) for allowed in schema.enum):
        yield f"{where} is {_shown(value)}; allowed: {', '.join(map(_shown, schema.enum))}"
    if isinstance(value, str):
        yield from _outside(len(value), schema.min_length, schema.max_length, f"{where} has", "characters")
    elif isinstance(value, list):
        yield from _outside(len(value), schema.min_items, schema.max_items, f"{where} has", "items")
        if schema.items is not None:
            for number, item in enumerate(value):
                yield from misfits(schema.items, item, f"{where}[{number}]")
    elif isinstance(value, dict):
        yield from _object_misfits(schema, value, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _outside(value, schema.minimum, schema.maximum, f"{where} is", "")


def _object_misfits(schema: Schema, value: Mapping[str, object], where: str) -> Iterator[str]:
    for name in schema.needed():
        if name not in value:
            yield f"{where} lacks {name!r}"
    for name, below in value.items():
        if name in schema.properties:
            yield from misfits(schema.properties[name], below, f"{where}.{name}")
        else:
            yield f"{where} has {_shown(name)}, which is not asked for"


def _outside(size: float, least: float | None, most: float | None, what: str, unit: str) -> Iterator[str]:
    if least is not None and size < least:
        yield f"{what} {size:g} {unit}".strip() + f", fewer than {least:g}"
    if most is not None and size > most:
        yield f"{what} {size:g} {unit}".strip() + f", more than {most:g}"


def _is(value: object, name: Type) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if isinstance(value, int | float):
        return name == "number" or (name == "integer" and value == int(value))
    kinds: dict[Type, type] = {"object": dict, "array": list, "string": str, "null": type(None)}
    return name in kinds and isinstance(value, kinds[name])


def _same(value: object, allowed: object) -> bool:
    """Whether two JSON values are equal; true is not 1."""
    return isinstance(value, bool) == isinstance(allowed, bool) and value == allowed


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:60] + "…"
