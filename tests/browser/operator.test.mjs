// The tasks of operators in the console, in a real browser.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import {
  api,
  attempted,
  BASE,
  browser,
  changeUser,
  eventually,
  go,
  handle,
  portalLink,
  publish,
  putEventType,
  receiver,
  subscribe,
  UNAVAILABLE,
  visitor,
} from "./harness.mjs";

after(() => browser.close());

/** A tab of the page of an owner, which may not have come yet. The sidebar has links of the same names. */
const tabOf = (page, name) =>
  page.getByRole("navigation", { name: /^What the/ }).getByRole("link", { name, exact: true });

test("an operator finds which receiver fails and why, and sends again what was lost", async () => {
  const hooks = await receiver(500);
  const origin = new URL(hooks.url).origin;
  const { subscription } = await subscribe("faye", hooks.url);
  for (let count = 0; count < 2; count += 1) await publish("faye", "invoice.paid", { count });
  await attempted("faye", 2);
  const { page, close } = await visitor("operator");
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.getByText("good,").waitFor();
  const row = page.getByRole("row", { name: new RegExp(origin) });
  await eventually("the receiver is listed", async () => {
    if (await row.count()) return true;
    await page.getByRole("button", { name: "Read the list again" }).click();
    return false;
  });
  assert.match(
    await row.textContent(),
    /The receiver answered with an error status\..*in a row, the last one with status 500/s,
  );
  assert.ok(!(await row.textContent()).includes("/hooks"), "the path may be a secret");
  assert.ok((await row.textContent()).includes(subscription.id), "another subscription may have the same receiver");
  await row.getByRole("link", { name: origin }).click();
  await page.getByText("A subscription of faye.").waitFor();
  hooks.status = 204;
  const before = hooks.requests.length;
  await page.getByRole("button", { name: "Recover…" }).click();
  await page.getByText("2 deliveries come back").waitFor();
  await page.getByLabel("Types").fill("order.*");
  await page.getByLabel("Types").blur();
  await page.getByText("Nothing of this time failed").waitFor();
  await page.getByLabel("Types").fill("invoice.*");
  await page.getByRole("button", { name: "Recover", exact: true }).click();
  await page.getByText("2 deliveries are due now.").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await eventually("the webhooks arrive", () => hooks.requests.length >= before + 2);
  await eventually("all are delivered", async () => {
    await page.getByRole("button", { name: "Reload" }).click();
    return (await page.locator("tbody .badge.good").count()) === 2;
  });
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { name: "Failing subscriptions" }).waitFor();
  await eventually("nothing of it fails", async () => {
    await page.getByRole("button", { name: "Read the list again" }).click();
    return (await row.count()) === 0;
  });
  await close();
  hooks.close();
  const seen = (await api("faye", "GET", "/api/audit?limit=200")).events.map(
    ({ action, actor }) => `${action} ${actor.id}`,
  );
  for (const expected of ["data.read operator", "subscription.recovered operator"]) {
    assert.ok(seen.includes(expected), `${expected}: ${seen}`);
  }
});

test("an operator limits how often a user calls, and sees at its field what no limit can be", async () => {
  await api("lena", "POST", "/api/api-keys", { label: "CI" });
  const { page, close } = await visitor("operator", { failures: [400] });
  await page.goto("/console/operator/users/lena?tab=account");
  await page.getByRole("button", { name: "Change the limits…" }).click();
  // Another limit is changed while the dialog is open.
  await changeUser("lena", { maxSubscriptions: 7 });
  await page.getByLabel("Most active keys").fill("ten");
  await page.getByLabel("Rate limit of each key").fill("5");
  await page.getByLabel("Rate limit of calls").fill(" 60/m ");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Change the limits" }).click();
  await dialog.getByText("must be a count and a unit").waitFor();
  await page.locator("input[aria-invalid=true]").nth(1).waitFor();
  assert.equal(await page.getByLabel("Most active keys").getAttribute("aria-invalid"), "true");
  await page.getByLabel("Most active keys").fill("");
  await page.getByLabel("Rate limit of each key").fill("5/s");
  await dialog.getByRole("button", { name: "Change the limits" }).click();
  await dialog.waitFor({ state: "detached" });
  for (const limit of ["5/s", "60/m"]) await page.getByText(limit, { exact: true }).waitFor();
  await close();
  const { events } = await api("lena", "GET", "/api/audit?action=owner.changed");
  const changes = events.flatMap((event) => event.changes.map(({ field, after }) => `${field} ${after}`));
  assert.deepEqual(changes, ["keyRateLimit 5/s", "requestRateLimit 60/m", "maxSubscriptions 7"]);
});

