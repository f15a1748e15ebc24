// A delivery to a user: its event, each attempt, and how to send it again.

import { html } from "../vendor/preact.js";
import { PATHS, retryDeliveryOf } from "../lib/api.js";
import { useAction, useResource } from "../lib/resource.js";
import { ErrorPanel, Loading, Page } from "../lib/ui.js";
import { Facts, History } from "./delivery.js";

/** @typedef {import("../lib/resource.js").Resource<import("../lib/api.js").Answer<"findUserDelivery">>} Found */
/** @typedef {import("../lib/resource.js").Resource<import("../lib/api.js").Answer<"findUserSubscription">>} FoundSubscription */

/** @param {{ userId: string, id: string }} props */
export default function UserDelivery({ userId, id }) {
  const { data, failure, reload } = /** @type {Found} */ (useResource(PATHS.deliveryOf(userId, id)));
  const path = data && PATHS.subscriptionOf(userId, data.delivery.subscriptionId);
  const url = /** @type {FoundSubscription} */ (useResource(path)).data?.subscription.url;
  const retry = useAction(async () => {
    await retryDeliveryOf(userId, id);
    await reload();
  });
  const base = `/console/operator/users/${encodeURIComponent(userId)}`;
  return html`
    <${Page} title=${data?.delivery.eventType ?? "Delivery"} lead="A delivery to ${userId}." up=${{ href: `${base}?tab=deliveries`, text: userId }}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${
        data &&
        html`<${Facts} delivery=${data.delivery} url=${url} base="${base}/subscriptions" />
        <div class="toolbar">
          <button type="button" data-retry onClick=${retry.run} aria-disabled=${retry.isRunning}>${data.delivery.state === "waiting" ? "Try now" : "Send again"}</button>
          <button type="button" onClick=${reload}>Reload</button>
          <a class="button" href="/console/operator/events/${data.event.id}">The event</a>
        </div>
        <${ErrorPanel} failure=${retry.failure} />
        <${History} attempts=${data.attempts} event=${data.event} />`
      }
    <//>
  `;
}
