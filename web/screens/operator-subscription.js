// A subscription of an owner: its health, its deliveries, and the command to recover deliveries.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { refresh } from "../lib/cache.js";
import { DeliveryTable } from "../lib/delivery-table.js";
import { idOf, ownerOf, pageOf } from "../lib/owner.js";
import { usePages } from "../lib/pages.js";
import { useRead } from "../lib/resource.js";
import { ErrorPanel, Loading, Page } from "../lib/ui.js";
import { isPull, place } from "../lib/words.js";
import { ConsumersOf } from "./consumers.js";
import { FailuresOf } from "./failures.js";
import { RecoverOf } from "./recover.js";
import { Facts } from "./subscription.js";

/** @param {{ userId?: string, organizationId?: string, id: string }} props */
export default function OwnerSubscription({ id, ...path }) {
  const owner = ownerOf(path);
  const { data, failure, reload } = useRead("findUserSubscription", { ...owner, id });
  const [isRecovering, setRecovering] = useState(false);
  const list = usePages(async (cursor) => {
    const filter = { ...owner, subscriptionId: id, cursor, limit: 20 };
    const { deliveries, nextCursor } = await call("listUserDeliveries", filter);
    return { rows: deliveries, next: nextCursor };
  }, id);
  const base = pageOf(owner);
  const reloadThis = () => Promise.all([list.reload(), reload()]);
  const reloadAll = () => Promise.all([reloadThis(), refresh("listUserFailures", { ...owner, subscriptionId: id })]);
  return html`
    <${Page} title=${data ? place(data.subscription.url) : "Subscription"} lead="A subscription of ${idOf(owner)}." up=${{ href: `${base}?tab=subscriptions`, text: idOf(owner) }}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${data && html`<${Facts} subscription=${data.subscription} health=${data.health} />`}
      ${data && isPull(data.subscription) && html`<${ConsumersOf} owner=${owner} id=${id} />`}
      ${
        data &&
        !isPull(data.subscription) &&
        html`<div class="toolbar">
          <button type="button" onClick=${() => setRecovering(true)}>Recover…</button>
          <button type="button" onClick=${reloadAll}>Reload</button>
        </div>
        <${FailuresOf} owner=${owner} subscriptionId=${id} reload=${reloadThis} />
        <section>
          <h2>Deliveries</h2>
          ${list.frame(
            { empty: "No deliveries", hint: "Nothing was sent to this subscription yet." },
            html`<${DeliveryTable} deliveries=${list.rows} base="${base}/deliveries" caption="Deliveries to the subscription, newest first" />`,
          )}
        </section>`
      }
    <//>
    ${isRecovering && data && html`<${RecoverOf} owner=${owner} id=${id} waiting=${data.health.waiting} reload=${reloadAll} onClose=${() => setRecovering(false)} />`}
  `;
}