test("an operator sees within ten seconds which receiver fails, finds the cause, and sends one kind of failure again", async () => {
  const hooks = await receiver(204);
  const origin = new URL(hooks.url).origin;
  const { subscription } = await subscribe("gina", hooks.url);
  const { page, close } = await visitor("operator");
  await page.clock.install();
  await page.goto("/console/operator");
  await page.getByRole("heading", { name: "Failing subscriptions" }).waitFor();
  // The clock of the page stands still from here on, except for ten seconds. The leap to its time reads the list once.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole("button", { name: "Read the list again", disabled: false }).waitFor();
  // The receiver breaks while the operator looks, and the list follows automatically. Only the part of the page is timed.
  hooks.status = 503;
  for (let count = 0; count < 3; count += 1) await publish("gina", "invoice.paid", { count });
  await attempted("gina", 3);
  await page.clock.runFor(10_000);
  await page.getByRole("link", { name: origin }).waitFor();
  await page.clock.resume();
  await page.getByRole("link", { name: origin }).click();
  // Her deliveries fail for good when she disables the subscription: no attempt runs at that moment.
  for (const enabled of [false, true])
    await api("gina", "PATCH", `/api/webhooks/subscriptions/${subscription.id}`, { enabled });
  const cause = page.getByRole("region", { name: "Failed, by cause" }).getByRole("listitem");
  await eventually("the page has them", async () => {
    await page.getByRole("button", { name: "Reload" }).click();
    return cause.getByText("3 × 503").isVisible();
  });
  await cause.getByText("The receiver answered with an error status.").waitFor();
  hooks.status = 204;
  await cause.getByRole("button", { name: "Send 3 deliveries again" }).click();
  await cause.waitFor({ state: "detached" });
  await eventually("all are delivered", async () => {
    await page.getByRole("button", { name: "Reload" }).click();
    return (await page.locator("tbody .badge.good").count()) === 3;
  });
  await close();
  hooks.close();
  const retried = (await api("gina", "GET", "/api/audit?action=delivery.retried")).events;
  assert.deepEqual(
    retried.map(({ actor }) => actor.id),
    ["operator", "operator", "operator"],
  );
});

