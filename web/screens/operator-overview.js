// The state of the system, and the receivers that fail.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { Owner, ownerOf, pageOf } from "../lib/owner.js";
import { usePages } from "../lib/pages.js";
import { useRead } from "../lib/resource.js";
import { Badge, ErrorPanel, Loading, Page, When, WhenExactly } from "../lib/ui.js";
import { counted, HEALTH_STATES, healthReason } from "../lib/words.js";

/** @typedef {import("../lib/api.js").Schemas["SystemState"]} System */
/** @typedef {import("../lib/api.js").Schemas["FailingSubscription"]} Failing */

/** The time between two readings of the figures, in milliseconds. */
const READ_EVERY = 5000;
/** From this number on, the service does not count further. */
const COUNTED_MAX = 100_000;

export default function Overview() {
  const { data, failure, reload } = useRead("findSystemState");
  const rates = useRates(data);
  // The id of another request would announce the same error again.
  const shown = useRef(failure);
  if (shown.current?.message !== failure?.message) shown.current = failure;
  useRounds(reload);
  return html`
    <${Page} title="Overview" lead="How Gatepost is doing. The rates are those of the instance that answers, over the last seconds.">
      <${ErrorPanel} failure=${shown.current} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${data && html`<${Figures} system=${data} rates=${rates} />`}
      <${FailingSubscriptions} isAway=${failure !== undefined} />
      ${data && html`<${System} system=${data} />`}
    <//>
  `;
}

/** Reads again while the page is visible. @param {() => unknown} read */
function useRounds(read) {
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const timer = window.setInterval(() => document.visibilityState === "visible" && latest.current(), READ_EVERY);
    return () => window.clearInterval(timer);
  }, []);
}

/** @typedef {{ verifications: number, events: number, attempts: number }} Rates */

/**
 * The rates per second. An answer of another process, or after a restart, begins again.
 * @param {System | undefined} system
 * @returns {Rates | undefined}
 */
function useRates(system) {
  const before = useRef(/** @type {{ system: System, at: number } | undefined} */ (undefined));
  const [rates, setRates] = useState(/** @type {Rates | undefined} */ (undefined));
  useEffect(() => {
    if (!system || system === before.current?.system) return;
    const [last, at] = [before.current, performance.now()];
    before.current = { system, at };
    if (last?.system.startedAt !== system.startedAt) return;
    const seconds = Math.max(0.001, (at - last.at) / 1000);
    const rate = (/** @type {(one: System) => object | null} */ part) =>
      (total(part(system)) - total(part(last.system))) / seconds;
    setRates({
      verifications: rate((one) => one.verifications),
      events: rate((one) => one.events),
      attempts: rate((one) => one.attempts),
    });
  }, [system]);
  return rates;
}

/** @param {object | null} counts */
const total = (counts) => Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);

/** @param {{ system: System, rates: Rates | undefined }} props */
function Figures({ system: { verifications, events, attempts, queue }, rates }) {
  const per = (/** @type {keyof Rates} */ name) =>
    rates ? rates[name].toLocaleString("en", { maximumFractionDigits: 1 }) : "–";
  return html`
    <ul class="figures plain-figures">
      <li><strong>${per("verifications")}</strong> verifications a second
        <span class="under">${number(verifications.good)} good, ${number(verifications.refused)} refused, ${number(verifications.failed)} without an answer since the start</span></li>
      <li><strong>${per("events")}</strong> events a second
        <span class="under">${number(events.accepted)} accepted, ${number(events.duplicate)} repeated, ${number(events.conflict + events.failed)} not taken since the start</span></li>
      <li><strong>${attempts ? per("attempts") : "–"}</strong> attempts a second
        <span class="under">${attempts ? `${number(attempts.delivered)} delivered, ${number(attempts.failed)} failed since the start` : "This instance delivers nothing."}</span></li>
      <li><strong>${queue ? upTo(queue.waiting) : "–"}</strong> deliveries wait
        <span class="under">${queue && oldest(queue.oldestDueAgeSeconds)}</span></li>
    </ul>
  `;
}

/** @param {number} count */
const number = (count) => count.toLocaleString("en");
/** @param {number} count */
const upTo = (count) => (count >= COUNTED_MAX ? `${number(COUNTED_MAX)}+` : number(count));
/** @param {number} seconds */
const oldest = (seconds) => (seconds > 0 ? `The oldest one has been due for ${age(seconds)}.` : "None is overdue.");

