"""Every operation of the OpenAPI document is called, with both clients, at the real binary."""

import asyncio
import base64
import inspect
import json
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import httpx2
import pytest
from service import ROOT, Service

from gatepost import AsyncGatepost, Gatepost, GatepostError, PublishEvent, operations, types
from gatepost.calls import Operation, new_id

# A receiver that refuses connections, so that deliveries fail and wait.
DEAD_URL = "http://127.0.0.1:1025/hook"
KINDS = [Gatepost, AsyncGatepost]


@cache
def operation_ids() -> set[str]:
    document = json.loads((ROOT / "docs/openapi.json").read_text())
    methods = [method for path in document["paths"].values() for method in path.values() if isinstance(method, dict)]
    return {method["operationId"] for method in methods if "operationId" in method}


def ids_in_table() -> dict[str, str]:
    """The ids by the names in the table."""
    return {re.sub("(?<!^)(?=[A-Z])", "_", id).lower(): id for id in operation_ids()}


class Session:
    """Calls one of the two clients, and counts what it called."""

    def __init__(self, kind: type[Any], service: Service) -> None:
        self.kind = kind
        self.service = service
        self.called: set[str] = set()

    def client(self, token: str | None = None, **arguments: Any) -> Callable[..., Awaitable[Any]]:
        client = self.kind(self.service.url, token, **arguments)

        async def call(name: str, *args: Any, **kwargs: Any) -> Any:
            self.called.add(name)
            result = getattr(client, name)(*args, **kwargs)
            if inspect.isawaitable(result):
                return await result
            if inspect.isasyncgen(result) or hasattr(result, "__aiter__"):
                return [await anext(result)] if name.startswith("stream_") else [item async for item in result]
            if name.startswith("stream_"):
                return await asyncio.to_thread(lambda: [next(result)])
            return list(result) if hasattr(result, "pages") else result

        return call

    def browser(self) -> Callable[..., Awaitable[Any]]:
        http = httpx2.Client if self.kind is Gatepost else httpx2.AsyncClient
        return self.client(http=http(headers={"origin": self.service.url}))


@pytest.mark.parametrize("kind", KINDS)
def test_every_operation_is_called(kind: type[Any], service: Service) -> None:
    session = Session(kind, service)
    asyncio.run(everything(session))
    ids = ids_in_table()
    assert {ids[name] for name in session.called} == operation_ids()


async def everything(session: Session) -> None:
    user, operator = session.client(session.service.id_token), session.client(session.service.operator_token)
    await keys(session, user, operator)
    await catalogue(user, operator)
    await organizations(operator)
    for kind, owner in (("user", "carol"), ("organization", "globex")):
        await a_customer(acting(operator, kind, owner))
    created = await user("create_api_key", label="for webhooks")
    key = session.client(created.key)
    await webhooks(user, operator, key)
    await subscriptions(key, operator)
    await pulled(key, operator)
    await sessions(session, user, operator)
    await the_rest(session, operator, key)