test("support finds a user, revokes a key, sends one delivery again, and signs the user out", async () => {
  const hooks = await receiver(500);
  const user = "auth0|müller/1";
  const key = await api(user, "POST", "/api/api-keys", { label: "CI deploy" });
  await subscribe(user, hooks.url);
  const other = await visitor(undefined);
  await other.page.goto((await portalLink({ userId: user })).url);
  await other.page.getByText(`Signed in as ${user}`).waitFor();
  await publish(user, "order.lost", { number: 42 });
  await attempted(user, 1);
  const { page, close } = await visitor("operator");
  await changeUser(user, { name: "Anna Müller" });
  await page.getByRole("link", { name: "Owners" }).click();
  await page.getByRole("searchbox", { name: "Find" }).fill("ANNA m");
  await page.keyboard.press("Enter");
  const found = page.getByRole("row", { name: /Anna Müller/ });
  assert.match(await found.textContent(), /Active11/, "one key and one subscription");
  await found.getByRole("link", { name: user }).click();
  await page.getByRole("button", { name: /^Revoke CI deploy/ }).click();
  await page.getByLabel("Type the label to confirm").fill("CI deploy");
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.locator(".badge", { hasText: "Revoked" }).waitFor();
  const whoami = await fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": key.key } });
  assert.equal(whoami.status, 401);
  await tabOf(page, "Deliveries").click();
  await page.getByRole("link", { name: "order.lost" }).click();
  await page.getByText('"number": 42').waitFor();
  hooks.status = 204;
  await page.getByRole("button", { name: "Try now" }).click();
  await eventually("it arrives", () => hooks.requests.length >= 2);
  await page.getByRole("link", { name: user, exact: true }).click();
  await tabOf(page, "Sessions").click();
  await page.getByRole("button", { name: "End all sessions…" }).click();
  await page.getByRole("button", { name: "End all sessions", exact: true }).click();
  await page.getByRole("heading", { name: "No sessions" }).waitFor();
  other.broken.length = 0;
  const session = await other.page.evaluate(() => fetch("/api/session").then((answer) => answer.status));
  assert.equal(session, 401);
  await other.context.close();
  await page.getByRole("button", { name: "Make a portal link…" }).click();
  await page.getByRole("button", { name: "Make the link" }).click();
  assert.match(await page.locator(".one-line code").textContent(), /\/console\/portal#/);
  await page.getByRole("button", { name: "I have copied the link" }).click();
  await close();
  hooks.close();
});

test("support suspends an organization and makes it active again, and its page has what it owns", async () => {
  const hooks = await receiver();
  const carol = "carol";
  const inAcme = (path) => `${path}?organization=acme`;
  const key = await api(carol, "POST", inAcme("/api/api-keys"), { label: "of acme" });
  const subscription = { url: hooks.url, events: ["*"] };
  await api(carol, "POST", inAcme("/api/webhooks/subscriptions"), subscription);
  const status = async () => (await fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": key.key } })).status;
  const { page, close } = await visitor("operator");
  await page.goto("/console/operator/users?query=acme");
  await page
    .getByRole("row", { name: /^organization acme/ })
    .getByRole("link")
    .click();
  assert.equal(new URL(page.url()).pathname, "/console/operator/organizations/acme");
  await page.getByRole("row", { name: /^of acme/ }).waitFor();
  await tabOf(page, "Subscriptions").click();
  await page.getByRole("link", { name: hooks.url }).click();
  await page.getByText("A subscription of acme.").waitFor();
  await page.getByRole("link", { name: "acme", exact: true }).click();
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.getByRole("button", { name: "Suspend…" }).click();
  await page.getByLabel("Reason (optional)").fill("unpaid");
  await page.getByRole("button", { name: "Suspend the organization" }).click();
  await page.getByText("unpaid").waitFor();
  assert.equal(await status(), 401);
  await page.getByRole("button", { name: "Make active…" }).click();
  await page.getByRole("button", { name: "Make the organization active" }).click();
  await page.getByRole("button", { name: "Suspend…" }).waitFor();
  assert.equal(await status(), 200);
  await tabOf(page, "Audit log").click();
  await page.getByRole("row", { name: /^Active again/ }).waitFor();
  await page.getByRole("button", { name: "Make a portal link…" }).click();
  await page.getByRole("button", { name: "Make the link" }).click();
  assert.match(await page.locator(".one-line code").textContent(), /\/console\/portal#/);
  await page.getByRole("button", { name: "I have copied the link" }).click();
  await close();
  hooks.close();
});

test("a delivery in an order that is tried now says that it waits for the ones before it", async () => {
  const [{ page, close }, hooks] = [await visitor("olaf"), await receiver(500)];
  await subscribe("olaf", hooks.url, { ordering: "subscription" });
  await publish("olaf", "order.first");
  await publish("olaf", "order.second");
  await eventually("the first attempt", () => hooks.requests.length >= 1);
  const idOf = async (type) => {
    const { deliveries } = await api("olaf", "GET", `/api/webhooks/deliveries?eventType=${type}`);
    return deliveries[0].id;
  };
  const [first, second] = [await idOf("order.first"), await idOf("order.second")];
  const said = "It is due now, and waits for the deliveries before it.";
  const operator = await visitor("operator");
  await operator.page.goto(`/console/operator/users/olaf/deliveries/${second}`);
  await operator.page.getByText("in its turn").waitFor();
  await operator.page.getByRole("button", { name: "Try now" }).click();
  await operator.page.getByText(said).waitFor();
  await operator.page.getByRole("link", { name: "See them" }).click();
  await operator.page.getByRole("link", { name: "order.first" }).waitFor();
  await operator.close();
  await page.goto(`/console/deliveries/${second}`);
  await page.getByText("The subscription has an order").waitFor();
  assert.equal(await page.getByText(said).count(), 0);
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByText(said).waitFor();
  hooks.status = 204;
  await api("olaf", "POST", `/api/webhooks/deliveries/${first}/retry`);
  await page.locator(".facts").getByText("Delivered").waitFor();
  assert.equal(await page.getByText(said).count(), 0);
  // An ended delivery is sent again out of the order.
  hooks.status = 500;
  const before = hooks.requests.length;
  await publish("olaf", "order.third");
  await publish("olaf", "order.fourth");
  await eventually("the third", () => hooks.requests.length > before);
  const fourth = await idOf("order.fourth");
  await api("olaf", "POST", `/api/webhooks/deliveries/${fourth}/cancel`);
  await page.goto(`/console/deliveries/${fourth}`);
  await page.getByText("sent again, this does not wait for its turn").waitFor();
  for (const [button, attempt] of [
    ["Send again", "Attempt 1"],
    ["Try now", "Attempt 2"],
  ]) {
    await page.getByRole("button", { name: button }).click();
    await page.getByText(attempt).waitFor();
    await eventually("it has not waited", async () => (await page.getByText(said).count()) === 0);
  }
  hooks.close();
  await close();
});

test("an operator finds one of more than two hundred subscriptions of a user", async () => {
  await changeUser("nora", { maxSubscriptions: 300 });
  for (let n = 0; n < 205; n += 1) await subscribe("nora", `https://receiver-${n}.example/hooks`);
  const { page, close } = await visitor("operator");
  await page.goto("/console/operator/users/nora?tab=subscriptions");
  await page.getByText("200 of the newest 200").waitFor();
  await page.getByLabel("Search").fill("receiver-3.");
  await page.getByText("No subscription matches").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByText("1 of 205").waitFor();
  await page.getByRole("link", { name: "https://receiver-3.example/hooks" }).click();
  await page.getByText("A subscription of nora.").waitFor();
  await page.goBack();
  await page.getByText("1 of 205").waitFor();
  await close();
});

test("forms offer the registered event types", async () => {
  await putEventType("shop.sold", { title: "Something was sold" });
  await putEventType("shop.returned", {});
  await putEventType("shop.audited", { visibility: "hidden" });
  const offered = (page) =>
    page.getByRole("dialog").evaluate((dialog) => {
      const { list } = dialog.querySelector("input[list]");
      return [...list.options].map(({ value }) => value).filter((value) => value.includes("shop."));
    });
  const { page, close } = await visitor("ella");
  await page.goto("/console/subscriptions");
  await page.getByRole("button", { name: "New subscription" }).click();
  await eventually("the types", async () => (await offered(page)).join() === "shop.returned,shop.sold");
  await page.getByLabel("Events").fill("order.* shop.sold ");
  await eventually("the other type", async () => (await offered(page)).join() === "order.* shop.sold shop.returned");
  await close();
  const operator = await visitor("operator");
  await operator.page.goto("/console/operator/events");
  await operator.page.getByRole("button", { name: "Publish an event…" }).click();
  await eventually(
    "the types, also the hidden one",
    async () => (await offered(operator.page)).join() === "shop.audited,shop.returned,shop.sold",
  );
  await operator.close();
});

test("an operator publishes an event, finds it by user and by id, and reads its payload", async () => {
  const { page, close } = await visitor("operator");
  await page.goto("/console/operator/events");
  await page.getByRole("button", { name: "Publish an event…" }).click();
  await page.getByRole("textbox", { name: "User id", exact: true }).fill("petra");
  await page.getByLabel("Type", { exact: true }).fill("order.made");
  await page.getByLabel("Data (JSON)").fill("{ broken");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("The data is not JSON").waitFor();
  const hooks = await receiver();
  await subscribe("petra", hooks.url, { events: ["order.*"] });
  await page.getByLabel("Data (JSON)").fill('{ "answer": 1.50, "large": 9007199254740993 }');
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  // As it was typed, in the payload that the page shows and in the one that the receiver gets.
  await page.getByText(/"answer": 1\.50,\s+"large": 9007199254740993/).waitFor();
  await eventually("the webhook", () => hooks.requests.length === 1);
  assert.match(hooks.requests[0].body, /\{"answer":1\.50,"large":9007199254740993\}/);
  hooks.close();
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await page.getByRole("link", { name: "Events", exact: true }).first().click();
  await page.getByLabel("User id or event id").fill("petra");
  await page.keyboard.press("Enter");
  const row = page.locator("tbody tr", { hasText: "order.made" });
  await eventually("one row", async () => (await row.count()) === 1);
  assert.match(await row.textContent(), /order\.made.*petra.*1 subscription/s);
  await page.getByLabel("User id or event id").fill(id);
  await page.keyboard.press("Enter");
  await page.getByText(/"large": 9007199254740993/).waitFor();
  await close();
});

test("an operator publishes an event to an organization, and finds it by the organization", async () => {
  const { page, close } = await visitor("operator");
  await page.goto("/console/operator/events");
  await page.getByRole("button", { name: "Publish an event…" }).click();
  await page.getByLabel("Owner", { exact: true }).selectOption("An organization");
  await page.getByRole("textbox", { name: "Organization id", exact: true }).fill("acme");
  await page.getByLabel("Type", { exact: true }).fill("order.made");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Deliveries to the organization").waitFor();
  await page.goto("/console/operator/events?organizationId=acme");
  await page.getByRole("cell", { name: "organization acme" }).first().waitFor();
  await close();
});

test("the audit log of all users is filtered, paged and downloaded", async () => {
  for (let count = 0; count < 60; count += 1) {
    const { keyId } = await api("quinn", "POST", "/api/api-keys", { label: `=cmd("${count}"),x` });
    await api("quinn", "DELETE", "/api/api-keys", { keyId });
  }
  const { page, close } = await visitor("operator");
  await page.goto("/console/operator/audit?userId=quinn");
  await eventually("a page", async () => (await page.locator("tbody tr").count()) === 50);
  await page.getByRole("button", { name: "Show more" }).click();
  await eventually("two pages", async () => (await page.locator("tbody tr").count()) === 100);
  await page.getByLabel("Action").selectOption("key.revoked");
  await eventually("revocations alone", async () => {
    const actions = await page.locator("tbody th").allTextContents();
    return actions.length === 50 && actions.every((action) => action.includes("Key revoked"));
  });
  await eventually("the label", async () =>
    (await page.locator("tbody td[data-label=What]").first().textContent()).includes('=cmd("59"),x'),
  );
  for (const [name, lines] of [
    ["Download CSV", 61],
    ["Download JSON", 60],
  ]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name }).click()]);
    const text = await readFile(await download.path(), "utf8");
    assert.equal(text.trim().split("\n").length, lines, `${name}: ${text.slice(0, 500)}`);
  }
  await page.goto("/console/operator/users/quinn?tab=audit");
  await page.getByRole("button", { name: '=cmd("59"),x' }).first().click();
  await page.getByText('Only =cmd("59"),x.').waitFor();
  await close();
});

