import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location = new URL("https://keys.example/console/deliveries?organization=acme");
globalThis.navigator ??= {};
globalThis.window = new EventTarget();
globalThis.document = Object.assign(new EventTarget(), { visibilityState: "hidden", cookie: "" });
const { follow } = await import("../../../web/lib/stream.js");

test("a hidden page whose role has ended leaves the stream to others until it is seen", async () => {
  const asked = [];
  let hear = () => undefined;
  globalThis.fetch = (address) => {
    asked.push(String(address));
    hear();
    const problem = { type: "about:blank", title: "ended", status: 403, code: "organization_role_expired" };
    return Promise.resolve(
      Response.json(problem, { status: 403, headers: { "content-type": "application/problem+json" } }),
    );
  };
  const states = [];
  const stop = follow((news) => states.push(news.state));
  // Every turn of a page that retries takes a timer, and this one sets none.
  const timers = [];
  const { setTimeout: set } = globalThis;
  globalThis.setTimeout = (call, time) => (timers.push(time), set(call, 0));
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([asked.length, timers], [1, []]);

  const again = new Promise((resolve) => (hear = resolve));
  document.visibilityState = "visible";
  document.dispatchEvent(new Event("visibilitychange"));
  await again;
  stop();
  globalThis.setTimeout = set;
  assert.equal(asked.length, 2);
});
