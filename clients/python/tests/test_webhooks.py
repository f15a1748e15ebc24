"""Webhooks that were signed here, as Standard Webhooks 1.0 says."""

import base64
import hashlib
import hmac
import json
import math
import sys
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gatepost import WebhookError, verify_webhook
from gatepost.types import PublicKey, PublicKeySet

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "a secret of my own"
NOW = 1_795_225_323
BODY = b'{"type":"invoice.paid","timestamp":"2026-11-21T01:42:03.120Z","data":{"n":1}}'
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = PRIVATE.public_key().public_bytes_raw()


def key(secret: str) -> bytes:
    return base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()


def v1(secret: str, body: bytes = BODY, timestamp: object = NOW) -> str:
    signed = f"evt_1.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key(secret), signed, hashlib.sha256)).decode()


def v1a(body: bytes = BODY) -> str:
    return "v1a," + base64.b64encode(PRIVATE.sign(f"evt_1.{NOW}.".encode() + body)).decode()


def headers(signature: str, timestamp: object = NOW) -> dict[str, str]:
    return {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(timestamp), "Webhook-Signature": signature}


def verdict(signature: str, secrets: Any = SECRET, body: Any = BODY, timestamp: object = NOW, now: float = NOW) -> str:
    try:
        webhook = verify_webhook(body, headers(signature, timestamp), secrets, now=now)
    except WebhookError as error:
        return str(error)
    assert (webhook.id, webhook.timestamp, webhook.body) == ("evt_1", int(str(timestamp)), BODY)
    assert (webhook.type, webhook.data) == ("invoice.paid", {"n": 1})
    return "genuine"


def test_a_genuine_webhook_is_accepted_and_a_changed_one_is_not() -> None:
    assert verdict(v1(SECRET)) == "genuine"
    assert verdict(v1(SECRET), body=bytearray(BODY)) == "genuine"
    of_others = [v1(OTHER), v1(SECRET, BODY + b" "), v1(SECRET, timestamp=NOW + 1)]
    for wrong in [*of_others, "", "v1,", v1(SECRET) + "%", v1(SECRET)[3:]]:
        assert verdict(wrong) == "no signature matches", wrong
    assert verdict("v2" + v1(SECRET)[2:]) == "no signature matches"


def test_one_of_several_signatures_and_secrets_suffices() -> None:
    assert verdict(f"{v1(OTHER)} {v1(SECRET)}") == "genuine"
    assert verdict(v1(SECRET), [OTHER, SECRET]) == "genuine"
    assert verdict(v1(OTHER), [OTHER, SECRET]) == "genuine"
    with pytest.raises(ValueError, match="no secret"):
        verdict(v1(OTHER), [])
    assert verdict(" ".join([v1(OTHER)] * 32 + [v1(SECRET)])) == "no signature matches"


def test_an_ed25519_signature_is_verified_with_the_public_key() -> None:
    x = base64.urlsafe_b64encode(PUBLIC).decode().rstrip("=")
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": x}
    whpk = "whpk_" + base64.b64encode(PUBLIC).decode()
    for public in (whpk, jwk, {"keys": [{"kty": "RSA"}, jwk]}, [SECRET, whpk]):
        assert verdict(v1a(), public) == "genuine"
        assert verdict(v1a(BODY + b" "), public) == "no signature matches"
    # A public key is no secret: whoever knows it must not be able to sign.
    forged = "v1," + base64.b64encode(hmac.digest(PUBLIC, f"evt_1.{NOW}.".encode() + BODY, hashlib.sha256)).decode()
    assert verdict(forged, whpk) == "no signature matches"
    assert verdict("v1a," + v1(SECRET)[3:], SECRET) == "no signature matches"


def test_the_answer_with_the_public_keys_of_a_subscription_verifies() -> None:
    x = base64.urlsafe_b64encode(PUBLIC).decode().rstrip("=")
    shown = PublicKey(kty="OKP", crv="Ed25519", x=x, kid="k", use="sig", alg="EdDSA")
    for public in (shown, PublicKeySet(keys=(shown,)), [SECRET, PublicKeySet(keys=(shown,))]):
        assert verdict(v1a(), public) == "genuine"
        assert verdict(v1a(BODY + b" "), public) == "no signature matches"


def test_an_old_and_a_future_timestamp_are_refused() -> None:
    for now, expected in [(300, "genuine"), (301, "the timestamp is too old"), (-300, "genuine")]:
        assert verdict(v1(SECRET), now=NOW + now) == expected
    assert verdict(v1(SECRET), now=NOW - 301) == "the timestamp is too far ahead"
    for timestamp in ("", f"+{NOW}", f"{NOW}.0", f" {NOW}", "²", "9" * 30):
        signature = v1(SECRET, timestamp=timestamp)
        assert verdict(signature, timestamp=timestamp) == "the header webhook-timestamp is not a number of seconds"
    with pytest.raises(WebhookError, match="the header webhook-id is missing"):
        verify_webhook(BODY, {"webhook-timestamp": "1", "webhook-signature": ""}, SECRET)


@pytest.mark.parametrize("tolerance", [math.nan, -1, -math.inf, math.inf])
def test_a_tolerance_is_a_number_of_seconds(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance_seconds"):
        verify_webhook(BODY, headers(v1(SECRET)), SECRET, tolerance_seconds=tolerance, now=NOW)


def test_a_tolerance_of_zero_accepts_this_second_alone() -> None:
    assert verify_webhook(BODY, headers(v1(SECRET)), SECRET, tolerance_seconds=0, now=NOW + 0.9).id == "evt_1"
    with pytest.raises(WebhookError, match="too old"):
        verify_webhook(BODY, headers(v1(SECRET)), SECRET, tolerance_seconds=0, now=NOW + 1)


@pytest.mark.parametrize("body", [json.loads(BODY), BODY.decode(), None])
def test_a_parsed_body_is_refused_with_the_reason(body: Any) -> None:
    with pytest.raises(TypeError, match=f"raw bytes of the request, not {type(body).__name__}"):
        verify_webhook(body, headers(v1(SECRET)), SECRET)


@pytest.mark.parametrize("secret", ["", "x" * 257, "whsec_", "whsec_%", "whsec_YQ==", "whpk_YQ=="])
def test_a_wrong_secret_is_the_fault_of_the_program(secret: str) -> None:
    with pytest.raises(ValueError):
        verify_webhook(BODY, headers(v1(SECRET)), secret, now=NOW)


def test_a_public_key_without_cryptography_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    with pytest.raises(ImportError, match=r"gatepost\[ed25519\]"):
        verdict(v1a(), "whpk_" + base64.b64encode(PUBLIC).decode())
