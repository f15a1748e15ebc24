import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Gatepost, Verifier, verifyWebhook } from "@gatepost/client";
import { callerOf, requireApiKey } from "@gatepost/client/hono";

const { GATEPOST_URL: url, GATEPOST_OPERATOR_TOKEN: token, WEBHOOK_SECRET, PORT = "3000" } = process.env;
const gatepost = new Gatepost({ url, token });
const keys = new Verifier(gatepost);
const app = new Hono();

app.get("/orders", requireApiKey(keys, "orders:read"), (c) => c.json({ ordersOf: callerOf(c).owner }));

app.post("/orders", requireApiKey(keys), async (c) => {
  await gatepost.publishEvent({ ...callerOf(c).owner, type: "order.created", data: { orderId: "or_1" } });
  return c.body(null, 202);
});

app.post("/webhooks", async (c) => {
  try {
    const webhook = await verifyWebhook(await c.req.arrayBuffer(), c.req.raw.headers, WEBHOOK_SECRET);
    console.log("genuine:", webhook.payload.type);
    return c.body(null, 204);
  } catch (error) {
    console.warn(`refused: ${error}`);
    return c.body(null, 400);
  }
});

serve({ fetch: app.fetch, port: Number(PORT), hostname: "127.0.0.1" }, () => console.log(`listening on ${PORT}`));
