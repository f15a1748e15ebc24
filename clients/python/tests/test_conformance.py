"""The vectors that every client runs: clients/conformance/README.md has their format."""

import asyncio
import json
import re
import time
from typing import Any

import httpx2
import pytest
from service import ROOT
from test_verifier import Pairs

from gatepost import (
    AsyncGatepost,
    AsyncVerifier,
    EventQueue,
    Gatepost,
    GatepostError,
    PublishEvent,
    Refusal,
    VerifierSettings,
    WebhookError,
    verify_webhook,
)
from gatepost.callers import key_in
from gatepost.verdicts import Mark

START_SECONDS = 1_795_225_323


def cases(file: str) -> list[Any]:
    vectors = json.loads((ROOT / "clients/conformance" / file).read_text())["cases"]
    return [pytest.param(case, id=case["name"]) for case in vectors]


def known(case: dict[str, Any], *names: str) -> None:
    assert set(case) <= {"name", *names}, "a member that this runner does not know"


def snake(name: str) -> str:
    return re.sub("(?<!^)(?=[A-Z])", "_", name).lower().replace("-", "_")


@pytest.mark.parametrize("case", cases("signatures.json"))
def test_signatures(case: dict[str, Any]) -> None:
    known(case, "headers", "body", "secrets", "jwks", "nowSeconds", "toleranceSeconds", "result")
    secrets = case.get("secrets", []) + ([case["jwks"]] if "jwks" in case else [])
    tolerance = case.get("toleranceSeconds", 300)
    now = case["nowSeconds"]
    try:
        verify_webhook(case["body"].encode(), case["headers"], secrets, tolerance_seconds=tolerance, now=now)
        result = "ok"
    except WebhookError as error:
        result = error.reason
    except ValueError:
        result = "invalid_secret"
    assert result == case["result"]


class Answers:
    """A service that gives these answers in turn, the last one again and again."""

    def __init__(self, answers: list[dict[str, Any]]) -> None:
        self.answers = answers
        self.requests: list[bytes] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request.content)
        known(answer, "status", "headers", "body", "noAnswer")
        if "noAnswer" in answer:
            raise httpx2.ReadError("the connection is broken")
        body = answer.get("body", {})
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        return httpx2.Response(answer["status"], headers=answer.get("headers", {}), content=content)

    def client(self, kind: type[Any]) -> Any:
        transport = httpx2.MockTransport(self)
        http: Any = (httpx2.Client if kind is Gatepost else httpx2.AsyncClient)(transport=transport)
        return kind("http://gatepost.test", "token", http=http)


