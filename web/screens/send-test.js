// Sends a test event, and waits for the answer of the receiver.

import { html, useState } from "../vendor/preact.js";
import { findDelivery, PATHS, testSubscription } from "../lib/api.js";
import { refresh, useAction } from "../lib/resource.js";
import { duration } from "../lib/time.js";
import { ErrorPanel } from "../lib/ui.js";
import { attemptError } from "../lib/words.js";

/** @typedef {import("../lib/api.js").Answer<"findDelivery">} History */

/** How often the delivery is read, and for how long, in milliseconds. */
const READ_EVERY = 300;
const PATIENCE = 20_000;

/** @param {{ id: string, onDone?: () => void }} props */
export function SendTest({ id, onDone }) {
  const [result, setResult] = useState(/** @type {History | undefined} */ (undefined));
  const { run, isRunning, failure } = useAction(async () => {
    setResult(undefined);
    const { delivery } = await testSubscription(id);
    setResult(await firstAttempt(delivery.id));
    await refresh(PATHS.subscription(id));
    onDone?.();
  });
  return html`
    <div class="check-it">
      <button type="button" data-test onClick=${run} aria-disabled=${isRunning}>
        ${isRunning ? "Waiting for the receiver…" : "Send a test event"}
      </button>
      <div role="status">${result && html`<${Result} result=${result} />`}</div>
      <${ErrorPanel} failure=${failure} />
    </div>
  `;
}

/**
 * The delivery once its first attempt has ended.
 * @param {string} id
 */
async function firstAttempt(id) {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const history = await findDelivery(id);
    if (history.attempts.length > 0 || performance.now() > end) return history;
    await new Promise((resolve) => setTimeout(resolve, READ_EVERY));
  }
}

/** @param {{ result: History }} props */
function Result({ result: { delivery, attempts } }) {
  const attempt = attempts.at(-1);
  const link = html`<a href="/console/deliveries/${delivery.id}">See the delivery</a>`;
  if (!attempt) return html`<p class="verdict bad">No answer yet. ${link}</p>`;
  const time = duration(attempt.durationMs);
  if (!attempt.error) return html`<p class="verdict good">Delivered: the receiver answered ${attempt.status} after ${time}. ${link}</p>`;
  const status = attempt.status ? ` (${attempt.status})` : "";
  return html`<p class="verdict bad">Failed after ${time}: ${attemptError(attempt)}${status} Gatepost tries again. ${link}</p>`;
}
