// Times in words, and exact in the reader's zone.

const UNITS = /** @type {const} */ ([
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
]);
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exactly = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/**
 * "5 minutes ago", "in 2 days".
 * @param {string} at
 */
export function inWords(at) {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (unit) return relative.format(Math.round(seconds / unit[1]), unit[0]);
  return seconds > -10 && seconds < 1 ? "just now" : relative.format(Math.round(seconds), "second");
}

/** @param {string} at */
export const exact = (at) => exactly.format(new Date(at));

/** @param {number} milliseconds */
export function duration(milliseconds) {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}

/** @param {number} seconds */
export const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();

export const DAY = 24 * 3600;
