// The portal with the brand of a host application, at the top and in a frame of another site.

import assert from "node:assert/strict";
import http from "node:http";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import axe from "axe-core";
import {
  api,
  BASE,
  browser,
  copied,
  eventually,
  makeKey,
  pasted,
  portalLink,
  signIn,
  UNAVAILABLE,
  visitor,
} from "./harness.mjs";

/** The port of the host application, whose origin PORTAL_FRAME_ANCESTORS names. */
const HOST_PORT = Number(process.env.HOST_PORT);
/** The servers of pages, by their port; 0 stands for any. */
const servers = new Map();

after(() => {
  for (const server of servers.values()) {
    server.close();
    server.closeAllConnections();
  }
  return browser.close();
});

test("a visitor sees the name, the logo and the colour of the host application, and nobody else does", async () => {
  const { page, close } = await visitor(undefined);
  await page.goto((await portalLink({ userId: "bran" })).url);
  await page.getByText("Signed in as bran").waitFor();
  await page.getByRole("link", { name: "Acme Ltd", exact: true }).waitFor();
  const logo = page.locator(".brand img");
  await eventually("the logo is loaded", () => logo.evaluate((image) => image.complete && image.naturalWidth > 0));
  await eventually("the title", async () => (await page.title()) === "Home · Acme Ltd");
  const accent = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--accent").trim());
  assert.equal(await accent(), "#6f2da8");
  await page.evaluate(`(() => { ${axe.source} })()`);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate(() =>
      window.axe.run(document, { runOnly: { type: "rule", values: ["color-contrast"] } }),
    );
    assert.deepEqual(
      violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)),
      [],
      colorScheme,
    );
  }
  assert.notEqual(await accent(), "#6f2da8", "a dark page has a lighter colour");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await close();
  const user = await visitor("bran");
  await user.page.getByRole("link", { name: "Gatepost", exact: true }).waitFor();
  await eventually("the title", async () => (await user.page.title()) === "Home · Gatepost");
  assert.equal(await user.page.locator(".brand img").count(), 0);
  await user.close();
});

test("the host application shows the portal in a frame, with a cookie that only works there", async () => {
  await api("fred", "POST", "/api/api-keys", { label: "In the frame" });
  const { context, page, frame, close } = await framed("fred");
  await frame.getByText("Signed in as fred").waitFor();
  await frame.getByRole("link", { name: "Keys", exact: true }).click();
  await frame.getByRole("rowheader", { name: "In the frame" }).waitFor();
  const key = await makeKey(frame, "Made in the frame");
  assert.equal(await copied(page, "Copy the key", frame), key);
  const cookies = (await context.cookies()).filter(({ name }) => name.includes("gatepost"));
  assert.equal(cookies.length, 1, JSON.stringify(cookies));
  assert.ok(
    cookies[0].name === "__Host-gatepost-portal" && cookies[0].httpOnly && cookies[0].secure,
    JSON.stringify(cookies),
  );
  assert.equal(cookies[0].partitionKey, "http://localhost", JSON.stringify(cookies));
  const other = await context.newPage();
  await other.goto(`${BASE}/console/`);
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  await frame.getByRole("button", { name: "I have copied the key" }).click();
  await frame.getByRole("button", { name: "Sign out", exact: true }).click();
  await frame.getByRole("heading", { name: "You are signed out" }).waitFor();
  await close();
});

test("a frame that may not write to the clipboard copies all the same, or selects the text", async () => {
  const { page, frame, close } = await framed("greta", { markup: '<iframe src="URL"></iframe>' });
  await frame.getByRole("link", { name: "Keys", exact: true }).click();
  const key = await makeKey(frame, "First");
  assert.equal(await copied(page, "Copy the key", frame), key);
  await frame.getByRole("button", { name: "I have copied the key" }).click();
  // A browser that cannot copy a selection either.
  await frame.locator("html").evaluate(() => (document.execCommand = () => false));
  const other = await makeKey(frame, "Second");
  await frame.getByRole("button", { name: "Copy the key", exact: true }).click();
  await frame.getByText(/^Selected: press (Ctrl|⌘)\+C/).waitFor();
  assert.equal(await frame.locator("html").evaluate(() => getSelection()?.toString()), other);
  await page.keyboard.press("ControlOrMeta+c");
  assert.equal(await pasted(page), other);
  await close();
});

