import { settled, TIMER_MS_MAX } from "./call.js";
import { Caller, undocumented } from "./caller.js";
import { digestOf, isPlausible } from "./digest.js";
import { GatepostError } from "./error.js";
import type { Gatepost } from "./gatepost.js";
import { Places } from "./places.js";
import { apiKeyIn, type RequestLike } from "./presented.js";
import { Refusal } from "./refusal.js";
import { scopesIn } from "./scopes.js";
import { type Limits, type Mark, type Verdict, Verdicts } from "./verdicts.js";

export interface VerifierSettings extends Partial<Limits> {
  /** How long a call to Gatepost may take before it counts as failed: 1,000 ms. */
  callTimeoutMs?: number;
  /** The most calls at a time: 64 for keys that were valid before, and 64 for other keys. */
  callsMax?: number;
  /** Told when Gatepost stops answering (with the error), and when it answers again: `console.warn` if not set. */
  log?: (line: string, error?: unknown) => void;
  /** For tests. */
  now?: () => Mark;
}

/** How long after a failure no question in the background starts. */
const RETRY_PAUSE_MS = 250;

const DEFAULTS: Required<VerifierSettings> = {
  maxAgeMs: 1_000,
  trustMaxMs: 5_000,
  refusedMaxAgeMs: 1_000,
  keysMax: 100_000,
  refusedMax: 20_000,
  callTimeoutMs: 1_000,
  callsMax: 64,
  log: (line, error) => (error === undefined ? console.warn(line) : console.warn(line, error)),
  now: () => ({ monotonic: performance.now(), wall: Date.now() }),
};

/** Verifies API keys: asks Gatepost, and caches the answers for a moment. Create one and share it. */
export class Verifier {
  readonly #gatepost: Gatepost;
  readonly #settings: Required<VerifierSettings>;
  readonly #verdicts: Verdicts;
  /** The running calls: at most one for each digest. `undefined` is a call without an answer. */
  readonly #flights = new Map<string, Promise<Verdict | undefined>>();
  /** Separate limits, so that a flood of unknown keys does not delay calls for valid keys. */
  readonly #placesForGood: Places;
  readonly #placesForOthers: Places;
  #failedAt: number | undefined;

  /** A verifier that asks `gatepost`, whose token must be an operator token. */
  constructor(gatepost: Gatepost, settings: VerifierSettings = {}) {
    this.#gatepost = gatepost;
    this.#settings = settled(DEFAULTS, settings);
    this.#settings.callTimeoutMs = Math.min(this.#settings.callTimeoutMs, TIMER_MS_MAX);
    this.#verdicts = new Verdicts(this.#settings);
    this.#placesForGood = new Places(this.#settings.callsMax);
    this.#placesForOthers = new Places(this.#settings.callsMax);
  }

  /** Whether a request may pass, by the API key in its headers and the scopes that it needs: `orders:read …`. */
  async admit(request: RequestLike, scopes = ""): Promise<Verdict> {
    const presented = apiKeyIn(request);
    if (typeof presented === "string") return { refusal: Refusal[presented] };
    const verdict = await this.verify(presented.key);
    const { caller } = verdict;
    if (!caller || scopes === "") return verdict;
    const required = scopesIn(scopes);
    return required.every((scope) => caller.hasScope(scope)) ? verdict : { refusal: Refusal.missingScope(required) };
  }

  /** The owner of a key, or why it is refused. */
  async verify(key: string): Promise<Verdict> {
    if (!isPlausible(key)) return { refusal: Refusal.invalid };
    const digested = digestOf(key);
    const digest = typeof digested === "string" ? digested : await digested;
    const recalled = this.#verdicts.recall(digest, this.#settings.now());
    if (recalled?.state === "known") return recalled.verdict;
    const isAway = recalled?.state === "unanswered" && this.#failedAt !== undefined;
    if (recalled && (recalled.state === "ageing" || isAway)) {
      if (this.#mayRetry()) void this.#flight(digest, key);
      return recalled.verdict;
    }
    return (await this.#flight(digest, key)) ?? this.#withoutAnswer(digest);
  }

  #withoutAnswer(digest: string): Verdict {
    return this.#verdicts.recall(digest, this.#settings.now())?.verdict ?? { refusal: Refusal.unavailable };
  }

  /** Asks Gatepost, in one call with all other requests for the same key. */
  #flight(digest: string, key: string): Promise<Verdict | undefined> {
    let flight = this.#flights.get(digest);
    if (!flight) {
      flight = this.#question(digest, key).finally(() => this.#flights.delete(digest));
      this.#flights.set(digest, flight);
    }
    return flight;
  }

  async #question(digest: string, key: string): Promise<Verdict | undefined> {
    const places = this.#verdicts.wasGood(digest) ? this.#placesForGood : this.#placesForOthers;
    // No place in time means that this process is busy, not that Gatepost fails.
    if (!(await places.take(this.#settings.callTimeoutMs))) {
      this.#verdicts.noteUnanswered(digest);
      return undefined;
    }
    const askedAt = this.#settings.now();
    try {
      const { verdict, retryAfterSeconds } = await this.#introspect(key);
      this.#verdicts.remember(digest, verdict, askedAt, retryAfterSeconds);
      if (this.#failedAt !== undefined) this.#log("Gatepost answers again");
      this.#failedAt = undefined;
      return verdict;
    } catch (error) {
      if (this.#failedAt === undefined) {
        this.#log("Gatepost does not answer; cached API keys stay valid for a few seconds", error);
      }
      this.#failedAt = this.#settings.now().monotonic;
      this.#verdicts.noteUnanswered(digest);
      return undefined;
    } finally {
      places.give();
    }
  }

  async #introspect(key: string): Promise<{ verdict: Verdict; retryAfterSeconds?: number }> {
    const endsAt = performance.now() + this.#settings.callTimeoutMs;
    const ask = () => this.#gatepost.introspect({ token: key }, { timeoutMs: endsAt - performance.now() });
    try {
      // A second try: Gatepost may close a kept connection just as the client sends.
      const claims = await ask().catch((error: GatepostError) => {
        if (error.code !== "no_answer" || performance.now() >= endsAt) throw error;
        return ask();
      });
      if (claims.active === true) return { verdict: { caller: new Caller(claims) } };
      if (claims.active === false) return { verdict: { refusal: Refusal.invalid } };
      throw undocumented();
    } catch (error) {
      // A proxy also answers 429, which says nothing of the key.
      if (!(error instanceof GatepostError) || error.status !== 429 || error.code !== "rate_limited") throw error;
      const { retryAfterSeconds = 0, headers } = error;
      return { verdict: { refusal: Refusal.rateLimited(retryAfterSeconds, headers) }, retryAfterSeconds };
    }
  }

  #log(...said: [line: string, error?: unknown]): void {
    try {
      this.#settings.log(...said);
    } catch {
      // A log that fails decides nothing about a request.
    }
  }

  #mayRetry(): boolean {
    return this.#failedAt === undefined || this.#settings.now().monotonic - this.#failedAt >= RETRY_PAUSE_MS;
  }
}
