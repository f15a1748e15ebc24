"""Values and dataclasses as JSON, and back."""

import dataclasses
import json
import types
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

Decoder = Callable[[Any], Any]


class Mismatch(Exception):
    """JSON has another form than its type. The text has no value of the JSON, since it may be a secret."""


def encode(value: Any) -> Any:
    """A value as `json.dumps` takes it. An optional field of a dataclass is left out if it is `None`."""
    if isinstance(value, datetime):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [(field, getattr(value, field.name)) for field in dataclasses.fields(value)]
        given = [(field, member) for field, member in fields if member is not None or field.default is not None]
        return {name_in_json(field): encode(member) for field, member in given}
    if isinstance(value, dict):
        return {name: encode(member) for name, member in cast("dict[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in cast("list[Any]", value)]
    return value


def dump(value: Any) -> bytes:
    """A value as the body of a request."""
    return json.dumps(encode(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def text(value: Any) -> str:
    """A value in a path, a query or a header."""
    return str(value).lower() if isinstance(value, bool) else str(encode(value))


def name_in_json(field: "dataclasses.Field[Any]") -> str:
    return field.metadata.get("json", camel(field.name))


def camel(name: str) -> str:
    """`failures_in_a_row` as `failuresInARow`."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


@cache
def decoder(kind: Any) -> Decoder:
    """Reads JSON as this type. Members that the type does not have are ignored: a later version may send more."""
    if dataclasses.is_dataclass(kind):
        return of_dataclass(cast("type[Any]", kind))
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        item = decoder(arguments[0])
        return lambda value: tuple(map(item, instance(list, value)))
    if origin in (Union, types.UnionType):
        inner = decoder(next(one for one in arguments if one is not types.NoneType))
        return lambda value: None if value is None else inner(value)
    if kind is datetime:
        return moment
    if kind is Any:
        return lambda value: value
    expected = (float, int) if kind is float else origin or kind
    return lambda value: instance(expected, value)


def of_dataclass(kind: type[Any]) -> Decoder:
    # Looked up when the first value is read, so that a type may contain itself.
    @cache
    def members() -> list[tuple[str, str, Decoder, bool]]:
        hints = get_type_hints(kind)
        fields = [(field, field.default is dataclasses.MISSING) for field in dataclasses.fields(kind)]
        return [(field.name, name_in_json(field), decoder(hints[field.name]), always) for field, always in fields]

    def decode(value: Any) -> Any:
        given = instance(dict, value)
        missing = [name for _, name, _, is_always in members() if is_always and name not in given]
        if missing:
            raise Mismatch(f"{kind.__name__} has no {missing[0]}")
        return kind(**{name: read(given[key]) for name, key, read, _ in members() if key in given})

    return decode


def instance(expected: Any, value: Any) -> Any:
    if isinstance(value, expected) and not (isinstance(value, bool) and expected is int):
        return value
    raise Mismatch(f"expected {getattr(expected, '__name__', 'a number')}, got {type(value).__name__}")


def moment(value: Any) -> datetime:
    try:
        return datetime.fromisoformat(instance(str, value))
    except ValueError:
        raise Mismatch("expected a time") from None
