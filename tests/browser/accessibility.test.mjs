// Every screen in every state, against every rule of axe that is not experimental: WCAG 2.2 AA as far as axe can see, and
// its best practices. Light and dark, wide and narrow.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import axe from "axe-core/axe.min.js";
import { api, attempted, BASE, browser, eventually, publish, receiver, UNAVAILABLE, visitor } from "./harness.mjs";

after(() => browser.close());

/** Without `runOnly`: the tags of WCAG leave out content outside every landmark, such as an old message. */
const EVERYTHING = { rules: { "target-size": { enabled: true } } };
/** The rules about colours, which take longest. */
const COLOURS = ["color-contrast", "link-in-text-block"];
const ONLY_COLOURS = { runOnly: { type: "rule", values: COLOURS } };
const ALL_BUT_COLOURS = {
  ...EVERYTHING,
  rules: { ...EVERYTHING.rules, ...Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) },
};
/** Only colours depend on the colour scheme, and no colour depends on the width. */
const LOOKS = [
  { width: 1280, colorScheme: "light", options: EVERYTHING },
  { width: 1280, colorScheme: "dark", options: ONLY_COLOURS },
  { width: 320, colorScheme: "dark", options: ALL_BUT_COLOURS },
];

/** Each run has its own users, so that the file may run again at the same server. */
const RUN = Date.now().toString(36);
const named = (name) => `${name}-${RUN}`;

/** No screen scrolls sideways at these widths, in pixels. 640 is a window of 1280 at a zoom of 200 %. */
const WIDTHS = [320, 640, 860, 1080, 1230, 1280];

const SCREENS = ["", "keys", "subscriptions", "deliveries", "sessions", "audit", "nowhere"];

test("empty", async () => {
  const { page, close } = await visitor(named("nobody"));
  await checkScreens(page, "empty", SCREENS);
  await page.setViewportSize({ width: 1280, height: 800 });
  const excess = await page.evaluate(
    () => document.documentElement.scrollHeight - document.documentElement.clientHeight,
  );
  assert.equal(excess, 0, "a screen of two lines does not scroll");
  await close();
});

test("typical", async () => {
  const { page, close } = await visitor(named("tina"));
  const paths = await typical(named("tina"));
  await checkScreens(page, "typical", [...SCREENS.slice(0, -1), ...paths]);
  await close();
});

test("failures by cause, and a signature that is checked", async () => {
  const { page, close } = await visitor(named("faye"));
  const group = {
    subscriptionId: "sub_01h455vb4pex5vsknk084sn02q",
    url: `https://example.com/${"long-".repeat(30)}`,
    newestDeliveryId: "dlv_1",
  };
  const failures = [
    { ...group, error: "status", status: 500, deliveries: 412 },
    { ...group, error: "tls", status: null, deliveries: 3 },
    { ...group, error: null, status: null, deliveries: 1 },
  ];
  await page.route("**/api/webhooks/failures", (route) => route.fulfill({ json: { failures, isComplete: false } }));
  await open(page, "deliveries");
  await page.getByText("412 × 500").waitFor();
  await check(page, "failures by cause");
  const hooks = await receiver();
  await api(named("faye"), "POST", "/api/webhooks/subscriptions", { url: hooks.url, events: ["*"] });
  await publish(named("faye"), "invoice.paid", { text: "wide".repeat(200) });
  const { deliveries } = await eventually("the delivery", async () => {
    const list = await api(named("faye"), "GET", "/api/webhooks/deliveries");
    return list.deliveries[0]?.state === "delivered" && list;
  });
  await open(page, `deliveries/${deliveries[0].id}`);
  await page.getByText("Verify the signature").click();
  await page.getByLabel("Secret or public key").fill("a secret");
  await page.getByLabel("webhook-signature").fill("v1,wrong");
  await page.getByText("No signature matches.").waitFor();
  await check(page, "a signature that is wrong");
  hooks.close();
  await close();
});

