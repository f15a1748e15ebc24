"""Verifies the API keys of callers: asks Gatepost, and remembers the answers for a moment (decision 28)."""

import asyncio
import hashlib
import logging
import math
import os
import re
import threading
from collections.abc import Callable
from dataclasses import replace

import httpx2

from gatepost.callers import Caller, Headers, Refusal, invalid, key_in, rate_limited, require, unavailable
from gatepost.client import AsyncGatepost, Gatepost
from gatepost.errors import GatepostError
from gatepost.types import Introspection
from gatepost.verdicts import Clock, Mark, Trust, Verdicts, VerifierSettings

Verdict = Caller | Refusal
# How long after a failure no refresh starts in the background.
RETRY_PAUSE_SECONDS = 0.25
# The longest key that Gatepost looks up, in visible ASCII.
PLAUSIBLE = re.compile("[!-~]{1,512}")

log = logging.getLogger("gatepost")


def digest_of(key: str) -> bytes:
    """SHA-256 of a key, which is all that is remembered of it. Gatepost is not asked about a key that cannot be one."""
    if PLAUSIBLE.fullmatch(key) is None:
        raise invalid()
    return hashlib.sha256(key.encode()).digest()


def settled(verdict: Verdict) -> Caller:
    if isinstance(verdict, Refusal):
        raise verdict.again()
    # Requests share all but the metadata, which they could change.
    return replace(verdict, metadata={**verdict.metadata})


