// The answers that screens have read, in memory by their address, and the lists that consist of several answers.

import { addressOf, call } from "./api.js";

/** @typedef {import("./api.js").Operation} Operation */

/** @type {Map<string, unknown>} */
const known = new Map();
/** @type {Set<(address: string) => void>} */
const watchers = new Set();
/** The maximum number of kept answers. */
const KNOWN_MAX = 100;
/** The number of questions so far, and the question to which the known answer of an address belongs. */
let asked = 0;
/** @type {Map<string, number>} */
const answered = new Map();

/**
 * Replaces a known answer, after an answer that contains it.
 * @template {Operation} O
 * @param {O} operation
 * @param {Partial<import("./api.js").Given<O>>} given
 * @param {import("./api.js").Answer<O>} answer
 */
export const store = (operation, given, answer) => keep(addressOf(operation, given), answer, (asked += 1));

/**
 * Keeps a list of several answers for the way back.
 * @param {string} name
 * @param {unknown} list
 */
export const keepList = (name, list) => keep(name, list, (asked += 1));

/**
 * Reads again, after a change of the data.
 * @template {Operation} O
 * @param {O} operation
 * @param {import("./api.js").Arguments<O>} given
 */
export async function refresh(operation, ...given) {
  const question = (asked += 1);
  keep(addressOf(operation, ...given), await call(operation, ...given), question);
}

/**
 * An answer to an older question than the known one is dropped.
 * @param {string} address
 * @param {unknown} answer
 * @param {number} question
 */
function keep(address, answer, question) {
  if (question < (answered.get(address) ?? 0)) return;
  answered.set(address, question);
  known.delete(address);
  known.set(address, answer);
  const [oldest] = known.keys();
  if (known.size > KNOWN_MAX && oldest !== undefined) {
    known.delete(oldest);
    answered.delete(oldest);
  }
  for (const watcher of watchers) watcher(address);
}

/** @param {string} address */
export const find = (address) => known.get(address);

/**
 * Calls back with each address that has a new answer, until the returned function is called.
 * @param {(address: string) => void} watcher
 */
export function watch(watcher) {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/** Forgets all answers, when another user may sign in. */
export function forget() {
  known.clear();
  answered.clear();
}
