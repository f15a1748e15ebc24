"""Who calls, or how the request is refused."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypedDict

from gatepost.errors import GatepostError
from gatepost.types import Introspection

REALM = 'Bearer realm="api"'
# `Retry-After` when the end of the outage is unknown.
RETRY_AFTER_SECONDS = 1


class Headers(Protocol):
    """The headers of a request, as every framework has them."""

    def items(self) -> Iterable[tuple[str, str]]:
        """The names and values. A name may be there twice."""
        ...


class Owner(TypedDict, total=False):
    """One of the two: a user or an organization."""

    user_id: str
    organization_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The API key of a request, and its owner: a user or an organization. A user and an organization may have the same
    id, and share nothing.
    """

    user_id: str | None = None
    """The subject of the owner's ID tokens; `None` if the owner is an organization."""
    organization_id: str | None = None
    """The id of the organization; `None` if the owner is a user."""
    created_by: str | None = None
    """The member of the organization who created the key, by the `sub`. The key does not act for this user."""
    issuer: str
    """The identity provider of the owner."""
    key_id: str
    """The key's id. It is not a secret, so logs may contain it."""
    label: str
    """The label of the key."""
    scopes: frozenset[str]
    """The scopes of the key. No scope implies another."""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """The pairs that your application attached to the key."""

    @classmethod
    def of(cls, key: Introspection) -> "Caller":
        """The caller with an active key."""
        has_one_owner = (key.sub is None) != (key.org_id is None)
        if not has_one_owner or key.iss is None or key.client_id is None or key.label is None:
            raise GatepostError("unexpected answer: an active key without the documented fields", status=200)
        return cls(
            user_id=key.sub,
            organization_id=key.org_id,
            created_by=key.created_by,
            issuer=key.iss,
            key_id=key.client_id,
            label=key.label,
            scopes=frozenset((key.scope or "").split()),
            metadata=key.metadata or {},
        )

    @property
    def owner(self) -> Owner:
        """The owner as the calls of the API take it: `publish_event(**caller.owner, …)`."""
        if self.user_id is not None:
            return {"user_id": self.user_id}
        assert self.organization_id is not None
        return {"organization_id": self.organization_id}


class Refusal(Exception):
    """Why a request is refused. `status`, `headers` and `body` are the HTTP answer."""

    def __init__(self, status: int, code: str, title: str, detail: str, headers: Mapping[str, str]) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.title = title
        self.headers = {"content-type": "application/problem+json", "cache-control": "no-store", **headers}

    @property
    def body(self) -> bytes:
        """A problem document (RFC 9457) with the same `code` that Gatepost uses."""
        problem = {"type": "about:blank", "title": self.title, "status": self.status, "detail": str(self)}
        return json.dumps({**problem, "code": self.code}).encode()

    def again(self) -> "Refusal":
        """The same refusal for another request: what is raised keeps hold of the request."""
        return Refusal(self.status, self.code, self.title, str(self), self.headers)


def missing() -> Refusal:
    detail = "The request needs an API key in the header x-api-key, or as Authorization: Bearer."
    return Refusal(401, "credential_missing", "Unauthorized", detail, {"www-authenticate": REALM})


def invalid() -> Refusal:
    """Unknown, revoked, expired or malformed: the answer does not say which."""
    headers = {"www-authenticate": f'{REALM}, error="invalid_token"'}
    return Refusal(401, "credential_invalid", "Unauthorized", "The API key is not valid.", headers)


def lacks_scope(required: Iterable[str]) -> Refusal:
    # Without characters that would end the quotes. No key has a scope with such characters.
    scope = re.sub(r'[^ -~]|["\\]', "", " ".join(required))
    headers = {"www-authenticate": f'{REALM}, error="insufficient_scope", scope="{scope}"'}
    return Refusal(403, "insufficient_scope", "Forbidden", "The API key lacks a scope.", headers)


def rate_limited(retry_after: float, answer: Mapping[str, str]) -> Refusal:
    """`answer` has the headers of Gatepost, whose rate limit the caller learns."""
    passed_on = {name: answer[name] for name in ("ratelimit", "ratelimit-policy") if name in answer}
    headers = {"retry-after": str(max(1, math.ceil(retry_after))), **passed_on}
    return Refusal(429, "rate_limited", "Too Many Requests", "The API key is over its rate limit.", headers)


def unavailable() -> Refusal:
    detail = "API keys cannot be verified at the moment. The key may be valid."
    headers = {"retry-after": str(RETRY_AFTER_SECONDS)}
    return Refusal(503, "unavailable", "Service Unavailable", detail, headers)


def key_in(headers: Headers) -> str:
    """The API key of a request, by the rules of Gatepost: several keys must be equal."""
    found: set[str] = set()
    for name, value in headers.items():
        match name.lower():
            # Some servers join the values of a header that is there twice.
            case "x-api-key":
                found.update(key.strip() for key in value.split(","))
            case "authorization":
                for one in re.split(r",\s*(?=\w+ )", value):
                    scheme, _, token = one.partition(" ")
                    if scheme.lower() == "bearer":
                        found.add(token.strip())
            case _:
                pass
    if not found:
        raise missing()
    # A header that is present but empty is an invalid key.
    if "" in found or len(found) > 1:
        raise invalid()
    return found.pop()


def require(caller: Caller, scopes: Iterable[str]) -> Caller:
    """The caller, if the key has all of these scopes. One string may name several, separated by spaces."""
    required = [scope for text in scopes for scope in text.split()]
    if not caller.scopes.issuperset(required):
        raise lacks_scope(required)
    return caller
