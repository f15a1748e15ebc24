// The tasks of users in the console, in a real browser.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { after, test } from "node:test";
import { promisify } from "node:util";
import {
  api,
  attempted,
  BASE,
  browser,
  copied,
  eventually,
  go,
  handle,
  isSigned,
  listed,
  makeKey,
  portalLink,
  publish,
  publishBatch,
  receiver,
  signIn,
  subscribe,
  UNAVAILABLE,
  visitor,
} from "./harness.mjs";

after(() => browser.close());

test("a new user makes a key, checks it, subscribes, and sees a test event arrive", async () => {
  const [{ page, close }, hooks] = [await visitor("alice"), await receiver()];
  await page.goto("/console/");
  await page.getByRole("heading", { name: "First steps" }).waitFor();
  await page.getByRole("link", { name: "Go to keys" }).click();
  const key = await makeKey(page, "CI deploy");
  const who = await fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": key } });
  assert.equal((await who.json()).credential.label, "CI deploy");
  await page.getByRole("button", { name: "Check it" }).click();
  await page.getByText("200: the key works.").waitFor();
  assert.equal(await copied(page, "Copy the key"), key);
  await page.getByRole("button", { name: "I have copied the key" }).click();
  assert.ok(!(await page.content()).includes(key), "the key is gone from the page");

  await page.getByRole("link", { name: "Subscriptions" }).click();
  await page.getByRole("button", { name: "New subscription" }).click();
  await page.getByLabel("URL").fill(hooks.url);
  await page.keyboard.press("Enter");
  const secret = await page.locator(".one-line code").textContent();
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText("Delivered: the receiver answered 204").waitFor();
  assert.ok(isSigned(hooks.requests[0], secret), "signed with the secret that was shown");
  await page.getByRole("button", { name: "I have copied the secret" }).click();
  await page.getByRole("link", { name: "Deliveries" }).first().click();
  await page.getByRole("link", { name: "webhook.test" }).click();
  await page.getByRole("heading", { name: "webhook.test" }).waitFor();
  await page.getByText("Attempt 1").waitFor();

  await page.getByRole("link", { name: "Deliveries" }).first().click();
  await page.getByRole("row", { name: /webhook\.test.*Delivered/ }).waitFor();
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByText("Everything works.").waitFor();
  // The last use of a key is stored some time after the use.
  await eventually("the first steps are done", async () => {
    await page.reload();
    await page.getByText("Everything works.").waitFor();
    return (await page.getByRole("heading", { name: "First steps" }).count()) === 0;
  });
  hooks.close();
  await close();
});

test("the keyboard alone makes a key, subscribes and retries, and the focus is always visible", async () => {
  const [{ page, close }, hooks] = [await visitor("kim"), await receiver(500)];
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await go(page, "k", page.getByRole("heading", { name: "API keys" }));
  await titleHasFocus(page);
  await press(page, "n");
  await page.getByRole("dialog", { name: "New API key" }).waitFor();
  assert.equal(await focused(page), "Label");
  await page.keyboard.type("Laptop");
  await press(page, "Enter");
  await page.getByRole("dialog", { name: "Your new key" }).waitFor();
  await tabTo(page, "I have copied the key");
  await press(page, "Enter");
  await eventually("the focus is back", async () => (await focused(page)) === "New key");

  await go(page, "w", page.getByRole("heading", { name: "Subscriptions", exact: true }));
  await titleHasFocus(page);
  await press(page, "n");
  await page.getByRole("dialog", { name: "New subscription" }).waitFor();
  await page.keyboard.type(hooks.url);
  await press(page, "Enter");
  await page.getByRole("dialog", { name: "Your new subscription" }).waitFor();
  await tabTo(page, "Send a test event");
  await press(page, "Enter");
  await page.getByText("It is tried again.").waitFor();
  await eventually(
    "the button works no longer, and has kept the focus",
    async () => (await focused(page)) === "Send a test event",
  );
  await press(page, "Escape");
  assert.equal(await focused(page), "I have copied the secret", "Escape does not lose what is shown once");
  await press(page, "Enter");
  await eventually("the focus is back", async () => (await focused(page)) === "New subscription");

  await go(page, "d", page.getByRole("row", { name: /webhook\.test/ }));
  await press(page, "j");
  assert.equal(await focused(page), "webhook.test");
  await press(page, "Enter");
  await page.getByRole("heading", { name: "webhook.test" }).waitFor();
  hooks.status = 204;
  await press(page, "r");
  await page.locator(".facts").getByText("Delivered").waitFor();
  await press(page, "?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await tabTo(page, "Use these shortcuts");
  await press(page, " ", "Escape", "g", "k");
  assert.equal(new URL(page.url()).pathname.split("/")[2], "deliveries", "the shortcuts are off");
  hooks.close();
  await close();
});

/** A screen gives its title the focus when it has opened. A shortcut before that opens a dialog over the title. */
const titleHasFocus = (page) =>
  eventually("the title has the focus", () => page.evaluate(() => document.activeElement?.tagName === "H1"));

test("what a reader types and presses the moment a screen appears counts", async () => {
  const { page, close } = await visitor("ines");
  // A script is faster than every reader: it acts when the element exists, before the browser draws it.
  await page.addInitScript(() => {
    window.whenThere = (selector, act) => {
      const look = () => {
        const found = document.querySelector(selector);
        if (!found) return;
        observer.disconnect();
        act(found);
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, subtree: true });
    };
    const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
    window.whenThere("nav", () => ["g", "k"].forEach(press));
  });
  await page.goto("/console/");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  const type = (event) =>
    page.evaluate((event) => {
      window.whenThere("input[type=search]", (field) => {
        field.focus();
        field.value = "order.paid";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        if (event) field.dispatchEvent(new Event(event, { bubbles: true }));
      });
    }, event);
  await type();
  await page.getByRole("link", { name: "Deliveries", exact: true }).click();
  await page.getByText("Live: the list follows each attempt.").waitFor();
  await page.getByText("Nothing was sent yet").waitFor();
  assert.equal(await focused(page), "Event type", "the screen takes the focus from nobody");
  assert.equal(await page.getByLabel("Event type").inputValue(), "order.paid", "what is typed stays");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByText("You have no active key").waitFor();
  await type("change");
  await page.getByRole("link", { name: "Deliveries", exact: true }).click();
  await page.getByText("No delivery matches").waitFor();
  await close();
});

