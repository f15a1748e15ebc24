"""The two clients: each does what the rules in `gatepost.calls` yield, one blocks, the other awaits."""

import asyncio
import importlib.metadata
import os
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import httpx2

from gatepost import calls, types
from gatepost.calls import ABSENT, Absent, Answer, Operation, Outcome, Send, Steps, Wait
from gatepost.deadline import DeadlineTransport, within
from gatepost.ensured import Ensured
from gatepost.errors import GatepostError
from gatepost.operations import AsyncOperations, Auth, Operations

if TYPE_CHECKING:
    from typing import Self

T = TypeVar("T")
Http = TypeVar("Http", httpx2.Client, httpx2.AsyncClient)
Members = dict[str, Any]
Catalogue = Sequence[Mapping[str, Any]]

TIMEOUT_SECONDS = 30.0
# A socket takes no time that is much longer, as infinity.
TIMEOUT_SECONDS_MAX = 24 * 86_400.0
CONNECT_TIMEOUT_SECONDS = 5.0
# Larger than any answer: a list of 10,000 keys takes about 3 MB.
ANSWER_BYTES_MAX = 16 * 1024 * 1024
# The service sends a comment to a stream every 15 seconds.
STREAM_SILENCE_SECONDS = 45.0
STREAM_PAUSE_SECONDS = 3.0
CLOSED = "client_closed"
LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=64)
USER_AGENT = f"gatepost-python/{importlib.metadata.version('gatepost')}"


class Settings:
    """What both clients have: where the service is, and who calls."""

    def __init__(self, url: str, token: str | None, timeout: float, has_own_http: bool) -> None:
        parsed = httpx2.URL(url)
        is_plain = not (parsed.userinfo or parsed.query or parsed.fragment)
        if parsed.scheme not in ("http", "https") or not parsed.host or not is_plain:
            raise ValueError("the URL must be an absolute http or https URL without user, query and fragment")
        # Checked here: an error of the HTTP library would quote the token.
        if token is not None and not re.fullmatch("[!-~]+", token):
            raise ValueError("the token cannot be sent in a header")
        self.url = url.rstrip("/")
        self.timeout = min(timeout, TIMEOUT_SECONDS_MAX)
        self.token = token
        self.has_own_http = has_own_http
        self.headers = {"user-agent": USER_AGENT, "accept": "*/*"}
        if token is not None:
            self.headers["authorization"] = f"Bearer {token}"

    def arguments(self, method: str, path: str, headers: Mapping[str, str], timeout: float) -> dict[str, Any]:
        return {
            "method": method,
            "url": self.url + path,
            "headers": {**self.headers, **headers},
            "timeout": httpx2.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT_SECONDS)),
            "follow_redirects": False,
        }


def http_arguments() -> dict[str, Any]:
    # No proxy or password of the environment, and no cookie: the token alone says who calls.
    policy = DefaultCookiePolicy(allowed_domains=[])
    return {"trust_env": False, "cookies": CookieJar(policy)}


def blocking() -> httpx2.Client:
    return httpx2.Client(transport=DeadlineTransport(trust_env=False, limits=LIMITS), **http_arguments())


def opened(http: Http) -> Http:
    if http.is_closed:
        raise GatepostError("the client is closed", code=CLOSED)
    return http


def no_answer(error: Exception) -> GatepostError:
    failure = GatepostError(f"no answer from the service: {str(error) or type(error).__name__}")
    failure.__cause__ = error
    return failure


class Collected:
    """The body of an answer while it arrives."""

    def __init__(self, end: float) -> None:
        self.body = bytearray()
        self.end = end

    def add(self, chunk: bytes) -> None:
        self.body += chunk
        if len(self.body) > ANSWER_BYTES_MAX:
            raise httpx2.ReadError(f"the answer has more than {ANSWER_BYTES_MAX} bytes")
        if time.monotonic() > self.end:
            raise httpx2.ReadTimeout("the answer takes too long")

    def answer(self, response: httpx2.Response) -> Answer:
        return answer_of(response, bytes(self.body))


def answer_of(response: httpx2.Response, body: bytes) -> Answer:
    return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


def is_stream(response: httpx2.Response) -> bool:
    return response.status_code == 200 and response.headers.get("content-type", "").startswith("text/event-stream")


