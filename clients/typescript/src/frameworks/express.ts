import { refusalOf } from "../caller.js";
import type { RequestLike } from "../presented.js";
import { answerTo, bodyOf, type Receiver, TEXT, wasRead } from "../receiver.js";
import type { Verifier } from "../verifier.js";

export { callerOf } from "../caller.js";

interface ServerResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

interface IncomingMessage extends AsyncIterable<Uint8Array> {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly readableDidRead: boolean;
  readonly body?: unknown;
}

type Next = (error?: unknown) => void;

/** Middleware of Express: lets only requests pass whose API key has these scopes. */
export function requireApiKey(verifier: Verifier, scopes = "") {
  return (request: RequestLike, response: ServerResponse, next: Next): void => {
    refusalOf(verifier, scopes, request, request)
      .then((refusal) => {
        if (!refusal) next();
        // A time limit of the host may have answered already.
        else if (!response.headersSent) response.writeHead(refusal.status, refusal.headers).end(refusal.body);
      })
      .catch(next);
  };
}

/**
 * A handler of Express: verifies a webhook, calls your handler, and answers 204. It answers 400 if the webhook is not
 * genuine. It reads the body itself, so put it before `app.use(express.json())`; `express.raw` and `express.text` may
 * come first.
 */
export function receiveWebhooks(...receiver: Receiver) {
  return (request: IncomingMessage, response: ServerResponse, next: Next): void => {
    rawBody(request)
      .then((body) => answerTo(request, body, receiver))
      .then(([status, reason]) => {
        if (!response.headersSent) response.writeHead(status, TEXT).end(reason);
      })
      .catch(next);
  };
}

async function rawBody(request: IncomingMessage): Promise<string | Uint8Array | undefined> {
  const { body } = request;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (request.readableDidRead) throw wasRead();
  return bodyOf(request);
}
