// The text that a reader has typed into a dialog, and that a way out of it would lose.

import { useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { hold } from "./router.js";

/** A word that confirms an action may be lost. */
const TEXT_FIELDS = ".field input:not([data-confirm]), .field textarea";

/**
 * Keeps the typed text of a dialog: the ways out call `close`, also the way back. `fields` are the events by which the
 * dialog reports its fields.
 * @param {() => void} close
 */
export function useDraft(close) {
  /** @type {{ current: Map<any, string> }} */
  const before = useRef(new Map());
  const latest = useRef(close);
  latest.current = close;
  const has = () => [...before.current].some(([field, value]) => field.isConnected && field.value !== value);
  const [isHeld, setHeld] = useState(false);
  useLayoutEffect(() => (isHeld ? hold(() => latest.current()) : undefined), [isHeld]);
  const enter = (/** @type {any} */ { target }) => {
    if (target.matches(TEXT_FIELDS) && !before.current.has(target)) before.current.set(target, target.value);
  };
  return { has, fields: { onFocusIn: enter, onInput: () => setHeld(has()) } };
}
