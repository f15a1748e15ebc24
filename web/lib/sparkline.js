// A line without axes, as long as a word: the number of events on each day, and the same in words.

import { html } from "../vendor/preact.js";
import { counted } from "./words.js";

/** The size of the drawing, in its own units. */
const [WIDTH, HEIGHT] = [90, 20];

/** @param {{ days: number[] }} props */
export function Sparkline({ days }) {
  const most = Math.max(...days);
  const sum = days.reduce((all, one) => all + one, 0);
  if (sum === 0) return html`<span class="quiet">no use</span>`;
  const words = `${counted(sum, "use")} in ${days.length} days, at most ${most.toLocaleString("en")} on one of them`;
  return html`
    <span class="sparkline" title=${words}>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${words}><path d=${line(days, most)} /></svg>
    </span>
  `;
}

/**
 * A point for each day, from the left to the right. The stroke has room at the top and at the bottom.
 * @param {number[]} days
 * @param {number} most
 */
const line = (days, most) =>
  days
    .map((count, day) => {
      const x = (day / Math.max(1, days.length - 1)) * WIDTH;
      const y = HEIGHT - 1 - (count / most) * (HEIGHT - 2);
      return `${day === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
