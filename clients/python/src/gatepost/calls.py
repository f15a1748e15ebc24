"""The rules of a call, without input and output: what is sent, when it is sent again, and what an answer means.

A rule is a generator. It yields what to do next, gets the result, and returns the value of the call. The two clients
do what it yields: one blocks, the other awaits.
"""

import json
import os
import random
import re
import time
import uuid
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote, urlencode

from gatepost import json_form
from gatepost.errors import GatepostError

T = TypeVar("T")
Page = TypeVar("Page")
Item = TypeVar("Item")
Members = dict[str, Any]

# A call with one of these methods has the same effect if it arrives twice.
REPEATABLE = ("GET", "PUT", "PATCH", "DELETE")
# The service is overloaded, restarts, or is not reached behind its load balancer.
PASSING = (429, 502, 503, 504)
TRIES_MAX = 3
FIRST_PAUSE_SECONDS = 0.2


class Absent(Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
"""An argument that is not sent. `None` is sent, as `null`, where the API takes `null`."""


class Location(str):
    """The URL to which an answer redirects."""


@dataclass(frozen=True, slots=True)
class Operation(Generic[T]):
    """An operation of the API, with the places of its members."""

    method: str
    path: str
    answer: type[T]
    query: tuple[str, ...] = ()
    """The members of the query of an operation with a body. Without one, they are all members that have no other place."""
    headers: tuple[str, ...] = ()
    has_body: bool = False
    has_id: bool = False
    """Whether the body has an id by which the service knows a repetition."""
    nullable: tuple[str, ...] = ()
    """The members whose `None` is sent as `null`. Other members that are `None` are left out."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send this, and give back the answer or the error."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None
    seconds: float
    """How long to wait for the answer."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, with the names of its headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Outcome = Answer | GatepostError | None
Steps = Generator[Send | Wait, Outcome, T]


def call(operation: Operation[T], given: Members, timeout: float) -> Steps[T]:
    """Calls an operation, and again if that is safe and may help, until `timeout` seconds have passed."""
    method, path, headers, body = request(operation, given)
    end = time.monotonic() + timeout + (given.get("wait") or 0)
    tried = 0
    while True:
        # A pause may take longer than planned, and no timeout may be negative.
        outcome = yield Send(method, path, headers, body, max(end - time.monotonic(), 0.001))
        tried += 1
        try:
            return value_of(operation, accepted(operation, outcome))
        except GatepostError as error:
            if tried > 1 and method == "DELETE" and is_gone(operation, error):
                # A try before deleted it, and its answer was lost: it was empty, or a list of the others.
                if operation.answer is type(None):
                    return cast("T", None)
                method, path = "GET", re.sub(r"/[^/?]*(?=\?|$)", "", path)
                continue
            pause = pause_before_next(error, tried)
            is_last = tried >= TRIES_MAX or time.monotonic() + pause >= end
            is_repeatable = method in REPEATABLE or operation.has_id or "idempotency-key" in headers
            if is_last or not (is_repeatable and may_pass(error)):
                raise
        yield Wait(pause)


def is_gone(operation: Operation[Any], error: GatepostError) -> bool:
    """Whether the service does not have what a path names, as `session_not_found` says of `/sessions/{id}`."""
    thing = re.search(r"/(\w+)s/{\w+}$", operation.path)
    # A revoked key stays, so that a key that is not found was never there.
    return thing is not None and thing[1] != "key" and error.code == thing[1] + "_not_found"


def members(operation: Operation[Any], given: Members) -> Members:
    """The members to send, by their names in the API. `given` has the local variables of a method, also `self`."""
    sent: Members = {}
    for name, value in given.items():
        in_header = name.replace("_", "-")
        name = in_header if in_header in operation.headers else json_form.camel(name)
        if name == "id" and operation.has_id:
            value = value or new_id()
        if name == "events" and operation.has_id:
            value = [with_id(event) for event in value]
        if name != "self" and value is not ABSENT and (value is not None or name in operation.nullable):
            sent[name] = value
    return sent


def with_id(event: Any) -> Any:
    if not isinstance(event, dict):
        return event
    given = cast("Members", event)
    return {**given, "id": given.get("id") or new_id()}


def request(operation: Operation[Any], given: Members) -> tuple[str, str, dict[str, str], bytes | None]:
    """The method, path with query, headers and body of a call."""
    sent = members(operation, given)
    places = re.findall(r"{(\w+)}", operation.path)
    segments = {name: segment(sent.get(name)) for name in places}
    path = operation.path.format(**segments)
    headers = {name: header(name, sent[name]) for name in operation.headers if name in sent}
    others = {name: value for name, value in sent.items() if name not in {*places, *operation.headers}}
    in_query = operation.query if operation.has_body else list(others)
    query = [(name, each(others.pop(name))) for name in in_query if name in others]
    if query:
        path += "?" + urlencode(query, doseq=True, quote_via=quote)
    if not operation.has_body:
        return operation.method, path, headers, None
    body = json_form.dump(others)
    return operation.method, path, headers | {"content-type": "application/json"}, body


def segment(value: Any) -> str:
    """A value in a path, where it must not become another path."""
    text = "" if value is None else json_form.text(value)
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} cannot be a part of a path")
    return quote(text, safe="")


