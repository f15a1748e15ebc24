"""API keys in Django."""

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar, cast

from django.http import HttpRequest, HttpResponse

from gatepost.callers import Caller, Refusal
from gatepost.verifier import Verifier

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