test("a dialog is open", async () => {
  const { page, close } = await visitor(named("dan"), { failures: [400] });
  const [, subscription] = [
    await typical(named("dan")),
    (await api(named("dan"), "GET", "/api/webhooks/subscriptions")).subscriptions.at(-1),
  ];
  await checkDialogs(page, "dialog", [
    ["keys", ["New key"]],
    ["keys", [/^Rotate/]],
    ["keys", [/^Revoke/]],
    ["keys", [/^Rotate/, "Rotate the key", "Check it"]],
    ["subscriptions", ["New subscription"]],
    ["subscriptions", ["New subscription", "Subscribe"]],
    ["subscriptions", ["New subscription", "Test the URL"]],
    ...["Edit…", "Disable…", "Recover…", "Rotate the secret…", "Delete…"].map((name) => [
      `subscriptions/${subscription.id}`,
      [name],
    ]),
    ["sessions", ["Sign out everywhere…"]],
    ["", ["Keyboard"]],
    ["keys", ["Go to…"]],
  ]);
  await open(page, "subscriptions");
  await page.getByRole("button", { name: "New subscription" }).click();
  await page.getByLabel("URL", { exact: true }).fill("http://example.com/hooks");
  await page.keyboard.press("Escape");
  await page.getByText("What you typed is not saved.").waitFor();
  await check(page, "dialog with typed text");
  await close();
});

test("an error", async () => {
  const { page, close } = await visitor(named("ed"), { failures: [503] });
  await page.route(/\/api\/(?!session$)/, (route) => route.fulfill(UNAVAILABLE));
  for (const screen of [...SCREENS.slice(0, -1), "keys/key_1", "subscriptions/sub_1", "deliveries/dlv_1"]) {
    await page.goto(`/console/${screen}`);
    await page.getByRole("alert").first().waitFor();
    await check(page, `error ${screen}`);
  }
  await close();
});

test("an operator's screens, empty", async () => {
  const { page, close } = await visitor("operator", { failures: [404] });
  for (const screen of [
    "operator",
    "operator/users",
    "operator/events?type=no.such",
    "operator/audit?userId=nobody-at-all",
    ...tabs("nobody-at-all"),
    "operator/organizations/nothing-at-all?tab=account",
  ]) {
    await open(page, screen);
    await check(page, `operator, empty: ${screen}`);
  }
  await close();
});

test("an operator's screens, with what a user has", async () => {
  const { page, close } = await visitor("operator", { failures: [409] });
  const paths = (await typical(named("orla"))).filter((path) => !path.startsWith("keys/"));
  const { event } = await publish(named("orla"), "invoice.paid", { amount: 7 });
  const of = (path) => `operator/users/${named("orla")}/${path}`;
  await checkScreens(page, "operator:", [
    "operator",
    ...tabs(named("orla")),
    ...paths.map(of),
    "operator/events",
    `operator/events/${event.id}`,
    "operator/audit",
  ]);
  await checkDialogs(page, "operator, dialog:", [
    [tabs(named("orla"))[0], [/^Revoke CI deploy/]],
    [of(paths[0]), ["Recover…"]],
    [`operator/users/${named("orla")}`, ["Make a portal link…"]],
    [`operator/users/${named("orla")}`, ["Make a portal link…", "Make the link"]],
    ["operator/events", ["Publish an event…"]],
  ]);
  await close();
});

