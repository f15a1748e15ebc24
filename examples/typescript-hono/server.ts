import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Gatepost, Verifier } from "@gatepost/client";
import { callerOf, receiveWebhooks, requireApiKey } from "@gatepost/client/hono";

const { GATEPOST_URL: url, GATEPOST_OPERATOR_TOKEN: token, WEBHOOK_SECRET } = process.env;
const gatepost = new Gatepost({ url, token });
const keys = new Verifier(gatepost);
const app = new Hono();

app.get("/orders", requireApiKey(keys, "orders:read"), (c) => c.json({ ordersOf: callerOf(c).owner }));

app.post("/orders", requireApiKey(keys), async (c) => {
  const { owner } = callerOf(c);
  return c.json(await gatepost.publishEvent({ ...owner, type: "order.created", data: { orderId: "or_1" } }));
});

app.post(
  "/webhooks",
  receiveWebhooks(WEBHOOK_SECRET, ({ payload }) => console.log(payload)),
);

serve({ fetch: app.fetch, port: 3000, hostname: "127.0.0.1" }, () => console.log("listening on 3000"));