/** @param {number} seconds */
function age(seconds) {
  if (seconds < 120) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** The list is not read while the service is away: each error would be announced. @param {{ isAway: boolean }} props */
function FailingSubscriptions({ isAway }) {
  const list = usePages(async (cursor) => {
    const { subscriptions, nextCursor } = await call("listFailingSubscriptions", { cursor });
    return { rows: subscriptions, next: nextCursor };
  }, "");
  useRounds(() => isAway || list.isRunning || list.reload());
  return html`
    <section>
      <h2>Failing subscriptions</h2>
      ${list.frame(
        { empty: "No subscription fails", hint: "Every receiver took its last delivery." },
        html`<${FailingTable} rows=${list.rows} />`,
      )}
      <p><button type="button" onClick=${list.reload} aria-disabled=${list.isRunning}>Read the list again</button></p>
    </section>
  `;
}

/** @param {{ rows: Failing[] }} props */
const FailingTable = ({ rows }) => html`
  <table>
    <caption class="hidden">Failing subscriptions, those that have failed longest first</caption>
    <thead><tr><th>Receiver</th><th>State</th><th>Why</th><th>Owner</th><th>Failing since</th></tr></thead>
    <tbody>
      ${rows.map((one) => {
        const [tone, name] = HEALTH_STATES[one.state] ?? ["off", one.state];
        const { receiver } = one;
        const page = `${pageOf(ownerOf(one))}/subscriptions/${one.id}`;
        return html`<tr key=${one.id}>
          <th scope="row" class="url"><a data-row href=${page}>${receiver}</a><span class="under id"><code>${one.id}</code></span></th>
          <td data-label="State"><${Badge} tone=${tone}>${name}<//></td>
          <td data-label="Why">${healthReason(one)} <span class="under">${why(one)}</span></td>
          <td data-label="Owner"><${Owner} of=${one} /></td>
          <td data-label="Failing since"><${When} at=${one.failingSince} /></td>
        </tr>`;
      })}
    </tbody>
  </table>
`;

/** @param {Failing} one */
function why({ failuresInARow, lastAttempt }) {
  const status = lastAttempt?.status ? `, the last one with status ${lastAttempt.status}` : "";
  return `${counted(failuresInARow, "attempt", "attempts")} failed in a row${status}`;
}

/** @param {{ system: System }} props */
const System = ({ system }) => html`
  <section>
    <h2>System</h2>
    <dl class="facts">
      <div><dt>Instance</dt><dd>Version ${system.version}${system.commit !== "unknown" && html`, commit <code>${system.commit}</code>`}, started <${WhenExactly} at=${system.startedAt} /></dd></div>
      ${system.instances.length > 0 && html`<div><dt>All instances</dt><dd>${system.instances.map(instanceCount).join(", ")}</dd></div>`}
      <div><dt>Database</dt><dd>${system.database === "postgres" ? "Postgres" : "SQLite"}</dd></div>
      <div><dt>Change feed</dt><dd>${system.changeFeedAgeSeconds === null ? "Not needed: one instance has the database." : `Read ${age(system.changeFeedAgeSeconds)} ago. A key that another instance revokes is refused here after that.`}</dd></div>
      <div><dt>Provider's keys</dt><dd>${system.identityKeysAgeSeconds === null ? "Not fetched yet: nobody can sign in." : `Fetched ${age(system.identityKeysAgeSeconds)} ago.`}</dd></div>
      ${system.queue && html`<${Queue} queue=${system.queue} />`}
    </dl>
  </section>
`;

/** @param {{ version: string, count: number }} of */
const instanceCount = ({ version, count }) => `${count} with version ${version}`;

/** @param {{ queue: NonNullable<System["queue"]> }} props */
const Queue = ({ queue }) => html`
  <div><dt>Subscriptions</dt><dd>${queue.subscriptions.length === 0 ? "None" : queue.subscriptions.map(subscriptionCount).join(", ")}</dd></div>
  <div><dt>Paused receivers</dt><dd>${upTo(queue.lanes.paused)}</dd></div>
  <div><dt>Queue read</dt><dd>${age(queue.ageSeconds)} ago</dd></div>
`;

/** @param {{ state: string, count: number }} of */
const subscriptionCount = ({ state, count }) =>
  state === "enabled" ? `${upTo(count)} enabled` : `${upTo(count)} disabled (${SHORT_REASONS[state] ?? state})`;

/** @type {Record<string, string>} */
const SHORT_REASONS = {
  owner: "by the owner",
  gone: "410 Gone",
  only_failures: "five days of failures",
  order_stopped: "the order stopped",
  key_leaked: "the key leaked",
};
