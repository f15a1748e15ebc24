// A delivery to an owner: its event, each attempt, and the command to send it again.

import { html } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { idOf, ownerOf, pageOf } from "../lib/owner.js";
import { useRead } from "../lib/resource.js";
import { ErrorPanel, Loading, Page } from "../lib/ui.js";
import { Blocked, Facts, History, useRetry, waitingIn } from "./delivery.js";

/** @param {{ userId?: string, organizationId?: string, id: string }} props */
export default function OwnerDelivery({ id, ...path }) {
  const owner = ownerOf(path);
  const { data, failure, reload } = useRead("findUserDelivery", { ...owner, id });
  const subscribed = { ...owner, id: data?.delivery.subscriptionId ?? "" };
  const found = useRead(data && "findUserSubscription", subscribed);
  const subscription = found.data?.subscription;
  const isDeleted = found.failure?.problem.status === 404;
  const isOrdered = subscription?.ordering === "subscription";
  const list = (/** @type {import("./delivery.js").Before} */ before) =>
    call("listUserDeliveries", { ...owner, ...before });
  const retry = useRetry(data?.delivery, isOrdered, list, async () => {
    await call("retryUserDelivery", { ...owner, id });
    await reload();
  });
  const base = pageOf(owner);
  return html`
    <${Page} title=${data?.delivery.eventType ?? "Delivery"} lead="A delivery to ${idOf(owner)}." up=${{ href: `${base}?tab=deliveries`, text: idOf(owner) }}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${
        data &&
        html`<${Facts} delivery=${data.delivery} url=${subscription?.url} isDeleted=${isDeleted} isOrdered=${isOrdered} base="${base}/subscriptions" />
        <div class="toolbar">
          <button type="button" data-retry onClick=${retry.run} aria-disabled=${retry.isRunning}>${data.delivery.state === "waiting" ? "Try now" : "Send again"}</button>
          <button type="button" onClick=${reload}>Reload</button>
          <a class="button" href="/console/operator/events/${data.event.id}">The event</a>
        </div>
        ${isOrdered && html`<${Blocked} isBlocked=${retry.isBlocked} href="${base}?tab=deliveries&${waitingIn(data.delivery)}" />`}
        <${ErrorPanel} failure=${retry.failure} />
        <${History} attempts=${data.attempts} event=${data.event} />`
      }
    <//>
  `;
}
