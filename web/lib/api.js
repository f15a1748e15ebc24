// The calls of the API that the console makes, one function for each. Types come from docs/openapi.json.

/** @typedef {import("api").components["schemas"]} Schemas */
/** @typedef {import("api").operations} Operations */
/** @typedef {Schemas["KeyRecord"]} Key */
/** @typedef {Schemas["Subscription"]} Subscription */
/** @typedef {Schemas["SubscriptionHealth"]} Health */
/** @typedef {Schemas["Delivery"]} Delivery */
/** @typedef {Schemas["Attempt"]} Attempt */
/** @typedef {Schemas["FailureGroup"]} FailureGroup */
/** @typedef {Schemas["Problem"]} Problem */
/**
 * The body of the successful answer of an operation.
 * @template {keyof Operations} O
 * @typedef {Operations[O]["responses"] extends { 200: { content: { "application/json": infer A } } } ? A :
 *   Operations[O]["responses"] extends { 202: { content: { "application/json": infer B } } } ? B : undefined} Answer
 */
/**
 * The body of the request of an operation.
 * @template {keyof Operations} O
 * @typedef {Operations[O] extends { requestBody?: undefined } ? never : Required<Pick<Operations[O], "requestBody">> extends { requestBody: { content: { "application/json": infer B } } } ? B : never} Body
 */
/** @typedef {{ state?: string, eventType?: string, subscriptionId?: string, since?: string, until?: string,
 *   cursor?: string, limit?: number }} DeliveryFilter */

/** An answer that is an error, as a problem document. */
export class Failure extends Error {
  /** @param {Partial<Problem> & { title: string }} problem */
  constructor(problem) {
    super(problem.title);
    this.problem = problem;
  }

  /**
   * What is wrong with a field of the form, if something is. In a field with several `items`, the item is named.
   * @param {string} name
   * @param {string[]} [items]
   */
  fault(name, items = []) {
    const fault = this.problem.errors?.find(({ field }) => isOf(field, name));
    const at = /(?:\[|^at index )(\d+)/.exec(fault?.field.slice(name.length) || (fault?.detail ?? ""))?.[1];
    const item = at && items[Number(at)];
    const detail = fault?.detail.replace(/^at index \d+: /, "");
    return item ? `“${item}” ${detail}` : detail;
  }

  /**
   * The faults that none of these fields shows.
   * @param {string[]} fields
   */
  faultsBeside(fields) {
    return this.problem.errors?.filter(({ field }) => !fields.some((name) => isOf(field, name))) ?? [];
  }
}

/** @param {string} path @param {string} name */
const isOf = (path, name) => path === name || path.startsWith(`${name}[`);

/** Raised as an event of `window` when the session is over. */
export const SESSION_OVER = "gatepost:session-over";

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {RequestInit} [more]
 * @returns {Promise<any>}
 */
export async function call(method, path, body, more = {}) {
  const json = body === undefined ? undefined : JSON.stringify(body);
  /** @type {Record<string, string>} */
  const headers = json === undefined ? {} : { "content-type": "application/json" };
  const response = await send(path, { method, body: json, headers, ...more });
  if (!response.ok) throw await failure(response);
  return response.status === 204 ? undefined : response.json();
}

/**
 * @param {string} path
 * @param {RequestInit} request
 */
export async function send(path, request) {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Failure({
      title: "The server does not answer",
      detail: "The browser cannot reach the server. Check your connection, then try again.",
    });
  }
}

/** @param {Response} response */
export async function failure(response) {
  if (response.status === 401) window.dispatchEvent(new Event(SESSION_OVER));
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  if (isProblem) return new Failure(await response.json());
  return new Failure({ title: `The server answered with status ${response.status}`, status: response.status });
}

/** @param {Record<string, string | number | undefined>} parameters */
function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

const part = encodeURIComponent;

