import { GatepostError, refused, unexpected } from "./error.js";
import { type Operation, table } from "./generated/operations.js";
import type { CallOptions, OperationId } from "./types.js";

/** What the body of an answer must be. */
type Form = Pick<Operation, "answer" | "items">;

export type Values = Record<string, unknown>;
type Stream = ReadableStream<Uint8Array>;

export interface Connection {
  readonly url: string;
  readonly token: string;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
}

/** A longer timer would end at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;
/** Larger than any answer: a list of 10,000 keys takes about 3 MB. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const TRIES_MAX = 3;
const FIRST_PAUSE_MS = 100;
/** The service sends a comment to a stream every 15 seconds. */
const STREAM_SILENCE_MS = 45_000;
const STREAM_PAUSE_MS = 3_000;
const USER_AGENT = "gatepost-typescript/0.1.0";
/** Answers of a service, or of a proxy before it, that will be able to answer soon. */
const PASSING = new Set([429, 502, 503, 504]);

/** Calls an operation, and repeats the call where a repetition is safe and may help. */
export async function call(
  connection: Connection,
  id: OperationId,
  values: Values = {},
  options: CallOptions = {},
): Promise<unknown> {
  const operation: Operation = table[id];
  if (operation.answer !== "stream") return answerOf(connection, id, values, options);
  const open = (after: Values) => answerOf(connection, id, { ...values, ...after }, options) as Promise<Stream>;
  return continued(await open({}), open, options.signal ?? new AbortController().signal);
}

