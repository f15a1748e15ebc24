import { smoke } from "./smoke.mjs";

// Bun would serve a module with such an export, so it is not in smoke.mjs.
export default {
  fetch: async (request) => Response.json(await smoke(new URL(request.url).searchParams.get("url"))),
};
