// Keyboard shortcuts. They can be switched off, because speech input may trigger single letters (WCAG 2.1.4).

import { useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { may } from "./rights.js";
import { navigate } from "./router.js";

export const SWITCH = "gatepost:shortcuts";

/** @type {Record<string, [string, string]>} */
const PLACES = {
  h: ["/console/", "Home"],
  k: ["/console/keys", "Keys"],
  w: ["/console/subscriptions", "Subscriptions"],
  d: ["/console/deliveries", "Deliveries"],
  s: ["/console/sessions", "Sessions"],
  a: ["/console/audit", "Audit log"],
};
/** @type {Record<string, [string, string]>} */
const OPERATOR_PLACES = {
  o: ["/console/operator", "Overview"],
  u: ["/console/operator/users", "Owners"],
  e: ["/console/operator/events", "Events"],
  c: ["/console/operator/audit", "All changes"],
};
export const places = () => (may("operator") ? { ...PLACES, ...OPERATOR_PLACES } : PLACES);
/** How long a `g` waits for the letter of a place, in milliseconds. */
const PATIENCE = 1500;

/** A browser may forbid a frame to store data. */
export function areOn() {
  try {
    return localStorage.getItem(SWITCH) !== "off";
  } catch {
    return true;
  }
}

export function useShortcuts() {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  // Their dialogs are loaded when they open: until then, letters are for them, and not for the page.
  const isOpening = useRef(false);
  isOpening.current = isHelpOpen || isPaletteOpen;
  useLayoutEffect(() => {
    let goPressed = -PATIENCE;
    const press = (/** @type {KeyboardEvent} */ event) => {
      if (isPaletteKey(event)) {
        event.preventDefault();
        const isFree = document.querySelector("dialog[open]") === null;
        setPaletteOpen(isFree);
        isOpening.current ||= isFree;
        return;
      }
      if (isOpening.current || !areOn() || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const isGoing = event.timeStamp - goPressed < PATIENCE;
      const place = places()[event.key];
      goPressed = event.key === "g" ? event.timeStamp : -PATIENCE;
      if (isGoing && place) navigate(place[0]);
      else if (event.key === "?") setHelpOpen((isOpening.current = true));
      else if (event.key === "/") focus(event, "[data-search]");
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
      else if (event.key === "Enter") follow(event);
      else if (event.key === "n") click(event, "[data-new]");
      else if (event.key === "r") click(event, "[data-retry]");
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return { isHelpOpen, setHelpOpen, isPaletteOpen, setPaletteOpen };
}

/** Works while the reader types, and with the shortcuts off: it is not a single letter. @param {KeyboardEvent} event */
const isPaletteKey = (event) =>
  (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "k";

/** @param {EventTarget | null} target */
function isTyping(target) {
  const isInput = target instanceof HTMLElement && target.matches("input, textarea, select");
  return isInput || document.querySelector("dialog[open]") !== null;
}

/** @param {KeyboardEvent} event @param {string} selector */
function focus(event, selector) {
  const target = document.querySelector(selector);
  if (!(target instanceof HTMLElement)) return;
  event.preventDefault();
  target.focus();
}

/** @param {KeyboardEvent} event @param {string} selector */
function click(event, selector) {
  const target = document.querySelector(selector);
  if (!(target instanceof HTMLElement)) return;
  event.preventDefault();
  target.focus();
  target.click();
}

/** Opens the row that has the focus: its first link. @param {KeyboardEvent} event */
function follow(event) {
  const row = document.activeElement?.matches("tr[data-row]") ? document.activeElement : null;
  const link = row?.querySelector("a");
  if (!link) return;
  event.preventDefault();
  link.click();
}

/**
 * Moves the focus to the next or previous row of the list.
 * @param {number} by
 */
function step(by) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const here = rows.findIndex((row) => row === document.activeElement);
  const next = rows[here < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, here + by))];
  if (next instanceof HTMLElement) next.focus();
}
