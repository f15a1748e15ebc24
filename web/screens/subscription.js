// One subscription: its health, its secret, its deliveries, and the owner's commands.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { DeliveryTable } from "../lib/delivery-table.js";
import { OutcomeChart } from "../lib/outcome-chart.js";
import { filterOf } from "../lib/json-field.js";
import { may } from "../lib/rights.js";
import { useAction, useRead } from "../lib/resource.js";
import { navigate } from "../lib/router.js";
import { useFresh } from "../lib/stream.js";
import { ago, DAY, duration } from "../lib/time.js";
import { Choice, Form, TextField } from "../lib/fields.js";
import { Badge, conclude, Dialog, Due, ErrorPanel, Loading, Page, WhenExactly } from "../lib/ui.js";
import { attemptError, counted, isPull, place, signingName, subscriptionState } from "../lib/words.js";
import { Consumers } from "./consumers.js";
import { Recover } from "./recover.js";
import { optionsOf, wishOf } from "./request-options.js";
import { NewSigner } from "./secret.js";
import { SendTest } from "./send-test.js";
import { eventNames, Events, FIELDS, ORDERS, PULL_FIELDS, rateOf, SubscriptionFields } from "./subscriptions.js";

/** @typedef {import("../lib/api.js").Subscription} Subscription */
/** @typedef {import("../lib/api.js").Health} Health */
/** @typedef {import("../lib/resource.js").Resource<import("../lib/api.js").Answer<"listDeliveries">>} Deliveries */
/** @typedef {import("../lib/api.js").Answer<"rotateSecret">} Rotated */
/** @typedef {"edit" | "rotate" | "recover" | "disable" | "delete"} DialogName */
/** @typedef {{ subscription: Subscription, health: Health, reload: () => Promise<void>, onClose: () => void }} DialogProps */

/** @param {{ id: string }} props */
export default function OneSubscription({ id }) {
  const { data, failure, reload } = useRead("findSubscription", { id });
  const isPulled = data !== undefined && isPull(data.subscription);
  const deliveries = useRead(!isPulled && "listDeliveries", { subscriptionId: id, limit: 10 });
  const outcomes = useRead(!isPulled && "showSubscriptionOutcomes", { id });
  const [open, setOpen] = useState(/** @type {DialogName | undefined} */ (undefined));
  const reloadAll = async () => void (await Promise.all([reload(), deliveries.reload(), outcomes.reload()]));
  useFresh(true, ({ subscriptionId }) => subscriptionId === id, reloadAll);
  const up = { href: "/console/subscriptions", text: "Subscriptions" };
  if (!data) {
    return html`<${Page} title="Subscription" up=${up}>
      ${failure ? html`<${ErrorPanel} failure=${failure} retry=${reload} />` : html`<${Loading} />`}
    <//>`;
  }
  const { subscription, health } = data;
  const shown = open && DIALOGS[open];
  return html`
    <${Page} title=${place(subscription.url)} lead=${subscription.description} up=${up}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      <${Facts} subscription=${subscription} health=${health} />
      ${
        may("webhooks") &&
        html`<div class="toolbar">
        ${health.state === "paused" && html`<${TryNow} id=${id} reload=${reloadAll} />`}
        ${subscription.enabled && !isPulled && html`<${SendTest} id=${id} onDone=${reloadAll} />`}
        <${Enable} subscription=${subscription} reload=${reloadAll} disable=${() => setOpen("disable")} />
        ${
          !isPulled &&
          html`<button type="button" onClick=${() => setOpen("recover")}>Recover…</button>
        <button type="button" onClick=${() => setOpen("rotate")}>Rotate the ${signer(subscription)}…</button>`
        }
        <button type="button" onClick=${() => setOpen("edit")}>Edit…</button>
        <button type="button" class="danger-text" onClick=${() => setOpen("delete")}>Delete…</button>
      </div>`
      }
      ${
        isPulled
          ? html`<${Consumers} id=${id} />`
          : html`<${OutcomeChart} title="Attempts of the last 24 hours" outcomes=${outcomes} />
            <${Times} id=${id} />
            <${Recent} id=${id} deliveries=${deliveries} />`
      }
    <//>
    ${shown && html`<${shown} subscription=${subscription} health=${health} reload=${reloadAll} onClose=${() => setOpen(undefined)} />`}
  `;
}

