import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { addressOf, call, Failure } from "../../../web/lib/api.js";
import { OPERATIONS } from "../../../web/lib/operations.js";

test("the operations are where the description of the API says", async () => {
  const { paths } = JSON.parse(await readFile(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));
  const described = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      described[operationId] = `${method.toUpperCase()} ${path}`;
    }
  }
  for (const [name, place] of Object.entries(OPERATIONS)) {
    assert.equal(place, described[name], name);
    const twin = place.replace("/users/{userId}", "/organizations/{organizationId}");
    assert.ok(Object.values(described).includes(twin), `${name} for an organization`);
  }
});

test("parameters of the path are encoded, and the rest that is not empty is the query", () => {
  const given = { userId: "auth0|a/b", state: "", cursor: undefined, limit: 20, subscriptionId: "sub_1" };
  const expected = "/api/operator/users/auth0%7Ca%2Fb/deliveries?limit=20&subscriptionId=sub_1";
  assert.equal(addressOf("listUserDeliveries", given), expected);
  const organization = { organizationId: "acme/eu", keyId: "key_1" };
  assert.equal(addressOf("revokeUserApiKey", organization), "/api/operator/organizations/acme%2Feu/keys/key_1");
  assert.equal(addressOf("listAllAuditEvents", { organizationId: "a" }), "/api/operator/audit?organizationId=a");
  assert.equal(addressOf("listApiKeys"), "/api/api-keys");
});

test("a call sends its body as JSON, and returns what is answered", async () => {
  const requests = [];
  globalThis.fetch = (address, request) => {
    requests.push([address, request]);
    return Promise.resolve(Response.json({ deliveries: 3 }, { status: 202 }));
  };
  const body = { since: "2026-01-01T00:00:00Z" };
  assert.deepEqual(await call("recoverSubscription", { id: "sub_1", body }), { deliveries: 3 });
  const headers = { "content-type": "application/json" };
  const sent = { method: "POST", body: JSON.stringify(body), headers };
  assert.deepEqual(requests, [["/api/webhooks/subscriptions/sub_1/recover", sent]]);
});

test("an answer that is an error is thrown as its problem", async () => {
  const problem = { title: "Wrong", status: 400, errors: [{ field: "url", detail: "must be a URL" }] };
  const headers = { "content-type": "application/problem+json" };
  globalThis.fetch = () => Promise.resolve(new Response(JSON.stringify(problem), { status: 400, headers }));
  await assert.rejects(
    call("listApiKeys"),
    (failure) => failure instanceof Failure && failure.fault("url") !== undefined,
  );
  globalThis.fetch = () => Promise.reject(new TypeError("no network"));
  await assert.rejects(call("listApiKeys"), { message: "The server does not answer" });
});

test("a fault of a list names the item, and each fault is shown once", () => {
  const errors = [
    { field: "events[1]", detail: "must be a type" },
    { field: "scopes", detail: "at index 0: is too long" },
    { field: "other", detail: "is unknown" },
  ];
  const failure = new Failure({ title: "Wrong", errors });
  assert.equal(failure.fault("events", ["a", "B!"]), "“B!” must be a type");
  assert.equal(failure.fault("scopes", ["orders"]), "“orders” is too long");
  assert.equal(failure.fault("url"), undefined);
  assert.deepEqual(
    failure.faultsBeside(["events", "scopes"]).map(({ field }) => field),
    ["other"],
  );
});
