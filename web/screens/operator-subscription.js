// A subscription of an owner: its health, its deliveries, and the command to send lost ones again.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { refresh } from "../lib/cache.js";
import { DeliveryTable } from "../lib/delivery-table.js";
import { idOf, kindOf, ownerOf, pageOf } from "../lib/owner.js";
import { usePages } from "../lib/pages.js";
import { useAction, useRead } from "../lib/resource.js";
import { ago, DAY } from "../lib/time.js";
import { Choice, Dialog, ErrorPanel, Form, Loading, Page } from "../lib/ui.js";
import { counted, isPull, place } from "../lib/words.js";
import { ConsumersOf } from "./consumers.js";
import { FailuresOf } from "./failures.js";
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
          <button type="button" onClick=${() => setRecovering(true)}>Send again what was lost…</button>
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
    ${isRecovering && html`<${Recover} owner=${owner} id=${id} reload=${reloadAll} onClose=${() => setRecovering(false)} />`}
  `;
}

/** @type {[string, string][]} */
const SINCE = [
  ["3600", "The last hour"],
  [String(DAY), "The last 24 hours"],
  [String(3 * DAY), "The last 3 days"],
  [String(7 * DAY), "The last 7 days"],
];

/** @param {{ owner: import("../lib/owner.js").Named, id: string, reload: () => Promise<unknown>, onClose: () => void }} props */
function Recover({ owner, id, reload, onClose }) {
  const [since, setSince] = useState(String(DAY));
  const [count, setCount] = useState(/** @type {number | undefined} */ (undefined));
  const { run, isRunning, failure } = useAction(async () => {
    const asked = { ...owner, id, body: { since: ago(Number(since)), what: /** @type {const} */ ("failed") } };
    setCount((await call("recoverUserSubscription", asked)).deliveries);
    await reload();
  });
  return html`
    <${Dialog} title="Send again what was lost" onClose=${onClose} done=${count !== undefined && "Done"}>
      ${
        count === undefined
          ? html`<${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Send again" onCancel=${onClose}>
            <p>Gatepost enables the subscription if it is disabled, ends its pause, and sends what failed or waits for a retry. The receiver may get an event twice: its <code>webhook-id</code> stays the same. The ${kindOf(owner)} sees it in the audit log.</p>
            <${Choice} label="Events of" value=${since} options=${SINCE} onChange=${setSince} />
          <//>`
          : html`<p role="status" class="verdict good">${counted(count, "delivery is", "deliveries are")} due now.</p>`
      }
    <//>
  `;
}
