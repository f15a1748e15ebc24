// Takes pictures of every screen, to look at: light and dark, wide and on a phone, with no row, one row and a hundred, and
// as a visitor in a frame. For developers, by hand: `node pictures.mjs [PATTERN]` takes those that match, and writes
// them to `pictures/`, which git ignores. It starts the `gatepost` of `GATEPOST`, or the one that `cargo build` made, and
// shows the current files of `web/`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const WEB = new URL("../../web/", import.meta.url).pathname;
const FOLDER = new URL("pictures/", import.meta.url).pathname;
const PATTERN = new RegExp(process.argv[2] ?? "");
const LOOKS = [
  { look: "light-wide", colorScheme: "light", width: 1280 },
  { look: "dark-wide", colorScheme: "dark", width: 1280 },
  { look: "light-phone", colorScheme: "light", width: 390 },
  { look: "dark-phone", colorScheme: "dark", width: 390 },
];
/** A longer screen is cut, in pixels. */
const HEIGHT_MAX = 1600;
/** A word that is too long for every place, and a sentence of such words. */
const LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsbestätigung";

const host = http.createServer((_, response) => response.setHeader("content-type", "text/html").end(host.page));
host.listen(0, "127.0.0.1");
await once(host, "listening");
const HOST = `http://localhost:${host.address().port}`;
const server = await start();
const { api, attempted, BASE, browser, portalLink, publish, publishBatch, receiver, subscribe, visitor } =
  await import("./harness.mjs");

async function start() {
  const folder = await mkdtemp(join(tmpdir(), "gatepost-pictures-"));
  const binary = process.env.GATEPOST ?? new URL("../../target/debug/gatepost", import.meta.url).pathname;
  const settings = {
    LISTEN: "127.0.0.1:0",
    METRICS_LISTEN: "",
    API_KEYS_MAX_ACTIVE: "200",
    WEBHOOK_MAX_SUBSCRIPTIONS: "200",
  };
  const portal = { PORTAL_FRAME_ANCESTORS: HOST, PORTAL_NAME: "Acme Ltd", PORTAL_COLOR: "#6f2da8" };
  const child = spawn(binary, ["dev", "--json", "--web", WEB], {
    cwd: folder,
    env: { ...settings, ...portal },
    stdio: ["ignore", "pipe", "ignore"],
  });
  // Also where no browser starts.
  process.on("exit", () => child.kill());
  const [line] = await once(createInterface(child.stdout), "line");
  const { consoleUrl, operatorToken } = JSON.parse(line);
  const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
  const given = {
    GATEPOST_URL: new URL(consoleUrl).origin,
    OPERATOR_TOKEN: operatorToken,
    CHROMIUM: process.env.CHROMIUM ?? chromium,
  };
  Object.assign(process.env, given);
  return { process: child, folder };
}