class Place:
    """How far a stream was read."""

    def __init__(self) -> None:
        self.has_begun = False
        self.last_id: str | None = None
        self.pause_seconds = STREAM_PAUSE_SECONDS

    def read(self, event: httpx2.ServerSentEvent, operation: Operation[T]) -> Iterator[T]:
        self.last_id = event.id or self.last_id
        if event.retry is not None:
            self.pause_seconds = event.retry / 1000
        if event.data:
            yield calls.value_of(operation, Answer(200, {}, event.data.encode()))

    def given(self) -> Members:
        return {} if self.last_id is None else {"last_event_id": self.last_id}

    def pause_after(self, failure: httpx2.HTTPError | TimeoutError | GatepostError) -> float:
        """How long to wait before the stream is opened again. Raises what a stream that has begun does not outlast."""
        error = failure if isinstance(failure, GatepostError) else no_answer(failure)
        if not self.has_begun or error.code == CLOSED or not calls.may_pass(error):
            raise error
        return max(self.pause_seconds, error.retry_after or 0)


class Gatepost(Operations):
    """A client of one Gatepost service. Create one and share it between threads.

    `token` is an operator token, an API key or an ID token. `timeout` limits each call, with its repetitions, in
    seconds, and is at most 24 days; only a system that looks up the name of the host may take longer. `http` is a client
    of your own, for a proxy or a private certificate authority: a process that is forked needs another one. Without a
    `DeadlineTransport`, its `timeout` limits each wait for bytes, and the body as a whole.
    """

    def __init__(
        self, url: str, token: str | None = None, *, timeout: float = TIMEOUT_SECONDS, http: httpx2.Client | None = None
    ) -> None:
        self.settings = Settings(url, token, timeout, http is not None)
        self._given = http
        self._own = os.getpid(), http or blocking()
        self.event_types = EventTypes(self)

    @property
    def _http(self) -> httpx2.Client:
        # A process that was forked has the connections of its parent: each would read answers to the other.
        own = self._own
        if own[0] != os.getpid():
            own = self._own = os.getpid(), self._given or blocking()
        return own[1]

    def ensure_subscription(
        self,
        *,
        url: str,
        events: Sequence[str],
        auth: Auth | None | Absent = ABSENT,
        client_certificate: types.ClientCertificate | None | Absent = ABSENT,
        description: str | None = None,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        max_per_second: float | None | Absent = ABSENT,
        on_exhausted: Literal["skip", "stop"] | Absent = ABSENT,
        ordering: Literal["none", "subscription"] | None = None,
        secret: str | None = None,
        signing: Literal["hmac", "ed25519", "both"] | None = None,
        user_id: str | None = None,
        organization_id: str | None = None,
    ) -> types.SubscriptionWithSecret:
        """Subscribes `url` to `events`, unless it is subscribed already: for the user of the token, an API key or an ID
        token, or for a user or an organization of an operator token. It may be repeated: the secret is there only the
        first time. `secret` is for a new subscription: if several processes start at the same time, give all the same,
        because one of their subscriptions remains. A subscription that exists gets what else is given, but keeps its
        signatures and its ordering: if they differ from those given, the call raises `ValueError` and changes nothing.
        """
        return self._run(Ensured(locals(), self.settings.timeout).ensure())

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, operation: Operation[T], given: Members) -> T:
        return self._run(calls.call(operation, given, self.settings.timeout))

    def _run(self, steps: Steps[T]) -> T:
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if isinstance(step, Wait):
                time.sleep(step.seconds)
            outcome = self._send(step) if isinstance(step, Send) else None

    def _send(self, step: Send) -> Answer | GatepostError:
        arguments = self.settings.arguments(step.method, step.path, step.headers, step.seconds)
        collected = Collected(time.monotonic() + step.seconds)
        try:
            with within(step.seconds), opened(self._http).stream(**arguments, content=step.body) as response:
                for chunk in response.iter_bytes():
                    collected.add(chunk)
        except httpx2.HTTPError as error:
            return no_answer(error)
        return collected.answer(response)

    def _stream(self, operation: Operation[T], given: Members) -> Iterator[T]:
        place = Place()
        while True:
            method, path, headers, _ = calls.request(operation, given | place.given())
            arguments = self.settings.arguments(method, path, headers, STREAM_SILENCE_SECONDS)
            try:
                with ExitStack() as stack:
                    with within(self.settings.timeout):
                        response = stack.enter_context(opened(self._http).stream(**arguments))
                        if not is_stream(response):
                            raise calls.no_stream(answer_of(response, response.read()))
                    place.has_begun = True
                    with suppress(httpx2.TransportError):
                        for event in httpx2.EventSource(response):
                            yield from place.read(event, operation)
                pause = place.pause_seconds
            except (httpx2.HTTPError, GatepostError) as failure:
                pause = place.pause_after(failure)
            time.sleep(pause)


