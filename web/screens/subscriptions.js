// The webhook subscriptions of the user: list and create.

import { html, useState } from "../vendor/preact.js";
import { product } from "../lib/brand.js";
import { call } from "../lib/api.js";
import { EventTypeOptions } from "../lib/event-types.js";
import { filterOf } from "../lib/json-field.js";
import { usePages } from "../lib/pages.js";
import { may } from "../lib/rights.js";
import { useAction, useRead } from "../lib/resource.js";
import { useFilter } from "../lib/router.js";
import { pullCommand, subscribeCurl } from "../lib/snippets.js";
import { Choice, Field, Filters, Form, TextField, typed } from "../lib/fields.js";
import { Badge, Code, Dialog, Due, Empty, Page, When } from "../lib/ui.js";
import { isFailing, isPull, shownUrl, SIGNING, subscriptionState } from "../lib/words.js";
import { optionsOf, RequestOptions, wishOf } from "./request-options.js";
import { NewSigner } from "./secret.js";
import { SendTest, TestUrl } from "./send-test.js";
import { TestFilter } from "./test-filter.js";

/** @typedef {import("../lib/api.js").Subscription} Subscription */
/** @typedef {import("../lib/api.js").Answer<"createSubscription">} Created */

const WITH_HEALTH = /** @type {const} */ ({ limit: 200, include: "health" });

export default function Subscriptions() {
  const [isCreating, setCreating] = useState(false);
  const list = usePages(async (cursor) => {
    const { subscriptions, nextCursor } = await call("listSubscriptions", { ...WITH_HEALTH, cursor });
    return { rows: subscriptions, next: nextCursor };
  }, "");
  const create =
    may("webhooks") &&
    html`<button type="button" class="primary" data-new onClick=${() => setCreating(true)}>New subscription</button>`;
  return html`
    <${Page} title="Subscriptions" lead="A subscription sends your events to a URL of your choice, signed, or keeps them for readers." actions=${create}>
      ${list.frame(
        { none: html`<${NoSubscriptions} create=${() => setCreating(true)} />` },
        html`<${FilteredSubscriptions} subscriptions=${list.rows} isAll=${!list.hasMore} table=${tableOf} />`,
      )}
    <//>
    ${isCreating && html`<${CreateSubscription} reload=${list.reload} onClose=${() => setCreating(false)} />`}
  `;
}

/** @param {{ create: () => void }} props */
const NoSubscriptions = ({ create }) => html`
  <${Empty}
    title="You have no subscription"
    curl=${subscribeCurl()}
    action=${may("webhooks") && html`<button type="button" class="primary" onClick=${create}>Subscribe a URL</button>`}
  >
    <p>Give the URL of your receiver. It then gets each event, signed, with retries for three days.</p>
  <//>
`;

/** With more subscriptions than this, the list has a search and a filter. */
const SEARCHED_FROM = 9;

/** @type {[string, string][]} */
const STATES = [
  ["", "Any state"],
  ["failing", "Failing, paused or disabled by the service"],
  ["healthy", "Healthy"],
  ["disabled", "Disabled"],
];

/** @param {Subscription} one @param {string} state */
function isIn(one, state) {
  if (state === "failing") return isFailing(one);
  if (state === "disabled") return !one.enabled;
  return state !== "healthy" || (one.enabled && !isFailing(one));
}

/** @param {Subscription} one @param {string} text */
const has = (one, text) =>
  `${one.url} ${one.description} ${one.events.join(" ")} ${one.id}`.toLowerCase().includes(text.toLowerCase());

/**
 * A search and a filter over a table of all subscriptions, or of the newest.
 * @param {{ subscriptions: Subscription[], isAll: boolean, table: (subscriptions: Subscription[]) => unknown }} props
 */
export function FilteredSubscriptions({ subscriptions, isAll, table }) {
  const [{ state = "", search = "" }, change, set] = useFilter();
  const found = subscriptions.filter((one) => isIn(one, state) && has(one, search));
  const shown = [...found.filter(isFailing), ...found.filter((one) => !isFailing(one))];
  const hasFilter = subscriptions.length >= SEARCHED_FROM || state !== "" || search !== "";
  return html`
    ${
      hasFilter &&
      html`<${Filters} label="Filter subscriptions">
      <${TextField} label="Search" type="search" data-search value=${search} set=${set("search")} />
      <${Choice} label="State" value=${state} options=${STATES} onChange=${set("state")} />
      <p class="quiet count" role="status">${shown.length} of ${isAll ? "" : "the newest "}${subscriptions.length}</p>
    <//>`
    }
    ${
      shown.length === 0
        ? html`<${Empty} title="No subscription matches" action=${html`<button type="button" onClick=${() => change({ state: "", search: "" })}>Clear the filter</button>`} />`
        : table(shown)
    }
  `;
}

/** @param {Subscription[]} subscriptions */
const tableOf = (subscriptions) => html`
  <table>
    <caption class="hidden">Subscriptions, those that fail first</caption>
    <thead><tr><th>URL</th><th>State</th><th>Events</th><th>Waiting</th><th>Created</th></tr></thead>
    <tbody>${subscriptions.map((one) => html`<${Row} key=${one.id} subscription=${one} />`)}</tbody>
  </table>
