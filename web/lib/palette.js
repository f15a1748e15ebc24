// The command palette (Ctrl+K), loaded when it is opened: every screen, every button of the open screen, and the
// reader's items, found by a few letters.

import { html, useMemo, useRef, useState } from "../vendor/preact.js";
import { useRead } from "./resource.js";
import { may } from "./rights.js";
import { navigate } from "./router.js";
import { Dialog } from "./ui.js";
import { place } from "./words.js";

/** @typedef {{ id: string, text: string, kind: string, run: () => void }} Command */

/** The maximum number of shown results, so that a reader can look through the list. */
const SHOWN_MAX = 50;

/** @param {{ places: [string, string][], onClose: () => void }} props */
export default function Palette({ places, onClose }) {
  const [search, setSearch] = useState("");
  const [choice, setChoice] = useState({ id: "" });
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  const commands = useMemo(() => [...screens(places), ...buttons()], []);
  const things = useThings();
  const shown = [...commands, ...(search.trim() ? [...things, ...named(search.trim())] : [])]
    .filter(({ text }) => fits(text, search))
    .slice(0, SHOWN_MAX);
  // A late answer may put other commands above the chosen one.
  const chosen = shown.find(({ id }) => id === choice.id) ?? shown[0];
  const at = shown.findIndex((one) => one === chosen);
  choice.id = chosen?.id ?? "";
  const run = (/** @type {Command | undefined} */ command) => {
    if (!command) return;
    onClose();
    // After the dialog has given the focus back.
    window.setTimeout(command.run, 30);
  };
  const move = (/** @type {number} */ by) => {
    const next = (shown.length + at + by) % Math.max(1, shown.length);
    setChoice({ id: shown[next]?.id ?? "" });
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") run(chosen);
    else return;
    event.preventDefault();
  };
  const type = (/** @type {any} */ event) => {
    setSearch(event.target.value);
    setChoice({ id: "" });
  };
  return html`
    <${Dialog} title="Go to, or do" onClose=${onClose}>
      <form onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <input type="text" role="combobox" aria-label="Screen or action" aria-expanded="true" aria-autocomplete="list" aria-controls="commands"
          aria-activedescendant=${chosen && `command-${at}`} autocomplete="off" spellcheck=${false}
          value=${search} onInput=${type} onKeyDown=${press} />
      </form>
      <ul id="commands" class="commands" role="listbox" aria-label="Commands" ref=${list}>
        ${shown.map(
          (
            command,
            index,
          ) => html`<li id="command-${index}" role="option" aria-selected=${command === chosen ? "true" : "false"} onClick=${() => run(command)}>
            <span>${command.text}</span> <span class="quiet">${command.kind}</span>
          </li>`,
        )}
      </ul>
      <p role="status" class=${shown.length ? "hidden" : "quiet"}>${shown.length ? `${shown.length} found` : "Nothing has these letters."}</p>
    <//>
  `;
}

/** @param {[string, string][]} places @returns {Command[]} */
const screens = (places) => places.map(([href, text]) => leading(text, "screen", href));

/**
 * The reader's items: keys by label, subscriptions by URL, the newest deliveries by type and id.
 * @returns {Command[]}
 */
function useThings() {
  const seesWebhooks = may("webhooks:read");
  const keys = useRead(may("keys:read") && "listApiKeys").data?.keys ?? [];
  const subscriptions = useRead(seesWebhooks && "listSubscriptions", { limit: 200 }).data?.subscriptions ?? [];
  const deliveries = useRead(seesWebhooks && "listDeliveries", { limit: 50 }).data?.deliveries ?? [];
  return [
    ...keys.map(({ id, label, prefix }) => leading(`${label} ${prefix}`, "key", `/console/keys/${id}`)),
    ...subscriptions.map(({ id, url, description }) =>
      leading(`${place(url)} ${description}`.trim(), "subscription", `/console/subscriptions/${id}`),
    ),
    ...deliveries.map(({ id, eventType }) => leading(`${eventType} ${id}`, "delivery", `/console/deliveries/${id}`)),
  ];
}

/** @param {string} text @param {string} kind @param {string} href @returns {Command} */
const leading = (text, kind, href) => ({ id: `${kind} ${href}`, text, kind, run: () => navigate(href) });

/**
 * The items that the text itself may name: a pasted id, and for operators a user.
 * @param {string} text
 * @returns {Command[]}
 */
const named = (text) => [
  ...Object.entries({ dlv: "deliveries", sub: "subscriptions", key: "keys" })
    .filter(([prefix]) => new RegExp(`^${prefix}_[0-9a-z]{26}$`).test(text))
    .map(([, screen]) => leading(text, "id", `/console/${screen}/${text}`)),
  ...(may("operator") ? [leading(text, "user", `/console/operator/users/${encodeURIComponent(text)}`)] : []),
  ...(may("operator") && /^evt_[0-9a-z]+$/.test(text)
    ? [leading(text, "event", `/console/operator/events/${text}`)]
    : []),
];

/**
 * The buttons of the screen, by their names for screen readers. The same name twice is one command.
 * @returns {Command[]}
 */
function buttons() {
  /** @type {Map<string, Command>} */
  const found = new Map();
  for (const button of document.querySelectorAll("main button:not([disabled])")) {
    const text = (button.getAttribute("aria-label") ?? button.textContent ?? "").replace(/\s+/g, " ").trim();
    if (!(button instanceof HTMLElement) || !text || found.has(text) || button.offsetParent === null) continue;
    found.set(text, { id: text, text, kind: "action", run: () => (button.focus(), button.click()) });
  }
  return [...found.values()];
}

/**
 * Whether the text has all words of the search.
 * @param {string} text
 * @param {string} search
 */
const fits = (text, search) =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));