test("an answer that comes late changes nothing that is newer", async () => {
  const { page, close } = await visitor("lars");
  const { keyId } = await api("lars", "POST", "/api/api-keys", { label: "CI deploy" });
  await page.goto("/console/keys");
  await page.getByRole("rowheader", { name: "CI deploy" }).waitFor();
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("rowheader", { name: /^Key created/ }).waitFor();
  const late = await holdBack(page, (request) => request.method() === "GET" && request.url().endsWith("/api/api-keys"));
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await late.answered;
  await page.getByRole("button", { name: "Revoke CI deploy" }).click();
  await page.getByLabel("Type the label to confirm").fill("CI deploy");
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByText("You have no active key").waitFor();
  await late.release();
  assert.equal(await page.getByRole("button", { name: "Revoke CI deploy" }).count(), 0, "the key is back");

  await page.goto(`/console/audit?target=${keyId}`);
  await page.getByRole("rowheader", { name: /^Key revoked/ }).waitFor();
  const older = await holdBack(page, (request) => request.url().includes("action=key.created"));
  await page.getByLabel("Action").selectOption("key.created");
  await older.answered;
  await page.getByLabel("Action").selectOption("key.revoked");
  await page.getByRole("rowheader", { name: /^Key revoked/ }).waitFor();
  await older.release();
  assert.equal(await page.getByRole("rowheader", { name: /^Key created/ }).count(), 0, "the answer to an older filter");
  await close();
});

/** Sends a request after this time. */
const delayed = (milliseconds) => async (route) => {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  await route.continue();
};

/** Keeps the answers to these requests from the page, until `release`. */
async function holdBack(page, isMeant) {
  const [answered, released] = [openPromise(), openPromise()];
  const hold = async (route) => {
    if (!isMeant(route.request())) return route.fallback();
    const response = await route.fetch();
    answered.resolve(route.request());
    await released.promise;
    return route.fulfill({ response });
  };
  const end = await handle(page, "**/api/**", hold);
  const release = async () => {
    const finished = page.waitForEvent("requestfinished", isMeant);
    released.resolve();
    await finished;
    // The page handles an answer after the browser has received it.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    end();
  };
  return { answered: answered.promise, release };
}

/** A promise with the function that keeps it. */
function openPromise() {
  let resolve;
  const promise = new Promise((keep) => (resolve = keep));
  return { promise, resolve };
}

test("a key is rotated while the old one works, and revoked by its label", async () => {
  const { page, close } = await visitor("rita");
  const old = (await api("rita", "POST", "/api/api-keys", { label: "Billing" })).key;
  await page.goto("/console/keys");
  await page.getByRole("button", { name: "Rotate Billing" }).click();
  await page.getByRole("button", { name: "Rotate the key" }).click();
  const key = await page.locator(".one-line code").textContent();
  assert.deepEqual([await status(old), await status(key)], [200, 200]);
  await page.getByRole("button", { name: "I have copied the key" }).click();
  await page
    .getByRole("row", { name: /Billing.*Being replaced/ })
    .getByRole("button", { name: /Revoke/ })
    .click();
  const revoke = page.getByRole("button", { name: "Revoke the key" });
  assert.ok(await revoke.isDisabled(), "before the label is typed");
  await page.getByLabel("Type the label to confirm").fill("Billing");
  await revoke.click();
  await page.getByText("1 revoked or expired key").waitFor();
  assert.deepEqual([await status(old), await status(key)], [401, 200]);
  await close();
});

test("the list of deliveries follows what happens, and nothing jumps", async () => {
  const [{ page, context, close }, hooks] = [await visitor("lena"), await receiver()];
  await subscribe("lena", hooks.url);
  await publish("lena", "invoice.paid");
  let streams = 0;
  context.on("request", (request) => (streams += request.url().endsWith("/stream")));
  await page.goto("/console/deliveries");
  await page.getByRole("row", { name: /invoice\.paid.*Delivered/ }).waitFor();
  await page.getByText("Live: the list follows each attempt.").waitFor();
  const second = await context.newPage();
  await second.goto("/console/deliveries");
  await second.getByRole("row", { name: /invoice\.paid/ }).waitFor();
  await publish("lena", "invoice.void");
  for (const one of [page, second]) {
    await one.getByRole("button", { name: "Show 1 new delivery" }).waitFor();
    assert.equal(await one.getByRole("row", { name: /invoice\.void/ }).count(), 0, "before the reader calls for it");
    await one.getByRole("button", { name: "Show 1 new delivery" }).click();
    await one.getByRole("row", { name: /invoice\.void.*Delivered/ }).waitFor();
  }
  assert.equal(streams, 1, "the tabs share one stream");
  await page.close();
  await second.getByLabel("Event type").pressSequentially("invoice.l");
  await publish("lena", "invoice.late");
  await second.getByRole("button", { name: "Show 1 new delivery" }).waitFor();
  assert.equal(streams, 2, "the other tab takes over");
  assert.equal(await second.getByLabel("Event type").inputValue(), "invoice.l", "what is typed stays");
  hooks.close();
  await close();
});