`;

/** @param {{ subscription: Subscription }} props */
function Row({ subscription }) {
  const { id, url, description, events, health, createdAt } = subscription;
  const { tone, name, why } = subscriptionState(subscription, health);
  return html`
    <tr>
      <th scope="row">
        <a class="url" data-row href="/console/subscriptions/${id}">${shownUrl(url)}</a>
        ${description && html`<span class="under">${description}</span>`}
      </th>
      <td data-label="State"><${Badge} tone=${tone}>${name}<//>${why && html`<span class="under">${why}</span>`}
        ${health?.pausedUntil && html`<span class="under">Next attempt: <${Due} at=${health.pausedUntil} />.</span>`}</td>
      <td data-label="Events"><${Events} events=${events} /></td>
      <td data-label="Waiting">${health && !isPull(subscription) ? health.waiting.toLocaleString("en") : "–"}</td>
      <td data-label="Created"><${When} at=${createdAt} /></td>
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
  const [type, setType] = useState("webhook");
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("*");
  const [filter, setFilter] = useState("");
  const [rate, setRate] = useState("");
  const [options, setOptions] = useState(optionsOf({}));
  const [signing, setSigning] = useState(/** @type {"hmac" | "ed25519" | "both"} */ ("hmac"));
  const [order, setOrder] = useState(/** @type {"" | "skip" | "stop"} */ (""));
  const [description, setDescription] = useState("");
  const [tested, setTested] = useState(/** @type {import("../lib/api.js").Failure | undefined} */ (undefined));
  const [created, setCreated] = useState(/** @type {Created | undefined} */ (undefined));
  const isPulled = type === "pull";
  const { run, forget, isRunning, failure } = useAction(async () => {
    setTested(undefined);
    const wish = {
      events: eventNames(events),
      ...(filter.trim() && { filter: filterOf(filter) }),
      ...(description && { description }),
    };
    const sending = () => ({
      url: url.trim(),
      signing,
      ordering: /** @type {"subscription" | "none"} */ (order ? "subscription" : "none"),
      onExhausted: order || null,
      ...(rate.trim() && { maxPerSecond: rateOf(rate) }),
      ...wishOf(options, {}),
    });
    const body = /** @type {import("../lib/api.js").Schemas["CreateSubscription"]} */ (
      isPulled ? { ...wish, type: "pull" } : { ...wish, ...sending() }
    );
    setCreated(await call("createSubscription", { body }));
    await reload();
  });
  if (created) return html`<${NewSubscription} created=${created} onClose=${onClose} />`;
  return html`
    <${Dialog} title="New subscription" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} fields=${isPulled ? PULL_FIELDS : FIELDS} label="Subscribe" onCancel=${onClose}>
        <${Choice} label="Delivery" value=${type} options=${TYPES} onChange=${setType} hint="This cannot be changed later." />
        <${SubscriptionFields} isPull=${isPulled} values=${{ url, events, filter, rate, description }} set=${{ setUrl, setEvents, setFilter, setRate, setDescription }} failure=${failure ?? tested}
          options=${{ value: options, set: setOptions, of: {} }}
          more=${html`
            <${Choice} label="Order" value=${order} options=${[["", "None"], ...ORDERS]} onChange=${setOrder} hint="In an order, a delivery that fails holds back the next ones. This cannot be changed later." />
            <${Choice} label="Signatures" value=${signing} options=${SIGNING} onChange=${setSigning} hint="A key pair shares no secret: your receiver verifies with the public key." />
          `} />
        ${!isPulled && html`<${TestUrl} url=${url} more=${wishOf(options, {})} onStart=${forget} onFailure=${setTested} />`}
      <//>
    <//>
  `;
}

/** @type {[string, string][]} */
const TYPES = [
  ["webhook", "Send events to a URL"],
  ["pull", "Readers fetch events (pull)"],
];

