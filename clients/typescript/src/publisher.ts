import { jsonOf, settled, TIMER_MS_MAX } from "./call.js";
import { GatepostError } from "./error.js";
import type { Gatepost } from "./gatepost.js";
import type { Schemas } from "./types.js";
import { uuidv7 } from "./uuid.js";

type NewEvent = Schemas["PublishEvent"];

export interface PublisherOptions {
  /** Called at once with events that are refused, and by `close` with those that still wait. */
  onError: (error: unknown, events: NewEvent[]) => void;
  /** The most events that wait, with those in the current call: 10,000. */
  queueMax?: number;
  /** The most events in one call: 500, which is the limit of the service. */
  batchMax?: number;
}

export interface FlushOptions {
  /** How long to wait: 10,000 ms. */
  timeoutMs?: number;
}

const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
const RETRY_AFTER_SECONDS_MAX = 3_600;

/**
 * Publishes in the background, in batches and in order. Events that wait are lost when the process ends: `close` first.
 *
 * Without an answer, and after 408, 429 and 5xx, events wait, and are tried again after pauses that grow to 30 seconds.
 * Events with any other answer, such as 400 or 401, are given to `onError` at once.
 */
export class Publisher {
  readonly #gatepost: Gatepost;
  readonly #options: Required<PublisherOptions>;
  /** The events that are neither published nor lost. */
  readonly #queue: NewEvent[] = [];
  #isClosed = false;
  #isOver = false;
  /** Ends the call, or the pause, that is under way. */
  #stop = () => {};
  #work: Promise<void> | undefined;

  constructor(gatepost: Gatepost, options: PublisherOptions) {
    this.#gatepost = gatepost;
    this.#options = settled({ queueMax: 10_000, batchMax: 500 }, options);
    this.#options.batchMax = Math.max(1, this.#options.batchMax);
  }

  /**
   * Queues a copy of an event and returns the id by which a repetition is known. It throws the code `queue_full` rather
   * than wait or drop, `queue_closed` after `close`, `invalid_argument` for a number
   * that is not finite, and a `TypeError` for another value that is not JSON.
   */
  publish(event: NewEvent): string {
    if (this.#isClosed) throw new GatepostError("the queue of events is closed", { code: "queue_closed" });
    if (this.#queue.length >= this.#options.queueMax) {
      throw new GatepostError("the queue of events is full", { code: "queue_full" });
    }
    const id = event.id ?? uuidv7();
    this.#queue.push(JSON.parse(jsonOf({ ...event, id })));
    this.#work ??= Promise.resolve().then(() => this.#run());
    return id;
  }

  /** Waits until every event is published, or given to `onError`. It throws the code `events_wait` after `timeoutMs`. */
  async flush({ timeoutMs = 10_000 }: FlushOptions = {}): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((_, reject) => {
      const end = () => reject(new GatepostError(`${this.#queue.length} events wait`, { code: "events_wait" }));
      timer = setTimeout(end, Math.min(timeoutMs, TIMER_MS_MAX));
    });
    await Promise.race([this.#work, late]).finally(() => clearTimeout(timer));
  }

  /** Takes no more events, and waits as `flush` does. Events that still wait then are given to `onError`. */
  async close(options?: FlushOptions): Promise<void> {
    this.#isClosed = true;
    try {
      await this.flush(options);
    } catch (error) {
      this.#isOver = true;
      this.#stop();
      const left = this.#queue.splice(0);
      if (left.length === 0) return;
      this.#fail(error, left);
      throw error;
    }
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) await this.#send(this.#queue.slice(0, this.#options.batchMax));
    this.#work = undefined;
  }

  /** Publishes the first events of the queue, each of which is published or lost at the end. */
  async #send(events: NewEvent[]): Promise<void> {
    for (let tries = 0; !this.#isOver; tries++) {
      const call = new AbortController();
      this.#stop = () => call.abort();
      try {
        await this.#gatepost.publishEvents({ events }, { signal: call.signal });
      } catch (error) {
        if (this.#isOver) return;
        const pauseMs = pauseAfter(error, tries);
        if (pauseMs !== undefined) {
          await this.#pause(pauseMs);
          continue;
        }
        // The service accepts all events of a call or none: halves find the one that is wrong.
        if (events.length > 1 && isOfOne(error)) {
          const half = events.length >> 1;
          await this.#send(events.slice(0, half));
          await this.#send(events.slice(half));
          return;
        }
        this.#fail(error, events);
      }
      this.#queue.splice(0, events.length);
      return;
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer: unknown = setTimeout(resolve, milliseconds);
      this.#stop = resolve;
      // An outage alone does not keep a process of Node.
      (timer as { unref?: () => void }).unref?.();
    });
  }

  #fail(error: unknown, events: NewEvent[]): void {
    try {
      this.#options.onError(error, events);
    } catch (thrown) {
      // An error of the handler must not stop the queue, and must not be lost.
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }
}

/** How long events wait after this error; `undefined` if they are lost. */
function pauseAfter(error: unknown, tries: number): number | undefined {
  if (!(error instanceof GatepostError)) return undefined;
  const { code, status, retryAfterSeconds = 0 } = error;
  const mayPass = status === undefined ? code === "no_answer" : status === 408 || status === 429 || status >= 500;
  const usual = Math.min(FIRST_PAUSE_MS * 2 ** tries, PAUSE_MS_MAX) * (0.5 + Math.random() / 2);
  return mayPass ? Math.max(usual, Math.min(retryAfterSeconds, RETRY_AFTER_SECONDS_MAX) * 1_000) : undefined;
}

/** Whether one event may be wrong. */
function isOfOne(error: unknown): boolean {
  return error instanceof GatepostError && [400, 409, 413, 422].includes(error.status ?? 0);
}