test("a subscription gets a rate, a header and a token, and keeps what is not typed again", async () => {
  const [{ page, close }, hooks] = [await visitor("tara", { failures: [400] }), await receiver()];
  await page.goto("/console/subscriptions");
  await page.getByRole("button", { name: "New subscription" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill(hooks.url);
  await dialog.getByText("Advanced").click();
  await dialog.getByLabel("Headers").fill("X-Tenant: 42\nx-time: 12:30");
  await dialog.getByLabel("Authentication").selectOption("A bearer token");
  await dialog.getByLabel("Token").fill("0f1e2d3c");
  await dialog.getByLabel("Most deliveries per second").fill("5000");
  await dialog.getByRole("button", { name: "Test the URL" }).click();
  await dialog.getByText("Delivered: the receiver answered 204").waitFor();
  const sent = ({ headers }) => [headers["x-tenant"], headers["x-time"], headers.authorization];
  assert.deepEqual(sent(hooks.requests[0]), ["42", "12:30", "Bearer 0f1e2d3c"]);
  await dialog.getByRole("button", { name: "Subscribe" }).click();
  await dialog.getByText("must be a number from 0.1 to 1000").waitFor();
  await dialog.getByLabel("Most deliveries per second").fill("0,5");
  await dialog.getByRole("button", { name: "Subscribe" }).click();
  await page.getByRole("dialog", { name: "Your new subscription" }).waitFor();
  await page.getByRole("button", { name: "I have copied the secret" }).click();
  await page.getByRole("link", { name: hooks.url }).click();
  await page.getByText("0.5 a second").waitFor();

  await page.getByRole("button", { name: "Edit" }).click();
  assert.equal(await dialog.getByLabel("Headers").inputValue(), "x-tenant\nx-time\n", "values are secret");
  await dialog.getByLabel("Headers").fill("x-tenant\nx-more: 1");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send a test event" }).click();
  await eventually("the test comes", () => hooks.requests.length === 2);
  const { headers } = hooks.requests[1];
  assert.deepEqual([...sent(hooks.requests[1]), headers["x-more"]], ["42", undefined, "Bearer 0f1e2d3c", "1"]);

  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Authentication").selectOption("None");
  await dialog.getByLabel("Most deliveries per second").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const [{ auth, maxPerSecond }] = (await api("tara", "GET", "/api/webhooks/subscriptions")).subscriptions;
  assert.deepEqual([auth, maxPerSecond], [undefined, undefined]);
  hooks.close();
  await close();
});

test("a URL is tested before it is saved", async () => {
  const [{ page, close }, hooks] = [await visitor("theo", { failures: [400] }), await receiver(500)];
  await page.goto("/console/subscriptions");
  await page.getByRole("button", { name: "New subscription" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill("ftp://example.com");
  await dialog.getByRole("button", { name: "Test the URL" }).click();
  await eventually(
    "the fault is beside the field",
    async () => (await dialog.getByLabel("URL").getAttribute("aria-invalid")) === "true",
  );
  await dialog.getByLabel("URL").fill(hooks.url);
  await dialog.getByRole("button", { name: "Test the URL" }).click();
  await dialog.getByText("The receiver answered with an error status. (500)").waitFor();
  await dialog.getByText("the ledger is closed").waitFor();
  hooks.status = 204;
  await dialog.getByRole("button", { name: "Test the URL" }).click();
  await dialog.getByText("Delivered: the receiver answered 204").waitFor();
  assert.equal(hooks.requests.length, 2, "one request for each test");
  await dialog.getByLabel("URL").fill(`${hooks.url}/other`);
  await dialog.getByText("Delivered: the receiver answered 204").waitFor({ state: "detached" });

  await dialog.getByText("Advanced").click();
  const rate = dialog.getByLabel("Most deliveries per second");
  await rate.fill("5");
  await rate.fill("");
  assert.ok(await rate.isVisible(), "the section stays open while its field is edited");
  await dialog.getByLabel("Authentication").selectOption({ label: "A header" });
  await dialog.getByLabel("Name of the header").fill("x-token");
  await dialog.getByLabel("Value of the header").fill("é");
  await dialog.getByRole("button", { name: "Test the URL" }).click();
  const isInvalid = async (label) => (await dialog.getByLabel(label).getAttribute("aria-invalid")) === "true";
  await eventually("the fault is beside the value", () => isInvalid("Value of the header"));
  assert.ok(!(await isInvalid("Name of the header")));

  const value = dialog.getByLabel("Value of the header");
  await value.press("End");
  await value.press("a");
  await eventually("the fault is gone", async () => !(await isInvalid("Value of the header")));
  assert.ok(await value.evaluate((one) => one === document.activeElement), "the section stays open");
  await value.fill("a");
  await rate.fill("0.01");
  await dialog.getByRole("button", { name: "Subscribe", exact: true }).click();
  await eventually("the fault of the other command", () => isInvalid("Most deliveries per second"));
  await value.fill("é");
  await dialog.getByRole("button", { name: "Test the URL" }).click();
  await eventually("the fault of the last command", () => isInvalid("Value of the header"));
  await dialog.getByRole("button", { name: "Subscribe", exact: true }).click();
  await eventually("its fault again", () => isInvalid("Most deliveries per second"));
  assert.deepEqual((await api("theo", "GET", "/api/webhooks/subscriptions")).subscriptions, [], "nothing is saved");
  hooks.close();
  await close();
});

test("the page checks a signature with a secret that stays in it", async () => {
  const [{ page, close }, hooks] = [await visitor("vera"), await receiver()];
  const { secret } = await subscribe("vera", hooks.url);
  // A parser would change these bytes: the number, the order of the members, and the escapes.
  const data = '{"total":12.50,"2":"é","1":"\\\\u00e9, \\"payload\\":{"}';
  const response = await fetch(`${BASE}/api/operator/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.OPERATOR_TOKEN}`, "content-type": "application/json" },
    body: `{"userId":"vera","type":"invoice.paid","data":${data}}`,
  });
  assert.equal(response.status, 202);
  // The page follows a delivery that is open: then it would read while the test listens.
  await attempted("vera", 1);
  const [{ headers }] = hooks.requests;
  await page.goto("/console/deliveries");
  await page.getByRole("link", { name: "invoice.paid" }).click();
  await page.getByText("Verify the signature").click();
  await page.getByRole("heading", { name: "The signed content" }).waitFor();
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.getByLabel("webhook-timestamp").fill(headers["webhook-timestamp"]);
  await page.getByLabel("webhook-signature").fill(headers["webhook-signature"]);
  await page.getByLabel("Secret or public key").fill("whsec_!");
  await page.getByText("This is not a secret").waitFor();
  await page.getByLabel("Secret or public key").fill(secret);
  await page.getByText("The signature is right:").waitFor();
  await page.getByLabel("webhook-timestamp").fill("1");
  await page.getByText("No signature matches.").waitFor();
  assert.deepEqual(
    requests.filter((url) => !url.endsWith("/stream")),
    [],
    "nothing is sent",
  );
  hooks.close();
  await close();
});

test("the page checks a signature of a key pair with the public key of the subscription", async () => {
  const [{ page, close }, hooks] = [await visitor("vito"), await receiver()];
  const { subscription } = await subscribe("vito", hooks.url, { signing: "ed25519" });
  const [publicKey] = subscription.publicKeys;
  await publish("vito", "invoice.paid", { text: "grüß" });
  await attempted("vito", 1);
  const [{ headers, body }] = hooks.requests;
  await page.goto("/console/deliveries");
  await page.getByRole("link", { name: "invoice.paid" }).click();
  await page.getByText("Verify the signature").click();
  await page.getByLabel("webhook-timestamp").fill(headers["webhook-timestamp"]);
  await page.getByLabel("webhook-signature").fill(headers["webhook-signature"]);
  const given = page.getByLabel("Secret or public key");
  await eventually("the public key", async () => (await given.inputValue()) === publicKey);
  await page.getByText("The signature is right: the private key").waitFor();
  const forged = createHmac("sha256", publicKey)
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
    .digest("base64");
  await page.getByLabel("webhook-signature").fill(`v1,${forged}`);
  await page.getByText("No signature v1a matches.").waitFor();
  await page.getByLabel("Secret or public key").fill("whpk_AAAA");
  await page.getByText("This is not a public key").waitFor();
  const curl = await copied(page, "Copy as curl, not signed");
  await promisify(execFile)("sh", ["-c", curl]);
  const last = hooks.requests.findLast(({ headers }) => headers["user-agent"].startsWith("curl/"));
  assert.deepEqual([JSON.parse(last.body).data, last.headers["webhook-signature"]], [{ text: "grüß" }, undefined]);
  assert.ok(!curl.includes("whsec_"), curl);
  await page.goto(`/console/subscriptions/${subscription.id}`);
  await page.getByRole("button", { name: "Rotate the key…" }).click();
  await page.getByRole("heading", { name: "Rotate the signing key" }).waitFor();
  hooks.close();
  await close();
});

test("the palette leads to every screen and presses the buttons of this one", async () => {
  const { page, close } = await visitor("paula");
  const opener = page.getByRole("link", { name: "Subscriptions", exact: true });
  await opener.focus();
  await page.keyboard.press("Control+k");
  const search = page.getByRole("combobox", { name: "Screen or action" });
  await search.waitFor();
  assert.ok(await search.evaluate((one) => one === document.activeElement), "the field has the focus");
  await page.keyboard.press("Escape");
  await eventually("the focus returns", () => opener.evaluate((one) => one === document.activeElement));
  await page.keyboard.press("Control+k");
  await search.pressSequentially("audit");
  assert.equal(await page.getByRole("option").count(), 1);
  await page.keyboard.press("Enter");
  await page.waitForURL(/console\/audit/);
  await page.keyboard.press("Control+k");
  await search.pressSequentially("no such thing");
  await page.getByText("Nothing has these letters.").waitFor();
  await search.fill("key");
  await page.keyboard.press("Enter");
  await page.waitForURL(/console\/keys/);
  await page.getByText("You have no active key").waitFor();
  await page.keyboard.press("Control+k");
  await search.pressSequentially("new");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "New API key" }).waitFor();
  await close();
});