async def keys(session: Session, user: Any, operator: Any) -> None:
    soon = datetime.now(UTC) + timedelta(days=1)
    created = await user("create_api_key", label="CI", scopes=["orders:read"], expires_at=soon)
    listed = (await user("list_api_keys")).keys
    assert listed[0].id == created.key_id and listed[0].scopes == ("orders:read",)
    assert abs(listed[0].expires_at - soon) < timedelta(seconds=1)
    assert created.key not in repr(created)
    rotated = await user("rotate_api_key", created.key_id, overlap_seconds=60)
    who = await session.client(rotated.key)("whoami")
    assert (who.user_id, who.credential.kind, who.credential.key_id) == ("alice", "apiKey", rotated.key_id)
    assert (await operator("introspect", token=rotated.key, scopes=["orders:read"])).client_id == rotated.key_id
    assert (await operator("introspect", token=rotated.key, scopes=["orders:write"])).active is False
    assert (await user("show_daily_uses")).keys[0].days
    assert (await user("show_key_usage", rotated.key_id, hours=2)).total.accepted >= 0
    assert (await operator("report_leaks", tokens=["unknown"])).key_ids == (None,)
    assert (await user("change_api_key", rotated.key_id, metadata={"plan": "pro"}, disabled=True)).disabled_at
    assert (await user("change_api_key", rotated.key_id, disabled=False)).metadata == {"plan": "pro"}
    assert (await user("change_api_key", rotated.key_id, rate_limit="9/s")).rate_limit == "9/s"
    assert (await user("change_api_key", rotated.key_id, rate_limit=None)).rate_limit is None
    await user("revoke_api_key", key_id=created.key_id)
    assert (await operator("list_user_api_keys", "alice")).keys
    found = await operator("list_owners", query="alice", state="active", limit=1)
    assert (found[0].kind, found[0].id, found[0].active_keys > 0) == ("user", "alice", True)
    assert (await operator("revoke_user_api_key", "alice", rotated.key_id)).keys
    assert (await operator("revoke_user_api_keys", "bob")).revoked_count == 0
    assert (await operator("erase_user", "mallory", confirm="mallory")).state.state == "erasing"
    assert (await operator("erase_organization", "umbrella", confirm="umbrella")).state.state == "erasing"
    assert await user("list_audit_events", target=created.key_id)
    assert await operator("list_all_audit_events", user_id="alice", limit=1, action="key.created")


async def catalogue(user: Any, operator: Any) -> None:
    put = operator("put_event_type", "v1/paid", schema={"type": "object"}, examples=[{}], validation="warn")
    assert (await put).event_type.version == 1
    assert [known.name for known in (await user("list_event_types")).event_types] == ["v1/paid"]
    assert (await user("find_event_type", "v1/paid")).schema == {"type": "object"}
    exported = await user("export_event_types")
    assert "v1/paid" in exported["webhooks"]
    assert (await operator("import_event_types", openapi=exported)).changes == ()
    assert (await operator("list_all_event_types")).event_types
    assert (await operator("find_any_event_type", "v1/paid")).examples == ({},)
    published = await operator("publish_event", user_id="alice", type="v1/paid", data=1)
    assert published.warnings[0].keyword == "type"
    assert (await operator("archive_event_type", "v1/paid")).event_type.archived


async def organizations(operator: Any) -> None:
    """An organization has the calls of a user."""
    start = datetime.now(UTC) - timedelta(minutes=1)
    key, id, delivery = (f"{kind}_01h455vb4pex5vsknk084sn02q" for kind in ("key", "sub", "dlv"))
    assert (await operator("list_organization_api_keys", "acme")).keys == ()
    for kind, owner in (("user", "alice"), ("organization", "acme")):
        assert (await operator(f"change_{kind}", owner, email="a@example.com")).email == "a@example.com"
        assert (await operator(f"find_{kind}", owner)).email == "a@example.com"
        assert (await operator(f"set_{kind}_state", owner, state="active")).email == "a@example.com"
    assert (await operator("revoke_organization_api_keys", "acme")).revoked_count == 0
    await refused(operator("revoke_organization_api_key", "acme", key), 404, "key_not_found")
    assert (await operator("list_organization_sessions", "acme")).sessions == ()
    assert (await operator("end_organization_sessions", "acme")).sessions == ()
    assert await operator("list_organization_subscriptions", "acme") == []
    assert await operator("list_organization_deliveries", "acme") == []
    assert (await operator("list_organization_failures", "acme")).is_complete
    await refused(operator("find_organization_subscription", "acme", id), 404, "subscription_not_found")
    await refused(operator("recover_organization_subscription", "acme", id, since=start), 404, "subscription_not_found")
    retry = operator("retry_organization_failures", "acme", subscription_id=id, error="connect")
    await refused(retry, 404, "subscription_not_found")
    await refused(operator("find_organization_delivery", "acme", delivery), 404, "delivery_not_found")
    await refused(operator("retry_organization_delivery", "acme", delivery), 404, "delivery_not_found")


