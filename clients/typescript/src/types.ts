import type { components, operations } from "./generated/api.js";
import type { Lists } from "./generated/operations.js";
import type { Pages } from "./pages.js";

/** The types of the API by their names in the OpenAPI document. */
export type Schemas = components["schemas"];
export type OperationId = keyof operations;

export interface CallOptions {
  /** How long the call may take, with its repetitions: 30,000 ms if not set, and at most 24 days. */
  timeoutMs?: number;
  /** Ends the call. */
  signal?: AbortSignal;
}

/** What is absent adds no arguments. */
type Given<Some> = [NonNullable<Some>] extends [never] ? unknown : NonNullable<Some>;

type Parameters<Id extends OperationId, Place extends "path" | "query" | "header"> = Given<
  operations[Id]["parameters"][Place]
>;

type Body<Id extends OperationId> =
  Given<operations[Id]["requestBody"]> extends { content: { "application/json": infer Json } } ? Json : unknown;

/** The parameters and the members of the body, in one object. */
export type Arguments<Id extends OperationId> = Parameters<Id, "path"> &
  Parameters<Id, "query"> &
  Parameters<Id, "header"> &
  Body<Id>;

type Responses<Id extends OperationId> = operations[Id]["responses"];
type Success<Id extends OperationId> = Responses<Id>[keyof Responses<Id> & (200 | 202)];

type Content<Id extends OperationId> = [Success<Id>] extends [never]
  ? undefined
  : Success<Id> extends { content: infer Some }
    ? Some
    : undefined;

/** The answer of an operation. With `format`, lists of audit events are text, whatever this type says. */
export type Answer<Id extends OperationId> =
  Content<Id> extends { "application/json": infer Json }
    ? Json
    : Content<Id> extends { "text/event-stream": infer Event }
      ? AsyncIterable<Event>
      : Content<Id> extends { "application/octet-stream": unknown } | { "image/png": unknown }
        ? Uint8Array
        : Content<Id> extends undefined
          ? undefined
          : string;

type Item<Page, Name> = Name extends keyof Page ? (Page[Name] extends (infer Some)[] ? Some : never) : never;

type Outcome<Id extends OperationId> = Id extends keyof Lists
  ? Pages<Answer<Id>, Item<Answer<Id>, Lists[Id]>>
  : Promise<Answer<Id>>;

/** Each operation of the API, by its `operationId`. With `keyof` itself, comments of operations are those of methods. */
export type Operations = {
  [Id in keyof operations]: {} extends Arguments<Id>
    ? (args?: Arguments<Id>, options?: CallOptions) => Outcome<Id>
    : (args: Arguments<Id>, options?: CallOptions) => Outcome<Id>;
};
