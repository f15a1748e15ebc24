// The start: first steps until they are done, and then the items that need attention.

import { html } from "../vendor/preact.js";
import { may } from "../lib/rights.js";
import { useRead } from "../lib/resource.js";
import { Part } from "../lib/screen.js";
import { DAY } from "../lib/time.js";
import { Due, ErrorPanel, Loading, Page, When } from "../lib/ui.js";
import { counted, isFailing, isOrphan, isPull, keyState, place, subscriptionState } from "../lib/words.js";

/** @typedef {import("../lib/api.js").Key} Key */
/** @typedef {import("../lib/api.js").Subscription} Subscription */

/** @type {import("../lib/router.js").Route} */
const CHART = {
  pattern: "",
  load: async () => ({ default: (await import("../lib/outcome-chart.js")).OutcomeChart }),
};
/** The maximum number of failing receivers that are shown one by one. */
const SHOWN_MAX = 5;
/** A key that expires sooner needs attention. */
const SOON = 7 * DAY * 1000;

export default function Home() {
  const [seesKeys, seesWebhooks] = [may("keys:read"), may("webhooks:read")];
  const keys = useRead(seesKeys && "listApiKeys");
  const subscriptions = useRead(seesWebhooks && "listSubscriptions", { limit: 200, include: "health" });
  const outcomes = useRead(seesWebhooks && "showOutcomes");
  // Whether one is still failed: the outcomes also count the deliveries that were sent again since.
  const failed = useRead(seesWebhooks && "listFailures");
  const all = [keys, subscriptions, outcomes, failed];
  const failure = all.find((one) => one.failure)?.failure;
  const retry = () => all.forEach((one) => one.reload());
  const isThere = (!seesKeys || keys.data) && (!seesWebhooks || (subscriptions.data && outcomes.data && failed.data));
  const active = keys.data?.keys.filter((key) => keyState(key).isActive) ?? [];
  const subscribed = subscriptions.data?.subscriptions ?? [];
  const more = subscriptions.data?.nextCursor ? "+" : "";
  const exhausted = outcomes.data?.total.exhausted ?? 0;
  const steps = firstSteps(keys.data?.keys ?? [], subscribed);
  return html`
    <${Page} title="Home">
      <${ErrorPanel} failure=${failure} retry=${retry} />
      ${!isThere && !failure && html`<${Loading} />`}
      ${
        isThere &&
        html`
        ${steps.some((step) => !step.isDone) && html`<${FirstSteps} steps=${steps} />`}
        <${Figures} keys=${active} subscriptions=${subscribed} more=${more} exhausted=${exhausted} />
        ${subscribed.length > 0 && html`<${Part} route=${CHART} parameters=${{ title: "Deliveries of the last 24 hours", outcomes: { ...outcomes, failure: undefined } }} />`}
        ${
          (steps.length === 0 || steps.some((step) => step.isDone)) &&
          html`<${Attention} keys=${active} all=${keys.data?.keys ?? []} subscriptions=${subscribed} more=${more} failedCount=${failed.data?.failures.length ? exhausted : 0} />`
        }
      `
      }
    <//>
  `;
}

/** @typedef {{ title: string, text: string, href: string, button: string, isDone: boolean }} Step */

/** @type {(keys: Key[], subscriptions: Subscription[]) => Step[]} */
const firstSteps = (keys, subscriptions) => [
  ...(may("keys") ? firstKey(keys) : []),
  ...(may("webhooks") ? firstWebhook(subscriptions) : []),
];

/** @type {(keys: Key[]) => Step[]} */
const firstKey = (keys) => [
  {
    title: "Make an API key",
    text: "Programs call the API with it.",
    href: "/console/keys",
    button: "Go to keys",
    isDone: keys.length > 0,
  },
  {
    title: "Call the API",
    text: "The page that shows your new key checks it, and has the call in four languages.",
    href: "/console/keys",
    button: "Go to keys",
    isDone: keys.some((key) => key.lastUsedAt !== null),
  },
];

/** @type {(subscriptions: Subscription[]) => Step[]} */
const firstWebhook = (subscriptions) => [
  {
    title: "Subscribe a URL",
    text: "Your events are sent there, signed.",
    href: "/console/subscriptions",
    button: "Go to subscriptions",
    isDone: subscriptions.length > 0,
  },
  {
    title: "Send a test event",
    text: "See the request and the answer of your receiver.",
    href: subscriptions[0] ? `/console/subscriptions/${subscriptions[0].id}` : "/console/subscriptions",
    button: "Send one",
    // Pull subscriptions have no deliveries.
    isDone: subscriptions.some((one) => isPull(one) || one.health?.lastAttempt),
  },
];

