// Shared parts of the browser tests: the browser, a visitor that reports every fault, and a receiver of webhooks.

import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import http from "node:http";
import { chromium } from "playwright-core";

/** Set by the test that runs these files: a running `gatepost dev`. */
export const BASE = process.env.GATEPOST_URL;
const OPERATOR_TOKEN = process.env.OPERATOR_TOKEN;
/** The maximum duration of a step, in milliseconds. No working machine is this slow. */
const PATIENCE = 60_000;

assert.ok(process.env.CHROMIUM, "`cargo xtask test` finds a browser and sets CHROMIUM");
export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // Root may not use the sandbox, and containers have a small /dev/shm.
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});

/** The message of a browser about an answer that is an intended error. */
const FAILED_ANSWER = /^Failed to load resource: the server responded with a status of (\d+)/;

/**
 * A browser without any state, in which `user` is signed in. All faults are collected in `broken`, and `close` fails
 * if it is not empty: requests of the console to origins that are not in `elsewhere`, and every error status that is
 * not one of `failures`.
 */
export async function visitor(user, { failures = [], elsewhere = [], ...options } = {}) {
  const context = await browser.newContext({ baseURL: BASE, viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const broken = [];
  await watch(context, broken, failures, [BASE, ...elsewhere]);
  const page = await context.newPage();
  if (user) await signIn(page, user);
  const close = async () => {
    // A screen that polls may have asked again, and a route's handler would read an answer of the closed page.
    for (const open of context.pages()) await open.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
    assert.deepEqual(broken, []);
  };
  return { context, page, broken, close };
}

async function watch(context, broken, failures, origins) {
  await context.exposeBinding("reportViolation", (_, violation) => broken.push(`policy: ${violation}`));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  context.on("weberror", (error) => broken.push(`error: ${error.error().stack}`));
  context.on("console", (message) => {
    const status = FAILED_ANSWER.exec(message.text())?.[1];
    // The console learns from a 401 that no user is signed in.
    const isSignedOut = status === "401" && message.location().url === `${BASE}/api/session`;
    const isExpected = isSignedOut || (status && failures.includes(Number(status)));
    if (["error", "warning"].includes(message.type()) && !isExpected) {
      broken.push(`console: ${message.text()} (${message.location().url})`);
    }
  });
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && !origins.includes(url.origin)) broken.push(`request to ${url.origin}`);
  });
}

/**
 * Handles these requests until the returned function is called. The route itself stays, and `unroute` is not for a page that
 * loads: while its last route is taken away, the browser loses requests that wait for the driver (7 of 150 pages hung).
 */
export async function handle(page, url, handler) {
  let isOver = false;
  await page.route(url, (route) => (isOver ? route.fallback() : handler(route)));
  return () => (isOver = true);
}

/** Handles the first of these requests. */
export async function handleFirst(page, url, handler) {
  let isOver = false;
  await page.route(url, (route) => {
    if (isOver) return route.fallback();
    isOver = true;
    return handler(route);
  });
}

/** Signs in at the development provider, and waits for the screen from which the sign-in began. */
export async function signIn(page, user, screen = "/console/") {
  await page.goto(screen);
  await page.getByRole("link", { name: "Sign in" }).click();
  await logIn(page, user);
  await page.waitForURL(BASE + screen);
  await page.getByText(`Signed in as ${user}`).waitFor();
}

/** Enters a name on the page of the development provider. */
export async function logIn(page, user) {
  await page.getByLabel("User name").fill(user);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

/** Signs in in another tab while the form of a new key is open, checks that its label is kept, and makes the key. */
export async function makeKeyAfterSignIn(page, user, label) {
  const link = page.getByRole("dialog").getByRole("link", { name: "Sign in in another tab" });
  assert.equal(await link.getAttribute("target"), "_blank");
  const other = await tabOf(link);
  await logIn(other, user);
  await other.getByText(`Signed in as ${user}`).waitFor();
  await other.close();
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  assert.equal(await page.getByLabel("Label").inputValue(), label);
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("button", { name: "I have copied the key" }).click();
}

/** An ID token, with which a test prepares the data of a screen. */
export async function idToken(user) {
  const body = new URLSearchParams({ grant_type: "urn:gatepost:grant-type:user-name", username: user });
  const response = await fetch(`${BASE}/dev/oidc/token`, { method: "POST", body });
  return (await response.json()).id_token;
}

/** Calls the API as a user, and returns the body of the answer, which must be a success. */
export async function api(user, method, path, body) {
  return send(await idToken(user), method, path, body);
}

/** Subscribes a receiver to all events of a user, unless `fields` has other events. */
export const subscribe = (user, url, fields = {}) =>
  api(user, "POST", "/api/webhooks/subscriptions", { url, events: ["*"], ...fields });

/** Publishes an event to a user, as the host application does. */
export const publish = (userId, type, data = {}) =>
  send(OPERATOR_TOKEN, "POST", "/api/operator/events", { userId, type, data });

/** Publishes many events to a user at once. */
export const publishBatch = (userId, type, count) =>
  send(OPERATOR_TOKEN, "POST", "/api/operator/events/batch", {
    events: Array.from({ length: count }, (_, n) => ({ userId, type, data: { n } })),
  });

/** Registers an event type, as the host application does. */
export const putEventType = (name, settings) =>
  send(OPERATOR_TOKEN, "PUT", `/api/operator/event-types/${encodeURIComponent(name)}`, settings);

/** Changes what is set for a user, as the host application does. */
export const changeUser = (userId, changes) =>
  send(OPERATOR_TOKEN, "PATCH", `/api/operator/users/${encodeURIComponent(userId)}`, changes);

/** Makes a link by which a user enters the console, as the host application does. */
export const portalLink = (link) => send(OPERATOR_TOKEN, "POST", "/api/operator/portal-links", link);

async function send(token, method, path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(BASE + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text && JSON.parse(text);
}

/** A receiver, which answers with the current value of `status`. */
export async function receiver(status = 204) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.statusCode = self.status;
    response.setHeader("x-request-id", `req_${requests.length}`);
    if (self.retryAfter && self.status === 503) response.setHeader("retry-after", self.retryAfter);
    response.end(self.status >= 300 ? "the ledger is closed" : undefined);
  });
  server.unref();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const self = {
    status,
    requests,
    url: `http://127.0.0.1:${server.address().port}/hooks`,
    close: () => server.close() && server.closeAllConnections(),
  };
  return self;
}

