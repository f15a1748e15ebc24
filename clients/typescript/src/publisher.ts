import { GatepostError } from "./error.js";
import type { Gatepost } from "./gatepost.js";
import type { Schemas } from "./types.js";
import { uuidv7 } from "./uuid.js";

type NewEvent = Schemas["PublishEvent"];

export interface PublisherOptions {
  /** Called with events that were not published, after the repetitions of the client. */
  onError: (error: unknown, events: NewEvent[]) => void;
  /** The most events that wait, with those in the current call: 10,000. */
  queueMax?: number;
  /** The most events in one call: 500, which is the limit of the service. */
  batchMax?: number;
}

/** Publishes in the background, in batches and in order. Events that wait are lost when the process ends: `flush` first. */
export class Publisher {
  readonly #gatepost: Gatepost;
  readonly #options: Required<PublisherOptions>;
  #queue: NewEvent[] = [];
  #sending = 0;
  #work: Promise<void> | undefined;

  constructor(gatepost: Gatepost, options: PublisherOptions) {
    this.#gatepost = gatepost;
    this.#options = { queueMax: 10_000, batchMax: 500, ...options };
  }

  /** Queues an event and returns the id by which a repetition is known. It throws the code `queue_full` rather than wait or drop. */
  publish(event: NewEvent): string {
    if (this.#queue.length + this.#sending >= this.#options.queueMax) {
      throw new GatepostError("the queue of events is full", { code: "queue_full" });
    }
    const id = event.id ?? uuidv7();
    this.#queue.push({ ...event, id });
    this.#work ??= Promise.resolve().then(() => this.#run());
    return id;
  }

  /** Waits until every event that was queued before is published, or given to `onError`. */
  async flush(): Promise<void> {
    await this.#work;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#options.batchMax);
      this.#sending = batch.length;
      await this.#send(batch);
      this.#sending = 0;
    }
    this.#work = undefined;
  }

  async #send(events: NewEvent[]): Promise<void> {
    try {
      await this.#gatepost.publishEvents({ events });
    } catch (error) {
      const status = error instanceof GatepostError ? error.status : undefined;
      // The service accepts all events of a call or none: halves find the one that is wrong.
      const isOfOne = status === 400 || status === 409 || status === 413 || status === 422;
      if (!isOfOne || events.length === 1) return this.#fail(error, events);
      const half = events.length >> 1;
      await this.#send(events.slice(0, half));
      await this.#send(events.slice(half));
    }
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
