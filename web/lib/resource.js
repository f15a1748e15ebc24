// What screens read, kept in memory: a screen that was open before appears at once, and is then brought up to date.

import { useCallback, useEffect, useRef, useState } from "../vendor/preact.js";
import { call, Failure } from "./api.js";

/** @type {Map<string, unknown>} */
const known = new Map();
/** @type {Set<(path: string) => void>} */
const watchers = new Set();
/** At most so many answers are kept. */
const KNOWN_MAX = 100;

/**
 * Replaces what is known, after an answer that contains it.
 * @param {string} path
 * @param {unknown} data
 */
export function store(path, data) {
  known.delete(path);
  known.set(path, data);
  const [oldest] = known.keys();
  if (known.size > KNOWN_MAX && oldest !== undefined) known.delete(oldest);
  for (const watcher of watchers) watcher(path);
}

/**
 * Reads a path again, after something that changed what is there.
 * @param {string} path
 */
export async function refresh(path) {
  store(path, await call("GET", path));
}

/** Forgets everything, when another user may sign in. */
export function forget() {
  known.clear();
}

/**
 * @template T
 * @typedef {{ data: T | undefined, failure: Failure | undefined, reload: () => Promise<void> }} Resource
 */

/**
 * What is at a path of the API. Without a path, nothing.
 * @template T
 * @param {string | undefined} path
 * @returns {Resource<T>}
 */
export function useResource(path) {
  const [failure, setFailure] = useState(/** @type {Failure | undefined} */ (undefined));
  const [, setTurn] = useState(0);
  const reload = useCallback(async () => {
    if (path === undefined) return;
    try {
      await refresh(path);
      setFailure(undefined);
    } catch (error) {
      setFailure(asFailure(error));
    }
  }, [path]);
  useEffect(() => {
    const watcher = (/** @type {string} */ changed) => changed === path && setTurn((turn) => turn + 1);
    watchers.add(watcher);
    setFailure(undefined);
    reload();
    return () => void watchers.delete(watcher);
  }, [path, reload]);
  return { data: /** @type {T | undefined} */ (path === undefined ? undefined : known.get(path)), failure, reload };
}

/**
 * An action that a button starts: whether it runs, how it failed, and how to start it. While it runs, the button is
 * `aria-disabled` and not `disabled`, which would take the focus from it, and a second click does nothing. What a screen
 * starts by itself may overlap.
 * @template {unknown[]} A
 * @param {(...values: A) => Promise<unknown>} act
 * @param {{ mayOverlap?: boolean }} [how]
 */
export function useAction(act, { mayOverlap = false } = {}) {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState(/** @type {Failure | undefined} */ (undefined));
  const running = useRef(false);
  const run = async (/** @type {A} */ ...values) => {
    if (running.current && !mayOverlap) return;
    running.current = true;
    setRunning(true);
    setFailure(undefined);
    try {
      await act(...values);
    } catch (error) {
      setFailure(asFailure(error));
    } finally {
      running.current = false;
      setRunning(false);
    }
  };
  return { run, isRunning, failure };
}

/** @param {unknown} error */
function asFailure(error) {
  if (error instanceof Failure) return error;
  console.error(error);
  return new Failure({ title: "The console made a mistake", detail: "Reload the page, then try again." });
}
