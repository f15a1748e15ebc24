// The address of the page: its screen and its filter.

import { useLayoutEffect, useState } from "../vendor/preact.js";
import { isOther, kept, withoutOwner } from "./owner-shown.js";

const MOVED = "gatepost:moved";

/** Whether the screen is one to which the reader came back. */
let isBack = false;
export const isReturn = () => isBack;

/** The name of a list of the screen; `key` has its filter. @param {string} key */
export const listName = (key) => `rows of ${location.pathname} ${key}`;

/**
 * Goes to another screen. The entry of this one keeps the link that leads there, and the place, for the way back.
 * @param {string} to
 * @param {{ replace?: boolean }} [how]
 */
export function navigate(to, { replace = false } = {}) {
  isBack = false;
  if (replace) {
    history.replaceState(history.state, "", kept(to));
  } else {
    history.replaceState({ followed: to, top: window.scrollY }, "");
    history.pushState(null, "", kept(to));
    window.scrollTo(0, 0);
  }
  shown = location.href;
  window.dispatchEvent(new Event(MOVED));
}

/** What happens instead of a way back while something is shown once. @type {(() => void) | undefined} */
let held;

/** @param {BeforeUnloadEvent} event */
const ask = (event) => event.preventDefault();

/**
 * Keeps the reader on this screen until the returned function is called: a way back calls `instead`, and the browser asks
 * before it leaves the page.
 * @param {() => void} instead
 */
export function hold(instead) {
  held = instead;
  window.addEventListener("beforeunload", ask);
  return release;
}

/** Lets the reader, and the page, go. */
export function release() {
  held = undefined;
  window.removeEventListener("beforeunload", ask);
}

/** The address of the screen, to which a held way back returns. */
let shown = "";

/** @param {PopStateEvent} event */
function stay(event) {
  if (!held) return void (shown = location.href);
  event.stopImmediatePropagation();
  history.pushState(null, "", shown);
  held();
}

/** The longest wait for a list to which the reader comes back, in milliseconds. */
const RETURN_PATIENCE = 3000;

/** Goes back to the place, once the list is there again, and to the link that was followed. */
function findFollowed() {
  isBack = true;
  const { followed, top = 0 } = history.state ?? {};
  if (!followed) return;
  let isThere = false;
  const find = () => {
    const link = document.querySelector(`main a[href="${CSS.escape(followed)}"]`);
    if (!isThere && document.documentElement.scrollHeight >= top + window.innerHeight) {
      isThere = true;
      window.scrollTo(0, top);
    }
    if (!(link instanceof HTMLElement)) return;
    observer.disconnect();
    link.scrollIntoView({ block: isThere ? "nearest" : "center" });
    link.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(find);
  observer.observe(document.body, { childList: true, subtree: true });
  window.setTimeout(() => observer.disconnect(), RETURN_PATIENCE);
}

/** The path and the query of the page. Renders again when they change, from the moment at which the screen exists. */
export function useAddress() {
  const [address, setAddress] = useState(location.pathname + location.search);
  useLayoutEffect(() => {
    const read = () => setAddress(location.pathname + location.search);
    window.addEventListener(MOVED, read);
    window.addEventListener("popstate", read);
    return () => {
      window.removeEventListener(MOVED, read);
      window.removeEventListener("popstate", read);
    };
  }, []);
  return new URL(address, location.origin);
}

/**
 * The filter in the address, a function that changes it, and one that sets one of its members. The screen stays; empty
 * values leave the address.
 * @returns {[Record<string, string>, (changes: Record<string, string>) => void, (name: string) => (value: string) => void]}
 */
export function useFilter() {
  const filter = withoutOwner(useAddress().searchParams);
  const change = (/** @type {Record<string, string>} */ changes) => {
    // Two changes may come before the screen is rendered again: each adds to the current address.
    const { pathname, search } = location;
    const now = Object.fromEntries(new URLSearchParams(search));
    const next = Object.entries({ ...now, ...changes }).filter(([, value]) => value !== "");
    const query = new URLSearchParams(next).toString();
    navigate(query ? `${pathname}?${query}` : pathname, { replace: true });
  };
  return [filter, change, (name) => (value) => change({ [name]: value })];
}

/** @typedef {{ pattern: string, right?: import("./rights.js").Right, load: () => Promise<{ default: (props: any) => unknown }> }} Route */

/**
 * The route that a path matches, with its parameters: `:id` in a pattern is one.
 * @param {Route[]} routes
 * @param {string} path
 * @returns {{ route: Route, parameters: Record<string, string> } | undefined}
 */
export function match(routes, path) {
  const parts = path.replace(/\/$/, "").split("/");
  for (const route of routes) {
    const wanted = route.pattern.split("/");
    if (wanted.length !== parts.length) continue;
    /** @type {Record<string, string>} */
    const parameters = {};
    const fits = wanted.every((part, at) => {
      if (part.startsWith(":")) parameters[part.slice(1)] = decoded(parts[at] ?? "");
      return part.startsWith(":") || part === parts[at];
    });
    if (fits) return { route, parameters };
  }
  return undefined;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Follows links to screens without loading the page again.
 * @param {Route[]} routes
 */
export function followLinks(routes) {
  shown = location.href;
  window.addEventListener("popstate", stay, { capture: true });
  window.addEventListener("popstate", findFollowed, { capture: true });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || link.origin !== location.origin || !match(routes, link.pathname)) return;
    if (isOther(link.search)) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
