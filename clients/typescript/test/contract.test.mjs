// Every operation of docs/openapi.json, called at the real service.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { createServer } from "node:http";
import { Gatepost, GatepostError, Verifier, Publisher, verifyWebhook } from "../dist/esm/index.js";
import { table } from "../dist/esm/generated/operations.js";
import { ABSENT, start } from "./service.mjs";

const document = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));
const documented = new Map(
  Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((operation) => [operation.operationId, operation]),
  ),
);

describe("the service", { skip: ABSENT }, () => {
  const called = new Set();
  let service, operator, alice, receiver, hook;
  /** A client whose calls are counted, and whose answers have documented statuses. */
  const counting = (token) => {
    let status;
    const fetch = async (...request) => {
      const response = await globalThis.fetch(...request);
      status = response.status;
      return response;
    };
    const client = new Gatepost({ url: service.url, token, fetch });
    for (const id of documented.keys()) {
      const method = client[id];
      client[id] = (...args) => {
        const answer = method(...args);
        if (!answer.pages) {
          return answer.finally(() => {
            assert.ok(documented.get(id).responses[status], `${id} answers ${status}, which is not documented`);
            called.add(id);
          });
        }
        called.add(id);
        return answer;
      };
    }
    return client;
  };

  before(async () => {
    service = await start();
    operator = counting(service.operatorToken);
    alice = counting(await service.idToken("alice"));
    receiver = createServer((request, response) => response.writeHead(request.url === "/hook" ? 204 : 500).end());
    await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    hook = `http://127.0.0.1:${receiver.address().port}`;
  });
  after(() => {
    service?.stop();
    receiver?.closeAllConnections();
    receiver?.close();
  });
  const fails = (promise, code) => assert.rejects(Promise.resolve(promise), { name: "GatepostError", code });

  it("keys", async () => {
    const created = await alice.createApiKey({
      label: "CI",
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    const { keyId } = created;
    assert.equal((await counting(created.key).whoami()).userId, "alice");
    assert.equal((await operator.introspect({ token: created.key })).client_id, keyId);
    assert.ok(Array.isArray((await alice.showDailyUses()).keys ?? (await alice.showDailyUses()).days));
    await alice.showKeyUsage({ keyId, hours: 1 });
    const rotated = await alice.rotateApiKey({ keyId });
    assert.equal((await alice.listApiKeys()).keys.length, 2);
    assert.equal((await operator.listUserApiKeys({ userId: "alice" })).keys.length, 2);
    assert.equal((await operator.changeUser({ userId: "alice", name: "Alice" })).name, "Alice");
    assert.equal((await operator.findUser({ userId: "alice" })).name, "Alice");
    assert.equal((await operator.setUserState({ userId: "alice", state: "active" })).name, "Alice");
    assert.equal((await operator.changeOrganization({ organizationId: "acme", name: "Acme" })).name, "Acme");
    assert.equal((await operator.findOrganization({ organizationId: "acme" })).name, "Acme");
    const names = [];
    for await (const owner of operator.listOwners({ limit: 1 })) names.push(`${owner.kind} ${owner.name}`);
    assert.deepEqual(names, ["organization Acme", "user Alice"]);
    assert.equal((await operator.listOwners({ query: "ali", state: "active" })).owners[0].activeKeys, 1);
    assert.equal((await operator.setOrganizationState({ organizationId: "acme", state: "active" })).name, "Acme");
    const gone = { organizationId: "umbrella", confirm: "umbrella" };
    assert.equal((await operator.eraseOrganization(gone)).state.state, "erasing");
    assert.equal((await operator.eraseUser({ userId: "mallory", confirm: "mallory" })).state.state, "erasing");
    await fails(operator.eraseUser({ userId: "alice", confirm: "bob" }), "invalid_field");
    await alice.revokeApiKey({ keyId: rotated.keyId });
    const other = await alice.createApiKey({ label: "a" });
    await operator.revokeUserApiKey({ userId: "alice", keyId: other.keyId });
    const leaked = await alice.createApiKey({ label: "b" });
    await operator.reportLeaks({ tokens: [leaked.key] });
    await operator.revokeUserApiKeys({ userId: "alice" });
    assert.equal((await operator.introspect({ token: leaked.key })).active, false);
    const changed = await alice.createApiKey({ label: "c", metadata: { plan: "free" } });
    await alice.changeApiKey({ keyId: changed.keyId, disabled: true, metadata: { plan: "pro" }, rateLimit: null });
    assert.equal((await operator.introspect({ token: changed.key })).active, false);
    await fails(alice.createApiKey({ label: "" }), "invalid_field");
  });

  it("an organization has the calls of a user", async () => {
    const organizationId = "acme";
    assert.deepEqual((await operator.listOrganizationApiKeys({ organizationId })).keys, []);
    await operator.revokeOrganizationApiKeys({ organizationId });
    const keyId = "key_00000000000000000000000000";
    await fails(operator.revokeOrganizationApiKey({ organizationId, keyId }), "key_not_found");
    await operator.listOrganizationSessions({ organizationId });
    await operator.endOrganizationSessions({ organizationId });
    await operator.listOrganizationSubscriptions({ organizationId });
    await operator.listOrganizationDeliveries({ organizationId });
    await operator.listOrganizationFailures({ organizationId });
    const id = "sub_00000000000000000000000000";
    const since = new Date(Date.now() - 60_000).toISOString();
    await fails(operator.findOrganizationSubscription({ organizationId, id }), "subscription_not_found");
    await fails(operator.recoverOrganizationSubscription({ organizationId, id, since }), "subscription_not_found");
    const failed = { subscriptionId: id, error: "status", status: 500 };
    await fails(operator.retryOrganizationFailures({ organizationId, ...failed }), "subscription_not_found");
    const delivery = { organizationId, id: "dlv_00000000000000000000000000" };
    await fails(operator.findOrganizationDelivery(delivery), "delivery_not_found");
    await fails(operator.retryOrganizationDelivery(delivery), "delivery_not_found");
  });

  for (const [kind, owner] of [
    ["User", { userId: "carol" }],
    ["Organization", { organizationId: "globex" }],
  ]) {
    it(`a host acts for a customer: ${kind}`, async () => {
      const call = (id, args = {}, ...rest) => operator[id.replace("Owner", kind)]({ ...owner, ...args }, ...rest);
      const { keyId } = await call("createOwnerApiKey", { label: "a" });
      assert.equal((await call("changeOwnerApiKey", { keyId, label: "b" })).label, "b");
      await call("showOwnerKeyUsage", { keyId, hours: 1 });
      await call("rotateOwnerApiKey", { keyId });
      await call("showOwnerDailyUses");
      assert.equal((await call("listOwnerAuditEvents", { action: "key.created" })).events[0].actor.type, "operator");
      await fails(call("endOwnerSession", { id: "ses_00000000000000000000000000" }), "session_not_found");
      const created = await call("createOwnerSubscription", { url: `${hook}/hook`, events: ["a.b"] });
      const id = created.subscription.id;
      await call("changeOwnerSubscription", { id, description: "d" });
      assert.notEqual((await call("rotateOwnerSecret", { id })).secret, created.secret);
      const streaming = await call("streamOwnerAttempts", {}, { timeoutMs: 20_000 });
      const { delivery } = await call("testOwnerSubscription", { id });
      for await (const attempt of streaming) {
        assert.equal(attempt.deliveryId, delivery.id);
        break;
      }
      await fails(call("cancelOwnerDelivery", { id: "dlv_00000000000000000000000000" }), "delivery_not_found");
      await call("countOwnerRecoverable", { id, since: new Date(Date.now() - 60_000).toISOString() });
      await call("showOwnerAttemptTimes", { id });
      await call("showOwnerSubscriptionOutcomes", { id });
      await call("showOwnerOutcomes", { hours: 1 });
      await call("testOwnerUrl", { url: `${hook}/hook` });
      await call("testOwnerFilter", { filter: { path: "/data", op: "exists" }, data: 1 });
      await call("deleteOwnerSubscription", { id });
    });
  }

  it("subscriptions, events and deliveries", async () => {
    const first = await alice.createSubscription({ url: `${hook}/hook`, events: ["a.b"] });
    const id = first.subscription.id;
    await alice.findSubscription({ id });
    await alice.changeSubscription({ id, description: "d" });
    const repeated = await alice.rotateSecret({ id, "idempotency-key": "once" });
    assert.match(repeated.secret, /^whsec_/);
    const streaming = await alice.streamAttempts({}, { timeoutMs: 20_000 });
    const event = { userId: "alice", type: "a.b", data: { n: 1 }, id: "order-1" };
    const published = await operator.publishEvent(event);
    for await (const attempt of streaming) {
      assert.equal(attempt.eventId, published.event.id);
      break;
    }
    assert.equal((await operator.publishEvent(event)).duplicate, true);
    const events = Array.from({ length: 5 }, (_, n) => ({ userId: "alice", type: "a.b", data: n }));
    assert.equal((await operator.publishEvents({ events })).results.length, 5);
    await operator.findEvent({ id: published.event.id });
    const seen = [];
    for await (const { event } of operator.listEvents({ userId: "alice", limit: 2 })) seen.push(event.id);
    assert.equal(new Set(seen).size, 6, "three pages");
    const page = await alice.listDeliveries({ limit: 1 });
    assert.equal(page.deliveries.length, 1);
    const delivery = { id: page.deliveries[0].id };
    await alice.findDelivery(delivery);
    await operator.listUserDeliveries({ userId: "alice" });
    await operator.findUserDelivery({ userId: "alice", ...delivery });
    await fails(
      operator.retryUserDelivery({ userId: "alice", id: "dlv_00000000000000000000000000" }),
      "delivery_not_found",
    );
    await fails(alice.retryDelivery({ id: "dlv_00000000000000000000000000" }), "delivery_not_found");
    await fails(alice.cancelDelivery({ id: "dlv_00000000000000000000000000" }), "delivery_not_found");
    await alice.listFailures();
    await operator.listUserFailures({ userId: "alice" });
    await alice.retryFailures({ subscriptionId: id, error: "status", status: 500 });
    await operator.retryUserFailures({ userId: "alice", subscriptionId: id, error: "status", status: 500 });
    await operator.listFailingSubscriptions();
    await alice.showOutcomes({ hours: 1 });
    await alice.showSubscriptionOutcomes({ id });
    await alice.showAttemptTimes({ id });
    const since = new Date(Date.now() - 60_000).toISOString();
    await alice.countRecoverable({ id, since, events: "invoice.*,order.paid" });
    await alice.recoverSubscription({ id, since, events: ["invoice.*"] });
    await operator.recoverUserSubscription({ userId: "alice", id, since });
    await operator.listUserSubscriptions({ userId: "alice" });
    await operator.findUserSubscription({ userId: "alice", id });
    await alice.testSubscription({ id });
    await alice.testUrl({ url: `${hook}/hook` });
    const filter = { all: [{ path: "/data/amount", op: "gte", value: 100 }] };
    const verdict = await alice.testFilter({ filter, event: { data: { amount: 99.5 } } });
    assert.deepEqual(verdict, { passes: false, decidedBy: "filter.all[0]" });
    assert.deepEqual((await alice.changeSubscription({ id, filter })).subscription.filter, filter);
    assert.equal((await alice.changeSubscription({ id, filter: null })).subscription.filter, undefined);
    assert.equal((await alice.changeSubscription({ id, maxPerSecond: 2.5 })).subscription.maxPerSecond, 2.5);
    assert.equal((await alice.changeSubscription({ id, maxPerSecond: null })).subscription.maxPerSecond, undefined);
    await alice.deleteSubscription({ id });
    await fails(alice.findSubscription({ id }), "subscription_not_found");
  });

  it("a receiver verifies with the public keys of a subscription", async () => {
    let arrive;
    const arrival = new Promise((resolve) => (arrive = resolve));
    const signed = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(204).end();
      arrive({ body: Buffer.concat(chunks), headers: request.headers });
    });
    await new Promise((resolve) => signed.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${signed.address().port}/`;
    const { subscription, secret } = await alice.createSubscription({ url, events: ["k"], signing: "ed25519" });
    assert.equal(secret, undefined);
    await alice.testSubscription({ id: subscription.id });
    const { body, headers } = await arrival;
    const keys = await alice.showWebhookKeys({ id: subscription.id });
    for (const key of [keys, subscription.publicKeys[0]]) {
      assert.equal((await verifyWebhook(body, headers, key)).payload.type, "webhook.test");
      await fails(verifyWebhook(`${body} `, headers, key), "wrong_signature");
    }
    await alice.deleteSubscription({ id: subscription.id });
    await fails(alice.showWebhookKeys({ id: subscription.id }), "subscription_not_found");
    signed.closeAllConnections();
    signed.close();
  });

  it("ensureSubscription may be repeated", async () => {
    const wanted = { url: `${hook}/hook`, events: ["x.y"] };
    const created = await alice.ensureSubscription(wanted);
    assert.match(created.secret, /^whsec_/);
    assert.deepEqual(await alice.ensureSubscription(wanted), { subscription: created.subscription });
    const changed = await alice.ensureSubscription({ ...wanted, events: ["x.*", "z"] });
    assert.equal(changed.subscription.id, created.subscription.id);
    assert.deepEqual(changed.subscription.events, ["x.*", "z"]);
    await alice.changeSubscription({ id: created.subscription.id, enabled: false });
    const again = { url: wanted.url.replace("http", "HTTP").replace("/hook", "/a/../hook"), events: ["z", "x.*"] };
    const { subscription, secret } = await alice.ensureSubscription(again);
    assert.deepEqual([subscription.id, subscription.enabled, secret], [created.subscription.id, true, undefined]);
    const described = await alice.ensureSubscription({ ...again, description: "orders", secret: "another secret" });
    assert.deepEqual([described.subscription.description, described.secret], ["orders", undefined]);
    assert.deepEqual(await alice.ensureSubscription(again), described, "no description is given");
    let count = 0;
    for await (const { url } of alice.listSubscriptions()) if (url === wanted.url) count += 1;
    assert.equal(count, 1);
  });

  it("ensureSubscription works for a user and an organization of an operator", async () => {
    for (const owner of [{ userId: "ensured" }, { organizationId: "ensured" }]) {
      const wanted = { ...owner, url: `${hook}/hook`, events: ["a"] };
      const created = await operator.ensureSubscription(wanted);
      assert.ok(created.secret);
      const { secret, subscription } = await operator.ensureSubscription({
        ...wanted,
        events: ["b"],
        description: "d",
      });
      assert.deepEqual([secret, subscription.id], [undefined, created.subscription.id]);
      assert.deepEqual([subscription.events, subscription.description], [["b"], "d"]);
    }
    const wanted = { url: `${hook}/hook`, events: ["a"] };
    const message = /with an operator token, ensureSubscription needs userId or organizationId/;
    await assert.rejects(operator.ensureSubscription(wanted), { code: "credential_invalid", message });
    const both = { ...wanted, userId: "a", organizationId: "a" };
    await fails(operator.ensureSubscription(both), "invalid_argument");
  });

  it("ensureSubscription makes one subscription when several processes start", async () => {
    const wanted = { url: `${hook}/parallel#fragment`, events: ["x.y"] };
    for (let round = 0; round < 5; round++) {
      const ensured = await Promise.all(Array.from({ length: 8 }, () => alice.ensureSubscription(wanted)));
      const found = [];
      for await (const { id, url } of alice.listSubscriptions()) if (url === `${hook}/parallel`) found.push(id);
      assert.equal(found.length, 1);
      const owners = ensured.filter(({ secret }) => secret);
      assert.ok(
        owners.some(({ subscription }) => subscription.id === found[0]),
        "somebody has its secret",
      );
      await alice.deleteSubscription({ id: found[0] });
    }
  });

  it("ensureSubscription gives all that is wanted to a subscription that exists", async () => {
    const wanted = { url: `${hook}/hook`, events: ["x.y"] };
    const filter = { path: "/data/amount", op: "gte", value: 100 };
    await alice.ensureSubscription(wanted);
    const more = { ...wanted, filter, auth: { type: "bearer", token: "secret" }, headers: { "x-a": "b" } };
    const { subscription } = await alice.ensureSubscription(more);
    assert.deepEqual(subscription.filter, filter);
    assert.deepEqual([subscription.auth.type, subscription.headers.map(({ name }) => name)], ["bearer", ["x-a"]]);
    assert.deepEqual((await alice.ensureSubscription(wanted)).subscription.filter, filter, "no filter is given");
    assert.equal((await alice.ensureSubscription({ ...wanted, filter: null })).subscription.filter, undefined);
    await alice.deleteSubscription({ id: subscription.id });
  });

  it("ensureSubscription may be repeated with each member, and keeps the signatures", async () => {
    const { CreateSubscription } = document.components.schemas;
    const pair = readFileSync(new URL("../../../crates/adapters-egress/tests/suite/pairs/ecdsa.pem", import.meta.url), "utf8");
    const end = pair.indexOf("-----BEGIN EC");
    const members = {
      auth: { type: "bearer", token: "secret" },
      clientCertificate: { chain: pair.slice(0, end), key: pair.slice(end) },
      description: "d",
      filter: { path: "/data", op: "exists" },
      headers: { "x-a": "b" },
      maxPerSecond: 5,
      onExhausted: "stop",
      ordering: "subscription",
      secret: "a secret of my own",
      signing: "both",
    };
    const plain = { url: `${hook.replace("http:", "https:")}/hook`, events: ["x.y"] };
    // It ensures a subscription to a URL, so it takes no type.
    assert.deepEqual(Object.keys({ ...plain, ...members, type: "" }).sort(), Object.keys(CreateSubscription.properties).sort());
    const of = (name) => (name === "onExhausted" ? { ordering: members.ordering } : {});
    const each = Object.entries(members).map(([name, value]) => ({ ...plain, ...of(name), [name]: value }));
    for (const wanted of [...each, { ...plain, signing: "hmac" }, { ...plain, signing: "ed25519" }]) {
      const { subscription } = await alice.ensureSubscription(wanted);
      const again = await alice.ensureSubscription(wanted);
      assert.equal(again.subscription.id, subscription.id, Object.keys(wanted).at(-1));
      assert.equal(again.subscription.signing, wanted.signing === "hmac" ? undefined : wanted.signing);
      const other = { ...wanted, events: ["z"], signing: wanted.signing === "ed25519" ? "hmac" : "ed25519" };
      const message = new RegExp(`${subscription.id} .*, not ${other.signing}: change .* with rotateSecret`);
      await assert.rejects(alice.ensureSubscription(other), { code: "invalid_argument", message });
      const ordering = subscription.ordering ? "none" : "subscription";
      const cannot = { code: "invalid_argument", message: new RegExp(`${subscription.id} is .*, not ${ordering}: it cannot`) };
      await assert.rejects(alice.ensureSubscription({ ...wanted, events: ["z"], ordering }), cannot);
      const { id } = subscription;
      assert.deepEqual((await alice.findSubscription({ id })).subscription, again.subscription, "is not changed");
      await alice.deleteSubscription({ id });
    }
  });

  it("sessions, portal, audit and the state of the service", async () => {
    const link = await operator.createPortalLink({ userId: "alice" });
    await alice.listSessions();
    await alice.endSessions();
    await fails(alice.endSession({ id: "ses_00000000000000000000000000" }), "session_not_found");
    await operator.listUserSessions({ userId: "alice" });
    await operator.endUserSessions({ userId: "alice" });
    await assert.rejects(alice.beginVisit({ code: new URL(link.url).hash.slice(1) }), GatepostError);
    await assert.rejects(alice.findCurrentSession(), GatepostError);
    await assert.rejects(alice.endCurrentSession(), GatepostError);
    assert.ok((await alice.listAuditEvents()).events.length > 0);
    assert.equal(typeof (await alice.listAuditEvents({ format: "csv" })), "string");
    assert.ok((await operator.listAllAuditEvents({ userId: "alice" })).events.length > 0);
    const { filter } = await operator.findLogFilter();
    await operator.changeLogFilter({ filter });
    assert.ok(await operator.findSystemState());
    await alice.findCommandLineClient();
    for (const id of ["health", "live", "ready", "openapiDocument"]) assert.equal(typeof (await alice[id]()), "object");
    for (const id of ["docsPage", "errorIndex"]) assert.match(await alice[id](), /<!doctype html>/i);
    assert.match(await alice.errorPage({ code: "invalid_field" }), /invalid_field/);
    assert.ok((await alice.favicon()) instanceof Uint8Array);
    await assert.rejects(alice.docsFile({ file: "none.js" }), { status: 404 });
    await assert.rejects(alice.signIn(), { status: 303 });
    await assert.rejects(alice.completeSignIn(), GatepostError);
    await alice.signOut().catch((error) => assert.ok(error instanceof GatepostError));
    const { key } = await alice.createApiKey({ label: "f" });
    await counting(key).forwardAuth();
    await counting(key).forwardAuthOfPath({ tail: "orders" });
  });

  it("a revoked key is refused within a second", async () => {
    // A busy machine may take longer for a call than the second of the default.
    const keys = new Verifier(operator, { callTimeoutMs: 10_000 });
    const { key, keyId } = await alice.createApiKey({ label: "revoked" });
    const request = { headers: { authorization: `Bearer ${key}` } };
    const { caller } = await keys.admit(request);
    assert.deepEqual([caller.userId, caller.keyId, caller.label], ["alice", keyId, "revoked"]);
    await alice.revokeApiKey({ keyId });
    const revokedAt = performance.now();
    for (;;) {
      const askedAt = performance.now();
      if (!(await keys.admit(request)).caller) break;
      assert.ok(askedAt - revokedAt < 2_000, "the bound of a second, and one more");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal((await keys.admit(request)).refusal.status, 401);
  });

  it("the publisher finds the one event that is wrong", async () => {
    const lost = [];
    const publisher = new Publisher(operator, {
      onError: (error, events) => lost.push([error.code, events[0].type]),
      batchMax: 50,
    });
    for (let n = 0; n < 120; n++) publisher.publish({ userId: "bob", type: n === 60 ? "-wrong-" : "b.c", data: n });
    await publisher.flush();
    assert.deepEqual(lost, [["invalid_field", "-wrong-"]]);
    let count = 0;
    for await (const _ of operator.listEvents({ userId: "bob", limit: 200 })) count += 1;
    assert.equal(count, 119);
  });

  it("eventTypes.apply may be repeated", async () => {
    const paid = {
      name: "v1/paid",
      title: "Paid",
      schema: { type: "object", required: ["id"] },
      validation: "enforce",
    };
    const deprecated = { since: "2026-01-01T01:00:00+01:00" };
    const old = { name: "old", visibility: "hidden", examples: [1.5], title: undefined, deprecated };
    const created = [paid, old].map(({ name }) => ({ name, change: "created" }));
    assert.deepEqual(await operator.eventTypes.apply([paid, old], { dryRun: true }), created);
    assert.deepEqual(await operator.eventTypes.apply([paid, old]), created);
    assert.deepEqual(await operator.eventTypes.apply([paid, old]), []);
    assert.deepEqual(await operator.eventTypes.apply([paid, old], { dryRun: true }), []);
    const changed = { ...paid, title: "Settled", schema: { required: ["id"], type: "object" } };
    const changes = [
      { name: "v1/paid", change: "changed" },
      { name: "old", change: "archived" },
    ];
    assert.deepEqual(await operator.eventTypes.apply([changed], { dryRun: true, prune: true }), changes);
    assert.deepEqual(await operator.eventTypes.apply([changed], { prune: true }), changes);
    assert.deepEqual(await operator.eventTypes.apply([changed], { prune: true }), []);
    const breaking = { ...changed, schema: { type: "object", required: ["id", "total"] } };
    await fails(operator.eventTypes.apply([breaking]), "schema_breaks");
    await fails(operator.eventTypes.apply([paid, paid]), "invalid_field");
    assert.equal((await operator.eventTypes.apply([breaking], { force: true })).length, 1);
    await fails(operator.publishEvent({ userId: "alice", type: "v1/paid", data: {} }), "event_invalid");
    assert.equal((await alice.listEventTypes()).eventTypes[0].name, "v1/paid");
    assert.equal((await alice.findEventType({ name: "v1/paid" })).version, 2);
    const openapi = await alice.exportEventTypes();
    assert.deepEqual((await operator.importEventTypes({ openapi })).changes, []);
    assert.deepEqual(await operator.eventTypes.apply([], { prune: true }), [{ name: "v1/paid", change: "archived" }]);
    assert.equal((await operator.putEventType({ name: "v1/paid", validation: "off", force: true })).changed, true);
    assert.equal((await operator.findAnyEventType({ name: "v1/paid" })).archived, false);
    assert.equal((await operator.archiveEventType({ name: "v1/paid" })).changed, true);
    assert.equal((await operator.listAllEventTypes()).eventTypes.length, 2);
  });

  it("events are pulled", async () => {
    const { id } = (await alice.createSubscription({ type: "pull", events: ["pulled.*"] })).subscription;
    await operator.publishEvent({ userId: "alice", type: "pulled.a", data: { n: 1 } });
    const reader = { id, consumer: "billing" };
    const { events, lease } = await alice.receiveEvents({ ...reader, limit: 1, wait: 1 });
    assert.deepEqual([events[0].sequence, events[0].type, events[0].data], [1, "pulled.a", { n: 1 }]);
    await alice.commitEvents({ ...reader, lease, through: events[0].id });
    assert.deepEqual((await alice.listConsumers({ id })).consumers, [{ name: "billing", lag: 0 }]);
    await alice.seekConsumer({ ...reader, to: "start" });
    assert.equal((await operator.listUserConsumers({ userId: "alice", id })).consumers[0].lag, 1);
    const { cursor } = await alice.readEvents({ id, limit: 1 });
    assert.deepEqual((await alice.readEvents({ id, cursor })).events, []);
    assert.equal((await operator.readUserEvents({ userId: "alice", id })).events[0].id, events[0].id);
    const acme = { organizationId: "acme", id };
    await fails(operator.listOrganizationConsumers(acme), "subscription_not_found");
    await fails(operator.readOrganizationEvents(acme), "subscription_not_found");
    await alice.deleteConsumer(reader);
    await alice.deleteSubscription({ id });
  });

  it("every operation was called", () => {
    assert.deepEqual([...documented.keys()].sort(), Object.keys(table).sort());
    assert.deepEqual(
      [...documented.keys()].filter((id) => !called.has(id)),
      [],
    );
    console.log(`${called.size} operations`);
  });
});