/** Paths that screens read. */
export const PATHS = {
  session: "/api/session",
  sessions: "/api/sessions",
  keys: "/api/api-keys",
  /** @param {string} id @param {number} hours */
  keyUsage: (id, hours) => `/api/api-keys/${part(id)}/usage?hours=${hours}`,
  dailyUses: "/api/api-keys/usage",
  subscriptions: "/api/webhooks/subscriptions?limit=200",
  subscriptionsWithHealth: "/api/webhooks/subscriptions?limit=200&include=health",
  outcomes: "/api/webhooks/outcomes",
  /** @param {string} id */
  subscriptionOutcomes: (id) => `/api/webhooks/subscriptions/${part(id)}/outcomes`,
  /** @param {string} id */
  attemptTimes: (id) => `${PATHS.subscription(id)}/times`,
  /** @param {string} id */
  subscription: (id) => `/api/webhooks/subscriptions/${part(id)}`,
  /** @param {string} id */
  delivery: (id) => `/api/webhooks/deliveries/${part(id)}`,
  /** @param {DeliveryFilter} filter */
  deliveries: (filter) => `/api/webhooks/deliveries${query(filter)}`,
  /** @param {string | undefined} subscriptionId */
  failures: (subscriptionId) => `/api/webhooks/failures${query({ subscriptionId })}`,
  /** @param {string} id @param {string} since */
  recoverable: (id, since) => `/api/webhooks/subscriptions/${part(id)}/recoverable${query({ since })}`,
  stream: "/api/webhooks/deliveries/stream",
  system: "/api/operator/system",
  failing: "/api/operator/failing-subscriptions",
  /** @param {string} id */
  event: (id) => `/api/operator/events/${part(id)}`,
  /** @param {string} action @param {string} [userId] */
  logged: (action, userId) => `/api/operator/audit${query({ userId, action, limit: 200 })}`,
  /** @param {string} userId @param {string} [rest] */
  ofUser: (userId, rest = "") => `/api/operator/users/${part(userId)}${rest}`,
  /** @param {string} userId @param {string} [subscriptionId] */
  failuresOf: (userId, subscriptionId) => PATHS.ofUser(userId, `/failures${query({ subscriptionId })}`),
  /** @param {string} userId @param {string} id */
  subscriptionOf: (userId, id) => PATHS.ofUser(userId, `/subscriptions/${part(id)}`),
  /** @param {string} userId @param {string} id */
  deliveryOf: (userId, id) => PATHS.ofUser(userId, `/deliveries/${part(id)}`),
};

/**
 * @param {{ action?: string, target?: string, cursor?: string, limit?: number }} filter
 * @returns {Promise<Answer<"listAuditEvents">>}
 */
export const listAuditEvents = (filter) => call("GET", `/api/audit${query(filter)}`);

/** @param {string} id @returns {Promise<Answer<"endSession">>} */
export const endSession = (id) => call("DELETE", `${PATHS.sessions}/${part(id)}`);

/** @returns {Promise<Answer<"endSessions">>} */
export const endOtherSessions = () => call("DELETE", `${PATHS.sessions}?keepCurrent=true`);

export const endSessions = () => call("DELETE", PATHS.sessions);

/** @param {Body<"createApiKey">} body @returns {Promise<Answer<"createApiKey">>} */
export const createKey = (body) => call("POST", PATHS.keys, body);

/** @param {string} keyId @returns {Promise<Answer<"revokeApiKey">>} */
export const revokeKey = (keyId) => call("DELETE", PATHS.keys, { keyId });

/** @param {string} keyId @param {number} overlapSeconds @returns {Promise<Answer<"rotateApiKey">>} */
export const rotateKey = (keyId, overlapSeconds) =>
  call("POST", `${PATHS.keys}/${part(keyId)}/rotate`, { overlapSeconds });

/**
 * Calls with the key alone: a request with two credentials is refused.
 * @param {string} fullKey
 */
export async function checkKey(fullKey) {
  const request = { headers: { "x-api-key": fullKey }, credentials: /** @type {const} */ ("omit") };
  const response = await send("/api/whoami", request);
  return { status: response.status, body: await response.json() };
}

/** @param {Body<"createSubscription">} body @returns {Promise<Answer<"createSubscription">>} */
export const createSubscription = (body) => call("POST", "/api/webhooks/subscriptions", body);

/** @param {string} id @param {Body<"changeSubscription">} body @returns {Promise<Answer<"changeSubscription">>} */
export const changeSubscription = (id, body) => call("PATCH", PATHS.subscription(id), body);

/** @param {string} id */
export const deleteSubscription = (id) => call("DELETE", PATHS.subscription(id));

/** @param {string} id @returns {Promise<Answer<"testSubscription">>} */
export const testSubscription = (id) => call("POST", `${PATHS.subscription(id)}/test`);

