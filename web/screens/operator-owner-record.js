// What the operator has set for an owner, and whether the owner may act.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { store } from "../lib/cache.js";
import { idOf, kindOf } from "../lib/owner.js";
import { useAction, useRead } from "../lib/resource.js";
import { Form, TextField } from "../lib/fields.js";
import { Badge, Dialog, ErrorPanel, Loading, When } from "../lib/ui.js";

/** @typedef {import("../lib/api.js").Answer<"findUser">} Record */
/** @typedef {import("../lib/owner.js").Named} Named */
/** @typedef {{ owner: Named, of: Record, onClose: () => void }} DialogProps */

const DIALOGS = { limits: ChangeLimits, suspend: Suspend, activate: Activate, erase: Erase };
const STATES = new Map([
  ["active", "Active"],
  ["suspended", "Suspended"],
  ["erasing", "Being erased"],
]);

/** @param {{ owner: Named }} props */
export function OwnerAccount({ owner }) {
  const { data, failure, reload } = useRead("findUser", owner);
  const [open, setOpen] = useState(/** @type {keyof typeof DIALOGS | undefined} */ (undefined));
  const shown = open && DIALOGS[open];
  return html`
    <${ErrorPanel} failure=${failure} retry=${reload} />
    ${!data && !failure && html`<${Loading} />`}
    ${data && html`<${Facts} of=${data} open=${setOpen} />`}
    ${data && shown && html`<${shown} owner=${owner} of=${data} onClose=${() => setOpen(undefined)} />`}
  `;
}

/** @param {{ of: Record, open: (dialog: keyof typeof DIALOGS) => void }} props */
function Facts({ of, open }) {
  const { state, reason, since } = of.state;
  const isActive = state === "active";
  const pairs = Object.entries(of.metadata).map(([name, value]) => `${name}=${value}`);
  const none = html`<span class="quiet">none</span>`;
  const ofService = html`<span class="quiet">that of the service</span>`;
  return html`
    <dl class="facts">
      <div><dt>State</dt><dd><${Badge} tone=${isActive ? "good" : "bad"}>${STATES.get(state) ?? state}<//></dd></div>
      ${since && html`<div><dt>Since</dt><dd><${When} at=${since} /></dd></div>`}
      ${reason && html`<div><dt>Reason</dt><dd>${reason}</dd></div>`}
      ${of.lastSeenAt && html`<div><dt>Last signed in</dt><dd><${When} at=${of.lastSeenAt} /></dd></div>`}
      ${of.suspendsAt && html`<div><dt>Suspended at</dt><dd><${When} at=${of.suspendsAt} /></dd></div>`}
      <div><dt>Name</dt><dd>${of.name ?? none}</dd></div>
      <div><dt>E-mail</dt><dd>${of.email ?? none}</dd></div>
      <div><dt>Metadata</dt><dd>${pairs.length > 0 ? pairs.join(" ") : none}</dd></div>
      <div><dt>Most active keys</dt><dd>${of.maxActiveKeys ?? ofService}</dd></div>
      <div><dt>Most subscriptions</dt><dd>${of.maxSubscriptions ?? ofService}</dd></div>
      <div><dt>Rate limit of each key</dt><dd>${of.keyRateLimit ?? ofService}</dd></div>
      <div><dt>Rate limit of calls</dt><dd>${of.requestRateLimit ?? ofService}</dd></div>
    </dl>
    <div class="toolbar">
      <button type="button" onClick=${() => open("limits")}>Change the limits…</button>
      ${isActive && html`<button type="button" class="danger-text" onClick=${() => open("suspend")}>Suspend…</button>`}
      ${
        state === "suspended" &&
        html`
          <button type="button" onClick=${() => open("activate")}>Make active…</button>
          <button type="button" class="danger-text" onClick=${() => open("erase")}>Erase…</button>
        `
      }
    </div>
  `;
}

/** What is not a number goes to the service as it is, which says what is wrong. @param {string} text @returns {any} */
const maximum = (text) => (text.trim() === "" ? null : Number.isFinite(Number(text)) ? Number(text) : text);

const LIMITS = ["maxActiveKeys", "maxSubscriptions", "keyRateLimit", "requestRateLimit"];

/** @param {string} text */
const rate = (text) => text.trim() || null;

