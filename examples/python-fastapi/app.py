import os
from typing import Annotated

from fastapi import Depends, FastAPI, Request, Response

from gatepost import AsyncGatepost, AsyncVerifier, Caller, WebhookError, verify_webhook
from gatepost.fastapi import ApiKeys

gatepost = AsyncGatepost(os.environ["GATEPOST_URL"], os.environ["GATEPOST_OPERATOR_TOKEN"])
app = FastAPI()
keys = ApiKeys(app, AsyncVerifier(gatepost))


@app.get("/orders")
async def orders(caller: Annotated[Caller, Depends(keys())]) -> dict[str, object]:
    return {"ordersOf": caller.owner}


@app.post("/orders")
async def order(caller: Annotated[Caller, Depends(keys("orders:write"))]) -> dict[str, int]:
    published = await gatepost.publish_event(**caller.owner, type="order.created", data={"order": 1})
    return {"deliveries": published.deliveries}


@app.post("/hook")
async def hook(request: Request) -> Response:
    try:
        webhook = verify_webhook(await request.body(), request.headers, os.environ["WEBHOOK_SECRET"])
    except WebhookError as error:
        return Response(str(error), status_code=400)
    print("received", webhook.type, webhook.data, flush=True)
    return Response(status_code=204)
