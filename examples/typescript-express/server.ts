import express from "express";
import { Gatepost, Verifier, verifyWebhook } from "@gatepost/client";
import { callerOf, requireApiKey } from "@gatepost/client/express";

const { GATEPOST_URL: url, GATEPOST_OPERATOR_TOKEN: token, WEBHOOK_SECRET, PORT = "3000" } = process.env;
const gatepost = new Gatepost({ url, token });
const keys = new Verifier(gatepost);
const app = express();

app.get("/orders", requireApiKey(keys, "orders:read"), (req, res) => {
  res.json({ ordersOf: callerOf(req).owner });
});

app.post("/orders", requireApiKey(keys), async (req, res) => {
  await gatepost.publishEvent({ ...callerOf(req).owner, type: "order.created", data: { orderId: "or_1" } });
  res.sendStatus(202);
});

app.post("/webhooks", express.raw({ type: "application/json" }), async (req, res) => {
  try {
    const webhook = await verifyWebhook(req.body, req.headers, WEBHOOK_SECRET);
    console.log("genuine:", webhook.payload.type);
    res.sendStatus(204);
  } catch (error) {
    console.warn(`refused: ${error}`);
    res.sendStatus(400);
  }
});

app.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on ${PORT}`));
