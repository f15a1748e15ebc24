// The event types of the service, which a field offers while the reader types.

import { html } from "../vendor/preact.js";

/** @typedef {Pick<import("./api.js").Schemas["EventType"], "name" | "title" | "archived">} EventType */

/**
 * What the last word of the text may become, with the other words before it. No type comes twice.
 * @param {string} text
 * @param {EventType[]} types
 */
export function continuations(text, types) {
  const [before = ""] = /^.*[\s,]/s.exec(text) ?? [];
  const chosen = before.split(/[\s,]+/);
  const offered = types.filter(({ name, archived }) => !archived && !chosen.includes(name));
  return offered.map(({ name, title = "" }) => ({ value: before + name, title }));
}

/**
 * The options of the field whose `list` is the id. `text` is the text of a field of several types.
 * @param {{ id: string, types: EventType[] | undefined, text?: string }} props
 */
export const EventTypeOptions = ({ id, types = [], text = "" }) => html`
  <datalist id=${id}>
    ${continuations(text, types).map(({ value, title }) => html`<option key=${value} value=${value}>${title}</option>`)}
  </datalist>
`;