/** Users without items, with one of each kind, and with a hundred of each kind. */
async function fill() {
  const [good, bad] = [await receiver(204), await receiver(500)];
  const at = (hooks, path) => `${hooks.url}/${path}`;
  const [one, many] = [{ user: "una" }, { user: "max.hundertmark-von-und-zu-langenfeld@subsidiary.example" }];
  await api(one.user, "POST", "/api/api-keys", { label: "CI", scopes: ["orders:read"] });
  await subscribe(one.user, good.url, { description: "Everything" });
  await publish(one.user, "invoice.paid", { amount: 42 });
  for (let n = 0; n < 100; n += 1) {
    const label = n % 10 === 3 ? `${LONG.slice(0, 80)} ${n}` : `Key ${n}`;
    const days = n % 7 === 0 ? { expiresAt: new Date(Date.now() + (n + 1) * 864e5).toISOString() } : {};
    const { keyId } = await api(many.user, "POST", "/api/api-keys", {
      label,
      scopes: n % 4 ? [] : ["orders:read", "invoices:write", "customers:read"],
      ...days,
    });
    if (n % 20 === 1) await api(many.user, "POST", `/api/api-keys/${keyId}/rotate`, { overlapSeconds: 86_400 });
    if (n % 20 === 2) await api(many.user, "DELETE", "/api/api-keys", { keyId });
  }
  for (let n = 0; n < 100; n += 1) {
    const url = at(
      n % 12 === 5 ? bad : good,
      n % 10 === 3 ? `${LONG.toLowerCase().replaceAll("ä", "ae")}/${"path/".repeat(20)}${n}` : `hooks/${n}`,
    );
    const events =
      n % 10 === 4
        ? ["invoice.*", "order.created", `${"very.".repeat(10)}long`, "customer.*"]
        : [n % 12 === 5 || n < 5 ? "*" : "invoice.paid"];
    const description = n % 10 === 3 ? `${LONG} and the rest of what this one is for` : n % 2 ? "To the ledger" : "";
    await subscribe(many.user, url, { events, description });
  }
  await publishBatch(many.user, "order.created", 5);
  await publish(many.user, `${"order.".repeat(12)}created`);
  await attempted(one.user, 1);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return [
    { user: "nora", rows: "none" },
    { ...one, rows: "one" },
    { ...many, rows: "many" },
  ];
}

async function takeAll(look, users) {
  for (const { user, rows } of users) {
    const of = await idsOf(user);
    await take({ ...look, who: user, name: `${rows}-user` }, [
      ...userScreens(of),
      ...(rows === "none" ? [] : dialogs(of)),
    ]);
    await take({ ...look, who: "operator", name: `${rows}-operator` }, operatorScreens(user, of));
    await takeVisit({ ...look, who: user, name: `${rows}-visitor` });
  }
}

async function idsOf(user) {
  const get = (path) => api(user, "GET", path);
  const [{ keys }, { subscriptions }] = [
    await get("/api/api-keys"),
    await get("/api/webhooks/subscriptions?limit=200"),
  ];
  const { deliveries } = await get("/api/webhooks/deliveries?limit=200");
  const failing = deliveries.find(({ state }) => state === "waiting") ?? deliveries[0];
  const longest = subscriptions.toSorted((a, b) => b.url.length - a.url.length)[0];
  return {
    key: keys.find((key) => key.label.length > 50)?.id ?? keys[0]?.id,
    subscription: longest?.id,
    delivery: failing?.id,
    event: failing?.eventId,
  };
}

const userScreens = ({ key, subscription, delivery }) =>
  Object.entries({
    home: "",
    keys: "keys",
    subscriptions: "subscriptions",
    deliveries: "deliveries",
    sessions: "sessions",
    audit: "audit",
    nowhere: "nowhere",
    ...(key && { key: `keys/${key}` }),
    ...(subscription && { subscription: `subscriptions/${subscription}` }),
    ...(delivery && { delivery: `deliveries/${delivery}` }),
  }).map(([name, path]) => ({ name, path: `/console/${path}` }));

const dialogs = ({ subscription }) =>
  Object.entries({
    "new-key": ["keys", "New key"],
    "wrong-key": ["keys", "New key", "Create the key"],
    "rotate-key": ["keys", /^Rotate/],
    "revoke-key": ["keys", /^Revoke/],
    "new-subscription": ["subscriptions", "New subscription"],
    "wrong-subscription": ["subscriptions", "New subscription", "Subscribe"],
    edit: [`subscriptions/${subscription}`, "Edit…"],
    recover: [`subscriptions/${subscription}`, "Recover…"],
    delete: [`subscriptions/${subscription}`, "Delete…"],
    palette: ["keys", "Go to…"],
    keyboard: ["", "Keyboard"],
  }).map(([name, [path, ...buttons]]) => ({ name: `dialog-${name}`, path: `/console/${path}`, buttons }));

