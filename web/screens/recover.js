// The dialog that recovers the deliveries of a subscription, for its owner and for an operator.

import { html, useMemo, useRef, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { kindOf } from "../lib/owner.js";
import { useAction, useRead } from "../lib/resource.js";
import { ago, DAY } from "../lib/time.js";
import { Choice, Form, TextField } from "../lib/fields.js";
import { Dialog, ErrorPanel } from "../lib/ui.js";
import { counted } from "../lib/words.js";
import { eventNames } from "./subscriptions.js";

/** @typedef {{ id: string, waiting: number, reload: () => Promise<unknown>, onClose: () => void }} Props */
/** @typedef {{ since: string, events?: string[] }} Body */
/** @typedef {ReturnType<typeof useWish>} Wish */
/** @typedef {import("../lib/resource.js").Resource<import("../lib/api.js").Answer<"countRecoverable">>} Lost */

/** @type {[string, string][]} */
const SINCE = [
  ["3600", "The last hour"],
  [String(DAY), "The last 24 hours"],
  [String(3 * DAY), "The last 3 days"],
  [String(7 * DAY), "The last 7 days"],
];

/** For a subscription of the reader's own. @param {Props} props */
export function Recover({ id, ...dialog }) {
  const wish = useWish();
  const lost = useRead("countRecoverable", { id, ...wish.query });
  const recover = (/** @type {Body} */ body) => call("recoverSubscription", { id, body });
  return html`<${Recovery} ...${dialog} wish=${wish} lost=${lost} recover=${recover} />`;
}

/** For a subscription of an owner, who sees the recovery. @param {Props & { owner: import("../lib/owner.js").Named }} props */
export function RecoverOf({ owner, id, ...dialog }) {
  const wish = useWish();
  const lost = useRead("countUserRecoverable", { ...owner, id, ...wish.query });
  const recover = (/** @type {Body} */ body) => call("recoverUserSubscription", { ...owner, id, body });
  return html`<${Recovery} ...${dialog} wish=${wish} lost=${lost} recover=${recover}>
    <p>The ${kindOf(owner)} sees it in the audit log.</p>
  <//>`;
}

/** The period and the types of events, as they are typed, and as they are counted. */
function useWish() {
  const [since, setSince] = useState(String(DAY));
  const [typed, setTyped] = useState("");
  const [names, setNames] = useState("");
  // The same time is counted and recovered.
  const from = useMemo(() => ago(Number(since)), [since]);
  const query = { since: from, ...(names && { events: names }) };
  return { since, setSince, typed, setTyped, query, count: () => setNames(eventNames(typed).join(",")) };
}

/**
 * @param {Omit<Props, "id"> & { wish: Wish, lost: Lost, children?: import("../lib/ui.js").Children,
 *   recover: (body: Body) => Promise<{ deliveries: number }> }} props
 */
function Recovery({ wish, lost, recover, waiting, reload, onClose, children }) {
  const [count, setCount] = useState(/** @type {number | undefined} */ (undefined));
  // The last count stays while the next one is read, so that the button does not move below the pointer.
  const known = useRef(lost.data);
  known.current = lost.data ?? known.current;
  const events = eventNames(wish.typed);
  const { run, isRunning, failure } = useAction(async () => {
    const { deliveries } = await recover({ since: wish.query.since, ...(events.length > 0 && { events }) });
    setCount(deliveries);
    await reload();
  });
  return html`
    <${Dialog} title="Recover deliveries" onClose=${onClose} done=${count !== undefined}>
      ${
        count === undefined
          ? html`<${Form} submit=${run} isRunning=${isRunning} failure=${failure} fields=${["events"]} label="Recover" onCancel=${onClose}>
            <p>The subscription is enabled if it is disabled, and failed and missed deliveries are sent. The receiver may get an event twice: its <code>webhook-id</code> stays the same.</p>
            ${children}
            <${Choice} label="Events of" value=${wish.since} options=${SINCE} onChange=${wish.setSince} />
            <${TextField} label="Types" value=${wish.typed} set=${wish.setTyped} onChange=${wish.count}
              fault=${(failure ?? lost.failure)?.fault("events", events)} hint="Separate with spaces. Empty: all." spellcheck=${false} />
            <p role="status">${known.current && recoverable(known.current.deliveries, waiting)}</p>
            <${ErrorPanel} failure=${lost.failure} fields=${["events"]} />
          <//>`
          : html`<p role="status" class="verdict good">${counted(count, "delivery is", "deliveries are")} due now.</p>`
      }
    <//>
  `;
}

/**
 * The count goes up to 10,000, without deliveries that are due already.
 * @param {number} count
 * @param {number} waiting
 */
function recoverable(count, waiting) {
  const back =
    count === 0
      ? "Nothing of this time failed, was missed or waits for a retry."
      : `${count < 10_000 ? "" : "At least "}${counted(count, "delivery comes", "deliveries come")} back: what failed, was missed, or waits for a retry.`;
  return waiting === 0
    ? back
    : `${back} ${counted(waiting, "delivery waits", "deliveries wait")} already${count === 0 ? "" : ", and may be among these"}.`;
}