class Flights:
    """The calls of one event loop that are under way. No task waits for one of another loop, which may be closed."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None, calls_max: int) -> None:
        self.loop = loop
        self.of: dict[bytes, asyncio.Task[Verdict | None]] = {}
        # Apart, so that a flood of unknown keys does not delay the calls for valid keys.
        self.calls_for_good = asyncio.Semaphore(calls_max)
        self.calls_for_others = asyncio.Semaphore(calls_max)


class AsyncVerifier:
    """Verifies keys in asyncio. Create one for the program: requests share what it remembers.

    The token of `gatepost` must be an operator token with the scope `verify`.
    """

    def __init__(
        self, gatepost: AsyncGatepost, settings: VerifierSettings | None = None, *, clock: Clock = Mark.now
    ) -> None:
        self._gatepost = gatepost
        self._settings = settings or VerifierSettings()
        self._clock = clock
        self._verdicts = Verdicts(self._settings)
        self._flights = Flights(None, self._settings.calls_max)
        self._failed_at: float | None = None

    async def admit(self, headers: Headers, *scopes: str) -> Caller:
        """The caller of a request with these headers, if its key is valid and has these scopes. Raises `Refusal`."""
        return require(await self.verify(key_in(headers)), scopes)

    async def verify(self, key: str) -> Caller:
        """The owner of a key, if it is valid. Raises `Refusal`."""
        digest = digest_of(key)
        trust, verdict = self._verdicts.recall(digest, self._clock())
        if trust is Trust.AGEING or (trust is Trust.UNANSWERED and self._failed_at is not None):
            self._refresh(digest, key)
        elif trust is not Trust.KNOWN:
            verdict = await self._ask(digest, key)
        return settled(verdict or unavailable())

    def recalled(self, digest: bytes) -> Verdict | None:
        """The answer that holds without a call. This method alone may be called from any thread."""
        trust, verdict = self._verdicts.recall(digest, self._clock())
        return verdict if trust is Trust.KNOWN else None

    def remembered(self) -> tuple[int, int]:
        """How many valid and how many refused keys are remembered."""
        return self._verdicts.count()

    def _refresh(self, digest: bytes, key: str) -> None:
        now = self._clock().monotonic
        if self._failed_at is None or now - self._failed_at >= RETRY_PAUSE_SECONDS:
            self._flight(digest, key)

    async def _ask(self, digest: bytes, key: str) -> Verdict | None:
        # Shielded: the call continues for the others if this request is cancelled.
        verdict = await asyncio.shield(self._flight(digest, key))
        if verdict is None:
            _, verdict = self._verdicts.recall(digest, self._clock())
        return verdict

    def _flight(self, digest: bytes, key: str) -> "asyncio.Task[Verdict | None]":
        """The one call about a key that is under way."""
        loop = asyncio.get_running_loop()
        flights = self._flights
        if flights.loop is not loop:
            flights = self._flights = Flights(loop, self._settings.calls_max)
        flight = flights.of.get(digest)
        if flight is None:
            flight = flights.of[digest] = loop.create_task(self._question(digest, key, flights))
            flight.add_done_callback(lambda _: flights.of.pop(digest))
        return flight

    async def _question(self, digest: bytes, key: str, flights: "Flights") -> Verdict | None:
        """Asks Gatepost and remembers the answer; `None` without an answer."""
        calls = flights.calls_for_good if self._verdicts.was_good(digest) else flights.calls_for_others
        try:
            async with asyncio.timeout(self._settings.call_timeout):
                await calls.acquire()
        except TimeoutError:
            self._verdicts.note_unanswered(digest)
            return None  # This process is busy, which says nothing of Gatepost.
        try:
            asked_at = self._clock()
            async with asyncio.timeout(self._settings.call_timeout):
                verdict = self._remember(digest, await self._introspect(key), asked_at)
        except (GatepostError, TimeoutError) as error:
            self._verdicts.note_unanswered(digest)
            self._failed(error)
            return None
        finally:
            calls.release()
        self._succeeded()
        return verdict

    async def _introspect(self, key: str) -> Introspection | GatepostError:
        for is_last in (False, True):
            try:
                return await self._gatepost.introspect(token=key)
            except GatepostError as error:
                # A proxy also answers 429, which says nothing of the key.
                if error.status == 429 and error.code == "rate_limited":
                    return error
                # Gatepost may close a kept connection just as this process sends: the second try opens a new one.
                if error.status is not None or is_last:
                    raise
        raise AssertionError

    def _remember(self, digest: bytes, said: Introspection | GatepostError, asked_at: Mark) -> Verdict:
        retry_after, expires_at = math.inf, None
        if isinstance(said, GatepostError):
            retry_after = said.retry_after or 0
            verdict = rate_limited(retry_after, said.headers)
        elif not said.active:
            verdict = invalid()
        else:
            verdict, expires_at = Caller.of(said), said.exp
        self._verdicts.remember(digest, verdict, asked_at, expires_at, retry_after)
        return verdict

    def _succeeded(self) -> None:
        if self._failed_at is not None:
            log.info("Gatepost answers again")
        self._failed_at = None

    def _failed(self, error: Exception) -> None:
        if self._failed_at is None:
            log.warning("Gatepost does not answer; remembered API keys stay valid for a few seconds: %r", error)
        self._failed_at = self._clock().monotonic


class Verifier:
    """Verifies keys in threads. It answers from memory in the thread of the request, and asks in a thread of its own,
    in which an `AsyncVerifier` runs.

    `http` makes the HTTP client of this thread, for a proxy or a private certificate authority. A `Gatepost` that got a
    client of its own needs it, because that client blocks.
    """

    def __init__(
        self,
        gatepost: Gatepost,
        settings: VerifierSettings | None = None,
        *,
        http: Callable[[], httpx2.AsyncClient] | None = None,
    ) -> None:
        if http is None and gatepost.settings.has_own_http:
            raise ValueError("this Gatepost has an HTTP client of its own: give http=, which makes an httpx2.AsyncClient")
        self._gatepost = gatepost.settings
        self._settings = settings
        self._http = http
        self._lock = threading.Lock()
        self._running: tuple[int, asyncio.AbstractEventLoop, AsyncVerifier] | None = None

    def admit(self, headers: Headers, *scopes: str) -> Caller:
        """The caller of a request with these headers, if its key is valid and has these scopes. Raises `Refusal`."""
        return require(self.verify(key_in(headers)), scopes)

    def verify(self, key: str) -> Caller:
        """The owner of a key, if it is valid. Raises `Refusal`."""
        loop, verifier = self._engine()
        verdict = verifier.recalled(digest_of(key))
        if verdict is not None:
            return settled(verdict)
        return asyncio.run_coroutine_threadsafe(verifier.verify(key), loop).result()

    async def admit_async(self, headers: Headers, *scopes: str) -> Caller:
        """`admit` for a program that has both kinds of code, such as Django."""
        loop, verifier = self._engine()
        asked = asyncio.run_coroutine_threadsafe(verifier.admit(headers, *scopes), loop)
        return await asyncio.wrap_future(asked)

    def _engine(self) -> tuple[asyncio.AbstractEventLoop, AsyncVerifier]:
        # A process that was forked has no thread of its parent, so it starts its own.
        if self._running is None or self._running[0] != os.getpid():
            with self._lock:
                if self._running is None or self._running[0] != os.getpid():
                    self._running = self._start()
        return self._running[1:]

    def _start(self) -> tuple[int, asyncio.AbstractEventLoop, AsyncVerifier]:
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, name="gatepost verifier", daemon=True).start()
        gatepost = AsyncGatepost(self._gatepost.url, self._gatepost.token, http=self._http() if self._http else None)
        return os.getpid(), loop, AsyncVerifier(gatepost, self._settings)
