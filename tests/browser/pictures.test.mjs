// Takes the pictures of the documentation: `PICTURES=1 cargo nextest run -p tests browser::pictures` writes them.

import { writeFile } from "node:fs/promises";
import { after, test } from "node:test";
import { api, BASE, browser, eventually, publish, receiver, subscribe, visitor } from "./harness.mjs";

after(() => browser.close());

const FOLDER = new URL("../../docs/images/", import.meta.url).pathname;
/** The URLs that the pictures show for the receivers. */
const PLACES = { good: "https://hooks.acme.example/gatepost", bad: "https://ledger.acme.example/events" };

const receivers = { good: await receiver(204), bad: await receiver(500) };

test("pictures", async () => {
  const { page, close } = await visitor("alice", { viewport: { width: 1280, height: 620 } });
  await fill(receivers);
  await inOtherPlaces(page);
  await picture(page, "console-home", "/console/", page.getByText("failing"));
  await picture(page, "console-keys", "/console/keys", page.getByText("Billing export"));
  await picture(page, "console-deliveries", "/console/deliveries", page.getByText("Live: the list follows"));
  await page
    .getByRole("row", { name: /ledger\.acme/ })
    .first()
    .getByRole("link")
    .click();
  await page.getByText("Attempt 1").waitFor();
  await take(page, "console-delivery");
  await page.goto(`${BASE}/console/keys`);
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Label").fill("Staging");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Check it" }).click();
  await page.getByText("200: the key works.").waitFor();
  await page.setViewportSize({ width: 1280, height: 760 });
  await take(page, "console-new-key");
  await close();
});

test("pictures of operators", async () => {
  const { page, close } = await visitor("operator", { viewport: { width: 1280, height: 760 } });
  await inOtherPlaces(page);
  await page.goto("/console/operator");
  // Rates need two readings, and the queue is read every ten seconds.
  await page.getByText("The receiver answered with an error status.").waitFor();
  await eventually("the figures", async () => !(await page.locator(".figures").textContent()).includes("–"));
  await take(page, "console-operator");
  const [first] = (await api("alice", "GET", "/api/webhooks/subscriptions")).subscriptions;
  for (const enabled of [false, true])
    await api("alice", "PATCH", `/api/webhooks/subscriptions/${first.id}`, { enabled });
  await page.goto("/console/operator/users/alice?tab=deliveries");
  await page.getByText("Failed, by cause").waitFor();
  await page
    .getByRole("row", { name: /invoice/ })
    .first()
    .waitFor();
  await take(page, "console-operator-user");
  await close();
});

/** Shows the receivers at these URLs. The stream never ends, so it cannot be read as a whole. */
const inOtherPlaces = (page) =>
  page.route(/\/api\/(webhooks|operator)\/(?!.*stream)/, async (route) => {
    const response = await route.fetch();
    const named = Object.entries(receivers).flatMap(([name, { url }]) => [
      [url, PLACES[name]],
      [new URL(url).origin, new URL(PLACES[name]).origin],
    ]);
    const body = named.reduce((text, [from, to]) => text.replaceAll(from, to), await response.text());
    await route.fulfill({ response, body });
  });

async function fill({ good, bad }) {
  const make = (label, more) => api("alice", "POST", "/api/api-keys", { label, ...more });
  const { key } = await make("CI deploy");
  await fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": key } });
  await make("Billing export", { scopes: ["invoices:read", "orders:read"] });
  const { keyId } = await make("Ada's laptop", { expiresAt: new Date(Date.now() + 60 * 864e5).toISOString() });
  await api("alice", "POST", `/api/api-keys/${keyId}/rotate`, { overlapSeconds: 86_400 });
  await subscribe("alice", good.url, { description: "Everything, to the message bus" });
  await subscribe("alice", bad.url, { events: ["invoice.*"], description: "Invoices, to the ledger" });
  const types = [
    "customer.created",
    "invoice.created",
    "order.sent",
    "invoice.paid",
    "payout.done",
    "order.sent",
    "invoice.void",
  ];
  for (const [number, type] of types.entries())
    await publish("alice", type, { id: `obj_${number}`, amount: 4200 + number, currency: "EUR" });
  await eventually("the attempts", () => good.requests.length >= 7 && bad.requests.length >= 3);
}

async function picture(page, name, path, sign) {
  await page.goto(path);
  await sign.first().waitFor();
  await eventually("the screen has loaded", async () => (await page.locator(".loading").count()) === 0);
  await take(page, name);
}

/** WebP has a quarter of the bytes of PNG. */
async function take(page, name) {
  const png = (await page.screenshot()).toString("base64");
  const drawing = await browser.newPage();
  const webp = await drawing.evaluate(async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9).split(",")[1];
  }, png);
  await drawing.close();
  await writeFile(`${FOLDER}${name}.webp`, Buffer.from(webp, "base64"));
}
