// What the vectors do not say of calls: pages, arguments, answers, streams, deadlines and repetitions.
import assert from "node:assert/strict";
import { it } from "node:test";
import { GatepostError, Pages } from "../dist/esm/index.js";
import { client, json, silent, url } from "./played.mjs";

it("a list is its first page, its pages and its items", async () => {
  const asked = [];
  const gatepost = client((address) => {
    const cursor = new URL(address).searchParams.get("cursor");
    asked.push(cursor);
    const events = [{ event: { id: `${cursor}-1` } }, { event: { id: `${cursor}-2` } }];
    return json({ events, ...(cursor !== "b" && { nextCursor: cursor === null ? "a" : "b" }) });
  });
  const list = gatepost.listEvents({ limit: 2 });
  assert.ok(list instanceof Pages);
  assert.deepEqual(asked, [], "a list that is not used asks nothing");
  assert.equal((await list).events.length, 2);
  const ids = [];
  for await (const { event } of list) ids.push(event.id);
  assert.deepEqual(ids, ["null-1", "null-2", "a-1", "a-2", "b-1", "b-2"]);
  asked.length = 0;
  for await (const _ of list) break;
  assert.deepEqual(asked, [null], "pages that are not wanted are not asked for");
});

it("arguments go to the path, the query, the headers and the body", async () => {
  const seen = [];
  const answer = { subscription: {}, health: {}, secret: "s" };
  const gatepost = client((address, init) => (seen.push([address, init]), json(answer)));
  await gatepost.findSubscription({ id: "a/b ü" });
  assert.equal(seen[0][0], `${url}/api/webhooks/subscriptions/a%2Fb%20%C3%BC`);
  assert.equal(seen[0][1].headers.authorization, "Bearer t");
  await gatepost.rotateSecret({ id: "s", overlapSeconds: 1, "idempotency-key": "k" });
  assert.equal(seen[1][1].body, '{"overlapSeconds":1}');
  assert.equal(seen[1][1].headers["idempotency-key"], "k");
  for (const id of ["", ".", "..", undefined]) {
    await assert.rejects(gatepost.findSubscription({ id }), { code: "invalid_argument" });
  }
  await assert.rejects(gatepost.findSubscription({ id: "s", limit: 1 }), { code: "invalid_argument" });
  assert.equal(seen.length, 2);
});

it("a header that cannot be sent is a wrong argument", async () => {
  let requests = 0;
  const gatepost = client(() => ((requests += 1), json({ subscription: {}, health: {}, secret: "s" })));
  const expected = (name) => ({ code: "invalid_argument", message: `${name} cannot be sent in a header` });
  for (const value of ["a\nb", "a\rb", "a\0b", " a", "a ", "\ta", "é", "→", "\x7f"]) {
    const rotation = gatepost.rotateSecret({ id: "s", "idempotency-key": value });
    await assert.rejects(rotation, expected("idempotency-key"), JSON.stringify(value));
    await assert.rejects(gatepost.streamAttempts({ "last-event-id": value }), expected("last-event-id"));
  }
  assert.equal(requests, 0);
  for (const good of ["a b", "!~", ""]) await gatepost.rotateSecret({ id: "s", "idempotency-key": good });
});

it("an answer of another form than that of the operation is an error", async () => {
  const page = "<!doctype html><title>Sign in</title>";
  const answers = (body, type, status = 200) =>
    client(() => new Response(body, { status, headers: { "content-type": type } }));
  const publish = (gatepost) => gatepost.publishEvent({ userId: "u", type: "a", data: 1 });
  const deletion = (gatepost) => gatepost.deleteSubscription({ id: "s" });
  const keys = (gatepost) => gatepost.listApiKeys();
  const items = async (gatepost) => {
    for await (const _ of gatepost.listEvents()) assert.fail("an item");
  };
  for (const [call, body, type, status] of [
    ...[publish, keys, items, deletion, (gatepost) => gatepost.revokeUserApiKeys({ userId: "u" })].flatMap((call) => [
      [call, page, "text/html"],
      [call, page, "application/json"],
      [call, "[]", "application/json"],
      [call, "null", "application/json"],
    ]),
    ...[publish, keys, items].flatMap((call) => [
      [call, "", "application/json"],
      [call, null, "", 204],
      [call, '{"status":"ok"}', "application/json"],
    ]),
    [items, '{"events":{}}', "application/json"],
    [(gatepost) => gatepost.streamAttempts(), page, "text/html"],
    [(gatepost) => gatepost.streamAttempts(), "{}", "application/json"],
  ]) {
    const expected = { name: "GatepostError", code: "unexpected_answer", status: status ?? 200 };
    await assert.rejects(Promise.resolve(call(answers(body, type, status))), expected, `${call} ${type} ${body}`);
  }
  assert.deepEqual(await keys(answers('{"keys":[]}', "text/plain")), { keys: [] });
  assert.equal(await deletion(answers("", "text/html")), undefined);
});

