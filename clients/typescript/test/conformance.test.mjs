// The vectors of clients/conformance, which every client runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { apiKeyIn, Gatepost, GatepostError, Publisher, Verifier, verifyWebhook } from "../dist/esm/index.js";

const TOKEN = "operator-token";

function each(file, members, run) {
  const { cases } = JSON.parse(readFileSync(new URL(`../../conformance/${file}`, import.meta.url), "utf8"));
  describe(file, () => {
    for (const vector of cases) {
      it(vector.name, () => {
        for (const member of Object.keys(vector)) assert.ok(members.includes(member), `unknown member ${member}`);
        return run(vector);
      });
    }
  });
}

/** A `fetch` that gives these answers in turn, and counts. The last one repeats. */
function service(answers) {
  const fetch = async (_, init) => {
    const answer = answers[Math.min(fetch.requests.length, answers.length - 1)];
    fetch.requests.push(init);
    if (answer.noAnswer) throw new TypeError("fetch failed");
    const isEmpty = answer.status === 204 || answer.text === "";
    const text = answer.text ?? (typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {}));
    return new Response(isEmpty ? null : text, {
      status: answer.status,
      headers: { "content-type": "application/json", ...answer.headers },
    });
  };
  fetch.requests = [];
  return fetch;
}

const client = (fetch) => new Gatepost({ url: "https://keys.example.com", token: TOKEN, fetch });

const signature = ["name", "secrets", "jwks", "headers", "body", "nowSeconds", "toleranceSeconds", "result"];
each("signatures.json", signature, async ({ secrets, jwks, headers, body, nowSeconds, toleranceSeconds, result }) => {
  const keys = jwks ? [...secrets, jwks] : secrets;
  const options = { toleranceSeconds, now: () => nowSeconds * 1_000 };
  for (const [given, bytes] of [
    [headers, Buffer.from(body)],
    [new Headers(Object.entries(headers).map(([name, value]) => [name, value])), body],
  ]) {
    // `Headers` trims its values, so that one of the timestamps becomes readable.
    if (given instanceof Headers && Object.values(headers).some((value) => value !== value.trim())) continue;
    const outcome = verifyWebhook(bytes, given, keys, options);
    if (result !== "ok") await assert.rejects(outcome, { name: "GatepostError", code: result });
    else assert.equal((await outcome).id, headers["webhook-id"] ?? headers["Webhook-Id"]);
  }
});

