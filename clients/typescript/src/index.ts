export { Caller, callerOf, type Owner } from "./caller.js";
export { type FieldFault, GatepostError, type SchemaFault } from "./error.js";
export type { AppliedEventType, ApplyOptions, EventTypeSettings } from "./event-types.js";
export { Gatepost, type GatepostOptions, type WantedSubscription } from "./gatepost.js";
export { Pages } from "./pages.js";
export { apiKeyIn, type RequestLike } from "./presented.js";
export { type FlushOptions, Publisher, type PublisherOptions } from "./publisher.js";
export type { Receiver } from "./receiver.js";
export { Refusal } from "./refusal.js";
export type { Answer, Arguments, CallOptions, OperationId, Operations, Schemas } from "./types.js";
export type { Verdict } from "./verdicts.js";
export { Verifier, type VerifierSettings } from "./verifier.js";
export {
  type Jwk,
  verifyWebhook,
  type Webhook,
  type WebhookKey,
  type WebhookKeys,
  type WebhookOptions,
} from "./webhooks.js";
