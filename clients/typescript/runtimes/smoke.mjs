// Runs on Deno, Bun and Workers (`workers.mjs`): imports the package, verifies a webhook, and calls a service.
import { Gatepost, Verifier, verifyWebhook } from "@gatepost/client";

const HEADERS = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": "1614265330",
  "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

export async function smoke(url) {
  const now = () => 1_614_265_330_000;
  const webhook = await verifyWebhook('{"test": 2432232314}', HEADERS, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {
    now,
  });
  const gatepost = new Gatepost({ url, token: "operator" });
  const { deliveries } = await gatepost.publishEvent({ userId: "alice", type: "a.b", data: 1 });
  const keys = new Verifier(gatepost);
  const request = new Request(url, { headers: { "x-api-key": "k" } });
  const callers = await Promise.all([keys.admit(request, "orders:read"), keys.admit(request)]);
  return { id: webhook.id, deliveries, callers: callers.map(({ caller }) => caller.owner) };
}

if (globalThis.process?.argv?.[2]) console.log(JSON.stringify(await smoke(process.argv[2])));
