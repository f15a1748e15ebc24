"""The Python client of Gatepost: API keys in, webhooks out.

`Gatepost` and `AsyncGatepost` call every operation of the API by its name. `Verifier` and `AsyncVerifier` check the API
keys of your callers; `gatepost.fastapi`, `gatepost.django` and `gatepost.flask` do so for routes. `verify_webhook`
checks webhooks that you receive. `EventQueue` publishes in the background.
"""

from gatepost import types
from gatepost.callers import Caller, Owner, Refusal
from gatepost.calls import ABSENT, Absent, AsyncPages, Pages
from gatepost.client import AsyncGatepost, Gatepost
from gatepost.deadline import DeadlineTransport
from gatepost.errors import FieldError, GatepostError
from gatepost.publishing import EventQueue
from gatepost.types import PublishEvent
from gatepost.verdicts import VerifierSettings
from gatepost.verifier import AsyncVerifier, Verifier
from gatepost.webhooks import Webhook, WebhookError, verify_webhook

__all__ = [
    "ABSENT",
    "Absent",
    "AsyncGatepost",
    "AsyncPages",
    "AsyncVerifier",
    "Caller",
    "DeadlineTransport",
    "EventQueue",
    "FieldError",
    "Gatepost",
    "GatepostError",
    "Owner",
    "Pages",
    "PublishEvent",
    "Refusal",
    "Verifier",
    "VerifierSettings",
    "Webhook",
    "WebhookError",
    "types",
    "verify_webhook",
]
