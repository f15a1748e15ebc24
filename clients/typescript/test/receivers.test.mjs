// `receiveWebhooks` of each framework, at a real server or with the request that the framework would pass on.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { it } from "node:test";
import { serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import * as forExpress from "../dist/esm/frameworks/express.js";
import * as forFastify from "../dist/esm/frameworks/fastify.js";
import * as forHono from "../dist/esm/frameworks/hono.js";
import * as forNext from "../dist/esm/frameworks/next.js";

const SECRET = "a secret of my own";
const EVENT = JSON.stringify({ type: "a.b", timestamp: "2026-11-21T01:42:03.120Z", data: { name: "Zoë" } });
const TYPE = { "content-type": "application/json" };

/** A webhook as Gatepost sends it. */
function webhook(body, headers = TYPE, secret = SECRET) {
  const [id, time] = ["evt_1", `${Math.floor(Date.now() / 1_000)}`];
  const mac = createHmac("sha256", secret).update(`${id}.${time}.`).update(body).digest("base64");
  const signed = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${mac}` };
  return { method: "POST", body, headers: { ...headers, ...signed } };
}

async function inExpress(secret, handler, before = []) {
  const app = express();
  for (const one of before) app.use(one);
  app.post("/webhooks", forExpress.receiveWebhooks(secret, handler));
  app.use(express.json(), (error, _request, response, _next) => response.status(500).send(error.message));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  return [(init) => fetch(`http://127.0.0.1:${server.address().port}/webhooks`, init), () => server.close()];
}

async function inFastify(secret, handler) {
  const app = fastify();
  app.register(forFastify.receiveWebhooks("/webhooks", secret, handler));
  app.post("/parsed", (request) => request.body);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const parsed = await fetch(`${url}/parsed`, { method: "POST", body: '{"a":1}', headers: TYPE });
  assert.deepEqual(await parsed.json(), { a: 1 }, "other routes have their parsers");
  return [(init) => fetch(`${url}/webhooks`, init), () => app.close()];
}

async function inHono(secret, handler, before = []) {
  const app = new Hono();
  for (const one of before) app.use(one);
  app.post("/webhooks", forHono.receiveWebhooks(secret, handler));
  app.onError((error, c) => c.text(error.message, 500));
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  return [(init) => fetch(`http://127.0.0.1:${server.address().port}/webhooks`, init), () => server.close()];
}

async function inNext(secret, handler) {
  const post = forNext.receiveWebhooks(secret, handler);
  const answer = (error) => new Response(error.message, { status: 500 });
  return [(init) => post(new Request("http://host/webhooks", init)).catch(answer), () => undefined];
}

async function answers(open, init, secret = SECRET, handler = () => undefined, ...more) {
  const [send, close] = await open(secret, handler, ...more);
  try {
    const response = await send(init);
    return [response.status, await response.text()];
  } finally {
    await close();
  }
}

for (const open of [inExpress, inFastify, inHono, inNext]) {
  it(`a receiver ${open.name} answers by itself`, async (t) => {
    const seen = [];
    const handler = async ({ id, payload }) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      seen.push([id, payload.data]);
    };
    const [send, close] = await open([SECRET, "an older secret"], handler);
    t.after(close);
    const status = async (init) => {
      const response = await send(init);
      return [response.status, await response.text()];
    };
    assert.deepEqual(await status(webhook(EVENT)), [204, ""]);
    // Other senders have other types of content, and the last body is chunked.
    assert.deepEqual(await status(webhook(EVENT, { "content-type": "application/cloudevents+json" })), [204, ""]);
    const chunked = { ...webhook(EVENT), body: new Blob([EVENT]).stream(), duplex: "half" };
    assert.deepEqual(await status(chunked), [204, ""]);
    assert.deepEqual(seen, Array(3).fill(["evt_1", { name: "Zoë" }]));
    assert.deepEqual(await status(webhook(EVENT, TYPE, "another")), [400, "no signature matches"]);
    const unsigned = { method: "POST", body: EVENT, headers: TYPE };
    assert.deepEqual(await status(unsigned), [400, "the header webhook-id is missing"]);
    assert.deepEqual(await status({ method: "POST" }), [400, "the header webhook-id is missing"]);
    for (const body of ["", "text", "[]", "null", '"text"', Buffer.from([0xff, 0x7b])]) {
      assert.deepEqual(await status(webhook(body)), [400, "the body is not a JSON object"], body);
    }
    const large = JSON.stringify({ type: "a.b", data: "x".repeat(2 * 1024 * 1024) });
    assert.equal((await status(webhook(large)))[0], 413);
    assert.equal(seen.length, 3);
  });

  it(`a receiver ${open.name} answers 500 for a fault that is not the sender's`, async () => {
    const fails = () => Promise.reject(new Error("the database is gone"));
    assert.equal((await answers(open, webhook(EVENT), SECRET, fails))[0], 500);
    const throws = () => {
      throw new Error("the database is gone");
    };
    assert.equal((await answers(open, webhook(EVENT), SECRET, throws))[0], 500);
    const [status, reason] = await answers(open, webhook(EVENT), null);
    assert.deepEqual([status, /secret/.test(reason)], [500, true], reason);
  });
}

it("a body that was read before is an error that says so, and raw bodies are none", async () => {
  const json = [express.json()];
  const [status, reason] = await answers(inExpress, webhook(EVENT), SECRET, undefined, json);
  assert.deepEqual([status, /express\.json\(\).*put receiveWebhooks before/.test(reason)], [500, true], reason);
  const other = webhook(EVENT, { "content-type": "application/cloudevents+json" });
  assert.deepEqual(await answers(inExpress, other, SECRET, undefined, json), [204, ""], "it was not parsed");
  for (const parser of [express.raw({ type: "*/*" }), express.text({ type: "*/*" })]) {
    assert.deepEqual(await answers(inExpress, webhook(EVENT), SECRET, undefined, [parser]), [204, ""]);
  }
  const reads = async (c, next) => {
    await c.req.json();
    return next();
  };
  assert.match((await answers(inHono, webhook(EVENT), SECRET, undefined, [reads]))[1], /has read before/);
});

it("the options of a receiver are those of verifyWebhook", async () => {
  const late = forNext.receiveWebhooks(SECRET, assert.fail, { now: () => Date.now() + 1_000_000 });
  const answer = await late(new Request("http://host/webhooks", webhook(EVENT)));
  assert.deepEqual([answer.status, await answer.text()], [400, "the timestamp is too old"]);
});
