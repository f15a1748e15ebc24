"""The rules of calls, at a service that the test plays."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest

from gatepost import (
    ABSENT,
    AsyncGatepost,
    Caller,
    DeadlineTransport,
    Gatepost,
    GatepostError,
    PublishEvent,
    json_form,
    types,
)
from gatepost.calls import Send, call, new_id, request
from gatepost.operations import Table

PROBLEM = {"title": "t", "status": 400, "code": "invalid_field", "detail": "label is required", "requestId": "r1"}
PUBLISHED = {"event": {"id": "evt_1", "userId": "a", "type": "t", "createdAt": "2026-11-21T01:42:03.120Z"}}
KEYS = {"keys": []}


class Played:
    """A service whose answers the test lists, and the requests that it got. The last answer is repeated."""

    def __init__(self, *answers: httpx2.Response | Exception, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []
        self.waited: list[float] = []
        monkeypatch.setattr(time, "sleep", self.waited.append)
        transport = httpx2.MockTransport(self.handle)
        self.client = Gatepost("http://gatepost.test/base/", "token", http=httpx2.Client(transport=transport))

    def handle(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def error(self, call: Callable[[Gatepost], object]) -> GatepostError:
        with pytest.raises(GatepostError) as error:
            call(self.client)
        return error.value


def answer(status: int, body: object = None, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, json=body, headers=named)


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Played]:
    return lambda *answers: Played(*answers, monkeypatch=monkeypatch)


Service = Callable[..., Played]


def publish(client: Gatepost) -> Any:
    return client.publish_event(user_id="a", type="t", data=1)


@pytest.mark.parametrize("failure", [httpx2.ConnectError("no"), *map(answer, (429, 502, 503, 504))])
def test_a_call_is_repeated_if_that_is_safe_and_may_help(played: Service, failure: Any) -> None:
    service = played(failure, failure, answer(200, KEYS))
    assert service.client.list_api_keys().keys == ()
    assert len(service.waited) == 2 and 0.1 <= service.waited[0] <= 0.2 <= service.waited[1] <= 0.4
    service = played(failure, answer(200, {"revokedCount": 3}))
    assert service.client.revoke_user_api_keys("a").revoked_count == 3
    service = played(failure, answer(202, {**PUBLISHED, "deliveries": 1}))
    assert publish(service.client).deliveries == 1
    first, second = (json.loads(request.content) for request in service.requests)
    assert first == second and uuid.UUID(first["id"]).version == 7
    service = played(failure)
    error = service.error(lambda client: client.create_api_key(label="a"))
    assert error.status == getattr(failure, "status_code", None)
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 500])
def test_a_refusal_is_not_repeated(played: Service, status: int) -> None:
    service = played(answer(status, PROBLEM))
    assert service.error(lambda client: client.list_api_keys()).status == status
    assert len(service.requests) == 1


def test_retry_after_is_obeyed_unless_it_is_beyond_the_deadline(played: Service) -> None:
    service = played(answer(503, retry_after="7"), answer(200, KEYS))
    service.client.list_api_keys()
    assert service.waited == [7]
    service = played(answer(503, retry_after="31"))
    assert service.error(lambda client: client.list_api_keys()).retry_after == 31
    assert (len(service.requests), service.waited) == (1, [])


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 7),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 7),
        ("Sun Nov  6 08:49:37 1994", 7),
        ("Sun, 06 Nov 1994 08:49:29 GMT", 0),
        ("Sun, 06 Nov 1994", None),
        ("1 Jan 99999999999999999999 00:00:00 GMT", None),
        ("soon", None),
        ("-1", None),
        ("1994-11-06T08:49:37Z", None),
    ],
)
def test_retry_after_may_be_a_date(
    played: Service, monkeypatch: pytest.MonkeyPatch, value: str, seconds: float | None
) -> None:
    monkeypatch.setattr(time, "time", lambda: 784_111_770.0)
    service = played(answer(503, retry_after=value))
    assert service.error(lambda client: client.create_api_key(label="a")).retry_after == seconds


def test_a_pause_beyond_the_deadline_leaves_a_timeout(played: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service = played(answer(503), answer(200, KEYS))
    # A clock that stands still but for the pause, however busy the machine is.
    clock = Clock()
    monkeypatch.setattr("gatepost.calls.time", clock)
    monkeypatch.setattr("gatepost.client.time", clock)
    service.client.settings.timeout = 0.3
    assert service.client.list_api_keys().keys == ()
    assert service.requests[1].extensions["timeout"]["read"] > 0


class Clock:
    """In place of `time`: each pause takes longer than was asked for."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds + 0.4


