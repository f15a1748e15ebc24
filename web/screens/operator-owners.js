// Finds users and organizations by id, name, e-mail address or key.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { Owner } from "../lib/owner.js";
import { usePages } from "../lib/pages.js";
import { useFilter } from "../lib/router.js";
import { Choice, Filters, SearchField } from "../lib/fields.js";
import { Badge, Page } from "../lib/ui.js";
import { startOfKey } from "../lib/words.js";

/** @typedef {import("../lib/api.js").Answer<"listOwners">["owners"][number]} Found */

/** @type {[string, string][]} */
const STATES = [
  ["", "Any state"],
  ["active", "Active"],
  ["suspended", "Suspended"],
];

export default function Owners() {
  const [{ query: asked = "", state = "" }, , set] = useFilter();
  const [cut, setCut] = useState("");
  // Browsers, proxies and audit logs keep addresses: no address gets a whole key.
  const query = startOfKey(asked);
  const find = (/** @type {string} */ text) => {
    const start = startOfKey(text);
    setCut(start === text ? "" : start);
    set("query")(start);
  };
  const list = usePages(async (cursor) => {
    const { owners, nextCursor } = await call("listOwners", { query, state, cursor });
    return { rows: owners, next: nextCursor };
  }, `${state} ${query}`);
  return html`
    <${Page} title="Owners" lead="What a user has, and what happened to it. The user sees in the audit log what you open.">
      <${Filters} label="Find owners">
        <${SearchField} label="Find" value=${query} onChange=${find} isMain
          hint="How the id (sub), the name, the e-mail address or a key begins." />
        <${Choice} label="State" value=${state} options=${STATES} onChange=${set("state")} />
      <//>
      ${
        query &&
        (query === cut || query !== asked
          ? html`<p role="status">What looks like an API key is searched for by its start.</p>`
          : html`<p>Users without anything are not in the list: <${Owner} of=${{ userId: query }} />.</p>`)
      }
      ${list.frame(
        { empty: "No owners", hint: "No user and no organization matches who has keys, webhooks or a record." },
        html`<table>
          <caption class="hidden">Users and organizations</caption>
          <thead><tr><th>Owner</th><th>Name</th><th>State</th><th>Active keys</th><th>Webhooks</th></tr></thead>
          <tbody>${list.rows.map((one) => html`<${Row} key=${`${one.kind} ${one.id}`} of=${one} />`)}</tbody>
        </table>`,
      )}
    <//>
  `;
}

/** @param {{ of: Found }} props */
function Row({ of }) {
  const { enabledSubscriptions: enabled, failingSubscriptions: failing } = of;
  const isActive = of.state.state === "active";
  return html`
    <tr data-row tabindex="-1">
      <th scope="row"><${Owner} of=${of.kind === "user" ? { userId: of.id } : { organizationId: of.id }} /></th>
      <td data-label="Name">${of.name}${of.email && html`<span class="under">${of.email}</span>`}</td>
      <td data-label="State"><${Badge} tone=${isActive ? "good" : "bad"}>${isActive ? "Active" : "Suspended"}<//></td>
      <td data-label="Active keys">${of.activeKeys}</td>
      <td data-label="Webhooks">${enabled}${failing > 0 && html`<span class="under">${failing} failing</span>`}</td>
    </tr>
  `;
}