/** @param {string} id @param {number} overlapSeconds @returns {Promise<Answer<"rotateSecret">>} */
export const rotateSecret = (id, overlapSeconds) =>
  call("POST", `${PATHS.subscription(id)}/rotate-secret`, { overlapSeconds });

/** @param {string} id @param {string} since @returns {Promise<Answer<"recoverSubscription">>} */
export const recoverSubscription = (id, since) => call("POST", `${PATHS.subscription(id)}/recover`, { since });

/** @param {Body<"testUrl">} test @returns {Promise<Answer<"testUrl">>} */
export const testUrl = (test) => call("POST", "/api/webhooks/test", test);

/** @param {Body<"retryFailures">} cause @returns {Promise<Answer<"retryFailures">>} */
export const retryFailures = (cause) => call("POST", "/api/webhooks/failures/retry", cause);

/** @param {DeliveryFilter} filter @returns {Promise<Answer<"listDeliveries">>} */
export const listDeliveries = (filter) => call("GET", PATHS.deliveries(filter));

/** @param {string} id @returns {Promise<Answer<"findDelivery">>} */
export const findDelivery = (id) => call("GET", PATHS.delivery(id));

/** @param {string} id @returns {Promise<Answer<"retryDelivery">>} */
export const retryDelivery = (id) => call("POST", `${PATHS.delivery(id)}/retry`);

/** @param {string} id @returns {Promise<Answer<"cancelDelivery">>} */
export const cancelDelivery = (id) => call("POST", `${PATHS.delivery(id)}/cancel`);

/** @param {{ cursor?: string }} page @returns {Promise<Answer<"listFailingSubscriptions">>} */
export const listFailing = (page) => call("GET", `${PATHS.failing}${query(page)}`);

/**
 * @param {{ userId?: string, type?: string, since?: string, cursor?: string, limit?: number }} filter
 * @returns {Promise<Answer<"listEvents">>}
 */
export const listEvents = (filter) => call("GET", `/api/operator/events${query(filter)}`);

/** @param {Body<"publishEvent">} event @returns {Promise<Answer<"publishEvent">>} */
export const publishEvent = (event) => call("POST", "/api/operator/events", event);

/** @typedef {{ userId?: string, actor?: string, action?: string, target?: string, since?: string }} AuditFilter */

/** @param {AuditFilter & { cursor?: string, limit?: number }} filter @returns {Promise<Answer<"listAllAuditEvents">>} */
export const listAllAuditEvents = (filter) => call("GET", `/api/operator/audit${query(filter)}`);

/** Where the browser downloads all events. @param {AuditFilter} filter @param {"csv" | "jsonl"} format */
export const auditExport = (filter, format) => `/api/operator/audit${query({ ...filter, format })}`;

/** @param {string} userId @param {string} keyId @returns {Promise<Answer<"revokeUserApiKey">>} */
export const revokeKeyOf = (userId, keyId) => call("DELETE", PATHS.ofUser(userId, `/keys/${part(keyId)}`));

/** @param {string} userId @returns {Promise<Answer<"endUserSessions">>} */
export const endSessionsOf = (userId) => call("DELETE", PATHS.ofUser(userId, "/sessions"));

/**
 * @param {string} userId
 * @param {DeliveryFilter} filter
 * @returns {Promise<Answer<"listUserDeliveries">>}
 */
export const listDeliveriesOf = (userId, filter) => call("GET", PATHS.ofUser(userId, `/deliveries${query(filter)}`));

/** @param {string} userId @param {string} id @returns {Promise<Answer<"retryUserDelivery">>} */
export const retryDeliveryOf = (userId, id) => call("POST", `${PATHS.deliveryOf(userId, id)}/retry`);

/** @param {string} userId @param {Body<"retryUserFailures">} cause @returns {Promise<Answer<"retryUserFailures">>} */
export const retryFailuresOf = (userId, cause) => call("POST", `${PATHS.failuresOf(userId)}/retry`, cause);

/** @param {string} userId @param {string} id @param {string} since @returns {Promise<Answer<"recoverUserSubscription">>} */
export const recoverSubscriptionOf = (userId, id, since) =>
  call("POST", `${PATHS.subscriptionOf(userId, id)}/recover`, { since });

/** @param {Body<"createPortalLink">} link @returns {Promise<Answer<"createPortalLink">>} */
export const createPortalLink = (link) => call("POST", "/api/operator/portal-links", link);