class AsyncGatepost(AsyncOperations):
    """The same client for asyncio. Close it in the event loop that used it, or its connections stay open.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = TIMEOUT_SECONDS,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        self.settings = Settings(url, token, timeout, http is not None)
        self._given = http
        self._own: tuple[int, asyncio.AbstractEventLoop, httpx2.AsyncClient] | None = None
        self.event_types = AsyncEventTypes(self)

    @property
    def _http(self) -> httpx2.AsyncClient:
        # A connection belongs to the event loop that opened it, and tests run a loop for each request.
        place = os.getpid(), asyncio.get_running_loop()
        own = self._own
        if self._given is not None:
            return self._given
        if own is None or own[:2] != place:
            own = self._own = *place, httpx2.AsyncClient(limits=LIMITS, **http_arguments())
        return own[2]

    async def ensure_subscription(
        self,
        *,
        url: str,
        events: Sequence[str],
        auth: Auth | None | Absent = ABSENT,
        client_certificate: types.ClientCertificate | None | Absent = ABSENT,
        description: str | None = None,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        max_per_second: float | None | Absent = ABSENT,
        on_exhausted: Literal["skip", "stop"] | Absent = ABSENT,
        ordering: Literal["none", "subscription"] | None = None,
        secret: str | None = None,
        signing: Literal["hmac", "ed25519", "both"] | None = None,
        user_id: str | None = None,
        organization_id: str | None = None,
    ) -> types.SubscriptionWithSecret:
        """As `Gatepost.ensure_subscription`."""
        return await self._run(Ensured(locals(), self.settings.timeout).ensure())

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> "Self":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _call(self, operation: Operation[T], given: Members) -> T:
        return await self._run(calls.call(operation, given, self.settings.timeout))

    async def _run(self, steps: Steps[T]) -> T:
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                return end.value
            if isinstance(step, Wait):
                await asyncio.sleep(step.seconds)
            outcome = await self._send(step) if isinstance(step, Send) else None

    async def _send(self, step: Send) -> Answer | GatepostError:
        arguments = self.settings.arguments(step.method, step.path, step.headers, step.seconds)
        collected = Collected(time.monotonic() + step.seconds)
        try:
            async with asyncio.timeout(step.seconds), opened(self._http).stream(**arguments, content=step.body) as response:
                async for chunk in response.aiter_bytes():
                    collected.add(chunk)
        except (httpx2.HTTPError, TimeoutError) as error:
            return no_answer(error)
        return collected.answer(response)

    async def _stream(self, operation: Operation[T], given: Members) -> AsyncIterator[T]:
        place = Place()
        while True:
            method, path, headers, _ = calls.request(operation, given | place.given())
            arguments = self.settings.arguments(method, path, headers, STREAM_SILENCE_SECONDS)
            try:
                async with AsyncExitStack() as stack:
                    async with asyncio.timeout(self.settings.timeout):
                        response = await stack.enter_async_context(opened(self._http).stream(**arguments))
                        if not is_stream(response):
                            raise calls.no_stream(answer_of(response, await response.aread()))
                    place.has_begun = True
                    with suppress(httpx2.TransportError):
                        async for event in httpx2.EventSource(response):
                            for value in place.read(event, operation):
                                yield value
                pause = place.pause_seconds
            except (httpx2.HTTPError, TimeoutError, GatepostError) as failure:
                pause = place.pause_after(failure)
            await asyncio.sleep(pause)


class EventTypes:
    """The catalogue of event types, with an operator token that has the scope `catalogue`."""

    def __init__(self, gatepost: Gatepost) -> None:
        self._gatepost = gatepost

    def apply(
        self, catalogue: Catalogue, *, dry_run: bool = False, prune: bool = False, force: bool = False
    ) -> list[types.AppliedEventType]:
        """Makes the service have these event types, each a mapping with its `name` and settings, and returns the changes.
        All are checked before the first change, and the same call twice changes nothing. It is not one transaction:
        after an error 503, repeat it.
        """
        wanted = cast("Sequence[types.NewEventType]", catalogue)
        answer = self._gatepost.import_event_types(types=wanted, dry_run=dry_run, prune=prune, force=force)
        return list(answer.changes)


class AsyncEventTypes:
    """The same for asyncio."""

    def __init__(self, gatepost: AsyncGatepost) -> None:
        self._gatepost = gatepost

    async def apply(
        self, catalogue: Catalogue, *, dry_run: bool = False, prune: bool = False, force: bool = False
    ) -> list[types.AppliedEventType]:
        """As `EventTypes.apply`."""
        wanted = cast("Sequence[types.NewEventType]", catalogue)
        answer = await self._gatepost.import_event_types(types=wanted, dry_run=dry_run, prune=prune, force=force)
        return list(answer.changes)