each("retries.json", ["name", "call", "answers", "requests", "result", "waitsMs"], async (vector) => {
  const fetch = service(vector.answers);
  const { operation, path, headers, body } = vector.call;
  const waits = [];
  const setTimeout = globalThis.setTimeout;
  // The deadline keeps its time.
  globalThis.setTimeout = (run, milliseconds) =>
    milliseconds === 30_000 ? setTimeout(run, milliseconds) : setTimeout(run, waits.push(milliseconds) && 0);
  let result;
  try {
    await client(fetch)[operation]({ ...path, ...headers, ...body });
    result = vector.answers[fetch.requests.length - 1].status;
  } catch (error) {
    assert.ok(error instanceof GatepostError);
    result = error.status ?? error.code;
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assert.equal(result, vector.result);
  assert.equal(fetch.requests.length, vector.requests);
  assert.equal(new Set(fetch.requests.map((request) => request.body)).size, 1, "each request is the same");
  vector.waitsMs?.forEach(([min, max], index) => assert.ok(waits[index] >= min && waits[index] <= max, `${waits}`));
});

const QUEUE = ["name", "events", "answers", "wrong", "requests", "pausesMs", "published", "errors"];
each("queue.json", QUEUE, async ({ events, answers, wrong = [], requests, pausesMs = [], published, errors }) => {
  const found = { published: [], errors: [] };
  const answering = service(answers);
  let asked = 0;
  const fetch = async (url, init) => {
    asked += 1;
    if (asked <= answers.length) return answering(url, init);
    const ids = JSON.parse(init.body).events.map(({ id }) => id);
    if (ids.some((id) => wrong.includes(id))) return new Response("{}", { status: 400 });
    found.published.push(...ids);
    return new Response('{"results":[]}', { status: 202 });
  };
  const onError = ({ status }, lost) => found.errors.push({ status, ids: lost.map(({ id }) => id) });
  const publisher = new Publisher(client(fetch), { onError });
  const pauses = [];
  const setTimeout = globalThis.setTimeout;
  // The deadlines of calls and of the test keep their time. The pauses within a call are shorter than half a second.
  globalThis.setTimeout = (run, milliseconds) =>
    [30_000, 29_999].includes(milliseconds)
      ? setTimeout(run, milliseconds)
      : setTimeout(run, milliseconds >= 500 && pauses.push(milliseconds) && 0);
  try {
    for (const id of events) publisher.publish({ userId: "u", type: "a.b", data: 1, id });
    await publisher.close({ timeoutMs: 29_999 });
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assert.deepEqual(found, { published, errors });
  assert.equal(asked, requests);
  assert.equal(pauses.length, pausesMs.length);
  pausesMs.forEach(([min, max], index) => assert.ok(pauses[index] >= min && pauses[index] <= max, `${pauses}`));
});

each("problems.json", ["name", "status", "headers", "body", "error", "message"], async (vector) => {
  const fetch = service([{ status: vector.status, headers: vector.headers, text: vector.body }]);
  const error = await client(fetch)
    .createApiKey({ label: "k" })
    .then(assert.fail, (thrown) => thrown);
  assert.ok(error instanceof GatepostError);
  assert.equal(error.message, vector.message);
  for (const [name, value] of Object.entries(vector.error)) assert.deepEqual(error[name] ?? null, value, name);
  assert.ok(!JSON.stringify(error).includes(TOKEN) && !error.stack.includes(TOKEN));
});

each("presented.json", ["name", "authorization", "xApiKey", "result"], ({ authorization, xApiKey, result }) => {
  const headersDistinct = {
    ...(authorization.length > 0 && { authorization }),
    ...(xApiKey.length > 0 && { "x-api-key": xApiKey }),
  };
  assert.deepEqual(apiKeyIn({ headers: {}, headersDistinct }), result);
  // Node joins the values of a header, as `Headers` does, and keeps one `Authorization`.
  const joined = { authorization: authorization[0], "x-api-key": xApiKey.length > 0 ? xApiKey.join(", ") : undefined };
  if (authorization.length < 2) assert.deepEqual(apiKeyIn({ headers: joined }), result);
  const headers = new Headers();
  authorization.forEach((value) => headers.append("authorization", value));
  xApiKey.forEach((value) => headers.append("x-api-key", value));
  assert.deepEqual(apiKeyIn({ headers }), result);
});

each("callers.json", ["name", "answer", "caller"], async ({ answer, caller: expected }) => {
  const keys = new Verifier(client(service([{ status: 200, body: answer }])), { log() {} });
  const { caller, refusal } = await keys.verify("k");
  if (expected === null) return assert.equal(refusal.reason, "unavailable");
  const { userId, organizationId, createdBy, issuer, keyId, label, scopes, metadata } = caller;
  const found = { userId, organizationId, createdBy, issuer, keyId, label, scopes, metadata };
  assert.deepEqual(JSON.parse(JSON.stringify(found)), expected);
  assert.deepEqual(caller.owner, userId === undefined ? { organizationId } : { userId });
});

const STEP = ["atMs", "wallMs", "gatepost", "admit", "scopes", "times", "result", "asked"];
const EPOCH_MS = 1_795_225_323_000;
each("verifier.json", ["name", "settings", "steps"], async ({ settings, steps }) => {
  const clock = { monotonic: 0, wall: EPOCH_MS };
  const lines = [];
  const answers = [];
  const fetch = (...request) => ask(...request);
  let [ask, asked] = [service(answers), 0];
  const keys = new Verifier(client(fetch), { ...settings, now: () => ({ ...clock }), log: (line) => lines.push(line) });
  for (const step of steps) {
    for (const member of Object.keys(step)) assert.ok(STEP.includes(member), `unknown member ${member}`);
    clock.monotonic = step.atMs;
    clock.wall = EPOCH_MS + (step.wallMs ?? step.atMs);
    if (step.gatepost) {
      const next = service([step.gatepost]);
      ask = (...request) => ((asked += 1), next(...request));
      continue;
    }
    const request = { headers: {}, headersDistinct: { "x-api-key": [step.admit] } };
    const calls = Array.from({ length: step.times ?? 1 }, () => keys.admit(request, step.scopes));
    for (const { caller, refusal } of await Promise.all(calls)) {
      assert.equal(caller ? "ok" : refusal.reason, step.result, JSON.stringify(step));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(asked, step.asked, `questions after ${JSON.stringify(step)}`);
  }
});