def acting(operator: Any, kind: str, owner: str) -> Callable[..., Awaitable[Any]]:
    """Makes the calls of a host for this owner."""

    async def call(name: str, *args: Any, **kwargs: Any) -> Any:
        return await operator(name.replace("owner", kind), owner, *args, **kwargs)

    return call


async def a_customer(call: Callable[..., Awaitable[Any]]) -> None:
    """A host makes the calls of its customer."""
    start = datetime.now(UTC) - timedelta(minutes=1)
    key = (await call("create_owner_api_key", label="first", scopes=["orders:read"])).key_id
    assert (await call("change_owner_api_key", key, label="second")).label == "second"
    assert (await call("show_owner_key_usage", key, hours=1)).total.accepted == 0
    assert (await call("rotate_owner_api_key", key)).key_id != key
    assert (await call("show_owner_daily_uses")).keys[0].days
    assert {one.actor.type for one in await call("list_owner_audit_events")} == {"operator"}
    await refused(call("end_owner_session", "ses_01h455vb4pex5vsknk084sn02q"), 404, "session_not_found")
    id = (await call("create_owner_subscription", url=DEAD_URL, events=["a"])).subscription.id
    assert (await call("change_owner_subscription", id, description="d")).subscription.description == "d"
    assert (await call("rotate_owner_secret", id)).secret.startswith("whsec_")
    tests = asyncio.create_task(make_attempts(call, id, "test_owner_subscription"))
    attempt = (await call("stream_owner_attempts", subscription_id=id))[0]
    tests.cancel()
    assert attempt.attempt.error == "connect"
    assert (await call("cancel_owner_delivery", attempt.delivery_id)).delivery.id == attempt.delivery_id
    assert (await call("count_owner_recoverable", id, since=start)).deliveries >= 0
    assert (await call("show_owner_attempt_times", id)).attempts >= 0
    assert len((await call("show_owner_subscription_outcomes", id, hours=2)).hours) == 2
    assert len((await call("show_owner_outcomes", hours=2)).hours) == 2
    assert (await call("test_owner_url", url=DEAD_URL)).attempt.error == "connect"
    assert (await call("test_owner_filter", filter={"path": "/data", "op": "exists"}, data=1)).passes
    assert await call("delete_owner_subscription", id) is None


async def webhooks(user: Any, operator: Any, key: Any) -> None:
    start = datetime.now(UTC) - timedelta(minutes=1)
    created = await key("create_subscription", url=DEAD_URL, events=["order.*"])
    id = created.subscription.id
    event: dict[str, Any] = {"user_id": "alice", "type": "order.created", "data": None, "id": new_id()}
    published, again = await operator("publish_event", **event), await operator("publish_event", **event)
    assert (again.duplicate, again.event.id) == (True, published.event.id)
    events = [PublishEvent(user_id="alice", type="order.paid", data={"number": n, "names": ["é"]}) for n in range(2)]
    results = (await operator("publish_events", events=events)).results
    found = await operator("find_event", results[0].event.id)
    assert found.event.payload["data"] == {"number": 0, "names": ["é"]}
    of_type = await operator("list_events", user_id="alice", type="order.paid", since=start, limit=1)
    assert {one.event.id for one in results} <= {one.event.id for one in of_type}
    tests = asyncio.create_task(make_attempts(key, id))
    assert (await key("stream_attempts", subscription_id=id))[0].attempt.error == "connect"
    tests.cancel()
    assert id in {one.id for one in await operator("list_failing_subscriptions", limit=200)}
    deliveries = await key("list_deliveries", subscription_id=id, limit=1)
    assert deliveries[-3].event_type == "order.paid"
    listed = await operator("list_user_deliveries", "alice", subscription_id=id)
    assert {one.id for one in deliveries} <= {one.id for one in listed}
    history = await user("find_delivery", deliveries[0].id)
    assert history.event == (await operator("find_user_delivery", "alice", deliveries[0].id)).event
    assert (await key("retry_delivery", deliveries[0].id)).delivery.id == deliveries[0].id
    assert (await operator("retry_user_delivery", "alice", deliveries[1].id)).delivery.id == deliveries[1].id
    assert (await key("cancel_delivery", deliveries[2].id)).delivery.state == "cancelled"
    assert (await key("list_failures")).is_complete and (await operator("list_user_failures", "alice")).is_complete
    assert (await key("retry_failures", subscription_id=id)).deliveries >= 0
    assert (await operator("retry_user_failures", "alice", subscription_id=id, error="connect")).deliveries >= 0
    assert (await key("count_recoverable", id, since=start, events="invoice.*,order.paid")).deliveries >= 0
    assert (await key("recover_subscription", id, since=start, events=["invoice.*"])).deliveries >= 0
    assert (await operator("recover_user_subscription", "alice", id, since=start)).deliveries >= 0
    assert len((await key("show_outcomes", hours=3)).hours) == 3
    assert (await key("show_subscription_outcomes", id)).total.delivered == 0
    assert (await key("show_attempt_times", id)).attempts > 0


