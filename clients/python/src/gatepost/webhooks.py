"""For receivers: verifies that a webhook comes from Gatepost, or another sender that follows Standard Webhooks 1.0."""

import base64
import binascii
import hashlib
import hmac
import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from gatepost import json_form
from gatepost.callers import Headers
from gatepost.types import PublicKey, PublicKeySet

TOLERANCE_SECONDS = 300
SECRET_PREFIX, PUBLIC_KEY_PREFIX = "whsec_", "whpk_"
KEY_BYTES = range(24, 65)
SECRET_CHARACTERS_MAX = 256
# Many more than a rotation needs.
SIGNATURES_MAX = 32
# Larger than any webhook of Gatepost.
BODY_BYTES_MAX = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Key:
    """A key that was read, and the version of the signatures that it verifies."""

    version: str
    value: bytes = field(repr=False)


Secret = str | Mapping[str, Any] | PublicKey | PublicKeySet | Key
"""`whsec_…` or a secret that you chose; a public key as `whpk_…`, as a JWK, or several as a JWKS, such as the answer of
`show_webhook_keys`.
"""

Secrets = Secret | Sequence[Secret]


class WebhookError(Exception):
    """Why a webhook is refused. Answer the request with `status`, and do nothing else."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """`missing_header`, `unreadable_timestamp`, `too_old`, `too_new`, `wrong_signature`, `not_json` or `too_large`."""
        self.status = 413 if reason == "too_large" else 400


@dataclass(frozen=True, slots=True)
class Webhook:
    """A genuine webhook. It may arrive more than once: ignore an `id` that you have handled."""

    id: str
    """The event's id, the same at every attempt."""
    timestamp: int
    """The time of the attempt, in seconds since 1970-01-01."""
    body: bytes
    """The body as it was signed."""

    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)

    @property
    def type(self) -> str:
        """The type of the event, such as `invoice.paid`."""
        return self.json()["type"]

    @property
    def data(self) -> Any:
        """The data of the event."""
        return self.json()["data"]


def verify_webhook(
    body: bytes,
    headers: Headers,
    secrets: Secrets,
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> Webhook:
    """Checks the signature and the age of a webhook.

    `body` is the raw body: `await request.body()` in FastAPI, `request.body` in Django, `request.get_data()` in Flask.
    While a secret is replaced, give both. `tolerance_seconds` is how far the timestamp may be from now, before or after.
    Whole seconds count, so that 0 accepts a webhook of this second. `now` is for tests.
    """
    if not isinstance(cast("Any", body), (bytes, bytearray, memoryview)):
        raise TypeError(
            f"the body must be the raw bytes of the request, not {type(body).__name__}: "
            "JSON that was parsed and written again has other bytes, and its signature does not match"
        )
    body = bytes(body)
    if not 0 <= tolerance_seconds < math.inf:
        raise ValueError("tolerance_seconds must be a number of seconds, 0 or more")
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    given = {name.lower(): value for name, value in headers.items() if name.lower() in names}
    missing = [name for name in names if name not in given]
    if missing:
        raise WebhookError("missing_header", f"the header {missing[0]} is missing")
    id, timestamp, signatures = (given[name] for name in names)
    check_timestamp(timestamp, tolerance_seconds, math.floor(time.time() if now is None else now))
    signed = b".".join([id.encode(errors="replace"), timestamp.encode(), body])
    keys = keys_in(secrets)
    if not any(matches(key, signed, signature) for signature in signatures.split(" ")[:SIGNATURES_MAX] for key in keys):
        raise WebhookError("wrong_signature", "no signature matches")
    return Webhook(id, int(timestamp), body)


def received(body: bytes, headers: Headers, secrets: Secrets) -> Webhook:
    """As `verify_webhook`, for views: the body must be a JSON object too, and may not be too large."""
    if len(body) > BODY_BYTES_MAX:
        raise WebhookError("too_large", "the webhook is too large")
    webhook = verify_webhook(body, headers, secrets)
    with suppress(ValueError, RecursionError):
        if isinstance(webhook.json(), dict):
            return webhook
    raise WebhookError("not_json", "the body is not a JSON object")


def check_timestamp(text: str, tolerance_seconds: float, now: int) -> None:
    # Only digits: `+1` and `1` are the same number, but have different signatures.
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise WebhookError("unreadable_timestamp", "the header webhook-timestamp is not a number of seconds")
    if now - int(text) > tolerance_seconds:
        raise WebhookError("too_old", "the timestamp is too old")
    if int(text) - now > tolerance_seconds:
        raise WebhookError("too_new", "the timestamp is too far ahead")


def keys_in(secrets: Secrets) -> list[Key]:
    """The keys. Receivers read them when they are defined, so that a program with a wrong one does not start."""
    is_one = isinstance(secrets, (str, Mapping, PublicKey, PublicKeySet, Key))
    keys = list(keys_of([secrets] if is_one else secrets))
    if not keys:
        raise ValueError("there is no secret")
    return keys


def keys_of(secrets: Iterable[Secret]) -> Iterator[Key]:
    for secret in secrets:
        if isinstance(secret, Key):
            yield secret
        elif not isinstance(secret, str):
            yield from keys_of_jwks(json_form.encode(secret))
        elif secret.startswith(PUBLIC_KEY_PREFIX):
            yield public_key(decoded(secret.removeprefix(PUBLIC_KEY_PREFIX)))
        else:
            yield Key("v1", secret_bytes(secret))


def keys_of_jwks(document: Mapping[str, Any]) -> Iterator[Key]:
    """The Ed25519 keys of a JWKS or a JWK. Keys of other kinds are for others, and one that is malformed takes nothing
    from the others of its set.
    """
    keys = document.get("keys", [document])
    for key in cast("Sequence[Any]", keys if isinstance(keys, (list, tuple)) else ()):
        match key:
            case {"kty": "OKP", "crv": "Ed25519", "x": str(x)}:
                with suppress(ValueError):
                    yield public_key(base64.urlsafe_b64decode(x + "=" * (-len(x) % 4)))
            case _:
                pass


def public_key(value: bytes | None) -> Key:
    if value is None or len(value) != 32:
        raise ValueError("a public key must be the base64 of 32 bytes")
    ed25519()
    return Key("v1a", value)


def secret_bytes(text: str) -> bytes:
    if not 1 <= len(text) <= SECRET_CHARACTERS_MAX:
        raise ValueError(f"a secret must have 1 to {SECRET_CHARACTERS_MAX} characters")
    if not text.startswith(SECRET_PREFIX):
        return text.encode()
    key = decoded(text.removeprefix(SECRET_PREFIX))
    if key is None or len(key) not in KEY_BYTES:
        raise ValueError("the part after `whsec_` must be the base64 of 24 to 64 bytes")
    return key


def matches(key: Key, signed: bytes, signature: str) -> bool:
    version, _, text = signature.partition(",")
    value = decoded(text) if version == key.version else None
    if value is None:
        return False
    if version == "v1":
        return hmac.compare_digest(value, hmac.digest(key.value, signed, hashlib.sha256))
    return is_signed_by(key.value, signed, value)


def is_signed_by(public: bytes, signed: bytes, signature: bytes) -> bool:
    key, invalid_signature = ed25519()
    try:
        key.from_public_bytes(public).verify(signature, signed)
    except (invalid_signature, ValueError):
        return False
    return True


def ed25519() -> Any:
    """The class of public keys, and the error of a signature that is wrong."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ImportError("public keys need the package cryptography: pip install gatepost[ed25519]") from error
    return Ed25519PublicKey, InvalidSignature


def decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
