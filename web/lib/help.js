// The help on keyboard shortcuts, loaded when it is opened.

import { html, useState } from "../vendor/preact.js";
import { areOn, places, SWITCH } from "./shortcuts.js";
import { Dialog } from "./ui.js";

/** @param {{ onClose: () => void }} props */
export default function Help({ onClose }) {
  const [isOn, setOn] = useState(areOn());
  const toggle = () => {
    try {
      localStorage.setItem(SWITCH, isOn ? "off" : "on");
    } catch {
      return;
    }
    setOn(!isOn);
  };
  /** @type {[string, string][]} */
  const keys = [
    ...Object.entries(places()).map(
      ([key, [, name]]) => /** @type {[string, string]} */ ([`g ${key}`, `Go to ${name}`]),
    ),
    ["j", "Next row"],
    ["k", "Previous row"],
    ["Enter", "Open the row"],
    ["/", "Search or filter"],
    ["n", "New key or subscription"],
    ["r", "Retry the delivery"],
    ["Ctrl K", "Any screen or action"],
    ["?", "This help"],
  ];
  return html`
    <${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
      <dl class="shortcuts">
        ${keys.map(
          ([key, text]) =>
            html`<div><dt>${key.split(" ").map((one) => html`<kbd>${one}</kbd>`)}</dt><dd>${text}</dd></div>`,
        )}
      </dl>
      <label class="check"><input type="checkbox" checked=${isOn} onChange=${toggle} /> Use these shortcuts</label>
    <//>
  `;
}
