// What the session may do. Visitors, whom a portal link has let in, may lack some of it: their screens leave it out. The
// API decides in any case.

/** @typedef {"keys" | "keys:read" | "webhooks" | "webhooks:read" | "sessions" | "audit"} Right */

/** @type {Set<string>} */
let held = new Set();

/** @param {import("./api.js").Answer<"findCurrentSession">} session */
export function hold({ capabilities, role }) {
  held = new Set(role === "visitor" ? capabilities : [...capabilities, "sessions", "audit"]);
}

/** @param {Right} right */
export const may = (right) => held.has(right);
