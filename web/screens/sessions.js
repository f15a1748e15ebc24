// The browsers in which the user is signed in.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { store } from "../lib/cache.js";
import { useAction, useRead } from "../lib/resource.js";
import { Form } from "../lib/fields.js";
import { conclude, Dialog, ErrorPanel, Loading, Page, When } from "../lib/ui.js";

/** @typedef {import("../lib/api.js").Schemas["Session"]} Session */

export default function Sessions() {
  const { data, failure, reload } = useRead("listSessions");
  const [isEndingAll, setEndingAll] = useState(false);
  const endAll = html`<button type="button" class="danger-text" onClick=${() => setEndingAll(true)}>Sign out everywhere…</button>`;
  return html`
    <${Page} title="Sessions" lead="The browsers in which you are signed in." actions=${endAll}>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${!data && !failure && html`<${Loading} />`}
      ${data && html`<${Table} sessions=${data.sessions} />`}
      ${data && data.sessions.length > 1 && html`<${EndOthers} />`}
    <//>
    ${isEndingAll && html`<${EndAll} onClose=${() => setEndingAll(false)} />`}
  `;
}

/** @param {{ sessions: Session[] }} props */
const Table = ({ sessions }) => html`
  <table>
    <caption class="hidden">Sessions</caption>
    <thead><tr><th>Browser</th><th>Address</th><th>Signed in</th><th>Last seen</th><th>Ends at the latest</th><th><span class="hidden">Actions</span></th></tr></thead>
    <tbody>${sessions.map((session) => html`<${Row} key=${session.id} session=${session} />`)}</tbody>
  </table>
`;

/** @param {{ session: Session }} props */
function Row({ session }) {
  const { run, isRunning, failure } = useAction(async () => {
    store("listSessions", {}, await call("endSession", { id: session.id }));
    conclude("The session is over.");
  });
  return html`
    <tr data-row tabindex="-1">
      <th scope="row" title=${session.userAgent ?? undefined}>${browser(session.userAgent)}${session.current && html`<span class="under">This browser</span>`}</th>
      <td data-label="Address">${session.address ?? html`<span class="quiet">unknown</span>`}</td>
      <td data-label="Signed in"><${When} at=${session.createdAt} /></td>
      <td data-label="Last seen"><${When} at=${session.seenAt} /></td>
      <td data-label="Ends at the latest"><${When} at=${session.expiresAt} /></td>
      <td class="row-actions">
        ${
          !session.current &&
          html`<button type="button" class="danger-text" onClick=${run} aria-disabled=${isRunning}>
          End<span class="hidden"> the session of ${browser(session.userAgent)}</span>
        </button>`
        }
        <${ErrorPanel} failure=${failure} />
      </td>
    </tr>
  `;
}

function EndOthers() {
  const { run, isRunning, failure } = useAction(async () => {
    store("listSessions", {}, await call("endSessions", { keepCurrent: true }));
    conclude("All other sessions are over.");
  });
  return html`
    <p><button type="button" onClick=${run} aria-disabled=${isRunning}>End all other sessions</button></p>
    <${ErrorPanel} failure=${failure} />
  `;
}

/** @type {[RegExp, string][]} */
const BROWSERS = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/curl\//, "curl"],
];
/** @type {[RegExp, string][]} */
const SYSTEMS = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** @param {string | null} userAgent */
export function browser(userAgent) {
  const find = (/** @type {[RegExp, string][]} */ known) =>
    known.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1];
  const [name, system] = [find(BROWSERS), find(SYSTEMS)];
  return [name ?? "Unknown browser", system && `on ${system}`].filter(Boolean).join(" ");
}

/** @param {{ onClose: () => void }} props */
function EndAll({ onClose }) {
  const { run, isRunning, failure } = useAction(async () => {
    await call("endSessions");
    location.assign("/console/signed-out");
  });
  return html`
    <${Dialog} title="Sign out everywhere?" onClose=${onClose}>
      <${Form} submit=${run} isRunning=${isRunning} failure=${failure} label="Sign out everywhere" isDangerous onCancel=${onClose}>
        <p>Every session ends, also the one in this browser. API keys and webhooks keep working.</p>
      <//>
    <//>
  `;
}
