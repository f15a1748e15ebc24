"""What the clients add to the operations, at the real binary."""

import asyncio
import inspect
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from service import Service

from gatepost import (
    AsyncGatepost,
    AsyncVerifier,
    EventQueue,
    Gatepost,
    GatepostError,
    PublishEvent,
    Refusal,
    Verifier,
    VerifierSettings,
    types,
)
from gatepost.types import AppliedEventType

# A busy machine may take longer than the second of the defaults, and the refusal is then 503.
PATIENT = VerifierSettings(call_timeout=10)
URL = "https://127.0.0.1:1025/Ensured"
PAIR = Path(__file__).parents[3] / "crates/adapters-egress/tests/suite/pairs/ecdsa.pem"
CHAIN, END, KEY = PAIR.read_text().partition("-----END CERTIFICATE-----\n")


def test_a_subscription_is_ensured_once_and_gets_the_events_of_the_last_call(service: Service) -> None:
    async def ensured(events: list[str]) -> str | None:
        async with AsyncGatepost(service.url, service.id_token) as gatepost:
            return (await gatepost.ensure_subscription(url=URL, events=events)).secret

    with Gatepost(service.url, service.id_token) as gatepost:
        first = gatepost.ensure_subscription(url=URL, events=["a.*", "b"])
        assert first.secret is not None
        again = gatepost.ensure_subscription(url="HTTPS://127.0.0.1:1025/a/../Ensured", events=["b", "a.*"])
        assert (again.secret, again.subscription) == (None, first.subscription)
        assert asyncio.run(ensured(["c"])) is None
        found = [one for one in gatepost.list_subscriptions() if one.url == URL]
        assert [one.events for one in found] == [("c",)]
        gatepost.change_subscription(found[0].id, enabled=False)
        assert gatepost.ensure_subscription(url=URL, events=["c"]).subscription.enabled
        gatepost.delete_subscription(found[0].id)


def test_a_url_that_the_service_writes_in_another_way_is_ensured_once(service: Service) -> None:
    url = "https://127.0.0.1:1025/odd?who=o'neil"
    with Gatepost(service.url, service.id_token) as gatepost:
        first = gatepost.ensure_subscription(url=url, events=["a"])
        again = gatepost.ensure_subscription(url=url, events=["b"])
        assert (again.secret, again.subscription.id) == (None, first.subscription.id)
        assert [one.events for one in gatepost.list_subscriptions() if "odd" in one.url] == [("b",)]
        gatepost.delete_subscription(first.subscription.id)


ENSURED: dict[str, Any] = {
    "auth": types.BearerAuth(type="bearer", token="secret"),
    "client_certificate": types.ClientCertificate(chain=CHAIN + END, key=KEY),
    "description": "d",
    "filter": {"path": "/data", "op": "eq", "value": 1},
    "headers": {"x-a": "b"},
    "max_per_second": 2.5,
    "on_exhausted": "stop",
    "ordering": "subscription",
    "secret": "a secret of my own",
    "signing": "both",
}


def with_order(wanted: dict[str, Any]) -> dict[str, Any]:
    """With the ordering that `on_exhausted` needs."""
    return wanted | ({"ordering": "subscription"} if "on_exhausted" in wanted else {})


@pytest.mark.parametrize("wanted", [with_order({name: value}) for name, value in ENSURED.items()] + [{"signing": "hmac"}, {"signing": "ed25519"}])
def test_a_subscription_is_ensured_with_each_member_and_keeps_its_signatures(service: Service, wanted: dict[str, Any]) -> None:
    async def ensured() -> types.Subscription:
        async with AsyncGatepost(service.url, service.id_token) as gatepost:
            return (await gatepost.ensure_subscription(url=URL, events=["a"], **wanted)).subscription

    with Gatepost(service.url, service.id_token) as gatepost:
        ensure = cast("Any", gatepost.ensure_subscription)
        assert set(inspect.signature(ensure).parameters) == {"url", "events", "user_id", "organization_id", *ENSURED}
        first = ensure(url=URL, events=["a"], **wanted).subscription
        for again in (ensure(url=URL, events=["a"], **wanted).subscription, asyncio.run(ensured())):
            assert (again.id, again.filter, again.description) == (first.id, wanted.get("filter"), wanted.get("description", ""))
            assert (again.signing or "hmac") == wanted.get("signing", "hmac")
        other = "hmac" if wanted.get("signing") == "ed25519" else "ed25519"
        with pytest.raises(ValueError, match=f"{first.id} .*, not {other}: change .* with rotate_secret"):
            ensure(url=URL, events=["z"], **{**wanted, "signing": other})
        order = "none" if first.ordering else "subscription"
        with pytest.raises(ValueError, match=f"{first.id} is .*, not {order}: it cannot be changed"):
            ensure(url=URL, events=["z"], **{**wanted, "ordering": order})
        assert gatepost.find_subscription(first.id).subscription.events == ("a",)
        gatepost.delete_subscription(first.id)