/** @param {{ subscription: Subscription, health: Health }} props */
export function Facts({ subscription, health }) {
  const { tone, name, why } = subscriptionState(subscription, health);
  const isPulled = isPull(subscription);
  return html`
    <dl class="facts">
      ${!isPulled && html`<div><dt>URL</dt><dd class="url">${subscription.url}</dd></div>`}
      <div><dt>State</dt><dd><${Badge} tone=${tone}>${name}<//> ${why}</dd></div>
      ${health.pausedUntil && html`<div><dt>Next attempt</dt><dd><${Due} at=${health.pausedUntil} isExact /></dd></div>`}
      ${health.failingSince && html`<div><dt>Failing since</dt><dd><${WhenExactly} at=${health.failingSince} /></dd></div>`}
      ${!isPulled && html`<${Sent} health=${health} />`}
      <div><dt>Events</dt><dd><${Events} events=${subscription.events} /></dd></div>
      ${subscription.headers && html`<div><dt>Headers</dt><dd>${subscription.headers.map((header) => html`<code>${header.name}</code> `)}</dd></div>`}
      ${subscription.auth && html`<div><dt>Authentication</dt><dd>${subscription.auth.type} ${subscription.auth.name}, set <${WhenExactly} at=${subscription.auth.setAt} /></dd></div>`}
      ${subscription.clientCertificate && html`<div><dt>Client certificate</dt><dd>${subscription.clientCertificate.subject}, expires <${WhenExactly} at=${subscription.clientCertificate.expiresAt} /><br /><code>${subscription.clientCertificate.fingerprint}</code></dd></div>`}
      ${subscription.maxPerSecond && html`<div><dt>At most</dt><dd>${subscription.maxPerSecond} a second</dd></div>`}
      ${subscription.onExhausted && html`<div><dt>Order</dt><dd>${ORDERS.find(([rule]) => rule === subscription.onExhausted)?.[1]}</dd></div>`}
      ${subscription.publicKeys && html`<div><dt>Signatures</dt><dd>${signingName(subscription.signing)}. Public key: ${subscription.publicKeys.map((key) => html`<code class="url">${key}</code> `)}</dd></div>`}
      ${subscription.filter && html`<div><dt>Filter</dt><dd><code>${JSON.stringify(subscription.filter)}</code></dd></div>`}
      <div><dt>Created</dt><dd><${WhenExactly} at=${subscription.createdAt} /></dd></div>
      <div><dt>Id</dt><dd><code>${subscription.id}</code></dd></div>
    </dl>
  `;
}

/** @param {{ health: Health }} props */
const Sent = ({ health: { waiting, lastAttempt: last } }) => html`
  <div><dt>Waiting</dt><dd>${counted(waiting, "delivery", "deliveries")}</dd></div>
  <div>
    <dt>Last attempt</dt>
    <dd>
      <${WhenExactly} at=${last?.startedAt} />
      ${last && html` · ${last.status ?? "no answer"} after ${duration(last.durationMs)}. ${attemptError(last)}`}
    </dd>
  </div>
`;

/** The duration of attempts, in words. @param {{ id: string }} props */
function Times({ id }) {
  const { data, failure, reload } = useRead("showAttemptTimes", { id });
  if (failure) return html`<${ErrorPanel} failure=${failure} retry=${reload} />`;
  if (!data || data.p50Ms === null || data.p95Ms === null) return null;
  return html`<section>
    <h2>How long attempts take</h2>
    <ul class="figures plain-figures">
      <li><strong>${duration(data.p50Ms)}</strong> p50: half of the attempts took at most this long</li>
      <li><strong>${duration(data.p95Ms)}</strong> p95: 95 % took at most this long</li>
    </ul>
    <p class="quiet">From ${counted(data.attempts, "attempt")} since <${WhenExactly} at=${data.since} />.</p>
  </section>`;
}

/** The period in which *Try now* looks for failures, in seconds: a fast clock must not name the future. */
const JUST_NOW = 60;

/** Ends the pause: waiting deliveries are sent, and retries keep their time. @param {{ id: string, reload: () => Promise<void> }} props */
function TryNow({ id, reload }) {
  const { run, isRunning, failure } = useAction(async () => {
    await call("recoverSubscription", { id, body: { since: ago(JUST_NOW), what: "failed" } });
    await reload();
    conclude("Waiting deliveries are sent now.");
  });
  return html`<button type="button" class="primary" onClick=${run} aria-disabled=${isRunning}>Try now</button>
    <${ErrorPanel} failure=${failure} />`;
}

