import { call, type Connection, type Values } from "./call.js";
import type { Owner } from "./caller.js";
import { GatepostError } from "./error.js";
import { canonical, EventTypes } from "./event-types.js";
import { table } from "./generated/operations.js";
import { Pages } from "./pages.js";
import type { CallOptions, OperationId, Operations, Schemas } from "./types.js";
import { uuidv7 } from "./uuid.js";

export interface GatepostOptions {
  /** The URL of the service, such as `https://keys.example.com`. */
  url: string | undefined;
  /** The operator token, an ID token or an API key. */
  token?: string | undefined;
  /** Sends the requests, instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** How long each call may take: 30,000 ms if not set, and at most 24 days. */
  timeoutMs?: number;
  /** A token in a browser is a token that every visitor has. `true` says that this one may be there. */
  allowBrowser?: boolean;
}

/** The settings of a subscription to a URL. */
type Subscribed = Omit<Schemas["CreateSubscription"], "type"> & { url: string };

/** The settings of a subscription, and its owner if an operator token makes the call. */
export type WantedSubscription = Subscribed &
  (Owner | { userId?: undefined; organizationId?: undefined });

/** A client of one Gatepost service. It has a method for each operation of the API, named by its `operationId`. */
export interface Gatepost extends Operations {}

export class Gatepost {
  readonly #connection: Connection;
  /** The catalogue of event types, as a whole. */
  readonly eventTypes = new EventTypes(this);

  constructor({ url, token = "", fetch, timeoutMs = 30_000, allowBrowser = false }: GatepostOptions) {
    if ("window" in globalThis && "document" in globalThis && !allowBrowser) {
      throw new GatepostError(
        "a token in a browser is a token that every visitor has; call Gatepost from your server, or set allowBrowser",
        { code: "browser_refused" },
      );
    }
    if (!/^[\x21-\x7e]*$/.test(token)) {
      throw new GatepostError("the token cannot be sent in a header", { code: "invalid_token" });
    }
    // A bound `fetch`: some platforms refuse one that is called as the method of another object.
    const send = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#connection = { url: url === undefined ? "" : checked(url), token, fetch: send, timeoutMs };
    const methods = this as unknown as Record<string, unknown>;
    for (const id of Object.keys(table) as OperationId[]) {
      methods[id] = (values?: Values, options?: CallOptions) => this.#call(id, values, options);
    }
  }

