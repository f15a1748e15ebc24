// Failed deliveries, grouped by their cause, with one button for each group.

import { html } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { pageOf } from "../lib/owner.js";
import { may } from "../lib/rights.js";
import { useAction, useRead } from "../lib/resource.js";
import { announce, ErrorPanel } from "../lib/ui.js";
import { attemptError, counted, place } from "../lib/words.js";

/** @typedef {import("../lib/api.js").Answer<"listFailures">} Failures */
/** @typedef {import("../lib/api.js").FailureGroup} FailureGroup */

/** @typedef {import("../lib/api.js").Given<"retryFailures">["body"]} Cause */

/**
 * The target of a group's links, and the action of its button.
 * @typedef {{ base: string, mayRetry: boolean, retry: (cause: Cause) => Promise<{ deliveries: number }> }} Side
 */

/** The side of a user. @returns {Side} */
const ownSide = () => ({
  base: "/console",
  mayRetry: may("webhooks"),
  retry: (body) => call("retryFailures", { body }),
});

/** The side of operators, for an owner. @param {import("../lib/owner.js").Named} owner @returns {Side} */
const operatorSide = (owner) => ({
  base: pageOf(owner),
  mayRetry: true,
  retry: (body) => call("retryUserFailures", { ...owner, body }),
});

/**
 * The failures of an owner, for an operator.
 * @param {{ owner: import("../lib/owner.js").Named, subscriptionId?: string, reload: () => unknown }} props
 */
export function FailuresOf({ owner, subscriptionId, reload }) {
  const failures = useRead("listUserFailures", { ...owner, subscriptionId });
  const reloadAll = () => Promise.all([failures.reload(), reload()]);
  return html`
    <${ErrorPanel} failure=${failures.failure} retry=${failures.reload} />
    <${FailureGroups} failures=${failures.data} side=${operatorSide(owner)} reload=${reloadAll} />
  `;
}

/** @param {{ failures: Failures | undefined, side?: Side, reload: () => unknown }} props */
export const FailureGroups = ({ failures, side = ownSide(), reload }) =>
  failures && failures.failures.length > 0
    ? html`<section class="attention failures" aria-labelledby="failures-title">
        <h2 id="failures-title">Failed, by cause</h2>
        <ul>
          ${failures.failures.map((group) => html`<${Group} key=${keyOf(group)} group=${group} side=${side} reload=${reload} />`)}
        </ul>
        ${!failures.isComplete && html`<p class="quiet">There are more: the newest 1,000 failed deliveries are counted.</p>`}
      </section>`
    : null;

/** @param {FailureGroup} group */
const keyOf = ({ subscriptionId, error, status }) => [subscriptionId, error, status].join(" ");

/** @param {{ group: FailureGroup, side: Side, reload: () => unknown }} props */
function Group({ group, side, reload }) {
  const { subscriptionId, url, error, status, deliveries } = group;
  const { run, isRunning, failure } = useAction(async () => {
    const retried = await side.retry({ subscriptionId, error, status });
    announce(`${counted(retried.deliveries, "delivery is", "deliveries are")} due now`);
    await reload();
  });
  return html`
    <li>
      <div>
        <p>
          <strong>${deliveries.toLocaleString("en")} × ${status ?? causeOf(group)}</strong> from${" "}
          <a href="${side.base}/subscriptions/${subscriptionId}">${place(url)}</a>
        </p>
        <p class="quiet">${attemptError({ error }) || "The subscription was disabled before an attempt failed."}</p>
      </div>
      <p class="failures-act">
        <a href="${side.base}/deliveries/${group.newestDeliveryId}">See the newest<span class="hidden"> of ${place(url)}</span></a>
        ${
          side.mayRetry &&
          html`<button type="button" onClick=${run} aria-disabled=${isRunning}>Send ${counted(deliveries, "delivery", "deliveries")} again</button>`
        }
      </p>
      <${ErrorPanel} failure=${failure} />
    </li>
  `;
}

/** @type {Record<NonNullable<FailureGroup["error"]>, string>} */
const CAUSES = {
  address_refused: "address refused",
  dns: "no address",
  connect: "no connection",
  tls: "no TLS",
  timeout: "timeout",
  redirect: "redirect",
  status: "error status",
  too_slow: "too slow",
  no_token: "no access token",
};

/** @param {FailureGroup} group */
const causeOf = ({ error }) => (error ? CAUSES[error] : "not sent");
