import { refusalOf } from "../caller.js";
import type { RequestLike } from "../presented.js";
import type { Verifier } from "../verifier.js";

export { callerOf } from "../caller.js";

interface ServerResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/** Middleware of Express: lets only requests pass whose API key has these scopes. */
export function requireApiKey(verifier: Verifier, scopes = "") {
  return (request: RequestLike, response: ServerResponse, next: (error?: unknown) => void): void => {
    refusalOf(verifier, scopes, request, request)
      .then((refusal) => {
        if (!refusal) next();
        // A time limit of the host may have answered already.
        else if (!response.headersSent) response.writeHead(refusal.status, refusal.headers).end(refusal.body);
      })
      .catch(next);
  };
}
