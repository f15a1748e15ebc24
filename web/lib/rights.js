// What the session may do. Visitors, whom a portal link has let in, may lack some of it: their screens leave it out. The
// API decides in any case.

/** @typedef {"keys" | "keys:read" | "webhooks" | "webhooks:read" | "sessions" | "audit" | "operator"} Right */

/** @type {Set<string>} */
let held = new Set();

/** @param {import("./api.js").Answer<"findCurrentSession">} session */
export function hold({ capabilities, role }) {
  const own = role === "visitor" ? [] : ["sessions", "audit"];
  held = new Set([...capabilities, ...own, ...(role === "operator" ? ["operator"] : [])]);
}

/** @param {Right} right */
export const may = (right) => held.has(right);
