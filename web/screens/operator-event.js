// One published event with its payload.

import { html } from "../vendor/preact.js";
import { useRead } from "../lib/resource.js";
import { kindOf, Owner, ownerOf, pageOf } from "../lib/owner.js";
import { Code, ErrorPanel, Loading, Page, WhenExactly } from "../lib/ui.js";
import { counted } from "../lib/words.js";

/** @param {{ id: string }} props */
export default function OneEvent({ id }) {
  const { data, failure, reload } = useRead("findEvent", { id });
  return html`
    <${Page} title=${data?.event.type ?? "Event"} up=${{ href: "/console/operator/events", text: "Events" }}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${data && html`<${Shown} logged=${data} />`}
    <//>
  `;
}

/** @param {{ logged: import("../lib/api.js").Schemas["LoggedEvent"] }} props */
function Shown({ logged: { event, deliveries } }) {
  const owner = ownerOf(event);
  return html`
    <dl class="facts">
      <div><dt>Owner</dt><dd><${Owner} of=${event} /></dd></div>
      <div><dt>Published</dt><dd><${WhenExactly} at=${event.createdAt} /></dd></div>
      <div><dt>Sent to</dt><dd>${counted(deliveries, "subscription", "subscriptions")}. <a href="${pageOf(owner)}?tab=deliveries">Deliveries to the ${kindOf(owner)}</a></dd></div>
      <div><dt>Id</dt><dd><code>${event.id}</code></dd></div>
    </dl>
    <section>
      <h2>Payload</h2>
      ${
        event.payload === undefined
          ? html`<p class="quiet">No subscription matched this event, so its payload is not kept.</p>`
          : html`<${Code} text=${JSON.stringify(event.payload, null, 2)} what="payload" />`
      }
    </section>
  `;
}