test("an operator's screens, when the database is away", async () => {
  const { page, close } = await visitor("operator", { failures: [503] });
  await page.route(/\/api\/operator\//, (route) => route.fulfill(UNAVAILABLE));
  for (const screen of [
    "operator",
    "operator/events",
    "operator/events/evt_1",
    "operator/audit",
    ...tabs("oda"),
    "operator/users/oda/subscriptions/sub_1",
    "operator/users/oda/deliveries/dlv_1",
  ]) {
    await page.goto(`/console/${screen}`);
    await page.getByRole("alert").first().waitFor();
    await page.getByText("4bf92f3577b34da6a3ce929d0e0e4736").first().waitFor();
    await check(page, `operator, error: ${screen}`);
  }
  await close();
});

test("a screen that is not allowed", async () => {
  const { page, close } = await visitor(named("una-user"));
  await open(page, "operator");
  await page.getByRole("heading", { name: "This page is for operators" }).waitFor();
  await check(page, "forbidden");
  await close();
});

test("the switcher of a member, and an organization of others", async () => {
  const { page, close } = await visitor("carol");
  for (const screen of ["keys?organization=acme", "keys", "keys?organization=initech"]) {
    await open(page, screen);
    await page.locator(".switcher summary").click();
    await check(page, `organizations: ${screen}`);
  }
  await close();
});

/** The tabs of the screen of a user. */
const tabs = (user) =>
  ["keys", "subscriptions", "deliveries", "sessions", "audit"].map((tab) => `operator/users/${user}?tab=${tab}`);

test("outside", async () => {
  const { page, close } = await visitor(undefined, { failures: [401, 404] });
  await page.goto("/console/signed-out");
  await page.getByRole("heading").waitFor();
  await check(page, "signed out");
  await page.goto("/console/keys");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await check(page, "sign in");
  await close();
});

test("pages outside the console", async () => {
  const { page, close } = await visitor(undefined, { failures: [400, 404] });
  for (const path of [
    "/docs/errors",
    "/docs/errors/credential_invalid",
    "/nowhere",
    "/console/callback",
    "/dev/oidc/authorize",
  ]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await check(page, path);
  }
  await close();
});

test("the page of the API", async () => {
  const { page, close } = await visitor(undefined);
  await page.goto("/docs");
  await page.getByRole("heading", { name: /Gatepost/ }).waitFor();
  await page.getByText("/api/webhooks/subscriptions", { exact: true }).first().waitFor();
  const bytes = await page.evaluate(() =>
    ["navigation", "resource"]
      .flatMap((type) => performance.getEntriesByType(type))
      .reduce((sum, one) => sum + one.transferSize, 0),
  );
  assert.ok(bytes > 0 && bytes < 600_000, `${bytes} bytes on the wire`);
  await check(page, "/docs");
  await close();
});

test("what is wrong is found in every look", async () => {
  const { page, close } = await visitor(named("pat"));
  await open(page, "");
  await page.evaluate(() => {
    const plant = (name, parent, style = "") => {
      const planted = Object.assign(document.createElement(name), { textContent: "planted" });
      planted.style.cssText = style;
      parent.append(planted);
    };
    const main = document.querySelector("main");
    plant("p", document.body);
    plant("p", main, "color: color-mix(in srgb, var(--ink) 30%, var(--page))");
    plant("h5", main);
    plant("input", main);
    for (let n = 0; n < 2; n += 1)
      plant("button", main, "width: 9px; height: 9px; min-height: 0; padding: 0; font-size: 0");
  });
  const [colours, others] = [["color-contrast"], ["heading-order", "label", "region", "target-size"]];
  for (const [look, expected] of [colours.concat(others), colours, others].entries()) {
    const broken = await found(page, LOOKS[look]);
    assert.deepEqual([...new Set(broken.map((one) => one.split(":")[0]))].sort(), expected, `look ${look}`);
  }
  await close();
});

async function open(page, screen) {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`/console/${screen}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await eventually("the screen has loaded", async () => (await page.locator(".loading").count()) === 0);
}

/** Creates items of each kind for a user; returns the paths of a subscription and of deliveries. */
async function typical(user) {
  const hooks = await receiver();
  for (const label of [
    "CI deploy",
    "The laptop of somebody who writes labels that need two lines in the table, and all of 100 characters",
  ]) {
    await api(user, "POST", "/api/api-keys", { label, scopes: ["orders:read", "webhooks:write"] });
  }
  const { keyId } = await api(user, "POST", "/api/api-keys", {
    label: "Old",
    expiresAt: new Date(Date.now() + 3e8).toISOString(),
  });
  await api(user, "POST", `/api/api-keys/${keyId}/rotate`, { overlapSeconds: 3600 });
  const ended = await api(user, "POST", "/api/api-keys", { label: "Ended" });
  await present(ended.key);
  await api(user, "DELETE", "/api/api-keys", { keyId: ended.keyId });
  const subscribe = (url, more) => api(user, "POST", "/api/webhooks/subscriptions", { url, events: ["*"], ...more });
  const { subscription } = await subscribe(hooks.url, {
    events: ["invoice.*", "order.paid", "order.sent", "order.void", "user.new"],
  });
  const failing = await subscribe(`http://127.0.0.1:1024/${"long-".repeat(30)}`, {
    description: "Nobody listens there",
  });
  const off = await subscribe(`${hooks.url}/off`);
  await publish(user, "invoice.paid", { text: "wide ".repeat(200) });
  await api(user, "PATCH", `/api/webhooks/subscriptions/${off.subscription.id}`, { enabled: false });
  await attempted(user, 3);
  const { deliveries } = await api(user, "GET", "/api/webhooks/deliveries");
  await api(
    user,
    "POST",
    `/api/webhooks/deliveries/${deliveries.find((one) => one.subscriptionId === failing.subscription.id).id}/cancel`,
  );
  hooks.close();
  await present(ended.key);
  const counted = async (path) =>
    Object.values((await api(user, "GET", path)).total).filter((count) => count > 0).length;
  await eventually("all is counted", async () => (await counted("/api/webhooks/outcomes")) === 2);
  await eventually("the key is counted", async () => (await counted(`/api/api-keys/${ended.keyId}/usage`)) === 2);
  return [
    `subscriptions/${subscription.id}`,
    `subscriptions/${failing.subscription.id}`,
    `deliveries/${deliveries.find((one) => one.state === "waiting" || one.attempts > 0).id}`,
    `keys/${ended.keyId}`,
  ];
}