async def pulled(key: Any, operator: Any) -> None:
    id = (await key("create_subscription", type="pull", events=["pulled.*"])).subscription.id
    await operator("publish_event", user_id="alice", type="pulled.a", data={"n": 1})
    received = await key("receive_events", id, "billing", limit=1, wait=1)
    (event,) = received.events
    assert (event.sequence, event.type, event.data) == (1, "pulled.a", {"n": 1})
    assert await key("commit_events", id, "billing", lease=received.lease, through=event.id) is None
    assert [one.lag for one in (await key("list_consumers", id)).consumers] == [0]
    assert await key("seek_consumer", id, "billing", to="start") is None
    assert [one.lag for one in (await operator("list_user_consumers", "alice", id)).consumers] == [1]
    read = await key("read_events", id, limit=1)
    assert read.events[0].id == event.id
    assert (await key("read_events", id, cursor=read.cursor)).events == ()
    assert (await operator("read_user_events", "alice", id)).events[0].id == event.id
    unknown = (404, "subscription_not_found")
    await refused(operator("list_organization_consumers", "acme", id), *unknown)
    await refused(operator("read_organization_events", "acme", id), *unknown)
    assert await key("delete_consumer", id, "billing") is None
    assert await key("delete_subscription", id) is None


async def make_attempts(key: Any, id: str, name: str = "test_subscription") -> None:
    """Makes attempts, until a stream that begins now has one."""
    while True:
        await asyncio.sleep(0.3)
        await key(name, id)


async def subscriptions(key: Any, operator: Any) -> None:
    subscription = (await key("list_subscriptions", include="health"))[0]
    id = subscription.id
    assert subscription.health.last_attempt.error == "connect"
    assert (await key("find_subscription", id)).subscription.url == DEAD_URL
    assert (await operator("find_user_subscription", "alice", id)).subscription.id == id
    assert id in {one.id for one in await operator("list_user_subscriptions", "alice", limit=1)}
    changed = await key("change_subscription", id, events=["invoice.*"], description="")
    assert changed.subscription.events == ("invoice.*",)
    rotated = await key("rotate_secret", id, idempotency_key="once", overlap_seconds=60)
    assert rotated.secret == (await key("rotate_secret", id, idempotency_key="once", overlap_seconds=60)).secret
    assert rotated.secret not in repr(rotated)
    paired = await key("rotate_secret", id, signing="ed25519", overlap_seconds=0)
    assert (paired.secret, paired.subscription.signing) == (None, "ed25519")
    (shown,) = (await key("show_webhook_keys", id)).keys
    public_key = base64.b64encode(base64.urlsafe_b64decode(shown.x + "=")).decode()
    assert (paired.subscription.public_keys, shown.crv) == ((f"whpk_{public_key}",), "Ed25519")
    assert (await key("test_subscription", id)).event.type == "webhook.test"
    assert (await key("test_url", url=DEAD_URL)).attempt.error == "connect"
    filter = {"all": [{"path": "/data/amount", "op": "gte", "value": 100}]}
    verdict = await key("test_filter", filter=filter, event={"data": {"amount": 99.5}})
    assert (verdict.passes, verdict.decided_by) == (False, "filter.all[0]")
    assert (await key("change_subscription", id, filter=filter)).subscription.filter == filter
    assert (await key("change_subscription", id, max_per_second=2.5)).subscription.max_per_second == 2.5
    assert (await key("change_subscription", id, max_per_second=None)).subscription.max_per_second is None
    assert await key("delete_subscription", id) is None


