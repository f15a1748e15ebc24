// Everyday problems: a wrong key, a receiver that does not answer, a hundred subscriptions, a mistake in a form.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  api,
  attempted,
  BASE,
  browser,
  eventually,
  handle,
  handleFirst,
  listed,
  makeKeyAfterSignIn,
  publish,
  publishBatch,
  receiver,
  signIn,
  subscribe,
  UNAVAILABLE,
  visitor,
} from "./harness.mjs";

after(() => browser.close());

test("who revokes the new key by mistake is warned, and Home says that the old one ends", async () => {
  const { page, close } = await visitor("rosa");
  const old = await api("rosa", "POST", "/api/api-keys", { label: "Billing" });
  const { keyId } = await api("rosa", "POST", `/api/api-keys/${old.keyId}/rotate`, { overlapSeconds: 86_400 });
  const prefixOf = ({ keys }, id) => keys.find((key) => key.id === id).prefix;
  const list = await api("rosa", "GET", "/api/api-keys");
  const [before, after] = [prefixOf(list, old.keyId), prefixOf(list, keyId)];
  await page.goto("/console/keys");
  const revoke = () =>
    page
      .getByRole("row")
      .filter({ hasText: after })
      .getByRole("button", { name: /^Revoke/ })
      .click();
  const dialog = page.getByRole("dialog");
  await revoke();
  await dialog.getByText("This is the new key").waitFor();
  await dialog.getByText(`It replaces ${before}`).waitFor();
  await dialog.getByRole("button", { name: "Revoke the old key instead" }).click();
  await dialog.getByText(`Every request with ${before}`).waitFor();
  await dialog.getByText(`The new one, ${after}, keeps working`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByText("Everything works.").waitFor();
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await revoke();
  await dialog.getByLabel("Type the label to confirm").fill("Billing");
  await dialog.getByRole("button", { name: "Revoke the key" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByText("and the key that replaced it is revoked").waitFor();
  assert.ok(!(await page.getByText("Everything works.").isVisible()));
  await close();
});

test("a paused receiver says when it is tried again, and can be tried now", async () => {
  const [{ page, close }, hooks] = [await visitor("paul"), await receiver(503)];
  hooks.retryAfter = 600;
  const { subscription } = await subscribe("paul", hooks.url);
  await publish("paul", "invoice.paid");
  await eventually("the first attempt", () => hooks.requests.length === 1);
  await publish("paul", "invoice.void");
  await eventually(
    "the pause",
    async () => (await api("paul", "GET", `/api/webhooks/subscriptions/${subscription.id}`)).health.state === "paused",
  );
  await page.goto("/console/");
  await page.getByText(/Its next attempt is in (9|10) minutes/).waitFor();
  await page.getByRole("link", { name: "1 failing receiver" }).click();
  await page.getByText(/Next attempt: in (9|10) minutes/).waitFor();
  await page.getByRole("rowheader", { name: hooks.url }).getByRole("link").click();
  await page
    .getByText(/in (9|10) minutes/)
    .first()
    .waitFor();
  hooks.status = 204;
  await page.getByRole("button", { name: "Try now" }).click();
  await eventually("what waited arrives", () => hooks.requests.length >= 2);
  await page.getByText("Healthy").waitFor();
  hooks.close();
  await close();
});

test("readers fetch the events of a subscription, and the console shows how far they are", async () => {
  const { page, close } = await visitor("petra");
  // Home reads the list, too. Leaving it ends its calls.
  await page.goto("/console/keys");
  await page.getByText("You have no active key").waitFor();
  const late = new Promise((resolve) => handleFirst(page, "**/api/webhooks/subscriptions?*", resolve));
  await page.getByRole("link", { name: "Subscriptions", exact: true }).first().click();
  const route = await late;
  await page.getByRole("button", { name: "New subscription" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Delivery").selectOption("Readers fetch events (pull)");
  await dialog.getByLabel("URL").waitFor({ state: "detached" });
  await dialog.getByLabel("Events").fill("invoice.*");
  await dialog.getByRole("button", { name: "Subscribe" }).click();
  const command = await dialog.locator(".one-line code").textContent();
  const id = command.replace("gatepost pull ", "");
  await dialog.getByText(`Its id is ${id}.`).waitFor();
  await dialog.getByRole("button", { name: "Done" }).waitFor();
  const row = page.locator("tbody tr", { hasText: "Readers fetch events" });
  await row.waitFor();
  const none = page.waitForResponse("**/api/webhooks/subscriptions?*");
  await route.fulfill({ json: { subscriptions: [] } });
  await (await none).finished();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.equal(await row.count(), 1, "a late answer does not empty the list");
  await dialog.getByRole("link", { name: "Open the subscription" }).click();
  const title = page.getByRole("heading", { name: "Readers fetch events" });
  await title.waitFor();
  await page.getByRole("button", { name: "Disable…" }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByRole("button", { name: "Enable", exact: true }).press("Enter");
  await page.getByText("The subscription is enabled.").waitFor({ state: "attached" });
  assert.ok(await title.evaluate((one) => one === document.activeElement));
  await page.getByRole("link", { name: "Subscriptions", exact: true }).first().click();
  assert.equal(await row.locator("[data-label=Waiting]").textContent(), "–");
  await row.getByRole("link").click();
  await title.waitFor();
  await page.getByText("No reader has called yet.").waitFor();
  assert.equal(await page.locator(".empty code").textContent(), command);
  assert.equal(await page.getByRole("button", { name: "Send a test event" }).count(), 0);

  await publish("petra", "invoice.paid");
  await publish("petra", "invoice.void");
  const { key } = await api("petra", "POST", "/api/api-keys", { label: "Reader" });
  const receive = async () => {
    const path = `/api/webhooks/subscriptions/${id}/consumers/billing/receive`;
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const response = await fetch(BASE + path, { method: "POST", headers, body: JSON.stringify({ leaseSeconds: 600 }) });
    assert.equal(response.status, 200);
    return (await response.json()).events.map(({ type }) => type);
  };
  assert.deepEqual(await receive(), ["invoice.paid", "invoice.void"]);
  await page.getByRole("button", { name: "Reload" }).click();
  const consumer = page.getByRole("row", { name: /billing/ });
  await consumer.getByText(/in (9|10) minutes/).waitFor();
  const lag = consumer.locator("[data-label=Lag]");
  assert.equal(await lag.textContent(), "2");
  await consumer.getByRole("button", { name: "Skip to the end" }).click();
  await dialog.getByRole("button", { name: "Skip to the end" }).click();
  await eventually("nothing is left", async () => (await lag.textContent()) === "0");
  await consumer.getByRole("button", { name: "Start again" }).click();
  await dialog.getByRole("button", { name: "Start again" }).click();
  await eventually("all is left", async () => (await lag.textContent()) === "2");
  assert.deepEqual(await receive(), ["invoice.paid", "invoice.void"], "the lease has ended");
  await consumer.getByRole("button", { name: "Delete billing" }).click();
  await dialog.getByRole("button", { name: "Delete it" }).click();
  await page.getByText("No reader has called yet.").waitFor();

  await page.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByLabel("Type the word “delete” to confirm").fill("delete");
  await dialog.getByRole("button", { name: "Delete it" }).click();
  await page.getByRole("heading", { name: "You have no subscription" }).waitFor();
  await close();
});

test("a hundred subscriptions are one call, with those that fail first, a search and a filter", async () => {
  const { page, close } = await visitor("hugo");
  await page.route("**/api/webhooks/subscriptions?*", (route) =>
    route.fulfill({ json: { subscriptions: listed(100, 57).reverse() } }),
  );
  await page.waitForLoadState("networkidle");
  const calls = [];
  page.on("request", (request) => /\/api\//.test(request.url()) && calls.push(request.url()));
  await page.goto("/console/subscriptions");
  await page.getByRole("rowheader", { name: "receiver-99.example" }).waitFor();
  await page.waitForLoadState("networkidle");
  assert.ok(calls.length <= 5, `${calls.length} calls: ${calls}`);
  assert.match(await page.locator("tbody tr").first().textContent(), /receiver-57\.example.*Failing/);
  await page.getByLabel("Search").fill("receiver-42");
  await eventually("one row", async () => (await page.locator("tbody tr").count()) === 1);
  await page.getByLabel("Search").fill("");
  await page.getByLabel("State").selectOption("failing");
  await eventually("the row that fails", async () => (await page.locator("tbody tr").count()) === 1);
  assert.equal(new URL(page.url()).searchParams.get("state"), "failing");
  calls.length = 0;
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByText("receiver-57.example").waitFor();
  await page.waitForLoadState("networkidle");
  assert.ok(calls.length <= 5, `${calls.length} calls: ${calls}`);
  await close();
});

test("a form says each fault once, in the words of the field, until the field changes", async () => {
  const { page, close } = await visitor("fritz", { failures: [400] });
  await page.goto("/console/subscriptions");
  await page.getByRole("button", { name: "New subscription" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill("nowhere");
  await dialog.getByLabel("Events").fill("invoice.* order+paid");
  await dialog.getByRole("button", { name: "Subscribe" }).click();
  await dialog.getByRole("alert").waitFor();
  const said = async (text) => (await dialog.innerText()).split(text).length - 1;
  const [url, events] = await dialog.locator(".fault").allTextContents();
  assert.deepEqual([await said(url), await said(events), await said("index")], [1, 1, 0], await dialog.innerText());
  assert.match(events, /^“order\+paid” /);
  await dialog.getByLabel("URL").fill("https://receiver.example/hooks");
  await eventually("the fault of the URL goes", async () => (await said(url)) === 0);
  assert.equal(await said(events), 1, "the other one stays");
  assert.equal(await dialog.getByRole("alert").count(), 0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("button", { name: "New key" }).click();
  await dialog.getByLabel("Label").fill("CI");
  await dialog.getByRole("button", { name: "Create the key" }).click();
  await dialog.getByRole("button", { name: "I have copied the key" }).waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Close" }).count(), 0, "nothing closes it by accident");
  await close();
});

test("a filter is tested with sample data before it is saved", async () => {
  const { page, close } = await visitor("felix", { failures: [400] });
  await page.goto("/console/subscriptions");
  await page.getByRole("button", { name: "New subscription" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Advanced").click();
  assert.equal(await dialog.getByLabel("Sample data").count(), 0, "without a filter there is nothing to test");
  await dialog.getByLabel("Filter").fill('{"path": "/data/amount", "op": "gte", "value": 100}');
  const test = dialog.getByRole("button", { name: "Test the filter" });
  await dialog.getByLabel("Sample data").fill('{"amount": 150}');
  await test.click();
  await dialog.getByText("The event passes: filter decides.").waitFor();
  await dialog.getByLabel("Sample data").fill('{"amount": 50}');
  await dialog.getByText("The event passes").waitFor({ state: "detached" });
  await test.click();
  await dialog.getByText("The event does not pass: filter decides.").waitFor();
  await dialog.getByLabel("Sample data").fill("{amount");
  await test.click();
  await dialog.getByText("must be JSON").waitFor();
  await dialog.getByLabel("Sample data").fill("{}");
  await dialog.getByLabel("Filter").fill('{"path": "/data/amount", "op": "above", "value": 100}');
  await test.click();
  await dialog.getByRole("alert").getByText("filter.op").waitFor();
  await close();
});

test("a session that ends keeps what is typed on a page, and a key that is shown once", async () => {
  const [{ page, close }, hooks] = [await visitor("sina", { failures: [401] }), await receiver()];
  await subscribe("sina", hooks.url);
  await publish("sina", "invoice.paid");
  await page.goto("/console/deliveries");
  await page.getByRole("link", { name: "invoice.paid" }).click();
  await page.getByText("Attempt 1").waitFor();
  await page.getByText("Verify the signature").click();
  await page.getByLabel("webhook-signature").fill("v1,pasted");
  await api("sina", "DELETE", "/api/sessions");
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByText("What you typed stays here.").first().waitFor();
  assert.equal(await page.getByLabel("webhook-signature").inputValue(), "v1,pasted");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn(page, "sina", "/console/keys");
  await page.getByRole("button", { name: "New key" }).first().click();
  await page.getByLabel("Label").fill("CI");
  await page.getByRole("button", { name: "Create the key" }).click();
  const shown = await page.locator(".one-line code").textContent();
  await api("sina", "DELETE", "/api/sessions");
  await page.evaluate(() =>
    window.dispatchEvent(new CustomEvent("gatepost:session-over", { detail: { problem: { status: 401 } } })),
  );
  await page.getByText("What you typed stays here.").waitFor();
  assert.equal(await page.locator(".one-line code").textContent(), shown);
  hooks.close();
  await close();
});

test("a session that ends in a form keeps what is typed", async () => {
  const { page, close } = await visitor("selma", { failures: [401] });
  await page.goto("/console/keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Label").fill("Typed with care");
  await api("selma", "DELETE", "/api/sessions");
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("dialog").getByText("Your session is over").waitFor();
  await makeKeyAfterSignIn(page, "selma", "Typed with care");
  await page.getByRole("rowheader", { name: "Typed with care" }).waitFor();
  await close();
});

test("a key has its actions on its page, and the way back leads to its row", async () => {
  const { page, close } = await visitor("karl");
  for (let n = 0; n < 4; n += 1) await api("karl", "POST", "/api/api-keys", { label: `Key ${n}` });
  await page.setViewportSize({ width: 700, height: 400 });
  await page.goto("/console/keys");
  await page.getByRole("rowheader", { name: "Key 0" }).waitFor();
  for (let n = 0; n < 4; n += 1) await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Key 0" }).waitFor();
  await page.goBack();
  const link = page.getByRole("link", { name: "Key 0", exact: true });
  await eventually("the row has the focus", () => link.evaluate((one) => one === document.activeElement));
  assert.ok(
    await link.evaluate(
      (one) => one.getBoundingClientRect().top > 0 && one.getBoundingClientRect().bottom < innerHeight,
    ),
    "it is in sight",
  );
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Screen or action" }).fill("key 2");
  await page.getByRole("option", { name: /^Key 2 .* key$/ }).click();
  await page.getByRole("heading", { name: "Key 2" }).waitFor();
  await page.getByRole("button", { name: "Rotate…" }).click();
  await page.getByRole("button", { name: "Rotate the key" }).click();
  await page.getByRole("button", { name: "I have copied the key" }).click();
  await page.getByRole("button", { name: "Revoke…" }).click();
  await page.getByText("This is the old key").waitFor();
  await close();
});

test("the way back leads to the same rows, at the same place", async () => {
  const [{ page, close }, hooks] = [await visitor("maud"), await receiver()];
  const { subscription } = await subscribe("maud", hooks.url);
  await publishBatch("maud", "order.paid", 60);
  await attempted("maud", 60);
  // Each change of the subscription is an event in the audit log.
  for (let n = 0; n < 60; n += 1)
    await api("maud", "PATCH", `/api/webhooks/subscriptions/${subscription.id}`, { description: `${n}` });
  const rows = page.locator("tbody tr");
  const place = () => page.evaluate(() => window.scrollY);
  const readAll = async (screen, count) => {
    await page.getByRole("link", { name: screen, exact: true }).click();
    await eventually("a page", async () => (await rows.count()) === 50);
    await page.getByRole("button", { name: "Show more" }).click();
    await eventually("all rows", async () => (await rows.count()) === count);
  };
  await readAll("Deliveries", 60);
  const link = rows.nth(55).getByRole("link");
  await link.scrollIntoViewIfNeeded();
  const before = await place();
  await link.click();
  await page.getByRole("heading", { name: "order.paid" }).waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByText("Attempt 2").waitFor();
  await page.goBack();
  const attempts = rows.nth(55).locator("[data-label=Attempts]");
  await eventually("the row is up to date", async () => (await attempts.textContent()) === "2");
  assert.equal(await rows.count(), 60);
  assert.ok(await link.evaluate((one) => one === document.activeElement), "the link has the focus");
  assert.equal(await place(), before);

  await readAll("Audit log", 63);
  await page.evaluate(() => window.scrollTo(0, 1500));
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await page.goBack();
  await eventually("the place", async () => (await place()) === 1500);
  assert.equal(await rows.count(), 63);
  hooks.close();
  await close();
});

test("a secret that is shown once survives Escape, Cancel and the way back", async () => {
  const { page, close } = await visitor("stan");
  await page.goto("/console/");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  let answer = () => {};
  const held = new Promise((resolve) => (answer = resolve));
  await page.route("**/api/api-keys", async (route) => {
    if (route.request().method() === "POST") await held;
    await route.continue();
  });
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label").fill("Slow");
  await dialog.getByRole("button", { name: "Create the key" }).click();
  await dialog.getByText("Working…").waitFor();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Close" }).click();
  answer();
  const key = await dialog.locator(".one-line code").textContent();
  await page.goBack({ waitUntil: "commit" }).catch(() => undefined);
  await eventually("the focus", () =>
    dialog.getByRole("button", { name: "I have copied the key" }).evaluate((one) => one === document.activeElement),
  );
  assert.equal(await dialog.locator(".one-line code").textContent(), key);
  assert.equal(new URL(page.url()).pathname, "/console/keys");
  await dialog.getByRole("button", { name: "I have copied the key" }).click();
  await dialog.waitFor({ state: "detached" });
  await close();
});

test("a change of a subscription sends what was changed, and says what a new origin does not get", async () => {
  const hooks = await receiver();
  const { subscription } = await subscribe("tess", hooks.url, {
    events: ["invoice.*"],
    headers: { "x-tenant": "42" },
    auth: { type: "bearer", token: "t0ken" },
    filter: { path: "/data/amount", op: "gte", value: 1 },
  });
  const path = `/api/webhooks/subscriptions/${subscription.id}`;
  const { page, close } = await visitor("tess");
  await page.goto(`/console/subscriptions/${subscription.id}`);
  await page.getByRole("button", { name: "Edit…" }).click();
  await api("tess", "PATCH", path, { events: ["order.*"] });
  // The screen reads again after an attempt.
  await publish("tess", "order.paid", { amount: 1 });
  await page.locator(".facts").getByText("order.*").waitFor();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Description").fill("For the shop");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const changed = (await api("tess", "GET", path)).subscription;
  assert.deepEqual([changed.description, changed.events], ["For the shop", ["order.*"]]);
  await page.getByRole("button", { name: "Edit…" }).click();
  const url = new URL(hooks.url);
  url.hostname = "localhost";
  await dialog.getByLabel("URL", { exact: true }).fill(url.href);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("has lost its headers and its authentication").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  hooks.close();
  await close();
});

test("a form asks before it closes with typed text, and without typed text it closes at once", async () => {
  const { page, close } = await visitor("dora");
  await page.clock.install();
  await page.goto("/console/");
  await page.getByRole("link", { name: "Subscriptions", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const open = () => page.getByRole("button", { name: "New subscription" }).click();
  await open();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await open();
  // The way back asks before the browser draws again.
  await page.clock.pauseAt(Date.now() + 60_000);
  await dialog.getByLabel("Description").fill("For the ledger");
  const question = dialog.getByText("What you typed is not saved.");
  const ways = [
    () => page.goBack({ waitUntil: "commit" }).catch(() => undefined),
    () => page.keyboard.press("Escape"),
    () => dialog.getByRole("button", { name: "Close", exact: true }).click(),
  ];
  for (const leave of ways) {
    await leave();
    await question.waitFor();
    await eventually("the answer that loses nothing has the focus", () =>
      dialog.getByRole("button", { name: "Keep typing" }).evaluate((one) => one === document.activeElement),
    );
    await page.keyboard.press("Enter");
    await question.waitFor({ state: "detached" });
    assert.equal(await dialog.getByLabel("Description").inputValue(), "For the ledger");
  }
  await page.clock.resume();
  await page.mouse.click(5, 5);
  await page.keyboard.press("Escape");
  await question.waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  assert.equal(await dialog.getByLabel("Description").inputValue(), "For the ledger");
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Throw it away" }).click();
  await dialog.waitFor({ state: "detached" });
  await open();
  assert.equal(await dialog.getByLabel("Description").inputValue(), "");
  await dialog.getByLabel("Description").fill("Short");
  await dialog.getByLabel("Description").fill("");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await close();
});

test("a list of deliveries drops what no longer matches, forgets a failed read, and keeps its rows without a gap", async () => {
  const [{ page, close }, hooks] = [await visitor("lotte", { failures: [503] }), await receiver()];
  await subscribe("lotte", hooks.url);
  await publishBatch("lotte", "order.first", 60);
  await attempted("lotte", 60);
  const rows = page.locator("tbody tr");
  const shown = (count) => eventually(`${count} rows`, async () => (await rows.count()) === count);
  const more = page.getByRole("button", { name: "Show more", exact: true });
  await page.goto("/console/deliveries");
  await shown(50);
  await page.getByText("Live: the list follows each attempt.").waitFor();
  const failure = page.getByText("The service is temporarily unavailable");
  const recover = await handle(page, /cursor=/, (route) => route.fulfill(UNAVAILABLE));
  await more.click();
  await failure.waitFor();
  await publish("lotte", "order.live");
  await page.getByRole("button", { name: "Show 1 new delivery" }).waitFor();
  assert.ok(await failure.isVisible(), "a live read leaves the failure of another");
  recover();
  // Until then the new filter does not match it.
  await attempted("lotte", 61);
  const filtered = page.waitForResponse(/state=delivered/);
  await page.getByLabel("State").selectOption("Delivered");
  await filtered;
  await shown(50);
  await failure.waitFor({ state: "detached" });
  // The service reads some thousand rows, and may find none that match. The next attempt leads to the next read.
  const none = { deliveries: [], nextCursor: "later" };
  const answered = new Promise((resolve) =>
    handleFirst(page, /deliveries\?/, (route) => resolve(route.fulfill({ json: none }))),
  );
  await publish("lotte", "order.live");
  await answered;
  await publish("lotte", "order.live");
  await page.getByRole("button", { name: "Show 2 new deliveries" }).waitFor();
  await shown(50);
  const late = new Promise((resolve) => handleFirst(page, /cursor=/, resolve));
  await more.click();
  const route = await late;
  // The list reads again when all have ended: those that end later would be new once more.
  const pause = page.getByRole("button", { name: "Pause" });
  await pause.click();
  await publishBatch("lotte", "order.later", 60);
  await attempted("lotte", 123);
  await pause.click();
  await page.getByRole("button", { name: "Show more than 50 new deliveries" }).click();
  await Promise.all([page.waitForResponse(/cursor=/), route.continue()]);
  for (const count of [100, 123]) {
    await more.click();
    await shown(count);
  }
  await more.waitFor({ state: "detached" });
  hooks.status = 500;
  await publish("lotte", "order.last");
  await attempted("lotte", 124);
  await page.getByLabel("State").selectOption("Waiting");
  await shown(1);
  const { deliveries } = await api("lotte", "GET", "/api/webhooks/deliveries?limit=1");
  hooks.status = 204;
  await api("lotte", "POST", `/api/webhooks/deliveries/${deliveries[0].id}/retry`);
  await page.getByText("No delivery matches").waitFor();
  hooks.close();
  await close();
});