test("what failed for one cause is sent again with one button", async () => {
  const [{ page, close }, hooks] = [await visitor("greta"), await receiver(500)];
  const { subscription } = await subscribe("greta", hooks.url);
  await publish("greta", "invoice.paid");
  await publish("greta", "invoice.void");
  const path = `/api/webhooks/subscriptions/${subscription.id}`;
  await attempted("greta", 2);
  await page.goto("/console/deliveries");
  await page.getByText("Live: the list follows each attempt.").waitFor();
  await api("greta", "PATCH", path, { enabled: false });
  await api("greta", "PATCH", path, { enabled: true });
  await page.reload();
  const group = page.getByRole("region", { name: "Failed, by cause" }).getByRole("listitem");
  await group.getByText(`2 × 500 from ${new URL(hooks.url).host}/hooks`).waitFor();
  hooks.status = 204;
  await group.getByRole("button", { name: "Send 2 deliveries again" }).click();
  await page.getByRole("row", { name: /invoice\.void.*Delivered/ }).waitFor();
  await page.getByRole("row", { name: /invoice\.paid.*Delivered/ }).waitFor();
  await eventually("the group is gone", async () => (await group.count()) === 0);
  hooks.close();
  await close();
});

test("a list that cannot keep up says so, and leads through the gap", async () => {
  const [{ page, close }, hooks] = [await visitor("gustav"), await receiver()];
  await subscribe("gustav", hooks.url);
  await publish("gustav", "order.first");
  await page.goto("/console/deliveries");
  await page.getByRole("row", { name: /order\.first.*Delivered/ }).waitFor();
  await page.getByText("Live: the list follows each attempt.").waitFor();
  await publishBatch("gustav", "order.paid", 120);
  await page.getByRole("button", { name: "Show more than 50 new deliveries" }).click();
  await eventually("the newest", async () => (await page.locator("tbody tr").count()) === 50);
  for (const rows of [100, 121]) {
    await page.getByRole("button", { name: "Show more", exact: true }).click();
    await eventually(`${rows} rows`, async () => (await page.locator("tbody tr").count()) === rows);
  }
  await page.getByRole("row", { name: /order\.first/ }).waitFor();
  hooks.close();
  await close();
});

