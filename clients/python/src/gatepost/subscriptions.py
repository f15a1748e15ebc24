"""Subscriptions that a program makes sure of when it starts."""

from collections.abc import Sequence
from typing import Any

import httpx2

from gatepost import types
from gatepost.calls import Steps, call
from gatepost.errors import GatepostError
from gatepost.operations import CHANGE_SUBSCRIPTION, CREATE_SUBSCRIPTION, DELETE_SUBSCRIPTION, LIST_SUBSCRIPTIONS


def ensure(
    url: str, events: Sequence[str], secret: str | None, timeout: float
) -> Steps[types.SubscriptionWithSecret]:
    """Finds the subscription of the URL, gives it these events and enables it, or creates it."""
    while True:
        of_url = yield from find(url, timeout)
        if of_url:
            break
        created = yield from create(url, events, secret, timeout)
        if created is not None:
            return created
    found = of_url[0]
    if set(found.events) != set(events) or not found.enabled:
        members = {"id": found.id, "events": events, "enabled": True}
        changed = yield from call(CHANGE_SUBSCRIPTION, members, {}, timeout)
        found = changed.subscription
    return types.SubscriptionWithSecret(subscription=found)


def create(
    url: str, events: Sequence[str], secret: str | None, timeout: float
) -> Steps[types.SubscriptionWithSecret | None]:
    """Creates a subscription. If others have created more at the same time, that with the lowest id remains: `None` if
    it is not that of this call.
    """
    created = yield from call(CREATE_SUBSCRIPTION, {"url": url, "events": events}, {"secret": secret}, timeout)
    try:
        of_url = yield from find(url, timeout)
        first, *others = sorted(one.id for one in of_url)
        for id in others:
            yield from delete(id, timeout)
    except (GatepostError, ValueError):
        # Better two subscriptions than a secret that nobody has.
        return created
    return created if first == created.subscription.id else None


def delete(id: str, timeout: float) -> Steps[None]:
    try:
        yield from call(DELETE_SUBSCRIPTION, {"id": id}, {}, timeout)
    except GatepostError as error:
        if error.code != "subscription_not_found":
            raise


def find(url: str, timeout: float) -> Steps[list[types.Subscription]]:
    """The subscriptions of a URL."""
    found: list[types.Subscription] = []
    cursor: str | None = None
    while True:
        page = yield from call(LIST_SUBSCRIPTIONS, {"limit": 200}, {"cursor": cursor}, timeout)
        found += [one for one in page.subscriptions if normal(one.url) == normal(url)]
        cursor = page.next_cursor
        if cursor is None:
            return found


def normal(url: str) -> Any:
    """The parts of a URL that a subscription keeps. The service keeps URLs in normal form."""
    parts = httpx2.URL(url)
    return parts.scheme, parts.raw_host, parts.port, parts.raw_path
