// Published events of all users, and publishing one.

import { html, useState } from "../vendor/preact.js";
import { call, Failure } from "../lib/api.js";
import { usePages } from "../lib/pages.js";
import { useAction } from "../lib/resource.js";
import { navigate, useFilter } from "../lib/router.js";
import { ago, DAY } from "../lib/time.js";
import { Owner } from "../lib/owner.js";
import { Choice, Dialog, Field, Filters, Form, Page, SearchField, TextField, typed, When } from "../lib/ui.js";
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
  const [{ userId = "", type = "", within = "" }, change, set] = useFilter();
  const [isPublishing, setPublishing] = useState(false);
  const list = usePages(async (cursor) => {
    const seconds = SECONDS[within];
    const { events, nextCursor } = await call("listEvents", {
      userId,
      type,
      cursor,
      ...(seconds && { since: ago(seconds) }),
    });
    return { rows: events, next: nextCursor };
  }, `${userId} ${type} ${within}`);
  const find = (/** @type {string} */ text) =>
    EVENT_ID.test(text) ? navigate(`/console/operator/events/${text}`) : change({ userId: text });
  const publish = html`<button type="button" data-new onClick=${() => setPublishing(true)}>Publish an event…</button>`;
  return html`
    <${Page} title="Events" lead="What the host application published, newest first." actions=${publish}>
      <${Filters} label="Filter events">
        <${SearchField} label="User id or event id" value=${userId} onChange=${find} isMain />
        <${SearchField} label="Event type" value=${type} onChange=${set("type")} />
        <${Choice} label="Published" value=${within} options=${PERIODS} onChange=${set("within")} />
      <//>
      ${list.frame(
        { empty: "No events", hint: "No event matches, or nothing was published yet." },
        html`<table>
          <caption class="hidden">Events, newest first</caption>
          <thead><tr><th>Event</th><th>User</th><th>Sent to</th><th>Published</th></tr></thead>
          <tbody>${list.rows.map(
            ({ event, deliveries }) => html`<tr key=${event.id}>
            <th scope="row"><a data-row href="/console/operator/events/${event.id}">${event.type}</a></th>
            <td data-label="User"><${Owner} of=${event} /></td>
            <td data-label="Sent to">${counted(deliveries, "subscription", "subscriptions")}</td>
            <td data-label="Published"><${When} at=${event.createdAt} /></td>
          </tr>`,
          )}</tbody>
        </table>`,
      )}
    <//>
    ${isPublishing && html`<${Publish} userId=${userId} onClose=${() => setPublishing(false)} />`}
  `;
}

/** @param {{ userId: string, onClose: () => void }} props */
function Publish({ userId, onClose }) {
  const [user, setUser] = useState(userId);
  const [type, setType] = useState("");
  const [data, setData] = useState("{}");
  const { run, isRunning, failure } = useAction(async () => {
    const body = { userId: user.trim(), type: type.trim(), data: parsed(data) };
    const { event } = await call("publishEvent", { body });
    navigate(`/console/operator/events/${event.id}`);
  });
  return html`
    <${Dialog} title="Publish an event" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} fields=${["userId", "type", "data"]} label="Publish" onCancel=${onClose} isReady=${user.trim() !== "" && type.trim() !== ""}>
        <p>Gatepost sends the event to every subscription of the user that matches its type. You cannot undo this.</p>
        <${TextField} label="User id" fault=${failure?.fault("userId")} value=${user} set=${setUser} />
        <${TextField} label="Type" hint="Such as invoice.paid" fault=${failure?.fault("type")} value=${type} set=${setType} />
        <${Field} label="Data (JSON)" fault=${failure?.fault("data")} input=${(/** @type {object} */ more) => html`<textarea rows="6" spellcheck="false" value=${data} onInput=${typed(setData)} ...${more}></textarea>`} />
      <//>
    <//>
  `;
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure({
      title: "The data is not JSON",
      detail: "Check quotes, commas and brackets.",
      errors: [{ field: "data", detail: "must be JSON" }],
    });
  }
}
