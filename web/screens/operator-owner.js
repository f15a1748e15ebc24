// One user or organization, as support staff see it: keys, subscriptions, deliveries, sessions and the audit log.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { store } from "../lib/cache.js";
import { DeliveryTable } from "../lib/delivery-table.js";
import { idOf, kindOf, ownerOf, pageOf } from "../lib/owner.js";
import { usePages } from "../lib/pages.js";
import { useAction, useRead } from "../lib/resource.js";
import { useFilter } from "../lib/router.js";
import { Choice, Filters, Form, TextField } from "../lib/fields.js";
import { Badge, Code, Dialog, Empty, ErrorPanel, Loading, Page, When } from "../lib/ui.js";
import { DELIVERY_STATES, isTyped, keyState, shownUrl, subscriptionState } from "../lib/words.js";
import { OnlyTarget, Table as AuditTable, useLoggedNames } from "./audit.js";
import { FailuresOf } from "./failures.js";
import { OwnerAccount } from "./operator-owner-record.js";
import { browser } from "./sessions.js";
import { Events, FilteredSubscriptions } from "./subscriptions.js";

/** @typedef {import("../lib/api.js").Key} Key */
/** @typedef {import("../lib/api.js").Subscription} Subscription */
/** @typedef {import("../lib/owner.js").Named} Named */

/** Each is read only when it is shown, because each read is in the audit log of the owner. */
const TABS = {
  keys: OwnerKeys,
  subscriptions: OwnerSubscriptions,
  deliveries: OwnerDeliveries,
  sessions: OwnerSessions,
  audit: OwnerAudit,
  account: OwnerAccount,
};
/** @type {Record<string, string>} */
const NAMES = {
  keys: "Keys",
  subscriptions: "Subscriptions",
  deliveries: "Deliveries",
  sessions: "Sessions",
  audit: "Audit log",
  account: "Account",
};

/** @param {{ userId?: string, organizationId?: string }} path */
export default function OneOwner(path) {
  const owner = ownerOf(path);
  const [{ tab = "keys" }] = useFilter();
  const [isLinking, setLinking] = useState(false);
  const shown = /** @type {Record<string, (props: { owner: Named }) => unknown>} */ (TABS)[tab] ?? OwnerKeys;
  const link = html`<button type="button" onClick=${() => setLinking(true)}>Make a portal link…</button>`;
  return html`
    <${Page} title=${idOf(owner)} lead="The ${kindOf(owner)} sees in the audit log what you read here." up=${{ href: "/console/operator/users", text: "Owners" }} actions=${link}>
      <nav class="tab-links" aria-label="What the ${kindOf(owner)} has">
        <ul>${Object.entries(NAMES).map(([key, name]) => html`<li><a href="?tab=${key}" aria-current=${key === tab ? "page" : undefined}>${name}</a></li>`)}</ul>
      </nav>
      <${shown} key=${`${tab} ${pageOf(owner)}`} owner=${owner} />
    <//>
    ${isLinking && html`<${PortalLink} owner=${owner} onClose=${() => setLinking(false)} />`}
  `;
}

