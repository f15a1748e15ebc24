import fastify from "fastify";
import { Gatepost, Verifier } from "@gatepost/client";
import { callerOf, receiveWebhooks, requireApiKey } from "@gatepost/client/fastify";

const { GATEPOST_URL: url, GATEPOST_OPERATOR_TOKEN: token, WEBHOOK_SECRET } = process.env;
const gatepost = new Gatepost({ url, token });
const keys = new Verifier(gatepost);
const app = fastify();

app.get("/orders", { onRequest: requireApiKey(keys, "orders:read") }, async (request) => {
  return { ordersOf: callerOf(request).owner };
});

app.post("/orders", { onRequest: requireApiKey(keys) }, async (request) => {
  const { owner } = callerOf(request);
  return gatepost.publishEvent({ ...owner, type: "order.created", data: { orderId: "or_1" } });
});

app.register(receiveWebhooks("/webhooks", WEBHOOK_SECRET, ({ payload }) => console.log(payload)));

app.listen({ port: 3000, host: "127.0.0.1" }).then(() => console.log("listening on 3000"));
