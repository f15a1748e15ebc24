// States, reasons and errors of the API, in words.

/** @typedef {import("./ui.js").Tone} Tone */
/** @typedef {import("./api.js").Key} Key */
/** @typedef {import("./api.js").Delivery} Delivery */
/** @typedef {import("./api.js").Attempt} Attempt */
/** @typedef {import("./api.js").Subscription} Subscription */
/** @typedef {import("./api.js").Health} Health */

/** @type {Record<Delivery["state"], [Tone, string]>} */
export const DELIVERY_STATES = {
  waiting: ["info", "Waiting"],
  sending: ["info", "Sending"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
  cancelled: ["off", "Cancelled"],
  missed: ["off", "Missed"],
};

/** @type {Record<string, string>} */
const DELIVERY_REASONS = {
  schedule_spent: "Every attempt of the retry schedule failed.",
  subscription_disabled: "The subscription was disabled.",
  unreadable: "The service cannot read the stored event.",
  cancelled: "Somebody cancelled the delivery.",
  subscription_deleted: "The subscription was deleted.",
};

/** @type {Record<NonNullable<Attempt["error"]>, string>} */
const ATTEMPT_ERRORS = {
  address_refused: "The URL leads to an address that webhooks may not reach.",
  dns: "The host name has no address that webhooks may reach.",
  connect: "The receiver did not accept the connection.",
  tls: "The TLS handshake failed. The certificate may be expired or not trusted, or the receiver refused the client certificate.",
  timeout: "The receiver did not answer in time.",
  redirect: "The receiver answered with a redirect, which webhooks do not follow.",
  status: "The receiver answered with an error status.",
  too_slow: "The attempt took too long.",
  no_token: "The token endpoint gave no access token.",
};

/** @type {Record<string, string>} */
const DISABLED_REASONS = {
  owner: "It was disabled by hand.",
  gone: "The receiver answered 410 Gone.",
  only_failures: "Every attempt failed for five days.",
  order_stopped: "The attempts of a delivery are used up, and its order stops then.",
  key_leaked: "The API key that set the URL was reported as leaked.",
};

/** Why a subscription is disabled. @param {string} [reason] */
export const whyDisabled = (reason = "") => DISABLED_REASONS[reason] ?? reason;

/** @type {Record<string, [Tone, string]>} */
export const HEALTH_STATES = {
  healthy: ["good", "Healthy"],
  failing: ["bad", "Failing"],
  paused: ["warn", "Paused"],
};

/** @param {Delivery} delivery */
export const deliveryReason = ({ reason }) => (reason ? (DELIVERY_REASONS[reason] ?? reason) : "");

/** @param {Pick<Attempt, "error">} attempt */
export const attemptError = ({ error }) => (error ? ATTEMPT_ERRORS[error] : "");

/**
 * The state of a subscription, and its reason.
 * @param {Subscription} subscription
 * @param {Health | undefined} health
 * @returns {{ tone: Tone, name: string, why: string }}
 */
export function subscriptionState(subscription, health) {
  if (!subscription.enabled) return { tone: "off", name: "Disabled", why: whyDisabled(subscription.disabledReason) };
  if (isPull(subscription)) return { tone: "good", name: "Enabled", why: "" };
  if (!health) return { tone: "off", name: "Enabled", why: "" };
  const [tone, name] = HEALTH_STATES[health.state] ?? ["off", health.state];
  return { tone, name, why: healthReason(health) };
}

/**
 * Whether the receiver needs its owner: it fails, is paused, or the service disabled it.
 * @param {Subscription} subscription
 */
export const isFailing = ({ enabled, disabledReason, health }) =>
  enabled ? health !== undefined && health.state !== "healthy" : disabledReason !== "owner";

/** @param {Pick<Health, "state" | "reason">} health */
export function healthReason({ state, reason }) {
  if (state === "healthy" || reason === null) return "";
  if (reason === "retry_after") return "The receiver asked for a pause.";
  const known = /** @type {Record<string, string>} */ (ATTEMPT_ERRORS)[reason] ?? reason;
  return state === "paused" ? `Too many attempts failed in a row. ${known}` : known;
}

/**
 * The state of a key, and whether it still works.
 * @param {Key} key
 * @returns {{ tone: Tone, name: string, isActive: boolean }}
 */
export function keyState(key) {
  const isExpired = key.expiresAt !== undefined && Date.parse(key.expiresAt) <= Date.now();
  if (key.revokedAt) return { tone: "off", name: "Revoked", isActive: false };
  if (isExpired) return { tone: "off", name: key.replacedBy ? "Replaced" : "Expired", isActive: false };
  if (key.disabledAt) return { tone: "warn", name: "Disabled", isActive: true };
  if (key.replacedBy) return { tone: "warn", name: "Being replaced", isActive: true };
  return { tone: "good", name: "Active", isActive: true };
}

/**
 * Whether the key ends soon and no key replaces it: it was rotated, and its successor is revoked or expired.
 * @param {Key} key
 * @param {Key[]} keys
 */
export function isOrphan(key, keys) {
  const successor = keys.find((one) => one.id === key.replacedBy);
  return keyState(key).isActive && successor !== undefined && !keyState(successor).isActive;
}

/**
 * Whether a reader has typed a name as a page shows it: no page shows spaces in a row, or characters without a width.
 * @param {string} typed
 * @param {string} name
 */
export const isTyped = (typed, name) => plain(typed) === plain(name);

/** @param {string} text */
const plain = (text) =>
  text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/g, " ")
    .trim();

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** The kinds of signatures, and their names. @type {[string, string][]} */
export const SIGNING = [
  ["hmac", "With a shared secret (v1)"],
  ["ed25519", "With a key pair (v1a)"],
  ["both", "With both"],
];

/** @param {string | undefined} kind */
export const signingName = (kind) => SIGNING.find(([name]) => name === kind)?.[1];

/** Whether readers fetch the events of the subscription. @param {Pick<Subscription, "type">} subscription */
export const isPull = ({ type }) => type === "pull";

/** The URL, or words if readers fetch the events. @param {string} url */
export const shownUrl = (url) => (url === "pull:" ? "Readers fetch events" : url);

/**
 * The URL without its scheme, and not too long for a row.
 * @param {string} url
 */
export function place(url) {
  const rest = shownUrl(url)
    .replace(/^https?:\/\//, "")
    .replace(/\/$/, "");
  return rest.length <= 48 ? rest : `${rest.slice(0, 47)}…`;
}

/** More letters and digits in a row than the ids of identity providers have, which are 28 at most. A key has 38. */
const LIKE_A_KEY = /[A-Za-z0-9]{29,}/;

/**
 * The text without the rest of what looks like an API key. Of its 32 random characters, 8 stay, which are as many as
 * lists may show; 6 more check them. A longer id is found by its start too.
 * @param {string} text
 */
export function startOfKey(text) {
  const found = LIKE_A_KEY.exec(text);
  // The prefix of a key may end with letters and digits.
  return found ? text.slice(0, found.index + Math.max(8, found[0].length - 30)) : text;
}
