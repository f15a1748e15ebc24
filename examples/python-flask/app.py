import os

from flask import Flask, request
from flask.typing import ResponseReturnValue

from gatepost import Gatepost, Verifier, WebhookError, verify_webhook
from gatepost.flask import ApiKeys, caller

gatepost = Gatepost(os.environ["GATEPOST_URL"], os.environ["GATEPOST_OPERATOR_TOKEN"])
app = Flask(__name__)
keys = ApiKeys(app, Verifier(gatepost))


@app.get("/orders")
@keys()
def orders() -> ResponseReturnValue:
    return {"ordersOf": caller().owner}


@app.post("/orders")
@keys("orders:write")
def order() -> ResponseReturnValue:
    published = gatepost.publish_event(**caller().owner, type="order.created", data={"order": 1})
    return {"deliveries": published.deliveries}


@app.post("/hook")
def hook() -> ResponseReturnValue:
    try:
        webhook = verify_webhook(request.get_data(), request.headers, os.environ["WEBHOOK_SECRET"])
    except WebhookError as error:
        return str(error), 400
    print("received", webhook.type, webhook.data, flush=True)
    return "", 204
