import { refusalOf } from "../caller.js";
import type { Verifier } from "../verifier.js";

export { callerOf } from "../caller.js";

/** Middleware of Hono: lets only requests pass whose API key has these scopes. `callerOf(c)` is their caller. */
export function requireApiKey(verifier: Verifier, scopes = "") {
  return async (context: { req: { raw: Request } }, next: () => Promise<void>): Promise<Response | void> => {
    const refusal = await refusalOf(verifier, scopes, context.req.raw, context);
    return refusal ? refusal.response() : next();
  };
}