/** @param {{ subscription: Subscription, reload: () => Promise<void>, disable: () => void }} props */
function Enable({ subscription, reload, disable }) {
  const [missed, setMissed] = useState(/** @type {{ since: string, count: number } | undefined} */ (undefined));
  const { id } = subscription;
  const { run, isRunning, failure } = useAction(async () => {
    await call("changeSubscription", { id, body: { enabled: true } });
    await reload();
    const since = ago(7 * DAY);
    const missing = async () => (await call("countRecoverable", { id, since, what: "missed" })).deliveries;
    const count = isPull(subscription) ? 0 : await missing();
    if (count > 0) setMissed({ since, count });
    else conclude("The subscription is enabled.");
  });
  if (missed) {
    return html`<${SendMissed} id=${id} ...${missed} reload=${reload} onClose=${() => setMissed(undefined)} />`;
  }
  const button = subscription.enabled
    ? html`<button key="disable" type="button" onClick=${disable}>Disable…</button>`
    : html`<button key="enable" type="button" class="primary" onClick=${run} aria-disabled=${isRunning}>Enable</button>`;
  return html`${button}<${ErrorPanel} failure=${failure} />`;
}

/**
 * Asks whether what was published while the subscription was disabled is sent.
 * @param {{ id: string, since: string, count: number, reload: () => Promise<void>, onClose: () => void }} props
 */
function SendMissed({ id, since, count, reload, onClose }) {
  const { run, isRunning, failure } = useAction(async () => {
    await call("recoverSubscription", { id, body: { since, what: "missed" } });
    await reload();
    onClose();
  });
  const missed = `${count < 10_000 ? "" : "At least "}${counted(count, "event was", "events were")}`;
  return html`
    <${Dialog} title="Send the missed events?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Send them" onCancel=${onClose}>
        <p>${missed} published while this was off, in the last 7 days, and not sent. “Recover” can send them later, too, with the failed ones.</p>
      <//>
    <//>
  `;
}

/** @param {{ id: string, deliveries: Deliveries }} props */
const Recent = ({ id, deliveries: { data, failure, reload } }) => html`
  <section>
    <h2>Last deliveries</h2>
    <${ErrorPanel} failure=${failure} retry=${reload} />
    ${data && !data.deliveries.length && html`<p class="quiet">Nothing was sent yet. Send a test event.</p>`}
    ${data && data.deliveries.length > 0 && html`<${DeliveryTable} deliveries=${data.deliveries} caption="Last deliveries" />`}
    <p><a href="/console/deliveries?subscriptionId=${id}">All deliveries of this subscription</a></p>
  </section>
`;

/** @param {DialogProps} props */
function Disable({ subscription, reload, onClose }) {
  const { run, isRunning, failure } = useAction(async () => {
    await call("changeSubscription", { id: subscription.id, body: { enabled: false } });
    await reload();
    onClose();
  });
  return html`
    <${Dialog} title="Disable this subscription?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Disable" isDangerous onCancel=${onClose}>
        ${
          isPull(subscription)
            ? html`<p>New events are not kept here, and nothing brings them back later. Readers can still fetch the events that are in the log.</p>`
            : html`<p>Deliveries that wait end as failed, and new events are not sent here. Later, “Enable” can send the missed events, and “Recover” also the failed ones.</p>`
        }
      <//>
    <//>
  `;
}

/** @type {[string, string][]} */
const OVERLAPS = [
  ["0", "At once"],
  ["3600", "In an hour"],
  [String(DAY), "In a day"],
  [String(7 * DAY), "In a week"],
];

/** What its owner may have to change. @param {Subscription} subscription */
const signer = ({ signing }) => (signing === "ed25519" ? "key" : "secret");

