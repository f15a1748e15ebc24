import { refusalOf } from "../caller.js";
import { type Receiver, responseTo } from "../receiver.js";
import type { Verifier } from "../verifier.js";

export { callerOf } from "../caller.js";

/** Wraps a route handler of Next: calls it only for requests whose API key has these scopes. */
export function requireApiKey<NextRequest extends Request, Context>(
  verifier: Verifier,
  scopes: string,
  handler: (request: NextRequest, context: Context) => Response | Promise<Response>,
) {
  return async (request: NextRequest, context: Context): Promise<Response> => {
    const refusal = await refusalOf(verifier, scopes, request, request);
    return refusal ? refusal.response() : handler(request, context);
  };
}

/**
 * A route handler of Next: verifies a webhook, calls your handler, and answers 204. It answers 400 if the webhook is not
 * genuine.
 */
export function receiveWebhooks(...receiver: Receiver) {
  return (request: Request): Promise<Response> => responseTo(request, receiver);
}
