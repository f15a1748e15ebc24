// Bars over time, drawn by the console itself: a caption with their subject, and the same numbers as a table.

import { html, useState } from "../vendor/preact.js";
import { barsOf, HEIGHT, stack, WIDTH } from "./bars.js";
import { Badge } from "./ui.js";

/** @typedef {import("./ui.js").Tone} Tone */
/** @typedef {import("./bars.js").Series} Series */
/** @typedef {import("./bars.js").Bar} Bar */

/** The part of a bar's room that stays empty. */
const GAP = 0.2;
const HOUR = 3600 * 1000;
const hourly = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const daily = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const number = new Intl.NumberFormat("en-GB");

/** @param {number} count */
export const grouped = (count) => number.format(count);

/**
 * @param {{ caption: string, series: Series[], hours: import("./bars.js").Hour[], size?: number }} props
 */
export function Chart({ caption, series, hours, size = 1 }) {
  const bars = barsOf(hours, series, size);
  const most = Math.max(...bars.map((bar) => bar.sum));
  const time = size === 1 ? hourly : daily;
  const first = bars[0]?.start ?? 0;
  return html`
    <figure class="chart">
      <figcaption>${caption}</figcaption>
      ${
        most > 0 &&
        html`
        <ul class="legend">${series.map((one) => html`<li><${Swatch} tone=${one.tone} />${one.label}</li>`)}</ul>
        <p class="most" aria-hidden="true">${grouped(most)}</p>
        <${Bars} caption=${caption} series=${series} bars=${bars} most=${most} time=${time} />
        <p class="ends" aria-hidden="true">
          <span>${time.format(first)}</span><span>${time.format(first + hours.length * HOUR)}</span>
        </p>
        <${Table} caption=${caption} series=${series} bars=${bars} time=${time} />
      `
      }
    </figure>
  `;
}

let chartCount = 0;

/** @param {{ caption: string, series: Series[], bars: Bar[], most: number, time: Intl.DateTimeFormat }} props */
function Bars({ caption, series, bars, most, time }) {
  const [id] = useState(() => `chart-${(chartCount += 1)}`);
  const room = WIDTH / bars.length;
  return html`
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${caption}>
      <defs>${series.map(({ tone }) => html`<${Pattern} tone=${tone} id="${id}-${tone}" />`)}</defs>
      <path class="grid" d="M0 .5h${WIDTH}M0 ${HEIGHT / 2}h${WIDTH}M0 ${HEIGHT - 0.5}h${WIDTH}" />
      ${bars.map(
        (bar, at) => html`<g key=${bar.start}>
          <title>${time.format(bar.start)}: ${inWords(bar)}</title>
          <rect class="room" x=${at * room} y="0" width=${room} height=${HEIGHT} />
          ${stack(bar, most).map(
            ({ tone, y, height }) =>
              height > 0 &&
              html`<rect x=${(at + GAP / 2) * room} y=${y} width=${room * (1 - GAP)} height=${height} fill="url(#${id}-${tone})" />`,
          )}
        </g>`,
      )}
    </svg>
  `;
}

/** @param {Bar} bar */
const inWords = ({ parts }) => parts.map(({ label, count }) => `${grouped(count)} ${label.toLowerCase()}`).join(", ");

/** Lines for readers who do not see the colour: none, falling, rising, and crosses. @type {Record<Tone, string>} */
const LINES = { good: "", bad: "M0 8 8 0", warn: "M0 0 8 8", info: "M0 4h8", off: "M0 8 8 0M0 0 8 8" };

/** @param {{ tone: Tone, id: string }} props */
const Pattern = ({ tone, id }) => html`
  <pattern id=${id} width="8" height="8" patternUnits="userSpaceOnUse">
    <rect class="fill ${tone}" width="8" height="8" /><path class="lines" d=${LINES[tone]} />
  </pattern>
`;

/** @param {{ tone: Tone }} props */
const Swatch = ({ tone }) => html`
  <svg viewBox="0 0 16 16" class="swatch" aria-hidden="true">
    <rect class="fill ${tone}" width="16" height="16" /><path class="lines" transform="scale(2)" d=${LINES[tone]} />
  </svg>
`;

/** @param {{ caption: string, series: Series[], bars: Bar[], time: Intl.DateTimeFormat }} props */
const Table = ({ caption, series, bars, time }) => html`
  <details class="ended">
    <summary>Show as table</summary>
    <table>
      <caption class="hidden">${caption}</caption>
      <thead><tr><th>From</th>${series.map(({ label }) => html`<th>${label}</th>`)}</tr></thead>
      <tbody>
        ${bars
          .filter((bar) => bar.sum > 0)
          .map(
            (bar) => html`
              <tr key=${bar.start}>
                <th scope="row"><time datetime=${new Date(bar.start).toISOString()}>${time.format(bar.start)}</time></th>
                ${bar.parts.map(
                  ({ label, tone, count }) => html`<td data-label=${label}>
                    ${count > 0 && tone !== "good" ? html`<${Badge} tone=${tone}>${grouped(count)}<//>` : grouped(count)}
                  </td>`,
                )}
              </tr>
            `,
          )}
      </tbody>
    </table>
  </details>
`;
