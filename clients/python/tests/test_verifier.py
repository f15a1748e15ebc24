"""The rules of the verifiers, at a Gatepost that the test plays and with a clock that it turns."""

import asyncio
import json
import logging
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import httpx2
import pytest

from gatepost import AsyncGatepost, AsyncVerifier, Caller, Gatepost, Refusal, Verifier, VerifierSettings
from gatepost.callers import key_in, require
from gatepost.verdicts import Mark

ACTIVE = {"active": True, "sub": "alice", "iss": "https://id", "client_id": "key_1", "label": "CI", "scope": "a b"}


class Clock:
    """A clock that stands until it is turned."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> Mark:
        return Mark(self.seconds, self.seconds)


class Played:
    """Gatepost, as the test plays it: `answer` is the status and the body, or an error."""

    def __init__(self, settings: VerifierSettings | None = None) -> None:
        self.answer: tuple[int, Any] | Exception = (200, ACTIVE)
        self.headers: dict[str, str] = {}
        self.content: bytes | None = None
        self.asked: list[str] = []
        self.lost: set[str] = set()
        self.clock = Clock()
        self.pause = 0.0
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self.handle))
        gatepost = AsyncGatepost("http://gatepost.test", "operator", http=http)
        self.verifier = AsyncVerifier(gatepost, settings, clock=self.clock)

    async def handle(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(json.loads(request.content)["token"])
        if self.pause:
            await asyncio.sleep(self.pause)
        if isinstance(self.answer, Exception):
            raise self.answer
        status, body = (500, {}) if self.asked[-1] in self.lost else self.answer
        if self.content is not None:
            return httpx2.Response(status, content=self.content, headers=self.headers)
        return httpx2.Response(status, json=body, headers=self.headers)

    async def verdict(self, key: str = "good") -> int | str | None:
        """The user, or the status of the refusal."""
        try:
            user = (await self.verifier.verify(key)).user_id
        except Refusal as refusal:
            return refusal.status
        await asyncio.sleep(0.005)  # A refresh in the background ends.
        return user


def run(test: Callable[[Played], Any], settings: VerifierSettings | None = None) -> None:
    async def within() -> None:
        await test(Played(settings))

    asyncio.run(within())


def test_a_valid_key_holds_for_a_second_and_is_asked_again_after_half_of_it() -> None:
    async def test(played: Played) -> None:
        for seconds, asked in [(0, 1), (0.4, 1), (0.1, 2), (0.4, 2), (0.2, 3), (1, 4)]:
            played.clock.seconds += seconds
            assert (await played.verdict(), len(played.asked)) == ("alice", asked), seconds
        played.answer = (200, {"active": False})
        played.clock.seconds += 1
        assert await played.verdict() == 401
        # Nor does it come back when Gatepost stops answering.
        played.answer = (500, {})
        played.clock.seconds += 1
        assert await played.verdict() == 503

    run(test)


FAILURES = [(500, {}), (401, {}), (200, "no"), (200, {"active": True}), httpx2.ConnectError("")]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_valid_key_holds_for_five_seconds_without_answers_and_then_it_is_unavailable(failure: Any) -> None:
    async def test(played: Played) -> None:
        assert await played.verdict() == "alice"
        played.answer = failure
        for seconds, verdict in [(1, "alice"), (3.9, "alice"), (0.2, 503), (1, 503)]:
            played.clock.seconds += seconds
            assert await played.verdict() == verdict, seconds
        assert await played.verdict("never-asked-before") == 503
        played.answer = (200, ACTIVE)
        assert await played.verdict() == "alice"

    run(test)


def test_a_failed_question_about_one_key_keeps_no_other_key_valid() -> None:
    async def test(played: Played) -> None:
        for key in ("revoked", "valid"):
            assert await played.verdict(key) == "alice"
        played.answer = (200, {"active": False})
        played.lost = {"unknown"}
        played.clock.seconds += 3.9
        assert await played.verdict("unknown") == 503
        played.clock.seconds += 0.1
        assert await played.verdict("revoked") == 401, "asked about first"
        played.lost = {"unknown", "valid"}
        assert await played.verdict("unknown") == 503
        for seconds in (0.1, 0.8):
            played.clock.seconds += seconds
            assert await played.verdict("valid") == "alice", "no answer about this key"
        played.lost = set()
        played.clock.seconds += 0.05
        assert await played.verdict("valid") == "alice", "not asked about within 250 ms of a failure"
        assert await played.verdict("another") == 401, "Gatepost answers again"
        assert await played.verdict("valid") == 401, "asked about first"

    run(test)


def test_a_closed_client_counts_as_unreachable() -> None:
    async def test(played: Played) -> None:
        await played.verifier._gatepost.close()  # pyright: ignore[reportPrivateUsage]
        assert await played.verdict() == 503

    run(test)


def test_a_slow_gatepost_counts_as_unreachable_and_a_remembered_key_does_not_wait() -> None:
    async def test(played: Played) -> None:
        assert await played.verdict() == "alice"
        played.pause = 10
        played.clock.seconds += 1
        started = time.monotonic()
        assert await played.verdict() == "alice"
        assert 0.04 < time.monotonic() - started < 5
        played.clock.seconds += 1
        verdict = asyncio.create_task(played.verifier.verify("good"))
        await asyncio.sleep(0)
        assert verdict.done() and verdict.result().user_id == "alice"

    run(test, VerifierSettings(call_timeout=0.05))


@pytest.mark.parametrize("retry_after", ["9" * 400, "1e999", "-1", "\u00b2"])
def test_an_odd_answer_of_a_proxy_counts_as_unreachable(retry_after: str) -> None:
    async def test(played: Played) -> None:
        assert await played.verdict() == "alice"
        played.headers = {"retry-after": retry_after.encode("ascii", "replace").decode()}
        for status in (200, 429, 503):
            played.content = b"[" * 200_000
            played.answer = (status, None)
            played.clock.seconds += 1
            assert await played.verdict() == "alice"
            assert await played.verdict("never-asked-before") == 503
        played.content, played.answer = None, (429, {"code": "rate_limited"})
        assert await played.verdict("another") == 429

    run(test)


def test_a_refusal_is_remembered_for_a_second_apart_from_valid_keys() -> None:
    async def test(played: Played) -> None:
        assert await played.verdict() == "alice"
        played.answer = (200, {"active": False})
        for number in range(30):
            assert await played.verdict(f"bad{number}") == 401
        assert played.verifier.remembered() == (1, 20)
        assert (await played.verdict("bad29"), len(played.asked)) == (401, 31)
        raised: list[Refusal] = []
        for _ in range(2):
            with pytest.raises(Refusal) as refusal:
                await played.verifier.verify("bad29")
            raised.append(refusal.value)
        assert raised[0] is not raised[1]
        played.clock.seconds += 0.4
        assert (await played.verdict(), len(played.asked)) == ("alice", 31)
        played.clock.seconds += 0.6
        assert (await played.verdict("bad29"), len(played.asked)) == (401, 32)

    run(test, VerifierSettings(refused_max=20))


def test_the_key_that_was_not_asked_for_longest_is_forgotten() -> None:
    async def test(played: Played) -> None:
        for key in ("a", "b", "a", "c"):
            played.clock.seconds += 1
            assert await played.verdict(key) == "alice"
        assert played.verifier.remembered() == (2, 0)
        played.answer = (500, {})
        assert [await played.verdict(key) for key in ("a", "b", "c")] == ["alice", 503, "alice"]

    run(test, VerifierSettings(keys_max=2))


def test_a_key_over_its_rate_limit_is_refused_with_the_headers_of_gatepost() -> None:
    async def test(played: Played) -> None:
        played.answer = (429, {"code": "rate_limited"})
        played.headers = {"retry-after": "7", "ratelimit": '"key";r=0;t=7', "ratelimit-policy": '"key";q=10;w=60'}
        with pytest.raises(Refusal) as refusal:
            await played.verifier.admit({"x-api-key": "k"})
        assert refusal.value.status == 429
        assert played.headers.items() <= refusal.value.headers.items()

    run(test)


def test_no_request_changes_the_caller_of_others() -> None:
    async def test(played: Played) -> None:
        for metadata in ({"plan": "pro"}, None):
            played.answer = (200, {**ACTIVE, "metadata": metadata})
            played.clock.seconds += 1
            caller = await played.verifier.verify("k")
            cast("dict[str, str]", caller.metadata)["plan"] = "free"
            with pytest.raises(FrozenInstanceError):
                cast("Any", caller).label = "b"
            assert (await played.verifier.verify("k")).metadata == (metadata or {})

    run(test)


def test_an_expired_key_is_asked_about_and_an_implausible_one_is_not() -> None:
    async def test(played: Played) -> None:
        played.answer = (200, {**ACTIVE, "exp": 1_000})
        for asked in (1, 2):
            assert (await played.verdict(), len(played.asked)) == ("alice", asked)
        for key in ("", "a" * 513, "a b", "é", "a\n"):
            assert (await played.verdict(key), len(played.asked)) == (401, 2)
        assert (await played.verdict("a" * 512), len(played.asked)) == ("alice", 3)

    run(test)


def test_every_request_asks_if_nothing_is_remembered() -> None:
    async def test(played: Played) -> None:
        for asked in (1, 2, 3):
            assert (await played.verdict(), len(played.asked)) == ("alice", asked)

    run(test, VerifierSettings(max_age=0))


def test_an_age_is_the_longer_one_of_the_two_clocks() -> None:
    earlier = Mark(0, 1_000)
    for later, age in [(Mark(3, 1_003), 3), (Mark(3, 900), 3), (Mark(3, 4_600), 3_600)]:
        assert later.since(earlier) == age


def test_a_flood_of_unknown_keys_does_not_delay_a_valid_key(caplog: pytest.LogCaptureFixture) -> None:
    async def test(played: Played) -> None:
        assert await played.verdict() == "alice"
        played.clock.seconds += 1
        played.pause = 0.3
        flood = [asyncio.create_task(played.verdict(f"unknown{number}")) for number in range(100)]
        await asyncio.sleep(0)
        assert await played.verdict() == "alice"
        assert sum(task.done() for task in flood) < 10
        # Two calls at a time take 15 s: most give up after 1.5 s, and Gatepost does not count as unreachable.
        assert {await task for task in flood} == {"alice", 503}

    run(test, VerifierSettings(calls_max=2, call_timeout=1.5))
    assert "does not answer" not in caplog.text


def test_a_hundred_thousand_parallel_requests_with_one_unknown_key_ask_once() -> None:
    async def test(played: Played) -> None:
        played.pause = 0.01
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(played.verifier.verify("k")) for _ in range(100_000)]
        assert {task.result().user_id for task in tasks} == {"alice"}
        assert played.asked == ["k"]

    started = time.process_time()
    run(test, VerifierSettings(max_age=60, call_timeout=60))
    print(f"100,000 parallel requests: {time.process_time() - started:.2f} s of processor time")


def test_a_cancelled_request_does_not_cancel_the_call_of_the_others() -> None:
    async def test(played: Played) -> None:
        played.pause = 0.02
        first, second = (asyncio.create_task(played.verifier.verify("k")) for _ in range(2))
        await asyncio.sleep(0.005)
        first.cancel()
        assert (await second).user_id == "alice"
        assert played.asked == ["k"]

    run(test)


def test_a_question_of_a_loop_that_was_closed_does_not_stay() -> None:
    played = Played(VerifierSettings(calls_max=1))
    played.pause = 60
    closed = asyncio.new_event_loop()
    questions = [closed.create_task(played.verifier.verify(key)) for key in ("k", "l")]
    closed.run_until_complete(asyncio.sleep(0.01))
    closed.close()
    assert not any(question.done() for question in questions)
    played.pause = 0
    for key in ("k", "l"):
        assert asyncio.run(played.verifier.verify(key)).user_id == "alice"


def test_loops_of_two_threads_may_share_a_verifier() -> None:
    played = Played(VerifierSettings(calls_max=2, call_timeout=60))
    played.pause = 0.01

    async def all_keys() -> set[str | None]:
        callers = await asyncio.gather(*[played.verifier.verify(f"k{number}") for number in range(20)])
        return {caller.user_id for caller in callers}

    with ThreadPoolExecutor(2) as threads:
        for found in threads.map(lambda _: asyncio.run(all_keys()), range(2)):
            assert found == {"alice"}


def test_a_remembered_key_is_admitted_within_60_microseconds() -> None:
    async def test(played: Played) -> None:
        headers = {**{f"header-{number}": "value" for number in range(12)}, "authorization": "Bearer good"}
        await played.verifier.admit(headers, "a")
        rounds: list[float] = []
        for _ in range(20):
            started = time.process_time()
            for _ in range(500):
                await played.verifier.admit(headers, "a")
            rounds.append((time.process_time() - started) / 500)
        print(f"admit on a remembered key: {min(rounds) * 1e6:.1f} µs")
        assert min(rounds) < 60e-6
        assert len(played.asked) == 1

    run(test)


def test_the_log_has_one_line_when_answers_stop_and_one_when_they_are_back(caplog: pytest.LogCaptureFixture) -> None:
    async def test(played: Played) -> None:
        for answer in [(200, ACTIVE), (500, {}), (500, {}), (200, ACTIVE)]:
            played.answer = answer
            played.clock.seconds += 10
            await played.verdict("secret-key")

    with caplog.at_level(logging.INFO, "gatepost"):
        run(test)
    assert [record.levelname for record in caplog.records if record.name == "gatepost"] == ["WARNING", "INFO"]
    assert "secret-key" not in caplog.text


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ([], 401),
        ([("Authorization", "Bearer k")], "k"),
        ([("authorization", "BEARER   k ")], "k"),
        ([("X-API-Key", " k ")], "k"),
        ([("authorization", "Bearer k"), ("x-api-key", "k")], "k"),
        ([("authorization", "Basic k"), ("x-api-key", "k")], "k"),
        ([("authorization", "Basic k")], 401),
        ([("authorization", "Bearerk")], 401),
        ([("authorization", "Bearer k"), ("x-api-key", "l")], 401),
        ([("authorization", "Bearer k"), ("authorization", "Bearer l")], 401),
        ([("x-api-key", "k"), ("x-api-key", "l")], 401),
        ([("authorization", "Bearer"), ("x-api-key", "k")], 401),
        ([("authorization", "Bearer k"), ("x-api-key", "")], 401),
    ],
)
def test_a_key_comes_from_two_headers_that_must_agree(headers: list[tuple[str, str]], found: str | int) -> None:
    try:
        assert key_in(Pairs(headers)) == found
    except Refusal as refusal:
        assert refusal.status == found
        assert refusal.code == ("credential_missing" if not bearing(headers) else "credential_invalid")


class Pairs:
    """Headers of which several may have one name."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.pairs = pairs

    def items(self) -> list[tuple[str, str]]:
        return self.pairs


