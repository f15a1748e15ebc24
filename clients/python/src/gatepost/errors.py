"""The error of a call."""

import json
import re
import time
from calendar import timegm
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from email.utils import parsedate
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of a request."""

    field: str
    detail: str


@dataclass(eq=False, repr=False)
class GatepostError(Exception):
    """Why a call failed. No part of it is a credential.

    Without a `status` there was no answer, and the call may have had its effect. Without a `code` a load balancer
    answered, or another service.
    """

    message: str
    """The explanation, with what the service said."""
    _: KW_ONLY
    status: int | None = None
    """The HTTP status."""
    code: str | None = None
    """The stable code for programs, such as `api_key_limit_reached`."""
    title: str | None = None
    """A short summary of this kind of error."""
    detail: str | None = None
    """The explanation for people."""
    page: str | None = None
    """The page that explains this kind of error, relative to the URL of the service."""
    fields: tuple[FieldError, ...] = ()
    """The fields of the request that are wrong."""
    request_id: str | None = None
    """The id of the call in the log of the service."""
    retry_after: float | None = None
    """How many seconds to wait before the next call."""
    problem: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The whole problem document (RFC 9457)."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The headers of the answer, with names in lower case."""

    def __str__(self) -> str:
        return self.message

    @classmethod
    def of_answer(cls, status: int, headers: Mapping[str, str], body: bytes) -> "GatepostError":
        """The error of an answer with an error status."""
        problem = members(body)
        code, detail, request_id = (string(problem.get(name)) for name in ("code", "detail", "requestId"))
        fields = field_errors(problem.get("errors"))
        request_id = request_id or headers.get("x-request-id")
        # The detail of a problem with one wrong field names this field already.
        others = [f"; {one.field} {one.detail}" for one in fields if one.detail not in (detail or "")]
        message = " ".join(["the service answered", str(status), *([code] if code else [])])
        message += f": {detail}" if detail else ""
        message += "".join(others) + (f" (request {request_id})" if request_id else "")
        return cls(
            message,
            status=status,
            code=code,
            title=string(problem.get("title")),
            detail=detail,
            page=string(problem.get("type")),
            fields=fields,
            request_id=request_id,
            retry_after=seconds(headers.get("retry-after")),
            problem=problem,
            headers=headers,
        )


def members(body: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", document) if isinstance(document, dict) else {}


def field_errors(value: Any) -> tuple[FieldError, ...]:
    if not isinstance(value, list):
        return ()
    given = [cast("Mapping[str, Any]", one) for one in cast("list[Any]", value) if isinstance(one, dict)]
    return tuple(FieldError(string(one.get("field")) or "", string(one.get("detail")) or "") for one in given)


def string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def seconds(value: str | None) -> float | None:
    """The pause that a `Retry-After` asks for, as seconds or as a date of HTTP (RFC 9110, 10.2.3)."""
    # More digits are no time that a client could wait.
    if value is None or re.fullmatch("[0-9]{1,9}", value):
        return None if value is None else float(value)
    try:
        date = parsedate(value)
        return None if date is None else max(0.0, timegm(date) - time.time())
    except (ValueError, OverflowError):
        return None
