// What the session may do. Visitors, whom a portal link has let in, and members of an organization may lack some of it: their
// screens leave it out. The
// API decides in any case.

import { organization } from "./owner-shown.js";

/** @typedef {"keys" | "keys:read" | "webhooks" | "webhooks:read" | "sessions" | "audit" | "operator"} Right */

/** @type {Set<string>} */
let held = new Set();

/** What the session may do, which is returned too. @param {import("./api.js").Answer<"findCurrentSession">} session */
export function hold({ capabilities, organizations, role }) {
  const there = organizations?.find((one) => one.organizationId === organization)?.capabilities ?? [];
  const here = organization ? there : capabilities;
  const seesLog = organization ? here.includes("keys") && here.includes("webhooks") : role !== "visitor";
  const own = [role !== "visitor" && "sessions", seesLog && "audit", role === "operator" && "operator"];
  held = new Set([...here, ...own.filter((right) => right !== false)]);
  return [...held];
}

/** @param {Right} right */
export const may = (right) => held.has(right);