def test_a_subscription_that_exists_gets_all_that_is_given(service: Service) -> None:
    with Gatepost(service.url, service.id_token) as gatepost:
        id = gatepost.ensure_subscription(url=URL, events=["a"], ordering="subscription").subscription.id
        settings = {name: value for name, value in ENSURED.items() if name != "signing"}
        changed = gatepost.ensure_subscription(url=URL, events=["a"], **settings).subscription
        assert (changed.id, changed.description, changed.filter) == (id, "d", ENSURED["filter"])
        assert changed.auth and changed.headers and changed.headers[0].name == "x-a"
        true = {**ENSURED["filter"], "value": True}
        assert gatepost.ensure_subscription(url=URL, events=["a"], filter=true).subscription.filter == true
        kept = gatepost.ensure_subscription(url=URL, events=["a"]).subscription
        assert kept.filter and kept.filter["value"] is True
        bare = gatepost.ensure_subscription(url=URL, events=["a"], auth=None, filter=None, headers=None).subscription
        assert (bare.auth, bare.filter, bare.headers) == (None, None, None)
        gatepost.delete_subscription(id)


def test_one_subscription_remains_when_several_processes_start(service: Service) -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    async def ensured() -> list[types.SubscriptionWithSecret]:
        async with AsyncGatepost(service.url, service.id_token) as gatepost:
            calls = [gatepost.ensure_subscription(url=URL, events=["a"], secret=secret) for _ in range(8)]
            return await asyncio.gather(*calls)

    with Gatepost(service.url, service.id_token) as gatepost:
        for _ in range(5):
            answers = asyncio.run(ensured())
            found = [one.id for one in gatepost.list_subscriptions() if one.url == URL]
            assert len(found) == 1
            assert found[0] in [one.subscription.id for one in answers]
            gatepost.delete_subscription(found[0])


def test_a_catalogue_is_applied_once(service: Service) -> None:
    paid = {"name": "v2/paid", "schema": {"type": "object", "required": ["id"]}, "validation": "enforce"}
    since = datetime(2026, 11, 21, tzinfo=UTC)
    old = {"name": "old", "examples": [1.5], "deprecated": {"since": since, "replacement": "v2/paid"}}

    async def applied(catalogue: list[dict[str, Any]]) -> list[AppliedEventType]:
        async with AsyncGatepost(service.url, service.operator_token) as gatepost:
            return await gatepost.event_types.apply(catalogue)

    with Gatepost(service.url, service.operator_token) as gatepost:
        catalogue = gatepost.event_types
        created = [AppliedEventType(name="v2/paid", change="created"), AppliedEventType(name="old", change="created")]
        assert catalogue.apply([paid, old], dry_run=True) == created
        assert catalogue.apply([paid, old]) == created
        assert asyncio.run(applied([paid, old])) == []
        titled = {**paid, "title": "Paid"}
        changes = [AppliedEventType(name="v2/paid", change="changed"), AppliedEventType(name="old", change="archived")]
        assert catalogue.apply([titled], dry_run=True, prune=True) == changes
        assert catalogue.apply([titled], prune=True) == changes
        assert catalogue.apply([titled], prune=True) == []
        breaking = [{**titled, "schema": {"type": "object", "required": ["id", "total"]}}]
        with pytest.raises(GatepostError) as error:
            catalogue.apply(breaking)
        assert error.value.code == "schema_breaks"
        with pytest.raises(GatepostError, match="is in the body twice: old"):
            catalogue.apply([old, old])
        assert len(catalogue.apply(breaking, force=True)) == 1
        assert catalogue.apply([], prune=True) == [AppliedEventType(name="v2/paid", change="archived")]


def test_a_client_works_in_one_event_loop_after_the_other(service: Service) -> None:
    gatepost = AsyncGatepost(service.url, service.id_token)

    async def user() -> str | None:
        return (await gatepost.whoami()).user_id

    assert [asyncio.run(user()) for _ in range(3)] == ["alice"] * 3