def test_an_error_has_the_code_the_fields_and_the_id_of_the_request(played: Service) -> None:
    errors = [{"field": "label", "detail": "is required"}, {"field": "scopes", "detail": "must be a list"}]
    error = played(answer(400, {**PROBLEM, "errors": errors})).error(lambda client: client.create_api_key(label=""))
    assert (error.status, error.code, error.request_id) == (400, "invalid_field", "r1")
    assert [(one.field, one.detail) for one in error.fields] == [tuple(one.values()) for one in errors]
    said = "the service answered 400 invalid_field: label is required; scopes must be a list (request r1)"
    assert str(error) == said
    error = played(answer(502, ["<html>"], x_request_id="r2")).error(lambda client: client.create_api_key(label=""))
    assert (error.status, error.code, error.request_id, error.fields) == (502, None, "r2", ())


@pytest.mark.parametrize("body", [{}, [], {"keys": [{}]}, {"keys": "secret"}, {"keys": None}, None])
def test_an_answer_of_another_form_is_an_error_that_does_not_quote_it(played: Service, body: Any) -> None:
    error = played(answer(200, body)).error(lambda client: client.list_api_keys())
    assert error.status == 200 and "secret" not in str(error)


def test_a_page_in_place_of_a_stream_is_an_error(played: Service) -> None:
    for page in (httpx2.Response(200, html="<p>Sign in"), httpx2.Response(204), answer(302, location="/")):
        service = played(page)
        assert service.error(lambda client: next(client.stream_attempts())).status == page.status_code
        assert len(service.requests) == 1

        async def first(page: httpx2.Response = page) -> None:
            http = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda _: page))
            await anext(AsyncGatepost("http://gatepost.test", "token", http=http).stream_attempts())

        with pytest.raises(GatepostError, match=f"{page.status_code}"):
            asyncio.run(asyncio.wait_for(first(), 2))


def test_a_stream_that_has_begun_outlasts_a_restart_of_the_service(played: Service) -> None:
    attempt = {"number": 1, "startedAt": "2026-11-21T01:42:03.120Z", "durationMs": 1, "status": 200, "error": None}
    event = {"deliveryId": "dlv_1", "eventId": "evt_1", "subscriptionId": "sub_1", "attempt": attempt}
    body = f"id: a\ndata: {json.dumps(event)}\n\n"
    connection = httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=body)
    away = [httpx2.ConnectError("no"), answer(502, ["<html>"]), answer(503, PROBLEM, retry_after="7")]
    service = played(connection, *away, connection, answer(401, PROBLEM))
    stream = service.client.stream_attempts()
    assert [next(stream).attempt.number, next(stream).attempt.number] == [1, 1]
    assert service.requests[-1].headers["last-event-id"] == "a"
    assert service.waited == [3, 3, 3, 7], "a stream waits as long as the service asks for"
    with pytest.raises(GatepostError):
        next(stream)
    assert played(httpx2.ConnectError("no")).error(lambda client: next(client.stream_attempts())).status is None
    assert played(answer(503, PROBLEM)).error(lambda client: next(client.stream_attempts())).status == 503

    async def read() -> list[int]:
        again = body.replace("id: a", "retry: 1\nid: a")
        opened = httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=again)
        answers = iter([opened, answer(502, ["<html>"]), opened])
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda _: next(answers)))
        stream = AsyncGatepost("http://gatepost.test", "token", http=http).stream_attempts()
        return [(await anext(stream)).attempt.number for _ in range(2)]

    assert asyncio.run(asyncio.wait_for(read(), 20)) == [1, 1]


def test_a_call_of_a_closed_client_is_an_error_of_the_call(played: Service) -> None:
    service = played(answer(200, KEYS))
    service.client.close()
    for call in (lambda client: client.list_api_keys(), lambda client: next(client.stream_attempts())):
        assert service.error(call).code == "client_closed"
    assert service.waited == []

    async def calls() -> None:
        client = AsyncGatepost("http://gatepost.test", "token")
        await client.close()
        for call in (client.list_api_keys(), anext(client.stream_attempts())):
            with pytest.raises(GatepostError, match="closed"):
                await call

    asyncio.run(calls())


