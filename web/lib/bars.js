// The arithmetic of charts: the bars, and the places of their parts.

/**
 * A counted value: its name in an hour, its label, and its look. Each tone has its own pattern.
 * @typedef {{ name: string, label: string, tone: import("./ui.js").Tone }} Series
 */
/** @typedef {{ start: string } & Record<string, number | string>} Hour */
/** @typedef {Series & { count: number }} Part */
/** @typedef {{ start: number, parts: Part[], sum: number }} Bar */

/** The size of the drawing, in its own units: the browser scales it. */
export const [WIDTH, HEIGHT] = [720, 120];

/**
 * Adds up hours, `size` of them for each bar.
 * @param {Hour[]} hours
 * @param {Series[]} series
 * @param {number} size
 */
export function barsOf(hours, series, size) {
  /** @type {Bar[]} */
  const bars = [];
  hours.forEach((hour, at) => {
    if (at % size === 0)
      bars.push({ start: Date.parse(hour.start), parts: series.map((one) => ({ ...one, count: 0 })), sum: 0 });
    const bar = bars[bars.length - 1];
    for (const part of bar?.parts ?? []) part.count += Number(hour[part.name]);
  });
  for (const bar of bars) bar.sum = bar.parts.reduce((sum, part) => sum + part.count, 0);
  return bars;
}

/**
 * The places of the parts of a bar, the first at the bottom. Each part is visible, also the smallest.
 * @param {Bar} bar
 * @param {number} most
 */
export function stack(bar, most) {
  let top = HEIGHT;
  return bar.parts.map(({ tone, count }) => {
    const height = count === 0 ? 0 : Math.max(2, (count / most) * (HEIGHT - 6));
    top -= height;
    return { tone, y: top, height };
  });
}
