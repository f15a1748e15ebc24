import type { Caller } from "./caller.js";
import type { Refusal } from "./refusal.js";

/** The owner of the key, or why the request is refused. */
export type Verdict = { caller: Caller; refusal?: undefined } | { caller?: undefined; refusal: Refusal };

/** An instant on both clocks, in milliseconds. */
export interface Mark {
  monotonic: number;
  wall: number;
}

export interface Limits {
  /** How old an answer may be while Gatepost answers: 1,000 ms. With 0, every request asks Gatepost. */
  maxAgeMs: number;
  /** How old an answer may be while Gatepost does not answer: 5,000 ms. */
  trustMaxMs: number;
  /** How long a refusal is cached: 1,000 ms. */
  refusedMaxAgeMs: number;
  /** The most valid keys in the cache: 100,000. */
  keysMax: number;
  /** The most refused keys in the cache: 20,000. */
  refusedMax: number;
}

/**
 * What the cache says: the verdict holds (`known`), the verdict holds and this request should ask in the background
 * (`ageing`), the verdict holds if the question about the key gets no answer (`stale`), the last question about the key
 * got none (`unanswered`), or nothing holds (`undefined`).
 */
export type Recalled = { state: "known" | "ageing" | "stale" | "unanswered"; verdict: Verdict } | undefined;

interface Entry {
  readonly known: Recalled & object;
  readonly askedAt: Mark;
  readonly maxAgeMs: number;
  readonly expiresAtMs: number;
  isRefreshing: boolean;
  isUnanswered: boolean;
}

/**
 * The answers of Gatepost by digest. Valid and refused keys have separate caches, so that a flood of unknown keys never
 * evicts a valid key.
 */
export class Verdicts {
  readonly #good = new Map<string, Entry>();
  readonly #refused = new Map<string, Entry>();
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  recall(digest: string, now: Mark): Recalled {
    const good = this.#good.get(digest);
    if (!good) {
      const refused = this.#refused.get(digest);
      return refused && since(refused.askedAt, now) < refused.maxAgeMs ? refused.known : undefined;
    }
    // Gatepost decides whether the key has expired, since this machine's clock may be wrong.
    if (good.expiresAtMs <= now.wall) return undefined;
    const { maxAgeMs, trustMaxMs } = this.#limits;
    const age = since(good.askedAt, now);
    const { verdict } = good.known;
    if (age >= Math.max(trustMaxMs, maxAgeMs)) return undefined;
    if (age >= maxAgeMs) return { state: good.isUnanswered ? "unanswered" : "stale", verdict };
    if (age < maxAgeMs / 2 || good.isRefreshing) return good.known;
    good.isRefreshing = true;
    return { state: "ageing", verdict };
  }

  /** Notes that a question about a key got no answer. The next answer replaces the note. */
  noteUnanswered(digest: string): void {
    const good = this.#good.get(digest);
    if (good) good.isUnanswered = true;
  }

  wasGood(digest: string): boolean {
    return this.#good.has(digest);
  }

  /** Caches an answer to a question that was sent at `askedAt`. */
  remember(digest: string, verdict: Verdict, askedAt: Mark, retryAfterSeconds = Infinity): void {
    const { keysMax, refusedMax, refusedMaxAgeMs } = this.#limits;
    const maxAgeMs = Math.min(refusedMaxAgeMs, retryAfterSeconds * 1_000);
    const expiresAtMs = (verdict.caller?.claims.exp ?? Infinity) * 1_000;
    const known = { state: "known" as const, verdict };
    const entry = { known, askedAt, maxAgeMs, expiresAtMs, isRefreshing: false, isUnanswered: false };
    if (!verdict.caller) this.#good.delete(digest);
    const [cache, max] = verdict.caller ? [this.#good, keysMax] : [this.#refused, refusedMax];
    // A map keeps its order, so the first key is the one that was asked about longest ago.
    cache.delete(digest);
    cache.set(digest, entry);
    if (cache.size > max) cache.delete(cache.keys().next().value!);
  }
}

/**
 * The monotonic clock stops while the machine is suspended, and the wall clock may be set back, so an age is the longer
 * of the two differences.
 */
function since(earlier: Mark, now: Mark): number {
  return Math.max(now.monotonic - earlier.monotonic, now.wall - earlier.wall);
}