/** @param {{ owner: Named }} props */
function OwnerKeys({ owner }) {
  const { data, failure, reload } = useRead("listUserApiKeys", owner);
  const [revoked, setRevoked] = useState(/** @type {Key | undefined} */ (undefined));
  return html`
    <${ErrorPanel} failure=${failure} retry=${reload} />
    ${!data && !failure && html`<${Loading} />`}
    ${data?.keys.length === 0 && html`<${Empty} title="No keys"><p>The ${kindOf(owner)} has made no key. If that is a surprise, check the id.</p><//>`}
    ${
      data &&
      data.keys.length > 0 &&
      html`<table>
      <caption class="hidden">Keys of the ${kindOf(owner)}</caption>
      <thead><tr><th>Label</th><th>State</th><th>Created</th><th>Last used</th><th>Expires</th><th><span class="hidden">Actions</span></th></tr></thead>
      <tbody>${data.keys.map((key) => html`<${KeyRow} key=${key.id} of=${key} revoke=${() => setRevoked(key)} />`)}</tbody>
    </table>`
    }
    ${revoked && html`<${Revoke} owner=${owner} of=${revoked} onClose=${() => setRevoked(undefined)} />`}
  `;
}

/** @param {{ of: Key, revoke: () => void }} props */
function KeyRow({ of, revoke }) {
  const { tone, name, isActive } = keyState(of);
  return html`
    <tr data-row tabindex="-1">
      <th scope="row">${of.label}<span class="under"><code>${of.prefix}</code></span></th>
      <td data-label="State"><${Badge} tone=${tone}>${name}<//></td>
      <td data-label="Created"><${When} at=${of.createdAt} /></td>
      <td data-label="Last used"><${When} at=${of.lastUsedAt} /></td>
      <td data-label="Expires"><${When} at=${of.expiresAt} /></td>
      <td class="row-actions">
        ${isActive && html`<button type="button" class="danger-text" onClick=${revoke}>Revoke<span class="hidden"> ${of.label}</span>…</button>`}
      </td>
    </tr>
  `;
}

/** @param {{ owner: Named, of: Key, onClose: () => void }} props */
function Revoke({ owner, of, onClose }) {
  const [word, setWord] = useState("");
  const { run, isRunning, failure } = useAction(async () => {
    store("listUserApiKeys", owner, await call("revokeUserApiKey", { ...owner, keyId: of.id }));
    onClose();
  });
  return html`
    <${Dialog} title="Revoke “${of.label}”?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Revoke the key" isDangerous isReady=${isTyped(word, of.label)} onCancel=${onClose}>
        <p>Programs that use the key are refused from now on, on every instance. You cannot undo this. The ${kindOf(owner)} sees it in the audit log.</p>
        <${TextField} label="Type the label to confirm" data-confirm value=${word} set=${setWord} />
      <//>
    <//>
  `;
}

/** @param {{ owner: Named }} props */
function OwnerSubscriptions({ owner }) {
  const list = usePages(async (cursor) => {
    const page = /** @type {const} */ ({ limit: 200, include: "health", cursor });
    const { subscriptions, nextCursor } = await call("listUserSubscriptions", { ...owner, ...page });
    return { rows: subscriptions, next: nextCursor };
  }, "subscriptions");
  return list.frame(
    { empty: "No subscriptions", hint: `The ${kindOf(owner)} has subscribed no URL.` },
    html`<${FilteredSubscriptions} subscriptions=${list.rows} isAll=${!list.hasMore} table=${tableOf(owner)} />`,
  );
}

/** @type {(owner: Named) => (subscriptions: Subscription[]) => unknown} */
const tableOf = (owner) => (subscriptions) => html`
  <table>
    <caption class="hidden">Subscriptions of the ${kindOf(owner)}, the failing ones first</caption>
    <thead><tr><th>URL</th><th>State</th><th>Events</th><th>Created</th></tr></thead>
    <tbody>${subscriptions.map(
      (one) => html`<tr key=${one.id}>
      <th scope="row" class="url"><a data-row href="${pageOf(owner)}/subscriptions/${one.id}">${shownUrl(one.url)}</a></th>
      <td data-label="State"><${SubscriptionBadge} of=${one} /></td>
      <td data-label="Events"><${Events} events=${one.events} /></td>
      <td data-label="Created"><${When} at=${one.createdAt} /></td>
    </tr>`,
    )}</tbody>
  </table>
`;

/** @param {{ of: Subscription }} props */
function SubscriptionBadge({ of }) {
  const { tone, name, why } = subscriptionState(of, of.health);
  return html`<${Badge} tone=${tone}>${name}<//>${why && html`<span class="under">${why}</span>`}`;
}

/** @type {[string, string][]} */
const STATES = [
  ["", "Any state"],
  ...Object.entries(DELIVERY_STATES).map(([key, [, name]]) => /** @type {[string, string]} */ ([key, name])),
];

/** @param {{ owner: Named }} props */
function OwnerDeliveries({ owner }) {
  const [{ state = "", subscriptionId = "" }, , set] = useFilter();
  const list = usePages(async (cursor) => {
    const { deliveries, nextCursor } = await call("listUserDeliveries", { ...owner, state, subscriptionId, cursor });
    return { rows: deliveries, next: nextCursor };
  }, `deliveries ${state} ${subscriptionId}`);
  return html`
    <${FailuresOf} owner=${owner} subscriptionId=${subscriptionId} reload=${list.reload} />
    <${Filters} label="Filter deliveries">
      <${Choice} label="State" value=${state} options=${STATES} onChange=${set("state")} />
    <//>
    ${subscriptionId && html`<p>Only to <code>${subscriptionId}</code>. <button type="button" class="link" onClick=${() => set("subscriptionId")("")}>Show all</button></p>`}
    ${list.frame(
      { empty: "No deliveries", hint: `No event was sent to the ${kindOf(owner)}, or the filter hides it.` },
      html`<${DeliveryTable} deliveries=${list.rows} base="${pageOf(owner)}/deliveries" caption="Deliveries to the ${kindOf(owner)}, newest first" />`,
    )}
  `;
}

