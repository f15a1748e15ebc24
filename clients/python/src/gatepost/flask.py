"""API keys and webhooks in Flask."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from flask import Flask, Response, current_app, g, request

from gatepost.callers import Caller, Refusal
from gatepost.verifier import Verifier
from gatepost.webhooks import BODY_BYTES_MAX, Secrets, WebhookError, keys_in, received

View = TypeVar("View", bound=Callable[..., Any])
LIMIT = BODY_BYTES_MAX + 1


class ApiKeys:
    """Decorates views that let only requests with a valid API key pass: `@keys("orders:read")`, below the route."""

    def __init__(self, app: Flask, verifier: Verifier) -> None:
        self._verifier = verifier
        app.register_error_handler(Refusal, answer)

    def __call__(self, *scopes: str) -> Callable[[View], View]:
        """The key must have these scopes. `caller()` is the caller."""

        def decorate(view: View) -> View:
            @wraps(view)
            def protected(*args: Any, **kwargs: Any) -> Any:
                g.gatepost_caller = self._verifier.admit(request.headers, *scopes)
                return current_app.ensure_sync(view)(*args, **kwargs)

            return cast("View", protected)

        return decorate


def caller() -> Caller:
    """The caller of the request that is being answered."""
    return g.gatepost_caller


def answer(refusal: Refusal) -> Response:
    return Response(refusal.body, refusal.status, refusal.headers)


def receive_webhooks(secrets: Secrets) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a view, below the route: its first argument is the verified webhook, and its `None` becomes 204. Others
    are answered with 400, and more than 2 MiB, or than `MAX_CONTENT_LENGTH`, with 413.
    """
    secrets = keys_in(secrets)

    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def receive(*args: Any, **kwargs: Any) -> Any:
            # One more byte: of a body in chunks, Flask reads as much as this, and says nothing of the rest.
            request.max_content_length = min(request.max_content_length or LIMIT, LIMIT)
            try:
                webhook = received(request.get_data(), request.headers, secrets)
            except WebhookError as error:
                return Response(str(error), error.status, mimetype="text/plain")
            answer = current_app.ensure_sync(view)(webhook, *args, **kwargs)
            return Response(status=204) if answer is None else answer

        return receive

    return decorate
