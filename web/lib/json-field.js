// JSON that a reader types into a field of a form.

import { Failure } from "./api.js";
import { exactly } from "./exact.js";

/**
 * The value of the text, as by {@link exactly}; a fault of the field if it is not JSON.
 * @param {string} text
 * @param {string} field
 * @param {string} title
 * @returns {any}
 */
export function jsonOf(text, field, title) {
  try {
    return exactly(text);
  } catch {
    throw new Failure({ title, errors: [{ field, detail: "must be JSON" }] });
  }
}

/** The filter that was typed. @param {string} text */
export const filterOf = (text) => jsonOf(text, "filter", "The filter is not valid");
