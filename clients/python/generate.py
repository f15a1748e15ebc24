"""Writes src/gatepost/types.py and src/gatepost/operations.py from docs/openapi.json: `python generate.py`."""

import json
import keyword
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCUMENT = HERE / "../../docs/openapi.json"
PACKAGE = HERE / "src/gatepost"
NOTICE = '"""Generated from docs/openapi.json by generate.py. Do not edit."""\n\n'
METHODS = ("get", "put", "post", "patch", "delete")
# How many operations one class has, by their names. Compression finds what is the same only nearby, so that operations
# with similar names, and the blocking and the awaiting class, are neighbours.
CLASS_OPERATIONS_MAX = 80
# A description of a class or a field with no more words says the same as its name.
TYPE_WORDS = 10
# Members that no log may contain: `repr` leaves them out.
SECRETS = {
    ("BasicAuth", "password"),
    ("BearerAuth", "token"),
    ("ClientCertificate", "key"),
    ("CreatedApiKey", "key"),
    ("HeaderAuth", "value"),
    ("OAuth2Auth", "clientSecret"),
    ("PortalLink", "url"),
    ("SubscriptionWithSecret", "secret"),
}

# Sentences that a program is wrong without, by their first words: the others are in the document.
KEPT = {
    "createApiKey": ("Only this answer",),
    "createOrganizationApiKey": ("Only this answer",),
    "createPortalLink": ("Send the browser",),
    "createUserApiKey": ("Only this answer",),
    "publishEvent": ("If an event", "If the `type`"),
}

Schema = dict[str, Any]


def snake(name: str) -> str:
    """`failuresInARow` as `failures_in_a_row`, and a name that Python can use."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().replace("-", "_")
    return words + "_" if keyword.iskeyword(words) else words


def names(operation_id: str) -> tuple[str, str]:
    """The name of a method without its owner, and the name: `change_api_key` is before `change_user_api_key`."""
    name = snake(operation_id)
    return re.sub("_(all|any|organization|user)(?=_)", "", name), name


def camel(name: str) -> str:
    """How `gatepost.json_form` writes the name of a field in JSON."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s+(?=[A-Z`])", text.strip())


def doc(text: str, indent: str) -> str:
    """A docstring."""
    text = text.replace("\\", "\\\\").replace("`null`", "`None`")
    # On one line, as the methods are, because a package with line breaks is larger.
    return f'{indent}"""{" ".join(text.split())}"""\n'


def method_doc(name: str, text: str) -> str:
    """The docstring of a method, if it has other words than the name: not `Cancels a delivery.`"""
    words = {word.removesuffix("s") for word in re.findall(r"\w{3,}", text.lower())} - {"the", "caller", "webhook"}
    return "" if all(word in name for word in words) else doc(text, "        ")


def type_doc(text: str, end: str = "") -> str:
    """What a reader of a class or a field does not know from the name and the type, such as that it may be absent."""
    said, *_ = sentences(text)[0].removesuffix(".").partition(";")
    # Details are in the document.
    said = re.sub(r" \((?!`)[^()]*\)", "", said)
    says_more = len(said.split()) > TYPE_WORDS or re.search(r"[`,]", said) and not said.startswith("Always `")
    return doc(f"{said}.", "    ") + end if says_more else ""


