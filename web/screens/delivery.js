// One delivery: its event, each attempt, and the owner's commands.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { may } from "../lib/rights.js";
import { useAction, useRead } from "../lib/resource.js";
import { deliveryCurl } from "../lib/snippets.js";
import { useFresh } from "../lib/stream.js";
import { duration } from "../lib/time.js";
import { Badge, Code, conclude, CopyButton, Due, ErrorPanel, Loading, Page, WhenExactly } from "../lib/ui.js";
import { attemptError, DELIVERY_STATES, deliveryReason } from "../lib/words.js";
import { VerifySignature } from "./verify-signature.js";

/** @typedef {import("../lib/api.js").Delivery} Delivery */
/** @typedef {import("../lib/api.js").Attempt} Attempt */

/** @param {{ id: string }} props */
export default function OneDelivery({ id }) {
  const { data, failure, reload } = useRead("findDelivery", { id });
  const subscribed = useRead(data && "findSubscription", { id: data?.delivery.subscriptionId ?? "" });
  const found = subscribed.data;
  const isDeleted = subscribed.failure?.problem.status === 404;
  const url = found?.subscription.url;
  const isOpen = data?.delivery.state === "waiting" || data?.delivery.state === "sending";
  useFresh(isOpen, ({ deliveryId }) => deliveryId === id, reload);
  const up = { href: "/console/deliveries", text: "Deliveries" };
  if (!data) {
    return html`<${Page} title="Delivery" up=${up}>
      ${failure ? html`<${ErrorPanel} failure=${failure} retry=${reload} />` : html`<${Loading} />`}
    <//>`;
  }
  const { delivery, event, attempts } = data;
  const hasSecret = found?.subscription.signing !== "ed25519";
  const isOrdered = found?.subscription.ordering === "subscription";
  const curl = url && deliveryCurl(url, event, hasSecret);
  return html`
    <${Page} title=${delivery.eventType} up=${up}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      <${Facts} delivery=${delivery} url=${url} isDeleted=${isDeleted} pausedUntil=${found?.health.pausedUntil} isOrdered=${isOrdered} />
      <${Orders} delivery=${delivery} reload=${reload} curl=${curl} isSigned=${hasSecret} isOrdered=${isOrdered} />
      <${History} attempts=${attempts} event=${event} />
      <${VerifySignature} deliveryId=${delivery.id} eventId=${event.id} attempts=${attempts} publicKey=${found?.subscription.publicKeys?.[0]} />
    <//>
  `;
}

/** @typedef {{ id: string, payload: unknown }} Event */

/** @param {{ attempts: Attempt[], event: Event }} props */
export const History = ({ attempts, event }) => html`
  <section>
    <h2>Attempts</h2>
    ${attempts.length === 0 && html`<p class="quiet">No attempt has ended yet.</p>`}
    <ol class="attempts">${attempts.toReversed().map((attempt) => html`<${OneAttempt} key=${attempt.number} attempt=${attempt} eventId=${event.id} />`)}</ol>
  </section>
  <section>
    <h2>Payload</h2>
    <${Code} text=${JSON.stringify(event.payload, null, 2)} what="payload" />
  </section>
`;

/** @param {{ delivery: Delivery, url: string | undefined, isDeleted?: boolean, pausedUntil?: string | null, isOrdered?: boolean, base?: string }} props */
export function Facts({
  delivery,
  url,
  isDeleted = false,
  pausedUntil,
  isOrdered = false,
  base = "/console/subscriptions",
}) {
  const [tone, name] = DELIVERY_STATES[delivery.state];
  return html`
    <dl class="facts">
      <div><dt>State</dt><dd><${Badge} tone=${tone}>${name}<//> ${deliveryReason(delivery)}</dd></div>
      <div>
        <dt>Sent to</dt>
        <dd>
          ${
            isDeleted
              ? html`<span class="quiet">a subscription that is deleted</span>`
              : html`<a class="url" href="${base}/${delivery.subscriptionId}">${url ?? delivery.subscriptionId}</a>`
          }
        </dd>
      </div>
      <div><dt>Published</dt><dd><${WhenExactly} at=${delivery.createdAt} /></dd></div>
      ${delivery.nextAttemptAt && html`<div><dt>Next attempt</dt><dd><${Due} at=${delivery.nextAttemptAt} isExact isOrdered=${isOrdered} />${pausedUntil && html`. The receiver is paused: its next attempt is <${Due} at=${pausedUntil} />`}</dd></div>`}
      ${delivery.completedAt && html`<div><dt>Ended</dt><dd><${WhenExactly} at=${delivery.completedAt} /></dd></div>`}
      <div><dt>Event</dt><dd><code>${delivery.eventId}</code></dd></div>
      <div><dt>Delivery</dt><dd><code>${delivery.id}</code></dd></div>
    </dl>
  `;
}

