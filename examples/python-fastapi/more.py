"""The quick start with one more route, and a portal: `uvicorn more:app`."""

from typing import Annotated

from fastapi import Depends
from fastapi.responses import RedirectResponse

from app import app, gatepost, keys
from gatepost import Caller


@app.get("/orders")
async def orders(caller: Annotated[Caller, Depends(keys("orders:read"))]) -> dict[str, object]:
    return {"ordersOf": caller.owner}


@app.get("/portal")
async def portal() -> RedirectResponse:
    link = await gatepost.create_portal_link(user_id="alice")  # the user of your session
    return RedirectResponse(link.url)
