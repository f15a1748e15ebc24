// Copies a string. A frame may lack the permission, and a page without TLS has no clipboard: then the browser copies the
// selection, as it does for a user who presses Ctrl+C.

/** The keys that copy a selection. */
export const COPY_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘+C" : "Ctrl+C";

/**
 * Copies the text. If the browser refuses, `shown`, which has the same text, stays selected.
 * @param {string} text
 * @param {HTMLElement | null} shown
 * @returns {Promise<boolean>} Whether the text is copied.
 */
export async function copy(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return shown !== null && copySelected(shown);
  }
}

/** @param {HTMLElement} shown */
function copySelected(shown) {
  getSelection()?.selectAllChildren(shown);
  return document.execCommand("copy");
}