def bearing(headers: list[tuple[str, str]]) -> bool:
    return any(name == "x-api-key" or value.split(" ")[0].lower() == "bearer" for name, value in headers)


def test_scopes_are_compared_whole_and_a_header_does_not_break_out_of_its_quotes() -> None:
    caller = Caller(user_id="alice", issuer="https://id", key_id="key_1", label="CI", scopes=frozenset(["a", "a:*"]))
    assert require(caller, []) is caller and require(caller, ["a a:*"]) is caller
    for required in (["a:b"], ["A"], ["a", "b"], ["a b"]):
        with pytest.raises(Refusal) as refusal:
            require(caller, required)
        assert refusal.value.status == 403
    with pytest.raises(Refusal) as refusal:
        require(caller, ['b", x="é\\'])
    assert refusal.value.headers["www-authenticate"].endswith('scope="b, x="')


class Threaded(ThreadingHTTPServer):
    """Gatepost on a port, for the verifier of threads."""

    request_queue_size = 200

    def __init__(self, answer: Callable[[], Mapping[str, Any]]) -> None:
        asked: list[None] = []
        self.asked = asked

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                asked.append(None)
                body = json.dumps(answer()).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def verifier(self, settings: VerifierSettings | None = None) -> Verifier:
        return Verifier(Gatepost(f"http://127.0.0.1:{self.server_port}", "operator"), settings)