test("the audit log of all users is filtered by an organization", async () => {
  await api("carol", "POST", "/api/api-keys?organization=acme", { label: "of the company" });
  await api("carol", "POST", "/api/api-keys", { label: "of the person" });
  const { page, close } = await visitor("operator");
  await page.goto("/console/operator/audit?userId=carol");
  await page.getByText("Label: of the person").waitFor();
  await page.getByLabel("Organization id").fill("acme");
  await page.keyboard.press("Enter");
  await page.getByText("Label: of the company").waitFor();
  assert.equal(new URL(page.url()).search, "?organizationId=acme");
  for (const owner of await page.locator("tbody td[data-label=Owner]").allTextContents())
    assert.equal(owner, "organization acme");
  const csv = await page.getByRole("link", { name: "Download CSV" }).getAttribute("href");
  assert.equal(new URLSearchParams(csv.split("?")[1]).get("organizationId"), "acme");
  await page.getByLabel("User id").fill("carol");
  await page.keyboard.press("Enter");
  await page.getByText("Label: of the person").waitFor();
  await close();
});

test("a whole key that is pasted finds its owner, and no address has it", async () => {
  const { key } = await api("kim", "POST", "/api/api-keys", { label: "pasted" });
  const { page, close } = await visitor("operator");
  const addresses = [];
  page.on("request", (request) => addresses.push(request.url()));
  page.on("framenavigated", (frame) => addresses.push(frame.url()));
  await page.goto("/console/operator/users");
  const search = page.getByLabel("Find", { exact: true });
  for (let time = 0; time < 2; time += 1) {
    await search.fill(`${key} `);
    await search.press("Enter");
    await page.getByText("What looks like an API key is searched for by its start.").waitFor();
    await page.getByRole("row", { name: /^kim/ }).waitFor();
    assert.equal(await search.inputValue(), key.slice(0, "svc_live_".length + 8));
  }
  assert.equal(await page.locator("main a[href*=svc_live_]").count(), 0, "a key is not a user");
  assert.ok(page.url().includes("query=svc_live_"));
  assert.deepEqual(
    [page.url(), ...addresses].filter((address) => address.includes(key.slice(0, -8))),
    [],
  );
  await search.fill("nobody yet");
  await search.press("Enter");
  await page.getByRole("link", { name: "nobody yet" }).waitFor();
  await close();
});

