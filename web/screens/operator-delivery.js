// A delivery to a user: its event, each attempt, and the command to send it again.

import { html } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { useAction, useRead } from "../lib/resource.js";
import { ErrorPanel, Loading, Page } from "../lib/ui.js";
import { Facts, History } from "./delivery.js";

/** @param {{ userId: string, id: string }} props */
export default function UserDelivery({ userId, id }) {
  const { data, failure, reload } = useRead("findUserDelivery", { userId, id });
  const subscribed = { userId, id: data?.delivery.subscriptionId ?? "" };
  const url = useRead(data && "findUserSubscription", subscribed).data?.subscription.url;
  const retry = useAction(async () => {
    await call("retryUserDelivery", { userId, id });
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
