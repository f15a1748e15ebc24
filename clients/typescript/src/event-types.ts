import type { Gatepost } from "./gatepost.js";
import type { Schemas } from "./types.js";

/** An event type of a catalogue: its name, and all settings that do not have their defaults. */
export type EventTypeSettings = { name: string } & Omit<Schemas["PutEventType"], "force">;

export interface ApplyOptions {
  /** Says what would change, and changes nothing. */
  dryRun?: boolean;
  /** Archives the types that the catalogue does not have. */
  prune?: boolean;
  /** Allows changes of schemas that break what was good before. */
  force?: boolean;
}

export interface AppliedEventType {
  name: string;
  change: "created" | "changed" | "archived";
}

/** The catalogue of event types, with an operator token that has the scope `catalogue`. */
export class EventTypes {
  readonly #gatepost: Gatepost;

  constructor(gatepost: Gatepost) {
    this.#gatepost = gatepost;
  }

  /**
   * Makes the service have these event types, and returns the changes. All types are checked before the first change, and the
   * same call twice changes nothing. It is not one transaction: after an error 503, repeat it.
   */
  async apply(catalogue: readonly EventTypeSettings[], options: ApplyOptions = {}): Promise<AppliedEventType[]> {
    const { changes } = await this.#gatepost.importEventTypes({ types: [...catalogue], ...options });
    return changes as AppliedEventType[];
  }
}

/** JSON with the members of each object in one order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
