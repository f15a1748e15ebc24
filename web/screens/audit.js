// The changes of the user's items and their actors, newest first.

import { html } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { AUDIT_ACTIONS, AUDIT_LISTS, AUDIT_MEANS, changeInWords } from "../lib/audit-words.js";
import { usePages } from "../lib/pages.js";
import { useRead } from "../lib/resource.js";
import { useFilter } from "../lib/router.js";
import { Owner } from "../lib/owner.js";
import { Choice, Filters } from "../lib/fields.js";
import { Page, When } from "../lib/ui.js";
import { place } from "../lib/words.js";

/** @typedef {import("../lib/api.js").Schemas["AuditEvent"]} AuditEvent */

const PAGE_SIZE = 50;

/** @type {[string, string][]} */
export const ACTIONS = [["", "Any action"], ...Object.entries(AUDIT_ACTIONS)];

export default function Audit() {
  const [{ action = "", target = "" }, , set] = useFilter();
  const list = usePages(async (cursor) => {
    const { events, nextCursor } = await call("listAuditEvents", { action, target, cursor, limit: PAGE_SIZE });
    return { rows: events, next: nextCursor };
  }, `${action} ${target}`);
  const names = useNames();
  return html`
    <${Page} title="Audit log" lead="Who changed your keys, webhooks and sessions, when and how.">
      <${Filters} label="Filter the audit log">
        <${Choice} label="Action" value=${action} options=${ACTIONS} onChange=${set("action")} />
      <//>
      <${OnlyTarget} target=${target} names=${names} show=${set("target")} />
      ${list.frame(
        {
          empty: "Nothing was changed",
          hint: "Each change of a key, a subscription or a session appears here, with who made it. The filter may hide it.",
        },
        html`<${Table} events=${list.rows} names=${names} show=${set("target")} />`,
      )}
    <//>
  `;
}

/** The labels of keys and the URLs of subscriptions, by id. The log works without them. */
function useNames() {
  const keys = useRead("listApiKeys").data?.keys ?? [];
  const subscriptions = useRead("listSubscriptions", { limit: 200 }).data?.subscriptions ?? [];
  return Object.fromEntries([
    ...keys.map((key) => [key.id, key.label]),
    ...subscriptions.map((one) => [one.id, place(one.url)]),
  ]);
}

/**
 * The same for operators, from the log itself: a look at the keys and subscriptions of an owner would be in the owner's log.
 * An item without a name in the log is shown by its id.
 * @param {AuditEvent[]} events
 * @param {{ userId?: string, organizationId?: string }} [owner]
 */
export function useLoggedNames(events, owner) {
  const keys = useRead("listAllAuditEvents", { ...owner, action: "key.created", limit: 200 }).data?.events ?? [];
  const made = { ...owner, action: "subscription.created", limit: 200 };
  const subscriptions = useRead("listAllAuditEvents", made).data?.events ?? [];
  /** @type {Record<string, string>} */
  const names = {};
  // The newest name comes last.
  for (const event of [...keys, ...subscriptions, ...[...events].reverse()])
    Object.assign(names, namesIn(event, names));
  return names;
}

/**
 * The names in the event.
 * @param {AuditEvent} event
 * @param {Record<string, string>} names
 */
function namesIn({ target: { id }, changes }, names) {
  const after = (/** @type {string} */ field) => changes.find((one) => one.field === field)?.after;
  const [label, url, successor] = [after("label"), after("url"), after("successor")];
  if (!id) return {};
  return {
    ...(label && { [id]: label }),
    ...(url && { [id]: place(url) }),
    ...(successor && names[id] && { [successor]: names[id] }),
  };
}

/** @param {{ target: string, names: Record<string, string>, show: (id: string) => void }} props */
export const OnlyTarget = ({ target, names, show }) =>
  target &&
  html`<p>Only ${names[target] ?? html`<code>${target}</code>`}. <button type="button" class="link" onClick=${() => show("")}>Show everything</button></p>`;

/** @param {{ events: AuditEvent[], show: (id: string) => void, names?: Record<string, string>, showsUser?: boolean }} props */
export const Table = ({ events, show, names = {}, showsUser = false }) => html`
  <table>
    <caption class="hidden">Changes, newest first</caption>
    <thead><tr><th>Action</th><th>What</th>${showsUser && html`<th>Owner</th>`}<th>By</th><th>From</th><th>When</th></tr></thead>
    <tbody>${events.map((event) => html`<${Row} key=${event.id} event=${event} show=${show} names=${names} showsUser=${showsUser} />`)}</tbody>
  </table>
`;

/** @param {{ event: AuditEvent, show: (id: string) => void, names: Record<string, string>, showsUser: boolean }} props */
function Row({ event, show, names, showsUser }) {
  const { action, actor, via, target, changes, address, at } = event;
  const id = target.id;
  return html`
    <tr data-row tabindex="-1">
      <th scope="row">
        ${AUDIT_ACTIONS[action] ?? action}
        ${changes.map((one) => html`<span class="under">${changeInWords(one, names)}</span>`)}
      </th>
      <td data-label="What" class="url">
        ${id && html`<button type="button" class="link" onClick=${() => show(id)}>${names[id] ?? html`<code>${id}</code>`}</button>${names[id] && html`<span class="under id"><code>${id}</code></span>`}`}
        ${!id && (AUDIT_LISTS[target.type] ?? target.type)}
      </td>
      ${showsUser && html`<td data-label="Owner"><${Owner} of=${event} /></td>`}
      <td data-label="By">${actor.id ?? "the service"}<span class="under">${AUDIT_MEANS[via.type] ?? via.type}</span></td>
      <td data-label="From">${address ?? html`<span class="quiet">–</span>`}</td>
      <td data-label="When"><${When} at=${at} /></td>
    </tr>
  `;
}
