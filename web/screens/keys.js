// The API keys of the user: list, create, rotate, revoke.

import { html, useEffect, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { store } from "../lib/cache.js";
import { organization } from "../lib/owner-shown.js";
import { may } from "../lib/rights.js";
import { useAction, useRead } from "../lib/resource.js";
import { useFilter } from "../lib/router.js";
import { Sparkline } from "../lib/sparkline.js";
import { createKeyCurl } from "../lib/snippets.js";
import { Form, TextField } from "../lib/fields.js";
import { Badge, Dialog, Empty, ErrorPanel, Loading, Page, When } from "../lib/ui.js";
import { counted, keyState } from "../lib/words.js";
import { CreateKey, RevokeKey, RotateKey } from "./key-forms.js";

/** @typedef {import("../lib/api.js").Key} Key */
/** @typedef {{ create?: boolean, rotate?: Key, revoke?: Key, clear?: boolean }} Open */

const STALE_AFTER = 90 * 24 * 3600 * 1000;
/** With more keys than this, the list has a search field. */
const SEARCHED_FROM = 9;

const LEAD = `A key lets a program call the API in ${organization ? `the name of ${organization}` : "your name"}.`;

/** @param {Key} key */
const isStale = (key) =>
  keyState(key).isActive && Date.now() - Date.parse(key.lastUsedAt ?? key.createdAt) > STALE_AFTER;

export default function Keys() {
  const { data, failure, reload } = useRead("listApiKeys");
  const [open, setOpen] = useState(/** @type {Open} */ ({}));
  const close = () => setOpen({});
  const stale = data?.keys.filter(isStale) ?? [];
  const active = data?.keys.filter((key) => keyState(key).isActive) ?? [];
  const ended = data?.keys.filter((key) => !keyState(key).isActive) ?? [];
  const create =
    may("keys") &&
    html`<button type="button" class="primary" data-new onClick=${() => setOpen({ create: true })}>New key</button>`;
  return html`
    <${Page} title="API keys" lead=${LEAD} actions=${create}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${data && !active.length && html`<${NoKeys} create=${() => setOpen({ create: true })} />`}
      <${StaleHint} keys=${stale} clear=${() => setOpen({ clear: true })} />
      ${active.length > 0 && html`<${ActiveKeys} keys=${active} setOpen=${setOpen} />`}
      ${ended.length > 0 && html`<${EndedKeys} keys=${ended} />`}
    <//>
    ${open.create && html`<${CreateKey} onClose=${close} />`}
    ${open.rotate && html`<${RotateKey} record=${open.rotate} onClose=${close} />`}
    ${open.revoke && html`<${RevokeKey} record=${open.revoke} keys=${data?.keys ?? []} onClose=${close} />`}
    ${open.clear && html`<${RevokeStale} keys=${stale} reload=${reload} onClose=${close} />`}
  `;
}

/** @param {{ create: () => void }} props */
const NoKeys = ({ create }) => html`
  <${Empty}
    title="You have no active key"
    curl=${may("keys") && createKeyCurl()}
    action=${may("keys") && html`<button type="button" class="primary" onClick=${create}>Make your first key</button>`}
  >
    <p>Make one for each program that calls the API, so that you can revoke one without stopping the others.</p>
  <//>
`;

/** @param {{ keys: Key[], clear: () => void }} props */
const StaleHint = ({ keys, clear }) =>
  keys.length > 0 &&
  may("keys") &&
  html`
    <div class="notice">
      <p>${counted(keys.length, "key has", "keys have")} not been used for 90 days. A key that nobody needs can only leak.</p>
      <button type="button" onClick=${clear}>Revoke unused keys…</button>
    </div>
  `;

/** @param {{ keys: Key[], setOpen: (open: Open) => void }} props */
function ActiveKeys({ keys, setOpen }) {
  const [{ search = "" }, , set] = useFilter();
  // The list works without them.
  const uses = useRead("showDailyUses").data?.keys ?? [];
  const shown = keys.filter((key) => `${key.label} ${key.prefix}`.toLowerCase().includes(search.toLowerCase()));
  return html`
    ${
      (keys.length >= SEARCHED_FROM || search !== "") &&
      html`<div class="filters">
      <${TextField} label="Search" type="search" data-search value=${search} set=${set("search")} />
    </div>`
    }
    <table>
      <caption class="hidden">Active keys</caption>
      <thead>
        <tr><th>Label</th><th>State</th><th>Created</th><th>Last used</th><th>30 days</th><th>Expires</th><th><span class="hidden">Actions</span></th></tr>
      </thead>
      <tbody>${shown.map((key) => html`<${KeyRow} key=${key.id} record=${key} days=${uses.find((one) => one.keyId === key.id)?.days} setOpen=${setOpen} />`)}</tbody>
    </table>
    ${shown.length === 0 && html`<p class="quiet">No key matches “${search}”.</p>`}
  `;
}

/** @param {{ record: Key, days: number[] | undefined, setOpen: (open: Open) => void }} props */
function KeyRow({ record, days, setOpen }) {
  const { tone, name } = keyState(record);
  return html`
    <tr data-row tabindex="-1">
      <th scope="row"><a href="/console/keys/${record.id}">${record.label}</a><span class="under"><code>${record.prefix}</code>${record.createdBy && html` <span class="quiet">by ${record.createdBy}</span>`}</span><${Scopes} scopes=${record.scopes} /></th>
      <td data-label="State"><${Badge} tone=${tone}>${name}<//></td>
      <td data-label="Created"><${When} at=${record.createdAt} /></td>
      <td data-label="Last used"><${When} at=${record.lastUsedAt} /></td>
      <td data-label="30 days">${days && html`<${Sparkline} days=${days} />`}</td>
      <td data-label="Expires"><${When} at=${record.expiresAt} /></td>
      <td class="row-actions">
        ${
          may("keys") &&
          !record.replacedBy &&
          html`<button type="button" onClick=${() => setOpen({ rotate: record })}>
          Rotate<span class="hidden"> ${record.label}</span>
        </button>`
        }
        ${
          may("keys") &&
          html`<button type="button" class="danger-text" onClick=${() => setOpen({ revoke: record })}>
          Revoke<span class="hidden"> ${record.label}</span>
        </button>`
        }
      </td>
    </tr>
  `;
}

/** @param {{ scopes: string[] | undefined }} props */
export const Scopes = ({ scopes }) =>
  scopes?.length ? html`<span class="scopes">${scopes.map((scope) => html`<code>${scope}</code> `)}</span>` : null;

/** @param {{ keys: Key[] }} props */
const EndedKeys = ({ keys }) => html`
  <details class="ended">
    <summary>${counted(keys.length, "revoked or expired key")}</summary>
    <table>
      <caption class="hidden">Revoked and expired keys</caption>
      <thead><tr><th>Label</th><th>State</th><th>Last used</th><th>Ended</th></tr></thead>
      <tbody>
        ${keys.map(
          (key) => html`
            <tr key=${key.id}>
              <th scope="row"><a href="/console/keys/${key.id}">${key.label}</a><span class="under"><code>${key.prefix}</code></span></th>
              <td data-label="State"><${Badge} tone=${keyState(key).tone}>${keyState(key).name}<//></td>
              <td data-label="Last used"><${When} at=${key.lastUsedAt} /></td>
              <td data-label="Ended"><${When} at=${key.revokedAt ?? key.expiresAt} /></td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  </details>
`;

/**
 * A program may have used a key since the list was read: the dialog reads it again, also before it revokes.
 * @param {{ keys: Key[], reload: () => Promise<void>, onClose: () => void }} props
 */
function RevokeStale({ keys, reload, onClose }) {
  useEffect(() => void reload(), []);
  const { run, isRunning, failure } = useAction(async () => {
    const shown = keys.map(({ id }) => id);
    const now = await call("listApiKeys");
    store("listApiKeys", {}, now);
    for (const { id } of now.keys.filter((key) => isStale(key) && shown.includes(key.id)))
      store("listApiKeys", {}, await call("revokeApiKey", { body: { keyId: id } }));
    onClose();
  });
  return html`
    <${Dialog} title="Revoke ${counted(keys.length, "unused key")}?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Revoke them" isDangerous isReady=${keys.length > 0} onCancel=${onClose}>
        <p>Nobody has used these keys for 90 days. Requests with them get the status 401 from now on. You cannot undo this.</p>
        <ul>${keys.map((key) => html`<li>${key.label} <code>${key.prefix}</code></li>`)}</ul>
      <//>
    <//>
  `;
}
