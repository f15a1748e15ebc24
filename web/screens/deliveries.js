// The deliveries of the user: filtered by the address, kept up to date by the stream of attempts.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { DeliveryTable } from "../lib/delivery-table.js";
import { find, keepList } from "../lib/cache.js";
import { useAction, useRead, useVerdict } from "../lib/resource.js";
import { isReturn, listName, useFilter } from "../lib/router.js";
import { deliveriesCurl } from "../lib/snippets.js";
import { useFresh } from "../lib/stream.js";
import { ago, DAY } from "../lib/time.js";
import { Choice, Filters, SearchField } from "../lib/fields.js";
import { announce, Empty, ErrorPanel, Loading, Page } from "../lib/ui.js";
import { counted, DELIVERY_STATES, isPull, place } from "../lib/words.js";
import { FailureGroups } from "./failures.js";

/** @typedef {import("../lib/api.js").Delivery} Delivery */
/** @typedef {import("../lib/api.js").Subscription} Subscription */
/** @typedef {import("../lib/api.js").Answer<"listDeliveries">} Answer */

const PAGE_SIZE = 50;

/** The maximum number of deliveries in an answer. */
const PAGE_MAX = 200;

/** A newer filter does not wait for the answer to the one before. */
const OVERLAPPING = { mayOverlap: true };