/** The answer of an operation: the body if it is a stream. */
async function answerOf(
  connection: Connection,
  id: OperationId,
  values: Values,
  options: CallOptions,
): Promise<unknown> {
  const operation: Operation = table[id];
  let [url, init] = request(connection, id, operation, values);
  const isFile = typeof values.format === "string" && values.format !== "json";
  const form: Form = isFile ? { answer: "text" } : operation;
  // The service may wait for this time before it answers.
  const waitMs = typeof values.wait === "number" ? values.wait * 1_000 : 0;
  const timeoutMs = Math.min(options.timeoutMs ?? connection.timeoutMs + waitMs, TIMER_MS_MAX);
  const endsAt = performance.now() + timeoutMs;
  const limit = new AbortController();
  // Ends with the call: the events of a stream may come later.
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  init.signal = options.signal ? AbortSignal.any([options.signal, limit.signal]) : limit.signal;
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(connection, url, init, form);
      } catch (error) {
        const failure = error instanceof GatepostError ? error : noAnswer(error);
        if (tries > 1 && init.method === "DELETE" && isGone(operation, failure)) {
          // A try before deleted it, and its answer was lost: it was empty, or a list of the others.
          if (!operation.answer) return undefined;
          url = url.replace(/\/[^/?]*(?=\?|$)/, "");
          init.method = "GET";
          continue;
        }
        const pauseMs = pauseAfter(failure, tries);
        const isOver = init.signal.aborted || performance.now() + pauseMs >= endsAt;
        if (!mayPass(failure) || isOver || tries >= TRIES_MAX || !isSafe(id, operation, values)) throw failure;
        await pause(pauseMs, init.signal);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a repetition may help: there was no answer, or one of a service that is busy or starts. */
const mayPass = ({ status }: GatepostError) => status === undefined || PASSING.has(status);

/** Whether the second of two equal calls changes nothing. */
function isSafe(id: OperationId, { method }: Operation, values: Values): boolean {
  if (id === "publishEvent") return typeof values.id === "string";
  if (id === "publishEvents") return (values.events as Values[]).every((event) => typeof event.id === "string");
  return method !== "POST" || values["idempotency-key"] !== undefined;
}

/** Whether the service does not have what a path names, as `session_not_found` says of `/sessions/{id}`. */
function isGone({ path }: Operation, { code }: GatepostError): boolean {
  const [, thing] = /\/(\w+)s\/\{\w+\}$/.exec(path) ?? [];
  // A revoked key stays, so that a key that is not found was never there.
  return thing !== "key" && code === `${thing}_not_found`;
}

function request(connection: Connection, id: string, operation: Operation, values: Values): [string, RequestInit] {
  if (connection.url === "") throw new GatepostError("url is not set", { code: "invalid_url" });
  const rest = { ...values };
  const take = (name: string) => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = take(name);
    // `.` and `..` would change the path.
    if (typeof value !== "string" || /^\.{0,2}$/.test(value)) throw wrong(`${id} needs ${name}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const name of operation.query ?? []) {
    const value = take(name);
    if (value !== undefined && value !== null) query.append(name, String(value));
  }
  const headers: Record<string, string> = { "user-agent": USER_AGENT };
  if (connection.token) headers.authorization = `Bearer ${connection.token}`;
  for (const name of operation.headers ?? []) {
    const value = take(name);
    if (value === undefined || value === null) continue;
    headers[name] = String(value);
    // `fetch` would refuse some of these values, as if there were no answer, and change others.
    if (!/^([!-~]([ -~]*[!-~])?)?$/.test(headers[name])) throw wrong(`${name} cannot be sent in a header`);
  }
  const unknown = Object.keys(rest).find((name) => !operation.body && rest[name] !== undefined);
  if (unknown) throw wrong(`${id} does not know ${unknown}`);
  // A redirect would carry the credential to another place.
  const init: RequestInit = { method: operation.method, headers, redirect: "manual" };
  if (operation.body) {
    headers["content-type"] = "application/json";
    init.body = jsonOf(rest);
  }
  return [`${connection.url}${path}${query.size > 0 ? `?${query}` : ""}`, init];
}

/** The JSON of a value. JSON has no number that is not finite, and the `null` in its place may mean to remove. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (name, member) => {
    if (typeof member === "number" && !Number.isFinite(member)) throw wrong(`${name} must be a finite number`);
    return member;
  });
}

async function attempt(connection: Connection, url: string, init: RequestInit, form: Form): Promise<unknown> {
  const response = await connection.fetch(url, init);
  const { status, headers } = response;
  if (status >= 400) throw refused(status, headers, new TextDecoder().decode(await bytesOf(response)));
  if (status >= 300 || response.type === "opaqueredirect") {
    await response.body?.cancel();
    throw unexpected(status, "a redirect, which the client does not follow with a credential", headers);
  }
  const fails = (reason: string) => unexpected(status, reason, headers, "unexpected_answer");
  if (form.answer === "stream") {
    if (headers.get("content-type")?.startsWith("text/event-stream") && response.body) return response.body;
    await response.body?.cancel();
    throw fails("the body is no stream of events");
  }
  const bytes = await bytesOf(response);
  if (form.answer === "bytes") return bytes;
  const text = new TextDecoder().decode(bytes);
  if (form.answer === "text") return text;
  if (form.answer) return json(text, form, fails);
  if (text === "") return undefined;
  throw fails("there is a body");
}

/** The body, if it is not larger than any answer. */
async function bytesOf(response: Response): Promise<Uint8Array> {
  // A `fetch` that is passed in may give another kind of stream.
  if (!response.body?.getReader) return new Uint8Array(await response.arrayBuffer());
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.byteLength;
    if (size > ANSWER_BYTES_MAX) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
}

function tooLarge(): Error {
  return new Error(`the answer has more than ${ANSWER_BYTES_MAX} bytes`);
}

/** The JSON object in a body, if it has the members of its operation. */
function json(text: string, { answer, items }: Form, fails: (reason: string) => GatepostError): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fails("the body is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw fails("the body is not a JSON object");
  const members = value as Values;
  for (const name of answer ?? []) if (members[name] === undefined) throw fails(`the body has no ${name}`);
  if (items && !Array.isArray(members[items])) throw fails(`${items} is no list`);
  return members;
}

/** The JSON of each event of a stream. When its connection ends, the stream continues after the last event. */
async function* continued(
  body: Stream,
  open: (after: Values) => Promise<Stream>,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, undefined> {
  const after: Values = {};
  let pauseMs = STREAM_PAUSE_MS;
  for (;;) {
    for await (const { id, retry, data } of events(body)) {
      if (id) after["last-event-id"] = id;
      if (/^\d{1,9}$/.test(retry)) pauseMs = Number(retry);
      if (data) yield parsed(data);
    }
    let next: Stream | undefined;
    while (!next) {
      await pause(pauseMs, signal);
      next = await open(after).catch((error: GatepostError) => {
        // A stream that has begun outlasts a restart of the service.
        if (signal.aborted || !mayPass(error)) throw error;
        return undefined;
      });
    }
    body = next;
  }
}

/** The events of a connection (`text/event-stream`). One that breaks, or is silent, ends like one that is closed. */
async function* events(body: Stream): AsyncGenerator<{ id: string; retry: string; data: string }, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const silence = setTimeout(() => void reader.cancel().catch(() => undefined), STREAM_SILENCE_MS);
      const { value } = await reader.read().catch(() => ({ value: undefined }));
      clearTimeout(silence);
      if (!value) return;
      text += decoder.decode(value, { stream: true });
      const complete = text.split(/\r?\n\r?\n/);
      text = complete.pop() ?? "";
      if (text.length > ANSWER_BYTES_MAX) throw noAnswer(tooLarge());
      for (const event of complete) {
        const lines = event.split(/\r?\n/);
        const field = (name: string) =>
          lines.flatMap((line) => (line.startsWith(`${name}:`) ? line.slice(name.length + 1).replace(/^ /, "") : []));
        yield { id: field("id").pop() ?? "", retry: field("retry").pop() ?? "", data: field("data").join("\n") };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw noAnswer(error);
  }
}

function pauseAfter({ retryAfterSeconds }: GatepostError, tries: number): number {
  const usual = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random());
  return retryAfterSeconds === undefined ? usual : retryAfterSeconds * 1_000 + Math.random() * 200;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw noAnswer(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(noAnswer(signal.reason));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", abort, { once: true });
  });
}

/** Settings with their defaults. A limit that is no number would be none: every comparison with it is false. */
export function settled<Defaults extends object, Given extends object>(
  defaults: Defaults,
  given: Given,
): Defaults & Required<Given> {
  const set = { ...defaults, ...given } as Values;
  for (const [name, value] of Object.entries(defaults)) {
    set[name] ??= value;
    if (typeof value === "number" && !(Number(set[name]) >= 0)) throw wrong(`${name} must be a number, 0 or more`);
  }
  return set as Defaults & Required<Given>;
}

function noAnswer(cause: unknown): GatepostError {
  return new GatepostError("no answer from the service", { code: "no_answer", cause });
}

function wrong(message: string): GatepostError {
  return new GatepostError(message, { code: "invalid_argument" });
}