/** @param {{ delivery: Delivery, reload: () => Promise<void>, curl: string | undefined, isSigned: boolean, isOrdered: boolean }} props */
function Orders({ delivery, reload, curl, isSigned, isOrdered }) {
  const list = (/** @type {Before} */ before) => call("listDeliveries", before);
  const orders = useRetry(delivery, isOrdered, list, async () => {
    await call("retryDelivery", { id: delivery.id });
    await reload();
  });
  const cancel = () =>
    orders.act(async () => {
      await call("cancelDelivery", { id: delivery.id });
      await reload();
      conclude("The delivery is cancelled.");
    });
  const isOpen = delivery.state === "waiting" || delivery.state === "sending";
  return html`
    <div class="toolbar">
      ${
        may("webhooks") &&
        html`<button type="button" data-retry onClick=${orders.run} aria-disabled=${orders.isRunning}>
        ${delivery.state === "waiting" ? "Try now" : "Send again"}
      </button>`
      }
      ${may("webhooks") && isOpen && html`<button type="button" onClick=${cancel} aria-disabled=${orders.isRunning}>Cancel the delivery</button>`}
      ${curl && html`<${CopyButton} text=${curl} label=${isSigned ? "Copy as curl" : "Copy as curl, not signed"} />`}
    </div>
    ${isOrdered && html`<p class="quiet">${isOpen ? "The subscription has an order: this is sent when the deliveries before it have ended." : "The subscription has an order: sent again, this does not wait for its turn."}</p>`}
    ${isOrdered && html`<${Blocked} isBlocked=${orders.isBlocked} href="/console/deliveries?${waitingIn(delivery)}" />`}
    <${ErrorPanel} failure=${orders.failure} />
  `;
}

/** @typedef {{ subscriptionId: string, state: "waiting", until: string, limit: number }} Before */

/**
 * Sends a delivery now. One in an order is blocked if an earlier one waits; the next attempt ends that.
 * `act` runs another command. The failure is of the command that ran last.
 * @param {Delivery | undefined} delivery
 * @param {boolean} isOrdered
 * @param {(before: Before) => Promise<{ deliveries: unknown[] }>} list Lists deliveries before this one.
 * @param {() => Promise<void>} send
 */
export function useRetry(delivery, isOrdered, list, send) {
  const [blockedAt, setBlockedAt] = useState(/** @type {number | undefined} */ (undefined));
  const { run: act, ...state } = useAction((/** @type {() => Promise<unknown>} */ command) => command());
  const retry = async () => {
    await send();
    if (!isOrdered || delivery?.state !== "waiting") return;
    const { subscriptionId, createdAt: until, attempts } = delivery;
    const { deliveries } = await list({ subscriptionId, state: "waiting", until, limit: 1 });
    setBlockedAt(deliveries.length > 0 ? attempts : undefined);
  };
  return {
    ...state,
    act,
    run: () => act(retry),
    isBlocked: delivery?.state === "waiting" && delivery.attempts === blockedAt,
  };
}

/** The filter of what waits for the subscription. @param {Delivery} delivery */
export const waitingIn = ({ subscriptionId }) => `state=waiting&subscriptionId=${subscriptionId}`;

/** Why a delivery in an order is not sent at once. @param {{ isBlocked: boolean, href: string }} props */
export const Blocked = ({ isBlocked, href }) => html`
  <div role="status">${isBlocked && html`<p>It is due now, and waits for the deliveries before it. <a href=${href}>See them</a></p>`}</div>
`;

/** @param {{ attempt: Attempt, eventId: string }} props */
const OneAttempt = ({ attempt, eventId }) => html`
  <li class=${attempt.error ? "bad" : "good"}>
    <p class="attempt-head">
      <strong>${attempt.status ?? "No answer"}</strong>
      <span>Attempt ${attempt.number}</span>
      <span>${duration(attempt.durationMs)}</span>
      <span><${WhenExactly} at=${attempt.startedAt} /></span>
    </p>
    ${attempt.error && html`<p>${attemptError(attempt)}</p>`}
    <details>
      <summary>The headers of the event</summary>
      <pre class="plain"><code>${lines(requestHeaders(attempt, eventId))}</code></pre>
      <p class="quiet">The timestamp is by the clock of the instance that sent the request, and may differ by a second. The request also had its signature, and the headers and the authentication of the subscription. They are not kept.</p>
    </details>
    ${attempt.responseHeaders && html`<details><summary>The answer's headers</summary><pre class="plain"><code>${lines(attempt.responseHeaders)}</code></pre></details>`}
    ${attempt.response && html`<details><summary>The answer's body</summary><pre class="plain"><code>${attempt.response}</code></pre></details>`}
  </li>
`;

/**
 * The headers of the request that follow from the attempt, by the rules of Standard Webhooks.
 * @param {Attempt} attempt
 * @param {string} eventId
 */
const requestHeaders = ({ startedAt }, eventId) => [
  { name: "content-type", value: "application/json" },
  { name: "webhook-id", value: eventId },
  { name: "webhook-timestamp", value: String(Math.floor(Date.parse(startedAt) / 1000)) },
];

/** @param {{ name: string, value: string }[]} headers */
const lines = (headers) => headers.map(({ name, value }) => `${name}: ${value}`).join("\n");
