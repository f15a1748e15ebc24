"""Generated from docs/openapi.json by generate.py. Do not edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from gatepost.calls import new_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt that has ended."""

    duration_ms: int
    """The duration of the attempt in milliseconds."""
    error: str | None
    """Why the attempt failed: `address_refused`, `dns`, `connect`, `tls`, `timeout`, `redirect`, `status` or `too_slow`; `None` after a success."""
    number: int
    """The number of the attempt within its delivery, from 1."""
    response: str | None = None
    """The first 16 KiB of the answer's body as text."""
    response_headers: tuple[Header, ...] | None = None
    """The headers of the answer to an attempt that failed, at most 2 KiB and without `set-cookie`."""
    started_at: datetime
    """When the attempt started."""
    status: int | None
    """The HTTP status of the receiver's answer; `None` when there was no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCounts:
    """Attempts to deliver, by outcome."""

    cut_off: int
    """Attempts that a shutdown cut off."""
    delivered: int
    """Attempts that delivered."""
    failed: int
    """Attempts that the receiver failed."""
    not_charged: int
    """Attempts that Gatepost could not make."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptTimes:
    """How long attempts took, in milliseconds."""

    attempts: int
    """How many attempts count."""
    p50_ms: int | None
    """Half of the attempts took no longer; `None` without an attempt."""
    p95_ms: int | None
    """95 % of the attempts took no longer; `None` without an attempt."""
    since: datetime
    """Only attempts that ended after this time count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditActor:
    """An actor."""

    id: str | None = None
    """The user's id, or the name of the operator token."""
    type: str
    """`user`, `operator` or `service`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditChange:
    """A field before and after."""

    after: str | None = None
    """After; absent if there is nothing."""
    before: str | None = None
    """Before; absent if there was nothing."""
    field: str
    """The field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """Who did what, how, when and from where."""

    action: str
    """What was done."""
    actor: AuditActor
    """Who did it."""
    address: str | None = None
    """The address from which the request came."""
    at: datetime
    """When it was done."""
    changes: tuple[AuditChange, ...]
    """What changed, of what is not secret."""
    id: str
    """Identifies the event."""
    organization_id: str | None = None
    """Whose the target is, if it is an organization."""
    request_id: str | None = None
    """The id of the request."""
    target: AuditTarget
    """What it was done to."""
    user_id: str | None = None
    """Whose the target is, by the subject (`sub`); absent if it is an organization."""
    via: AuditMeans
    """How the actor proved who they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditMeans:
    """The means of an actor."""

    id: str | None = None
    """The id of the API key or the session, or the name of another means."""
    type: str
    """`idToken`, `apiKey`, `session`, `operatorToken` or `service`; `other` for one of a later version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """A page of the audit log."""

    events: tuple[AuditEvent, ...]
    """The events, newest first."""
    next_cursor: str | None = None
    """The `cursor` of the next page; absent on the last page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTarget:
    """A target."""

    id: str | None = None
    """The id."""
    type: str
    """`apiKey`, `subscription`, `delivery`, `session` or `event`; or `apiKeys`, `subscriptions`, `deliveries`, `sessions` or `events` for all of the user's; or `log` for the log of an instance; `other` for one of a later version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicAuth:
    """A user name and a password, in the header `authorization`."""

    password: str = field(repr=False)
    """The password: ASCII, without control characters; may be empty."""
    type: Literal["basic"]
    """Always `basic`."""
    username: str
    """The user name: ASCII, without control characters and colons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerAuth:
    """A bearer token, in the header `authorization`."""

    token: str = field(repr=False)
    """The token: visible ASCII characters, without spaces."""
    type: Literal["bearer"]
    """Always `bearer`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDelivery:
    """The delivery after a change."""

    delivery: Delivery
    """The delivery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSubscription:
    """The subscription after a change."""

    dropped: tuple[str, ...] | None = None
    """Which fields lost values that the call did not set, because the URL has another scheme, host or port: `headers`, `auth`."""
    subscription: Subscription
    """The subscription."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutcome:
    """The outcome of a readiness check."""

    detail: str | None = None
    """Why the check failed; absent when it passed."""
    name: str
    """The name of the check."""
    status: str
    """Whether the check passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLineClient:
    """How a command line signs in at the identity provider."""

    client_id: str
    """The client id."""
    issuer: str
    """The identity provider, as its ID tokens have it in `iss`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedApiKey:
    """The new key, which is shown only this once, and the user's list of keys."""

    key: str = field(repr=False)
    """The full key."""
    key_id: str
    """The new key's id."""
    keys: tuple[KeyRecord, ...]
    """The user's keys, including the new key, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentSession:
    """The session of the browser that calls."""

    capabilities: tuple[str, ...]
    """What the session may do with what belongs to the user: `keys` and `webhooks` to change, `keys:read` and `webhooks:read` to see."""
    created_at: datetime
    """When the user signed in."""
    default_organization_id: str | None = None
    """The organization with which the console begins; absent if it begins with the user."""
    expires_at: datetime
    """When the session ends, however much it is used."""
    id: str
    """Identifies the session in the list of sessions."""
    idle_expires_at: datetime
    """When the session ends if it is not used again."""
    organizations: tuple[SessionOrganization, ...] | None = None
    """The organizations for which the session can act, with `?organization=`; absent if there are none."""
    role: str
    """`user`, `operator`, or `visitor`: a user who came by a link of the host application."""
    roles_expire_at: datetime | None = None
    """When the session can no longer act for them, until the user signs in again; absent if there are none."""
    user: SessionUser
    """Who signed in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyUses:
    """How often the caller's keys were used, by the day."""

    keys: tuple[DailyUsesOfKey, ...]
    """The keys, those that were used or made last first."""
    since: datetime
    """When the first of the 30 days began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyUsesOfKey:
    """How often one key was used."""

    days: tuple[int, ...]
    """How often the key was found good on each day."""
    key_id: str
    """The key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The delivery of one event to one subscription."""

    attempts: int
    """How many attempts have started."""
    completed_at: datetime | None
    """When the delivery ended; `None` until then."""
    created_at: datetime
    """When the event was published."""
    event_id: str
    """The id of the event, which the receiver sees as `webhook-id`."""
    event_type: str
    """The event's type."""
    id: str
    """Identifies the delivery."""
    last_attempt: Attempt | None = None
    next_attempt_at: datetime | None
    """When the next attempt is due; `None` unless the delivery waits."""
    reason: str | None = None
    """Why the delivery failed or was cancelled: `schedule_spent`, `subscription_disabled`, `unreadable`, `cancelled` or `subscription_deleted`."""
    state: str
    """`waiting`, `sending`, `delivered`, `failed` or `cancelled`."""
    subscription_id: str
    """The subscription that receives the event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryHistory:
    """A delivery with its event and its attempts."""

    attempts: tuple[Attempt, ...]
    """The attempts that have ended, oldest first."""
    delivery: Delivery
    """The delivery."""
    event: Event
    """The event, including the body that is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPage:
    """A page of the caller's deliveries."""

    deliveries: tuple[Delivery, ...]
    """The deliveries, newest first."""
    next_cursor: str | None = None
    """The `cursor` of the next page; absent on the last page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """From when on receivers should stop using a type."""

    replacement: str | None = None
    """The type to use in its place."""
    since: datetime
    """From when on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A published event."""

    created_at: datetime
    """When the event was published."""
    id: str
    """Identifies the event."""
    organization_id: str | None = None
    """Who receives the event, if it is an organization."""
    payload: dict[str, Any] | None = None
    """The body that is signed and sent, byte for byte."""
    type: str
    """The type of the event."""
    user_id: str | None = None
    """Who receives the event, by the subject (`sub`); absent if it is an organization."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCounts:
    """Published events, by result."""

    accepted: int
    """Events that were stored."""
    conflict: int
    """Events in conflict with another event of the same id."""
    duplicate: int
    """Events that were published before."""
    failed: int
    """Events without an answer, because the database did not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """A page of events."""

    events: tuple[LoggedEvent, ...]
    """The events, newest first, without their payloads."""
    next_cursor: str | None = None
    """The `cursor` of the next page; absent on the last page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """What the catalogue has about a type of events."""

    archived: bool
    """Whether the type is not to be published any more."""
    deprecated: Deprecation | None = None
    """Present if receivers should stop using the type."""
    description: str | None = None
    """When the event happens and what it means: Markdown without HTML."""
    examples: tuple[Any, ...] | None = None
    """Examples of `data`, as they were written."""
    name: str
    """The type of the events."""
    schema: dict[str, Any] | None = None
    """The JSON Schema (2020-12) of `data`, as it was written."""
    title: str | None = None
    """A short name for people."""
    updated_at: datetime
    """When the entry was changed last."""
    validation: str
    """The treatment of events whose `data` breaks the schema: `off`, `warn` or `enforce`."""
    version: int
    """The number of the schema, from 1."""
    visibility: str
    """Who sees the entry: `public` or `hidden`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTypeList:
    """Event types."""

    event_types: tuple[EventType, ...]
    """The event types, sorted by name, without schemas and examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingSubscription:
    """An enabled subscription whose last attempt failed."""

    failing_since: datetime | None
    """When the current run of failures began."""
    failures_in_a_row: int
    """How many attempts have failed in a row."""
    id: str
    """The subscription's id."""
    last_attempt: Attempt | None
    organization_id: str | None = None
    """Whose subscription it is, if it is an organization."""
    reason: str | None
    """The `error` of the last attempt, or `retry_after` when the receiver asked for the pause; `None` when it is no longer known."""
    receiver: str
    """Scheme, host and port of the receiver."""
    state: str
    """`failing` or `paused`."""
    user_id: str | None = None
    """Whose subscription it is, by the subject (`sub`); absent if it is an organization."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingSubscriptionPage:
    """A page of failing subscriptions."""

    next_cursor: str | None = None
    """The `cursor` of the next page; absent on the last page."""
    subscriptions: tuple[FailingSubscription, ...]
    """The subscriptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    """Deliveries that failed for the same cause."""

    deliveries: int
    """How many deliveries failed for this cause."""
    error: str | None
    """Why the last attempt failed: an error as in an attempt."""
    newest_delivery_id: str
    """The delivery of the newest event."""
    status: int | None
    """The HTTP status of the answer to the last attempt; `None` when there was no answer."""
    subscription_id: str
    """The subscription that was to receive the events."""
    url: str
    """The subscription's URL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """The caller's failed deliveries, by cause."""

    failures: tuple[FailureGroup, ...]
    """The groups, the largest first."""
    is_complete: bool
    """Whether all failed deliveries are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFault:
    """A fault in a field of the body or in a parameter of the query."""

    detail: str
    """What the field must be."""
    field: str
    """The field's name, or its path in the body: `events[3].type`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterVerdict:
    """What the filter says about the event."""

    decided_by: str
    """The leaf that was checked last: with it the answer was certain."""
    passes: bool
    """Whether the event passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A header of an answer."""

    name: str
    """The name, in lower case."""
    value: str
    """The value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderAuth:
    """A header with a credential."""

    name: str
    """The name of the header: one that `headers` may have, or `authorization`."""
    type: Literal["header"]
    """Always `header`."""
    value: str = field(repr=False)
    """The value of the header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Introspection:
    """The introspection answer of RFC 7662."""

    active: bool
    """Whether the key is valid now and has every required scope."""
    client_id: str | None = field(default=None, metadata={"json": "client_id"})
    """The key's id."""
    created_by: str | None = field(default=None, metadata={"json": "created_by"})
    """The member of the organization who created the key, by the `sub`; absent if no member did."""
    exp: int | None = None
    """When the key expires, in the same seconds; absent if it does not expire."""
    iat: int | None = None
    """When the key was created: seconds since 1970-01-01T00:00:00Z."""
    iss: str | None = None
    """The identity provider of the user or the organization."""
    label: str | None = None
    """The name that the owner gave the key."""
    metadata: dict[str, Any] | None = None
    """Pairs for your application, such as the plan of a customer: at most 2 KiB together"""
    org_id: str | None = field(default=None, metadata={"json": "org_id"})
    """The organization that owns the key; absent if a user does."""
    scope: str | None = None
    """The scopes of the key, separated by spaces; absent if it has none."""
    sub: str | None = None
    """The user who owns the key; absent if an organization does."""
    token_type: str | None = field(default=None, metadata={"json": "token_type"})
    """Always `api_key`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """The user's keys: every active key and the 100 keys that ended last, newest first."""

    keys: tuple[KeyRecord, ...]
    """The keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    """An API key without its secret."""

    created_at: datetime
    """When the key was created: UTC, with milliseconds."""
    created_by: str | None = None
    """The member of the organization who created the key, by the `sub` at the identity provider; absent if the owner is a user, or no member created the key."""
    disabled_at: datetime | None = None
    """When the key was disabled; absent if it is enabled."""
    expires_at: datetime | None = None
    """When the key expires; absent if it does not expire."""
    id: str
    """Identifies the key."""
    label: str
    """The name that the owner gave the key."""
    last_used_at: datetime | None
    """When the key was last used; `None` if it was never used."""
    metadata: dict[str, Any] | None = None
    """Pairs for your application, such as the plan of a customer: at most 2 KiB together"""
    prefix: str
    """The start of the full key, followed by an ellipsis."""
    rate_limit: str | None = None
    """How often the key may be used; absent if the limit of the service holds."""
    replaced_by: str | None = None
    """The key that replaced this key in a rotation; absent if the key was not rotated."""
    revoked_at: datetime | None
    """When the key was revoked; `None` if it is not revoked."""
    scopes: tuple[str, ...] | None = None
    """The scopes of the key; absent if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUsage:
    """The verifications of an API key by the hour."""

    hours: tuple[KeyUsageHour, ...]
    """Every hour of the request, the earliest first."""
    total: KeyUsageCounts
    """The sums of all hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUsageCounts:
    """How many verifications had each result."""

    accepted: int
    """The key was good, and within its rate limit."""
    limited: int
    """The key was good, and its rate limit was reached."""
    refused: int
    """The key was revoked or expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUsageHour:
    """The verifications in one hour."""

    accepted: int
    """The key was good, and within its rate limit."""
    limited: int
    """The key was good, and its rate limit was reached."""
    refused: int
    """The key was revoked or expired."""
    start: datetime
    """When the hour began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysRevoked:
    """How many keys were revoked."""

    revoked_count: int
    """How many keys this call revoked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneCounts:
    """Queues of subscriptions, by their state."""

    closed: int
    """Closed with the subscription."""
    open: int
    """May deliver."""
    paused: int
    """Paused after failures of the receiver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaksReported:
    """The leaked keys."""

    key_ids: tuple[str | None, ...]
    """For each token, in the same order, the id of the key, which is now revoked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedOwner:
    """A user or an organization in a list."""

    email: str | None
    """The e-mail address, for people."""
    max_active_keys: int | None
    """The most active keys."""
    max_subscriptions: int | None
    """The most subscriptions."""
    metadata: dict[str, Any]
    """Pairs for your application, such as the plan of a customer: at most 2 KiB together"""
    name: str | None
    """The name, for people."""
    state: OwnerState
    """Whether the owner may act."""
    active_keys: int
    """How many keys are active: at most 1,000."""
    enabled_subscriptions: int
    """How many subscriptions are enabled: at most 1,000."""
    failing_subscriptions: int
    """How many of these failed at their last attempt."""
    id: str
    """The user's `sub` at the configured issuer, or the organization's id."""
    kind: str
    """Whether it is a user or an organization."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Liveness:
    """The process is alive."""

    status: str
    """Always `ok`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    """Which lines the log of this instance has."""

    filter: str
    """The filter that applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilterChanged:
    """The change of a filter."""

    before: str
    """The filter that applied before."""
    filter: str
    """The filter that applies now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEvent:
    """A published event, and how many subscriptions it went to."""

    deliveries: int
    """How many subscriptions it went to when it was published."""
    event: Event
    """The event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCounts:
    """How many attempts had each outcome."""

    delivered: int
    """The receiver took the webhook."""
    exhausted: int
    """The attempt failed, and none follows: the delivery has failed."""
    retried: int
    """The attempt failed, and another one follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeHour:
    """The outcomes in one hour."""

    delivered: int
    """The receiver took the webhook."""
    exhausted: int
    """The attempt failed, and none follows: the delivery has failed."""
    retried: int
    """The attempt failed, and another one follows."""
    start: datetime
    """When the hour began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """The outcomes of attempts by the hour."""

    hours: tuple[OutcomeHour, ...]
    """Every hour of the request, the earliest first."""
    total: OutcomeCounts
    """The sums of all hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """What the operator has set for a user or an organization."""

    email: str | None
    """The e-mail address, for people."""
    max_active_keys: int | None
    """The most active keys."""
    max_subscriptions: int | None
    """The most subscriptions."""
    metadata: dict[str, Any]
    """Pairs for your application, such as the plan of a customer: at most 2 KiB together"""
    name: str | None
    """The name, for people."""
    state: OwnerState
    """Whether the owner may act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerPage:
    """A page of owners."""

    next_cursor: str | None = None
    """The `cursor` of the next page; absent on the last page."""
    owners: tuple[ListedOwner, ...]
    """The owners, in the order of what is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerState:
    """Whether an owner may act."""

    reason: str | None = None
    """Why the owner is suspended; absent if no reason was given."""
    since: str | None = None
    """When the owner was suspended; absent if the owner is active."""
    state: str
    """`active` or `suspended`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalLink:
    """The new link."""

    expires_at: datetime
    """When the link stops working."""
    url: str = field(repr=False)
    """Where to send the user's browser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentedCredential:
    """A credential, without its secret."""

    key_id: str | None = None
    """The key's id."""
    kind: str
    label: str | None = None
    """The name that the owner gave the key."""
    scopes: tuple[str, ...] | None = None
    """The scopes of the key; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem document (RFC 9457): the body of every error."""

    checks: tuple[CheckOutcome, ...] | None = None
    """The outcome of each check."""
    code: str
    """The stable, machine-readable name of this kind of error."""
    detail: str
    """What is wrong with this request."""
    errors: tuple[FieldFault, ...] | None = None
    """The fields that have faults."""
    faults: tuple[SchemaFault, ...] | None = None
    """Where the data of an event breaks the schema of its type, at most ten places."""
    request_id: str
    """Identifies this request in the logs."""
    status: int
    """The HTTP status."""
    title: str
    """A short summary of the error."""
    type: str
    """The page that explains this kind of error: an absolute URL if `PUBLIC_URL` is configured, and otherwise relative to the URL of this service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """A public key of Ed25519 as a JSON Web Key (RFC 8037)."""

    alg: str
    """Always `EdDSA`."""
    crv: str
    """Always `Ed25519`."""
    kid: str
    """The thumbprint of the key (RFC 7638)."""
    kty: str
    """Always `OKP`."""
    use: str
    """Always `sig`."""
    x: str
    """The key in base64url."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKeySet:
    """A set of JSON Web Keys (RFC 7517)."""

    keys: tuple[PublicKey, ...]
    """The keys, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishEvent:
    """The event to publish."""

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
    """An accepted event."""

    deliveries: int
    """How many subscriptions receive the event."""
    duplicate: bool | None = None
    """`true` when the event was published before, so that this call changed nothing."""
    event: Event
    """The event."""
    warnings: tuple[SchemaFault, ...] | None = None
    """Where the data breaks the schema of its type, at most ten places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedEvents:
    """The accepted events."""

    results: tuple[PublishedEvent, ...]
    """For each event, in the same order, the answer that publishing only this event would get."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutDeprecation:
    """From when on receivers should stop using a type."""

    replacement: str | None = None
    """The type to use in its place."""
    since: datetime
    """From when on: a time with an offset (RFC 3339)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """The queue."""

    age_seconds: float
    """How old this reading is, in seconds."""
    lanes: LaneCounts
    """Queues of subscriptions, by their state."""
    oldest_due_age_seconds: float
    """For how long the oldest due delivery has been due that no instance has claimed, in seconds; 0 without one."""
    subscriptions: tuple[SubscriptionCount, ...]
    """Subscriptions, by their state."""
    waiting: int
    """Deliveries that have not ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """The service is ready."""

    checks: tuple[CheckOutcome, ...] | None = None
    """The outcome of each check."""
    status: str
    """Always `ready`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverableDeliveries:
    """What a recovery would bring back."""

    deliveries: int
    """How many deliveries a recovery would make due now, counted up to 10,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredSubscription:
    """The result of a recovery."""

    deliveries: int
    """How many deliveries are now due: at most 100,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetriedFailures:
    """The result of a retry of failed deliveries."""

    deliveries: int
    """How many deliveries are now due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFault:
    """A place where `data` breaks the schema of its type."""

    keyword: str
    """The keyword of the schema."""
    message: str
    """What `data` must follow."""
    pointer: str
    """The place in `data`: a JSON Pointer (RFC 6901), without the names after its first 256 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session of the user."""

    address: str | None
    """The address from which the user signed in; `None` if it is not known."""
    capabilities: tuple[str, ...]
    """What the session may do with what belongs to the user."""
    created_at: datetime
    """When the user signed in."""
    current: bool
    """Whether it is the session that makes the call."""
    expires_at: datetime
    """When the session ends, however much it is used."""
    id: str
    """Identifies the session."""
    idle_expires_at: datetime
    """When the session ends if it is not used again."""
    role: str
    """`user`, `operator` or `visitor`."""
    seen_at: datetime
    """When the session was last used."""
    user_agent: str | None
    """What the browser said of itself (`User-Agent`) when it signed in; `None` if nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionList:
    """The user's sessions, newest first."""

    sessions: tuple[Session, ...]
    """The sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOrganization:
    """An organization for which a session can act."""

    capabilities: tuple[str, ...]
    """The capabilities of the user in the organization."""
    organization_id: str
    """The id at the identity provider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionUser:
    """A user, or the organization for which a visitor came."""

    id: str
    """The `userId` or the `organizationId` of the operator API."""
    issuer: str
    """The issuer of the identity provider (`iss`)."""
    organization_id: str | None = None
    """The id of the organization, if it is one; absent for a user."""
    subject: str
    """The subject at the identity provider (`sub`), or the id of the organization."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedAttempt:
    """An attempt in a stream: the `data` of a server-sent event."""

    attempt: Attempt
    """The attempt."""
    delivery_id: str
    """The delivery of the attempt."""
    event_id: str
    """The event that is delivered."""
    subscription_id: str
    """The subscription that receives the event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A webhook subscription."""

    auth: SubscriptionAuth | None = None
    """The authentication, without its secrets; absent if there is none."""
    created_at: datetime
    """When the subscription was created: UTC, with milliseconds."""
    created_by: str | None = None
    """The member of the organization who created the subscription, by the `sub` at the identity provider; absent if the owner is a user, or no member created the subscription."""
    description: str
    """The owner's description; may be empty."""
    disabled_reason: str | None = None
    """Why the subscription is disabled: `owner` (the owner disabled it), `gone` (the receiver answered 410), `only_failures` (every attempt failed for five days) or `key_leaked` (the API key that set the URL was reported as leaked)."""
    enabled: bool
    """Whether the subscription receives events."""
    events: tuple[str, ...]
    """The event types and patterns of the subscription."""
    filter: dict[str, Any] | None = None
    """Which of these events the subscription receives, by their content; absent if it receives all."""
    headers: tuple[SubscriptionHeader, ...] | None = None
    """The headers that the subscription adds, without their values; absent if it adds none."""
    health: SubscriptionHealth | None = None
    """The health of the subscription."""
    id: str
    """Identifies the subscription."""
    max_per_second: float | None = None
    """The most deliveries in a second, over all instances of the service; absent if there is no limit."""
    public_keys: tuple[str, ...] | None = None
    """The public keys that verify signatures `v1a`, newest first: two during the overlap of a rotation."""
    signing: str | None = None
    """Which signatures the webhooks carry: `hmac` (`v1`), `ed25519` (`v1a`) or `both`."""
    updated_at: datetime
    """When the owner or the service last changed the subscription."""
    url: str
    """The URL that receives the webhooks, in normal form."""
    url_set_by: str | None = None
    """The API key that set the URL, when the subscription was created or later; absent if an ID token did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionAuth:
    """The authentication of the requests of a subscription."""

    name: str | None = None
    """The name of the header; absent if it is `authorization` by the type."""
    set_at: datetime
    """When it was set."""
    type: str
    """`bearer`, `basic` or `header`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionCount:
    """How many subscriptions have a state."""

    count: int
    """How many."""
    state: str
    """`enabled`, or why they are disabled: `owner`, `gone`, `only_failures`, `key_leaked`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionHeader:
    """A header that a subscription adds to its requests."""

    name: str
    """The name, in lower case."""
    set_at: datetime
    """When its value was set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionHealth:
    """The health of a subscription."""

    failing_since: datetime | None
    """When the current run of failures began; `None` when the last attempt succeeded."""
    last_attempt: Attempt | None
    paused_until: datetime | None
    """When the pause ends, and a delivery is tried again; `None` unless paused."""
    reason: str | None
    """The reason for the state."""
    state: str
    """`healthy`: no attempt has failed since the last success, or since the subscription was enabled."""
    waiting: int
    """How many deliveries wait or are being sent, counted up to 10,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionPage:
    """A page of the caller's subscriptions."""

    next_cursor: str | None = None
    """The `cursor` of the next page; absent on the last page."""
    subscriptions: tuple[Subscription, ...]
    """The subscriptions, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionTest:
    """A test event and its delivery."""

    delivery: Delivery
    """The delivery of the event."""
    event: Event
    """The event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionWithHealth:
    """A subscription and its health."""

    health: SubscriptionHealth
    """The health of the subscription."""
    subscription: Subscription
    """The subscription."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionWithSecret:
    """A subscription and, if the service made one, its secret, which is shown only this once."""

    secret: str | None = field(default=None, repr=False)
    """The secret that signs the webhooks."""
    subscription: Subscription
    """The subscription."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemState:
    """How the instance that answers and the store are doing."""

    attempts: AttemptCounts | None
    change_feed_age_seconds: float | None
    """The age of the last successful read of the change feed, in seconds."""
    commit: str
    """The commit that it was built from, or `unknown`."""
    database: str
    """`sqlite` or `postgres`."""
    events: EventCounts
    """Events that the host application published."""
    identity_keys_age_seconds: float | None
    """The age of the identity provider's keys, in seconds; `None` before the first fetch."""
    instances: tuple[VersionCount, ...]
    """The processes on this database, by version, as they were counted with the queue."""
    queue: QueueState | None
    started_at: datetime
    """When the process started."""
    verifications: VerificationCounts
    """API keys that were presented."""
    version: str
    """The version of the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlTest:
    """A test of a URL."""

    attempt: Attempt
    """The attempt to send the event, with the start of the answer."""
    event: Event
    """The event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationCounts:
    """API keys that were presented, by result."""

    failed: int
    """Calls without an answer, because the database did not answer."""
    good: int
    """Good keys."""
    refused: int
    """Keys that were refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionCount:
    """How many processes have a version."""

    count: int
    """How many processes have it."""
    version: str
    """The version of the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The new session of a visitor."""

    return_url: str | None = None
    """The page of the host application to which the console leads back; absent if the link names none."""
    session: CurrentSession
    """The session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whoami:
    """The caller."""

    credential: PresentedCredential
    """The credential that the caller presented."""
    organization_id: str | None = None
    """The organization for which the call is made; absent if it is made for the user."""
    user_id: str | None = None
    """The user, by the subject (`sub`) at the identity provider; absent if the credential is an organization's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEventType:
    """An event type after a call that changes it."""

    changed: bool
    """Whether this call has changed it."""
    event_type: EventType
    """The event type."""