def test_a_deletion_answers_nothing(played: Service) -> None:
    assert played(httpx2.Response(204)).client.delete_subscription("s") is None
    for body in ({}, [], 1, "<html>"):
        error = played(answer(200, body)).error(lambda client: client.delete_subscription("s"))
        assert error.status == 200, body


def test_what_is_gone_when_its_deletion_is_repeated_is_deleted(played: Service) -> None:
    def gone(thing: str) -> httpx2.Response:
        return answer(404, {"code": f"{thing}_not_found"})

    lost = httpx2.ReadError("the connection is broken")
    assert played(lost, gone("subscription")).client.delete_subscription("s") is None
    assert played(answer(502), lost, gone("subscription")).client.delete_subscription("s") is None
    for answers in [(gone("subscription"),), (lost, gone("organization")), (lost, answer(404, "not here"))]:
        assert played(*answers).error(lambda client: client.delete_subscription("s")).status == 404
    assert played(lost, gone("subscription")).error(lambda client: client.find_subscription("s")).status == 404
    assert played(lost, gone("consumer")).client.delete_consumer("s", "c") is None
    # A revoked key is still found.
    assert played(lost, gone("key")).error(lambda client: client.revoke_user_api_key("u", "k")).status == 404
    service = played(lost, lost, gone("session"), answer(200, {"sessions": []}))
    assert service.client.end_session("ses_1", organization="acme").sessions == (), "the sessions that are left"
    assert [(one.method, str(one.url).partition("/api/")[2]) for one in service.requests[2:]] == [
        ("DELETE", "sessions/ses_1?organization=acme"),
        ("GET", "sessions?organization=acme"),
    ]
    failing = played(lost, gone("session"), answer(500))
    assert failing.error(lambda client: client.end_user_session("u", "ses_1")).status == 500


@pytest.mark.parametrize("status", [200, 502])
def test_json_that_is_nested_deeply_is_an_error_of_the_call(played: Service, status: int) -> None:
    service = played(httpx2.Response(status, content=b"[" * 200_000))
    assert service.error(lambda client: client.create_api_key(label="a")).status == status


def test_a_redirect_is_not_followed_with_a_credential(played: Service) -> None:
    service = played(answer(302, KEYS, location="http://elsewhere.test/"))
    assert service.error(lambda client: client.list_api_keys()).status == 302
    assert played(answer(303, location="/there")).client.sign_in() == "/there"
    assert played(answer(200)).error(lambda client: client.sign_in()).status == 200
    assert [request.url.host for request in service.requests] == ["gatepost.test"]


def test_an_answer_may_have_more_members_and_values_than_this_version_knows(played: Service) -> None:
    body = {**PUBLISHED, "deliveries": 1, "later": {}}
    assert publish(played(answer(202, body)).client).event.created_at == datetime(2026, 11, 21, 1, 42, 3, 120_000, UTC)
    attempt = {"number": 1, "startedAt": "2026-11-21T01:42:03Z", "durationMs": 1, "status": None, "error": "later"}
    counts = {"state": "later", "reason": None, "failingSince": None, "pausedUntil": None, "waiting": 0}
    subscription = {"id": "s", "url": "u", "events": [], "description": "", "enabled": True}
    times = {"createdAt": "2026-11-21T01:42:03Z", "updatedAt": "2026-11-21T01:42:03Z"}
    found = {"subscription": {**subscription, **times}, "health": {**counts, "lastAttempt": attempt}}
    assert played(answer(200, found)).client.find_subscription("s").health.state == "later"


def test_requests_have_their_members_in_the_right_places(played: Service) -> None:
    service = played(answer(200, {"events": []}))
    since = datetime(2026, 11, 21, 1, 42, tzinfo=UTC)
    list(service.client.list_events(user_id="a b&c", since=since))
    request = service.requests[0]
    assert str(request.url).startswith("http://gatepost.test/base/api/operator/events?")
    assert request.url.query == b"userId=a%20b%26c&since=2026-11-21T01%3A42%3A00%2B00%3A00"
    assert request.headers["authorization"] == "Bearer token" and request.content == b""
    service = played(answer(200, {"keys": []}))
    service.client.list_user_api_keys("../a/ü")
    assert service.requests[0].url.raw_path == b"/base/api/operator/users/..%2Fa%2F%C3%BC/keys"
    service = played(answer(200))
    service.client.forward_auth(scope=["a", "b"])
    assert service.requests[0].url.query == b"scope=a&scope=b"
    for id in ("", ".", ".."):
        with pytest.raises(ValueError, match="part of a path"):
            service.client.delete_subscription(id)
    service = played(answer(202, {"results": []}))
    service.client.publish_events(events=[PublishEvent(user_id="a", type="t", data={"é": None}, id="1")])
    assert json_form.encode(types.AuditActor(type="user")) == {"type": "user"}
    assert service.requests[0].content == '{"events":[{"data":{"é":null},"id":"1","type":"t","userId":"a"}]}'.encode()


