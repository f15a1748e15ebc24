"""What a verifier remembers, and for how long it relies on it."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeVar

from gatepost.callers import Caller, Refusal


@dataclass(frozen=True, slots=True)
class VerifierSettings:
    """The limits of a verifier. The promises of its documentation hold for the defaults."""

    max_age: float = 1.0
    """How old an answer may be while Gatepost answers, in seconds. With 0, every request asks."""
    trust_max: float = 5.0
    """How old an answer may be while Gatepost does not answer."""
    call_timeout: float = 1.0
    """How long a call may take before it counts as failed."""
    refused_max_age: float = 1.0
    """How long a refusal is remembered."""
    keys_max: int = 100_000
    """The most valid keys that are remembered."""
    refused_max: int = 20_000
    """The most refused keys that are remembered."""
    calls_max: int = 64
    """The most calls at a time: so many for keys that were valid before, and so many for others."""


class Mark(NamedTuple):
    """An instant on both clocks. The monotonic clock may stop while the machine is suspended, and the wall clock may be
    set back, so an age is the longer of the two differences.
    """

    monotonic: float
    wall: float

    @classmethod
    def now(cls) -> "Mark":
        """This instant."""
        return cls(time.monotonic(), time.time())

    def since(self, earlier: "Mark") -> float:
        """How many seconds ago `earlier` was."""
        return max(self.monotonic - earlier.monotonic, self.wall - earlier.wall)


Clock = Callable[[], Mark]


class Trust(Enum):
    """What a remembered answer is good for."""

    KNOWN = 1
    """It holds."""
    AGEING = 2
    """It holds, and should be asked again."""
    STALE = 3
    """It holds if the question about the key gets no answer."""
    UNANSWERED = 4
    """The last question about the key got none."""
    UNKNOWN = 5
    """There is none."""


@dataclass(slots=True)
class Good:
    """A valid key."""

    caller: Caller
    expires_at: int | None
    asked_at: Mark
    is_unanswered: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """A key that is not valid, or over its rate limit."""

    why: Refusal
    asked_at: Mark
    max_age: float


Value = TypeVar("Value")


class Verdicts:
    """The answers of Gatepost by the digest of the key. Valid and refused keys are apart, so that a flood of unknown
    keys never evicts a valid key.
    """

    def __init__(self, settings: VerifierSettings) -> None:
        self._settings = settings
        self._good = OrderedDict[bytes, Good]()
        self._refused = OrderedDict[bytes, Refused]()

    def recall(self, digest: bytes, now: Mark) -> tuple[Trust, Caller | Refusal | None]:
        """What is known of a key."""
        good = self._good.get(digest)
        if good is None:
            refused = self._refused.get(digest)
            if refused is None or now.since(refused.asked_at) >= refused.max_age:
                return Trust.UNKNOWN, None
            return Trust.KNOWN, refused.why
        # Gatepost decides whether a key has expired, since the clock of this machine may be wrong.
        if good.expires_at is not None and good.expires_at <= now.wall:
            return Trust.UNKNOWN, None
        age, settings = now.since(good.asked_at), self._settings
        if age < settings.max_age:
            return Trust.AGEING if age >= settings.max_age / 2 else Trust.KNOWN, good.caller
        if age >= settings.trust_max:
            return Trust.UNKNOWN, None
        return Trust.UNANSWERED if good.is_unanswered else Trust.STALE, good.caller

    def note_unanswered(self, digest: bytes) -> None:
        """Notes that a question about a key got no answer. The next answer replaces the note."""
        if good := self._good.get(digest):
            good.is_unanswered = True

    def was_good(self, digest: bytes) -> bool:
        """Whether the last answer was a valid key."""
        return digest in self._good

    def count(self) -> tuple[int, int]:
        """How many valid and how many refused keys are remembered."""
        return len(self._good), len(self._refused)

    def remember(
        self, digest: bytes, verdict: Caller | Refusal, asked_at: Mark, expires_at: int | None, retry_after: float
    ) -> None:
        """Remembers the answer to a call that was sent at `asked_at`."""
        if isinstance(verdict, Caller):
            put(self._good, digest, Good(verdict, expires_at, asked_at), self._settings.keys_max)
            return
        self._good.pop(digest, None)
        max_age = min(self._settings.refused_max_age, retry_after)
        put(self._refused, digest, Refused(verdict, asked_at, max_age), self._settings.refused_max)


def put(cache: "OrderedDict[bytes, Value]", digest: bytes, value: Value, size_max: int) -> None:
    """Keys in use are asked again and again, so the first of the cache is the one that was not used for longest."""
    cache[digest] = value
    cache.move_to_end(digest)
    while len(cache) > size_max:
        cache.popitem(last=False)