/** Checks these screens with every section open. */
async function checkScreens(page, what, screens) {
  for (const screen of screens) {
    await open(page, screen);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    await check(page, `${what} ${screen}`);
  }
}

/** Checks the dialogs of these screens, to which these buttons lead. */
async function checkDialogs(page, what, dialogs) {
  for (const [screen, buttons] of dialogs) {
    await open(page, screen);
    for (const name of buttons) await page.getByRole("button", { name }).first().click();
    await page.getByRole("dialog").waitFor();
    await eventually("nothing works", async () => (await page.locator("[aria-disabled=true]").count()) === 0);
    await check(page, `${what} ${screen} ${buttons.at(-1)}`);
  }
}

async function check(page, what) {
  for (const look of LOOKS) {
    assert.deepEqual(await found(page, look), [], `${what}, ${look.colorScheme}, ${look.width} px`);
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const right = (element) => element.getBoundingClientRect().right;
      const head = document.querySelector(".page-head");
      const tables = head ? [...document.querySelectorAll("main > table")] : [];
      return Math.max(scrollWidth - clientWidth, ...tables.map((table) => Math.floor(right(table) - right(head))));
    });
    assert.ok(overflow <= 0, `${what}, ${width} px: ${overflow} px too wide`);
  }
}

/**
 * Loads axe once for each page. The page's own policy does not bind the debugger, which takes the source as it is:
 * `evaluate` would parse these 580,000 bytes first, which takes longer than most checks.
 */
async function load(page) {
  if (await page.evaluate(() => "axe" in window)) return;
  const session = await page.context().newCDPSession(page);
  const { exceptionDetails } = await session.send("Runtime.evaluate", { expression: axe.source });
  assert.equal(exceptionDetails, undefined);
  await session.detach();
}

/** The violations in this look. */
async function found(page, { colorScheme, width, options }) {
  await load(page);
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width, height: 800 });
  return page.evaluate(violations, options);
}

/** Runs in the page. */
async function violations(options) {
  const { violations } = await window.axe.run(document, { ...options, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}

/** Calls the API with a key, whether it is good or not. */
const present = (key) => fetch(`${BASE}/api/whoami`, { headers: { "x-api-key": key } });
