// Creating and rotating a key, which show the new key, once, and revoking one.

import { html, useState } from "../vendor/preact.js";
import { addressOf, call, send } from "../lib/api.js";
import { store } from "../lib/cache.js";
import { useAction } from "../lib/resource.js";
import { Snippets } from "../lib/snippet-tabs.js";
import { callsWith } from "../lib/snippets.js";
import { DAY } from "../lib/time.js";
import { Choice, Form, TextField } from "../lib/fields.js";
import { Code, Dialog, ErrorPanel, When } from "../lib/ui.js";
import { isTyped, keyState } from "../lib/words.js";

/** @typedef {import("../lib/api.js").Key} Key */
/** @typedef {import("../lib/api.js").Answer<"createApiKey">} Created */

/** @type {[string, string][]} */
const LIFETIMES = [
  ["", "Never"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
];

/** @param {{ onClose: () => void }} props */
export function CreateKey({ onClose }) {
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("");
  const [scopes, setScopes] = useState("");
  const [created, setCreated] = useState(/** @type {Created | undefined} */ (undefined));
  const names = () => scopes.split(/[\s,]+/).filter(Boolean);
  const { run, isRunning, failure } = useAction(async () => {
    const body = {
      label,
      ...(days && { expiresAt: new Date(Date.now() + Number(days) * DAY * 1000).toISOString() }),
      ...(names().length > 0 && { scopes: names() }),
    };
    const answer = await call("createApiKey", { body });
    setCreated(answer);
    store("listApiKeys", {}, { keys: answer.keys });
  });
  if (created) return html`<${NewKey} created=${created} onClose=${onClose} />`;
  return html`
    <${Dialog} title="New API key" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} fields=${["label", "scopes"]} label="Create the key" onCancel=${onClose}>
        <${TextField} label="Label" maxlength="100" value=${label} set=${setLabel} fault=${failure?.fault("label")}
          hint="Where the key is used, such as “CI deploy”." />
        <${Choice} label="Expires" value=${days} options=${LIFETIMES} onChange=${setDays} />
        <${TextField} label="Scopes" spellcheck=${false} value=${scopes} set=${setScopes} fault=${failure?.fault("scopes", names())}
          hint="Optional. Words that your API defines, separated by spaces, such as “orders:read”. Without scopes the key may do everything." />
      <//>
    <//>
  `;
}

/** @type {[string, string][]} */
const OVERLAPS = [
  ["0", "At once"],
  ["3600", "In an hour"],
  [String(DAY), "In a day"],
  [String(7 * DAY), "In a week"],
];

/** @param {{ record: Key, onClose: () => void }} props */
export function RotateKey({ record, onClose }) {
  const [overlap, setOverlap] = useState(String(DAY));
  const [created, setCreated] = useState(/** @type {Created | undefined} */ (undefined));
  const { run, isRunning, failure } = useAction(async () => {
    const answer = await call("rotateApiKey", { keyId: record.id, body: { overlapSeconds: Number(overlap) } });
    setCreated(answer);
    store("listApiKeys", {}, { keys: answer.keys });
  });
  if (created) return html`<${NewKey} created=${created} onClose=${onClose} />`;
  return html`
    <${Dialog} title="Rotate “${record.label}”" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Rotate the key" onCancel=${onClose}>
        <p>You get a new key with the same label and the same scopes. Until the old key ends, both work, so that you can deploy the new one without a break.</p>
        <${Choice} label="The old key ends" value=${overlap} options=${OVERLAPS} onChange=${setOverlap} />
      <//>
    <//>
  `;
}

/**
 * Revokes a key. A key and its successor have one label, so the dialog says which of them this is.
 * @param {{ record: Key, keys: Key[], onClose: () => void }} props
 */
export function RevokeKey({ record, keys, onClose }) {
  const [chosen, setChosen] = useState(record);
  const [label, setLabel] = useState("");
  const { run, isRunning, failure } = useAction(async () => {
    store("listApiKeys", {}, await call("revokeApiKey", { body: { keyId: chosen.id } }));
    onClose();
  });
  const choose = (/** @type {any} */ event, /** @type {Key} */ key) => {
    event.target.form.querySelector("input").focus();
    setChosen(key);
  };
  const before = keys.find((key) => key.replacedBy === chosen.id && keyState(key).isActive);
  const after = keys.find((key) => key.id === chosen.replacedBy && keyState(key).isActive);
  return html`
    <${Dialog} title="Revoke this key?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Revoke the key" isDangerous
        isReady=${isTyped(label, chosen.label)} onCancel=${onClose}>
        ${
          before &&
          html`<div class="notice">
          <p>This is the new key. It replaces <code>${before.prefix}</code>, which ends <${When} at=${before.expiresAt} />: after that, no key with this label works.</p>
          <button type="button" onClick=${(/** @type {Event} */ event) => choose(event, before)}>Revoke the old key instead</button>
        </div>`
        }
        ${after && html`<p>This is the old key. The new one, <code>${after.prefix}</code>, keeps working.</p>`}
        <p>
          Every request with <code>${chosen.prefix}</code> gets the status 401 from now on. You cannot undo this.
          ${chosen.lastUsedAt ? html` The key was last used <${When} at=${chosen.lastUsedAt} />.` : " The key was never used."}
        </p>
        <${TextField} label="Type the label to confirm" data-confirm hint=${chosen.label} value=${label} set=${setLabel} />
      <//>
    <//>
  `;
}

/**
 * The only time that the full key is shown.
 * @param {{ created: Created, onClose: () => void }} props
 */
function NewKey({ created, onClose }) {
  const record = created.keys.find((key) => key.id === created.keyId);
  return html`
    <${Dialog} title="Your new key" onClose=${onClose} done="key">
      <p class="notice">Copy the key now. Only its SHA-256 is stored, so nobody can show it to you again.</p>
      <${Code} text=${created.key} what="key" isOneLine />
      ${record?.expiresAt && html`<p>It expires <${When} at=${record.expiresAt} />.</p>`}
      <${CheckIt} fullKey=${created.key} />
      <${Snippets} snippets=${callsWith(created.key)} label="Call the API with the key" />
    <//>
  `;
}

/**
 * Calls with the key alone: a request with two credentials is refused.
 * @param {string} fullKey
 */
async function checkKey(fullKey) {
  const response = await send(addressOf("whoami"), { headers: { "x-api-key": fullKey }, credentials: "omit" });
  return { status: response.status, body: await response.json() };
}

/** @param {{ fullKey: string }} props */
function CheckIt({ fullKey }) {
  const [answer, setAnswer] = useState(/** @type {{ status: number, body: unknown } | undefined} */ (undefined));
  const { run, isRunning, failure } = useAction(async () => setAnswer(await checkKey(fullKey)));
  return html`
    <div class="check-it">
      <button type="button" onClick=${run} aria-disabled=${isRunning}>Check it</button>
      <span class="quiet">Calls <code>/api/whoami</code> with the key.</span>
      <div role="status">
        ${
          answer &&
          html`<p class=${answer.status === 200 ? "verdict good" : "verdict bad"}>
            ${answer.status === 200 ? "200: the key works." : `${answer.status}: the key was refused.`}
          </p>
          <pre class="plain"><code>${JSON.stringify(answer.body, null, 2)}</code></pre>`
        }
      </div>
      <${ErrorPanel} failure=${failure} />
    </div>
  `;
}
