const REALM = 'Bearer realm="api"';

/** The answers, by the code that Gatepost uses for the same refusal. */
const ANSWERS = {
  missing: [
    401,
    "credential_missing",
    "Unauthorized",
    "The request needs an API key in the header x-api-key, or as Authorization: Bearer.",
  ],
  invalid: [401, "credential_invalid", "Unauthorized", "The API key is not valid."],
  missing_scope: [403, "insufficient_scope", "Forbidden", "The API key lacks a scope."],
  rate_limited: [429, "rate_limited", "Too Many Requests", "The API key is over its rate limit."],
  unavailable: [
    503,
    "unavailable",
    "Service Unavailable",
    "API keys cannot be verified at the moment. The key may be valid.",
  ],
} as const;

export type Reason = keyof typeof ANSWERS;

/** Why a request is refused, and the HTTP answer that says so. */
export class Refusal {
  readonly reason: Reason;
  readonly status: number;
  /** Lower-case names and values. */
  readonly headers: Record<string, string>;
  /** A problem document (RFC 9457). */
  readonly body: string;

  constructor(reason: Reason, more: Record<string, string> = {}) {
    const [status, code, title, detail] = ANSWERS[reason];
    this.reason = reason;
    this.status = status;
    this.body = JSON.stringify({ type: "about:blank", title, status, detail, code });
    this.headers = { "content-type": "application/problem+json", "cache-control": "no-store", ...more };
  }

  static readonly missing = new Refusal("missing", { "www-authenticate": REALM });
  static readonly invalid = new Refusal("invalid", { "www-authenticate": `${REALM}, error="invalid_token"` });
  static readonly unavailable = new Refusal("unavailable", { "retry-after": "1" });

  static missingScope(required: readonly string[]): Refusal {
    // Without characters that would end the quotes. No key has a scope with such characters.
    const scope = required.join(" ").replace(/[^ -~]|["\\]/g, "");
    const value = `${REALM}, error="insufficient_scope", scope="${scope}"`;
    return new Refusal("missing_scope", { "www-authenticate": value });
  }

  /** `headers` are those of Gatepost's answer. */
  static rateLimited(retryAfterSeconds: number, headers?: Headers): Refusal {
    const more: Record<string, string> = { "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds))) };
    for (const name of ["ratelimit", "ratelimit-policy"]) {
      const value = headers?.get(name);
      if (value) more[name] = value;
    }
    return new Refusal("rate_limited", more);
  }

  response(): Response {
    return new Response(this.body, { status: this.status, headers: this.headers });
  }
}
