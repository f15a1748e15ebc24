"""Views of both kinds in Django and Flask, and what receivers of webhooks answer. The quick starts run the rest."""

import asyncio
import io
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Annotated, Any, cast

import django
import httpx2
import pytest
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import RequestFactory
from fastapi import Depends, FastAPI, HTTPException, Request
from flask import Flask
from test_webhooks import OTHER, SECRET, headers, v1

import gatepost.django
import gatepost.fastapi
import gatepost.flask
from gatepost import AsyncVerifier, Caller, Refusal, Verifier, Webhook
from gatepost.callers import Headers, invalid, key_in, require
from gatepost.webhooks import BODY_BYTES_MAX

settings.configure(ALLOWED_HOSTS=["*"])
django.setup()

ACME = Caller(
    organization_id="acme",
    created_by="alice",
    issuer="https://id",
    key_id="key_2",
    label="CI",
    scopes=frozenset(["a"]),
    metadata={"plan": "pro"},
)
ALICE = Caller(user_id="alice", issuer="https://id", key_id="key_1", label="CI", scopes=frozenset(["a"]))


class Door:
    """A verifier that knows a key of a user, and one of an organization."""

    def find(self, headers: Headers, *scopes: str) -> Caller:
        caller = {"good": ALICE, "acme": ACME}.get(key_in(headers))
        if caller is None:
            raise invalid()
        return require(caller, scopes)

    async def admit_async(self, headers: Headers, *scopes: str) -> Caller:
        return self.find(headers, *scopes)

    admit = find


class AsyncDoor(Door):
    admit = Door.admit_async  # pyright: ignore[reportAssignmentType]


DOOR = cast("Verifier", Door())
ASYNC_DOOR = cast("AsyncVerifier", AsyncDoor())