async def sessions(session: Session, user: Any, operator: Any) -> None:
    link = await operator("create_portal_link", user_id="alice", capabilities=["keys:read"], ttl_seconds=60)
    assert link.url not in repr(link)
    browser = session.browser()
    visit = await browser("begin_visit", code=link.url.partition("#")[2])
    assert (await browser("find_current_session")).id == visit.session.id
    assert visit.session.id in {one.id for one in (await user("list_sessions")).sessions}
    assert await browser("end_current_session") is None
    assert (await user("end_sessions", keep_current=True)).sessions is not None
    assert (await operator("list_user_sessions", "alice")).sessions is not None
    assert (await operator("end_user_sessions", "alice")).sessions is not None
    await refused(user("end_session", "ses_01h455vb4pex5vsknk084sn02q"), 404, "session_not_found")
    assert (await browser("sign_in", next="/console/")).startswith(session.service.url)
    await refused(browser("complete_sign_in", error="access_denied"), 400, None)
    assert "<html" in await browser("sign_out")


async def the_rest(session: Session, operator: Any, key: Any) -> None:
    nobody = session.client()
    assert (await nobody("find_command_line_client")).issuer
    assert (await operator("find_log_filter")).filter == (await operator("change_log_filter", filter="info")).before
    assert (await operator("find_system_state")).version
    assert await key("forward_auth", scope=[]) is None
    assert await key("forward_auth_of_path", "a/b") is None
    assert (await nobody("health", verbose="")).checks
    assert (await nobody("ready", for_="verify")).status == "ready"
    assert (await nobody("live")).status == "ok"
    assert (await nobody("openapi_document"))["openapi"]
    page = await nobody("docs_page")
    file = re.search(r'(?:src|href)="(?:\./)?(?:/?docs/)?([\w.-]+\.(?:js|css))"', page)
    assert file and await nobody("docs_file", file[1])
    assert "<html" in await nobody("error_index") and "invalid_field" in await nobody("error_page", "invalid_field")
    assert (await nobody("favicon")).startswith(b"\x89PNG")


async def refused(call: Awaitable[Any], status: int, code: str | None) -> None:
    with pytest.raises(GatepostError) as error:
        await call
    assert error.value.status == status, error.value
    assert code is None or error.value.code == code


def test_the_table_has_every_operation_and_both_clients_have_the_same_methods() -> None:
    table = {name for name, value in vars(operations.Table).items() if isinstance(value, Operation)}
    assert {ids_in_table()[name] for name in table} == operation_ids()
    for name in table:
        blocking, awaiting = (inspect.signature(getattr(kind, name)) for kind in KINDS)
        assert blocking.parameters == awaiting.parameters


def test_no_authentication_shows_its_secret() -> None:
    secret = "swordfish"
    for auth in (
        types.BearerAuth(type="bearer", token=secret),
        types.BasicAuth(type="basic", username="u", password=secret),
        types.HeaderAuth(type="header", name="x-a", value=secret),
        types.OAuth2Auth(type="oauth2", token_url="https://id.example/token", client_id="c", client_secret=secret),
        types.ClientCertificate(chain="a chain", key=secret),
    ):
        assert secret not in repr(auth)
