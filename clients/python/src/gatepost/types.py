"""Generated from docs/openapi.json by generate.py. Do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from gatepost.calls import new_id


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedEventType:
    change: str
    """`created`, `changed` or `archived`."""
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    duration_ms: int
    error: str | None
    """Why the attempt failed: `address_refused`, `dns`, `connect`, `tls`, `timeout`, `redirect`, `status`, `too_slow` or `no_token`."""
    number: int
    """The number of the attempt within its delivery, from 1."""
    response: str | None = None
    response_headers: tuple[Header, ...] | None = None
    """The headers of the answer to an attempt that failed, at most 2 KiB and without `set-cookie`."""
    started_at: datetime
    status: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCounts:
    """Attempts to deliver, by outcome."""

    cut_off: int
    delivered: int
    failed: int
    not_charged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptTimes:
    """How long attempts took, in milliseconds."""

    attempts: int
    p50_ms: int | None
    p95_ms: int | None
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditActor:
    id: str | None = None
    """The user's id, or the name of the operator token."""
    type: str
    """`user`, `operator` or `service`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditChange:
    after: str | None = None
    before: str | None = None
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """Who did what, how, when and from where."""

    action: str
    actor: AuditActor
    address: str | None = None
    at: datetime
    changes: tuple[AuditChange, ...]
    """What changed, of what is not secret."""
    id: str
    organization_id: str | None = None
    """Whose the target is, if it is an organization."""
    request_id: str | None = None
    target: AuditTarget
    user_id: str | None = None
    """Whose the target is, by the subject (`sub`)."""
    via: AuditMeans


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditMeans:
    id: str | None = None
    """The id of the API key or the session, or the name of another means."""
    type: str
    """`idToken`, `apiKey`, `session`, `operatorToken` or `service`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    events: tuple[AuditEvent, ...]
    """The events, newest first."""
    next_cursor: str | None = None
    """The `cursor` of the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTarget:
    id: str | None = None
    type: str
    """`apiKey`, `subscription`, `delivery`, `session` or `event`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicAuth:
    """A user name and a password, in the header `authorization`."""

    password: str = field(repr=False)
    """The password: ASCII, without control characters."""
    type: Literal["basic"]
    username: str
    """The user name: ASCII, without control characters and colons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerAuth:
    """A bearer token, in the header `authorization`."""

    token: str = field(repr=False)
    """The token: visible ASCII characters, without spaces."""
    type: Literal["bearer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDelivery:
    delivery: Delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSubscription:
    dropped: tuple[str, ...] | None = None
    """Which fields lost values that the call did not set, because the URL has another scheme, host or port: `headers`, `auth`, `clientCertificate`."""
    subscription: Subscription


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutcome:
    detail: str | None = None
    name: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCertificate:
    """The certificate with which the service authenticates in the TLS handshake, and its private key: ECDSA, Ed25519, or RSA of 2,048 to 8,192 bits."""

    chain: str
    """One to ten certificates in PEM: the client's certificate, and then the certificates of its issuers."""
    key: str = field(repr=False)
    """The private key of the first certificate in PEM, not encrypted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLineClient:
    client_id: str
    issuer: str
    """The identity provider, as its ID tokens have it in `iss`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumer:
    lag: int
    leased_until: datetime | None = None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumers:
    consumers: tuple[Consumer, ...]
    """The consumers, sorted by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedApiKey:
    """The new key, which is shown only this once, and the user's list of keys."""

    key: str = field(repr=False)
    key_id: str
    keys: tuple[KeyRecord, ...]
    """The user's keys, including the new key, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentSession:
    capabilities: tuple[str, ...]
    """What the session may do with what belongs to the user: `keys` and `webhooks` to change, `keys:read` and `webhooks:read` to see."""
    created_at: datetime
    default_organization_id: str | None = None
    expires_at: datetime
    """When the session ends, however much it is used."""
    id: str
    idle_expires_at: datetime
    organizations: tuple[SessionOrganization, ...] | None = None
    """The organizations for which the session can act, with `?organization=`."""
    role: str
    """`user`, `operator`, or `visitor`: a user who came by a link of the host application."""
    roles_expire_at: datetime | None = None
    """When the session can no longer act for them, until the user signs in again."""
    user: SessionUser


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyUses:
    """How often the caller's keys were used, by the day."""

    keys: tuple[DailyUsesOfKey, ...]
    """The keys, those that were used or made last first."""
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyUsesOfKey:
    days: tuple[int, ...]
    key_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    attempts: int
    completed_at: datetime | None
    created_at: datetime
    event_id: str
    """The id of the event, which the receiver sees as `webhook-id`."""
    event_type: str
    id: str
    last_attempt: Attempt | None = None
    next_attempt_at: datetime | None
    reason: str | None = None
    """Why the delivery failed or was cancelled: `schedule_spent`, `subscription_disabled`, `unreadable`, `cancelled` or `subscription_deleted`."""
    state: str
    """`waiting`, `sending`, `delivered`, `failed`, `cancelled` or `missed`: the subscription was disabled when the event was published."""
    subscription_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryHistory:
    attempts: tuple[Attempt, ...]
    """The attempts that have ended, oldest first."""
    delivery: Delivery
    event: Event
    """The event, including the body that is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPage:
    deliveries: tuple[Delivery, ...]
    """The deliveries, newest first."""
    next_cursor: str | None = None
    """The `cursor` of the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    replacement: str | None = None
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    created_at: datetime
    id: str
    organization_id: str | None = None
    """Who receives the event, if it is an organization."""
    payload: dict[str, Any] | None = None
    """The body that is signed and sent, byte for byte."""
    type: str
    user_id: str | None = None
    """Who receives the event, by the subject (`sub`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCounts:
    """Published events, by result."""

    accepted: int
    conflict: int
    duplicate: int
    failed: int
    """Events without an answer, because the database did not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    events: tuple[LoggedEvent, ...]
    """The events, newest first, without their payloads."""
    next_cursor: str | None = None
    """The `cursor` of the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    archived: bool
    deprecated: Deprecation | None = None
    description: str | None = None
    """When the event happens and what it means: Markdown without HTML."""
    examples: tuple[Any, ...] | None = None
    """Examples of `data`, as they were written."""
    name: str
    schema: dict[str, Any] | None = None
    """The JSON Schema of `data`, as it was written."""
    title: str | None = None
    updated_at: datetime
    validation: str
    """The treatment of events whose `data` breaks the schema: `off`, `warn` or `enforce`."""
    version: int
    """The number of the schema, from 1."""
    visibility: str
    """Who sees the entry: `public` or `hidden`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTypeList:
    event_types: tuple[EventType, ...]
    """The event types, sorted by name, without schemas and examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingSubscription:
    failing_since: datetime | None
    failures_in_a_row: int
    id: str
    last_attempt: Attempt | None
    organization_id: str | None = None
    """Whose subscription it is, if it is an organization."""
    reason: str | None
    """The `error` of the last attempt, or `retry_after` when the receiver asked for the pause."""
    receiver: str
    """Scheme, host and port of the receiver."""
    state: str
    """`failing` or `paused`."""
    user_id: str | None = None
    """Whose subscription it is, by the subject (`sub`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingSubscriptionPage:
    next_cursor: str | None = None
    """The `cursor` of the next page."""
    subscriptions: tuple[FailingSubscription, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    deliveries: int
    error: str | None
    """Why the last attempt failed: an error as in an attempt."""
    newest_delivery_id: str
    status: int | None
    subscription_id: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """The caller's failed deliveries, by cause."""

    failures: tuple[FailureGroup, ...]
    """The groups, the largest first."""
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFault:
    """A fault in a field of the body or in a parameter of the query."""

    detail: str
    field: str
    """The field's name, or its path in the body: `events[3].type`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterVerdict:
    decided_by: str
    """The leaf that was checked last: with it the answer was certain."""
    passes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    name: str
    """The name, in lower case."""
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderAuth:
    name: str
    """The name of the header: one that `headers` may have, or `authorization`."""
    type: Literal["header"]
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedEventTypes:
    changes: tuple[AppliedEventType, ...]
    """The event types that the import has changed or would change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Introspection:
    active: bool
    """Whether the key is valid now and has every required scope."""
    client_id: str | None = field(default=None, metadata={"json": "client_id"})
    created_by: str | None = field(default=None, metadata={"json": "created_by"})
    """The member of the organization who created the key, by the `sub`."""
    exp: int | None = None
    """When the key expires, in the same seconds."""
    iat: int | None = None
    iss: str | None = None
    label: str | None = None
    metadata: dict[str, Any] | None = None
    """Pairs for your application, such as the plan of a customer: at most 2 KiB together."""
    org_id: str | None = field(default=None, metadata={"json": "org_id"})
    scope: str | None = None
    """The scopes of the key, separated by spaces."""
    sub: str | None = None
    token_type: str | None = field(default=None, metadata={"json": "token_type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """The user's keys: every active key and the 100 keys that ended last, newest first."""

    keys: tuple[KeyRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    created_at: datetime
    """When the key was created: UTC, with milliseconds."""
    created_by: str | None = None
    """The member of the organization who created the key, by the `sub` at the identity provider."""
    disabled_at: datetime | None = None
    expires_at: datetime | None = None
    id: str
    label: str
    last_used_at: datetime | None
    metadata: dict[str, Any] | None = None
    """Pairs for your application, such as the plan of a customer: at most 2 KiB together."""
    prefix: str
    """The start of the full key, followed by an ellipsis."""
    rate_limit: str | None = None
    replaced_by: str | None = None
    revoked_at: datetime | None
    scopes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUsage:
    hours: tuple[KeyUsageHour, ...]
    """Every hour of the request, the earliest first."""
    total: KeyUsageCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUsageCounts:
    accepted: int
    """The key was good, and within its rate limit."""
    limited: int
    """The key was good, and its rate limit was reached."""
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUsageHour:
    accepted: int
    """The key was good, and within its rate limit."""
    limited: int
    """The key was good, and its rate limit was reached."""
    refused: int
    start: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysRevoked:
    revoked_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneCounts:
    """Queues of subscriptions, by their state."""

    closed: int
    open: int
    paused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaksReported:
    key_ids: tuple[str | None, ...]
    """For each token, in the same order, the id of the key, which is now revoked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedOwner:
    email: str | None
    """The e-mail address, for people."""
    key_rate_limit: str | None
    last_seen_at: datetime | None = None
    """The last sign-in of the user, up to a day late."""
    max_active_keys: int | None
    max_subscriptions: int | None
    metadata: dict[str, Any]
    """Pairs for your application, such as the plan of a customer: at most 2 KiB together."""
    name: str | None
    """The name, for people."""
    request_rate_limit: str | None
    state: OwnerState
    suspends_at: datetime | None = None
    """The announced time at which the user is suspended, without a sign-in before."""
    active_keys: int
    """How many keys are active, disabled ones too: at most 1,000."""
    enabled_subscriptions: int
    """How many subscriptions are enabled: at most 1,000."""
    failing_subscriptions: int
    id: str
    """The user's `sub` at the configured issuer, or the organization's id."""
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Liveness:
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    filter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilterChanged:
    before: str
    filter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEvent:
    """A published event, and how many subscriptions it went to."""

    deliveries: int
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEvents:
    cursor: str
    """The `cursor` of the next call."""
    events: tuple[PulledEvent, ...]
    """The events, in the order of the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEventType:
    """An event type with its name and all of its settings."""

    deprecated: PutDeprecation | None = None
    description: str | None = None
    """When the event happens and what it means: Markdown without HTML (`<` before a letter, `/`, `!` or `?`)."""
    examples: Sequence[Any] | None = None
    """Examples of `data`, of at most 16 KiB each."""
    name: str
    schema: dict[str, Any] | None = None
    """The JSON Schema of `data`, of at most 64 KiB."""
    title: str | None = None
    validation: Literal["off", "warn", "enforce"] | None = None
    """The treatment of events whose `data` breaks the schema: `off` accepts it without a check, `warn` accepts it with warnings in the answer, and `enforce` refuses it."""
    visibility: Literal["public", "hidden"] | None = None
    """The readers of the event type: all callers with a credential (`public`, the default), or operators (`hidden`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth2Auth:
    """An access token, in the header `authorization`."""

    audience: str | None = None
    """The API that the token is for, at providers that require it."""
    client_id: str
    """The client, which authenticates at the endpoint with HTTP Basic."""
    client_secret: str = field(repr=False)
    scope: str | None = None
    """The requested scopes, separated by spaces."""
    token_url: str
    """The token endpoint: a URL that webhooks may be sent to."""
    type: Literal["oauth2"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCounts:
    delivered: int
    exhausted: int
    """The attempt failed, and none follows: the delivery has failed."""
    retried: int
    """The attempt failed, and another one follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeHour:
    delivered: int
    exhausted: int
    """The attempt failed, and none follows: the delivery has failed."""
    retried: int
    """The attempt failed, and another one follows."""
    start: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    hours: tuple[OutcomeHour, ...]
    """Every hour of the request, the earliest first."""
    total: OutcomeCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """What the operator has set for a user or an organization."""

    email: str | None
    """The e-mail address, for people."""
    key_rate_limit: str | None
    last_seen_at: datetime | None = None
    """The last sign-in of the user, up to a day late."""
    max_active_keys: int | None
    max_subscriptions: int | None
    metadata: dict[str, Any]
    """Pairs for your application, such as the plan of a customer: at most 2 KiB together."""
    name: str | None
    """The name, for people."""
    request_rate_limit: str | None
    state: OwnerState
    suspends_at: datetime | None = None
    """The announced time at which the user is suspended, without a sign-in before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerPage:
    next_cursor: str | None = None
    """The `cursor` of the next page."""
    owners: tuple[ListedOwner, ...]
    """The owners, in the order of what is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerState:
    reason: str | None = None
    since: str | None = None
    state: str
    """`active`, `suspended`, or `erasing`: suspended, until everything of the owner is erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalLink:
    expires_at: datetime
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentedCredential:
    """A credential, without its secret."""

    key_id: str | None = None
    kind: str
    label: str | None = None
    scopes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    checks: tuple[CheckOutcome, ...] | None = None
    code: str
    """The stable, machine-readable name of this kind of error."""
    detail: str
    errors: tuple[FieldFault, ...] | None = None
    faults: tuple[SchemaFault, ...] | None = None
    """Where the data of an event breaks the schema of its type, at most ten places."""
    oldest_cursor: str | None = None
    """The `cursor` of the oldest event that is stored."""
    request_id: str
    status: int
    title: str
    type: str
    """The page that explains this kind of error: an absolute URL if `PUBLIC_URL` is configured, and otherwise relative to the URL of this service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    alg: str
    crv: str
    kid: str
    kty: str
    use: str
    x: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKeySet:
    keys: tuple[PublicKey, ...]
    """The keys, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishEvent:
    data: Any
    """The data for the receivers: any JSON value, delivered byte for byte."""
    id: str = field(default_factory=new_id)
    """The publisher's id of the event, 1 to 256 characters."""
    organization_id: str | None = None
    """The organization that the event belongs to, in place of a user."""
    type: str
    """The type of the event: 1 to 128 of `A-Z a-z 0-9 _ . : / -`."""
    user_id: str | None = None
    """The user that the event belongs to, by the `sub` at the configured issuer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedEvent:
    deliveries: int
    duplicate: bool | None = None
    """`true` when the event was published before, so that this call changed nothing."""
    event: Event
    warnings: tuple[SchemaFault, ...] | None = None
    """Where the data breaks the schema of its type, at most ten places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedEvents:
    results: tuple[PublishedEvent, ...]
    """For each event, in the same order, the answer that publishing only this event would get."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledEvent:
    """An event in the log of a subscription that is pulled."""

    data: Any
    """The data of the publication, byte for byte."""
    id: str
    sequence: int
    """Its number in the log: 1, 2, 3 and so on, without a gap."""
    timestamp: datetime
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PutDeprecation:
    replacement: str | None = None
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    age_seconds: float
    """How old this reading is, in seconds."""
    lanes: LaneCounts
    """Queues of subscriptions, by their state."""
    oldest_due_age_seconds: float
    """For how long the oldest due delivery has been due that no instance has claimed, in seconds."""
    subscriptions: tuple[SubscriptionCount, ...]
    """Subscriptions, by their state."""
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    checks: tuple[CheckOutcome, ...] | None = None
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedEvents:
    events: tuple[PulledEvent, ...]
    """The events, in the order of the log."""
    lease: str | None = None
    leased_until: datetime | None = None
    """When another reader may receive the events that are not committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverableDeliveries:
    deliveries: int
    """How many deliveries a recovery would make due now, counted up to 10,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredSubscription:
    deliveries: int
    """How many deliveries are now due: at most 100,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetriedFailures:
    deliveries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFault:
    """A place where `data` breaks the schema of its type."""

    keyword: str
    message: str
    """What `data` must follow."""
    pointer: str
    """The place in `data`: a JSON Pointer, without the names after its first 256 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    address: str | None
    capabilities: tuple[str, ...]
    """What the session may do with what belongs to the user."""
    created_at: datetime
    current: bool
    expires_at: datetime
    """When the session ends, however much it is used."""
    id: str
    idle_expires_at: datetime
    role: str
    """`user`, `operator` or `visitor`."""
    seen_at: datetime
    user_agent: str | None
    """What the browser said of itself (`User-Agent`) when it signed in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionList:
    """The user's sessions, newest first."""

    sessions: tuple[Session, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOrganization:
    capabilities: tuple[str, ...]
    organization_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionUser:
    """A user, or the organization for which a visitor came."""

    id: str
    """The `userId` or the `organizationId` of the operator API."""
    issuer: str
    """The issuer of the identity provider (`iss`)."""
    organization_id: str | None = None
    """The id of the organization, if it is one."""
    subject: str
    """The subject at the identity provider (`sub`), or the id of the organization."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedAttempt:
    """An attempt in a stream: the `data` of a server-sent event."""

    attempt: Attempt
    delivery_id: str
    event_id: str
    subscription_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    auth: SubscriptionAuth | None = None
    """The authentication, without its secrets."""
    client_certificate: SubscriptionCertificate | None = None
    """The client certificate, without its key."""
    created_at: datetime
    """When the subscription was created: UTC, with milliseconds."""
    created_by: str | None = None
    """The member of the organization who created the subscription, by the `sub` at the identity provider."""
    description: str
    disabled_reason: str | None = None
    """Why the subscription is disabled: `owner`, `gone`, `only_failures`, `order_stopped` or `key_leaked`."""
    enabled: bool
    events: tuple[str, ...]
    filter: dict[str, Any] | None = None
    """Which of these events the subscription receives, by their content."""
    headers: tuple[SubscriptionHeader, ...] | None = None
    """The headers that the subscription adds, without their values."""
    health: SubscriptionHealth | None = None
    id: str
    max_per_second: float | None = None
    """The maximum number of deliveries in a second, over all instances of the service."""
    on_exhausted: str | None = None
    """The rule for a delivery that has no attempts left: `skip` or `stop`."""
    ordering: str | None = None
    """`subscription` if deliveries leave one after the other, in the order of publication."""
    public_keys: tuple[str, ...] | None = None
    """The public keys that verify signatures `v1a`, newest first: two during the overlap of a rotation."""
    signing: str | None = None
    """Which signatures the webhooks carry: `hmac` (`v1`), `ed25519` (`v1a`) or `both`."""
    type: str | None = None
    """`pull` if readers fetch the events."""
    updated_at: datetime
    url: str
    """The URL that receives the webhooks, in normal form."""
    url_set_by: str | None = None
    """The API key that set the URL, when the subscription was created or later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionAuth:
    name: str | None = None
    set_at: datetime
    type: str
    """`bearer`, `basic`, `header` or `oauth2`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionCertificate:
    """The certificate with which the service authenticates at the receiver of a subscription."""

    expires_at: datetime
    fingerprint: str
    """The SHA-256 of the certificate, in hexadecimal digits."""
    set_at: datetime
    subject: str
    """The subject, at most 256 characters of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionCount:
    count: int
    state: str
    """`enabled`, or why they are disabled: `owner`, `gone`, `only_failures`, `order_stopped`, `key_leaked`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionHeader:
    name: str
    """The name, in lower case."""
    set_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionHealth:
    failing_since: datetime | None
    last_attempt: Attempt | None
    paused_until: datetime | None
    """When the pause ends, and a delivery is tried again."""
    reason: str | None
    state: str
    """`healthy`: no attempt has failed since the last success, or since the subscription was enabled."""
    waiting: int
    """How many deliveries wait or are being sent, counted up to 10,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionPage:
    next_cursor: str | None = None
    """The `cursor` of the next page."""
    subscriptions: tuple[Subscription, ...]
    """The subscriptions, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionTest:
    delivery: Delivery
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionWithHealth:
    health: SubscriptionHealth
    subscription: Subscription


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionWithSecret:
    """A subscription and, if the service made one, its secret, which is shown only this once."""

    secret: str | None = field(default=None, repr=False)
    subscription: Subscription


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemState:
    attempts: AttemptCounts | None
    change_feed_age_seconds: float | None
    """The age of the last successful read of the change feed, in seconds."""
    commit: str
    """The commit that it was built from, or `unknown`."""
    database: str
    """`sqlite` or `postgres`."""
    events: EventCounts
    identity_keys_age_seconds: float | None
    """The age of the identity provider's keys, in seconds."""
    instances: tuple[VersionCount, ...]
    """The processes on this database, by version, as they were counted with the queue."""
    queue: QueueState | None
    started_at: datetime
    verifications: VerificationCounts
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlTest:
    attempt: Attempt
    """The attempt to send the event, with the start of the answer."""
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationCounts:
    """API keys that were presented, by result."""

    failed: int
    """Calls without an answer, because the database did not answer."""
    good: int
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionCount:
    count: int
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    return_url: str | None = None
    """The page of the host application to which the console leads back."""
    session: CurrentSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Whoami:
    credential: PresentedCredential
    organization_id: str | None = None
    user_id: str | None = None
    """The user, by the subject (`sub`) at the identity provider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEventType:
    changed: bool
    event_type: EventType
