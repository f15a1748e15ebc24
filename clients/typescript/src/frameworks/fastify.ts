import { refusalOf } from "../caller.js";
import type { RequestLike } from "../presented.js";
import { answerTo, BODY_BYTES_MAX, type Receiver, TEXT } from "../receiver.js";
import type { Verifier } from "../verifier.js";

export { callerOf } from "../caller.js";

interface Reply {
  code(status: number): { headers(headers: Record<string, string>): { send(body: string): unknown } };
}

interface Message {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: unknown;
}

type Done = (error: null, body: Uint8Array) => void;

/** The part of Fastify's instance that `receiveWebhooks` uses. */
interface Scope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer" },
    parser: (request: unknown, body: any, done: Done) => void,
  ): unknown;
  post(
    path: string,
    options: { bodyLimit: number },
    handler: (request: Message, reply: Reply) => Promise<unknown>,
  ): unknown;
}

/** A hook of Fastify (`onRequest`): lets only requests pass whose API key has these scopes. */
export function requireApiKey(verifier: Verifier, scopes = "") {
  return async (request: { raw: RequestLike }, reply: Reply): Promise<unknown> => {
    const refusal = await refusalOf(verifier, scopes, request.raw, request);
    return refusal && reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
  };
}

/**
 * A plugin of Fastify, for `app.register`: the route `path` verifies webhooks, calls your handler, and answers 204. It
 * answers 400 if a webhook is not genuine. Its bodies stay raw; those of other routes do not change.
 */
export function receiveWebhooks(path: string, ...receiver: Receiver) {
  return async (scope: Scope): Promise<void> => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.post(path, { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
      const body = (request.body ?? new Uint8Array()) as Uint8Array;
      const [status, reason] = await answerTo(request, body, receiver);
      return reply.code(status).headers(TEXT).send(reason);
    });
  };
}
