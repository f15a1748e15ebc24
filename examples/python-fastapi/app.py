import os
from typing import Annotated

from fastapi import Depends, FastAPI

from gatepost import AsyncGatepost, AsyncVerifier, Caller, Webhook
from gatepost.fastapi import ApiKeys, receive_webhooks

gatepost = AsyncGatepost(os.environ["GATEPOST_URL"], os.environ["GATEPOST_OPERATOR_TOKEN"])
app = FastAPI()
keys = ApiKeys(app, AsyncVerifier(gatepost))


@app.post("/orders")
async def order(caller: Annotated[Caller, Depends(keys("orders:write"))]) -> dict[str, int]:
    published = await gatepost.publish_event(**caller.owner, type="order.created", data={"order": 1})
    return {"deliveries": published.deliveries}


@app.post("/hook")
async def hook(webhook: Annotated[Webhook, Depends(receive_webhooks(os.environ["WEBHOOK_SECRET"]))]) -> None:
    print("received", webhook.type, webhook.data, flush=True)