test("the address holds the filter, and pages follow each other", async () => {
  const [{ page, close }, hooks] = [await visitor("filip"), await receiver()];
  await subscribe("filip", hooks.url);
  for (let number = 0; number < 60; number += 1) await publish("filip", number % 2 ? "order.paid" : "order.sent");
  await attempted("filip", 60);
  await page.goto("/console/deliveries");
  await eventually("a page of rows", async () => (await page.locator("tbody tr").count()) === 50);
  await page.getByRole("button", { name: "Show more" }).click();
  await eventually("all rows", async () => (await page.locator("tbody tr").count()) === 60);
  await page.route(/state=waiting/, delayed(1500));
  await page.getByLabel("State").selectOption("Waiting");
  await page.getByLabel("State").selectOption("Delivered");
  await eventually("the rows of the last filter", async () => (await page.locator("tbody tr").count()) === 50);
  await page.getByLabel("State").selectOption("Any state");
  await page.getByLabel("Event type").fill("order.paid");
  await page.keyboard.press("Enter");
  await eventually("the filtered rows", async () => (await page.locator("tbody tr").count()) === 30);
  assert.equal(new URL(page.url()).search, "?eventType=order.paid");
  await page.getByLabel("State").selectOption("Failed");
  await page.getByText("No delivery matches").waitFor();
  await page.reload();
  await page.getByText("No delivery matches").waitFor();
  assert.equal(await page.getByLabel("State").inputValue(), "failed");
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await eventually("a page of rows", async () => (await page.locator("tbody tr").count()) === 50);
  assert.equal(await page.getByLabel("Event type").inputValue(), "", "the field is clear, too");
  hooks.close();
  await close();
});

test("a delivery is shown with its attempts, and sent again from a terminal", async () => {
  const [{ page, close }, hooks] = [await visitor("dora"), await receiver(500)];
  const { subscription, secret } = await subscribe("dora", hooks.url);
  await publish("dora", "invoice.paid", { note: "it's “paid”" });
  await page.goto(`/console/subscriptions/${subscription.id}`);
  await page.getByText("The receiver answered with an error status.").first().waitFor();
  await page.getByRole("link", { name: "invoice.paid" }).click();
  const first = page.locator(".attempts li", { hasText: "Attempt 1" });
  await first.getByText("The answer's body").click();
  await first.getByText("the ledger is closed").waitFor();
  await first.getByText("The answer's headers").click();
  await first.getByText("x-request-id: req_1").waitFor();
  await first.getByText("The headers of the event").click();
  await first.getByText(`webhook-id: ${hooks.requests[0].headers["webhook-id"]}`).waitFor();
  const curl = await copied(page, "Copy as curl");
  await promisify(execFile)("sh", ["-c", curl.replace("whsec_...", secret)]);
  const last = hooks.requests.findLast(({ headers }) => headers["user-agent"].startsWith("curl/"));
  assert.ok(isSigned(last, secret), last.body);
  assert.equal(JSON.parse(last.body).data.note, "it's “paid”");
  await page.getByRole("button", { name: "Cancel the delivery" }).click();
  await page.getByText("Somebody cancelled the delivery.").waitFor();
  await page.getByText("The delivery is cancelled.").waitFor({ state: "attached" });
  hooks.close();
  await close();
});

