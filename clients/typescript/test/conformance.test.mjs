// The vectors of clients/conformance, which every client runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { apiKeyIn, Gatepost, GatepostError, Verifier, verifyWebhook } from "../dist/esm/index.js";

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
  if (authorization.length > 1 || xApiKey.length > 1) return;
  assert.deepEqual(apiKeyIn({ headers: { authorization: authorization[0], "x-api-key": xApiKey[0] } }), result);
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
