// The outcomes of attempts at deliveries, over time.

import { html } from "../vendor/preact.js";
import { Chart, grouped } from "./chart.js";
import { ErrorPanel } from "./ui.js";
import { counted } from "./words.js";

/** @typedef {import("./api.js").Answer<"showOutcomes">} Outcomes */
/** @typedef {import("./chart.js").Series} Series */

/** @type {Series[]} */
const SERIES = [
  { name: "delivered", label: "Delivered", tone: "good" },
  { name: "retried", label: "Failed, tried again", tone: "warn" },
  { name: "exhausted", label: "Failed for good", tone: "bad" },
];

/** @param {{ title: string, outcomes: import("./resource.js").Resource<Outcomes> }} props */
export const OutcomeChart = ({ title, outcomes: { data, failure, reload } }) => html`
    <section>
      <h2>${title}</h2>
      <${ErrorPanel} failure=${failure} retry=${reload} />
      ${data && html`<${Chart} caption=${finding(data.total)} series=${SERIES} hours=${data.hours} />`}
    </section>
  `;

/**
 * The content of the chart, in words.
 * @param {Outcomes["total"]} total
 */
function finding({ delivered, retried, exhausted }) {
  const all = delivered + retried + exhausted;
  if (all === 0) return "No attempt was made in the last 24 hours.";
  const share = (100 * delivered) / all;
  // 100 % means all of them.
  const rate = share < 100 ? Math.min(share, 99.9).toFixed(1) : "100";
  const lost = exhausted > 0 ? ` ${counted(exhausted, "delivery has", "deliveries have")} failed for good.` : "";
  return `${rate} % of the attempts in the last 24 hours were delivered: ${grouped(delivered)} of ${grouped(all)}.${lost}`;
}
