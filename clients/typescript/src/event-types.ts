import { GatepostError } from "./error.js";
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

const DEFAULTS = { title: "", description: "", examples: [], validation: "off", visibility: "public" };

/** The catalogue of event types, with an operator token that has the scope `catalogue`. */
export class EventTypes {
  readonly #gatepost: Gatepost;

  constructor(gatepost: Gatepost) {
    this.#gatepost = gatepost;
  }

  /**
   * Makes the service have these event types, and returns the changes. Only what differs is sent, so it may be repeated.
   * It is not one transaction: after an error, repeat it.
   */
  async apply(catalogue: readonly EventTypeSettings[], options: ApplyOptions = {}): Promise<AppliedEventType[]> {
    const { dryRun = false, prune = false, force = false } = options;
    const twice = catalogue.find(({ name }, index) => catalogue.findIndex((other) => other.name === name) < index);
    if (twice) throw new GatepostError(`the catalogue has ${twice.name} twice`, { code: "invalid_argument" });
    const { eventTypes } = await this.#gatepost.listAllEventTypes();
    const archived = new Map(eventTypes.map((known) => [known.name, known.archived]));
    const applied: AppliedEventType[] = [];
    for (const settings of catalogue) {
      const { name } = settings;
      const isArchived = archived.get(name);
      archived.delete(name);
      if (isArchived === false && same(settings, await this.#gatepost.findAnyEventType({ name }))) continue;
      const put = () => this.#gatepost.putEventType({ ...settings, ...(force && { force }) });
      if (!dryRun && !(await put()).changed) continue;
      applied.push({ name, change: isArchived === undefined ? "created" : "changed" });
    }
    for (const [name, isArchived] of archived) {
      if (!prune || isArchived) continue;
      if (!dryRun) await this.#gatepost.archiveEventType({ name });
      applied.push({ name, change: "archived" });
    }
    return applied;
  }
}

function same(settings: EventTypeSettings, known: Schemas["EventType"]): boolean {
  const { archived, version, updatedAt, ...others } = known;
  return comparable(settings) === comparable(others);
}

/** Settings without members that are `undefined`, and with one text for one time. */
function comparable(settings: Omit<EventTypeSettings, "name">): string {
  const { deprecated, ...others } = JSON.parse(JSON.stringify(settings)) as typeof settings;
  const since = deprecated && { deprecated: { ...deprecated, since: Date.parse(deprecated.since) } };
  return canonical({ ...DEFAULTS, ...others, ...since });
}

/** JSON with the members of each object in one order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
