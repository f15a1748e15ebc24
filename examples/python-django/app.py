import os

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from gatepost import Gatepost, Verifier, Webhook
from gatepost.django import ApiKeys, caller, receive_webhooks

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"])
gatepost = Gatepost(os.environ["GATEPOST_URL"], os.environ["GATEPOST_OPERATOR_TOKEN"])
keys = ApiKeys(Verifier(gatepost))


@csrf_exempt
@require_POST
@keys("orders:write")
def order(request: HttpRequest) -> HttpResponse:
    published = gatepost.publish_event(**caller(request).owner, type="order.created", data={"order": 1})
    return JsonResponse({"deliveries": published.deliveries})


@receive_webhooks(os.environ["WEBHOOK_SECRET"])
def hook(request: HttpRequest, webhook: Webhook) -> None:
    print("received", webhook.type, webhook.data, flush=True)


urlpatterns = [path("orders", order), path("hook", hook)]

if __name__ == "__main__":
    execute_from_command_line()
