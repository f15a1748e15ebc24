// The stream of attempts. One tab of the browser reads it and tells the others, because browsers open few connections
// to one server.

import { useEffect, useRef, useState } from "../vendor/preact.js";
import { Failure, addressOf, failure, send } from "./api.js";
import { organization } from "./owner-shown.js";

/** @typedef {import("./api.js").Schemas["StreamedAttempt"]} StreamedAttempt */
/** @typedef {"off" | "connecting" | "live" | "waiting"} StreamState */
/** @typedef {{ state: StreamState } | { attempt: StreamedAttempt }} News */

const NAME = `gatepost:attempts ${organization}`;
/** The time before the reader connects again, in milliseconds. */
const RECONNECT_AFTER = 3000;

/** The screen reads once for all attempts in a period of this length, in milliseconds. */
const GATHERED = 800;

/**
 * Reads again soon after attempts that concern the screen, and when the stream is connected: it has no earlier ones.
 * @param {boolean} isOn
 * @param {(attempt: StreamedAttempt) => boolean} concerns
 * @param {() => unknown} reload
 * @returns {StreamState}
 */
export function useFresh(isOn, concerns, reload) {
  const timer = useRef(/** @type {number | undefined} */ (undefined));
  const latest = useRef(reload);
  latest.current = reload;
  const soon = () => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, GATHERED);
  };
  const state = useAttempts(isOn, (attempt) => concerns(attempt) && soon());
  useEffect(() => {
    if (state === "live") soon();
  }, [state]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return state;
}

/**
 * Calls back for each attempt that ends, while `isOn`.
 * @param {boolean} isOn
 * @param {(attempt: StreamedAttempt) => void} onAttempt
 * @returns {StreamState}
 */
function useAttempts(isOn, onAttempt) {
  const [state, setState] = useState(/** @type {StreamState} */ ("off"));
  const latest = useRef(onAttempt);
  latest.current = onAttempt;
  useEffect(() => {
    if (!isOn) {
      setState("off");
      return undefined;
    }
    setState("connecting");
    return follow((news) => {
      if ("attempt" in news) latest.current(news.attempt);
      else setState(news.state);
    });
  }, [isOn]);
  return state;
}

/**
 * @param {(news: News) => void} tell
 * @returns {() => void} Stops.
 */
export function follow(tell) {
  const channel = new BroadcastChannel(NAME);
  const stop = new AbortController();
  channel.onmessage = (event) => tell(event.data);
  const tellAll = (/** @type {News} */ news) => {
    if (stop.signal.aborted) return;
    tell(news);
    channel.postMessage(news);
  };
  const reading = () => read(tellAll, stop.signal);
  const turns = async () => {
    while (!stop.signal.aborted) {
      // Pages without TLS on another host have no locks: there each tab reads for itself.
      await (navigator.locks ? navigator.locks.request(NAME, { signal: stop.signal }, reading) : reading());
      await seen(stop.signal);
    }
  };
  turns().catch(() => undefined);
  tell({ state: "live" });
  return () => {
    stop.abort();
    channel.close();
  };
}

const isHidden = () => document.visibilityState === "hidden";

/**
 * Reads until `signal` is aborted, or until the session has ended in a hidden page. Connects again whenever the stream
 * ends.
 * @param {(news: News) => void} tell
 * @param {AbortSignal} signal
 */
async function read(tell, signal) {
  let lastId = "";
  while (!signal.aborted) {
    try {
      tell({ state: "connecting" });
      const response = await send(addressOf("streamAttempts"), {
        headers: lastId ? { "last-event-id": lastId } : {},
        signal,
      });
      if (!response.ok) throw await failure(response);
      tell({ state: "live" });
      for await (const event of eventsOf(response)) {
        lastId = event.id || lastId;
        if (event.data) tell({ attempt: JSON.parse(event.data) });
      }
    } catch (error) {
      // The page signs in again once the user sees it, and each try would be refused until then. Otherwise the next turn
      // tries again.
      if (error instanceof Failure && error.isOver && isHidden()) return;
    }
    if (signal.aborted) return;
    tell({ state: "waiting" });
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER));
  }
}

/**
 * Ends when the page is visible, or `signal` is aborted.
 * @param {AbortSignal} signal
 * @returns {Promise<unknown>}
 */
function seen(signal) {
  if (!isHidden()) return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", resolve, { once: true, signal });
    signal.addEventListener("abort", resolve, { once: true });
  });
}

/**
 * The events of a stream (WHATWG HTML, section 9.2), as far as Gatepost uses them: id and data, one line each.
 * @param {Response} response
 */
async function* eventsOf(response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) return;
    const blocks = (rest + chunk.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2)));
      yield { id: fields.id ?? "", data: fields.data ?? "" };
    }
  }
}
