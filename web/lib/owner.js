// The owner of an item, for operators: a user or an organization.

import { html } from "../vendor/preact.js";

/** @typedef {import("./api.js").Owner} Named */

/** The owner that an item names, or the path of a screen. @param {{ userId?: string, organizationId?: string }} of @returns {Named} */
export const ownerOf = ({ userId = "", organizationId }) =>
  organizationId === undefined ? { userId } : { organizationId };

/** @param {Named} owner */
export const idOf = (owner) => ("userId" in owner ? owner.userId : owner.organizationId);

/** The word for the owner. @param {Named} owner */
export const kindOf = (owner) => ("userId" in owner ? "user" : "organization");

/** The path of the owner's screen. @param {Named} owner */
export const pageOf = (owner) => `/console/operator/${kindOf(owner)}s/${encodeURIComponent(idOf(owner))}`;

/** @param {{ of: { userId?: string, organizationId?: string } }} props */
export function Owner({ of }) {
  const owner = ownerOf(of);
  const link = html`<a href=${pageOf(owner)}>${idOf(owner)}</a>`;
  return "userId" in owner ? link : html`organization ${link}`;
}
