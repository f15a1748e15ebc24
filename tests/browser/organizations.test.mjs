// The tasks of members of organizations in the console. The provider of `dev` has the members and their roles.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, BASE, browser, eventually, handle, receiver, signIn, tabOf, UNAVAILABLE, visitor } from "./harness.mjs";

after(() => browser.close());

const whoami = async (key) => (await fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": key } })).json();
const switcher = (page) => page.locator(".switcher");
const shown = (page, words) => switcher(page).locator("summary").filter({ hasText: words }).waitFor();
const buttons = (page) => page.locator("main button").allTextContents();
const navigation = (page) => page.getByRole("navigation", { name: "Screens" }).getByRole("link").allTextContents();

async function show(page, name) {
  await switcher(page).locator("summary").click();
  await switcher(page).getByRole("link", { name }).click();
}

test("a member makes keys and webhooks of the organization, and sees who changed what", async () => {
  const [{ page, close }, hooks] = [await visitor("carol"), await receiver()];
  await shown(page, "Your own carol");
  await show(page, "acme");
  await shown(page, "Organization acme");
  assert.equal(new URL(page.url()).searchParams.get("organization"), "acme");
  assert.equal(await page.title(), "Home · acme · Gatepost");

  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByText("in the name of acme").waitFor();
  await page.getByText("Do it from a terminal").click();
  await page.getByText("/api/api-keys?organization=acme").waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Label").fill("CI of Acme");
  await page.getByRole("button", { name: "Create the key" }).click();
  const key = await page.locator(".one-line code").textContent();
  await page.getByRole("button", { name: "Check it" }).click();
  await page.getByText("200: the key works.").waitFor();
  await page.getByRole("button", { name: "I have copied the key" }).click();
  await page.getByRole("row", { name: /CI of Acme.*by carol/ }).waitFor();
  const { organizationId, userId } = await whoami(key);
  assert.deepEqual([organizationId, userId], ["acme", undefined]);
  await page.getByRole("link", { name: "CI of Acme" }).click();
  await page.getByRole("heading", { name: "CI of Acme" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "CI of Acme" }).waitFor();

  await page.getByRole("link", { name: "Subscriptions", exact: true }).click();
  await page.getByRole("button", { name: "New subscription" }).click();
  await page.getByLabel("URL").fill(hooks.url);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText("Delivered: the receiver answered 204").waitFor();
  await page.getByRole("button", { name: "I have copied the secret" }).click();
  await page.getByRole("link", { name: "Deliveries", exact: true }).click();
  await page.getByRole("row", { name: /webhook\.test.*Delivered/ }).waitFor();
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("row", { name: /carol/ }).first().waitFor();
  assert.equal(new URL(page.url()).searchParams.get("organization"), "acme", "the choice stays");

  await show(page, "your own");
  await shown(page, "Your own carol");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "You have no active key" }).waitFor();
  await page.goBack();
  await page.goBack();
  await shown(page, "Organization acme");
  hooks.close();
  await close();
});

test("a role leaves out what it does not allow", async () => {
  const { page, close } = await visitor(undefined);
  await signIn(page, "carol", "/console/keys?organization=globex");
  await page.getByRole("heading", { name: "You have no active key" }).waitFor();
  assert.deepEqual(await buttons(page), [], "there is nothing to change or to paste");
  assert.deepEqual(await navigation(page), ["Home", "Keys", "Subscriptions", "Deliveries", "Sessions"]);
  await page.goto("/console/audit?organization=acme");
  await page.getByRole("row", { name: /carol/ }).first().waitFor();
  await close();
});

test("a link shows the same organization to a colleague, two tabs differ, and strangers see why not", async () => {
  const { page, close } = await visitor("carol");
  await page.goto("/console/keys?organization=acme");
  await page.getByRole("rowheader", { name: "CI of Acme" }).waitFor();
  const other = await tabOf(page.getByRole("link", { name: "Subscriptions", exact: true }));
  await shown(other, "Organization acme");
  await show(other, "globex");
  await shown(other, "Organization globex");
  const third = await tabOf(page.getByRole("link", { name: "CI of Acme" }));
  await third.getByRole("heading", { name: "CI of Acme" }).waitFor();
  await page.reload();
  await shown(page, "Organization acme");
  await close();

  const dave = await visitor(undefined);
  await signIn(dave.page, "dave", "/console/keys?organization=acme");
  await dave.page.getByRole("rowheader", { name: "CI of Acme" }).waitFor();
  assert.deepEqual(await buttons(dave.page), [], "he may not change keys");
  await dave.page.getByRole("link", { name: "Subscriptions", exact: true }).click();
  await dave.page.getByRole("button", { name: "New subscription" }).waitFor();
  await dave.page.goto("/console/keys?organization=globex");
  await dave.page.getByRole("heading", { name: "You are not a member of this organization" }).waitFor();
  await dave.page.getByRole("link", { name: "Show your own keys and webhooks" }).click();
  await shown(dave.page, "Your own dave");
  await dave.close();

  const alice = await visitor("alice");
  assert.equal(await switcher(alice.page).count(), 0, "nothing to switch between");
  await alice.page.goto("/console/keys?organization=acme");
  await alice.page.getByRole("heading", { name: "You are not a member of this organization" }).waitFor();
  await alice.close();
});