def slow() -> Mapping[str, Any]:
    time.sleep(0.1)
    return ACTIVE


def test_threads_with_one_unknown_key_ask_once_and_find_it_remembered() -> None:
    with Threaded(slow) as server, ThreadPoolExecutor(50) as threads:
        verifier = server.verifier(VerifierSettings(max_age=60, call_timeout=60))
        assert {caller.user_id for caller in threads.map(verifier.verify, ["k"] * 200)} == {"alice"}
        assert len(server.asked) == 1
        started = time.process_time()
        for _ in range(1_000):
            verifier.admit({"x-api-key": "k"}, "a")
        microseconds = (time.process_time() - started) * 1e3
        print(f"admit in a thread: {microseconds:.1f} µs")
        assert microseconds < 60
        assert asyncio.run(verifier.admit_async({"x-api-key": "k"}, "a")).user_id == "alice"
        with pytest.raises(Refusal):
            verifier.admit({"x-api-key": "k"}, "c")
        assert len(server.asked) == 1
        server.shutdown()


def test_a_verifier_does_not_drop_the_http_client_of_its_gatepost() -> None:
    http = httpx2.Client(transport=httpx2.MockTransport(lambda _: httpx2.Response(500)))
    gatepost = Gatepost("http://gatepost.test", "operator", http=http)
    with pytest.raises(ValueError, match="http="):
        Verifier(gatepost)
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=ACTIVE))
    verifier = Verifier(gatepost, http=lambda: httpx2.AsyncClient(transport=transport))
    assert verifier.verify("k").user_id == "alice"


@pytest.mark.parametrize("timeout", [1e12, math.inf])
def test_a_long_time_limit_is_one(timeout: float) -> None:
    with Threaded(lambda: ACTIVE) as server:
        gatepost = Gatepost(f"http://127.0.0.1:{server.server_port}", "operator", timeout=timeout)
        assert gatepost.introspect(token="k").active
        server.shutdown()


def test_a_process_that_is_forked_verifies_too() -> None:
    with Threaded(lambda: ACTIVE) as server:
        verifier = server.verifier(VerifierSettings(call_timeout=60))
        assert verifier.verify("k").user_id == "alice"
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(60)
                os._exit(0 if verifier.verify("another").user_id == "alice" else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        server.shutdown()
