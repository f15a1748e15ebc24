// What screens read, kept in memory: a screen that was open before appears at once, and is then brought up to date.

import { useCallback, useEffect, useRef, useState } from "../vendor/preact.js";
import { call, Failure } from "./api.js";

/** @type {Map<string, unknown>} */
const known = new Map();
/** @type {Set<(path: string) => void>} */
const watchers = new Set();
/** At most so many answers are kept. */
const KNOWN_MAX = 100;
/** How many questions there were so far, and to which of them the known answer of a path belongs. */
let asked = 0;
/** @type {Map<string, number>} */
const answered = new Map();

/**
 * Replaces what is known, after an answer that contains it. An answer to an older question than the known one is dropped.
 * @param {string} path
 * @param {unknown} data
 * @param {number} [question]
 */
export function store(path, data, question = (asked += 1)) {
  if (question < (answered.get(path) ?? 0)) return;
  answered.set(path, question);
  known.delete(path);
  known.set(path, data);
  const [oldest] = known.keys();
  if (known.size > KNOWN_MAX && oldest !== undefined) forgetOne(oldest);
  for (const watcher of watchers) watcher(path);
}

/**
 * Reads a path again, after something that changed what is there.
 * @param {string} path
 */
export async function refresh(path) {
  const question = (asked += 1);
  store(path, await call("GET", path), question);
}

/** @param {string} path */
function forgetOne(path) {
  known.delete(path);
  answered.delete(path);
}

/** Forgets everything, when another user may sign in. */
export function forget() {
  known.clear();
  answered.clear();
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
  const current = useRef(path);
  current.current = path;
  const reload = useCallback(async () => {
    if (path === undefined) return;
    const found = await refresh(path).then(() => undefined, asFailure);
    if (current.current === path) setFailure(found);
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
 * starts by itself may overlap: then the failure is that of the run that began last.
 * @template {unknown[]} A
 * @param {(...values: A) => Promise<unknown>} act
 * @param {{ mayOverlap?: boolean }} [how]
 */
export function useAction(act, { mayOverlap = false } = {}) {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState(/** @type {Failure | undefined} */ (undefined));
  const running = useRef(/** @type {object | undefined} */ (undefined));
  const run = async (/** @type {A} */ ...values) => {
    if (running.current && !mayOverlap) return;
    const turn = (running.current = {});
    setRunning(true);
    setFailure(undefined);
    const found = await act(...values).then(() => undefined, asFailure);
    if (running.current !== turn) return;
    running.current = undefined;
    setFailure(found);
    setRunning(false);
  };
  return { run, isRunning, failure };
}

/** @param {unknown} error */
function asFailure(error) {
  if (error instanceof Failure) return error;
  console.error(error);
  return new Failure({ title: "The console made a mistake", detail: "Reload the page, then try again." });
}
