"""Subscriptions that a program makes sure of when it starts."""

from collections.abc import Sequence
from typing import Any

import httpx2

from gatepost import operations, types
from gatepost.calls import Steps, call
from gatepost.errors import GatepostError

OPERATIONS = {
    "": (
        operations.LIST_SUBSCRIPTIONS,
        operations.CREATE_SUBSCRIPTION,
        operations.CHANGE_SUBSCRIPTION,
        operations.DELETE_SUBSCRIPTION,
    ),
    "userId": (
        operations.LIST_USER_SUBSCRIPTIONS,
        operations.CREATE_USER_SUBSCRIPTION,
        operations.CHANGE_USER_SUBSCRIPTION,
        operations.DELETE_USER_SUBSCRIPTION,
    ),
    "organizationId": (
        operations.LIST_ORGANIZATION_SUBSCRIPTIONS,
        operations.CREATE_ORGANIZATION_SUBSCRIPTION,
        operations.CHANGE_ORGANIZATION_SUBSCRIPTION,
        operations.DELETE_ORGANIZATION_SUBSCRIPTION,
    ),
}
NEEDS_OWNER = "; with an operator token, ensure_subscription needs user_id or organization_id"


class Ensured:
    """The subscriptions of one URL, of the owner who calls, or of one for whom an operator calls."""

    def __init__(self, url: str, user_id: str | None, organization_id: str | None, timeout: float) -> None:
        given = {"userId": user_id, "organizationId": organization_id}
        self._owner = {name: id for name, id in given.items() if id is not None}
        if len(self._owner) > 1:
            raise ValueError("give user_id or organization_id, not both")
        self._list, self._create, self._change, self._delete = OPERATIONS["".join(self._owner)]
        self._url = url
        self._timeout = timeout

    def ensure(self, events: Sequence[str], secret: str | None) -> Steps[types.SubscriptionWithSecret]:
        """Finds the subscription of the URL, gives it these events and enables it, or creates it."""
        while True:
            try:
                of_url = yield from self._find()
            except GatepostError as error:
                if error.status == 401 and not self._owner:
                    error.message += NEEDS_OWNER
                raise
            if of_url:
                break
            created = yield from self._create_once(events, secret)
            if created is not None:
                return created
        found = of_url[0]
        if set(found.events) != set(events) or not found.enabled:
            members = {**self._owner, "id": found.id, "events": events, "enabled": True}
            changed = yield from call(self._change, members, {}, self._timeout)
            found = changed.subscription
        return types.SubscriptionWithSecret(subscription=found)

    def _create_once(self, events: Sequence[str], secret: str | None) -> Steps[types.SubscriptionWithSecret | None]:
        """Creates a subscription. If others have created more at the same time, that with the lowest id remains: `None`
        if it is not that of this call.
        """
        members = {**self._owner, "url": self._url, "events": events}
        created = yield from call(self._create, members, {"secret": secret}, self._timeout)
        try:
            of_url = yield from self._find()
            first, *others = sorted(one.id for one in of_url)
            for id in others:
                yield from self._remove(id)
        except (GatepostError, ValueError):
            # Better two subscriptions than a secret that nobody has.
            return created
        return created if first == created.subscription.id else None

    def _remove(self, id: str) -> Steps[None]:
        try:
            yield from call(self._delete, {**self._owner, "id": id}, {}, self._timeout)
        except GatepostError as error:
            if error.code != "subscription_not_found":
                raise

    def _find(self) -> Steps[list[types.Subscription]]:
        found: list[types.Subscription] = []
        cursor: str | None = None
        while True:
            page = yield from call(self._list, {**self._owner, "limit": 200}, {"cursor": cursor}, self._timeout)
            found += [one for one in page.subscriptions if normal(one.url) == normal(self._url)]
            cursor = page.next_cursor
            if cursor is None:
                return found


def normal(url: str) -> Any:
    """The parts of a URL that a subscription keeps. The service keeps URLs in normal form."""
    parts = httpx2.URL(url)
    return parts.scheme, parts.raw_host, parts.port, parts.raw_path
