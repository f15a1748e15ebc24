// Names in the audit log.

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
export const AUDIT_FIELDS = {
  label: "Label",
  scopes: "Scopes",
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
};

/** @type {Record<string, string>} */
export const AUDIT_MEANS = {
  idToken: "with an ID token",
  apiKey: "with an API key",
  session: "in a browser",
  operatorToken: "with an operator token",
  service: "by itself",
};
