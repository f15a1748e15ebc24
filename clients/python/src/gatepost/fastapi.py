"""API keys and webhooks in FastAPI."""

from collections.abc import Awaitable, Callable

from fastapi import FastAPI, HTTPException, Request, Response

from gatepost.callers import Caller, Refusal
from gatepost.verifier import AsyncVerifier
from gatepost.webhooks import Secrets, Webhook, WebhookError, received


class ApiKeys:
    """Makes dependencies that let only requests with a valid API key pass: `Depends(keys("orders:read"))`."""

    def __init__(self, app: FastAPI, verifier: AsyncVerifier) -> None:
        self._verifier = verifier
        app.add_exception_handler(Refusal, answer)

    def __call__(self, *scopes: str) -> Callable[[Request], Awaitable[Caller]]:
        """A dependency that is the caller, whose key has these scopes."""

        async def caller(request: Request) -> Caller:
            return await self._verifier.admit(request.headers, *scopes)

        return caller


async def answer(_: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    return Response(refusal.body, refusal.status, refusal.headers)


def receive_webhooks(secrets: Secrets) -> Callable[[Request], Awaitable[Webhook]]:
    """A dependency that is the verified webhook: `Depends(receive_webhooks(secret))`. It answers 400 to others."""

    async def webhook(request: Request) -> Webhook:
        try:
            return received(await request.body(), request.headers, secrets)
        except WebhookError as error:
            raise HTTPException(400, str(error)) from error

    return webhook