class Document:
    """The OpenAPI document, and the Python of its parts."""

    def __init__(self, document: Schema) -> None:
        self.schemas: dict[str, Schema] = document["components"]["schemas"]
        self.paths: dict[str, dict[str, Schema]] = document["paths"]

    # Types

    def kind(self, schema: Schema, sent: bool, prefix: str) -> str:
        """The Python type of a schema: one that is sent, or one that is received."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            target = self.schemas[name]
            if f'schemas/{name}"' in json.dumps(target):
                # A tree of any depth.
                return "dict[str, Any]"
            is_class = "properties" in target or "allOf" in target or "oneOf" in target
            return prefix + name if is_class else self.kind(target, sent, prefix)
        if "oneOf" in schema:
            return " | ".join(self.kind(one, sent, prefix) for one in schema["oneOf"])
        names: list[str] = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type", "any")]
        return " | ".join(self.plain_kind(name, schema, sent, prefix) for name in names)

    def plain_kind(self, name: str, schema: Schema, sent: bool, prefix: str) -> str:
        if name == "array":
            items = self.kind(schema["items"], sent, prefix)
            return f"Sequence[{items}]" if sent else f"tuple[{items}, ...]"
        # A later version of the service may answer with values that this version does not know, so they are `str`.
        if sent and name == "string" and "enum" in schema:
            return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'] if value is not None)}]"
        if name == "string" and schema.get("format") == "date-time":
            return "datetime"
        plain = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
        return plain.get(name, "dict[str, Any]" if name == "object" else "Any")

    def members(self, schema: Schema) -> tuple[dict[str, Schema], set[str]]:
        """The properties of an object, and which are always there. Alternatives become one class with all of them."""
        every = schema.get("allOf", []) + schema.get("oneOf", [])
        if not every:
            return schema["properties"], set(schema.get("required", []))
        parts = [self.members(self.schemas[p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p) for p in every]
        required = [required for _, required in parts]
        is_always = set[str].union if "allOf" in schema else set[str].intersection
        return {name: value for properties, _ in parts for name, value in properties.items()}, is_always(*required)

    def type_class(self, name: str, schema: Schema, sent: bool) -> str:
        properties, required = self.members(schema)
        text = f"@dataclass(frozen=True, slots=True, kw_only=True)\nclass {name}:\n"
        text += type_doc(schema["description"], "\n")
        for member, value in properties.items():
            text += self.type_field(name, member, value, member in required, sent)
        return text

    def type_field(self, owner: str, member: str, schema: Schema, is_required: bool, sent: bool) -> str:
        kind, arguments = self.kind(schema, sent, ""), []
        if sent and member == "id":
            kind, arguments = "str", ["default_factory=new_id"]
        elif not is_required:
            kind, arguments = optional(kind), ["default=None"]
        if (owner, member) in SECRETS:
            arguments.append("repr=False")
        if camel(snake(member)) != member:
            arguments.append(f'metadata={{"json": "{member}"}}')
        default = "" if not arguments else f" = field({', '.join(arguments)})"
        default = " = None" if arguments == ["default=None"] else default
        return f"    {snake(member)}: {kind}{default}\n" + type_doc(schema.get("description", ""))

    def sent_types(self) -> set[str]:
        """The names of the types within bodies. The members of a body itself are arguments of its method."""
        bodies = [self.body(operation)[0] for _, _, operation in self.operations()]
        return set(re.findall(r"schemas/(\w+)", json.dumps([body.get("properties", {}) for body in bodies])))

    def types(self) -> str:
        text = NOTICE + "from __future__ import annotations\n\nfrom collections.abc import Sequence\nfrom dataclasses import dataclass, field\n"
        text += "from datetime import datetime\nfrom typing import Any, Literal\n\nfrom gatepost.calls import new_id\n"
        answers = json.dumps([operation["responses"] for _, _, operation in self.operations()])
        sent, wanted, known = self.sent_types(), re.findall(r"schemas/(\w+)", answers), set[str]()
        wanted += sent
        while wanted:
            name = wanted.pop()
            if name not in known:
                known.add(name)
                wanted += re.findall(r"schemas/(\w+)", json.dumps(self.schemas[name]))
        classes = [name for name in sorted(known) if self.kind({"$ref": f"/{name}"}, False, "") == name]
        return text + "".join("\n\n" + self.type_class(name, self.schemas[name], name in sent) for name in classes)

    # Operations

    def operations(self) -> list[tuple[str, str, Schema]]:
        found = [(path, method, of[method]) for path, of in self.paths.items() for method in METHODS if method in of]
        return sorted(found, key=lambda one: names(one[2]["operationId"]))

    def body(self, operation: Schema) -> tuple[Schema, bool]:
        """The schema of the body, and whether it can be repeated: an id says that it is the same."""
        content = operation.get("requestBody", {}).get("content", {})
        if not content:
            return {}, False
        schema = self.schemas[content["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]]
        parts = [schema, *(self.schemas[name] for name in re.findall(r"schemas/(\w+)", json.dumps(schema)))]
        return schema, any("id" in part.get("properties", {}) for part in parts)

    def answer(self, operation: Schema) -> tuple[str, str]:
        """The type of the answer, and the way to get it: `call`, `pages:<member>` or `stream`."""
        status = min(status for status in operation["responses"] if status[0] in "23")
        content: dict[str, Schema] = operation["responses"][status].get("content", {})
        if status[0] == "3":
            return "Location", "call"
        if not content:
            return "None", "call"
        if stream := content.get("text/event-stream"):
            return self.kind(stream["schema"], False, "types."), "stream"
        if answer := content.get("application/json"):
            kind = self.kind(answer["schema"], False, "types.")
            properties = self.schemas.get(kind.removeprefix("types."), {}).get("properties", {})
            lists = [name for name, value in properties.items() if value.get("type") == "array"]
            return kind, f"pages:{lists[0]}" if "nextCursor" in properties else "call"
        return ("str", "call") if "text/html" in content else ("bytes", "call")

    def item(self, page: str, member: str) -> str:
        properties = self.schemas[page.removeprefix("types.")]["properties"]
        return self.kind(properties[member]["items"], False, "types.")

    def table(self) -> str:
        # With the names of the methods, because compression then finds them in front of each use.
        text = 'class Table:\n    """How to call each operation."""\n\n'
        for path, method, operation in self.operations():
            kind, _ = self.answer(operation)
            parameters = operation.get("parameters", [])
            arguments = [f'"{method.upper()}"', f'"{path}"', {"None": "NoneType", "Any": "object"}.get(kind, kind)]
            has_body = bool(self.body(operation)[0])
            # Without a body, members that have no other place are in the query.
            for place, name in ([("query", "query")] if has_body else []) + [("header", "headers")]:
                names = [p["name"] for p in parameters if p["in"] == place and p["name"] != "format"]
                if names:
                    arguments.append(f"{name}={tuple(names)!r}".replace("'", '"'))
            if has_body:
                arguments.append("has_body=True")
            if self.body(operation)[1]:
                arguments.append("has_id=True")
            if nullable := self.nullable(operation):
                arguments.append(f"nullable={nullable!r}".replace("'", '"'))
            # Only this type does not follow from the arguments.
            declared = ": Operation[Any]" if kind == "Any" else ""
            text += f"    {snake(operation['operationId'])}{declared} = Operation({', '.join(arguments)})\n"
        return text

    def nullable(self, operation: Schema) -> tuple[str, ...]:
        """The members whose `None` is sent as `null`."""
        body, _ = self.body(operation)
        named = [(p["name"], p["schema"]) for p in operation.get("parameters", [])] + [*body.get("properties", {}).items()]
        kinds = {name: self.kind(schema, True, "") for name, schema in named}
        anything = {name for name in body.get("required", []) if kinds[name] == "Any"}
        return tuple(name for name, kind in kinds.items() if name in anything or is_nullable(name, kind))

    def method(self, operation: Schema, is_async: bool) -> str:
        # `format` chooses between JSON and files for people: this client reads JSON.
        parameters = [p for p in operation.get("parameters", []) if p["name"] != "format"]
        body, _ = self.body(operation)
        in_path = [(p["name"], p["schema"]) for p in parameters if p["in"] == "path"]
        named = [(p["name"], p["schema"], p.get("required", False)) for p in parameters if p["in"] != "path"]
        named += [(n, s, n in body.get("required", [])) for n, s in body.get("properties", {}).items()]
        required = [(name, schema) for name, schema, is_required in named if is_required]
        others = [(name, schema) for name, schema, is_required in named if not is_required]
        names = [name for name, _ in in_path + required + others]
        assert len(set(names)) == len(names), f"{operation['operationId']}: a name has two places"
        arguments = ["self", *(f"{snake(n)}: {self.kind(s, True, 'types.')}" for n, s in in_path)]
        arguments += ["*"] if named else []
        arguments += [f"{snake(n)}: {self.kind(s, True, 'types.')}" for n, s in required]
        arguments += [self.default(name, schema) for name, schema in others]
        returned, call, member = self.returned(operation, is_async)
        written = [{camel(snake(name)), snake(name).replace("_", "-")} for name in names]
        assert all(name in forms for name, forms in zip(names, written)), f"{operation['operationId']}: a name is lost"
        given = [f"Table.{snake(operation['operationId'])}", "locals()"]
        if member:
            given = ["self._call", f'"{member}"', *given]
        awaits = "async " if "await" in call else ""
        text = f"    {awaits}def {snake(operation['operationId'])}({', '.join(arguments)}) -> {returned}:\n"
        summary = operation.get("summary") or operation["description"]
        # The name of the method says for whom it is.
        summary = re.sub(r", for (a user|an organization|support work)\.?$", ".", summary)
        text += method_doc(snake(operation["operationId"]), sentences(summary)[0] + self.kept(operation))
        return text + f"        return {call}({', '.join(given)})\n"

    def kept(self, operation: Schema) -> str:
        found = sentences(operation.get("description", ""))
        starts = KEPT.get(operation["operationId"], ())
        return "".join(" " + next(one for one in found if one.startswith(start)) for start in starts)

    def default(self, name: str, schema: Schema) -> str:
        """An optional argument. `None` is sent where the API takes `null`, and means an absent argument elsewhere."""
        kind = self.kind(schema, True, "types.")
        given = f"{kind} | Absent = ABSENT" if is_nullable(name, kind) else f"{optional(kind)} = None"
        return f"{snake(name)}: {given}"

    def returned(self, operation: Schema, is_async: bool) -> tuple[str, str, str]:
        """The type that a method returns, what it calls, and for pages the member with their items."""
        kind, way = self.answer(operation)
        prefix = "Async" if is_async else ""
        if way == "stream":
            return f"{prefix}Iterator[{kind}]", "self._stream", ""
        if way.startswith("pages:"):
            member = way.removeprefix("pages:")
            return f"{prefix}Pages[{kind}, {self.item(kind, member)}]", f"{prefix}Pages", snake(member)
        return kind, f"{'await ' if is_async else ''}self._call", ""

    def file_of_operations(self) -> str:
        text = NOTICE + "from abc import ABC, abstractmethod\n"
        text += "from collections.abc import AsyncIterator, Iterator, Sequence\n"
        text += "from datetime import datetime\nfrom types import NoneType\n"
        text += "from typing import Any, Literal, TypeVar\n\n"
        text += "from gatepost import types\nfrom gatepost.calls import ABSENT, Absent, AsyncPages, Location, Operation\n"
        text += "from gatepost.calls import Pages\n\n"
        text += f'T = TypeVar("T")\nMembers = dict[str, Any]\n\n\n{self.table()}'
        for is_async in (False, True):
            prefix, awaits = ("Async", "async ") if is_async else ("", "")
            arguments = "(self, operation: Operation[T], given: Members)"
            text += f"\n\nclass {prefix}Calls(ABC):\n    @abstractmethod\n"
            text += f"    {awaits}def _call{arguments} -> T: ...\n\n"
            text += f"    @abstractmethod\n    def _stream{arguments} -> {prefix}Iterator[T]: ...\n"
        operations = [operation for _, _, operation in self.operations()]
        starts = range(0, len(operations), CLASS_OPERATIONS_MAX)
        for part, start in enumerate(starts, 1):
            for is_async, prefix in ((False, ""), (True, "Async")):
                methods = operations[start : start + CLASS_OPERATIONS_MAX]
                text += f"\n\nclass {prefix}Operations{part}({prefix}Calls):\n"
                text += "\n".join(self.method(operation, is_async) for operation in methods)
        for prefix in ("", "Async"):
            bases = ", ".join(f"{prefix}Operations{part}" for part, _ in enumerate(starts, 1))
            text += f"\n\nclass {prefix}Operations({bases}):\n"
            text += doc("Every operation of the API, by its `operationId`.", "    ")
        return with_names_of_long_types(text)


def optional(kind: str) -> str:
    return kind if kind.endswith("None") or kind == "Any" else f"{kind} | None"


def with_names_of_long_types(operations: str) -> str:
    """Names a long type after the argument that has it."""
    found = sorted(set(re.findall(r"(\w+): (Literal\[[^]]{60,}\]|types\.\w+(?: \| types\.\w+)+)", operations)))
    assert len(dict(found)) == len(found), "one name for two types"
    for name, long in found:
        imports, table = operations.replace(long, name.capitalize()).split("\n\n\nclass Table:", 1)
        operations = f"{imports}\n{name.capitalize()} = {long}\n\n\nclass Table:{table}"
    return operations


def is_nullable(name: str, kind: str) -> bool:
    # An event without an id gets one.
    return name != "id" and kind.endswith(" | None")


def generate() -> dict[Path, str]:
    """The text of each generated file."""
    document = Document(json.loads(DOCUMENT.read_text()))
    return {PACKAGE / "types.py": document.types(), PACKAGE / "operations.py": document.file_of_operations()}


if __name__ == "__main__":
    for path, text in generate().items():
        path.write_text(text)
    sys.exit()