test("a subscription is edited, disabled, recovered and deleted, and its secret rotated", async () => {
  const [{ page, close }, hooks] = [await visitor("sam", { failures: [400] }), await receiver()];
  const { subscription, secret: old } = await subscribe("sam", hooks.url);
  await page.goto(`/console/subscriptions/${subscription.id}`);
  await page.getByRole("button", { name: "Edit…" }).click();
  await page.getByLabel("Description").fill("The ledger");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The ledger").waitFor();
  await page.getByRole("button", { name: "Rotate the secret…" }).click();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  const secret = await page.locator(".one-line code").textContent();
  await page.getByRole("button", { name: "I have copied the secret" }).click();
  hooks.status = 500;
  await publish("sam", "invoice.paid");
  await eventually("the webhook", () => hooks.requests.length > 0);
  assert.ok(isSigned(hooks.requests[0], old) && isSigned(hooks.requests[0], secret), "both secrets sign");
  await attempted("sam", 1);
  await page.getByRole("button", { name: "Disable…" }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByText("It was disabled by hand.").waitFor();
  await publish("sam", "invoice.paid");
  hooks.status = 204;
  await page.getByRole("button", { name: "Enable", exact: true }).click();
  await page.getByText(/^1 event was published while this was off/).waitFor();
  await page.getByRole("button", { name: "Send them" }).click();
  await eventually("what was missed", () => hooks.requests.length > 1);
  await page.getByRole("button", { name: "Disable…" }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByText("It was disabled by hand.").waitFor();
  await publish("sam", "invoice.paid");
  await page.getByRole("button", { name: "Recover…" }).click();
  await page.getByText(/^2 deliveries come back/).waitFor();
  const types = page.getByLabel("Types");
  await types.fill("order.* in voice!");
  await page.getByRole("button", { name: "Recover", exact: true }).click();
  await page.getByText("“voice!”").waitFor();
  await types.fill("order.*");
  await types.press("Tab");
  await page.getByText(/^Nothing of this time failed/).waitFor();
  await types.fill("invoice.*");
  await types.press("Tab");
  await page.getByText(/^2 deliveries come back/).waitFor();
  await page.getByRole("button", { name: "Recover", exact: true }).click();
  await page.getByText("2 deliveries are due now.").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await eventually("the delivery", () => hooks.requests.length > 3);
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type the word “delete” to confirm").fill("delete");
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByText("You have no subscription").waitFor();
  hooks.close();
  await close();
});

test("an error says what to do, and the screen recovers", async () => {
  const { page, context, close } = await visitor("erin", { failures: [503, 400] });
  const recover = await handle(page, "**/api/api-keys", (route) => route.fulfill(UNAVAILABLE));
  await page.goto("/console/keys");
  const alert = page.getByRole("alert");
  await alert.getByText("The service is temporarily unavailable").waitFor();
  await alert.getByText("4bf92f3577b34da6a3ce929d0e0e4736").waitFor();
  const cure = await context.newPage();
  await cure.goto(await alert.getByRole("link", { name: "How to fix this" }).getAttribute("href"));
  await cure.getByRole("heading", { name: "Cure" }).waitFor();
  recover();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("You have no active key").waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("alert").waitFor();
  const described = await page.getByLabel("Label").getAttribute("aria-describedby");
  await page.locator(`#${described.split(" ")[1]}`).waitFor();
  await close();
});

test("a session that ends leads to the sign-in, and back to the same screen", async () => {
  const { page, close } = await visitor("eva", { failures: [401] });
  await page.goto("/console/deliveries?state=failed");
  const deliveries = page.getByText("Nothing was sent yet").or(page.getByText("No delivery matches"));
  await deliveries.waitFor();
  await api("eva", "DELETE", "/api/sessions");
  await leadsToTheSignIn(page, "Keys");
  const { pathname, search } = new URL(page.url());
  await signIn(page, "eva", pathname + search);
  await deliveries.or(page.getByText("You have no active key")).waitFor();
  await close();
});

/** Clicks a link after the end of the session. A page that has noticed the end already shows the sign-in, without links. */
async function leadsToTheSignIn(page, link) {
  const title = page.getByRole("heading", { name: "Sign in" });
  await page.getByRole("link", { name: link, exact: true }).or(title).first().click();
  await title.waitFor();
}

test("a user ends the session of another browser, signs out, and signs out everywhere", async () => {
  const [here, there] = [await visitor("olga", { failures: [401] }), await visitor("olga", { failures: [401] })];
  await here.page.goto("/console/sessions");
  await eventually("both sessions", async () => (await here.page.locator("tbody tr").count()) === 2);
  await here.page.getByRole("button", { name: /^End the session/ }).click();
  await eventually("one session", async () => (await here.page.locator("tbody tr").count()) === 1);
  await leadsToTheSignIn(there.page, "Keys");
  await here.page.getByRole("button", { name: "Sign out", exact: true }).click();
  await here.page.getByRole("heading", { name: "You are signed out" }).waitFor();
  assert.deepEqual((await api("olga", "GET", "/api/sessions")).sessions, []);
  await signIn(here.page, "olga", "/console/sessions");
  await signIn(there.page, "olga");
  await here.page.getByRole("button", { name: "Sign out everywhere…" }).click();
  await here.page.getByRole("button", { name: "Sign out everywhere", exact: true }).click();
  await here.page.getByRole("heading", { name: "You are signed out" }).waitFor();
  assert.deepEqual((await api("olga", "GET", "/api/sessions")).sessions, []);
  await here.close();
  await there.close();
});

test("the audit log says who changed a key, and follows one key", async () => {
  const { page, close } = await visitor("ava");
  const created = await api("ava", "POST", "/api/api-keys", { label: "CI deploy" });
  await api("ava", "POST", "/api/api-keys", { label: "Other" });
  await api("ava", "DELETE", "/api/api-keys", { keyId: created.keyId });
  await page.goto("/console/audit");
  await page.getByRole("rowheader", { name: /^Key revoked/ }).waitFor();
  await page.getByText("Label: CI deploy").waitFor();
  assert.match(await page.locator("tbody tr").first().textContent(), /avawith an ID token127\.0\.0\.1/);
  await page.getByRole("button", { name: "CI deploy", exact: true }).first().click();
  await eventually("one key", async () => (await page.locator("tbody tr").count()) === 2);
  await page.getByLabel("Action").selectOption("key.created");
  await eventually("one event", async () => (await page.locator("tbody tr").count()) === 1);
  assert.equal(new URL(page.url()).searchParams.get("target"), created.keyId);
  await page.getByRole("button", { name: "Show everything" }).click();
  await page.getByText("Label: Other").waitFor();
  await close();
});

test("a tab that was left open shows nothing of the user before", async () => {
  const { page, context, close } = await visitor("una", { failures: [401] });
  await api("una", "POST", "/api/api-keys", { label: "Una's key" });
  await page.goto("/console/keys");
  await page.getByRole("rowheader", { name: "Una's key" }).waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Label").fill("Una's next key");
  page.on("dialog", (question) => question.dismiss());
  const other = await context.newPage();
  await other.goto("/console/");
  await other.getByRole("button", { name: "Sign out", exact: true }).click();
  await other.getByRole("heading", { name: "You are signed out" }).waitFor();
  await signIn(other, "vera");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.getByText("Signed in as vera").waitFor();
  await page.getByText("You have no active key").waitFor();
  assert.ok(!(await page.content()).includes("Una's"));
  await close();
});

test("a page that was open during an upgrade asks to be loaded again", async () => {
  const { page, close } = await visitor("uma", { failures: [404] });
  const end = await handle(page, "**/screens/keys.js", (route) => route.fulfill({ status: 404 }));
  await page.goto("/console/");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "Reload this page" }).waitFor();
  end();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText("You have no active key").waitFor();
  await page.route("**/app.js", (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await page.getByText("If nothing follows, reload the page.").waitFor();
  await close();
});

test("addresses that lead nowhere, and browsers without JavaScript, get plain words", async () => {
  const { page, close } = await visitor("nora");
  await page.goto("/console/nowhere");
  await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
  await page.getByRole("link", { name: "Go to the start page" }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await page.goto("/console/signed-out");
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await close();
  const plain = await visitor(undefined, { javaScriptEnabled: false });
  await plain.page.goto("/console/keys");
  await plain.page.getByRole("heading", { name: "The console needs JavaScript" }).waitFor();
  await plain.close();
});

test("a link of the host application opens the console once, and the address keeps no code", async () => {
  const returnUrl = "https://app.example/settings";
  const { url } = await portalLink({ userId: "vera", returnUrl });
  const { page, context, close } = await visitor(undefined);
  await page.goto(url);
  await page.waitForURL(`${BASE}/console/`);
  await page.getByText("Signed in as vera").waitFor();
  assert.equal(await page.getByRole("link", { name: "Go back" }).getAttribute("href"), returnUrl);
  assert.equal(await page.locator(".brand svg").count(), 0, "visitors do not see our mark");
  const [cookie] = (await context.cookies()).filter(({ name }) => name === "gatepost-session");
  assert.ok(cookie.httpOnly && cookie.sameSite === "Strict", JSON.stringify(cookie));
  await close();
  const late = await visitor(undefined, { failures: [410] });
  await late.page.goto(url);
  await late.page.getByRole("heading", { name: "This link does not work any more" }).waitFor();
  assert.equal(late.page.url(), `${BASE}/console/portal`);
  await late.close();
});

test("a visitor sees what the link allows, and nothing else", async () => {
  const { page, close } = await visitor(undefined);
  await subscribe("vic", "http://127.0.0.1:9000/hooks");
  await page.goto((await portalLink({ userId: "vic", capabilities: ["webhooks:read"] })).url);
  await page.getByText("Everything works.").waitFor();
  const screens = await page.locator("nav a").allTextContents();
  assert.deepEqual(
    screens.map((name) => name.trim()),
    ["Home", "Subscriptions", "Deliveries"],
  );
  await page.getByRole("link", { name: "Subscriptions", exact: true }).click();
  await page.getByRole("link", { name: "http://127.0.0.1:9000/hooks" }).click();
  await page.getByRole("heading", { name: "Last deliveries" }).waitFor();
  assert.deepEqual(await page.locator("main button").allTextContents(), [], "there is nothing to change");
  await close();
});

test("letters are for the palette as soon as it is called, and a part that cannot be loaded says so", async () => {
  const { page, context } = await visitor("ivy");
  await page.goto("/console/keys");
  await page.getByRole("button", { name: "New key" }).waitFor();
  await page.route("**/lib/palette.js", delayed(500));
  await press(page, "Control+k", "n", "e", "w");
  await page.getByRole("combobox", { name: "Screen or action" }).waitFor();
  assert.deepEqual(await page.getByRole("heading", { name: "New API key" }).all(), [], "no shortcut of the page");
  await page.keyboard.press("Escape");
  await page.route("**/lib/palette.js", (route) => route.fulfill({ status: 200, contentType: "text/plain", body: "" }));
  await page.goto("/console/keys");
  await page.getByRole("button", { name: "New key" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByText("The server has a new version of the console").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await page.getByRole("heading", { name: "New API key" }).waitFor();
  // A module that cannot be loaded is an error in the log of the browser.
  await context.close();
});

test("the first screen needs less than 60 KB over the wire", async (t) => {
  const { page, close } = await visitor("fay");
  // Answers to the page of the sign-in do not count.
  await page.goto("about:blank");
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  await client.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  const start = performance.now();
  await page.goto("/console/");
  await page.getByRole("heading", { name: "First steps" }).waitFor();
  t.diagnostic(`${bytes} bytes, ${Math.round(performance.now() - start)} ms`);
  assert.ok(bytes > 10_000 && bytes < 60_000, `${bytes} bytes`);
  await close();
});

const status = async (key) => (await fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": key } })).status;

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/** The name of the element with the focus, which must be visible. */
async function focused(page) {
  const { name, outline } = await page.evaluate(() => {
    const element = document.activeElement;
    if (!element?.matches("a, button, input, select, summary, tr")) return { name: "", outline: "" };
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element.textContent;
    return { name: (label ?? "").trim(), outline: getComputedStyle(element).outlineStyle };
  });
  assert.notEqual(outline, "none", `the focus on “${name}” is invisible`);
  return name;
}

async function tabTo(page, name) {
  for (let count = 0; count < 40; count += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach “${name}”`);
}

test("charts count what happened, in a drawing, in words and in a table", async () => {
  const [{ page, close }, hooks] = [await visitor("carl"), await receiver()];
  const { key, keyId } = await api("carl", "POST", "/api/api-keys", { label: "Counted" });
  const present = () => fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": key } });
  for (let call = 0; call < 3; call += 1) assert.equal((await present()).status, 200);
  await api("carl", "DELETE", "/api/api-keys", { keyId });
  for (let call = 0; call < 2; call += 1) assert.equal((await present()).status, 401);
  const { subscription } = await subscribe("carl", hooks.url);
  const counted = async (path) => (await api("carl", "GET", path)).total;
  for (let event = 0; event < 3; event += 1) await publish("carl", "invoice.paid");
  await eventually("deliveries", async () => (await counted("/api/webhooks/outcomes")).delivered === 3);
  // Asks for no more webhooks, so that the attempt is not repeated.
  hooks.status = 410;
  await publish("carl", "invoice.paid");
  await eventually("a failure", async () => (await counted("/api/webhooks/outcomes")).exhausted === 1);
  await eventually("refusals", async () => (await counted(`/api/api-keys/${keyId}/usage`)).refused === 2);

  const finding = "75.0 % of the attempts in the last 24 hours were delivered: 3 of 4. 1 delivery has failed for good.";
  for (const path of ["/console/", `/console/subscriptions/${subscription.id}`]) {
    await page.goto(path);
    await page.getByRole("img", { name: finding }).waitFor();
    assert.equal(await page.locator(".chart g").count(), 24, "one bar for each hour");
    await page.getByText("Show as table").click();
    // The hour may have ended by now.
    const rows = await page.locator(".chart tbody tr").all();
    const cells = await Promise.all(rows.map((row) => row.locator("td").allInnerTexts()));
    const sums = cells.reduce((sum, row) => sum.map((count, at) => count + Number(row[at])), [0, 0, 0]);
    assert.deepEqual(sums, [3, 0, 1]);
  }
  await page.getByText(/^[\d.]+ m?s p50: half of the attempts took at most this long/).waitFor();
  const used = await api("carl", "POST", "/api/api-keys", { label: "In use" });
  for (let call = 0; call < 2; call += 1) await fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": used.key } });
  await api("carl", "POST", "/api/api-keys", { label: "Spare" });
  await eventually("uses", async () => (await counted(`/api/api-keys/${used.keyId}/usage`)).accepted === 2);
  await page.goto("/console/keys");
  await page
    .getByRole("row", { name: /In use/ })
    .getByRole("img", { name: "2 uses in 30 days, at most 2 on one of them" })
    .waitFor();
  await page.getByRole("row", { name: /Spare/ }).getByText("no use").waitFor();
  await page.getByText("1 revoked or expired key").click();
  await page.getByRole("link", { name: "Counted" }).click();
  await page
    .getByRole("img", { name: "Requests with this key in the last 24 hours: 3 accepted, 2 refused." })
    .waitFor();
  await page.getByLabel("Period").selectOption("720");
  await page.getByRole("img", { name: "Requests with this key in the last 30 days: 3 accepted, 2 refused." }).waitFor();
  assert.equal(await page.locator(".chart g").count(), 30, "one bar for each day");
  hooks.close();
  await close();
});

test("Home counts deliveries by the end of their attempts, as its chart does", async () => {
  const { page, close } = await visitor("ines");
  await subscribe("ines", "http://127.0.0.1:9000/hooks");
  const counts = { delivered: 1, retried: 0, exhausted: 9 };
  const hours = [{ start: new Date().toISOString(), ...counts }];
  await page.route("**/api/webhooks/outcomes*", (route) => route.fulfill({ json: { total: counts, hours } }));
  const failures = [{ subscriptionId: "sub_1", error: "dns", status: null, deliveries: 9 }];
  await page.route("**/api/webhooks/failures", (route) => route.fulfill({ json: { failures, isComplete: true } }));
  await page.goto("/console/");
  await page.getByRole("img", { name: /9 deliveries have failed for good\.$/ }).waitFor();
  const figure = page.getByRole("link", { name: "9 deliveries failed for good in 24 hours" });
  assert.equal(await figure.getAttribute("href"), "/console/deliveries?state=failed");
  await page.getByText("9 deliveries have failed for good in the last 24 hours.").waitFor();
  assert.ok(!(await page.getByText("Everything works.").isVisible()));
  // They were sent again since. A search for one that is still failed may end before the last page.
  failures.pop();
  await page.route("**/api/webhooks/deliveries?*", (route) =>
    route.fulfill({ json: { deliveries: [], nextCursor: "later" } }),
  );
  await page.reload();
  await page.getByText("Everything works.").waitFor();
  await close();
});

test("of more than two hundred subscriptions, Home says that it knows the newest, and the list shows more", async () => {
  const { page, close } = await visitor("ivan");
  const all = listed(201, 200);
  await page.route("**/api/webhooks/subscriptions?*", (route) => {
    const isSecond = new URL(route.request().url()).searchParams.has("cursor");
    const first = { subscriptions: all.slice(0, 200), nextCursor: "more" };
    return route.fulfill({ json: isSecond ? { subscriptions: all.slice(200) } : first });
  });
  await page.goto("/console/");
  await page.getByRole("link", { name: "200+ enabled subscriptions" }).waitFor();
  await page.getByRole("link", { name: "0+ failing receivers" }).waitFor();
  await page.getByText("The newest 200 subscriptions have no problem.").waitFor();
  await page.getByRole("link", { name: "Subscriptions", exact: true }).click();
  await page.getByLabel("Search").fill("receiver-200.");
  await page.getByText("No subscription matches").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByText("1 of 201").waitFor();
  await page.getByRole("row", { name: /receiver-200\.example.*Failing/ }).waitFor();
  await close();
});
