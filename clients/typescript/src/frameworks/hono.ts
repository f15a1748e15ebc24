import { refusalOf } from "../caller.js";
import { type Receiver, responseTo } from "../receiver.js";
import type { Verifier } from "../verifier.js";

export { callerOf } from "../caller.js";

/** Middleware of Hono: lets only requests pass whose API key has these scopes. `callerOf(c)` is their caller. */
export function requireApiKey(verifier: Verifier, scopes = "") {
  return async (context: { req: { raw: Request } }, next: () => Promise<void>): Promise<Response | void> => {
    const refusal = await refusalOf(verifier, scopes, context.req.raw, context);
    return refusal ? refusal.response() : next();
  };
}

/**
 * A handler of Hono: verifies a webhook, calls your handler, and answers 204. It answers 400 if the webhook is not
 * genuine. It reads the body itself, so that no middleware may read it before.
 */
export function receiveWebhooks(...receiver: Receiver) {
  return (context: { req: { raw: Request } }): Promise<Response> => responseTo(context.req.raw, receiver);
}