@pytest.mark.parametrize("module", [gatepost.django, gatepost.fastapi, gatepost.flask])
def test_a_receiver_reads_its_keys_when_it_is_defined(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ["", "whsec_%", "whpk_YQ==", [], {"keys": []}]:
        with pytest.raises(ValueError):
            module.receive_webhooks(wrong)
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    module.receive_webhooks([SECRET])
    with pytest.raises(ImportError, match=r"gatepost\[ed25519\]"):
        module.receive_webhooks([SECRET, f"whpk_{'A' * 43}="])


def test_a_view_of_django_may_be_async() -> None:
    keys = gatepost.django.ApiKeys(DOOR)

    @keys("a")
    def blocking(request: HttpRequest, number: int) -> JsonResponse:
        return JsonResponse({"user": gatepost.django.caller(request).user_id, "number": number})

    @keys("a")
    async def awaiting(request: HttpRequest, number: int) -> JsonResponse:
        return JsonResponse({"user": gatepost.django.caller(request).user_id, "number": number})

    for key, status in [("good", 200), ("bad", 401)]:
        request = RequestFactory().get("/", headers={"x-api-key": key})
        for answer in (blocking(request, 1), asyncio.run(awaiting(request, number=1))):
            assert answer.status_code == status
            if status == 200:
                assert json.loads(answer.content) == {"user": "alice", "number": 1}
            else:
                assert answer["www-authenticate"] == 'Bearer realm="api", error="invalid_token"'


def test_an_application_that_is_mounted_in_another_refuses_too() -> None:
    app, mounted = FastAPI(), FastAPI()
    keys = gatepost.fastapi.ApiKeys(app, ASYNC_DOOR)
    for one in (app, mounted):

        @one.get("/orders")
        def orders(caller: Annotated[Caller, Depends(keys("b"))]) -> str:
            raise AssertionError(caller)

    app.mount("/v1", mounted)

    async def answers() -> list[tuple[int, str]]:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://api.test") as http:
            asked = [await http.get(path, headers={"x-api-key": "good"}) for path in ("/orders", "/v1/orders")]
            return [(one.status_code, one.json()["code"]) for one in asked]

    assert asyncio.run(answers()) == [(403, "insufficient_scope")] * 2


def told(caller: Caller) -> dict[str, Any]:
    return {"owner": caller.owner, "user": caller.user_id, "by": caller.created_by, "metadata": dict(caller.metadata)}


def test_each_framework_says_which_organization_calls() -> None:
    expected = {"owner": {"organization_id": "acme"}, "user": None, "by": "alice", "metadata": {"plan": "pro"}}
    headers = {"x-api-key": "acme"}

    @gatepost.django.ApiKeys(DOOR)("a")
    def of_django(request: HttpRequest) -> JsonResponse:
        return JsonResponse(told(gatepost.django.caller(request)))

    flask = Flask(__name__)

    @flask.get("/")
    @gatepost.flask.ApiKeys(flask, DOOR)("a")
    def of_flask() -> dict[str, Any]:
        return told(gatepost.flask.caller())

    keys = gatepost.fastapi.ApiKeys(FastAPI(), ASYNC_DOOR)
    request = Request({"type": "http", "headers": [(b"x-api-key", b"acme")]})

    async def of_fastapi() -> dict[str, Any]:
        return told(await keys("a")(request))

    assert of_flask and asyncio.run(of_fastapi()) == expected
    assert json.loads(of_django(RequestFactory().get("/", headers=headers)).content) == expected
    assert flask.test_client().get("/", headers=headers).json == expected


def test_a_view_of_flask_passes_its_arguments_on() -> None:
    app = Flask(__name__)
    keys = gatepost.flask.ApiKeys(app, DOOR)

    @app.get("/<int:number>")
    @keys("a")
    def view(number: int) -> dict[str, Any]:
        return {"user": gatepost.flask.caller().user_id, "number": number}

    @app.get("/b")
    @keys("b")
    def lacks() -> str:
        raise AssertionError

    assert view and lacks
    client = app.test_client()
    assert client.get("/1", headers={"authorization": "Bearer good"}).json == {"user": "alice", "number": 1}
    assert client.get("/b", headers={"authorization": "Bearer good"}).status_code == 403
    problem = client.get("/1")
    assert (problem.status_code, problem.mimetype) == (401, "application/problem+json")
    assert isinstance(invalid(), Refusal)


Answer = tuple[int, str]


def in_fastapi(body: bytes, headers: dict[str, str]) -> Answer:
    stream = io.BytesIO(body)

    async def receive() -> dict[str, Any]:
        chunk = stream.read(65_536)
        return {"type": "http.request", "body": chunk, "more_body": chunk != b""}

    async def view() -> Any:
        request = Request({"type": "http", "headers": raw(headers)}, receive)
        webhook = await gatepost.fastapi.receive_webhooks([OTHER, SECRET])(request)
        assert await request.body() == body, "other readers have it too"
        return webhook.data

    try:
        return 200, asyncio.run(view())
    except HTTPException as error:
        assert stream.tell() == len(body), "a sender may read the answer only then"
        return error.status_code, error.detail


def raw(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def in_flask(body: bytes, headers: dict[str, str]) -> Answer:
    app = Flask(__name__)

    @app.post("/<name>")
    @gatepost.flask.receive_webhooks([OTHER, SECRET])
    def view(webhook: Webhook, name: str) -> str | None:
        return webhook.data if name == "answers" else None

    assert view
    if b"a.b" in body:
        answer = app.test_client().post("/nothing", data=body, headers=headers)
        assert (answer.status_code, answer.text) == (204, "")
    answer = app.test_client().post("/answers", data=body, headers=headers, content_type="application/json")
    return answer.status_code, answer.text


def in_django(body: bytes, headers: dict[str, str]) -> Answer:
    receive = gatepost.django.receive_webhooks([OTHER, SECRET])

    @receive
    def blocking(request: HttpRequest, webhook: Webhook, answers: bool) -> HttpResponse | None:
        return HttpResponse(webhook.data) if answers else None

    @receive
    async def awaiting(request: HttpRequest, webhook: Webhook, answers: bool) -> HttpResponse | None:
        return HttpResponse(webhook.data) if answers else None

    assert cast("Any", blocking).csrf_exempt and cast("Any", awaiting).csrf_exempt
    post = RequestFactory().post("/", body, "application/json", headers=headers)
    if b"a.b" in body:
        assert blocking(post, answers=False).status_code == asyncio.run(awaiting(post, False)).status_code == 204
    get = RequestFactory().get("/", headers=headers)
    assert blocking(get, answers=True).status_code == asyncio.run(awaiting(get, True)).status_code == 405
    answers = [blocking(post, answers=True), asyncio.run(awaiting(post, True))]
    first, second = ((answer.status_code, answer.content.decode()) for answer in answers)
    assert first == second
    return first


@pytest.mark.parametrize("answer", [in_fastapi, in_flask, in_django])
def test_a_receiver_answers_by_itself(answer: Callable[[bytes, dict[str, str]], Answer]) -> None:
    now = int(time.time())

    def answer_to(body: bytes, secret: str = SECRET) -> Answer:
        return answer(body, headers(v1(secret, body, now), now))

    assert answer_to('{"type":"a.b","data":"Zoë"}'.encode()) == (200, "Zoë")
    assert answer_to(b"{}", "another secret") == (400, "no signature matches")
    assert answer(b"{}", {}) == (400, "the header webhook-id is missing")
    for body in [b"", b"text", b"[]", b"null", b'"text"', b"\xff{", b"[" * 100_000]:
        assert answer_to(body) == (400, "the body is not a JSON object")
    large = f'{{"type":"a","data":"{"x" * (BODY_BYTES_MAX - 22)}"}}'.encode()
    assert answer_to(large)[0] == 200 and len(large) == BODY_BYTES_MAX
    assert answer_to(large + b" ")[0] == 413


def test_a_body_in_chunks_has_the_same_bound() -> None:
    chunks = io.BytesIO(b" " * 2 * BODY_BYTES_MAX)
    ends = {"wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
    app = Flask(__name__)
    app.post("/")(gatepost.flask.receive_webhooks(SECRET)(lambda _: None))
    refused = app.test_client().post("/", input_stream=chunks, environ_overrides=ends)
    assert (refused.status_code, refused.text) == (413, "the webhook is too large")
    assert chunks.tell() < BODY_BYTES_MAX + 65_536

    chunks.seek(0)
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": []}
    receive = gatepost.django.receive_webhooks(SECRET)(lambda *_: None)
    answer = receive(ASGIRequest(scope, chunks))
    assert (answer.status_code, answer.content) == (413, b"the webhook is too large")
    assert chunks.tell() < BODY_BYTES_MAX + 65_536

    parts = iter([{"type": "http.request", "body": b" " * 65_536, "more_body": True}] * 320)

    async def receive_part() -> Any:
        return next(parts, {"type": "http.request"})

    tracemalloc.start()
    request = Request({"type": "http", "headers": []}, receive_part)
    with pytest.raises(HTTPException, match="413"):
        asyncio.run(cast("Any", gatepost.fastapi.receive_webhooks(SECRET)(request)))
    assert tracemalloc.get_traced_memory()[1] < 4 * BODY_BYTES_MAX
    tracemalloc.stop()


def test_a_lower_bound_of_the_host_counts() -> None:
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = 100
    app.post("/")(gatepost.flask.receive_webhooks(SECRET)(lambda _: None))
    assert app.test_client().post("/", data=b" " * 101).status_code == 413
    assert app.test_client().post("/", data=b" " * 100).status_code == 400
