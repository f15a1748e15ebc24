// The data of screens: a screen that was open before appears at once, and is then updated.

import { useCallback, useEffect, useRef, useState } from "../vendor/preact.js";
import { addressOf, Failure } from "./api.js";
import { find, refresh, watch } from "./cache.js";

/**
 * @template T
 * @typedef {{ data: T | undefined, failure: Failure | undefined, reload: () => Promise<void> }} Resource
 */

/**
 * The answer of an operation. Without an operation, no answer.
 * @template {import("./api.js").Operation} O
 * @param {O | false | undefined} operation
 * @param {import("./api.js").Arguments<O>} given
 * @returns {Resource<import("./api.js").Answer<O>>}
 */
export function useRead(operation, ...given) {
  const [failure, setFailure] = useState(/** @type {Failure | undefined} */ (undefined));
  const [, setTurn] = useState(0);
  const address = operation ? addressOf(operation, ...given) : "";
  const current = useRef(address);
  current.current = address;
  const reload = useCallback(async () => {
    if (!operation) return;
    const found = await refresh(operation, ...given).then(() => undefined, asFailure);
    if (current.current === address) setFailure(found);
  }, [address]);
  useEffect(() => {
    setFailure(undefined);
    reload();
    return watch((changed) => changed === address && setTurn((turn) => turn + 1));
  }, [address]);
  return { data: /** @type {import("./api.js").Answer<O> | undefined} */ (find(address)), failure, reload };
}

/**
 * An action that a button starts: whether it runs, its failure, and the function that starts it. While it runs, the
 * button is `aria-disabled` and not `disabled`, which would take the focus from it, and a second click has no effect.
 * Runs that the screen starts may overlap: then the failure is of the run that began last. `forget` drops a failure.
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
  return { run, forget: () => setFailure(undefined), isRunning, failure };
}

/**
 * An action on what a form or a list holds. Its answer and its failure are gone once that has changed.
 * @template T
 * @param {unknown} held
 * @param {() => Promise<T>} ask
 * @param {{ mayOverlap?: boolean }} [how]
 */
export function useVerdict(held, ask, how) {
  const of = JSON.stringify(held);
  const [asked, setAsked] = useState(/** @type {{ of?: string, answer?: T }} */ ({}));
  const { run, isRunning, failure } = useAction(async () => {
    setAsked({ of });
    setAsked({ of, answer: await ask() });
  }, how);
  const isSame = asked.of === of;
  return { run, isRunning, answer: isSame ? asked.answer : undefined, failure: isSame ? failure : undefined };
}

/** @param {unknown} error */
function asFailure(error) {
  if (error instanceof Failure) return error;
  console.error(error);
  return new Failure({ title: "The console made a mistake", detail: "Reload the page, then try again." });
}
