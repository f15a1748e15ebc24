// The same code in several languages.

import { html, useState } from "../vendor/preact.js";
import { Code } from "./ui.js";

/**
 * @param {{ snippets: Record<string, string>, label: string }} props
 */
export function Snippets({ snippets, label }) {
  const names = Object.keys(snippets);
  const [chosen, setChosen] = useState(names[0] ?? "");
  const move = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const next = names[(names.indexOf(chosen) + by + names.length) % names.length] ?? chosen;
    setChosen(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return html`
    <div class="tabs">
      <div role="tablist" aria-label=${label} onKeyDown=${move}>
        ${names.map(
          (name) => html`
            <button
              type="button"
              role="tab"
              id="tab-${name}"
              aria-selected=${name === chosen ? "true" : "false"}
              aria-controls="snippet"
              tabindex=${name === chosen ? 0 : -1}
              onClick=${() => setChosen(name)}
            >
              ${name}
            </button>
          `,
        )}
      </div>
      <div role="tabpanel" id="snippet" aria-labelledby="tab-${chosen}">
        <${Code} text=${snippets[chosen] ?? ""} what="code" />
      </div>
    </div>
  `;
}
