// The webhook subscriptions of the user: list and create.

import { html, useState } from "../vendor/preact.js";
import { createSubscription, PATHS } from "../lib/api.js";
import { may } from "../lib/rights.js";
import { useAction, useResource } from "../lib/resource.js";
import { subscribeCurl } from "../lib/snippets.js";
import { Badge, Dialog, Empty, ErrorPanel, Field, Form, Loading, Page, typed, When } from "../lib/ui.js";
import { subscriptionState } from "../lib/words.js";
import { NewSecret } from "./secret.js";
import { SendTest, TestUrl } from "./send-test.js";

/** @typedef {import("../lib/api.js").Subscription} Subscription */
/** @typedef {import("../lib/api.js").Answer<"createSubscription">} Created */
/** @typedef {import("../lib/resource.js").Resource<import("../lib/api.js").Answer<"listSubscriptions">>} Page1 */
/** @typedef {import("../lib/resource.js").Resource<import("../lib/api.js").Answer<"findSubscription">>} Found */

export default function Subscriptions() {
  const { data, failure, reload } = /** @type {Page1} */ (useResource(PATHS.subscriptions));
  const [isCreating, setCreating] = useState(false);
  const create =
    may("webhooks") &&
    html`<button type="button" class="primary" data-new onClick=${() => setCreating(true)}>New subscription</button>`;
  return html`
    <${Page} title="Subscriptions" lead="A subscription sends your events to a URL of your choice, signed." actions=${create}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${data && !data.subscriptions.length && html`<${NoSubscriptions} create=${() => setCreating(true)} />`}
      ${data && data.subscriptions.length > 0 && html`<${Table} subscriptions=${data.subscriptions} />`}
      ${data?.nextCursor && html`<p class="quiet">Only the newest 200 subscriptions are shown.</p>`}
    <//>
    ${isCreating && html`<${CreateSubscription} reload=${reload} onClose=${() => setCreating(false)} />`}
  `;
}

/** @param {{ create: () => void }} props */
const NoSubscriptions = ({ create }) => html`
  <${Empty}
    title="You have no subscription"
    curl=${subscribeCurl()}
    action=${may("webhooks") && html`<button type="button" class="primary" onClick=${create}>Subscribe a URL</button>`}
  >
    <p>Give the URL of your receiver. Gatepost then sends it each event, signed, and retries for three days.</p>
  <//>
`;

/** @param {{ subscriptions: Subscription[] }} props */
const Table = ({ subscriptions }) => html`
  <table>
    <caption class="hidden">Subscriptions</caption>
    <thead><tr><th>URL</th><th>State</th><th>Events</th><th>Waiting</th><th>Created</th></tr></thead>
    <tbody>${subscriptions.map((one) => html`<${Row} key=${one.id} subscription=${one} />`)}</tbody>
  </table>
`;

/** @param {{ subscription: Subscription }} props */
function Row({ subscription }) {
  const { data } = /** @type {Found} */ (useResource(PATHS.subscription(subscription.id)));
  const { tone, name, why } = subscriptionState(subscription, data?.health);
  return html`
    <tr>
      <th scope="row">
        <a class="url" data-row href="/console/subscriptions/${subscription.id}">${subscription.url}</a>
        ${subscription.description && html`<span class="under">${subscription.description}</span>`}
      </th>
      <td data-label="State"><${Badge} tone=${tone}>${name}<//>${why && html`<span class="under">${why}</span>`}</td>
      <td data-label="Events"><${Events} events=${subscription.events} /></td>
      <td data-label="Waiting">${data ? data.health.waiting.toLocaleString("en") : "…"}</td>
      <td data-label="Created"><${When} at=${subscription.createdAt} /></td>
    </tr>
  `;
}

/** @param {{ events: string[] }} props */
export const Events = ({ events }) => html`
  <span class="scopes">${events.slice(0, 4).map((event) => html`<code>${event}</code> `)}
    ${events.length > 4 && html`<span class="quiet">and ${events.length - 4} more</span>`}</span>
`;

/** @param {{ reload: () => Promise<void>, onClose: () => void }} props */
function CreateSubscription({ reload, onClose }) {
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("*");
  const [description, setDescription] = useState("");
  const [tested, setTested] = useState(/** @type {import("../lib/api.js").Failure | undefined} */ (undefined));
  const [created, setCreated] = useState(/** @type {Created | undefined} */ (undefined));
  const { run, isRunning, failure } = useAction(async () => {
    const names = eventNames(events);
    setCreated(await createSubscription({ url: url.trim(), events: names, ...(description && { description }) }));
    await reload();
  });
  if (created) return html`<${NewSubscription} created=${created} onClose=${onClose} />`;
  return html`
    <${Dialog} title="New subscription" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Subscribe" onCancel=${onClose}>
        <${SubscriptionFields} values=${{ url, events, description }} set=${{ setUrl, setEvents, setDescription }} failure=${failure ?? tested} />
        <${TestUrl} url=${url} onFailure=${setTested} />
      <//>
    <//>
  `;
}

/** @param {string} text */
export const eventNames = (text) => text.split(/[\s,]+/).filter(Boolean);

/**
 * @param {{ values: { url: string, events: string, description: string },
 *   set: Record<"setUrl" | "setEvents" | "setDescription", (value: string) => void>,
 *   failure: import("../lib/api.js").Failure | undefined }} props
 */
export const SubscriptionFields = ({ values, set, failure }) => html`
  <${Field}
    label="URL"
    hint="Where your receiver listens, such as https://example.com/hooks."
    fault=${failure?.fault("url")}
    input=${(/** @type {object} */ more) =>
      html`<input type="url" autocomplete="off" spellcheck="false" value=${values.url} onInput=${typed(set.setUrl)} ...${more} />`}
  />
  <${Field}
    label="Events"
    hint="Types such as “invoice.paid”, patterns such as “invoice.*”, or “*” for all events. Separate them by spaces."
    fault=${failure?.fault("events")}
    input=${(/** @type {object} */ more) =>
      html`<input type="text" autocomplete="off" spellcheck="false" value=${values.events} onInput=${typed(set.setEvents)} ...${more} />`}
  />
  <${Field}
    label="Description"
    hint="Optional."
    fault=${failure?.fault("description")}
    input=${(/** @type {object} */ more) =>
      html`<input type="text" autocomplete="off" maxlength="1000" value=${values.description} onInput=${typed(set.setDescription)} ...${more} />`}
  />
`;

/** @param {{ created: Created, onClose: () => void }} props */
const NewSubscription = ({ created: { subscription, secret }, onClose }) => html`
  <${Dialog} title="Your new subscription" onClose=${onClose} done="I have copied the secret">
    ${secret && html`<${NewSecret} secret=${secret} />`}
    <${SendTest} id=${subscription.id} />
    <p><a href="/console/subscriptions/${subscription.id}">Open the subscription</a></p>
  <//>
`;
