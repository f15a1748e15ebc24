"""API keys in Flask."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from flask import Flask, Response, current_app, g, request

from gatepost.callers import Caller, Refusal
from gatepost.verifier import Verifier

View = TypeVar("View", bound=Callable[..., Any])


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
