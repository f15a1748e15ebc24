import fastify from "fastify";
import { Gatepost, Verifier, verifyWebhook } from "@gatepost/client";
import { callerOf, requireApiKey } from "@gatepost/client/fastify";

const { GATEPOST_URL: url, GATEPOST_OPERATOR_TOKEN: token, WEBHOOK_SECRET, PORT = "3000" } = process.env;
const gatepost = new Gatepost({ url, token });
const keys = new Verifier(gatepost);
const app = fastify();

app.get("/orders", { onRequest: requireApiKey(keys, "orders:read") }, async (request) => {
  return { ordersOf: callerOf(request).owner };
});

app.post("/orders", { onRequest: requireApiKey(keys) }, async (request, reply) => {
  await gatepost.publishEvent({ ...callerOf(request).owner, type: "order.created", data: { orderId: "or_1" } });
  return reply.code(202).send();
});

// This scope keeps the bytes of the body, over which the signature is.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  scope.post<{ Body: Buffer }>("/webhooks", async (request, reply) => {
    try {
      const webhook = await verifyWebhook(request.body, request.headers, WEBHOOK_SECRET);
      console.log("genuine:", webhook.payload.type);
      return reply.code(204).send();
    } catch (error) {
      console.warn(`refused: ${error}`);
      return reply.code(400).send();
    }
  });
});

app.listen({ port: Number(PORT), host: "127.0.0.1" }).then(() => console.log(`listening on ${PORT}`));
