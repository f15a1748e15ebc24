// A delivery to an owner: its event, each attempt, and the command to send it again.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { idOf, ownerOf, pageOf } from "../lib/owner.js";
import { useAction, useRead } from "../lib/resource.js";
import { ErrorPanel, Loading, Page } from "../lib/ui.js";
import { before, Blocked, Facts, History, waitingIn } from "./delivery.js";

/** @param {{ userId?: string, organizationId?: string, id: string }} props */
export default function OwnerDelivery({ id, ...path }) {
  const owner = ownerOf(path);
  const { data, failure, reload } = useRead("findUserDelivery", { ...owner, id });
  const subscribed = { ...owner, id: data?.delivery.subscriptionId ?? "" };
  const subscription = useRead(data && "findUserSubscription", subscribed).data?.subscription;
  const isOrdered = subscription?.ordering === "subscription";
  const [isBlocked, setBlocked] = useState(false);
  const retry = useAction(async () => {
    const { delivery } = await call("retryUserDelivery", { ...owner, id });
    if (isOrdered) {
      const { deliveries } = await call("listUserDeliveries", { ...owner, ...before(delivery) });
      setBlocked(deliveries.length > 0);
    }
    await reload();
  });
  const base = pageOf(owner);
  return html`
    <${Page} title=${data?.delivery.eventType ?? "Delivery"} lead="A delivery to ${idOf(owner)}." up=${{ href: `${base}?tab=deliveries`, text: idOf(owner) }}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${
        data &&
        html`<${Facts} delivery=${data.delivery} url=${subscription?.url} isOrdered=${isOrdered} base="${base}/subscriptions" />
        <div class="toolbar">
          <button type="button" data-retry onClick=${retry.run} aria-disabled=${retry.isRunning}>${data.delivery.state === "waiting" ? "Try now" : "Send again"}</button>
          <button type="button" onClick=${reload}>Reload</button>
          <a class="button" href="/console/operator/events/${data.event.id}">The event</a>
        </div>
        ${isOrdered && html`<${Blocked} isBlocked=${isBlocked && data.delivery.state === "waiting"} href="${base}?tab=deliveries&${waitingIn(data.delivery)}" />`}
        <${ErrorPanel} failure=${retry.failure} />
        <${History} attempts=${data.attempts} event=${data.event} />`
      }
    <//>
  `;
}
