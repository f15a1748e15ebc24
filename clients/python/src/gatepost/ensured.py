"""Ensures the subscriptions of a program when it starts."""

from collections.abc import Mapping
from typing import Any

import httpx2

from gatepost import types
from gatepost.calls import ABSENT, Steps, call
from gatepost.errors import GatepostError
from gatepost.operations import Table

OPERATIONS = {
    "": (
        Table.list_subscriptions,
        Table.create_subscription,
        Table.change_subscription,
        Table.delete_subscription,
    ),
    "user_id": (
        Table.list_user_subscriptions,
        Table.create_user_subscription,
        Table.change_user_subscription,
        Table.delete_user_subscription,
    ),
    "organization_id": (
        Table.list_organization_subscriptions,
        Table.create_organization_subscription,
        Table.change_organization_subscription,
        Table.delete_organization_subscription,
    ),
}
NEEDS_OWNER = "; with an operator token, ensure_subscription needs user_id or organization_id"


class Ensured:
    """The subscriptions of one URL, of the owner who calls, or of one for whom an operator calls."""

    def __init__(self, given: Mapping[str, Any], timeout: float) -> None:
        """`given` has the local variables of `ensure_subscription`."""
        self._settings = {name: value for name, value in given.items() if name != "self" and value is not ABSENT}
        owner = {name: self._settings.pop(name) for name in ("user_id", "organization_id")}
        self._owner = {name: id for name, id in owner.items() if id is not None}
        if len(self._owner) > 1:
            raise ValueError("give user_id or organization_id, not both")
        self._list, self._create, self._change, self._delete = OPERATIONS["".join(self._owner)]
        self._url: str = self._settings.pop("url")
        self._timeout = timeout

    def ensure(self) -> Steps[types.SubscriptionWithSecret]:
        """Finds the subscription of the URL, gives it the events and settings and enables it, or creates it."""
        while True:
            try:
                of_url = yield from self._find()
            except GatepostError as error:
                if error.status == 401 and not self._owner:
                    error.message += NEEDS_OWNER
                raise
            if of_url:
                break
            created = yield from self._create_once()
            if created is not None:
                return created
        found = of_url[0]
        signs = found.signing or "hmac"
        order = found.ordering or "none"
        given = {**self._settings}
        signing, ordering, description, events = (given.pop(name) for name in ("signing", "ordering", "description", "events"))
        del given["secret"]
        if signing not in (None, signs):
            raise ValueError(f"the signatures of {found.id} are {signs}, not {signing}: change them with rotate_secret")
        if ordering not in (None, order):
            raise ValueError(f"the ordering of {found.id} is {order}, not {ordering}: it cannot be changed")
        is_kept = found.enabled and set(found.events) == set(events) and description in (None, found.description)
        # The service tells no value of a header, nor a credential. The texts of 1 and `True` differ.
        known: dict[str, Any] = {"filter": found.filter, "max_per_second": found.max_per_second}
        known |= {"on_exhausted": found.on_exhausted}
        if not is_kept or repr(known | given) != repr(known):
            members = {**self._owner, "id": found.id, "events": events, "enabled": True, "description": description}
            changed = yield from call(self._change, members | given, self._timeout)
            found = changed.subscription
        return types.SubscriptionWithSecret(subscription=found)

    def _create_once(self) -> Steps[types.SubscriptionWithSecret | None]:
        """Creates a subscription. If others have created more at the same time, that with the lowest id remains: `None`
        if it is not that of this call.
        """
        members = {**self._owner, "url": self._url, **self._settings}
        created = yield from call(self._create, members, self._timeout)
        self._url = created.subscription.url
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
            yield from call(self._delete, {**self._owner, "id": id}, self._timeout)
        except GatepostError as error:
            if error.code != "subscription_not_found":
                raise

    def _find(self) -> Steps[list[types.Subscription]]:
        found: list[types.Subscription] = []
        cursor: str | None = None
        while True:
            page = yield from call(self._list, {**self._owner, "limit": 200, "cursor": cursor}, self._timeout)
            found += [one for one in page.subscriptions if normal(one.url) == normal(self._url)]
            cursor = page.next_cursor
            if cursor is None:
                return found


def normal(url: str) -> Any:
    """The parts of a URL that a subscription keeps. The service keeps URLs in normal form."""
    parts = httpx2.URL(url)
    return parts.scheme, parts.raw_host, parts.port, parts.raw_path
