// The portal with the brand of a host application, at the top and in a frame of another site.

import assert from "node:assert/strict";
import http from "node:http";
import { after, test } from "node:test";
import axe from "axe-core";
import { api, BASE, browser, eventually, portalLink, signIn, visitor } from "./harness.mjs";

/** The port of the host application, whose origin PORTAL_FRAME_ANCESTORS names. */
const HOST_PORT = Number(process.env.HOST_PORT);
/** The servers of pages, by their port; 0 stands for any. */
const servers = new Map();

after(() => {
  for (const server of servers.values()) server.close() && server.closeAllConnections();
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
  const accent = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--accent").trim());
  assert.equal(await accent(), "#6f2da8");
  await page.evaluate(`(() => { ${axe.source} })()`);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: { type: "rule", values: ["color-contrast"] } }));
    assert.deepEqual(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)), [], colorScheme);
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
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(await embedding(HOST_PORT, (await portalLink({ userId: "fred" })).url));
  const frame = page.frameLocator("iframe");
  await frame.getByText("Signed in as fred").waitFor();
  await frame.getByRole("link", { name: "Keys", exact: true }).click();
  await frame.getByRole("rowheader", { name: "In the frame" }).waitFor();
  await frame.getByRole("button", { name: "New key" }).click();
  await frame.getByLabel("Label").fill("Made in the frame");
  await frame.getByRole("button", { name: "Create the key" }).click();
  await frame.locator(".one-line code").waitFor();
  const cookies = (await context.cookies()).filter(({ name }) => name.includes("gatepost"));
  assert.equal(cookies.length, 1, JSON.stringify(cookies));
  assert.ok(cookies[0].name === "__Host-gatepost-portal" && cookies[0].httpOnly && cookies[0].secure, JSON.stringify(cookies));
  assert.equal(cookies[0].partitionKey, "http://localhost", JSON.stringify(cookies));
  const other = await context.newPage();
  await other.goto(`${BASE}/console/`);
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  await frame.getByRole("button", { name: "I have copied the key" }).click();
  await frame.getByRole("button", { name: "Sign out", exact: true }).click();
  await frame.getByRole("heading", { name: "You are signed out" }).waitFor();
  await context.close();
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

/** The URL of a page of another site than Gatepost's, which shows `url` in a frame. */
async function embedding(port, url) {
  if (!servers.has(port)) servers.set(port, await serve(port));
  return `http://localhost:${servers.get(port).address().port}/?${encodeURIComponent(url)}`;
}

/** A server of pages that show what their query names in a frame. */
async function serve(port) {
  const server = http.createServer((request, response) => {
    const url = decodeURIComponent(request.url.split("?")[1] ?? "");
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Acme</title><iframe src="${url}" width="1000" height="700"></iframe>`);
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "localhost", resolve));
  server.unref();
  return server;
}
