// Calls of the API. Their names and types come from docs/openapi.json.

import { answerOf } from "./exact.js";
import { OPERATIONS } from "./operations.js";
import { organization } from "./owner-shown.js";

/** @typedef {import("api").components["schemas"]} Schemas */
/** @typedef {import("api").operations} Operations */
/** @typedef {Schemas["KeyRecord"]} Key */
/** @typedef {Schemas["Subscription"]} Subscription */
/** @typedef {Schemas["SubscriptionHealth"]} Health */
/** @typedef {Schemas["Delivery"]} Delivery */
/** @typedef {Schemas["Attempt"]} Attempt */
/** @typedef {Schemas["FailureGroup"]} FailureGroup */
/** @typedef {Schemas["Problem"]} Problem */
/** @typedef {keyof typeof OPERATIONS} Operation */
/**
 * The body of the successful answer of an operation.
 * @template {Operation} O
 * @typedef {Operations[O]["responses"] extends { 200: { content: { "application/json": infer A } } } ? A :
 *   Operations[O]["responses"] extends { 202: { content: { "application/json": infer B } } } ? B : undefined} Answer
 */
/**
 * The input of an operation: the parameters of its path and its query, and its body. The parameters of the query may
 * come from the address of the page, so they are any string.
 * @template {Operation} O
 * @typedef {PathOf<Operations[O]["parameters"]> & QueryOf<NonNullable<Operations[O]["parameters"]["query"]>> & BodyOf<Operations[O]>} Given
 */
/** The owner for whom an operator calls. @typedef {{ userId: string } | { organizationId: string }} Owner */
/**
 * @template P
 * @typedef {P extends { path: infer Path } ?
 *   Path extends { userId: string } ? Omit<Path, "userId"> & Owner : Path : {}} PathOf
 */
/** @template Q @typedef {[Q] extends [never] ? {} : { [Name in keyof Q]: Q[Name] | string }} QueryOf */
/**
 * @template O
 * @typedef {O extends { requestBody?: undefined } ? {} :
 *   O extends { requestBody: { content: { "application/json": infer B } } } ? { body: B } :
 *   O extends { requestBody?: { content: { "application/json": infer C } } } ? { body?: C } : {}} BodyOf
 */
/**
 * `given` as an argument, which is optional if all its members are.
 * @template {Operation} O
 * @typedef {{} extends Given<O> ? [given?: Given<O>] : [given: Given<O>]} Arguments
 */

/** An answer that is an error, as a problem document. */
export class Failure extends Error {
  /** @param {Partial<Problem> & { title: string }} problem */
  constructor(problem) {
    super(problem.title);
    this.problem = problem;
  }

  /** Whether the user has to sign in again: the session has ended, or its roles in organizations have. */
  get isOver() {
    return this.problem.status === 401 || this.problem.code === "organization_role_expired";
  }

  /**
   * The fault of a field of the form, if it has one. In a field with several `items`, the fault names the item, and in a
   * field with a tree the place.
   * @param {string} name
   * @param {string[]} [items]
   */
  fault(name, items = []) {
    const fault = this.problem.errors?.find(({ field }) => isOf(field, name));
    const at = /(?:\[|^at index )(\d+)/.exec(fault?.field.slice(name.length) || (fault?.detail ?? ""))?.[1];
    const item = at && items[Number(at)];
    const detail = fault?.detail.replace(/^at index \d+: /, "");
    if (fault?.field.startsWith(`${name}.`)) return `${fault.field} ${detail}`;
    return item ? `“${item}” ${detail}` : detail;
  }

  /**
   * The faults of all other fields than these.
   * @param {string[]} fields
   */
  faultsBeside(fields) {
    return this.problem.errors?.filter(({ field }) => !fields.some((name) => isOf(field, name))) ?? [];
  }
}

/** @param {string} path @param {string} name */
const isOf = (path, name) => path === name || path.startsWith(`${name}[`) || path.startsWith(`${name}.`);

/** The event of `window` when the session or its roles in organizations have ended; `detail` is the failure. */
export const SESSION_OVER = "gatepost:session-over";

/**
 * Calls an operation.
 * @template {Operation} O
 * @param {O} operation
 * @param {Arguments<O>} more
 * @returns {Promise<Answer<O>>}
 */
export async function call(operation, ...[given]) {
  const { body } = /** @type {{ body?: unknown }} */ (given ?? {});
  const json = body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const [method] = OPERATIONS[operation].split(" ");
  const response = await send(addressOf(operation, given), { method, ...json });
  if (!response.ok) throw await failure(response);
  return response.status === 204 ? /** @type {any} */ (undefined) : answerOf(await response.text());
}

/**
 * The address of an operation. Members of `given` that are not in the path and not empty form the query. Each operation for a
 * user is there for an organization too.
 * @template {Operation} O
 * @param {O} operation
 * @param {Partial<Given<O>>} [given]
 */
export function addressOf(operation, given) {
  const [, path = ""] = OPERATIONS[operation].split(" ");
  // Operators name the owner in the path, and sessions belong to the user.
  const owner = /^\/api\/(operator|session)/.test(path) ? {} : { organization };
  const rest = /** @type {Record<string, any>} */ ({ ...given, ...owner, body: undefined });
  const ofOwner = "organizationId" in rest ? path.replace("users/{userId}", "organizations/{organizationId}") : path;
  const filled = ofOwner.replace(/\{(\w+)\}/g, (_placeholder, name) => {
    const value = encodeURIComponent(rest[name]);
    delete rest[name];
    return value;
  });
  const named = Object.entries(rest).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(named).toString();
  return query ? `${filled}?${query}` : filled;
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
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  const { status } = response;
  const found = new Failure(
    isProblem ? await response.json() : { title: `The server answered with status ${status}`, status },
  );
  if (found.isOver) window.dispatchEvent(new CustomEvent(SESSION_OVER, { detail: found }));
  return found;
}