test("a frame is as high as what it shows, also while a dialog is open", async () => {
  const { page, frame, close } = await framed("hank");
  await frame.getByText("Signed in as hank").waitFor();
  const height = () => page.locator("iframe").evaluate((frame) => frame.clientHeight);
  const excess = () => frame.locator("html").evaluate((page) => page.scrollHeight - page.clientHeight);
  await frame.getByRole("link", { name: "Keys", exact: true }).click();
  await frame.getByText("You have no active key").waitFor();
  await eventually("nothing scrolls in the frame", async () => (await excess()) <= 0);
  const empty = await height();
  for (let n = 0; n < 5; n += 1) await api("hank", "POST", "/api/api-keys", { label: `Key ${n}` });
  await frame.getByRole("link", { name: "Home", exact: true }).click();
  await frame.getByRole("link", { name: "Keys", exact: true }).click();
  await frame.getByRole("rowheader", { name: "Key 4" }).waitFor();
  await eventually("the frame grows with the list", async () => (await height()) > empty && (await excess()) <= 0);
  await frame.getByRole("link", { name: "Subscriptions", exact: true }).click();
  await frame.getByText("You have no subscription").waitFor();
  await eventually("the frame shrinks", async () => (await height()) <= empty + 200);
  await frame.getByRole("button", { name: "New subscription" }).click();
  const dialog = frame.getByRole("dialog");
  await eventually("the dialog is whole", () =>
    dialog.evaluate(
      (one) => one.scrollHeight <= one.clientHeight + 1 && one.getBoundingClientRect().bottom <= innerHeight,
    ),
  );
  await close();
});

test("a dialog opens where the visitor clicked, however high the frame is", async () => {
  const subscription = (n) => ({ url: `http://127.0.0.1:1024/${n}`, events: ["*"] });
  for (let n = 0; n < 40; n += 1) await api("iris", "POST", "/api/webhooks/subscriptions", subscription(n));
  const { page, frame, close } = await framed("iris", { viewport: { width: 1100, height: 720 } });
  await frame.getByRole("link", { name: "Subscriptions", exact: true }).click();
  await frame.getByRole("rowheader").nth(39).waitFor();
  await eventually("a high frame", async () => (await page.locator("iframe").boundingBox()).height > 1500);
  await frame.getByRole("button", { name: "New subscription" }).click();
  const { y } = await frame.getByRole("dialog").boundingBox();
  assert.ok(y >= 0 && y < 360, `the dialog begins at ${y} px of a window of 720 px`);
  await close();
});

test("no screen of the portal says who wrote it", async () => {
  const { page, close } = await visitor(undefined);
  await page.goto((await portalLink({ userId: "wilma" })).url);
  await page.getByText("Signed in as wilma").waitFor();
  const nameless = async (where) => assert.doesNotMatch(await page.locator("html").innerText(), /gatepost/i, where);
  for (const [screen, button] of [
    ["Home"],
    ["Keys", "New key"],
    ["Subscriptions", "New subscription"],
    ["Deliveries"],
  ]) {
    await page.getByRole("link", { name: screen, exact: true }).click();
    await page.getByRole("heading", { name: screen === "Keys" ? "API keys" : screen, level: 1 }).waitFor();
    await eventually("the screen has loaded", async () => (await page.locator(".loading").count()) === 0);
    await nameless(screen);
    assert.ok(!(await page.title()).includes("Gatepost"), screen);
    if (!button) continue;
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").waitFor();
    await nameless(button);
    await page.getByRole("button", { name: "Close" }).click();
  }
  assert.equal(await page.locator('a[href^="/docs"]').count(), 0, "the pages about the API are those of Gatepost");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await nameless("signed out");
  await close();
});