/** @param {DialogProps} props */
function Rotate({ subscription, reload, onClose }) {
  const [overlap, setOverlap] = useState(String(DAY));
  const [answer, setAnswer] = useState(/** @type {Rotated | undefined} */ (undefined));
  const { run, isRunning, failure } = useAction(async () => {
    setAnswer(await call("rotateSecret", { id: subscription.id, body: { overlapSeconds: Number(overlap) } }));
    await reload();
  });
  const what = signer(subscription);
  return html`
    <${Dialog} title="Rotate the signing ${what}" onClose=${onClose} done=${answer && (answer.secret ? "secret" : true)}>
      ${
        answer
          ? html`<${NewSigner} answer=${answer} />`
          : html`<${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Rotate" onCancel=${onClose}>
            <p>You get a new ${what}. Until the old ${what} ends, both sign each webhook, so that you can change your receiver without a break.</p>
            <${Choice} label="The old ${what} ends" value=${overlap} options=${OVERLAPS} onChange=${setOverlap} />
          <//>`
      }
    <//>
  `;
}

/** @param {DialogProps} props */
const RecoverOwn = ({ subscription, health, ...dialog }) =>
  html`<${Recover} ...${dialog} id=${subscription.id} waiting=${health.waiting} />`;

/**
 * The screen follows changes of others while the dialog is open. The fields compare with the subscription that they showed.
 * @param {DialogProps} props
 */
function Edit({ subscription: shown, reload, onClose }) {
  const [subscription] = useState(shown);
  const [url, setUrl] = useState(subscription.url);
  const [events, setEvents] = useState(subscription.events.join(" "));
  const before = subscription.filter ? JSON.stringify(subscription.filter) : "";
  const [filter, setFilter] = useState(before);
  const rateBefore = String(subscription.maxPerSecond ?? "");
  const [rate, setRate] = useState(rateBefore);
  const [order, setOrder] = useState(subscription.onExhausted);
  const [options, setOptions] = useState(optionsOf(subscription));
  const [description, setDescription] = useState(subscription.description);
  const [dropped, setDropped] = useState(/** @type {string[]} */ ([]));
  const isPulled = isPull(subscription);
  const { run, isRunning, failure } = useAction(async () => {
    const body = {
      ...(url.trim() !== subscription.url && { url: url.trim() }),
      ...(events !== subscription.events.join(" ") && { events: eventNames(events) }),
      ...(description !== subscription.description && { description }),
      ...(filter !== before && { filter: filter.trim() ? filterOf(filter) : null }),
      ...(rate !== rateBefore && { maxPerSecond: rateOf(rate) }),
      ...(order !== subscription.onExhausted && { onExhausted: order }),
      ...wishOf(options, subscription),
    };
    const answer = await call("changeSubscription", { id: subscription.id, body });
    await reload();
    if (answer.dropped) setDropped(answer.dropped);
    else onClose();
  });
  if (dropped.length > 0) return html`<${Dropped} names=${dropped} onClose=${onClose} />`;
  return html`
    <${Dialog} title="Edit the subscription" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} fields=${isPulled ? PULL_FIELDS : FIELDS} label="Save" onCancel=${onClose}>
        <${SubscriptionFields} isPull=${isPulled} values=${{ url, events, filter, rate, description }} set=${{ setUrl, setEvents, setFilter, setRate, setDescription }} failure=${failure}
          options=${{ value: options, set: setOptions, of: subscription }}
          more=${subscription.ordering && html`<${Choice} label="Order" value=${order} options=${ORDERS} onChange=${setOrder} />`} />
      <//>
    <//>
  `;
}

/** @type {Record<string, string>} */
const DROPPED = { headers: "its headers", auth: "its authentication", clientCertificate: "its client certificate" };

/** What a new URL does not get. @param {{ names: string[], onClose: () => void }} props */
const Dropped = ({ names, onClose }) => html`
  <${Dialog} title="Set these again" onClose=${onClose}>
    <p>The new URL has another scheme, host or port, so the subscription has lost ${names.map((name) => DROPPED[name] ?? name).join(" and ")}. If the receiver needs them there, set them by “Edit…”.</p>
  <//>
`;

/** @param {DialogProps} props */
function Delete({ subscription, onClose }) {
  const [word, setWord] = useState("");
  const { run, isRunning, failure } = useAction(async () => {
    await call("deleteSubscription", { id: subscription.id });
    navigate("/console/subscriptions");
  });
  return html`
    <${Dialog} title="Delete this subscription?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Delete it" isDangerous
        isReady=${word.trim().toLowerCase() === "delete"} onCancel=${onClose}>
        <p>${isPull(subscription) ? "Its log and its consumers are gone" : `Deliveries that wait are cancelled, and the signing ${signer(subscription)} is gone`}. You cannot undo this. To stop for a while, disable the subscription instead.</p>
        <${TextField} label="Type the word “delete” to confirm" data-confirm value=${word} set=${setWord} />
      <//>
    <//>
  `;
}

/** @type {Record<DialogName, (props: DialogProps) => unknown>} */
const DIALOGS = { edit: Edit, rotate: Rotate, recover: RecoverOwn, disable: Disable, delete: Delete };