/** @param {{ steps: Step[] }} props */
function FirstSteps({ steps }) {
  const next = steps.findIndex((step) => !step.isDone);
  return html`
    <section class="steps">
      <h2>First steps</h2>
      <ol>
        ${steps.map(
          (step, at) => html`
            <li class=${step.isDone ? "done" : ""} aria-current=${at === next ? "step" : undefined}>
              <div>
                <strong>${step.title}</strong>${step.isDone && html`<span class="hidden">, done</span>`}
                <span class="under">${step.text}</span>
              </div>
              ${at === next && html`<a class="button primary" href=${step.href}>${step.button}</a>`}
            </li>
          `,
        )}
      </ol>
    </section>
  `;
}

/** @param {{ keys: Key[], subscriptions: Subscription[], more: string, exhausted: number }} props */
function Figures({ keys, subscriptions, more, exhausted }) {
  const [enabled, failing] = [
    subscriptions.filter((one) => one.enabled).length,
    subscriptions.filter(isFailing).length,
  ];
  return html`
    <ul class="figures">
      ${may("keys:read") && html`<${Figure} href="/console/keys" count=${keys.length} one="active key" />`}
      ${
        may("webhooks:read") &&
        html`<${Figure} href="/console/subscriptions" count=${enabled} more=${more} one="enabled subscription" />
        <${Figure} href="/console/subscriptions?state=failing" count=${failing} more=${more} one="failing receiver" />
        <${Figure} href="/console/deliveries?state=failed" count=${exhausted} one="delivery failed for good in 24 hours" many="deliveries failed for good in 24 hours" />`
      }
    </ul>
  `;
}

/** @param {{ href: string, count: number, more?: string, one: string, many?: string }} props */
const Figure = ({ href, count, more = "", one, many = `${one}s` }) =>
  html`<li><a href=${href}><strong>${count}${more}</strong> ${count === 1 && !more ? one : many}</a></li>`;

/** @param {{ keys: Key[], all: Key[], subscriptions: Subscription[], more: string, failedCount: number }} props */
function Attention({ keys, all, subscriptions, more, failedCount }) {
  const expiring = keys.filter(
    (key) => key.expiresAt && Date.parse(key.expiresAt) - Date.now() < SOON && !key.replacedBy,
  );
  return html`
    <section class="attention">
      <h2>What needs attention</h2>
      <ul>
        ${keys
          .filter((key) => isOrphan(key, all))
          .map(
            (key) => html`<li>
              <p>The key <strong>${key.label}</strong> (<code>${key.prefix}</code>) ends <${When} at=${key.expiresAt} />, and the key that replaced it is revoked.</p>
              ${may("keys") && html`<a class="button" href="/console/keys">Make a new key</a>`}
            </li>`,
          )}
        ${expiring.map(
          (key) => html`<li>
            <p>The key <strong>${key.label}</strong> expires <${When} at=${key.expiresAt} />.</p>
            ${may("keys") && html`<a class="button" href="/console/keys">Rotate it</a>`}
          </li>`,
        )}
        ${subscriptions
          .filter(isFailing)
          .slice(0, SHOWN_MAX)
          .map((one) => html`<${Trouble} key=${one.id} subscription=${one} />`)}
        ${
          subscriptions.filter(isFailing).length > SHOWN_MAX &&
          html`<li><p>${counted(subscriptions.filter(isFailing).length - SHOWN_MAX, "more receiver fails", "more receivers fail")}.</p>
          <a class="button" href="/console/subscriptions?state=failing">See all</a></li>`
        }
        ${
          failedCount > 0 &&
          html`<li>
          <p>${counted(failedCount, "delivery has", "deliveries have")} failed for good in the last 24 hours.</p>
          <a class="button" href="/console/deliveries?state=failed">See them</a>
        </li>`
        }
      </ul>
      <p class="all-well">${more ? `The newest ${subscriptions.length} subscriptions have no problem.` : "Everything works. Nothing needs you."}</p>
    </section>
  `;
}

/**
 * A subscription that is not healthy.
 * @param {{ subscription: Subscription }} props
 */
function Trouble({ subscription }) {
  const { name, why } = subscriptionState(subscription, subscription.health);
  const { pausedUntil, waiting } = subscription.health ?? {};
  return html`
    <li>
      <p><strong class="url">${place(subscription.url)}</strong> is ${name.toLowerCase()}. ${why}
        ${pausedUntil && html` Its next attempt is <${Due} at=${pausedUntil} />.`}
        ${waiting ? ` ${counted(waiting, "delivery waits", "deliveries wait")}.` : ""}</p>
      <a class="button" href="/console/subscriptions/${subscription.id}">See why</a>
    </li>
  `;
}
