/** What is wrong with one field of a request. */
export interface FieldFault {
  field: string;
  detail: string;
}

/** Where the data of an event breaks the schema of its type. */
export interface SchemaFault {
  pointer: string;
  keyword: string;
  message: string;
}

/** The package may be loaded twice, by `import` and by `require`: an error of either is one of both. */
const BRAND = Symbol.for("@gatepost/client error");

type Facts = Partial<Omit<GatepostError, "name" | "message" | "stack">>;

/**
 * Why a call failed, or why a webhook is refused. It contains no credential.
 *
 * A `status` means that Gatepost, or a proxy before it, answered; `code` is then the stable code of the answer, if the
 * answer is a problem document, or `unexpected_answer` if it is a success in another form than that of the operation.
 * Without an answer, `code` is `no_answer`: the call may have had its effect. Other codes without a status name a wrong
 * argument, or why `verifyWebhook` refuses a webhook.
 */
export class GatepostError extends Error {
  override readonly name = "GatepostError";
  readonly code?: string;
  readonly status?: number;
  /** A short summary of this kind of error. */
  readonly title?: string;
  /** The explanation for people. */
  readonly detail?: string;
  /** The page that explains this kind of error, relative to the URL of the service. */
  readonly page?: string;
  /** The fields of the request that are wrong. */
  readonly errors: FieldFault[];
  /** Where the data of an event breaks the schema of its type, if it does. */
  readonly faults?: SchemaFault[];
  /** The id of the call in the service's log. */
  readonly requestId?: string;
  /** How long the service asks the client to wait before the next call. */
  readonly retryAfterSeconds?: number;
  /** The headers of the answer. */
  readonly headers?: Headers;

  static override [Symbol.hasInstance](value: unknown): value is GatepostError {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  constructor(message: string, { cause, errors = [], ...facts }: Facts = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.errors = errors;
    Object.defineProperty(this, BRAND, { value: true });
    for (const [name, value] of Object.entries(facts)) {
      if (value !== undefined) Object.defineProperty(this, name, { value, enumerable: name !== "headers" });
    }
  }
}

/** The error that an answer with this status, these headers and this body means. */
export function refused(status: number, headers: Headers, body: string): GatepostError {
  const problem = members(body);
  const text = (name: string) => (typeof problem[name] === "string" ? (problem[name] as string) : undefined);
  const errors = Array.isArray(problem.errors) ? (problem.errors as FieldFault[]) : [];
  const [code, title, detail, page] = ["code", "title", "detail", "type"].map(text);
  const requestId = text("requestId") ?? headers.get("x-request-id") ?? undefined;
  const retryAfterSeconds = secondsIn(headers.get("retry-after") ?? "");
  let message = `the service answered ${status}`;
  if (code) message += ` ${code}`;
  if (detail) message += `: ${detail}`;
  // If only one field is wrong, the detail of the problem already names the field.
  for (const fault of errors) if (!detail?.includes(fault.detail)) message += `; ${fault.field} ${fault.detail}`;
  if (requestId) message += ` (request ${requestId})`;
  const faults = Array.isArray(problem.faults) ? (problem.faults as SchemaFault[]) : undefined;
  const facts = { faults, code, status, title, detail, page, errors, requestId, retryAfterSeconds, headers };
  return new GatepostError(message, facts);
}

/** The pause that a `Retry-After` asks for, as seconds or as a date of HTTP (RFC 9110, 10.2.3). */
function secondsIn(retryAfter: string): number | undefined {
  // More digits are no time that a client could wait.
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const isDate = /^[A-Z][a-z]{2,8},? .*\d:\d\d:\d\d/.test(retryAfter);
  // One of the three forms names no zone. All are in GMT.
  const at = isDate ? Date.parse(retryAfter.replace(/( GMT)?$/, " GMT")) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000);
}

export function unexpected(status: number, reason: string, headers: Headers, code?: string): GatepostError {
  return new GatepostError(`unexpected answer with status ${status}: ${reason}`, { code, status, headers });
}

function members(body: string): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(body);
    return typeof document === "object" && document !== null && !Array.isArray(document) ? { ...document } : {};
  } catch {
    return {};
  }
}