/** @param {DialogProps} props */
function ChangeLimits({ owner, of, onClose }) {
  const [before] = useState({
    keys: of.maxActiveKeys?.toString() ?? "",
    subscriptions: of.maxSubscriptions?.toString() ?? "",
    keyRate: of.keyRateLimit ?? "",
    requestRate: of.requestRateLimit ?? "",
  });
  const [keys, setKeys] = useState(before.keys);
  const [subscriptions, setSubscriptions] = useState(before.subscriptions);
  const [keyRate, setKeyRate] = useState(before.keyRate);
  const [requestRate, setRequestRate] = useState(before.requestRate);
  const { run, isRunning, failure } = useAction(async () => {
    // The host may have changed the other limits while the dialog was open.
    const body = {
      ...(keys !== before.keys && { maxActiveKeys: maximum(keys) }),
      ...(subscriptions !== before.subscriptions && { maxSubscriptions: maximum(subscriptions) }),
      ...(keyRate !== before.keyRate && { keyRateLimit: rate(keyRate) }),
      ...(requestRate !== before.requestRate && { requestRateLimit: rate(requestRate) }),
    };
    store("findUser", owner, await call("changeUser", { ...owner, body }));
    onClose();
  });
  return html`
    <${Dialog} title="Change the limits" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} fields=${LIMITS} label="Change the limits" onCancel=${onClose}>
        <p>A limit that is empty is that of the service. A lower limit ends nothing that the ${kindOf(owner)} has.</p>
        <${TextField} label="Most active keys" inputmode="numeric" value=${keys} set=${setKeys} fault=${failure?.fault("maxActiveKeys")} />
        <${TextField} label="Most subscriptions" inputmode="numeric" value=${subscriptions} set=${setSubscriptions}
          fault=${failure?.fault("maxSubscriptions")} />
        <p>Rate limits are a count and a unit, such as 100/s, 6000/m or 100000/h.</p>
        <${TextField} label="Rate limit of each key" spellcheck=${false} value=${keyRate} set=${setKeyRate}
          fault=${failure?.fault("keyRateLimit")} />
        <${TextField} label="Rate limit of calls" spellcheck=${false} value=${requestRate} set=${setRequestRate}
          fault=${failure?.fault("requestRateLimit")} />
      <//>
    <//>
  `;
}

/** @param {DialogProps} props */
function Suspend({ owner, onClose }) {
  const [reason, setReason] = useState("");
  const { run, isRunning, failure } = useAction(async () => {
    const body = /** @type {const} */ ({ state: "suspended", ...(reason && { reason }) });
    store("findUser", owner, await call("setUserState", { ...owner, body }));
    onClose();
  });
  return html`
    <${Dialog} title="Suspend ${idOf(owner)}?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Suspend the ${kindOf(owner)}" isDangerous onCancel=${onClose}>
        <p>Every key and session of the ${kindOf(owner)} is refused from now on, and deliveries wait. You can make the ${kindOf(owner)} active again.</p>
        <${TextField} label="Reason (optional)" value=${reason} set=${setReason} />
      <//>
    <//>
  `;
}

/** @param {DialogProps} props */
function Activate({ owner, onClose }) {
  const { run, isRunning, failure } = useAction(async () => {
    store("findUser", owner, await call("setUserState", { ...owner, body: { state: "active" } }));
    onClose();
  });
  return html`
    <${Dialog} title="Make ${idOf(owner)} active?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Make the ${kindOf(owner)} active" onCancel=${onClose}>
        <p>Keys and sessions work as before, and deliveries that have waited are sent. A disabled key stays disabled.</p>
      <//>
    <//>
  `;
}

/** @param {DialogProps} props */
function Erase({ owner, onClose }) {
  const [confirm, setConfirm] = useState("");
  const { run, isRunning, failure } = useAction(async () => {
    store("findUser", owner, await call("eraseUser", { ...owner, confirm }));
    onClose();
  });
  return html`
    <${Dialog} title="Erase ${idOf(owner)}?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Erase the ${kindOf(owner)}" isDangerous onCancel=${onClose}>
        <p>All keys, webhooks and deliveries of the ${kindOf(owner)} are deleted within minutes. You cannot undo this.</p>
        <${TextField} label="The id of the ${kindOf(owner)}" data-confirm name="confirm" value=${confirm} set=${setConfirm} />
      <//>
    <//>
  `;
}
