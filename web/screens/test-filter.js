// Tests the filter in a form with sample data, before it is saved.

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { filterOf, jsonOf } from "../lib/json-field.js";
import { useVerdict } from "../lib/resource.js";
import { Field, typed } from "../lib/fields.js";
import { ErrorPanel } from "../lib/ui.js";

/** @typedef {import("../lib/api.js").Answer<"testFilter">} Verdict */

/** @param {{ filter: string }} props */
export function TestFilter({ filter }) {
  const [sample, setSample] = useState("{}");
  const { run, isRunning, failure, answer } = useVerdict([filter, sample], () =>
    call("testFilter", { body: { filter: filterOf(filter), data: jsonOf(sample, "data", "The data is not JSON") } }),
  );
  return html`
    <div class="check-it">
      <${Field} label="Sample data" fault=${failure?.fault("data")}
        hint=${`The data of an event, such as {"amount": 150}. It is not sent to your receiver.`}
        input=${(/** @type {object} */ attributes) =>
          html`<textarea rows="3" spellcheck=${false} value=${sample} onInput=${typed(setSample)} ...${attributes}></textarea>`} />
      <button type="button" onClick=${run} aria-disabled=${isRunning}>Test the filter</button>
      <div role="status">${answer && html`<${Result} ...${answer} />`}</div>
      <${ErrorPanel} failure=${failure} fields=${["data"]} />
    </div>
  `;
}

/** @param {Verdict} props */
const Result = ({ passes, decidedBy }) => html`
  <p class=${passes ? "verdict good" : "verdict bad"}>
    ${passes ? "The event passes" : "The event does not pass"}: <code>${decidedBy}</code> decides.
  </p>
`;
