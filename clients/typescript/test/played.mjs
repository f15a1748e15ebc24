// A service that the test plays.
import { Gatepost } from "../dist/esm/index.js";

export const url = "https://keys.example.com";
export const json = (body, status = 200, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
export const client = (answer, more = {}) =>
  new Gatepost({ url, token: "t", fetch: async (...request) => answer(...request), ...more });
/** Never answers, as a network does. */
export const silent = (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
/** What Gatepost says of a valid key. */
export const ACTIVE = {
  active: true,
  sub: "alice",
  iss: "i",
  client_id: "key_1",
  label: "l",
  iat: 1,
  scope: "orders:read",
};
