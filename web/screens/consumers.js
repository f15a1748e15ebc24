// The consumers of a subscription that is pulled: their lag, and the owner's commands.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { product } from "../lib/brand.js";
import { useAction, useRead } from "../lib/resource.js";
import { may } from "../lib/rights.js";
import { pullCommand } from "../lib/snippets.js";
import { Form } from "../lib/fields.js";
import { Code, Dialog, Empty, ErrorPanel, Loading, When } from "../lib/ui.js";

/** @typedef {import("../lib/api.js").Schemas["Consumer"]} Consumer */
/** @typedef {import("../lib/resource.js").Resource<import("../lib/api.js").Answer<"listConsumers">>} Listed */
/** @typedef {"start" | "end" | "delete"} Command */

/** The consumers of a subscription of the reader's own. @param {{ id: string }} props */
export function Consumers({ id }) {
  const listed = useRead("listConsumers", { id });
  const [asked, setAsked] = useState(/** @type {{ name: string, command: Command } | undefined} */ (undefined));
  const ask = may("webhooks")
    ? (/** @type {string} */ name, /** @type {Command} */ command) => setAsked({ name, command })
    : undefined;
  return html`
    <${Section} listed=${listed} ask=${ask}>
      <p>This command fetches the events${!product.isPortal && ", prints them and commits them"}:</p>
      <${Code} text=${pullCommand(id)} what="command" isOneLine />
    <//>
    ${asked && html`<${Confirm} id=${id} ...${asked} reload=${listed.reload} onClose=${() => setAsked(undefined)} />`}
  `;
}

/** Those of an owner, for operators, who only see them. @param {{ owner: import("../lib/owner.js").Named, id: string }} props */
export function ConsumersOf({ owner, id }) {
  const listed = useRead("listUserConsumers", { ...owner, id });
  return html`<${Section} listed=${listed} />`;
}

/**
 * `children` are the next steps without a consumer.
 * @param {{ listed: Listed, ask?: (name: string, command: Command) => void, children?: import("../lib/ui.js").Children }} props
 */
const Section = ({ listed: { data, failure, reload }, ask, children }) => html`
  <section>
    <h2>Consumers</h2>
    <${ErrorPanel} failure=${failure} retry=${reload} />
    ${!data && !failure && html`<${Loading} />`}
    ${data?.consumers.length === 0 && html`<${Empty} title="No reader has called yet.">${children}<//>`}
    ${
      data &&
      data.consumers.length > 0 &&
      html`<table>
      <caption class="hidden">Consumers, by name</caption>
      <thead><tr><th>Consumer</th><th>Lag</th><th>Leased until</th>${ask && html`<th><span class="hidden">Actions</span></th>`}</tr></thead>
      <tbody>${data.consumers.map((one) => html`<${Row} key=${one.name} consumer=${one} ask=${ask} />`)}</tbody>
    </table>`
    }
    ${data && html`<p><button type="button" onClick=${reload}>Reload</button></p>`}
  </section>
`;

/** @param {{ consumer: Consumer, ask?: (name: string, command: Command) => void }} props */
const Row = ({ consumer: { name, lag, leasedUntil }, ask }) => html`
  <tr data-row tabindex="-1">
    <th scope="row">${name}</th>
    <td data-label="Lag">${lag.toLocaleString("en")}</td>
    <td data-label="Leased until"><${When} at=${leasedUntil} never="–" /></td>
    ${
      ask &&
      html`<td class="row-actions">
        <button type="button" onClick=${() => ask(name, "start")}>Start again<span class="hidden"> with ${name}</span>…</button>
        <button type="button" onClick=${() => ask(name, "end")}>Skip to the end<span class="hidden"> with ${name}</span>…</button>
        <button type="button" class="danger-text" onClick=${() => ask(name, "delete")}>Delete<span class="hidden"> ${name}</span>…</button>
      </td>`
    }
  </tr>
`;

/** @type {Record<Command, { title: (name: string) => string, text: string, label: string, isDangerous: boolean }>} */
const COMMANDS = {
  start: {
    title: (name) => `Start again with “${name}”?`,
    text: "The consumer goes to the start of the log, and receives all its events again. A lease ends: the reader that has it can no longer commit.",
    label: "Start again",
    isDangerous: false,
  },
  end: {
    title: (name) => `Skip to the end with “${name}”?`,
    text: "The consumer goes to the end of the log, and does not receive the events before it. A lease ends: the reader that has it can no longer commit.",
    label: "Skip to the end",
    isDangerous: true,
  },
  delete: {
    title: (name) => `Delete the consumer “${name}”?`,
    text: "Its place in the log is gone, and the events stay. A later call with this name begins with the oldest event.",
    label: "Delete it",
    isDangerous: true,
  },
};

/** @param {{ id: string, name: string, command: Command, reload: () => Promise<void>, onClose: () => void }} props */
function Confirm({ id, name: consumer, command, reload, onClose }) {
  const { run, isRunning, failure } = useAction(async () => {
    if (command === "delete") await call("deleteConsumer", { id, consumer });
    else await call("seekConsumer", { id, consumer, body: { to: command } });
    await reload();
    onClose();
  });
  const { title, text, label, isDangerous } = COMMANDS[command];
  return html`
    <${Dialog} title=${title(consumer)} onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label=${label} isDangerous=${isDangerous} onCancel=${onClose}>
        <p>${text}</p>
      <//>
    <//>
  `;
}
