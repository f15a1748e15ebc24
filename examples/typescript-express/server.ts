import express from "express";
import { Gatepost, Verifier } from "@gatepost/client";
import { callerOf, receiveWebhooks, requireApiKey } from "@gatepost/client/express";

const gatepost = new Gatepost({ url: process.env.GATEPOST_URL, token: process.env.GATEPOST_OPERATOR_TOKEN });
const keys = new Verifier(gatepost);
const app = express();

app.get("/orders", requireApiKey(keys, "orders:read"), (req, res) => {
  res.json({ ordersOf: callerOf(req).owner });
});

app.post("/orders", requireApiKey(keys), async (req, res) => {
  res.json(await gatepost.publishEvent({ ...callerOf(req).owner, type: "order.created", data: { orderId: "or_1" } }));
});

// "alice" stands for the user of your session.
app.get("/portal", async (_req, res) => res.redirect((await gatepost.createPortalLink({ userId: "alice" })).url));

app.route("/webhooks").post(receiveWebhooks(process.env.WEBHOOK_SECRET, ({ payload }) => console.log(payload)));

app.listen(3000, "127.0.0.1", () => console.log("listening on 3000"));
