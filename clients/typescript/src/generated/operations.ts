// Generated from docs/openapi.json: `npm run generate`.
import type { operations } from "./api.js";

/** How to call an operation. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** Whether the other arguments are the members of a JSON body. */
  readonly body?: true;
  /** The member of the answer that holds the items of a page. */
  readonly items?: string;
  /** The members that the JSON of the answer always has, or another kind of body; nothing if there is none. */
  readonly answer?: readonly string[] | "text" | "bytes" | "stream";
}

/** The lists, each with the member that holds the items of a page. */
export interface Lists {
  listAuditEvents: "events";
  listAllAuditEvents: "events";
  listEvents: "events";
  listFailingSubscriptions: "subscriptions";
  listOrganizationAuditEvents: "events";
  listOrganizationDeliveries: "deliveries";
  listOrganizationSubscriptions: "subscriptions";
  readOrganizationEvents: "events";
  listOwners: "owners";
  listUserAuditEvents: "events";
  listUserDeliveries: "deliveries";
  listUserSubscriptions: "subscriptions";
  readUserEvents: "events";
  listDeliveries: "deliveries";
  listSubscriptions: "subscriptions";
  readEvents: "events";
}

export const table: Record<keyof operations, Operation> = {
  showWebhookKeys: {"method":"GET","path":"/.well-known/webhooks/{id}/jwks.json","answer":["keys"]},
  listApiKeys: {"method":"GET","path":"/api/api-keys","query":["organization"],"answer":["keys"]},
  createApiKey: {"method":"POST","path":"/api/api-keys","query":["organization"],"body":true,"answer":["key","keyId","keys"]},
  revokeApiKey: {"method":"DELETE","path":"/api/api-keys","query":["organization"],"body":true,"answer":["keys"]},
  showDailyUses: {"method":"GET","path":"/api/api-keys/usage","query":["organization"],"answer":["since","keys"]},
  changeApiKey: {"method":"PATCH","path":"/api/api-keys/{keyId}","query":["organization"],"body":true,"answer":["id","label","prefix","createdAt","lastUsedAt","revokedAt"]},
  rotateApiKey: {"method":"POST","path":"/api/api-keys/{keyId}/rotate","query":["organization"],"body":true,"answer":["key","keyId","keys"]},
  showKeyUsage: {"method":"GET","path":"/api/api-keys/{keyId}/usage","query":["hours","until","organization"],"answer":["total","hours"]},
  listAuditEvents: {"method":"GET","path":"/api/audit","query":["action","target","since","until","cursor","limit","format","organization"],"items":"events","answer":["events"]},
  findCommandLineClient: {"method":"GET","path":"/api/command-line-client","answer":["issuer","clientId"]},
  listEventTypes: {"method":"GET","path":"/api/event-types","query":["organization"],"answer":["eventTypes"]},
  exportEventTypes: {"method":"GET","path":"/api/event-types/openapi.json","query":["organization"],"answer":[]},
  findEventType: {"method":"GET","path":"/api/event-types/{name}","query":["organization"],"answer":["name","validation","visibility","archived","version","updatedAt"]},
  listAllAuditEvents: {"method":"GET","path":"/api/operator/audit","query":["userId","organizationId","actor","action","target","since","until","cursor","limit","format"],"items":"events","answer":["events"]},
  listAllEventTypes: {"method":"GET","path":"/api/operator/event-types","answer":["eventTypes"]},
  importEventTypes: {"method":"POST","path":"/api/operator/event-types/import","body":true,"answer":["changes"]},
  findAnyEventType: {"method":"GET","path":"/api/operator/event-types/{name}","answer":["name","validation","visibility","archived","version","updatedAt"]},
  putEventType: {"method":"PUT","path":"/api/operator/event-types/{name}","body":true,"answer":["eventType","changed"]},
  archiveEventType: {"method":"DELETE","path":"/api/operator/event-types/{name}","answer":["eventType","changed"]},
  listEvents: {"method":"GET","path":"/api/operator/events","query":["userId","organizationId","type","since","until","cursor","limit"],"items":"events","answer":["events"]},
  publishEvent: {"method":"POST","path":"/api/operator/events","body":true,"answer":["event","deliveries"]},
  publishEvents: {"method":"POST","path":"/api/operator/events/batch","body":true,"answer":["results"]},
  findEvent: {"method":"GET","path":"/api/operator/events/{id}","answer":["event","deliveries"]},
  listFailingSubscriptions: {"method":"GET","path":"/api/operator/failing-subscriptions","query":["cursor","limit"],"items":"subscriptions","answer":["subscriptions"]},
  introspect: {"method":"POST","path":"/api/operator/introspect","body":true,"answer":["active"]},
  reportLeaks: {"method":"POST","path":"/api/operator/leaks","body":true,"answer":["keyIds"]},
  findLogFilter: {"method":"GET","path":"/api/operator/log-filter","answer":["filter"]},
  changeLogFilter: {"method":"POST","path":"/api/operator/log-filter","body":true,"answer":["filter","before"]},
  findOrganization: {"method":"GET","path":"/api/operator/organizations/{organizationId}","answer":["name","email","metadata","maxActiveKeys","maxSubscriptions","keyRateLimit","requestRateLimit","state"]},
  eraseOrganization: {"method":"DELETE","path":"/api/operator/organizations/{organizationId}","query":["confirm"],"answer":["name","email","metadata","maxActiveKeys","maxSubscriptions","keyRateLimit","requestRateLimit","state"]},
  changeOrganization: {"method":"PATCH","path":"/api/operator/organizations/{organizationId}","body":true,"answer":["name","email","metadata","maxActiveKeys","maxSubscriptions","keyRateLimit","requestRateLimit","state"]},
  listOrganizationAuditEvents: {"method":"GET","path":"/api/operator/organizations/{organizationId}/audit","query":["action","target","since","until","cursor","limit","format"],"items":"events","answer":["events"]},
  listOrganizationDeliveries: {"method":"GET","path":"/api/operator/organizations/{organizationId}/deliveries","query":["subscriptionId","eventType","state","since","until","cursor","limit"],"items":"deliveries","answer":["deliveries"]},
  streamOrganizationAttempts: {"method":"GET","path":"/api/operator/organizations/{organizationId}/deliveries/stream","query":["subscriptionId"],"headers":["last-event-id"],"answer":"stream"},
  findOrganizationDelivery: {"method":"GET","path":"/api/operator/organizations/{organizationId}/deliveries/{id}","answer":["delivery","event","attempts"]},
  cancelOrganizationDelivery: {"method":"POST","path":"/api/operator/organizations/{organizationId}/deliveries/{id}/cancel","answer":["delivery"]},
  retryOrganizationDelivery: {"method":"POST","path":"/api/operator/organizations/{organizationId}/deliveries/{id}/retry","answer":["delivery"]},
  listOrganizationFailures: {"method":"GET","path":"/api/operator/organizations/{organizationId}/failures","query":["subscriptionId"],"answer":["failures","isComplete"]},
  retryOrganizationFailures: {"method":"POST","path":"/api/operator/organizations/{organizationId}/failures/retry","body":true,"answer":["deliveries"]},
  testOrganizationFilter: {"method":"POST","path":"/api/operator/organizations/{organizationId}/filters/test","body":true,"answer":["passes","decidedBy"]},
  listOrganizationApiKeys: {"method":"GET","path":"/api/operator/organizations/{organizationId}/keys","answer":["keys"]},
  createOrganizationApiKey: {"method":"POST","path":"/api/operator/organizations/{organizationId}/keys","body":true,"answer":["key","keyId","keys"]},
  revokeOrganizationApiKeys: {"method":"DELETE","path":"/api/operator/organizations/{organizationId}/keys","query":["createdBefore"],"answer":["revokedCount"]},
  showOrganizationDailyUses: {"method":"GET","path":"/api/operator/organizations/{organizationId}/keys/usage","answer":["since","keys"]},
  revokeOrganizationApiKey: {"method":"DELETE","path":"/api/operator/organizations/{organizationId}/keys/{keyId}","answer":["keys"]},
  changeOrganizationApiKey: {"method":"PATCH","path":"/api/operator/organizations/{organizationId}/keys/{keyId}","body":true,"answer":["id","label","prefix","createdAt","lastUsedAt","revokedAt"]},
  rotateOrganizationApiKey: {"method":"POST","path":"/api/operator/organizations/{organizationId}/keys/{keyId}/rotate","body":true,"answer":["key","keyId","keys"]},
  showOrganizationKeyUsage: {"method":"GET","path":"/api/operator/organizations/{organizationId}/keys/{keyId}/usage","query":["hours","until"],"answer":["total","hours"]},
  showOrganizationOutcomes: {"method":"GET","path":"/api/operator/organizations/{organizationId}/outcomes","query":["hours","until"],"answer":["total","hours"]},
  listOrganizationSessions: {"method":"GET","path":"/api/operator/organizations/{organizationId}/sessions","answer":["sessions"]},
  endOrganizationSessions: {"method":"DELETE","path":"/api/operator/organizations/{organizationId}/sessions","answer":["sessions"]},
  endOrganizationSession: {"method":"DELETE","path":"/api/operator/organizations/{organizationId}/sessions/{id}","answer":["sessions"]},
  setOrganizationState: {"method":"PUT","path":"/api/operator/organizations/{organizationId}/state","body":true,"answer":["name","email","metadata","maxActiveKeys","maxSubscriptions","keyRateLimit","requestRateLimit","state"]},
  listOrganizationSubscriptions: {"method":"GET","path":"/api/operator/organizations/{organizationId}/subscriptions","query":["cursor","limit","include"],"items":"subscriptions","answer":["subscriptions"]},
  createOrganizationSubscription: {"method":"POST","path":"/api/operator/organizations/{organizationId}/subscriptions","body":true,"answer":["subscription"]},
  findOrganizationSubscription: {"method":"GET","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}","answer":["subscription","health"]},
  deleteOrganizationSubscription: {"method":"DELETE","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}"},
  changeOrganizationSubscription: {"method":"PATCH","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}","body":true,"answer":["subscription"]},
  listOrganizationConsumers: {"method":"GET","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}/consumers","answer":["consumers"]},
  readOrganizationEvents: {"method":"GET","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}/events","query":["cursor","limit"],"items":"events","answer":["events","cursor"]},
  showOrganizationSubscriptionOutcomes: {"method":"GET","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}/outcomes","query":["hours","until"],"answer":["total","hours"]},
  recoverOrganizationSubscription: {"method":"POST","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}/recover","body":true,"answer":["deliveries"]},
  countOrganizationRecoverable: {"method":"GET","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}/recoverable","query":["since","what","events"],"answer":["deliveries"]},
  rotateOrganizationSecret: {"method":"POST","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}/rotate-secret","headers":["idempotency-key"],"body":true,"answer":["subscription"]},
  testOrganizationSubscription: {"method":"POST","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}/test","answer":["event","delivery"]},
  showOrganizationAttemptTimes: {"method":"GET","path":"/api/operator/organizations/{organizationId}/subscriptions/{id}/times","answer":["since","attempts","p50Ms","p95Ms"]},
  testOrganizationUrl: {"method":"POST","path":"/api/operator/organizations/{organizationId}/test","body":true,"answer":["event","attempt"]},
  listOwners: {"method":"GET","path":"/api/operator/owners","query":["query","state","cursor","limit"],"items":"owners","answer":["owners"]},
  createPortalLink: {"method":"POST","path":"/api/operator/portal-links","body":true,"answer":["url","expiresAt"]},
  findSystemState: {"method":"GET","path":"/api/operator/system","answer":["version","commit","database","startedAt","verifications","events","attempts","queue","instances","changeFeedAgeSeconds","identityKeysAgeSeconds"]},
  findUser: {"method":"GET","path":"/api/operator/users/{userId}","answer":["name","email","metadata","maxActiveKeys","maxSubscriptions","keyRateLimit","requestRateLimit","state"]},
  eraseUser: {"method":"DELETE","path":"/api/operator/users/{userId}","query":["confirm"],"answer":["name","email","metadata","maxActiveKeys","maxSubscriptions","keyRateLimit","requestRateLimit","state"]},
  changeUser: {"method":"PATCH","path":"/api/operator/users/{userId}","body":true,"answer":["name","email","metadata","maxActiveKeys","maxSubscriptions","keyRateLimit","requestRateLimit","state"]},
  listUserAuditEvents: {"method":"GET","path":"/api/operator/users/{userId}/audit","query":["action","target","since","until","cursor","limit","format"],"items":"events","answer":["events"]},
  listUserDeliveries: {"method":"GET","path":"/api/operator/users/{userId}/deliveries","query":["subscriptionId","eventType","state","since","until","cursor","limit"],"items":"deliveries","answer":["deliveries"]},
  streamUserAttempts: {"method":"GET","path":"/api/operator/users/{userId}/deliveries/stream","query":["subscriptionId"],"headers":["last-event-id"],"answer":"stream"},
  findUserDelivery: {"method":"GET","path":"/api/operator/users/{userId}/deliveries/{id}","answer":["delivery","event","attempts"]},
  cancelUserDelivery: {"method":"POST","path":"/api/operator/users/{userId}/deliveries/{id}/cancel","answer":["delivery"]},
  retryUserDelivery: {"method":"POST","path":"/api/operator/users/{userId}/deliveries/{id}/retry","answer":["delivery"]},
  listUserFailures: {"method":"GET","path":"/api/operator/users/{userId}/failures","query":["subscriptionId"],"answer":["failures","isComplete"]},
  retryUserFailures: {"method":"POST","path":"/api/operator/users/{userId}/failures/retry","body":true,"answer":["deliveries"]},
  testUserFilter: {"method":"POST","path":"/api/operator/users/{userId}/filters/test","body":true,"answer":["passes","decidedBy"]},
  listUserApiKeys: {"method":"GET","path":"/api/operator/users/{userId}/keys","answer":["keys"]},
  createUserApiKey: {"method":"POST","path":"/api/operator/users/{userId}/keys","body":true,"answer":["key","keyId","keys"]},
  revokeUserApiKeys: {"method":"DELETE","path":"/api/operator/users/{userId}/keys","query":["createdBefore"],"answer":["revokedCount"]},
  showUserDailyUses: {"method":"GET","path":"/api/operator/users/{userId}/keys/usage","answer":["since","keys"]},
  revokeUserApiKey: {"method":"DELETE","path":"/api/operator/users/{userId}/keys/{keyId}","answer":["keys"]},
  changeUserApiKey: {"method":"PATCH","path":"/api/operator/users/{userId}/keys/{keyId}","body":true,"answer":["id","label","prefix","createdAt","lastUsedAt","revokedAt"]},
  rotateUserApiKey: {"method":"POST","path":"/api/operator/users/{userId}/keys/{keyId}/rotate","body":true,"answer":["key","keyId","keys"]},
  showUserKeyUsage: {"method":"GET","path":"/api/operator/users/{userId}/keys/{keyId}/usage","query":["hours","until"],"answer":["total","hours"]},
  showUserOutcomes: {"method":"GET","path":"/api/operator/users/{userId}/outcomes","query":["hours","until"],"answer":["total","hours"]},
  listUserSessions: {"method":"GET","path":"/api/operator/users/{userId}/sessions","answer":["sessions"]},
  endUserSessions: {"method":"DELETE","path":"/api/operator/users/{userId}/sessions","answer":["sessions"]},
  endUserSession: {"method":"DELETE","path":"/api/operator/users/{userId}/sessions/{id}","answer":["sessions"]},
  setUserState: {"method":"PUT","path":"/api/operator/users/{userId}/state","body":true,"answer":["name","email","metadata","maxActiveKeys","maxSubscriptions","keyRateLimit","requestRateLimit","state"]},
  listUserSubscriptions: {"method":"GET","path":"/api/operator/users/{userId}/subscriptions","query":["cursor","limit","include"],"items":"subscriptions","answer":["subscriptions"]},
  createUserSubscription: {"method":"POST","path":"/api/operator/users/{userId}/subscriptions","body":true,"answer":["subscription"]},
  findUserSubscription: {"method":"GET","path":"/api/operator/users/{userId}/subscriptions/{id}","answer":["subscription","health"]},
  deleteUserSubscription: {"method":"DELETE","path":"/api/operator/users/{userId}/subscriptions/{id}"},
  changeUserSubscription: {"method":"PATCH","path":"/api/operator/users/{userId}/subscriptions/{id}","body":true,"answer":["subscription"]},
  listUserConsumers: {"method":"GET","path":"/api/operator/users/{userId}/subscriptions/{id}/consumers","answer":["consumers"]},
  readUserEvents: {"method":"GET","path":"/api/operator/users/{userId}/subscriptions/{id}/events","query":["cursor","limit"],"items":"events","answer":["events","cursor"]},
  showUserSubscriptionOutcomes: {"method":"GET","path":"/api/operator/users/{userId}/subscriptions/{id}/outcomes","query":["hours","until"],"answer":["total","hours"]},
  recoverUserSubscription: {"method":"POST","path":"/api/operator/users/{userId}/subscriptions/{id}/recover","body":true,"answer":["deliveries"]},
  countUserRecoverable: {"method":"GET","path":"/api/operator/users/{userId}/subscriptions/{id}/recoverable","query":["since","what","events"],"answer":["deliveries"]},
  rotateUserSecret: {"method":"POST","path":"/api/operator/users/{userId}/subscriptions/{id}/rotate-secret","headers":["idempotency-key"],"body":true,"answer":["subscription"]},
  testUserSubscription: {"method":"POST","path":"/api/operator/users/{userId}/subscriptions/{id}/test","answer":["event","delivery"]},
  showUserAttemptTimes: {"method":"GET","path":"/api/operator/users/{userId}/subscriptions/{id}/times","answer":["since","attempts","p50Ms","p95Ms"]},
  testUserUrl: {"method":"POST","path":"/api/operator/users/{userId}/test","body":true,"answer":["event","attempt"]},
  findCurrentSession: {"method":"GET","path":"/api/session","answer":["user","id","role","capabilities","createdAt","idleExpiresAt","expiresAt"]},
  beginVisit: {"method":"POST","path":"/api/session","body":true,"answer":["session"]},
  endCurrentSession: {"method":"DELETE","path":"/api/session"},
  listSessions: {"method":"GET","path":"/api/sessions","query":["organization"],"answer":["sessions"]},
  endSessions: {"method":"DELETE","path":"/api/sessions","query":["keepCurrent","organization"],"answer":["sessions"]},
  endSession: {"method":"DELETE","path":"/api/sessions/{id}","query":["organization"],"answer":["sessions"]},
  listDeliveries: {"method":"GET","path":"/api/webhooks/deliveries","query":["subscriptionId","eventType","state","since","until","cursor","limit","organization"],"items":"deliveries","answer":["deliveries"]},
  streamAttempts: {"method":"GET","path":"/api/webhooks/deliveries/stream","query":["subscriptionId","organization"],"headers":["last-event-id"],"answer":"stream"},
  findDelivery: {"method":"GET","path":"/api/webhooks/deliveries/{id}","query":["organization"],"answer":["delivery","event","attempts"]},
  cancelDelivery: {"method":"POST","path":"/api/webhooks/deliveries/{id}/cancel","query":["organization"],"answer":["delivery"]},
  retryDelivery: {"method":"POST","path":"/api/webhooks/deliveries/{id}/retry","query":["organization"],"answer":["delivery"]},
  listFailures: {"method":"GET","path":"/api/webhooks/failures","query":["subscriptionId","organization"],"answer":["failures","isComplete"]},
  retryFailures: {"method":"POST","path":"/api/webhooks/failures/retry","query":["organization"],"body":true,"answer":["deliveries"]},
  testFilter: {"method":"POST","path":"/api/webhooks/filters/test","query":["organization"],"body":true,"answer":["passes","decidedBy"]},
  showOutcomes: {"method":"GET","path":"/api/webhooks/outcomes","query":["hours","until","organization"],"answer":["total","hours"]},
  listSubscriptions: {"method":"GET","path":"/api/webhooks/subscriptions","query":["cursor","limit","include","organization"],"items":"subscriptions","answer":["subscriptions"]},
  createSubscription: {"method":"POST","path":"/api/webhooks/subscriptions","query":["organization"],"body":true,"answer":["subscription"]},
  findSubscription: {"method":"GET","path":"/api/webhooks/subscriptions/{id}","query":["organization"],"answer":["subscription","health"]},
  deleteSubscription: {"method":"DELETE","path":"/api/webhooks/subscriptions/{id}","query":["organization"]},
  changeSubscription: {"method":"PATCH","path":"/api/webhooks/subscriptions/{id}","query":["organization"],"body":true,"answer":["subscription"]},
  listConsumers: {"method":"GET","path":"/api/webhooks/subscriptions/{id}/consumers","query":["organization"],"answer":["consumers"]},
  deleteConsumer: {"method":"DELETE","path":"/api/webhooks/subscriptions/{id}/consumers/{consumer}","query":["organization"]},
  commitEvents: {"method":"POST","path":"/api/webhooks/subscriptions/{id}/consumers/{consumer}/commit","query":["organization"],"body":true},
  receiveEvents: {"method":"POST","path":"/api/webhooks/subscriptions/{id}/consumers/{consumer}/receive","query":["organization"],"body":true,"answer":["events"]},
  seekConsumer: {"method":"POST","path":"/api/webhooks/subscriptions/{id}/consumers/{consumer}/seek","query":["organization"],"body":true},
  readEvents: {"method":"GET","path":"/api/webhooks/subscriptions/{id}/events","query":["cursor","limit","organization"],"items":"events","answer":["events","cursor"]},
  showSubscriptionOutcomes: {"method":"GET","path":"/api/webhooks/subscriptions/{id}/outcomes","query":["hours","until","organization"],"answer":["total","hours"]},
  recoverSubscription: {"method":"POST","path":"/api/webhooks/subscriptions/{id}/recover","query":["organization"],"body":true,"answer":["deliveries"]},
  countRecoverable: {"method":"GET","path":"/api/webhooks/subscriptions/{id}/recoverable","query":["since","what","events","organization"],"answer":["deliveries"]},
  rotateSecret: {"method":"POST","path":"/api/webhooks/subscriptions/{id}/rotate-secret","query":["organization"],"headers":["idempotency-key"],"body":true,"answer":["subscription"]},
  testSubscription: {"method":"POST","path":"/api/webhooks/subscriptions/{id}/test","query":["organization"],"answer":["event","delivery"]},
  showAttemptTimes: {"method":"GET","path":"/api/webhooks/subscriptions/{id}/times","query":["organization"],"answer":["since","attempts","p50Ms","p95Ms"]},
  testUrl: {"method":"POST","path":"/api/webhooks/test","query":["organization"],"body":true,"answer":["event","attempt"]},
  whoami: {"method":"GET","path":"/api/whoami","query":["organization"],"answer":["credential"]},
  completeSignIn: {"method":"GET","path":"/console/callback","query":["code","state","iss","error"],"answer":"text"},
  signIn: {"method":"GET","path":"/console/login","query":["next"]},
  signOut: {"method":"POST","path":"/console/logout","answer":"text"},
  docsPage: {"method":"GET","path":"/docs","answer":"text"},
  errorIndex: {"method":"GET","path":"/docs/errors","answer":"text"},
  errorPage: {"method":"GET","path":"/docs/errors/{code}","answer":"text"},
  docsFile: {"method":"GET","path":"/docs/{file}","answer":"bytes"},
  favicon: {"method":"GET","path":"/favicon.ico","answer":"bytes"},
  forwardAuth: {"method":"GET","path":"/forward-auth","query":["scope","profile"]},
  forwardAuthOfPath: {"method":"GET","path":"/forward-auth/{tail}"},
  health: {"method":"GET","path":"/healthz","query":["verbose","for"],"answer":["status"]},
  live: {"method":"GET","path":"/livez","answer":["status"]},
  openapiDocument: {"method":"GET","path":"/openapi.json","answer":[]},
  ready: {"method":"GET","path":"/readyz","query":["verbose","for"],"answer":["status"]},
};
