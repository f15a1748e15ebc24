// Pairs in a string, and the change from some pairs to others.

/**
 * Reads a pair from each line: `plan=pro`.
 * @param {string} text
 * @returns {Record<string, string>}
 */
export function pairsOf(text) {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => {
      const [name = "", ...value] = line.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
}

/**
 * The merge patch from the pairs before to the pairs after: removed names are `null`, and equal pairs are left out, so that
 * it undoes no change that another made in the meantime.
 * @param {Record<string, string>} before
 * @param {Record<string, string>} after
 * @returns {Record<string, string | null>}
 */
export const patchOf = (before, after) => ({
  ...Object.fromEntries(
    Object.keys(before)
      .filter((name) => !(name in after))
      .map((name) => [name, null]),
  ),
  ...Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value)),
});