test("the keyboard opens, uses and closes the switcher", async () => {
  const { page, close } = await visitor("carol");
  await shown(page, "Your own carol");
  await switcher(page).locator("summary").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  assert.equal(await switcher(page).getAttribute("open"), null);
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), "SUMMARY");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await shown(page, "Organization acme");
  await close();
});

test("a test event that ends with its first attempt is not tried again", async () => {
  const [{ page, close }, hooks] = [await visitor("gina"), await receiver(410)];
  await page.goto("/console/subscriptions");
  await page.getByRole("button", { name: "New subscription" }).click();
  await page.getByLabel("URL").fill(hooks.url);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Send a test event" }).click();
  const verdict = page.locator(".verdict");
  await verdict.getByText("See the delivery").waitFor();
  assert.doesNotMatch(await verdict.textContent(), /tried again/);
  hooks.close();
  await close();
});

test("a delivery calls its subscription deleted only if it is", async () => {
  const [{ page, close }, hooks] = [await visitor("gina", { failures: [404, 503] }), await receiver()];
  const { subscription } = await api("gina", "POST", "/api/webhooks/subscriptions", { url: hooks.url, events: ["*"] });
  const path = `/api/webhooks/subscriptions/${subscription.id}`;
  const { delivery } = await api("gina", "POST", `${path}/test`);
  await page.route("**/api/webhooks/subscriptions?*", (route) => route.fulfill({ json: { subscriptions: [] } }));
  await page.goto("/console/deliveries");
  await page.locator("[data-label='Sent to']").getByText(subscription.id).waitFor();

  const recover = await handle(page, `**${path}`, (route) => route.fulfill(UNAVAILABLE));
  await page.goto(`/console/deliveries/${delivery.id}`);
  await page.getByRole("link", { name: subscription.id }).waitFor();
  recover();
  await api("gina", "DELETE", path);
  await page.reload();
  await page.getByText("a subscription that is deleted").waitFor();
  hooks.close();
  await close();
});

test("a command on a delivery replaces the failure of the one before", async () => {
  const [{ page, close }, hooks] = [await visitor("gina", { failures: [503] }), await receiver(503)];
  const { subscription } = await api("gina", "POST", "/api/webhooks/subscriptions", { url: hooks.url, events: ["*"] });
  const path = `/api/webhooks/subscriptions/${subscription.id}`;
  const { delivery } = await api("gina", "POST", `${path}/test`);
  await page.route("**/retry", (route) => route.fulfill(UNAVAILABLE));
  await page.goto(`/console/deliveries/${delivery.id}`);
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByText("temporarily unavailable").waitFor();
  await page.getByRole("button", { name: "Cancel the delivery" }).click();
  await page.getByText("Cancelled", { exact: true }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  hooks.close();
  await close();
});

test("a delivery is due now when the pause of its receiver has passed", async () => {
  const [{ page, close }, hooks] = [await visitor("gina"), await receiver(503)];
  const { subscription } = await api("gina", "POST", "/api/webhooks/subscriptions", { url: hooks.url, events: ["*"] });
  const path = `/api/webhooks/subscriptions/${subscription.id}`;
  const { delivery } = await api("gina", "POST", `${path}/test`);
  await eventually("the first attempt", () => hooks.requests.length === 1);
  await page.route(`**${path}`, async (route) => {
    const json = await (await route.fetch()).json();
    json.health.pausedUntil = new Date(Date.now() - 120_000).toISOString();
    await route.fulfill({ json });
  });
  await page.goto(`/console/deliveries/${delivery.id}`);
  await page.getByText("The receiver is paused: its next attempt is due now").waitFor();
  hooks.close();
  await close();
});
