// JSON whose numbers stay as they were written: a parser makes 1.50 to 1.5, and changes integers above 2^53.

const { rawJSON } = /** @type {{ rawJSON?: (text: string) => unknown }} */ (JSON);

/** @type {(name: string, value: unknown, context?: { source?: string }) => unknown} */
const keepNumber = (_name, value, context) =>
  typeof value === "number" && context?.source && rawJSON ? rawJSON(context.source) : value;

/**
 * The value of the text, for `JSON.stringify` only: in browsers that can keep them, its numbers are objects.
 * @param {string} text
 * @returns {any}
 */
export const exactly = (text) => JSON.parse(text, keepNumber);

/** The members of answers that have JSON of the host or of the owner. */
const FOREIGN = ["payload", "filter"];

/**
 * The answer of the API in this text, with the values of such members as by {@link exactly}.
 * @param {string} text
 * @returns {any}
 */
export function answerOf(text) {
  const answer = JSON.parse(text);
  if (FOREIGN.some((name) => text.includes(`"${name}":`))) restore(answer, exactly(text));
  return answer;
}

/** @param {any} answer @param {any} exact */
function restore(answer, exact) {
  for (const [name, value] of Object.entries(answer)) {
    if (FOREIGN.includes(name)) answer[name] = exact[name];
    else if (typeof value === "object" && value !== null) restore(value, exact[name]);
  }
}