def test_every_call_takes_the_owner_of_a_caller(played: Service) -> None:
    """The types say so, too: pyright checks this file."""
    of_user = Caller(user_id="a", issuer="i", key_id="k", label="l", scopes=frozenset())
    of_organization = Caller(organization_id="a", issuer="i", key_id="k", label="l", scopes=frozenset())
    link = {"url": "https://keys.example.com/#code", "expiresAt": "2026-11-21T01:42:03Z"}
    for caller in (of_user, of_organization):
        service = played(answer(200, {"events": []}))
        assert list(service.client.list_events(**caller.owner, limit=1)) == []
        service = played(answer(201, link))
        service.client.create_portal_link(**caller.owner, ttl_seconds=60)
        name = "userId" if caller is of_user else "organizationId"
        assert json.loads(service.requests[0].content) == {name: "a", "ttlSeconds": 60}


def test_none_is_sent_where_the_api_takes_null(played: Service) -> None:
    def sent(call: Callable[[Gatepost], object]) -> Any:
        service = played(answer(400, PROBLEM))
        service.error(call)
        return json.loads(service.requests[0].content)

    assert sent(lambda client: client.change_api_key("key_1", rate_limit=None)) == {"rateLimit": None}
    assert sent(lambda client: client.change_api_key("key_1", rate_limit="9/s", label=None)) == {"rateLimit": "9/s"}
    assert sent(lambda client: client.change_api_key("key_1", label="a")) == {"label": "a"}
    assert sent(lambda client: client.change_api_key("key_1", rate_limit=ABSENT)) == {}
    # An id is what makes a repetition safe, so that an event always has one.
    event = sent(lambda client: client.publish_event(user_id="a", type="t", data=None, id=None))
    assert uuid.UUID(event.pop("id")).version == 7 and event == {"userId": "a", "type": "t", "data": None}


def test_pages_are_asked_for_when_they_are_needed(played: Service) -> None:
    pages = [{"subscriptions": [], "nextCursor": "1"}, {"subscriptions": [], "nextCursor": "2"}, {"subscriptions": []}]
    service = played(*(answer(200, page) for page in pages))
    assert list(service.client.list_subscriptions(limit=1)) == []
    assert [dict(request.url.params).get("cursor") for request in service.requests] == [None, "1", "2"]
    service = played(*(answer(200, page) for page in pages))
    assert next(service.client.list_subscriptions(cursor="c").pages()).next_cursor == "1"
    assert len(service.requests) == 1


@pytest.mark.parametrize("url", ["gatepost.test", "ftp://a", "http://", "http://u:p@a", "http://a?b", "http://a#b"])
def test_a_wrong_url_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError):
        Gatepost(url)


def test_a_token_that_a_header_cannot_have_is_not_quoted() -> None:
    with pytest.raises(ValueError) as error:
        Gatepost("http://a", "secret\n")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "a\0b", " a", "a ", "\ta", "é", "→", "\x7f"])
def test_a_header_that_cannot_be_sent_is_a_wrong_argument(played: Service, value: str) -> None:
    service = played(answer(503))
    with pytest.raises(ValueError, match="idempotency-key cannot be sent in a header") as error:
        service.client.rotate_secret("s", idempotency_key=value)
    assert value not in str(error.value).replace("a header", "")
    with pytest.raises(ValueError, match="last-event-id"):
        next(service.client.stream_attempts(last_event_id=value))
    assert service.requests == []
    for good in ("a b", "!~", ""):
        service.error(lambda client, good=good: client.rotate_secret("s", idempotency_key=good))


class Dripping(HTTPServer):
    """Sends this start of an answer at once, and then a byte every 50 ms, so that no wait for a byte is ever long."""

    def __init__(self, start: bytes) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                try:
                    self.wfile.write(start)
                    for _ in range(100):
                        self.wfile.write(b"x")
                        time.sleep(0.05)
                except OSError:
                    return

            def log_message(self, format: str, *args: Any) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


