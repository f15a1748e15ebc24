// Changing a key: its label, metadata and rate limit, and whether it is disabled.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { refresh } from "../lib/cache.js";
import { pairsOf, patchOf } from "../lib/pairs.js";
import { useAction } from "../lib/resource.js";
import { Field, Form, TextField, typed } from "../lib/fields.js";
import { Dialog } from "../lib/ui.js";

/** @typedef {import("../lib/api.js").Key} Key */

/** @param {{ record: Key, onClose: () => void }} props */
export function ChangeKey({ record: newest, onClose }) {
  const [record] = useState(newest);
  const before = record.metadata ?? {};
  const shown = Object.entries(before)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
  const [label, setLabel] = useState(record.label);
  const [limit, setLimit] = useState(record.rateLimit ?? "");
  const [pairs, setPairs] = useState(shown);
  const { run, isRunning, failure } = useAction(async () => {
    // The host may have changed the other fields while the dialog was open. The screen follows such changes.
    const body = {
      ...(label !== record.label && { label }),
      ...(limit !== (record.rateLimit ?? "") && { rateLimit: limit.trim() || null }),
      ...(pairs !== shown && { metadata: patchOf(pairsOf(shown), pairsOf(pairs)) }),
    };
    await call("changeApiKey", { keyId: record.id, body });
    await refresh("listApiKeys");
    onClose();
  });
  return html`
    <${Dialog} title="Change “${record.label}”" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} fields=${["label", "rateLimit", "metadata"]} label="Save" onCancel=${onClose}>
        <${TextField} label="Label" maxlength="100" value=${label} set=${setLabel} fault=${failure?.fault("label")} />
        <${TextField} label="Rate limit" spellcheck=${false} value=${limit} set=${setLimit} fault=${failure?.fault("rateLimit")}
          hint="Optional, such as “100/s”. Without it, the limit of the account holds." />
        <${Field} label="Metadata" fault=${failure?.fault("metadata")} hint="Pairs for the application, one in each line, such as “plan=pro”."
          input=${(/** @type {object} */ more) => html`<textarea rows="3" spellcheck=${false} value=${pairs} onInput=${typed(setPairs)} ...${more}></textarea>`} />
      <//>
    <//>
  `;
}

/**
 * Disables a key, or enables it.
 * @param {{ record: Key, onClose: () => void }} props
 */
export function DisableKey({ record, onClose }) {
  const isDisabled = record.disabledAt !== undefined;
  const { run, isRunning, failure } = useAction(async () => {
    await call("changeApiKey", { keyId: record.id, body: { disabled: !isDisabled } });
    await refresh("listApiKeys");
    onClose();
  });
  const verb = isDisabled ? "Enable" : "Disable";
  return html`
    <${Dialog} title="${verb} this key?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="${verb} the key" isDangerous=${!isDisabled} onCancel=${onClose}>
        <p>${
          isDisabled
            ? html`Requests with <code>${record.prefix}</code> are accepted again.`
            : html`Every request with <code>${record.prefix}</code> gets the status 401 until you enable the key again. It still counts towards the maximum of keys.`
        }</p>
      <//>
    <//>
  `;
}