@pytest.mark.parametrize("kind", [Gatepost, AsyncGatepost])
@pytest.mark.parametrize("case", cases("retries.json"))
def test_retries(case: dict[str, Any], kind: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    known(case, "call", "answers", "requests", "waitsMs", "result")
    known(case["call"], "operation", "path", "headers", "body")
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    service = Answers(case["answers"])
    given = {**case["call"].get("body", {}), **case["call"].get("headers", {})}
    members = {snake(name): value for name, value in given.items()}
    if "events" in members:
        events = [{snake(name): value for name, value in event.items()} for event in members["events"]]
        members["events"] = [PublishEvent(**event) for event in events]
    method = getattr(service.client(kind), snake(case["call"]["operation"]))
    # The body `{}` is not what the operations answer, so even a success is an error here, with its status.
    with pytest.raises(GatepostError) as error:
        called = method(*case["call"].get("path", {}).values(), **members)
        asyncio.run(called) if kind is AsyncGatepost else None
    assert (error.value.status or "no_answer") == case["result"]
    assert len(service.requests) == case["requests"] and len(set(service.requests)) == 1
    assert len(waited) == case["requests"] - 1
    for seconds, (least, most) in zip(waited, case.get("waitsMs", []), strict="waitsMs" in case):
        assert least <= seconds * 1_000 <= most


class Publications(Answers):
    """What `Answers` are, and then success, unless an event is wrong."""

    def __init__(self, answers: list[dict[str, Any]], wrong: list[str]) -> None:
        super().__init__(answers)
        self.wrong = wrong
        self.published: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if len(self.requests) < len(self.answers):
            return super().__call__(request)
        self.requests.append(request.content)
        ids = [event["id"] for event in json.loads(request.content)["events"]]
        if set(ids) & set(self.wrong):
            return httpx2.Response(400, json={})
        self.published += ids
        return httpx2.Response(202, json={"results": []})


@pytest.mark.parametrize("case", cases("queue.json"))
def test_queue(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    known(case, "events", "answers", "wrong", "requests", "pausesMs", "published", "errors")
    paused: list[float] = []
    lost: list[Any] = []

    def on_error(error: Exception, events: list[PublishEvent]) -> None:
        assert isinstance(error, GatepostError)
        lost.append({"status": error.status, "ids": [event.id for event in events]})

    monkeypatch.setattr(time, "sleep", lambda _: None)  # pyright: ignore
    monkeypatch.setattr(EventQueue, "_pause", lambda _, seconds: paused.append(seconds))  # pyright: ignore
    service = Publications(case["answers"], case.get("wrong", []))
    queue = EventQueue(service.client(Gatepost), on_error=on_error)
    # All events are there when the thread begins.
    with queue._changed:  # pyright: ignore[reportPrivateUsage]
        for id in case["events"]:
            queue.put(user_id="u", type="a.b", data=1, id=id)
    queue.close()
    assert (service.published, lost) == (case["published"], case["errors"])
    assert len(service.requests) == case["requests"]
    for seconds, (least, most) in zip(paused, case.get("pausesMs", []), strict=True):
        assert least <= seconds * 1_000 <= most


@pytest.mark.parametrize("case", cases("problems.json"))
def test_problems(case: dict[str, Any]) -> None:
    known(case, "status", "headers", "body", "error", "message")
    with pytest.raises(GatepostError) as raised:
        answer = {name: case[name] for name in ("status", "headers", "body")}
        Answers([answer]).client(Gatepost).create_api_key(label="k")
    error = raised.value
    fields = [{"field": one.field, "detail": one.detail} for one in error.fields]
    assert str(error) == case["message"]
    assert {
        "status": error.status,
        "code": error.code,
        "title": error.title,
        "detail": error.detail,
        "page": error.page,
        "errors": fields,
        "requestId": error.request_id,
        "retryAfterSeconds": error.retry_after,
    } == case["error"]


@pytest.mark.parametrize("case", cases("presented.json"))
def test_presented(case: dict[str, Any]) -> None:
    known(case, "authorization", "xApiKey", "result")
    named = {"Authorization": case["authorization"], "X-Api-Key": case["xApiKey"]}
    listed = [(name, value) for name, values in named.items() for value in values]
    # As servers of WSGI have them.
    joined = [(name, ",".join(values)) for name, values in named.items() if values]
    for pairs in (listed, joined):
        try:
            result: Any = {"key": key_in(Pairs(pairs))}
        except Refusal as refusal:
            result = refusal.code.removeprefix("credential_")
        assert result == case["result"], pairs


@pytest.mark.parametrize("case", cases("callers.json"))
def test_callers(case: dict[str, Any]) -> None:
    known(case, "answer", "caller")
    verifier = AsyncVerifier(Answers([{"status": 200, "body": case["answer"]}]).client(AsyncGatepost))
    try:
        caller = asyncio.run(verifier.verify("k"))
    except Refusal as refusal:
        assert (refusal.code, case["caller"]) == ("unavailable", None)
        return
    found = {
        "userId": caller.user_id,
        "organizationId": caller.organization_id,
        "createdBy": caller.created_by,
        "issuer": caller.issuer,
        "keyId": caller.key_id,
        "label": caller.label,
        "scopes": sorted(caller.scopes),
        "metadata": caller.metadata,
    }
    assert {name: value for name, value in found.items() if value is not None} == case["caller"]
    (name, id), *others = caller.owner.items()
    assert not others and {snake("userId"): caller.user_id, snake("organizationId"): caller.organization_id}[name] == id


SETTINGS = {
    "maxAgeMs": "max_age",
    "trustMaxMs": "trust_max",
    "refusedMaxAgeMs": "refused_max_age",
    "keysMax": "keys_max",
    "refusedMax": "refused_max",
}
RESULTS = {"credential_invalid": "invalid", "insufficient_scope": "missing_scope"}


@pytest.mark.parametrize("case", cases("verifier.json"))
def test_verifier(case: dict[str, Any]) -> None:
    known(case, "settings", "steps")
    asyncio.run(Script(case.get("settings", {})).run(case["steps"]))


class Script:
    """A verifier, its clock and its Gatepost."""

    def __init__(self, settings: dict[str, int]) -> None:
        named = {SETTINGS[name]: value / 1_000 if name.endswith("Ms") else value for name, value in settings.items()}
        self.now = Mark(0, START_SECONDS)
        self.service = Answers([])
        chosen = VerifierSettings(**named)  # pyright: ignore[reportArgumentType]
        self.verifier = AsyncVerifier(self.service.client(AsyncGatepost), chosen, clock=lambda: self.now)

    async def run(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            known(step, "atMs", "wallMs", "gatepost", "admit", "scopes", "times", "result", "asked")
            self.now = Mark(step["atMs"] / 1_000, START_SECONDS + step.get("wallMs", step["atMs"]) / 1_000)
            if "gatepost" in step:
                self.service.answers = [step["gatepost"]]
                continue
            results = await asyncio.gather(*(self.admit(step) for _ in range(step.get("times", 1))))
            assert set(results) == {step["result"]}, step
            await asyncio.gather(*self.verifier._flights.of.values())  # pyright: ignore[reportPrivateUsage]
            assert len(self.service.requests) == step["asked"], step

    async def admit(self, step: dict[str, Any]) -> str:
        try:
            await self.verifier.admit({"x-api-key": step["admit"]}, step["scopes"])
        except Refusal as refusal:
            return RESULTS.get(refusal.code, refusal.code)
        return "ok"
