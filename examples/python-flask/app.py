import os

from flask import Flask
from flask.typing import ResponseReturnValue

from gatepost import Gatepost, Verifier, Webhook
from gatepost.flask import ApiKeys, caller, receive_webhooks

gatepost = Gatepost(os.environ["GATEPOST_URL"], os.environ["GATEPOST_OPERATOR_TOKEN"])
app = Flask(__name__)
keys = ApiKeys(app, Verifier(gatepost))


@app.post("/orders")
@keys("orders:write")
def order() -> ResponseReturnValue:
    published = gatepost.publish_event(**caller().owner, type="order.created", data={"order": 1})
    return {"deliveries": published.deliveries}


@app.post("/hook")
@receive_webhooks(os.environ["WEBHOOK_SECRET"])
def hook(webhook: Webhook) -> None:
    print("received", webhook.type, webhook.data, flush=True)