test("operators go to their screens by the keyboard, and to a user by name", async () => {
  const { page, close } = await visitor("operator");
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home" }).waitFor();
  for (const [key, heading] of [
    ["o", "Overview"],
    ["u", "Owners"],
    ["e", "Events"],
    ["c", "All changes"],
  ]) {
    await page.getByRole("heading", { level: 1 }).click();
    await go(page, key, page.getByRole("heading", { name: heading, level: 1 }));
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Screen or action" }).fill("karl");
  await page.getByRole("option", { name: /karl/ }).click();
  await page.getByRole("heading", { name: "karl" }).waitFor();
  await close();
});

test("a user who is not an operator sees no entry for operators", async () => {
  const { page, close } = await visitor("rosa");
  await page.getByRole("heading", { name: "Home" }).waitFor();
  assert.equal(await page.locator("a[href^='/console/operator']").count(), 0);
  await page.goto("/console/operator/users/alice");
  await page.getByRole("heading", { name: "This page is for operators" }).waitFor();
  await page.getByRole("link", { name: "Go to the start page" }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await close();
});

test("a secret that is shown once stays until its reader has copied it", async () => {
  const { page, close } = await visitor("olga");
  await page.goto("/console/subscriptions");
  await page.getByRole("button", { name: "New subscription" }).click();
  await page.getByLabel("URL").fill("http://127.0.0.1:1024/hooks");
  await page.getByRole("button", { name: "Subscribe", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Your new subscription" });
  await dialog.getByRole("link", { name: "Open the subscription" }).click();
  const done = dialog.getByRole("button", { name: "I have copied the secret" });
  assert.ok(await done.evaluate((button) => button === document.activeElement));
  const changeRights = async () => {
    await page.route("**/api/session", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), capabilities: ["webhooks"] } });
    });
    const answered = page.waitForResponse("**/api/session");
    await page.evaluate(() => void document.dispatchEvent(new Event("visibilitychange")));
    await answered;
  };
  await changeRights();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
  await done.click();
  await Promise.all([page.waitForEvent("load"), changeRights()]);
  assert.equal(await page.getByRole("link", { name: "Keys", exact: true }).count(), 0);
  await close();
});

