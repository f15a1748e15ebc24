// The fields of forms and filters, and the form.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ErrorPanel } from "./ui.js";

/** @typedef {import("../vendor/preact.js").ComponentChildren} Children */
/** @typedef {import("./api.js").Failure} Failure */

let fieldCount = 0;

/**
 * A label, its input, a hint, and the fault of the value. The fault is hidden when the value changes, unless it follows
 * the value.
 * @param {{ label: string, hint?: string, fault?: string, followsValue?: boolean,
 *   input: (attributes: Record<string, unknown>) => Children }} props
 */
export function Field({ label, hint, fault: found, followsValue = false, input }) {
  const [id] = useState(() => `field-${(fieldCount += 1)}`);
  const [isChanged, setChanged] = useState(false);
  useEffect(() => setChanged(false), [found]);
  const fault = isChanged && !followsValue ? undefined : found;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ") || undefined;
  return html`
    <div class="field" onInput=${() => setChanged(true)}>
      <label for=${id}>${label}</label>
      ${input({ id, "aria-describedby": described, "aria-invalid": fault ? "true" : undefined })}
      ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
      ${fault && html`<p class="fault" id="${id}-fault">${fault}</p>`}
    </div>
  `;
}

/**
 * A field for a line of text. Other attributes go to its input.
 * @param {{ label: string, value: string, set: (value: string) => void, hint?: string, fault?: string,
 *   followsValue?: boolean } & Record<string, unknown>} props
 */
export const TextField = ({ value, set, label, hint, fault, followsValue, ...more }) => html`
  <${Field} label=${label} hint=${hint} fault=${fault} followsValue=${followsValue}
    input=${(/** @type {object} */ attributes) =>
      html`<input type="text" autocomplete="off" ...${more} value=${value} onInput=${typed(set)} ...${attributes} />`} />
`;

/**
 * The filters of a list.
 * @param {{ label: string, children?: Children }} props
 */
export const Filters = ({ label, children }) => html`
  <form class="filters" role="search" aria-label=${label} onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
    ${children}
  </form>
`;

/**
 * A choice from a list.
 * @param {{ label: string, value: string, options: [string, string][], onChange: (value: string) => void, hint?: string }} props
 */
export const Choice = ({ label, value, options, onChange, hint }) => html`
  <${Field}
    label=${label}
    hint=${hint}
    input=${(/** @type {object} */ attributes) => html`
      <select ...${attributes} value=${value} onChange=${(/** @type {any} */ event) => onChange(event.target.value)}>
        ${options.map(([key, text]) => html`<option value=${key} selected=${key === value}>${text}</option>`)}
      </select>
    `}
  />
`;

/**
 * A search field. It keeps the typed text until Enter, or until the reader leaves the field. Another value replaces it.
 * @param {{ label: string, value: string, onChange: (value: string) => void, hint?: string, isMain?: boolean }} props
 */
export function SearchField({ label, value, onChange, hint, isMain = false }) {
  const [draft, setDraft] = useState({ text: value, over: value });
  const text = draft.over === value ? draft.text : value;
  const setText = (/** @type {string} */ now) => setDraft({ text: now, over: value });
  const search = (/** @type {any} */ event) => {
    const wanted = event.target.value.trim();
    setDraft({ text: wanted, over: wanted });
    onChange(wanted);
  };
  return html`
    <${Field}
      label=${label}
      hint=${hint}
      input=${(/** @type {object} */ attributes) => html`
        <input type="search" data-search=${isMain ? "" : undefined} autocomplete="off" spellcheck=${false} value=${text}
          onInput=${typed(setText)} onChange=${search} ...${attributes} />
      `}
    />
  `;
}

/**
 * A form that runs an action, with its buttons and its error, which goes when a value changes. `fields` show their faults
 * themselves.
 * @param {{ submit: () => void, isRunning: boolean, failure?: Failure, label: string, isDangerous?: boolean,
 *   isReady?: boolean, fields?: string[], onCancel?: () => void, children?: Children }} props
 */
export function Form({ submit, isRunning, failure, label, isDangerous, isReady = true, fields, onCancel, children }) {
  const [isChanged, setChanged] = useState(false);
  useEffect(() => setChanged(false), [failure]);
  const onSubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isReady) submit();
  };
  return html`
    <form onSubmit=${onSubmit} onInput=${() => setChanged(true)} novalidate>
      ${children}
      <${ErrorPanel} failure=${isChanged ? undefined : failure} fields=${fields} />
      <div class="form-foot">
        ${onCancel && html`<button type="button" onClick=${() => isRunning || onCancel()}>Cancel</button>`}
        <button type="submit" class=${isDangerous ? "danger" : "primary"} disabled=${!isReady} aria-disabled=${isRunning}>
          ${isRunning ? "Working…" : label}
        </button>
      </div>
    </form>
  `;
}

/**
 * The text of an input, as it is typed.
 * @param {(value: string) => void} set
 */
export const typed = (set) => (/** @type {any} */ event) => set(event.target.value);