test("a visitor sees a neutral name while the service is away, and a command that needs no program", async () => {
  assert.match(await (await fetch(`${BASE}/console/portal`)).text(), /<title>API keys and webhooks</);
  const { page, close } = await visitor(undefined, {
    failures: [503],
    elsewhere: [`http://localhost:${HOST_PORT}`],
  });
  await page.route("**/console/brand", (route) => route.fulfill(UNAVAILABLE));
  await page.goto((await portalLink({ userId: "norma" })).url);
  await page.getByText("Signed in as norma").waitFor();
  await page.getByRole("link", { name: "Subscriptions", exact: true }).click();
  await page.getByRole("heading", { name: "Subscriptions" }).waitFor();
  assert.equal(await page.title(), "Subscriptions · API keys and webhooks");
  await page.getByRole("button", { name: "New subscription" }).click();
  await page.getByLabel("Delivery").selectOption("Readers fetch events (pull)");
  await page.getByRole("button", { name: "Subscribe", exact: true }).click();
  assert.match(await page.locator(".one-line code").textContent(), /^curl .*\/consumers\/default\/receive /);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("rowheader", { name: "Readers fetch events" }).getByRole("link").click();
  await page.getByText("This command fetches the events:").waitFor();
  assert.match(await page.locator(".one-line code").textContent(), /^curl /);
  await page.route("**/api/session", (route) =>
    route.request().method() === "GET" ? route.fulfill(UNAVAILABLE) : route.fallback(),
  );
  await page.goto(await embedding(HOST_PORT, (await portalLink({ userId: "norma" })).url));
  const frame = page.frameLocator("iframe");
  await frame.getByText("The service is temporarily unavailable").waitFor();
  assert.doesNotMatch(await frame.locator("html").innerText(), /gatepost|How to fix/i);
  await close();
});

test("no other site shows the portal, and nobody shows the console of a user", async () => {
  const context = await browser.newContext({ baseURL: BASE });
  const page = await context.newPage();
  await signIn(page, "hana");
  for (const [port, path] of [
    [0, new URL((await portalLink({ userId: "fred" })).url)],
    [HOST_PORT, new URL(`${BASE}/console/keys`)],
    [HOST_PORT, new URL(`${BASE}/docs`)],
  ]) {
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(await embedding(port, path.href));
    await refused;
    assert.equal(await page.frameLocator("iframe").getByRole("heading").count(), 0, path.href);
  }
  await context.close();
});

/** The page that the documentation shows, with URL for the address of the portal. */
const DOCUMENTED = /```html\n(<iframe[^]*?)```/
  .exec(readFileSync(new URL("../../docs/console.md", import.meta.url), "utf8"))[1]
  .replace("https://keys.example.com/console/portal#...", "URL")
  .replaceAll("https://keys.example.com", BASE);

/** The portal of a user in a frame of the host application. `close` fails after an error in a page. */
async function framed(userId, { markup, ...options } = {}) {
  const context = await browser.newContext(options);
  const errors = [];
  context.on("weberror", (error) => errors.push(error.error().stack));
  const page = await context.newPage();
  await page.goto(await embedding(HOST_PORT, (await portalLink({ userId })).url, markup));
  const close = async () => {
    await context.close();
    assert.deepEqual(errors, []);
  };
  return { context, page, frame: page.frameLocator("iframe"), close };
}

/** The URL of a page of another site than Gatepost's, which shows `url` in a frame. */
async function embedding(port, url, markup = DOCUMENTED) {
  if (!servers.has(port)) servers.set(port, await serve(port));
  const query = new URLSearchParams({ page: markup.replace("URL", url) });
  return `http://localhost:${servers.get(port).address().port}/?${query}`;
}

/** A server of pages that show the HTML in their query. */
async function serve(port) {
  const server = http.createServer((request, response) => {
    const { searchParams } = new URL(request.url, "http://localhost");
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>Acme</title>${searchParams.get("page") ?? ""}`);
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "localhost", resolve));
  server.unref();
  return server;
}