test("a key that a program uses after the list was read is not revoked with the unused ones", async () => {
  for (const label of ["idle", "quarterly", "nightly"]) await api("otis", "POST", "/api/api-keys", { label });
  const { page, close } = await visitor("otis");
  let unused = ["idle", "quarterly", "nightly"];
  await page.route("**/api/api-keys", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    for (const key of answer.keys) if (unused.includes(key.label)) key.createdAt = "2001-01-01T00:00:00Z";
    await route.fulfill({ response, json: answer });
  });
  await page.goto("/console/keys");
  await page.getByText("3 keys have not been used").waitFor();
  unused = ["idle", "quarterly"];
  await page.getByRole("button", { name: "Revoke unused keys…" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke 2 unused keys?" });
  await dialog.getByText("quarterly").waitFor();
  unused = ["idle"];
  await dialog.getByRole("button", { name: "Revoke them" }).click();
  // The number in its title changes before the key is revoked.
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const { keys } = await api("otis", "GET", "/api/api-keys");
  assert.deepEqual(
    keys.filter(({ revokedAt }) => revokedAt).map(({ label }) => label),
    ["idle"],
  );
  await close();
});

test("the search of keys stays while it hides keys, and on the way back", async () => {
  for (let n = 1; n <= 9; n += 1) await api("opal", "POST", "/api/api-keys", { label: `Key ${n}` });
  const { page, close } = await visitor("opal");
  await page.goto("/console/keys");
  await page.getByLabel("Search").fill("key 4");
  await page.getByRole("link", { name: "Key 4" }).click();
  await page.getByRole("heading", { name: "Key 4" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Revoke Key 4" }).click();
  await page.getByLabel("Type the label to confirm").fill("Key 4");
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByText("No key matches “key 4”.").waitFor();
  await page.getByLabel("Search").fill("");
  await page.getByRole("button", { name: "Revoke Key 9" }).waitFor();
  await close();
});

test("a label is confirmed as the page shows it", async () => {
  await api("orla", "POST", "/api/api-keys", { label: "CI  deploy" });
  const { page, close } = await visitor("operator");
  await page.goto("/console/operator/users/orla");
  await page.getByRole("button", { name: "Revoke CI deploy" }).click();
  await page.getByLabel("Type the label to confirm").fill("CI deploy");
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByText("Revoked", { exact: true }).waitFor();
  await close();
});

test("the focus is on the page after the button that had it is gone", async () => {
  const [{ page, close }, there, third] = await Promise.all(
    [{}, { failures: [401] }, { failures: [401] }].map((options) => visitor("operator", options)),
  );
  const focused = (element) => eventually("the focus", () => element.evaluate((one) => one === document.activeElement));
  await page.goto("/console/sessions");
  const title = page.getByRole("heading", { name: "Sessions" });
  await page
    .getByRole("button", { name: /^End the session/ })
    .first()
    .click();
  await page.getByText("The session is over.").waitFor({ state: "attached" });
  await focused(title);
  await page.getByRole("button", { name: "End all other sessions" }).click();
  await page.getByText("All other sessions are over.").waitFor({ state: "attached" });
  await focused(title);
  await page.goto("/console/operator/organizations/rivet");
  await page.getByRole("button", { name: "Make a portal link…" }).click();
  await page.getByRole("button", { name: "Make the link" }).click();
  await focused(page.getByRole("button", { name: "Copy the link" }));
  await page.getByRole("button", { name: "I have copied the link" }).click();
  const { keyId } = await api("operator", "POST", "/api/api-keys", { label: "CI" });
  await api("operator", "POST", `/api/api-keys/${keyId}/rotate`, { overlapSeconds: 3600 });
  await page.goto("/console/keys");
  await page.getByRole("button", { name: "Revoke CI" }).first().click();
  await page.getByRole("button", { name: "Revoke the old key instead" }).click();
  await focused(page.getByLabel("Type the label to confirm"));
  await close();
  for (const one of [there, third]) await one.close();
});

test("a late answer does not change the chosen command", async () => {
  await api("ottilie", "POST", "/api/api-keys", { label: "acme key" });
  await subscribe("ottilie", "http://127.0.0.1:1024/acme");
  const { page, close } = await visitor("ottilie");
  let answer;
  const asked = new Promise((resolve) => (answer = resolve));
  await page.route("**/api/api-keys", (route) => asked.then(() => route.continue()));
  await page.goto("/console/deliveries");
  await page.getByRole("heading", { name: "Deliveries" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Screen or action" }).fill("acme");
  const chosen = page.getByRole("dialog").getByRole("option", { selected: true });
  await chosen.getByText("subscription").waitFor();
  answer();
  await page.getByRole("option", { name: /acme key/ }).waitFor();
  assert.match(await chosen.textContent(), /subscription/);
  await page.keyboard.press("ArrowUp");
  assert.match(await chosen.textContent(), /acme key/);
  await close();
});

test("the errors of the overview stay and are announced once while the service is away", async () => {
  const { page, close } = await visitor("operator", { failures: [503] });
  await page.clock.install();
  await page.goto("/console/");
  const paths = ["**/api/operator/system", "**/api/operator/failing-subscriptions*"];
  let requests = 0;
  const body = () => UNAVAILABLE.body.replace("4bf9", (requests += 1));
  const unavailable = (route) => route.fulfill({ ...UNAVAILABLE, body: body() });
  const recoveries = await Promise.all(paths.map((path) => handle(page, path, unavailable)));
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("alert").nth(1).waitFor();
  await page.evaluate(() => {
    window.changes = 0;
    new MutationObserver(() => (window.changes += 1)).observe(document.querySelector("main"), {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
  for (let round = 0; round < 2; round += 1)
    await Promise.all([page.waitForResponse(paths[0]), page.clock.runFor(5000)]);
  assert.equal(await page.evaluate(() => window.changes), 0);
  for (const recover of recoveries) recover();
  await page.clock.runFor(10_000);
  await page.getByText("good,").waitFor();
  await eventually("no error", async () => {
    await page.clock.runFor(5000);
    return (await page.getByRole("alert").count()) === 0;
  });
  await close();
});

test("the page of an organization is below the owners in the navigation", async () => {
  const { page, close } = await visitor("operator");
  await page.goto("/console/operator/organizations/rivet");
  const owners = page.getByRole("navigation", { name: "Operator" }).getByRole("link", { name: "Owners" });
  assert.equal(await owners.getAttribute("aria-current"), "page");
  await close();
});
