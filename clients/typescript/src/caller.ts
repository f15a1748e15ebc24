import { GatepostError } from "./error.js";
import { scopesIn } from "./scopes.js";
import type { RequestLike } from "./presented.js";
import type { Refusal } from "./refusal.js";
import type { Schemas } from "./types.js";
import type { Verifier } from "./verifier.js";

/**
 * A user or an organization, as calls take it: `publishEvent({ ...caller.owner, type, data })`. A user and an
 * organization may have the same id, and share nothing.
 */
export type Owner = { userId: string; organizationId?: undefined } | { userId?: undefined; organizationId: string };

/** The API key of a request and its owner. */
export class Caller {
  readonly owner: Owner;
  /** The member of the organization who created the key, by the `sub`. The key does not act for this user. */
  readonly createdBy: string | undefined;
  /** The identity provider of the owner. */
  readonly issuer: string;
  /** The key's id. It is not a secret, so logs may contain it. */
  readonly keyId: string;
  readonly label: string;
  readonly scopes: readonly string[];
  /** The pairs that your application attached to the key. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Everything that Gatepost says about the key. */
  readonly claims: Readonly<Schemas["Introspection"]>;

  constructor(claims: Schemas["Introspection"]) {
    const { sub, org_id, created_by, iss, client_id, label, scope = "" } = claims;
    const metadata = claims.metadata ?? {};
    if ((sub == null) === (org_id == null) || typeof metadata !== "object") throw undocumented();
    this.owner = Object.freeze(sub == null ? { organizationId: text(org_id) } : { userId: text(sub) });
    this.createdBy = created_by == null ? undefined : text(created_by);
    this.issuer = text(iss);
    this.keyId = text(client_id);
    this.label = text(label);
    this.scopes = Object.freeze(scopesIn(text(scope)));
    this.metadata = Object.freeze(metadata);
    this.claims = Object.freeze(claims);
    // All requests with the key share it.
    Object.freeze(this);
  }

  /** The subject of the owner's ID tokens; `undefined` if the owner is an organization. */
  get userId(): string | undefined {
    return this.owner.userId;
  }

  /** The id of the organization; `undefined` if the owner is a user. */
  get organizationId(): string | undefined {
    return this.owner.organizationId;
  }

  hasScope(scope: string): boolean {
    return this.scopes.includes(scope);
  }
}

// The package may be loaded twice, by `import` and by `require`.
const CALLERS = Symbol.for("@gatepost/client callers");
const callers = ((globalThis as Record<symbol, WeakMap<object, Caller>>)[CALLERS] ??= new WeakMap());

/** The caller of a request that a middleware of this package has let pass. */
export function callerOf(request: object): Caller {
  const caller = callers.get(request);
  if (!caller) {
    throw new GatepostError("the request did not pass requireApiKey", { code: "caller_unknown" });
  }
  return caller;
}

/** For middleware: names the caller of `context`, or returns why its request is refused. */
export async function refusalOf(
  verifier: Verifier,
  scopes: string,
  request: RequestLike,
  context: object,
): Promise<Refusal | undefined> {
  const { caller, refusal } = await verifier.admit(request, scopes);
  if (caller) callers.set(context, caller);
  return refusal;
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw undocumented();
}

/** The error of an answer of introspection that this client does not understand. */
export function undocumented(): GatepostError {
  return new GatepostError("an active key without the documented fields", { code: "unexpected_answer" });
}