  #call(id: OperationId, values: Values = {}, options?: CallOptions): Promise<unknown> | Pages<unknown, unknown> {
    const { items } = table[id];
    const given = withIds(id, values);
    if (!items) return call(this.#connection, id, given, options);
    const page = (cursor?: string) => call(this.#connection, id, cursor ? { ...given, cursor } : given, options);
    return new Pages(page, items);
  }

  /**
   * Makes sure that the owner of the API key or ID token that this client has receives these events at this URL; with an
   * operator token, the owner that `wanted` names. It may be repeated.
   * A subscription of the URL that exists gets what is given; it keeps its secret, because the service tells no secret,
   * and `wanted.secret` is then without effect. The answer has a `secret` only if the call has created the subscription.
   * It keeps its signatures and its ordering too: if they differ from the wanted ones, the call throws `invalid_argument`
   * and changes nothing.
   * If several processes start at the same time, give all the same `secret`: one of their subscriptions remains.
   */
  async ensureSubscription(wanted: WantedSubscription): Promise<Schemas["SubscriptionWithSecret"]> {
    const { userId, organizationId, ...settings } = wanted;
    if (userId !== undefined && organizationId !== undefined) {
      throw new GatepostError("give userId or organizationId, not both", { code: "invalid_argument" });
    }
    return this.#ensure({ userId, organizationId } as Owner, settings);
  }

  async #ensure(owner: Owner, wanted: Subscribed): Promise<Schemas["SubscriptionWithSecret"]> {
    const [found] = await this.#subscriptionsOf(owner, wanted.url).catch((error: GatepostError) => {
      const isOperator = error.status === 401 && ownerName(owner) === "";
      if (isOperator) error.message += "; with an operator token, ensureSubscription needs userId or organizationId";
      throw error;
    });
    if (!found) return this.#createOnce(owner, wanted);
    const { url, secret, signing, ordering, events, description, filter, maxPerSecond, ...hidden } = wanted;
    const signs = found.signing ?? "hmac";
    if (signing != null && signing !== signs) {
      const message = `the signatures of ${found.id} are ${signs}, not ${signing}: change them with rotate${ownerName(owner)}Secret`;
      throw new GatepostError(message, { code: "invalid_argument" });
    }
    const order = found.ordering ?? "none";
    if (ordering != null && ordering !== order) {
      const message = `the ordering of ${found.id} is ${order}, not ${ordering}: it cannot be changed`;
      throw new GatepostError(message, { code: "invalid_argument" });
    }
    const isSame =
      found.enabled &&
      [...found.events].sort().join() === [...events].sort().join() &&
      (description == null || description === found.description) &&
      (filter === undefined || canonical(filter) === canonical(found.filter ?? null)) &&
      (maxPerSecond === undefined || maxPerSecond === (found.maxPerSecond ?? null)) &&
      // The service tells no value of a header, nor a credential.
      Object.values(hidden).every((value) => value === undefined);
    if (isSame) return { subscription: found };
    const given = { ...(description != null && { description }), ...(filter !== undefined && { filter }) };
    const rate = maxPerSecond !== undefined && { maxPerSecond };
    const changes = { ...owner, id: found.id, events, enabled: true, ...hidden, ...given, ...rate };
    const changed = await this[`change${ownerName(owner)}Subscription`](changes as never);
    return { subscription: changed.subscription };
  }

  /** Creates a subscription. If others have created more at the same time, that with the lowest id remains. */
  async #createOnce(owner: Owner, wanted: Subscribed): Promise<Schemas["SubscriptionWithSecret"]> {
    const created = await this[`create${ownerName(owner)}Subscription`]({ ...owner, ...wanted } as never);
    try {
      const [first, ...others] = (await this.#subscriptionsOf(owner, wanted.url)).map(({ id }) => id).sort();
      for (const id of others) {
        await this[`delete${ownerName(owner)}Subscription`]({ ...owner, id } as never).catch((error: GatepostError) => {
          if (error.code !== "subscription_not_found") throw error;
        });
      }
      if (first === created.subscription.id) return created;
    } catch {
      // Better two subscriptions than a secret that nobody has.
      return created;
    }
    return this.#ensure(owner, wanted);
  }

  async #subscriptionsOf(owner: Owner, text: string): Promise<Schemas["Subscription"][]> {
    const found = [];
    const url = normal(text);
    for await (const subscription of this[`list${ownerName(owner)}Subscriptions`]({ ...owner, limit: 200 } as never)) {
      if (subscription.url === url) found.push(subscription);
    }
    return found;
  }
}

/** What the names of the operations for this owner have; nothing if the token says who the owner is. */
function ownerName({ userId, organizationId }: Owner): "" | "User" | "Organization" {
  if (userId !== undefined) return "User";
  return organizationId !== undefined ? "Organization" : "";
}

/** A URL as the service keeps it. */
function normal(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}

/** Events without an id get one, so that publishing them may be repeated. */
function withIds(id: OperationId, values: Values): Values {
  if (id === "publishEvent") return { ...values, id: values.id ?? uuidv7() };
  if (id !== "publishEvents") return values;
  return { ...values, events: (values.events as Values[]).map((event) => withIds("publishEvent", event)) };
}

function checked(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new GatepostError("url must be an absolute http or https URL without user, query and fragment", {
      code: "invalid_url",
    });
  }
  return url.href.replace(/\/+$/, "");
}
