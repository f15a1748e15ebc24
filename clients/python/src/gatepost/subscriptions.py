"""Subscriptions that a program makes sure of when it starts."""

from collections.abc import Sequence
from typing import Any

import httpx2

from gatepost import types
from gatepost.calls import Steps, call
from gatepost.operations import CHANGE_SUBSCRIPTION, CREATE_SUBSCRIPTION, LIST_SUBSCRIPTIONS


def ensure(url: str, events: Sequence[str], timeout: float) -> Steps[types.SubscriptionWithSecret]:
    """Finds the subscription of the URL, gives it these events and enables it, or creates it."""
    found = yield from find(url, timeout)
    if found is None:
        return (yield from call(CREATE_SUBSCRIPTION, {"url": url, "events": events}, {}, timeout))
    if set(found.events) != set(events) or not found.enabled:
        members = {"id": found.id, "events": events, "enabled": True}
        changed = yield from call(CHANGE_SUBSCRIPTION, members, {}, timeout)
        found = changed.subscription
    return types.SubscriptionWithSecret(subscription=found)


def find(url: str, timeout: float) -> Steps[types.Subscription | None]:
    cursor: str | None = None
    while True:
        page = yield from call(LIST_SUBSCRIPTIONS, {"limit": 200}, {"cursor": cursor}, timeout)
        for subscription in page.subscriptions:
            if normal(subscription.url) == normal(url):
                return subscription
        cursor = page.next_cursor
        if cursor is None:
            return None


def normal(url: str) -> Any:
    """The parts of a URL that a subscription keeps. The service keeps URLs in normal form."""
    parts = httpx2.URL(url)
    return parts.scheme, parts.raw_host, parts.port, parts.raw_path
