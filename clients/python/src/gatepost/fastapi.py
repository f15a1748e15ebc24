"""API keys and webhooks in FastAPI."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from fastapi import FastAPI, HTTPException, Request, Response

from gatepost.callers import Caller, Refusal
from gatepost.verifier import AsyncVerifier
from gatepost.webhooks import BODY_BYTES_MAX, Secrets, Webhook, WebhookError, keys_in, received


class ApiKeys:
    """Makes dependencies that let only requests with a valid API key pass: `Depends(keys("orders:read"))`."""

    def __init__(self, app: FastAPI, verifier: AsyncVerifier) -> None:
        self._verifier = verifier
        app.add_exception_handler(Refusal, answer)

    def __call__(self, *scopes: str) -> Callable[[Request], Awaitable[Caller]]:
        """A dependency that is the caller, whose key has these scopes."""

        async def caller(request: Request) -> Caller:
            # An application that is mounted in another has handlers of its own.
            if handlers := request.scope.get("starlette.exception_handlers"):
                handlers[0].setdefault(Refusal, answer)
            return await self._verifier.admit(request.headers, *scopes)

        return caller


async def answer(_: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    return Response(refusal.body, refusal.status, refusal.headers)


def receive_webhooks(secrets: Secrets) -> Callable[[Request], Awaitable[Webhook]]:
    """A dependency that is the verified webhook: `Depends(receive_webhooks(secret))`. It answers 400 to others,
    and 413 to more than 2 MiB.
    """
    secrets = keys_in(secrets)

    async def webhook(request: Request) -> Webhook:
        try:
            return received(await body_of(request), request.headers, secrets)
        except WebhookError as error:
            raise HTTPException(error.status, str(error)) from error

    return webhook


async def body_of(request: Request) -> bytes:
    """The body, or the beginning of one that is too large. It reads to the end: a sender may read the answer only then."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk[: BODY_BYTES_MAX + 1 - len(body)]
    # Where `request.body()` looks for it.
    cast("Any", request)._body = bytes(body)
    return bytes(body)
