// The owner of an item, for operators: a user, who has a page, or an organization.

import { html } from "../vendor/preact.js";

/** @param {{ of: { userId?: string, organizationId?: string } }} props */
export function Owner({ of: { userId, organizationId } }) {
  if (userId === undefined) return html`organization ${organizationId}`;
  return html`<a href=${`/console/operator/users/${encodeURIComponent(userId)}`}>${userId}</a>`;
}
