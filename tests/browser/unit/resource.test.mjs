// The answers that screens have read, kept by their address.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { find, forget, refresh, store, watch } from "../../../web/lib/cache.js";

/** Requests that are not answered yet, oldest first. */
const open = [];

beforeEach(() => {
  forget();
  open.length = 0;
  globalThis.fetch = (address) => new Promise((resolve) => open.push({ address, resolve }));
});

const answer = ({ resolve }, body) => resolve(Response.json(body));

test("an answer is found at its address, and who watches learns of it", async () => {
  const changed = [];
  const stop = watch((address) => changed.push(address));
  const reading = refresh("findDelivery", { id: "dlv_1" });
  assert.equal(open[0].address, "/api/webhooks/deliveries/dlv_1");
  answer(open[0], { delivery: 1 });
  await reading;
  assert.deepEqual(find("/api/webhooks/deliveries/dlv_1"), { delivery: 1 });
  assert.deepEqual(changed, ["/api/webhooks/deliveries/dlv_1"]);
  stop();
  store("listApiKeys", {}, { keys: [] });
  assert.equal(changed.length, 1);
});

test("an answer that was overtaken is dropped", async () => {
  const readings = [refresh("listApiKeys"), refresh("listApiKeys")];
  answer(open[1], { keys: ["new"] });
  await readings[1];
  answer(open[0], { keys: ["old"] });
  await readings[0];
  assert.deepEqual(find("/api/api-keys"), { keys: ["new"] });
});

test("what a change answered counts more than a question before it", async () => {
  const reading = refresh("listApiKeys");
  store("listApiKeys", {}, { keys: ["changed"] });
  answer(open[0], { keys: ["before"] });
  await reading;
  assert.deepEqual(find("/api/api-keys"), { keys: ["changed"] });
});

test("the answers that were read last are kept, at most a hundred", () => {
  const address = (n) => `/api/operator/events/evt_${n}`;
  for (let n = 0; n < 100; n += 1) store("findEvent", { id: `evt_${n}` }, n);
  store("findEvent", { id: "evt_0" }, "again");
  store("findEvent", { id: "evt_100" }, 100);
  assert.deepEqual(
    [0, 1, 2, 100].map((n) => find(address(n))),
    ["again", undefined, 2, 100],
  );
});

test("nothing is left for another user", () => {
  store("listApiKeys", {}, { keys: [] });
  forget();
  assert.equal(find("/api/api-keys"), undefined);
});
