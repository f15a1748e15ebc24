// The payload of an answer, byte for byte: a parser changes numbers and the order of members, and a signature covers bytes.

import { failure, send } from "./api.js";

/**
 * The text of the member `payload` of the event in the answer at `path`.
 * @param {string} path
 */
export async function rawPayload(path) {
  const response = await send(path, {});
  if (!response.ok) throw await failure(response);
  const text = await response.text();
  // Within a string the quotes would be escaped.
  const start = text.indexOf(',"payload":') + ',"payload":'.length;
  return text.slice(start, endOfValue(text, start));
}

/**
 * The end of the JSON value that begins at `start`.
 * @param {string} text
 * @param {number} start
 */
function endOfValue(text, start) {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/gs)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth < 0 || (depth === 0 && token === ",")) return start + index;
  }
  return text.length;
}
