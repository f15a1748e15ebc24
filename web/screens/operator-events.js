// Published events of all users, and publishing one.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { EventTypeOptions } from "../lib/event-types.js";
import { usePages } from "../lib/pages.js";
import { useAction, useRead } from "../lib/resource.js";
import { navigate, useFilter } from "../lib/router.js";
import { ago, DAY } from "../lib/time.js";
import { jsonOf } from "../lib/json-field.js";
import { idOf, Owner, ownerOf } from "../lib/owner.js";
import { Choice, Field, Filters, Form, SearchField, TextField, typed } from "../lib/fields.js";
import { Dialog, Page, When } from "../lib/ui.js";
import { counted } from "../lib/words.js";

/** @type {[string, string][]} */
const PERIODS = [
  ["", "Any time"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
];
/** @type {Record<string, number>} */
const SECONDS = { "1h": 3600, "24h": DAY, "7d": 7 * DAY };
const EVENT_ID = /^evt_[0-9a-z]+$/;

export default function Events() {
  const [{ userId = "", organizationId = "", type = "", within = "" }, change, set] = useFilter();
  const [isPublishing, setPublishing] = useState(false);
  const list = usePages(async (cursor) => {
    const seconds = SECONDS[within];
    const { events, nextCursor } = await call("listEvents", {
      userId,
      organizationId,
      type,
      cursor,
      ...(seconds && { since: ago(seconds) }),
    });
    return { rows: events, next: nextCursor };
  }, `${userId} ${organizationId} ${type} ${within}`);
  const find = (/** @type {string} */ text) =>
    EVENT_ID.test(text) ? navigate(`/console/operator/events/${text}`) : change({ userId: text, organizationId: "" });
  const publish = html`<button type="button" data-new onClick=${() => setPublishing(true)}>Publish an event…</button>`;
  return html`
    <${Page} title="Events" lead="What the host application published, newest first." actions=${publish}>
      <${Filters} label="Filter events">
        <${SearchField} label="User id or event id" value=${userId} onChange=${find} isMain />
        <${SearchField} label="Organization id" value=${organizationId} onChange=${(/** @type {string} */ text) => change({ organizationId: text, userId: "" })} />
        <${SearchField} label="Event type" value=${type} onChange=${set("type")} />
        <${Choice} label="Published" value=${within} options=${PERIODS} onChange=${set("within")} />
      <//>
      ${list.frame(
        { empty: "No events", hint: "No event matches, or nothing was published yet." },
        html`<table>
          <caption class="hidden">Events, newest first</caption>
          <thead><tr><th>Event</th><th>Owner</th><th>Sent to</th><th>Published</th></tr></thead>
          <tbody>${list.rows.map(
            ({ event, deliveries }) => html`<tr key=${event.id}>
            <th scope="row"><a data-row href="/console/operator/events/${event.id}">${event.type}</a></th>
            <td data-label="Owner"><${Owner} of=${event} /></td>
            <td data-label="Sent to">${counted(deliveries, "subscription", "subscriptions")}</td>
            <td data-label="Published"><${When} at=${event.createdAt} /></td>
          </tr>`,
          )}</tbody>
        </table>`,
      )}
    <//>
    ${isPublishing && html`<${Publish} owner=${ownerOf(organizationId ? { organizationId } : { userId })} onClose=${() => setPublishing(false)} />`}
  `;
}

/** @type {[string, string][]} */
const OWNERS = [
  ["userId", "A user"],
  ["organizationId", "An organization"],
];

/** @param {{ owner: import("../lib/owner.js").Named, onClose: () => void }} props */
function Publish({ owner, onClose }) {
  const [kind, setKind] = useState("userId" in owner ? "userId" : "organizationId");
  const [id, setId] = useState(idOf(owner));
  const [type, setType] = useState("");
  const [data, setData] = useState("{}");
  // The form works without them.
  const types = useRead("listAllEventTypes").data?.eventTypes;
  const { run, isRunning, failure } = useAction(async () => {
    const body = { [kind]: id.trim(), type: type.trim(), data: jsonOf(data, "data", "The data is not JSON") };
    const { event } = await call("publishEvent", { body });
    navigate(`/console/operator/events/${event.id}`);
  });
  return html`
    <${Dialog} title="Publish an event" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} fields=${[kind, "type", "data"]} label="Publish" onCancel=${onClose} isReady=${id.trim() !== "" && type.trim() !== ""}>
        <p>Gatepost sends the event to every subscription of the owner that matches its type. You cannot undo this.</p>
        <${Choice} label="Owner" value=${kind} options=${OWNERS} onChange=${setKind} />
        <${TextField} label=${kind === "userId" ? "User id" : "Organization id"} spellcheck=${false} fault=${failure?.fault(kind)} value=${id} set=${setId} />
        <${EventTypeOptions} id="event-types" types=${types} />
        <${TextField} label="Type" list="event-types" hint="Such as invoice.paid" fault=${failure?.fault("type")} value=${type} set=${setType} />
        <${Field} label="Data (JSON)" fault=${failure?.fault("data")} input=${(/** @type {object} */ more) => html`<textarea rows="6" spellcheck=${false} value=${data} onInput=${typed(setData)} ...${more}></textarea>`} />
      <//>
    <//>
  `;
}
