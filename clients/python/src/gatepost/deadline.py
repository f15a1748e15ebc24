"""The deadline of a call that blocks. The HTTP library limits each wait for a byte, so that an answer that arrives byte
by byte never ends.
"""

import math
import socket
import ssl
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import httpcore2
import httpx2

# A receiver that is slow gets a long body in parts, with a wait for each.
WRITE_BYTES_MAX = 16_384


class Deadline(threading.local):
    """When the call that this thread makes must end."""

    end = math.inf


DEADLINE = Deadline()


@contextmanager
def within(seconds: float) -> Generator[None]:
    """What this thread sends and receives in here takes at most so long."""
    before = DEADLINE.end
    DEADLINE.end = min(before, time.monotonic() + seconds)
    try:
        yield
    finally:
        DEADLINE.end = before


def left(timeout: float | None) -> float | None:
    """How long the next wait may take."""
    seconds = min(DEADLINE.end - time.monotonic(), math.inf if timeout is None else timeout)
    if seconds <= 0:
        raise httpcore2.ReadTimeout("the answer takes too long")
    return None if seconds == math.inf else seconds


class Stream(httpcore2.NetworkStream):
    """A connection, each wait of which ends at the deadline."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), WRITE_BYTES_MAX):
            self._inner.write(buffer[start : start + WRITE_BYTES_MAX], left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return Stream(self._inner.start_tls(ssl_context, server_hostname, left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class Backend(httpcore2.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        failure: Exception | None = None
        try:
            # Each address has its own wait.
            for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                try:
                    inner = super().connect_tcp(str(address[0]), port, left(timeout), local_address, socket_options)
                    return Stream(inner)
                except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                    failure = error
        except OSError as error:
            failure = httpcore2.ConnectError(str(error))
        raise failure or httpcore2.ConnectError("the host has no address")


class DeadlineTransport(httpx2.HTTPTransport):
    """For an `httpx2.Client` that you give to `Gatepost`, so that its `timeout` limits the whole call. It takes the same
    arguments as `httpx2.HTTPTransport`.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._pool._network_backend = Backend()  # pyright: ignore[reportPrivateUsage]