/** Whether a request is signed with the secret (Standard Webhooks). */
export function isSigned({ headers, body }, secret) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = createHmac("sha256", key).update(text).digest();
  const given = headers["webhook-signature"].split(" ").map((one) => Buffer.from(one.replace(/^v1,/, ""), "base64"));
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

/** Waits until each of a user's deliveries has ended its first attempt, or ended without one; there are `count`. */
export const attempted = (user, count) =>
  eventually(`${count} deliveries are attempted`, async () => {
    const { deliveries } = await api(user, "GET", "/api/webhooks/deliveries?limit=200");
    const isAttempted = ({ state, attempts }) => state !== "sending" && (attempts > 0 || state !== "waiting");
    return deliveries.length === count && deliveries.every(isAttempted);
  });

/** Makes a key on the screen of keys, on the page or in a frame of it, and returns the whole key. */
export async function makeKey(page, label) {
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Label").fill(label);
  await page.getByRole("button", { name: "Create the key" }).click();
  return page.locator(".one-line code").textContent();
}

/** Presses a button that copies, on the page or in a frame of it, and pastes the copy. No permission is granted. */
export async function copied(page, name, scope = page) {
  const button = scope.getByRole("button", { name, exact: true });
  // The button says so for two seconds, in which a busy machine may not look: the page keeps each text of the button.
  const said = await button.evaluateHandle((one) => {
    const texts = [];
    const keep = () => texts.push(one.textContent);
    new MutationObserver(keep).observe(one, { characterData: true, childList: true, subtree: true });
    return texts;
  });
  await button.click();
  await eventually("the copy", () => said.evaluate((texts) => texts.some((text) => text.startsWith("Copied"))));
  return pasted(page);
}

/** The text of the clipboard, as a user sees it: pasted into a field of another page. */
export async function pasted(page) {
  const other = await page.context().newPage();
  await other.setContent("<textarea></textarea>");
  await other.locator("textarea").press("ControlOrMeta+v");
  const text = await other.locator("textarea").inputValue();
  await other.close();
  return text;
}

/**
 * A tab with the address that a link has once it is pressed with Ctrl. The driver itself opens the tab: on a busy machine it
 * loses some tabs that the browser opens, and misses the end of their first navigation.
 */
export async function tabOf(link) {
  await link.dispatchEvent("pointerdown", { button: 0, ctrlKey: true });
  const tab = await link.page().context().newPage();
  await tab.goto(await link.getAttribute("href"));
  return tab;
}

/** Presses the two keys of a screen: again if more than the 1.5 s of the console may have passed between them. */
export async function go(page, letter, found) {
  let began;
  do {
    began = Date.now();
    for (const key of ["g", letter]) await page.keyboard.press(key);
  } while (Date.now() - began > 1500);
  await found.waitFor();
}

/** Repeats until the result is truthy. */
export async function eventually(what, ask) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    assert.ok(Date.now() < end, `not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Subscriptions as the API lists them: all healthy, except for the one with the number `failing`. */
export const listed = (count, failing) =>
  Array.from({ length: count }, (_, n) => ({
    id: `sub_01h455vb4pex5vsknk084${String(n).padStart(5, "0")}`,
    url: `https://receiver-${n}.example/hooks`,
    events: ["invoice.*"],
    description: "",
    enabled: true,
    createdAt: "2026-11-21T01:42:03.120Z",
    updatedAt: "2026-11-21T01:42:03.120Z",
    health: {
      state: n === failing ? "failing" : "healthy",
      reason: n === failing ? "timeout" : null,
      failingSince: n === failing ? "2026-11-21T01:42:03.120Z" : null,
      pausedUntil: null,
      waiting: n === failing ? 12 : 0,
      lastAttempt: null,
    },
  }));

/** The problem document that the API answers without its database. */
export const UNAVAILABLE = {
  status: 503,
  contentType: "application/problem+json",
  body: JSON.stringify({
    type: "/docs/errors/unavailable",
    title: "The service is temporarily unavailable",
    status: 503,
    detail: "The service cannot reach the database.",
    code: "unavailable",
    requestId: "4bf92f3577b34da6a3ce929d0e0e4736",
  }),
};
