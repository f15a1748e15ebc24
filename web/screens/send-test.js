// Sends a test event, and waits for the answer of the receiver.

import { html, useEffect, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { refresh } from "../lib/cache.js";
import { useAction, useVerdict } from "../lib/resource.js";
import { duration } from "../lib/time.js";
import { ErrorPanel } from "../lib/ui.js";
import { attemptError } from "../lib/words.js";

/** @typedef {import("../lib/api.js").Attempt} Attempt */
/** @typedef {import("../lib/api.js").Answer<"findDelivery">} History */

/** The time between two readings of the delivery, and the time for all, in milliseconds. */
const READ_EVERY = 300;
const PATIENCE = 20_000;
/** The shown part of an answer, in characters. */
const SHOWN_ANSWER = 500;

/** @param {{ id: string, onDone?: () => void }} props */
export function SendTest({ id, onDone }) {
  const [result, setResult] = useState(/** @type {History | undefined} */ (undefined));
  const { run, isRunning, failure } = useAction(async () => {
    setResult(undefined);
    const { delivery } = await call("testSubscription", { id });
    setResult(await firstAttempt(delivery.id));
    await refresh("findSubscription", { id });
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
    const history = await call("findDelivery", { id });
    if (history.attempts.length > 0 || performance.now() > end) return history;
    await new Promise((resolve) => setTimeout(resolve, READ_EVERY));
  }
}

/** @param {{ result: History }} props */
function Result({ result: { delivery, attempts } }) {
  const attempt = attempts.at(-1);
  const link = html`<a href="/console/deliveries/${delivery.id}">See the delivery</a>`;
  if (!attempt) return html`<p class="verdict bad">No answer yet. ${link}</p>`;
  return html`<${Verdict} attempt=${attempt}>${delivery.state === "waiting" && "It is tried again. "}${link}<//>`;
}

/** @param {{ attempt: Attempt, children?: import("../vendor/preact.js").ComponentChildren }} props */
function Verdict({ attempt, children }) {
  const time = duration(attempt.durationMs);
  if (!attempt.error)
    return html`<p class="verdict good">Delivered: the receiver answered ${attempt.status} after ${time}. ${children}</p>`;
  const status = attempt.status ? ` (${attempt.status})` : "";
  return html`<p class="verdict bad">Failed after ${time}: ${attemptError(attempt)}${status} ${children}</p>`;
}

/**
 * Sends one event to the URL in a form, with its headers, its authentication and its client certificate, before it is saved. `onFailure` shows the
 * faults at their fields, in place of the faults that `onStart` forgets.
 * @param {{ url: string, more: Record<string, unknown>, onStart: () => void, onFailure: (failure: import("../lib/api.js").Failure | undefined) => void }} props
 */
export function TestUrl({ url, more, onStart, onFailure }) {
  const body = { url: url.trim(), ...more };
  const { run, isRunning, failure, answer } = useVerdict(body, () => {
    onStart();
    return call("testUrl", { body });
  });
  const attempt = answer?.attempt;
  useEffect(() => onFailure(failure), [failure]);
  return html`
    <div class="check-it">
      <button type="button" onClick=${run} aria-disabled=${isRunning}>${isRunning ? "Waiting for the receiver…" : "Test the URL"}</button>
      <p class="hint">Sends one event and saves nothing. It is signed with a secret of the moment, so a receiver that checks signatures refuses it.</p>
      <div role="status">
        ${attempt && html`<${Verdict} attempt=${attempt} />`}
        ${attempt?.response && html`<pre class="plain answer"><code>${attempt.response.slice(0, SHOWN_ANSWER)}</code></pre>`}
      </div>
      ${failure && !["url", "headers", "auth", "clientCertificate"].some((name) => failure.fault(name)) && html`<${ErrorPanel} failure=${failure} />`}
    </div>
  `;
}
