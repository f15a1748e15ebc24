"""API keys and webhooks in Django."""

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar, cast

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from gatepost.callers import Caller, Refusal
from gatepost.verifier import Verifier
from gatepost.webhooks import BODY_BYTES_MAX, Secrets, Webhook, WebhookError, keys_in, received

View = TypeVar("View", bound=Callable[..., Any])


class ApiKeys:
    """Decorates views that let only requests with a valid API key pass: `@keys("orders:read")`.

    A view that changes something also needs `@csrf_exempt`: browsers send cookies by themselves, but no keys.
    """

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier

    def __call__(self, *scopes: str) -> Callable[[View], View]:
        """The key must have these scopes. `caller(request)` is the caller."""

        def decorate(view: View) -> View:
            @wraps(view)
            def protected(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                try:
                    remember(request, self._verifier.admit(request.headers, *scopes))
                except Refusal as refusal:
                    return answer(refusal)
                return view(request, *args, **kwargs)

            @wraps(view)
            async def protected_async(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                try:
                    remember(request, await self._verifier.admit_async(request.headers, *scopes))
                except Refusal as refusal:
                    return answer(refusal)
                return await view(request, *args, **kwargs)

            return cast("View", protected_async if iscoroutinefunction(view) else protected)

        return decorate


def caller(request: HttpRequest) -> Caller:
    """The caller of a request that a decorated view answers."""
    return cast("Any", request).gatepost_caller


def remember(request: HttpRequest, caller: Caller) -> None:
    cast("Any", request).gatepost_caller = caller


def answer(refusal: Refusal) -> HttpResponse:
    return HttpResponse(refusal.body, status=refusal.status, headers=refusal.headers)


def receive_webhooks(secrets: Secrets) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a view: its second argument is the verified webhook, and its `None` becomes 204. Others are answered
    with 400, and more than 2 MiB with 413. The view takes only `POST`, without a CSRF token.
    """
    secrets = keys_in(secrets)

    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def receive(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            found = webhook_in(request, secrets)
            if isinstance(found, HttpResponse):
                return found
            return view(request, found, *args, **kwargs) or HttpResponse(status=204)

        @wraps(view)
        async def receive_async(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            found = webhook_in(request, secrets)
            if isinstance(found, HttpResponse):
                return found
            return await view(request, found, *args, **kwargs) or HttpResponse(status=204)

        return csrf_exempt(require_POST(receive_async if iscoroutinefunction(view) else receive))

    return decorate


def webhook_in(request: HttpRequest, secrets: Secrets) -> Webhook | HttpResponse:
    try:
        return received(body_of(request), request.headers, secrets)
    except WebhookError as error:
        return HttpResponse(str(error), status=error.status, content_type="text/plain")


def body_of(request: HttpRequest) -> bytes:
    """The body, or the beginning of one that is too large. Django bounds no body that is sent in chunks."""
    if not hasattr(request, "_body"):
        cast("Any", request)._body = request.read(BODY_BYTES_MAX + 1)
    return request.body
