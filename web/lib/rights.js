// The rights of the session. Visitors with a portal link and members of an organization may lack some of them: their
// screens leave out these parts. The API decides in any case.

import { organization } from "./owner-shown.js";

/** @typedef {"keys" | "keys:read" | "webhooks" | "webhooks:read" | "sessions" | "audit" | "operator"} Right */

/** @type {Set<string>} */
let held = new Set();

/** Stores and returns the rights of the session. @param {import("./api.js").Answer<"findCurrentSession">} session */
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