it("an answer that does not end is given up after 16 MiB", async () => {
  for (const [status, type] of [
    [200, "application/json"],
    [502, "text/html"],
    [200, "text/event-stream"],
  ]) {
    let sent = 0;
    const pull = (controller) => {
      sent += 1;
      if (sent > 64) controller.close();
      else controller.enqueue(new Uint8Array(1 << 20).fill(32));
    };
    const gatepost = client(
      () => new Response(new ReadableStream({ pull }), { status, headers: { "content-type": type } }),
    );
    const read = async () => {
      if (type !== "text/event-stream") return gatepost.createApiKey({ label: "a" });
      for await (const _ of await gatepost.streamAttempts()) assert.fail("there is no event");
    };
    await assert.rejects(
      read(),
      (error) => error instanceof GatepostError && /16777216 bytes/.test(error.cause?.message),
    );
    assert.ok(sent <= 20, `${sent} MiB were read`);
  }
});

it("a stream continues after the last event when its connection ends", async (test) => {
  const pauses = [];
  const setTimeout = globalThis.setTimeout;
  test.after(() => (globalThis.setTimeout = setTimeout));
  // The deadline keeps its time. The silence of the second connection is over at once.
  globalThis.setTimeout = (run, milliseconds) => {
    if (milliseconds === 30_000) return setTimeout(run, milliseconds);
    if (milliseconds === 45_000) return lastIds.length === 2 ? setTimeout(run, 5) : undefined;
    return setTimeout(run, pauses.push(milliseconds) && 0);
  };
  const lastIds = [];
  const connections = [
    (controller) => (controller.enqueue('id: a\nretry: 70\ndata: {"n":1}\n\n:\n\ndata: {"n":'), controller.close()),
    (controller) => controller.enqueue('data: {"n":2}\n\nid: b\ndata:{\ndata:"n":3}\n\n'),
    (controller) => controller.error(new TypeError("terminated")),
  ];
  const gatepost = client((_, { headers }) => {
    lastIds.push(headers["last-event-id"]);
    const start = connections.shift();
    if (!start) return json({ code: "credential_invalid" }, 401);
    const body = new ReadableStream({ start }).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const seen = [];
  const read = async () => {
    for await (const { n } of await gatepost.streamAttempts()) seen.push(n);
  };
  await assert.rejects(read(), { code: "credential_invalid" });
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(lastIds, [undefined, "a", "b", "b"]);
  assert.deepEqual(pauses, [70, 70, 70]);
});

it("a stream that has begun outlasts a restart of the service", async () => {
  let calls = 0;
  const gatepost = client(() => {
    calls += 1;
    // Three connections are tried for each reopening, with pauses in between.
    if (calls > 1 && calls < 9) throw new TypeError("fetch failed");
    const body = `retry: 1\nid: ${calls}\ndata: {"n":${calls}}\n\n`;
    return calls > 9 ? json({ code: "credential_invalid" }, 401) : new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const seen = [];
  const read = async () => {
    for await (const { n } of await gatepost.streamAttempts()) seen.push(n);
  };
  await assert.rejects(read(), { code: "credential_invalid" });
  assert.deepEqual(seen, [1, 9]);
});

it("a stream ends by its signal", async () => {
  const controller = new AbortController();
  const start = (stream) => controller.signal.addEventListener("abort", () => stream.error(controller.signal.reason));
  const gatepost = client(() => {
    const body = new ReadableStream({ start });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const read = async () => {
    for await (const _ of await gatepost.streamAttempts({}, { signal: controller.signal })) assert.fail("an event");
  };
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(read(), { code: "no_answer" });
});

it("a list with format is one text", async () => {
  const list = client(() => new Response("{}\n{}\n")).listAuditEvents({ format: "jsonl" });
  assert.equal(await list, "{}\n{}\n");
  await assert.rejects(list[Symbol.asyncIterator]().next(), { code: "invalid_argument" });
});

it("a page without a next page may say null", async () => {
  let asked = 0;
  const list = client(() => (assert.ok(++asked < 3), json({ events: [asked], nextCursor: null }))).listEvents();
  const found = [];
  for await (const item of list) found.push(item);
  assert.deepEqual(found, [1]);
});

it("events without an id get ids that ascend", async () => {
  const bodies = [];
  const gatepost = client((_, init) => (bodies.push(JSON.parse(init.body)), json({ results: [] }, 202)));
  await gatepost.publishEvents({ events: Array.from({ length: 500 }, () => ({ userId: "u", type: "a", data: 1 })) });
  const ids = bodies[0].events.map(({ id }) => id);
  assert.equal(new Set(ids).size, 500);
  assert.deepEqual([...ids].sort(), ids);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it("a call ends at its deadline, and by its signal", async () => {
  const began = performance.now();
  await assert.rejects(client(silent).whoami({}, { timeoutMs: 50 }), { code: "no_answer", status: undefined });
  const soon = () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    return { signal: controller.signal };
  };
  await assert.rejects(client(silent).whoami({}, soon()), { code: "no_answer" });
  const keeps = client(() => json({}, 503, { "retry-after": "9" }));
  await assert.rejects(keeps.whoami({}, soon()), { code: "no_answer" });
  assert.ok(performance.now() - began < 5_000);
});

it("what is gone when its deletion is repeated is deleted", async () => {
  const asked = [];
  const lost = () => {
    throw new TypeError("fetch failed");
  };
  const gone = (thing) => () => json({ code: `${thing}_not_found` }, 404);
  const played = (...answers) => client((address, { method }) => (asked.push([method, address]), answers.shift()()));
  const deletion = (...answers) => played(...answers).deleteSubscription({ id: "s" });
  assert.equal(await deletion(lost, gone("subscription")), undefined);
  assert.equal(await deletion(() => json({}, 502), lost, gone("subscription")), undefined);
  await assert.rejects(deletion(gone("subscription")), { code: "subscription_not_found" });
  await assert.rejects(deletion(lost, gone("organization")), { code: "organization_not_found" });
  await assert.rejects(
    deletion(lost, () => new Response("not here", { status: 404 })),
    { status: 404 },
  );
  await assert.rejects(played(lost, gone("subscription")).findSubscription({ id: "s" }), { status: 404 });
  assert.equal(await played(lost, gone("consumer")).deleteConsumer({ id: "s", consumer: "c" }), undefined);
  // A revoked key is still found.
  await assert.rejects(played(lost, gone("key")).revokeUserApiKey({ userId: "u", keyId: "k" }), { status: 404 });
  const others = { sessions: [{ id: "ses_2" }] };
  const ended = played(lost, lost, gone("session"), () => json(others));
  asked.length = 0;
  assert.deepEqual(await ended.endSession({ id: "ses_1", organization: "acme" }), others, "the sessions that are left");
  assert.deepEqual(asked.slice(2), [
    ["DELETE", `${url}/api/sessions/ses_1?organization=acme`],
    ["GET", `${url}/api/sessions?organization=acme`],
  ]);
  const failing = played(lost, gone("session"), () => json({}, 500));
  await assert.rejects(failing.endUserSession({ userId: "u", id: "ses_1" }), { status: 500 });
});

it("Retry-After may be a date", async (test) => {
  test.mock.method(Date, "now", () => Date.UTC(1994, 10, 6, 8, 49, 30));
  for (const [value, seconds] of [
    ["Sun, 06 Nov 1994 08:49:37 GMT", 7],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 7],
    ["Sun Nov  6 08:49:37 1994", 7],
    ["Sun, 06 Nov 1994 08:49:29 GMT", 0],
    ["Sun, 06 Nov 1994", undefined],
    ["Sun, 99 Nov 1994 08:49:37 GMT", undefined],
    ["soon", undefined],
    ["-1", undefined],
    ["1994-11-06T08:49:37Z", undefined],
  ]) {
    const call = client(() => json({}, 503, { "retry-after": value })).createApiKey({ label: "a" });
    await assert.rejects(call, { retryAfterSeconds: seconds }, value);
  }
});

it("a call that waits at the service has its wait beside the deadline", async () => {
  const late = (_, { signal }) =>
    new Promise((resolve, reject) => {
      setTimeout(() => resolve(Response.json({ events: [] })), 300);
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  const waiting = client(late, { timeoutMs: 50 });
  assert.deepEqual(await waiting.receiveEvents({ id: "s", consumer: "c", wait: 30 }), { events: [] });
  await assert.rejects(waiting.receiveEvents({ id: "s", consumer: "c" }), { code: "no_answer" });
});