@pytest.mark.parametrize("owner", [{"user_id": "ensured"}, {"organization_id": "ensured"}])
def test_an_operator_ensures_a_subscription_of_an_owner(service: Service, owner: Any) -> None:
    async def ensured() -> types.SubscriptionWithSecret:
        async with AsyncGatepost(service.url, service.operator_token) as gatepost:
            return await gatepost.ensure_subscription(**owner, url=URL, events=["b"])

    with Gatepost(service.url, service.operator_token) as operator:
        first = operator.ensure_subscription(**owner, url=URL, events=["a"])
        assert first.secret is not None
        again = asyncio.run(ensured())
        assert (again.secret, again.subscription.id) == (None, first.subscription.id)
        assert again.subscription.events == ("b",)
        with pytest.raises(GatepostError, match="with an operator token, ensure_subscription needs user_id or organization_id"):
            operator.ensure_subscription(url=URL, events=["a"])
        with pytest.raises(ValueError, match="user_id or organization_id"):
            operator.ensure_subscription(user_id="a", organization_id="a", url=URL, events=["a"])


def test_a_queue_publishes_at_the_service(service: Service) -> None:
    with Gatepost(service.url, service.operator_token) as gatepost:
        refused: list[object] = []

        def on_error(error: Exception, events: list[PublishEvent]) -> None:
            assert isinstance(error, GatepostError)
            refused.append(([event.data for event in events], error.code))

        with EventQueue(gatepost, on_error=on_error) as queue:
            for number in range(3):
                queue.put(user_id="queued", type="order.created" if number != 1 else "not a type", data=number)
        assert refused == [([1], "invalid_field")]
        lost: list[Exception] = []
        wrong = Gatepost(service.url, "wrong")
        with wrong, EventQueue(wrong, on_error=lambda error, _: lost.append(error)) as queue:
            queue.put(user_id="queued", type="order.created", data=1)
        assert [one.code for one in lost if isinstance(one, GatepostError)] == ["credential_invalid"]
        assert [one.event.type for one in gatepost.list_events(user_id="queued")] == ["order.created"] * 2


def test_a_key_is_admitted_at_the_service(service: Service) -> None:
    user, operator = Gatepost(service.url, service.id_token), Gatepost(service.url, service.operator_token)
    created = user.create_api_key(label="for the door", scopes=["a"])
    verifier = Verifier(operator, PATIENT)
    caller = verifier.admit({"x-api-key": created.key}, "a")
    assert (caller.user_id, caller.key_id, caller.label) == ("alice", created.key_id, "for the door")
    assert caller.scopes == {"a"}
    user.revoke_api_key(key_id=created.key_id)
    with pytest.raises(Refusal) as refusal:
        Verifier(operator, PATIENT).admit({"x-api-key": created.key})
    assert refusal.value.status == 401
    with pytest.raises(Refusal) as refusal:  # The token of a user may not verify keys, which says nothing of the key.
        Verifier(user, PATIENT).admit({"x-api-key": created.key})
    assert refusal.value.status == 503


def test_a_revoked_key_is_refused_within_a_second(service: Service) -> None:
    user, verifier = Gatepost(service.url, service.id_token), Verifier(Gatepost(service.url, service.operator_token), PATIENT)
    created = user.create_api_key(label="revoked")
    headers = {"x-api-key": created.key}
    assert verifier.admit(headers).user_id == "alice"
    user.revoke_api_key(key_id=created.key_id)
    # The bound of a second, and one more.
    end, refused = time.monotonic() + 2, None
    while refused is None and time.monotonic() < end:
        time.sleep(0.02)
        try:
            verifier.admit(headers)
        except Refusal as refusal:
            refused = refusal.status
    assert refused == 401


def test_no_error_and_no_text_has_a_credential(service: Service) -> None:
    async def verify() -> None:
        await AsyncVerifier(AsyncGatepost("http://127.0.0.1:1", "secret-token")).verify("secret-key")

    for url in (service.url, "http://127.0.0.1:1"):
        with pytest.raises(GatepostError) as error:
            Gatepost(url, "secret-token").list_api_keys()
        assert "secret" not in str(error.value) + repr(error.value.__cause__)
    with pytest.raises(Refusal) as refusal:
        asyncio.run(verify())
    assert "secret" not in str(refusal.value) + refusal.value.body.decode()