/** The rules of an order, and their names. @type {[string, string][]} */
export const ORDERS = [
  ["skip", "One after the other; skip a delivery whose attempts are used up"],
  ["stop", "One after the other; disable the subscription when attempts are used up"],
];

/** The fields that show their faults. */
export const FIELDS = [
  "url",
  "events",
  "filter",
  "headers",
  "auth",
  "clientCertificate",
  "maxPerSecond",
  "onExhausted",
  "description",
];

/** Those of a subscription that is pulled. */
export const PULL_FIELDS = ["events", "filter", "description"];

/** @param {string} text */
export const eventNames = (text) => text.split(/[\s,]+/).filter(Boolean);

const FILTER_HINT = `Which of these events, by their content: JSON such as {"path": "/data/amount", "op": "gte", "value": 100}. Empty: all.`;

/** The fields that are behind "Advanced", which opens if one of them has a fault. */
const ADVANCED = ["filter", "headers", "auth", "clientCertificate", "maxPerSecond"];

/**
 * @param {{ values: { url: string, events: string, filter: string, rate: string, description: string },
 *   set: Record<"setUrl" | "setEvents" | "setFilter" | "setRate" | "setDescription", (value: string) => void>,
 *   options: Omit<Parameters<typeof RequestOptions>[0], "failure">,
 *   failure: import("../lib/api.js").Failure | undefined, isPull?: boolean, more?: unknown }} props
 */
export function SubscriptionFields({ values, set, options, failure, isPull: isPulled = false, more }) {
  const { headers, auth, clientCertificate } = options.of;
  const [isOpen, setOpen] = useState(Boolean(values.filter || values.rate || headers || auth || clientCertificate));
  return html`
  ${
    !isPulled &&
    html`<${TextField} label="URL" type="url" spellcheck=${false} value=${values.url} set=${set.setUrl} fault=${failure?.fault("url")}
    hint="Where your receiver listens, such as https://example.com/hooks." />`
  }
  <${KnownEventTypes} text=${values.events} />
  <${TextField} label="Events" list="event-types" spellcheck=${false} value=${values.events} set=${set.setEvents}
    fault=${failure?.fault("events", eventNames(values.events))}
    hint="Types such as “invoice.paid”, patterns such as “invoice.*”, or “*” for all events. Separate them by spaces." />
  <${TextField} label="Description" maxlength="1000" value=${values.description} set=${set.setDescription}
    fault=${failure?.fault("description")} hint="Optional." />
  <details open=${isOpen || ADVANCED.some((name) => failure?.fault(name))} onToggle=${(/** @type {any} */ event) => setOpen(event.currentTarget.open)}>
    <summary>Advanced</summary>
    <${Field} label="Filter" fault=${failure?.fault("filter")}
      hint=${FILTER_HINT}
      input=${(/** @type {object} */ attributes) =>
        html`<textarea rows="4" spellcheck=${false} value=${values.filter} onInput=${typed(set.setFilter)} ...${attributes}></textarea>`} />
    ${values.filter.trim() && html`<${TestFilter} filter=${values.filter} />`}
    ${
      !isPulled &&
      html`<${TextField} label="Most deliveries per second" inputmode="decimal" value=${values.rate} set=${set.setRate}
      fault=${failure?.fault("maxPerSecond")} hint="0.1 to 1000, with retries. Empty: as many as your receiver takes." />
      <${RequestOptions} ...${options} failure=${failure} />
      ${more}`
    }
  </details>
`;
}

/** The types that the field of events offers. The form works without them. @param {{ text: string }} props */
const KnownEventTypes = ({ text }) =>
  html`<${EventTypeOptions} id="event-types" types=${useRead("listEventTypes").data?.eventTypes} text=${text} />`;

/** The rate that was typed; `null` for none. The service says what is wrong with it. @param {string} text @returns {any} */
export function rateOf(text) {
  const trimmed = text.trim().replace(",", ".");
  return trimmed === "" ? null : Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

/** @param {{ created: Created, onClose: () => void }} props */
const NewSubscription = ({ created, onClose }) => html`
  <${Dialog} title="Your new subscription" onClose=${onClose} done=${created.secret ? "secret" : true}>
    ${
      isPull(created.subscription)
        ? html`<p>Its id is <code>${created.subscription.id}</code>. This command fetches its events${!product.isPortal && ", prints them and commits them"}:</p>
          <${Code} text=${pullCommand(created.subscription.id)} what="command" isOneLine />`
        : html`<${NewSigner} answer=${created} /><${SendTest} id=${created.subscription.id} />`
    }
    <p><a href="/console/subscriptions/${created.subscription.id}">Open the subscription</a></p>
  <//>
`;