/** @param {{ owner: Named }} props */
function OwnerSessions({ owner }) {
  const { data, failure, reload } = useRead("listUserSessions", owner);
  const [isEnding, setEnding] = useState(false);
  return html`
    <${ErrorPanel} failure=${failure} retry=${reload} />
    ${!data && !failure && html`<${Loading} />`}
    ${data?.sessions.length === 0 && html`<${Empty} title="No sessions"><p>The ${kindOf(owner)} is signed in nowhere.</p><//>`}
    ${
      data &&
      data.sessions.length > 0 &&
      html`<table>
        <caption class="hidden">Sessions of the ${kindOf(owner)}</caption>
        <thead><tr><th>Browser</th><th>Role</th><th>Address</th><th>Signed in</th><th>Last seen</th></tr></thead>
        <tbody>${data.sessions.map(
          (one) => html`<tr key=${one.id} data-row tabindex="-1">
          <th scope="row" title=${one.userAgent ?? undefined}>${browser(one.userAgent)}</th>
          <td data-label="Role">${one.role}</td>
          <td data-label="Address">${one.address ?? html`<span class="quiet">unknown</span>`}</td>
          <td data-label="Signed in"><${When} at=${one.createdAt} /></td>
          <td data-label="Last seen"><${When} at=${one.seenAt} /></td>
        </tr>`,
        )}</tbody>
      </table>
      <p><button type="button" class="danger-text" onClick=${() => setEnding(true)}>End all sessions…</button></p>`
    }
    ${isEnding && html`<${EndSessions} owner=${owner} onClose=${() => setEnding(false)} />`}
  `;
}

/** @param {{ owner: Named, onClose: () => void }} props */
function EndSessions({ owner, onClose }) {
  const { run, isRunning, failure } = useAction(async () => {
    store("listUserSessions", owner, await call("endUserSessions", owner));
    onClose();
  });
  return html`
    <${Dialog} title="End all sessions of ${idOf(owner)}?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="End all sessions" isDangerous onCancel=${onClose}>
        <p>The ${kindOf(owner)} is signed out everywhere and has to sign in again. API keys and webhooks keep working.</p>
      <//>
    <//>
  `;
}

/** @param {{ owner: Named }} props */
function OwnerAudit({ owner }) {
  const [{ target = "" }, , set] = useFilter();
  const list = usePages(async (cursor) => {
    const { events, nextCursor } = await call("listAllAuditEvents", { ...owner, target, cursor });
    return { rows: events, next: nextCursor };
  }, `audit ${target}`);
  const names = useLoggedNames(list.rows, owner);
  return html`
    <${OnlyTarget} target=${target} names=${names} show=${set("target")} />
    ${list.frame(
      {
        empty: "Nothing was changed",
        hint: `Each change of what the ${kindOf(owner)} has appears here, with who made it.`,
      },
      html`<${AuditTable} events=${list.rows} names=${names} show=${set("target")} />`,
    )}
  `;
}

/** The maximum duration of the visit. */
const VISIT_SECONDS = 12 * 3600;

/** @type {[string, string][]} */
const RIGHTS = [
  ["keys webhooks", "See and change keys and webhooks"],
  ["keys:read webhooks:read", "Only see keys and webhooks"],
];

/** @param {{ owner: Named, onClose: () => void }} props */
function PortalLink({ owner, onClose }) {
  const [rights, setRights] = useState("keys webhooks");
  const capabilities = /** @type {import("../lib/api.js").Schemas["CreatePortalLink"]["capabilities"]} */ (
    rights.split(" ")
  );
  const [url, setUrl] = useState(/** @type {string | undefined} */ (undefined));
  const { run, isRunning, failure } = useAction(async () => {
    setUrl((await call("createPortalLink", { body: { ...owner, capabilities, ttlSeconds: VISIT_SECONDS } })).url);
  });
  return html`
    <${Dialog} title="Make a portal link" onClose=${onClose} done=${url && "link"}>
      ${
        url
          ? html`<p class="notice">Anyone who opens this link is signed in as ${idOf(owner)}. It works once, for five minutes. Send it to nobody else.</p>
            <${Code} text=${url} what="link" isOneLine />`
          : html`<${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Make the link" onCancel=${onClose}>
            <p>The link opens the console as this ${kindOf(owner)}, without a sign-in.</p>
            <${Choice} label="The visitor may" value=${rights} options=${RIGHTS} onChange=${setRights} />
          <//>`
      }
    <//>
  `;
}
