// One API key: its fields, its use, and the keys before and after it.

import { html, useState } from "../vendor/preact.js";
import { Chart, grouped } from "../lib/chart.js";
import { useRead } from "../lib/resource.js";
import { may } from "../lib/rights.js";
import { Choice } from "../lib/fields.js";
import { Badge, ErrorPanel, Loading, Page, When, WhenExactly } from "../lib/ui.js";
import { isOrphan, keyState } from "../lib/words.js";
import { ChangeKey, DisableKey } from "./key-change.js";
import { RevokeKey, RotateKey } from "./key-forms.js";
import { Scopes } from "./keys.js";

/** @typedef {import("../lib/api.js").Key} Key */
/** @typedef {import("../lib/api.js").Answer<"showKeyUsage">} Usage */
/** @typedef {import("../lib/chart.js").Series} Series */

/** @type {Series[]} */
const SERIES = [
  { name: "accepted", label: "Accepted", tone: "good" },
  { name: "limited", label: "Above the rate limit", tone: "warn" },
  { name: "refused", label: "Refused", tone: "bad" },
];

const DIALOGS = { change: ChangeKey, disable: DisableKey, rotate: RotateKey, revoke: RevokeKey };

/** The number of hours, their name, and the number of them in one bar. */
const DAY = { hours: 24, name: "24 hours", size: 1 };
const PERIODS = [DAY, { hours: 168, name: "7 days", size: 6 }, { hours: 720, name: "30 days", size: 24 }];

/** @param {{ id: string }} props */
export default function OneKey({ id }) {
  const { data, failure, reload } = useRead("listApiKeys");
  const [open, setOpen] = useState(/** @type {keyof typeof DIALOGS | undefined} */ (undefined));
  const up = { href: "/console/keys", text: "API keys" };
  const key = data?.keys.find((one) => one.id === id);
  if (!data) {
    return html`<${Page} title="API key" up=${up}>
      ${failure ? html`<${ErrorPanel} failure=${failure} retry=${reload} />` : html`<${Loading} />`}
    <//>`;
  }
  if (!key) {
    return html`<${Page} title="No such key" up=${up} lead="The key does not exist, or it ended so long ago that lists no longer show it." />`;
  }
  const before = data.keys.find((one) => one.replacedBy === id);
  const after = data.keys.find((one) => one.id === key.replacedBy);
  const shown = open && DIALOGS[open];
  return html`
    <${Page} title=${key.label} up=${up}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${isOrphan(key, data.keys) && html`<p class="notice">The key that replaced this one is revoked, and this one ends <${When} at=${key.expiresAt} />. Make a new key before that.</p>`}
      <${Facts} record=${key} before=${before} after=${after} />
      ${
        may("keys") &&
        keyState(key).isActive &&
        html`<div class="toolbar">
        <button type="button" onClick=${() => setOpen("change")}>Change…</button>
        ${!key.replacedBy && !key.disabledAt && html`<button type="button" onClick=${() => setOpen("rotate")}>Rotate…</button>`}
        <button type="button" onClick=${() => setOpen("disable")}>${key.disabledAt ? "Enable…" : "Disable…"}</button>
        <button type="button" class="danger-text" onClick=${() => setOpen("revoke")}>Revoke…</button>
      </div>`
      }
      <${KeyUsage} id=${id} />
    <//>
    ${shown && html`<${shown} record=${key} keys=${data.keys} onClose=${() => setOpen(undefined)} />`}
  `;
}

/** @param {{ record: Key, before: Key | undefined, after: Key | undefined }} props */
function Facts({ record, before, after }) {
  const { tone, name } = keyState(record);
  return html`
    <dl class="facts">
      <div><dt>State</dt><dd><${Badge} tone=${tone}>${name}<//></dd></div>
      <div><dt>Key</dt><dd><code>${record.prefix}</code></dd></div>
      <div><dt>Created</dt><dd><${WhenExactly} at=${record.createdAt} /></dd></div>
      <div><dt>Scopes</dt><dd>${record.scopes?.length ? html`<${Scopes} scopes=${record.scopes} />` : html`<span class="quiet">none: the key may do everything</span>`}</dd></div>
      ${record.rateLimit && html`<div><dt>Rate limit</dt><dd><code>${record.rateLimit}</code></dd></div>`}
      ${record.metadata && html`<div><dt>Metadata</dt><dd><${Pairs} pairs=${record.metadata} /></dd></div>`}
      ${record.disabledAt && html`<div><dt>Disabled</dt><dd><${WhenExactly} at=${record.disabledAt} /></dd></div>`}
      <div><dt>Last used</dt><dd><${WhenExactly} at=${record.lastUsedAt} /></dd></div>
      <div><dt>Expires</dt><dd><${WhenExactly} at=${record.expiresAt} /></dd></div>
      ${record.revokedAt && html`<div><dt>Revoked</dt><dd><${WhenExactly} at=${record.revokedAt} /></dd></div>`}
      ${before && html`<div><dt>Replaces</dt><dd><${KeyLink} record=${before} /></dd></div>`}
      ${after && html`<div><dt>Replaced by</dt><dd><${KeyLink} record=${after} /></dd></div>`}
      <div><dt>Id</dt><dd><code>${record.id}</code></dd></div>
    </dl>
  `;
}

/** @param {{ pairs: Record<string, string> }} props */
const Pairs = ({ pairs }) =>
  Object.entries(pairs).map(([name, value]) => html`<code key=${name}>${name}=${value}</code> `);

/** @param {{ record: Key }} props */
const KeyLink = ({ record }) =>
  html`<a href="/console/keys/${record.id}">${record.label} <code>${record.prefix}</code></a>`;

/** @param {{ id: string }} props */
function KeyUsage({ id }) {
  const [chosen, setChosen] = useState(String(DAY.hours));
  const { hours, name, size } = PERIODS.find((one) => String(one.hours) === chosen) ?? DAY;
  const { data, failure, reload } = useRead("showKeyUsage", { keyId: id, hours });
  const options = PERIODS.map((one) => /** @type {[string, string]} */ ([String(one.hours), `Last ${one.name}`]));
  return html`
    <section>
      <h2>Usage</h2>
      <div class="filters"><${Choice} label="Period" value=${chosen} options=${options} onChange=${setChosen} /></div>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${data && html`<${Chart} caption=${finding(data.total, name)} series=${SERIES} hours=${data.hours} size=${size} />`}
    </section>
  `;
}

/**
 * The content of the chart, in words.
 * @param {Usage["total"]} total
 * @param {string} period
 */
function finding({ accepted, limited, refused }, period) {
  if (accepted + limited + refused === 0) return `Nobody has presented this key in the last ${period}.`;
  const parts = [
    `${grouped(accepted)} accepted`,
    limited && `${grouped(limited)} above the rate limit`,
    refused && `${grouped(refused)} refused`,
  ];
  return `Requests with this key in the last ${period}: ${parts.filter(Boolean).join(", ")}.`;
}