def header(name: str, value: Any) -> str:
    """A value that the HTTP library does not refuse or change."""
    text = json_form.text(value)
    if re.fullmatch("([!-~]([ -~]*[!-~])?)?", text) is None:
        raise ValueError(f"{name} cannot be sent in a header")
    return text


def each(value: Any) -> str | list[str]:
    """A query parameter that is a list is repeated."""
    if isinstance(value, (list, tuple)):
        return [json_form.text(one) for one in cast("list[Any]", value)]
    return json_form.text(value)


def accepted(operation: Operation[Any], outcome: Outcome) -> Answer:
    """The answer, if it has the kind of status that the operation documents."""
    if not isinstance(outcome, Answer):
        raise outcome or GatepostError("no answer from the service")
    if outcome.status >= 400:
        raise GatepostError.of_answer(outcome.status, outcome.headers, outcome.body)
    is_redirect = 300 <= outcome.status < 400
    if is_redirect != (operation.answer is Location):
        reason = "a redirect, which the client does not follow with a credential" if is_redirect else "no redirect"
        raise unexpected(outcome, reason)
    return outcome


def may_pass(error: GatepostError) -> bool:
    return error.status is None or error.status in PASSING


def pause_before_next(error: GatepostError, tried: int) -> float:
    if error.retry_after is not None:
        return error.retry_after
    # At random, so that clients that failed together do not come back together.
    return FIRST_PAUSE_SECONDS * 2 ** (tried - 1) * random.uniform(0.5, 1)


def value_of(operation: Operation[T], answer: Answer) -> T:
    kind: Any = operation.answer
    value: Any
    if kind is Location:
        value = Location(answer.headers.get("location", ""))
        return value
    if kind in (str, bytes):
        value = answer.body.decode(errors="replace") if kind is str else answer.body
        return value
    try:
        return json_form.decoder(kind)(json.loads(answer.body or b"null"))
    except (ValueError, RecursionError, json_form.Mismatch) as error:
        # The text of a `ValueError` may quote the body.
        reason = str(error) if isinstance(error, json_form.Mismatch) else "it is not JSON"
        raise unexpected(answer, f"the body is not what the service documents: {reason}") from None


def no_stream(answer: Answer) -> GatepostError:
    """The error of an answer that is not the stream that was asked for."""
    if answer.status >= 400:
        return GatepostError.of_answer(answer.status, answer.headers, answer.body)
    return unexpected(answer, "the body is no stream of events")


def unexpected(answer: Answer, reason: str) -> GatepostError:
    """Another service, or another version, answers at this URL."""
    message = f"unexpected answer with status {answer.status}: {reason}"
    request_id = answer.headers.get("x-request-id")
    return GatepostError(message, status=answer.status, request_id=request_id, headers=answer.headers)


def new_id() -> str:
    """The id of an event, a UUID of version 7 (RFC 9562): later ids sort after earlier ones, so that the database appends them."""
    milliseconds = time.time_ns() // 1_000_000
    value = milliseconds << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) & ~(0x3 << 62) | 0x7 << 76 | 0x2 << 62
    return str(uuid.UUID(int=value))


class Listed(Generic[Page, Item]):
    """What lists have, whether they are awaited or not: the call of a page, and the member with its items."""

    def __init__(
        self,
        call: Callable[[Operation[Page], Members], Any],
        member: str,
        operation: Operation[Page],
        given: Members,
    ) -> None:
        self._call = call
        self._member = member
        self._question = (operation, given)


class Pages(Listed[Page, Item]):
    """Iterates over the items of all pages, and asks for a page when it needs it. `pages()` iterates over the pages."""

    def pages(self) -> Iterator[Page]:
        """The pages. Each has a `next_cursor`, with which a later call continues."""
        operation, given = self._question
        while True:
            page = self._call(operation, given)
            yield page
            if page.next_cursor is None:
                return
            given = {**given, "cursor": page.next_cursor}

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from getattr(page, self._member)


class AsyncPages(Listed[Page, Item]):
    """The same for `async for`."""

    async def pages(self) -> AsyncIterator[Page]:
        """The pages. Each has a `next_cursor`, with which a later call continues."""
        operation, given = self._question
        while True:
            page = await self._call(operation, given)
            yield page
            if page.next_cursor is None:
                return
            given = {**given, "cursor": page.next_cursor}

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in getattr(page, self._member):
                yield item
