import { GatepostError } from "./error.js";
import { isHeaders } from "./presented.js";

/** A public key as JSON (RFC 7517). */
export interface Jwk {
  kty?: string;
  crv?: string;
  x?: string;
  kid?: string;
  use?: string;
  alg?: string;
  key_ops?: string[];
}

/** `whsec_…`, a public key `whpk_…`, a public key as JWK, a set of them (JWKS), or a secret that is text. */
export type WebhookKey = string | Jwk | { keys: Jwk[] };

/** A key, or several while they rotate. Without one, every webhook is refused with `invalid_secret`. */
export type WebhookKeys = WebhookKey | null | undefined | WebhookKey[];

/** A webhook whose signature is right. It may arrive more than once: remember `id`. */
export interface Webhook {
  id: string;
  /** When this attempt was sent. */
  sentAt: Date;
  /** The body's JSON: `type`, `timestamp` and `data`. */
  readonly payload: { type: string; timestamp: string; data: unknown };
}

export interface WebhookOptions {
  /**
   * How far the timestamp may be from now, before or after: 300 s, which stops replays. Whole seconds count, so that 0
   * accepts a webhook of this second.
   */
  toleranceSeconds?: number;
  /** For tests: the time in milliseconds since 1970-01-01. */
  now?: () => number;
}

type HeadersLike = Headers | Record<string, string | string[] | undefined>;

const SIGNATURES_MAX = 32;
const SECRET_LENGTH_MAX = 256;
const UNIX_SECONDS_MAX = 0xffff_ffff_ffff_ffffn;

/**
 * Verifies that Gatepost, or another sender that follows Standard Webhooks, has sent this webhook. `body` must be the
 * bytes, or the text, as they were received. Throws a `GatepostError` whose `code` says why the webhook is refused.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  keys: WebhookKeys,
  { toleranceSeconds = 300, now = Date.now }: WebhookOptions = {},
): Promise<Webhook> {
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0) {
    throw refusal("invalid_argument", "toleranceSeconds must be a number of seconds, 0 or more");
  }
  const bytes = rawBytes(body);
  const [id, timestamp, signature] = (["webhook-id", "webhook-timestamp", "webhook-signature"] as const).map((name) =>
    header(headers, name),
  ) as [string, string, string];
  const verifiers = (await Promise.all([keys].flat().map(imported))).flat();
  if (verifiers.length === 0) throw refusal("invalid_secret", "a webhook cannot be verified without a secret");
  const sentAt = checkedTime(timestamp, Math.floor(now() / 1_000), toleranceSeconds);
  const signed = joined(utf8(`${id}.${timestamp}.`), bytes);
  const candidates = signature.split(" ").filter((part) => /^v1a?,/.test(part));
  for (const candidate of candidates.slice(0, SIGNATURES_MAX)) {
    const [version, text] = candidate.split(",", 2) as [string, string];
    const mac = fromBase64(text);
    if (!mac) continue;
    for (const { version: own, key } of verifiers) {
      // Web Crypto compares in constant time.
      if (own === version && (await crypto.subtle.verify(key.algorithm.name, key, mac, signed))) {
        return webhook(id, sentAt, bytes);
      }
    }
  }
  throw refusal("wrong_signature", "no signature matches");
}

function webhook(id: string, seconds: number, bytes: Uint8Array): Webhook {
  return {
    id,
    sentAt: new Date(seconds * 1_000),
    get payload() {
      return JSON.parse(new TextDecoder().decode(bytes));
    },
  };
}

function rawBytes(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return utf8(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw refusal(
    "body_not_raw",
    "verifyWebhook needs the body as it was received, because JSON that was parsed and serialized again has other " +
      'bytes. With Express: express.raw({ type: "application/json" })',
  );
}

function header(headers: HeadersLike, name: string): string {
  if (isHeaders(headers)) {
    const value = headers.get(name);
    if (value !== null) return value;
  } else {
    const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    const value = Array.isArray(found) ? found[0] : found;
    if (value !== undefined) return value;
  }
  throw refusal("missing_header", `the header ${name} is missing`);
}

function checkedTime(text: string, now: number, tolerance: number): number {
  if (!/^[0-9]+$/.test(text) || BigInt(text) > UNIX_SECONDS_MAX) {
    throw refusal("unreadable_timestamp", "the header webhook-timestamp is not a number of seconds");
  }
  const seconds = Number(text);
  if (now - seconds > tolerance) throw refusal("too_old", "the timestamp is too old");
  if (seconds - now > tolerance) throw refusal("too_new", "the timestamp is too far ahead");
  return seconds;
}

interface ImportedKey {
  version: "v1" | "v1a";
  key: CryptoKey;
}

async function imported(key: WebhookKey | null | undefined): Promise<ImportedKey[]> {
  if (typeof key === "object" && key) {
    const keys = "keys" in key ? [key.keys].flat() : [key];
    // A key that is malformed, or of another kind, takes nothing from the others of its set.
    const outcomes = await Promise.allSettled(keys.map(publicKey));
    return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  }
  if (typeof key !== "string" || key === "" || [...key].length > SECRET_LENGTH_MAX) {
    throw refusal("invalid_secret", "a secret has 1 to 256 characters");
  }
  if (key.startsWith("whpk_")) {
    const raw = decoded(key, 32, 32);
    return [{ version: "v1a", key: await crypto.subtle.importKey("raw", raw, { name: "Ed25519" }, false, ["verify"]) }];
  }
  const bytes = key.startsWith("whsec_") ? decoded(key, 24, 64) : utf8(key);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  return [{ version: "v1", key: await crypto.subtle.importKey("raw", bytes, hmac, false, ["verify"]) }];
}

async function publicKey({ kty, crv, x }: Jwk): Promise<ImportedKey> {
  const jwk = { kty, crv, x } as JsonWebKey;
  return { version: "v1a", key: await crypto.subtle.importKey("jwk", jwk, { name: "Ed25519" }, false, ["verify"]) };
}

function decoded(key: string, min: number, max: number): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(key.slice(key.indexOf("_") + 1));
  if (!bytes || bytes.length < min || bytes.length > max) {
    const size = min === max ? min : `${min} to ${max}`;
    throw refusal(
      "invalid_secret",
      `the part after ${key.slice(0, key.indexOf("_") + 1)} must be the base64 of ${size} bytes`,
    );
  }
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  // `atob` would accept white space and absent padding.
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function refusal(code: string, message: string): GatepostError {
  return new GatepostError(message, { code });
}