/** @type {[string, string][]} */
const PERIODS = [
  ["", "Any time"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
];
/** @type {Record<string, number>} */
const SECONDS = { "1h": 3600, "24h": DAY, "7d": 7 * DAY };
/** @type {[string, string][]} */
const STATES = [
  ["", "Any state"],
  ...Object.entries(DELIVERY_STATES).map(([key, [, name]]) => /** @type {[string, string]} */ ([key, name])),
];

export default function Deliveries() {
  const [filter, change, set] = useFilter();
  const [isPaused, setPaused] = useState(false);
  const subscriptions = useRead("listSubscriptions", { limit: 200 }).data?.subscriptions ?? [];
  const list = useDeliveries(filter);
  const failures = useRead("listFailures", { subscriptionId: filter.subscriptionId });
  const refresh = () => Promise.all([list.refresh(), failures.reload()]);
  const state = useFresh(!isPaused, () => true, refresh);
  const toggle = html`
    <button type="button" aria-pressed=${isPaused ? "true" : "false"} onClick=${() => setPaused(!isPaused)}>Pause</button>
  `;
  return html`
    <${Page} title="Deliveries" lead=${html`<${Live} state=${isPaused ? "off" : state} />`} actions=${toggle}>
      <${DeliveryFilters} filter=${filter} set=${set} subscriptions=${subscriptions} />
      <${ErrorPanel} failure=${list.failure ?? failures.failure} retry=${() => Promise.all([list.retry(), failures.reload()])} />
      <${FailureGroups} failures=${failures.data} reload=${refresh} />
      ${!list.rows && !list.failure && html`<${Loading} />`}
      ${
        list.newer > 0 &&
        html`<p class="newer"><button type="button" onClick=${list.showNewer}>Show ${newerInWords(list)}</button></p>`
      }
      ${list.rows && !list.rows.length && !list.next && !list.newer && html`<${NoDeliveries} isFiltered=${Object.keys(filter).length > 0} clear=${() => change(CLEARED)} />`}
      ${list.rows && list.rows.length > 0 && html`<${DeliveryTable} deliveries=${list.rows} subscriptions=${subscriptions} caption="Deliveries, newest first" />`}
      ${list.next && html`<p class="more"><button type="button" onClick=${list.more} aria-disabled=${list.isRunning}>Show more</button></p>`}
    <//>
  `;
}

/** @param {{ newer: number, hasGap: boolean }} list */
const newerInWords = ({ newer, hasGap }) =>
  `${hasGap ? "more than " : ""}${counted(newer, "new delivery", "new deliveries")}`;

const CLEARED = { state: "", subscriptionId: "", eventType: "", within: "" };

/** @param {{ state: import("../lib/stream.js").StreamState }} props */
function Live({ state }) {
  const words = {
    off: "Paused: the list does not change.",
    connecting: "Connecting…",
    live: "Live: the list follows each attempt.",
    waiting: "The connection is lost. Trying again…",
  };
  return html`<span class="live ${state === "live" ? "following" : state}">${words[state]}</span>`;
}

/** @param {{ isFiltered: boolean, clear: () => void }} props */
const NoDeliveries = ({ isFiltered, clear }) =>
  isFiltered
    ? html`<${Empty} title="No delivery matches" action=${html`<button type="button" onClick=${clear}>Clear the filter</button>`} />`
    : html`<${Empty}
        title="Nothing was sent yet"
        curl=${deliveriesCurl()}
        action=${html`<a class="button primary" href="/console/subscriptions">Go to your subscriptions</a>`}
      >
        <p>Each event that is sent to one of your subscriptions appears here, with each attempt. Send a test event to see one.</p>
      <//>`;

/**
 * @param {{ filter: Record<string, string>, set: (name: string) => (value: string) => void,
 *   subscriptions: Subscription[] }} props
 */
function DeliveryFilters({ filter, set, subscriptions }) {
  const sent = subscriptions.filter((one) => !isPull(one));
  const names = sent.map((one) => /** @type {[string, string]} */ ([one.id, place(one.url)]));
  /** @type {[string, string][]} */
  const urls = [["", "Any subscription"], ...names];
  const chosen = filter.subscriptionId ?? "";
  if (chosen && !names.some(([id]) => id === chosen)) urls.push([chosen, chosen]);
  return html`
    <${Filters} label="Filter deliveries">
      <${Choice} label="State" value=${filter.state ?? ""} options=${STATES} onChange=${set("state")} />
      <${Choice} label="Subscription" value=${chosen} options=${urls} onChange=${set("subscriptionId")} />
      <${SearchField} label="Event type" value=${filter.eventType ?? ""} onChange=${set("eventType")} isMain />
      <${Choice} label="Published" value=${filter.within ?? ""} options=${PERIODS} onChange=${set("within")} />
    <//>
  `;
}

/**
 * `gap` is the cursor after `waiting` when there are unread deliveries between these and the rows.
 * @typedef {{ rows?: Delivery[], waiting: Delivery[], next?: string, gap?: string }} List
 */

/**
 * The rows that are shown, the newer rows, and the functions that read more. Rows that are shown change in place, and
 * leave when the filter no longer matches; newer rows wait until the reader asks for them, so that the list does not jump.
 * @param {Record<string, string>} filter
 */
function useDeliveries(filter) {
  const key = JSON.stringify(filter);
  const name = listName(key);
  const begin = () => /** @type {List} */ ((isReturn() && find(name)) || { waiting: [] });
  const [list, setList] = useState(begin);
  useEffect(() => keepList(name, list), [list]);
  const current = useRef(key);
  current.current = key;

  // Answers may be overtaken: each changes the list as it is when the answer comes, and only for the same filter.
  const change = (/** @type {Answer} */ answer, /** @type {(list: List, answer: Answer) => List} */ next) => {
    if (current.current === key) setList((now) => next(now, answer));
  };
  // An older answer about the newest deliveries is no longer true.
  const questions = useRef({ asked: 0, answered: 0 });
  const newest = async (limit = PAGE_SIZE) => {
    const question = (questions.current.asked += 1);
    const answer = await call("listDeliveries", { ...asked(filter), limit });
    if (question < questions.current.answered) return;
    questions.current.answered = question;
    change(answer, merged);
  };
  const following = useAction(newest, OVERLAPPING);
  const more = useVerdict(
    [key, list.next],
    async () =>
      change(await call("listDeliveries", { ...asked(filter), cursor: list.next }), (now, answer) =>
        now.next === list.next ? nextPage(now, answer) : now,
      ),
    OVERLAPPING,
  );
  useEffect(() => {
    const known = begin();
    setList(known);
    following.run(Math.min(PAGE_MAX, Math.max(PAGE_SIZE, known.rows?.length ?? 0)));
  }, [key]);
  const [newer, hasGap] = [list.waiting.length, list.gap !== undefined];
  useEffect(() => {
    if (newer > 0) announce(newerInWords({ newer, hasGap }));
  }, [newer, hasGap]);
  return {
    rows: list.rows,
    next: list.next,
    newer,
    hasGap,
    failure: following.failure ?? more.failure,
    retry: () => (following.failure ? following.run() : more.run()),
    isRunning: more.isRunning,
    more: () => more.run(),
    showNewer: () => setList(withNewer),
    refresh: () => following.run(),
  };
}

/** @type {(list: List, answer: Answer) => List} */
const nextPage = ({ rows = [], waiting, gap }, { deliveries, nextCursor }) => ({
  rows: [...rows, ...deliveries],
  waiting,
  gap,
  next: nextCursor,
});

/**
 * The newer rows above the others. After a gap the list begins again with the newer rows, so that “Show more” leads
 * through the gap.
 * @param {List} list
 * @returns {List}
 */
const withNewer = ({ rows = [], waiting, next, gap }) =>
  gap === undefined ? { rows: [...waiting, ...rows], waiting: [], next } : { rows: waiting, waiting: [], next: gap };

/**
 * Separates newer rows. The other rows of the answer replace the known rows of its period, from its last row on; ids sort
 * by creation. Without rows, begins with these. An answer without rows may have a cursor: then its period is not known.
 * @param {List} list
 * @param {Answer} answer
 * @returns {List}
 */
function merged(list, answer) {
  const { deliveries, nextCursor } = answer;
  if (!list.rows) return { rows: deliveries, waiting: [], next: nextCursor };
  if (nextCursor && !deliveries.length) return list;
  const newest = list.rows[0]?.id ?? "";
  const oldest = (nextCursor && deliveries.at(-1)?.id) ?? "";
  const waiting = deliveries.filter((one) => one.id > newest);
  const rows = [...deliveries.slice(waiting.length), ...list.rows.filter((row) => row.id < oldest)];
  const hasGap = waiting.length === deliveries.length;
  return { rows, waiting, next: nextCursor && list.next, gap: hasGap ? nextCursor : undefined };
}

/**
 * @param {Record<string, string>} filter
 * @returns {import("../lib/api.js").Given<"listDeliveries">}
 */
function asked({ state, subscriptionId, eventType, within = "" }) {
  const seconds = SECONDS[within];
  return { state, subscriptionId, eventType, limit: PAGE_SIZE, ...(seconds && { since: ago(seconds) }) };
}
