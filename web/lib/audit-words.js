// Names and values in the audit log.

import { exact } from "./time.js";
import { whyDisabled, HEALTH_STATES, healthReason, shownUrl, signingName } from "./words.js";

/** @type {Record<string, string>} */
export const AUDIT_ACTIONS = {
  "key.created": "Key created",
  "key.changed": "Key changed",
  "key.rotated": "Key rotated",
  "key.revoked": "Key revoked",
  "key.leaked": "Key reported as leaked",
  "key.expiring": "Key expires soon",
  "key.limit_reached": "Maximum of keys reached",
  "data.read": "Read by an operator",
  "subscription.created": "Subscription created",
  "subscription.changed": "Subscription changed",
  "subscription.deleted": "Subscription deleted",
  "subscription.secret_rotated": "Signing secret rotated",
  "subscription.disabled": "Subscription disabled",
  "subscription.failing": "Receiver began to fail",
  "subscription.recovered": "Subscription recovered",
  "subscription.certificate_expiring": "Client certificate expires soon",
  "consumer.moved": "Consumer moved",
  "consumer.deleted": "Consumer deleted",
  "delivery.retried": "Delivery retried",
  "delivery.cancelled": "Delivery cancelled",
  "session.opened": "Signed in",
  "session.ended": "Session ended",
  "event_type.changed": "Event type changed",
  "log.filter_changed": "Log filter changed",
  "owner.changed": "Account changed",
  "owner.suspending": "Suspended soon",
  "owner.suspended": "Suspended",
  "owner.activated": "Active again",
  "owner.erasing": "Being erased",
  "owner.erased": "Erased",
};

/** @type {Record<string, string>} */
const AUDIT_FIELDS = {
  label: "Label",
  scopes: "Scopes",
  metadata: "Metadata",
  rateLimit: "Rate limit",
  signing: "Signatures",
  expiresAt: "Expires",
  successor: "New key",
  url: "URL",
  events: "Events",
  filter: "Filter",
  description: "Description",
  headers: "Headers",
  auth: "Authentication",
  maxPerSecond: "Most per second",
  onExhausted: "When attempts are used up",
  clientCertificate: "Client certificate",
  consumer: "Consumer",
  position: "Position",
  status: "Status",
  health: "Health",
  activeKeys: "Active keys",
  deliveries: "Deliveries",
  role: "Role",
  logFilter: "Log filter",
  name: "Name",
  email: "E-mail",
  maxActiveKeys: "Most active keys",
  maxSubscriptions: "Most subscriptions",
  keyRateLimit: "Rate limit of each key",
  requestRateLimit: "Rate limit of calls",
  reason: "Reason",
  suspendsAt: "Suspended at",
  eventType: "Event type",
  schemaVersion: "Schema version",
  validation: "Validation",
  visibility: "Visibility",
};

/** @type {Record<string, string>} */
export const AUDIT_LISTS = {
  apiKeys: "the list of keys",
  subscriptions: "the list of subscriptions",
  deliveries: "the list of deliveries",
  sessions: "the list of sessions",
  events: "the list of events",
  owner: "the account",
  log: "the log",
  event_types: "the event types",
};

/** @type {Record<string, string>} */
export const AUDIT_MEANS = {
  idToken: "with an ID token",
  apiKey: "with an API key",
  session: "in a browser",
  operatorToken: "with an operator token",
  service: "by itself",
};

/** @type {Record<string, string>} */
const STATUSES = {
  enabled: "Enabled",
  disabled: "Disabled",
  active: "Active",
  suspended: "Suspended",
  archived: "Archived",
};

/** @type {Record<string, string>} */
const ROLES = { user: "User", operator: "Operator", visitor: "Visitor" };

/** @type {Record<string, string>} */
const EXHAUSTED = { skip: "Skip the delivery", stop: "Disable the subscription" };

/** The name of a state, and the sentence of its reason. @param {string} name @param {string} reason */
const withReason = (name, reason) => (reason ? `${name}. ${reason}` : name);

/** @type {Record<string, (value: string, names: Record<string, string>) => string | undefined>} */
const VALUES = {
  expiresAt: exact,
  suspendsAt: exact,
  url: shownUrl,
  successor: (id, names) => names[id],
  signing: signingName,
  onExhausted: (rule) => EXHAUSTED[rule],
  status: (value) => {
    const [state = "", reason] = value.split(": ");
    return STATUSES[state] && withReason(STATUSES[state], whyDisabled(reason));
  },
  health: (value) => {
    const [state = "", reason = null] = value.split(": ");
    const name = HEALTH_STATES[state]?.[1];
    return name && withReason(name, healthReason({ state, reason: reason === "unknown" ? null : reason }));
  },
  role: (value) => {
    const [role = "", ...rights] = value.split(" ");
    return ROLES[role] && `${ROLES[role]}${rights.length > 0 ? ` (${rights.join(", ")})` : ""}`;
  },
};

/**
 * A field with its values before and after. Values are in words, and times are local. Two equal values differ in a part
 * that the log hides, such as the path of a URL.
 * @param {{ field: string, before?: string, after?: string }} change
 * @param {Record<string, string>} [names] The labels of keys, by id.
 */
export function changeInWords({ field, before, after }, names = {}) {
  const words = (/** @type {string} */ value) => VALUES[field]?.(value, names) ?? value;
  const now = after === undefined ? "none" : words(after);
  const values = before === undefined ? now : `${words(before)} → ${now}`;
  return `${AUDIT_FIELDS[field] ?? field}: ${before !== undefined && before === after ? `${now}, changed` : values}`;
}