const operatorScreens = (user, { subscription, delivery, event }) => {
  const base = `/console/operator/users/${encodeURIComponent(user)}`;
  const tabs = ["keys", "subscriptions", "deliveries", "sessions", "audit"].map((tab) => ({
    name: `user-${tab}`,
    path: `${base}?tab=${tab}`,
  }));
  const others = {
    overview: "",
    users: "/users",
    events: `/events?userId=${encodeURIComponent(user)}`,
    audit: `/audit?userId=${encodeURIComponent(user)}`,
    ...(event && { event: `/events/${event}` }),
  };
  return [
    ...tabs,
    ...Object.entries(others).map(([name, path]) => ({ name, path: `/console/operator${path}` })),
    ...(subscription ? [{ name: "user-subscription", path: `${base}/subscriptions/${subscription}` }] : []),
    ...(delivery ? [{ name: "user-delivery", path: `${base}/deliveries/${delivery}` }] : []),
    { name: "dialog-publish", path: "/console/operator/events", buttons: ["Publish an event…"] },
    { name: "dialog-portal-link", path: base, buttons: ["Make a portal link…"] },
  ];
};

/** Takes the pictures for one reader. */
async function take({ look, who, name, colorScheme, width }, screens) {
  const wanted = screens
    .map((screen) => ({ ...screen, file: `${name}-${screen.name}-${look}` }))
    .filter(({ file }) => PATTERN.test(file));
  if (wanted.length === 0) return;
  const { page, context } = await visitor(who, { colorScheme, viewport: { width, height: 800 } });
  for (const { path, buttons = [], file } of wanted) {
    await page.goto(BASE + path);
    await settled(page);
    for (const button of buttons)
      await page
        .getByRole("button", { name: button })
        .first()
        .click()
        .catch(() => undefined);
    await settled(page);
    await shoot(page, file);
  }
  await context.close();
}

/** The portal in a frame of a page of another origin. */
async function takeVisit({ look, who, name, colorScheme, width }) {
  const screens = ["home", "keys", "subscriptions", "deliveries"].map((screen) => ({
    screen,
    file: `${name}-${screen}-${look}`,
  }));
  const wanted = screens.filter(({ file }) => PATTERN.test(file));
  if (wanted.length === 0) return;
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const { url } = await portalLink({ userId: who });
  host.page = `<!doctype html><meta name=viewport content="width=device-width"><style>body { margin: 0; font: 16px sans-serif } header { padding: 12px; background: #ddd } iframe { width: 100%; min-height: 600px; border: 0 }</style>
    <header>The application of Acme</header><iframe allow="clipboard-write" src="${url}"></iframe>
    <script>addEventListener("message", ({ data }) => { if (data?.type === "gatepost:height") document.querySelector("iframe").style.height = data.height + "px"; });</script>`;
  await page.goto(HOST);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Home" }).waitFor();
  for (const { screen, file } of wanted) {
    if (screen !== "home")
      await frame
        .getByRole("link", { name: screen[0].toUpperCase() + screen.slice(1), exact: true })
        .first()
        .click();
    await page.waitForTimeout(800);
    await shoot(page, file);
  }
  await context.close();
}

async function settled(page) {
  await page
    .waitForFunction(() => document.querySelector("h1") && !document.querySelector(".loading"), undefined, {
      timeout: 10_000,
    })
    .catch(() => undefined);
  await page.waitForTimeout(250);
}

async function shoot(page, file) {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (excess > 0) console.log(`${file} scrolls sideways by ${excess} pixels`);
  const height = Math.min(HEIGHT_MAX, await page.evaluate(() => document.documentElement.scrollHeight));
  const { width } = page.viewportSize();
  await page.setViewportSize({ width, height: Math.max(800, height) });
  await page.screenshot({ path: join(FOLDER, `${file}.png`) });
  await page.setViewportSize({ width, height: 800 });
}

try {
  await mkdir(FOLDER, { recursive: true });
  const users = await fill();
  for (const look of LOOKS) await takeAll(look, users);
} finally {
  await browser.close();
  server.process.kill();
  await once(server.process, "exit");
  await rm(server.folder, { recursive: true });
  host.close();
}
