// Deliveries as rows.

import { html } from "../vendor/preact.js";
import { duration } from "./time.js";
import { Badge, Due, WhenExactly } from "./ui.js";
import { attemptError, DELIVERY_STATES, place } from "./words.js";

/** @typedef {import("./api.js").Delivery} Delivery */
/** @typedef {import("./api.js").Subscription} Subscription */

/** @param {{ deliveries: Delivery[], subscriptions?: Subscription[], caption: string, base?: string }} props */
export const DeliveryTable = ({ deliveries, subscriptions, caption, base = "/console/deliveries" }) => html`
  <table class="deliveries">
    <caption class="hidden">${caption}</caption>
    <thead>
      <tr>
        <th>Event</th>
        <th>State</th>
        ${subscriptions && html`<th>Sent to</th>`}
        <th>Attempts</th>
        <th>Last attempt</th>
        <th>Published</th>
        <th>Next attempt</th>
      </tr>
    </thead>
    <tbody>
      ${deliveries.map(
        (delivery) =>
          html`<${Row} key=${delivery.id} delivery=${delivery} subscriptions=${subscriptions} base=${base} />`,
      )}
    </tbody>
  </table>
`;

/** @param {{ delivery: Delivery, subscriptions?: Subscription[], base: string }} props */
function Row({ delivery, subscriptions, base }) {
  const [tone, name] = DELIVERY_STATES[delivery.state];
  const subscription = subscriptions?.find((one) => one.id === delivery.subscriptionId);
  return html`
    <tr>
      <th scope="row"><a data-row href="${base}/${delivery.id}">${delivery.eventType}</a><span class="under id"><code>${delivery.id}</code></span></th>
      <td data-label="State"><${Badge} tone=${tone}>${name}<//></td>
      ${
        subscriptions &&
        html`<td data-label="Sent to" class="url">
        ${subscription ? place(subscription.url) : html`<code>${delivery.subscriptionId}</code>`}
      </td>`
      }
      <td data-label="Attempts">${delivery.attempts}</td>
      <td data-label="Last attempt"><${LastAttempt} attempt=${delivery.lastAttempt} /></td>
      <td data-label="Published"><${WhenExactly} at=${delivery.createdAt} /></td>
      <td data-label="Next attempt"><${Due} at=${delivery.nextAttemptAt} isOrdered=${subscription?.ordering === "subscription"} /></td>
    </tr>
  `;
}

/**
 * The status of the answer, and how long it took.
 * @param {{ attempt: Delivery["lastAttempt"] }} props
 */
const LastAttempt = ({ attempt }) =>
  attempt
    ? html`<span title=${attemptError(attempt) || undefined}>${attempt.status ?? "No answer"} <span class="quiet exact">${duration(attempt.durationMs)}</span></span>`
    : html`<span class="quiet">–</span>`;
