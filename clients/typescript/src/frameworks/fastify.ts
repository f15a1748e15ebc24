import { refusalOf } from "../caller.js";
import type { RequestLike } from "../presented.js";
import type { Verifier } from "../verifier.js";

export { callerOf } from "../caller.js";

interface Reply {
  code(status: number): { headers(headers: Record<string, string>): { send(body: string): unknown } };
}

/** A hook of Fastify (`onRequest`): lets only requests pass whose API key has these scopes. */
export function requireApiKey(verifier: Verifier, scopes = "") {
  return async (request: { raw: RequestLike }, reply: Reply): Promise<unknown> => {
    const refusal = await refusalOf(verifier, scopes, request.raw, request);
    return refusal && reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
  };
}