DRIPS = {
    "status": b"",
    "headers": b"HTTP/1.1 200 OK\r\nx-long: ",
    "body": b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n",
    "compressed": b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1000\r\n\r\n\x1f\x8b\x08\x10" + b"\0" * 6,
    "chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;",
    "page in place of a stream": b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\n",
}


def with_http_of_its_own(url: str, token: str, timeout: float) -> Gatepost:
    return Gatepost(url, token, timeout=timeout, http=httpx2.Client(transport=DeadlineTransport()))


@pytest.mark.parametrize("kind", [Gatepost, with_http_of_its_own, AsyncGatepost])
@pytest.mark.parametrize("drip", DRIPS)
def test_a_deadline_holds_for_an_answer_that_drips(kind: Any, drip: str) -> None:
    server = Dripping(DRIPS[drip])
    client = kind(f"http://127.0.0.1:{server.server_port}", "token", timeout=0.3)
    threads = threading.active_count()
    started = time.monotonic()
    is_stream = "stream" in drip
    with pytest.raises(GatepostError, match="no answer"):
        if kind is AsyncGatepost:
            asyncio.run(anext(client.stream_attempts()) if is_stream else client.list_api_keys())
        else:
            next(client.stream_attempts()) if is_stream else client.list_api_keys()
    assert time.monotonic() - started < 3
    assert threading.active_count() <= threads
    threading.Thread(target=server.shutdown, daemon=True).start()


def test_a_deadline_holds_for_all_addresses_of_a_host_and_for_a_body_that_nobody_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as silent:
        port = silent.getsockname()[1]
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]
        client = Gatepost(f"http://gatepost.test:{port}", "token", timeout=0.5)
        addresses: Any = lambda host, *_, **__: found if host == "gatepost.test" else found[:1]  # noqa: E731
        monkeypatch.setattr(socket, "getaddrinfo", addresses)
        started = time.monotonic()
        # The system accepts the connection, and as many bytes as fit into its buffers.
        with pytest.raises(GatepostError, match="no answer"):
            client.publish_event(user_id="a", type="t", data="x" * 20_000_000)
        # The backlog is full now, so that no other connection succeeds.
        with contextlib.ExitStack() as stack:
            for _ in range(2):
                other = stack.enter_context(socket.socket())
                other.setblocking(False)
                other.connect_ex(("127.0.0.1", port))
            found *= 40
            with pytest.raises(GatepostError, match="no answer"):
                client.publish_event(user_id="a", type="t", data=1)
        assert time.monotonic() - started < 10


def test_ids_are_uuids_of_version_7_that_sort_by_time() -> None:
    first = new_id()
    time.sleep(0.002)
    second = new_id()
    assert first < second and uuid.UUID(first).version == 7 and uuid.UUID(first).variant == uuid.RFC_4122
    made = datetime.fromtimestamp((uuid.UUID(first).int >> 80) / 1000, UTC)
    assert abs(datetime.now(UTC) - made) < timedelta(seconds=10)


def test_a_process_that_is_forked_shares_no_connection_with_its_parent() -> None:
    """Two processes on one connection would read the answers of each other."""
    ports: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            ports.append(self.client_address[1])
            body = json.dumps(KEYS).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = Gatepost(f"http://127.0.0.1:{server.server_port}", "token")
        client.list_api_keys()
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(60)
                client.list_api_keys()
                client.list_api_keys()
                os._exit(0)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        client.list_api_keys()
        assert ports[0] == ports[3] != ports[1] == ports[2]
        client.close()
        server.shutdown()


def test_a_wait_at_the_service_has_its_time_beside_the_deadline() -> None:
    sent = next(call(Table.receive_events, {"id": "s", "consumer": "c", "wait": 30}, 5))
    assert isinstance(sent, Send)
    assert 34 < sent.seconds <= 35


def test_events_that_are_mappings_get_ids() -> None:
    given = [{"userId": "a", "type": "t", "data": 1}, {"userId": "a", "type": "t", "data": 1, "id": "order-1"}]
    body = request(Table.publish_events, {"events": given})[3] or b""
    first, second = (event["id"] for event in json.loads(body)["events"])
    assert (len(first), second) == (36, "order-1")
