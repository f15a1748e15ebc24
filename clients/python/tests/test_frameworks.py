"""Views of both kinds in Django and Flask. The quick starts run the rest."""

import asyncio
import json
from typing import Any, cast

import django
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.test import RequestFactory
from fastapi import FastAPI, Request
from flask import Flask

import gatepost.django
import gatepost.fastapi
import gatepost.flask
from gatepost import AsyncVerifier, Caller, Refusal, Verifier
from gatepost.callers import Headers, invalid, key_in, require

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


DOOR = cast("Verifier", Door())


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

    class AsyncDoor(Door):
        admit = Door.admit_async  # pyright: ignore[reportAssignmentType]

    keys = gatepost.fastapi.ApiKeys(FastAPI(), cast("AsyncVerifier", AsyncDoor()))
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
