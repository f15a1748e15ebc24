"""Generated from docs/openapi.json by generate.py. Do not edit."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from types import NoneType
from typing import Any, Literal, TypeVar

from gatepost import types
from gatepost.calls import ABSENT, Absent, Location, Operation
from gatepost.ids import new_id
from gatepost.pages import AsyncPages, Pages

T = TypeVar("T")
Members = dict[str, Any]

ARCHIVE_EVENT_TYPE: Operation[types.WrittenEventType] = Operation("DELETE", "/api/operator/event-types/{name}", types.WrittenEventType)
BEGIN_VISIT: Operation[types.Visit] = Operation("POST", "/api/session", types.Visit, has_body=True)
CANCEL_DELIVERY: Operation[types.ChangedDelivery] = Operation("POST", "/api/webhooks/deliveries/{id}/cancel", types.ChangedDelivery, query=("organization",))
CANCEL_ORGANIZATION_DELIVERY: Operation[types.ChangedDelivery] = Operation("POST", "/api/operator/organizations/{organizationId}/deliveries/{id}/cancel", types.ChangedDelivery)
CANCEL_USER_DELIVERY: Operation[types.ChangedDelivery] = Operation("POST", "/api/operator/users/{userId}/deliveries/{id}/cancel", types.ChangedDelivery)
CHANGE_API_KEY: Operation[types.KeyRecord] = Operation("PATCH", "/api/api-keys/{keyId}", types.KeyRecord, query=("organization",), has_body=True, nullable=("metadata", "rateLimit"))
CHANGE_LOG_FILTER: Operation[types.LogFilterChanged] = Operation("POST", "/api/operator/log-filter", types.LogFilterChanged, has_body=True)
CHANGE_ORGANIZATION: Operation[types.Owner] = Operation("PATCH", "/api/operator/organizations/{organizationId}", types.Owner, has_body=True, nullable=("email", "maxActiveKeys", "maxSubscriptions", "metadata", "name"))
CHANGE_ORGANIZATION_API_KEY: Operation[types.KeyRecord] = Operation("PATCH", "/api/operator/organizations/{organizationId}/keys/{keyId}", types.KeyRecord, has_body=True, nullable=("metadata", "rateLimit"))
CHANGE_ORGANIZATION_SUBSCRIPTION: Operation[types.ChangedSubscription] = Operation("PATCH", "/api/operator/organizations/{organizationId}/subscriptions/{id}", types.ChangedSubscription, has_body=True, nullable=("auth", "filter", "headers"))
CHANGE_SUBSCRIPTION: Operation[types.ChangedSubscription] = Operation("PATCH", "/api/webhooks/subscriptions/{id}", types.ChangedSubscription, query=("organization",), has_body=True, nullable=("auth", "filter", "headers"))
CHANGE_USER: Operation[types.Owner] = Operation("PATCH", "/api/operator/users/{userId}", types.Owner, has_body=True, nullable=("email", "maxActiveKeys", "maxSubscriptions", "metadata", "name"))
CHANGE_USER_API_KEY: Operation[types.KeyRecord] = Operation("PATCH", "/api/operator/users/{userId}/keys/{keyId}", types.KeyRecord, has_body=True, nullable=("metadata", "rateLimit"))
CHANGE_USER_SUBSCRIPTION: Operation[types.ChangedSubscription] = Operation("PATCH", "/api/operator/users/{userId}/subscriptions/{id}", types.ChangedSubscription, has_body=True, nullable=("auth", "filter", "headers"))
COMPLETE_SIGN_IN: Operation[str] = Operation("GET", "/console/callback", str, query=("code", "state", "iss", "error"))
COUNT_ORGANIZATION_RECOVERABLE: Operation[types.RecoverableDeliveries] = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}/recoverable", types.RecoverableDeliveries, query=("since",))
COUNT_RECOVERABLE: Operation[types.RecoverableDeliveries] = Operation("GET", "/api/webhooks/subscriptions/{id}/recoverable", types.RecoverableDeliveries, query=("since", "organization"))
COUNT_USER_RECOVERABLE: Operation[types.RecoverableDeliveries] = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}/recoverable", types.RecoverableDeliveries, query=("since",))
CREATE_API_KEY: Operation[types.CreatedApiKey] = Operation("POST", "/api/api-keys", types.CreatedApiKey, query=("organization",), has_body=True, nullable=("expiresAt", "idToken", "rateLimit", "scopes"))
CREATE_ORGANIZATION_API_KEY: Operation[types.CreatedApiKey] = Operation("POST", "/api/operator/organizations/{organizationId}/keys", types.CreatedApiKey, has_body=True, nullable=("expiresAt", "rateLimit", "scopes"))
CREATE_ORGANIZATION_SUBSCRIPTION: Operation[types.SubscriptionWithSecret] = Operation("POST", "/api/operator/organizations/{organizationId}/subscriptions", types.SubscriptionWithSecret, has_body=True, nullable=("auth", "description", "filter", "headers", "secret", "signing"))
CREATE_PORTAL_LINK: Operation[types.PortalLink] = Operation("POST", "/api/operator/portal-links", types.PortalLink, has_body=True, nullable=("capabilities", "organizationId", "returnUrl", "ttlSeconds", "userId"))
CREATE_SUBSCRIPTION: Operation[types.SubscriptionWithSecret] = Operation("POST", "/api/webhooks/subscriptions", types.SubscriptionWithSecret, query=("organization",), has_body=True, nullable=("auth", "description", "filter", "headers", "secret", "signing"))
CREATE_USER_API_KEY: Operation[types.CreatedApiKey] = Operation("POST", "/api/operator/users/{userId}/keys", types.CreatedApiKey, has_body=True, nullable=("expiresAt", "rateLimit", "scopes"))
CREATE_USER_SUBSCRIPTION: Operation[types.SubscriptionWithSecret] = Operation("POST", "/api/operator/users/{userId}/subscriptions", types.SubscriptionWithSecret, has_body=True, nullable=("auth", "description", "filter", "headers", "secret", "signing"))
DELETE_ORGANIZATION_SUBSCRIPTION: Operation[None] = Operation("DELETE", "/api/operator/organizations/{organizationId}/subscriptions/{id}", NoneType)
DELETE_SUBSCRIPTION: Operation[None] = Operation("DELETE", "/api/webhooks/subscriptions/{id}", NoneType, query=("organization",))
DELETE_USER_SUBSCRIPTION: Operation[None] = Operation("DELETE", "/api/operator/users/{userId}/subscriptions/{id}", NoneType)
DOCS_FILE: Operation[bytes] = Operation("GET", "/docs/{file}", bytes)
DOCS_PAGE: Operation[str] = Operation("GET", "/docs", str)
END_CURRENT_SESSION: Operation[None] = Operation("DELETE", "/api/session", NoneType)
END_ORGANIZATION_SESSION: Operation[types.SessionList] = Operation("DELETE", "/api/operator/organizations/{organizationId}/sessions/{id}", types.SessionList)
END_ORGANIZATION_SESSIONS: Operation[types.SessionList] = Operation("DELETE", "/api/operator/organizations/{organizationId}/sessions", types.SessionList)
END_SESSION: Operation[types.SessionList] = Operation("DELETE", "/api/sessions/{id}", types.SessionList, query=("organization",))
END_SESSIONS: Operation[types.SessionList] = Operation("DELETE", "/api/sessions", types.SessionList, query=("keepCurrent", "organization"))
END_USER_SESSION: Operation[types.SessionList] = Operation("DELETE", "/api/operator/users/{userId}/sessions/{id}", types.SessionList)
END_USER_SESSIONS: Operation[types.SessionList] = Operation("DELETE", "/api/operator/users/{userId}/sessions", types.SessionList)
ERROR_INDEX: Operation[str] = Operation("GET", "/docs/errors", str)
ERROR_PAGE: Operation[str] = Operation("GET", "/docs/errors/{code}", str)
EXPORT_EVENT_TYPES: Operation[Any] = Operation("GET", "/api/event-types/openapi.json", Any, query=("organization",))
FAVICON: Operation[bytes] = Operation("GET", "/favicon.ico", bytes)
FIND_ANY_EVENT_TYPE: Operation[types.EventType] = Operation("GET", "/api/operator/event-types/{name}", types.EventType)
FIND_COMMAND_LINE_CLIENT: Operation[types.CommandLineClient] = Operation("GET", "/api/command-line-client", types.CommandLineClient)
FIND_CURRENT_SESSION: Operation[types.CurrentSession] = Operation("GET", "/api/session", types.CurrentSession)
FIND_DELIVERY: Operation[types.DeliveryHistory] = Operation("GET", "/api/webhooks/deliveries/{id}", types.DeliveryHistory, query=("organization",))
FIND_EVENT: Operation[types.LoggedEvent] = Operation("GET", "/api/operator/events/{id}", types.LoggedEvent)
FIND_EVENT_TYPE: Operation[types.EventType] = Operation("GET", "/api/event-types/{name}", types.EventType, query=("organization",))
FIND_LOG_FILTER: Operation[types.LogFilter] = Operation("GET", "/api/operator/log-filter", types.LogFilter)
FIND_ORGANIZATION: Operation[types.Owner] = Operation("GET", "/api/operator/organizations/{organizationId}", types.Owner)
FIND_ORGANIZATION_DELIVERY: Operation[types.DeliveryHistory] = Operation("GET", "/api/operator/organizations/{organizationId}/deliveries/{id}", types.DeliveryHistory)
FIND_ORGANIZATION_SUBSCRIPTION: Operation[types.SubscriptionWithHealth] = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}", types.SubscriptionWithHealth)
FIND_SUBSCRIPTION: Operation[types.SubscriptionWithHealth] = Operation("GET", "/api/webhooks/subscriptions/{id}", types.SubscriptionWithHealth, query=("organization",))
FIND_SYSTEM_STATE: Operation[types.SystemState] = Operation("GET", "/api/operator/system", types.SystemState)
FIND_USER: Operation[types.Owner] = Operation("GET", "/api/operator/users/{userId}", types.Owner)
FIND_USER_DELIVERY: Operation[types.DeliveryHistory] = Operation("GET", "/api/operator/users/{userId}/deliveries/{id}", types.DeliveryHistory)
FIND_USER_SUBSCRIPTION: Operation[types.SubscriptionWithHealth] = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}", types.SubscriptionWithHealth)
FORWARD_AUTH: Operation[None] = Operation("GET", "/forward-auth", NoneType, query=("scope", "profile"))
FORWARD_AUTH_OF_PATH: Operation[None] = Operation("GET", "/forward-auth/{tail}", NoneType)
HEALTH: Operation[types.Readiness] = Operation("GET", "/healthz", types.Readiness, query=("verbose", "for"))
INTROSPECT: Operation[types.Introspection] = Operation("POST", "/api/operator/introspect", types.Introspection, has_body=True, nullable=("scopes",))
LIST_ALL_AUDIT_EVENTS: Operation[types.AuditPage] = Operation("GET", "/api/operator/audit", types.AuditPage, query=("userId", "organizationId", "actor", "action", "target", "since", "until", "cursor", "limit"))
LIST_ALL_EVENT_TYPES: Operation[types.EventTypeList] = Operation("GET", "/api/operator/event-types", types.EventTypeList)
LIST_API_KEYS: Operation[types.KeyList] = Operation("GET", "/api/api-keys", types.KeyList, query=("organization",))
LIST_AUDIT_EVENTS: Operation[types.AuditPage] = Operation("GET", "/api/audit", types.AuditPage, query=("action", "target", "since", "until", "cursor", "limit", "organization"))
LIST_DELIVERIES: Operation[types.DeliveryPage] = Operation("GET", "/api/webhooks/deliveries", types.DeliveryPage, query=("subscriptionId", "eventType", "state", "since", "until", "cursor", "limit", "organization"))
LIST_EVENT_TYPES: Operation[types.EventTypeList] = Operation("GET", "/api/event-types", types.EventTypeList, query=("organization",))
LIST_EVENTS: Operation[types.EventPage] = Operation("GET", "/api/operator/events", types.EventPage, query=("userId", "organizationId", "type", "since", "until", "cursor", "limit"))
LIST_FAILING_SUBSCRIPTIONS: Operation[types.FailingSubscriptionPage] = Operation("GET", "/api/operator/failing-subscriptions", types.FailingSubscriptionPage, query=("cursor", "limit"))
LIST_FAILURES: Operation[types.Failures] = Operation("GET", "/api/webhooks/failures", types.Failures, query=("subscriptionId", "organization"))
LIST_ORGANIZATION_API_KEYS: Operation[types.KeyList] = Operation("GET", "/api/operator/organizations/{organizationId}/keys", types.KeyList)
LIST_ORGANIZATION_AUDIT_EVENTS: Operation[types.AuditPage] = Operation("GET", "/api/operator/organizations/{organizationId}/audit", types.AuditPage, query=("action", "target", "since", "until", "cursor", "limit"))
LIST_ORGANIZATION_DELIVERIES: Operation[types.DeliveryPage] = Operation("GET", "/api/operator/organizations/{organizationId}/deliveries", types.DeliveryPage, query=("subscriptionId", "eventType", "state", "since", "until", "cursor", "limit"))
LIST_ORGANIZATION_FAILURES: Operation[types.Failures] = Operation("GET", "/api/operator/organizations/{organizationId}/failures", types.Failures, query=("subscriptionId",))
LIST_ORGANIZATION_SESSIONS: Operation[types.SessionList] = Operation("GET", "/api/operator/organizations/{organizationId}/sessions", types.SessionList)
LIST_ORGANIZATION_SUBSCRIPTIONS: Operation[types.SubscriptionPage] = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions", types.SubscriptionPage, query=("cursor", "limit", "include"))
LIST_OWNERS: Operation[types.OwnerPage] = Operation("GET", "/api/operator/owners", types.OwnerPage, query=("query", "state", "cursor", "limit"))
LIST_SESSIONS: Operation[types.SessionList] = Operation("GET", "/api/sessions", types.SessionList, query=("organization",))
LIST_SUBSCRIPTIONS: Operation[types.SubscriptionPage] = Operation("GET", "/api/webhooks/subscriptions", types.SubscriptionPage, query=("cursor", "limit", "include", "organization"))
LIST_USER_API_KEYS: Operation[types.KeyList] = Operation("GET", "/api/operator/users/{userId}/keys", types.KeyList)
LIST_USER_AUDIT_EVENTS: Operation[types.AuditPage] = Operation("GET", "/api/operator/users/{userId}/audit", types.AuditPage, query=("action", "target", "since", "until", "cursor", "limit"))
LIST_USER_DELIVERIES: Operation[types.DeliveryPage] = Operation("GET", "/api/operator/users/{userId}/deliveries", types.DeliveryPage, query=("subscriptionId", "eventType", "state", "since", "until", "cursor", "limit"))
LIST_USER_FAILURES: Operation[types.Failures] = Operation("GET", "/api/operator/users/{userId}/failures", types.Failures, query=("subscriptionId",))
LIST_USER_SESSIONS: Operation[types.SessionList] = Operation("GET", "/api/operator/users/{userId}/sessions", types.SessionList)
LIST_USER_SUBSCRIPTIONS: Operation[types.SubscriptionPage] = Operation("GET", "/api/operator/users/{userId}/subscriptions", types.SubscriptionPage, query=("cursor", "limit", "include"))
LIVE: Operation[types.Liveness] = Operation("GET", "/livez", types.Liveness)
OPENAPI_DOCUMENT: Operation[dict[str, Any]] = Operation("GET", "/openapi.json", dict[str, Any])
PUBLISH_EVENT: Operation[types.PublishedEvent] = Operation("POST", "/api/operator/events", types.PublishedEvent, has_body=True, nullable=("organizationId", "userId"), has_id=True)
PUBLISH_EVENTS: Operation[types.PublishedEvents] = Operation("POST", "/api/operator/events/batch", types.PublishedEvents, has_body=True, has_id=True)
PUT_EVENT_TYPE: Operation[types.WrittenEventType] = Operation("PUT", "/api/operator/event-types/{name}", types.WrittenEventType, has_body=True)
READY: Operation[types.Readiness] = Operation("GET", "/readyz", types.Readiness, query=("verbose", "for"))
RECOVER_ORGANIZATION_SUBSCRIPTION: Operation[types.RecoveredSubscription] = Operation("POST", "/api/operator/organizations/{organizationId}/subscriptions/{id}/recover", types.RecoveredSubscription, has_body=True)
RECOVER_SUBSCRIPTION: Operation[types.RecoveredSubscription] = Operation("POST", "/api/webhooks/subscriptions/{id}/recover", types.RecoveredSubscription, query=("organization",), has_body=True)
RECOVER_USER_SUBSCRIPTION: Operation[types.RecoveredSubscription] = Operation("POST", "/api/operator/users/{userId}/subscriptions/{id}/recover", types.RecoveredSubscription, has_body=True)
REPORT_LEAKS: Operation[types.LeaksReported] = Operation("POST", "/api/operator/leaks", types.LeaksReported, has_body=True)
RETRY_DELIVERY: Operation[types.ChangedDelivery] = Operation("POST", "/api/webhooks/deliveries/{id}/retry", types.ChangedDelivery, query=("organization",))
RETRY_FAILURES: Operation[types.RetriedFailures] = Operation("POST", "/api/webhooks/failures/retry", types.RetriedFailures, query=("organization",), has_body=True, nullable=("error", "status"))
RETRY_ORGANIZATION_DELIVERY: Operation[types.ChangedDelivery] = Operation("POST", "/api/operator/organizations/{organizationId}/deliveries/{id}/retry", types.ChangedDelivery)
RETRY_ORGANIZATION_FAILURES: Operation[types.RetriedFailures] = Operation("POST", "/api/operator/organizations/{organizationId}/failures/retry", types.RetriedFailures, has_body=True, nullable=("error", "status"))
RETRY_USER_DELIVERY: Operation[types.ChangedDelivery] = Operation("POST", "/api/operator/users/{userId}/deliveries/{id}/retry", types.ChangedDelivery)
RETRY_USER_FAILURES: Operation[types.RetriedFailures] = Operation("POST", "/api/operator/users/{userId}/failures/retry", types.RetriedFailures, has_body=True, nullable=("error", "status"))
REVOKE_API_KEY: Operation[types.KeyList] = Operation("DELETE", "/api/api-keys", types.KeyList, query=("organization",), has_body=True, nullable=("idToken",))
REVOKE_ORGANIZATION_API_KEY: Operation[types.KeyList] = Operation("DELETE", "/api/operator/organizations/{organizationId}/keys/{keyId}", types.KeyList)
REVOKE_ORGANIZATION_API_KEYS: Operation[types.KeysRevoked] = Operation("DELETE", "/api/operator/organizations/{organizationId}/keys", types.KeysRevoked, query=("createdBefore",))
REVOKE_USER_API_KEY: Operation[types.KeyList] = Operation("DELETE", "/api/operator/users/{userId}/keys/{keyId}", types.KeyList)
REVOKE_USER_API_KEYS: Operation[types.KeysRevoked] = Operation("DELETE", "/api/operator/users/{userId}/keys", types.KeysRevoked, query=("createdBefore",))
ROTATE_API_KEY: Operation[types.CreatedApiKey] = Operation("POST", "/api/api-keys/{keyId}/rotate", types.CreatedApiKey, query=("organization",), has_body=True, nullable=("idToken", "overlapSeconds"))
ROTATE_ORGANIZATION_API_KEY: Operation[types.CreatedApiKey] = Operation("POST", "/api/operator/organizations/{organizationId}/keys/{keyId}/rotate", types.CreatedApiKey, has_body=True, nullable=("overlapSeconds",))
ROTATE_ORGANIZATION_SECRET: Operation[types.SubscriptionWithSecret] = Operation("POST", "/api/operator/organizations/{organizationId}/subscriptions/{id}/rotate-secret", types.SubscriptionWithSecret, headers=("idempotency-key",), has_body=True, nullable=("overlapSeconds", "secret", "signing"))
ROTATE_SECRET: Operation[types.SubscriptionWithSecret] = Operation("POST", "/api/webhooks/subscriptions/{id}/rotate-secret", types.SubscriptionWithSecret, query=("organization",), headers=("idempotency-key",), has_body=True, nullable=("overlapSeconds", "secret", "signing"))
ROTATE_USER_API_KEY: Operation[types.CreatedApiKey] = Operation("POST", "/api/operator/users/{userId}/keys/{keyId}/rotate", types.CreatedApiKey, has_body=True, nullable=("overlapSeconds",))
ROTATE_USER_SECRET: Operation[types.SubscriptionWithSecret] = Operation("POST", "/api/operator/users/{userId}/subscriptions/{id}/rotate-secret", types.SubscriptionWithSecret, headers=("idempotency-key",), has_body=True, nullable=("overlapSeconds", "secret", "signing"))
SET_ORGANIZATION_STATE: Operation[types.Owner] = Operation("PUT", "/api/operator/organizations/{organizationId}/state", types.Owner, has_body=True)
SET_USER_STATE: Operation[types.Owner] = Operation("PUT", "/api/operator/users/{userId}/state", types.Owner, has_body=True)
SHOW_ATTEMPT_TIMES: Operation[types.AttemptTimes] = Operation("GET", "/api/webhooks/subscriptions/{id}/times", types.AttemptTimes, query=("organization",))
SHOW_DAILY_USES: Operation[types.DailyUses] = Operation("GET", "/api/api-keys/usage", types.DailyUses, query=("organization",))
SHOW_KEY_USAGE: Operation[types.KeyUsage] = Operation("GET", "/api/api-keys/{keyId}/usage", types.KeyUsage, query=("hours", "until", "organization"))
SHOW_ORGANIZATION_ATTEMPT_TIMES: Operation[types.AttemptTimes] = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}/times", types.AttemptTimes)
SHOW_ORGANIZATION_DAILY_USES: Operation[types.DailyUses] = Operation("GET", "/api/operator/organizations/{organizationId}/keys/usage", types.DailyUses)
SHOW_ORGANIZATION_KEY_USAGE: Operation[types.KeyUsage] = Operation("GET", "/api/operator/organizations/{organizationId}/keys/{keyId}/usage", types.KeyUsage, query=("hours", "until"))
SHOW_ORGANIZATION_OUTCOMES: Operation[types.Outcomes] = Operation("GET", "/api/operator/organizations/{organizationId}/outcomes", types.Outcomes, query=("hours", "until"))
SHOW_ORGANIZATION_SUBSCRIPTION_OUTCOMES: Operation[types.Outcomes] = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}/outcomes", types.Outcomes, query=("hours", "until"))
SHOW_OUTCOMES: Operation[types.Outcomes] = Operation("GET", "/api/webhooks/outcomes", types.Outcomes, query=("hours", "until", "organization"))
SHOW_SUBSCRIPTION_OUTCOMES: Operation[types.Outcomes] = Operation("GET", "/api/webhooks/subscriptions/{id}/outcomes", types.Outcomes, query=("hours", "until", "organization"))
SHOW_USER_ATTEMPT_TIMES: Operation[types.AttemptTimes] = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}/times", types.AttemptTimes)
SHOW_USER_DAILY_USES: Operation[types.DailyUses] = Operation("GET", "/api/operator/users/{userId}/keys/usage", types.DailyUses)
SHOW_USER_KEY_USAGE: Operation[types.KeyUsage] = Operation("GET", "/api/operator/users/{userId}/keys/{keyId}/usage", types.KeyUsage, query=("hours", "until"))
SHOW_USER_OUTCOMES: Operation[types.Outcomes] = Operation("GET", "/api/operator/users/{userId}/outcomes", types.Outcomes, query=("hours", "until"))
SHOW_USER_SUBSCRIPTION_OUTCOMES: Operation[types.Outcomes] = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}/outcomes", types.Outcomes, query=("hours", "until"))
SHOW_WEBHOOK_KEYS: Operation[types.PublicKeySet] = Operation("GET", "/.well-known/webhooks/{id}/jwks.json", types.PublicKeySet)
SIGN_IN: Operation[Location] = Operation("GET", "/console/login", Location, query=("next",))
SIGN_OUT: Operation[str] = Operation("POST", "/console/logout", str)
STREAM_ATTEMPTS: Operation[types.StreamedAttempt] = Operation("GET", "/api/webhooks/deliveries/stream", types.StreamedAttempt, query=("subscriptionId", "organization"), headers=("last-event-id",))
STREAM_ORGANIZATION_ATTEMPTS: Operation[types.StreamedAttempt] = Operation("GET", "/api/operator/organizations/{organizationId}/deliveries/stream", types.StreamedAttempt, query=("subscriptionId",), headers=("last-event-id",))
STREAM_USER_ATTEMPTS: Operation[types.StreamedAttempt] = Operation("GET", "/api/operator/users/{userId}/deliveries/stream", types.StreamedAttempt, query=("subscriptionId",), headers=("last-event-id",))
TEST_FILTER: Operation[types.FilterVerdict] = Operation("POST", "/api/webhooks/filters/test", types.FilterVerdict, query=("organization",), has_body=True, nullable=("event",))
TEST_ORGANIZATION_FILTER: Operation[types.FilterVerdict] = Operation("POST", "/api/operator/organizations/{organizationId}/filters/test", types.FilterVerdict, has_body=True, nullable=("event",))
TEST_ORGANIZATION_SUBSCRIPTION: Operation[types.SubscriptionTest] = Operation("POST", "/api/operator/organizations/{organizationId}/subscriptions/{id}/test", types.SubscriptionTest)
TEST_ORGANIZATION_URL: Operation[types.UrlTest] = Operation("POST", "/api/operator/organizations/{organizationId}/test", types.UrlTest, has_body=True, nullable=("auth", "headers", "secret"))
TEST_SUBSCRIPTION: Operation[types.SubscriptionTest] = Operation("POST", "/api/webhooks/subscriptions/{id}/test", types.SubscriptionTest, query=("organization",))
TEST_URL: Operation[types.UrlTest] = Operation("POST", "/api/webhooks/test", types.UrlTest, query=("organization",), has_body=True, nullable=("auth", "headers", "secret"))
TEST_USER_FILTER: Operation[types.FilterVerdict] = Operation("POST", "/api/operator/users/{userId}/filters/test", types.FilterVerdict, has_body=True, nullable=("event",))
TEST_USER_SUBSCRIPTION: Operation[types.SubscriptionTest] = Operation("POST", "/api/operator/users/{userId}/subscriptions/{id}/test", types.SubscriptionTest)
TEST_USER_URL: Operation[types.UrlTest] = Operation("POST", "/api/operator/users/{userId}/test", types.UrlTest, has_body=True, nullable=("auth", "headers", "secret"))
WHOAMI: Operation[types.Whoami] = Operation("GET", "/api/whoami", types.Whoami, query=("organization",))


class Calls(ABC):
    @abstractmethod
    def _call(self, operation: Operation[T], required: Members, optional: Members) -> T: ...

    @abstractmethod
    def _stream(self, operation: Operation[T], required: Members, optional: Members) -> Iterator[T]: ...


class AsyncCalls(ABC):
    @abstractmethod
    async def _call(self, operation: Operation[T], required: Members, optional: Members) -> T: ...

    @abstractmethod
    def _stream(self, operation: Operation[T], required: Members, optional: Members) -> AsyncIterator[T]: ...


class OrganizationOperations(Calls):
    def cancel_organization_delivery(self, organization_id: str, id: str) -> types.ChangedDelivery:
        """Cancels a delivery, for an organization."""
        return self._call(CANCEL_ORGANIZATION_DELIVERY, {"organizationId": organization_id, "id": id}, {})

    def change_organization(
        self,
        organization_id: str,
        *,
        email: str | None | Absent = ABSENT,
        max_active_keys: int | None | Absent = ABSENT,
        max_subscriptions: int | None | Absent = ABSENT,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        name: str | None | Absent = ABSENT,
    ) -> types.Owner:
        """Changes the record of an organization."""
        return self._call(
            CHANGE_ORGANIZATION,
            {"organizationId": organization_id},
            {"email": email, "maxActiveKeys": max_active_keys, "maxSubscriptions": max_subscriptions, "metadata": metadata, "name": name},
        )

    def change_organization_api_key(
        self,
        organization_id: str,
        key_id: str,
        *,
        disabled: bool | None = None,
        expires_at: datetime | None = None,
        label: str | None = None,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        rate_limit: str | None | Absent = ABSENT,
    ) -> types.KeyRecord:
        """Changes an API key, for an organization."""
        return self._call(
            CHANGE_ORGANIZATION_API_KEY,
            {"organizationId": organization_id, "keyId": key_id},
            {"disabled": disabled, "expiresAt": expires_at, "label": label, "metadata": metadata, "rateLimit": rate_limit},
        )

    def change_organization_subscription(
        self,
        organization_id: str,
        id: str,
        *,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None = None,
        enabled: bool | None = None,
        events: Sequence[str] | None = None,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        url: str | None = None,
    ) -> types.ChangedSubscription:
        """Changes a webhook subscription, for an organization."""
        return self._call(
            CHANGE_ORGANIZATION_SUBSCRIPTION,
            {"organizationId": organization_id, "id": id},
            {"auth": auth, "description": description, "enabled": enabled, "events": events, "filter": filter, "headers": headers, "url": url},
        )

    def count_organization_recoverable(
        self,
        organization_id: str,
        id: str,
        *,
        since: datetime,
    ) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry, for support work."""
        return self._call(
            COUNT_ORGANIZATION_RECOVERABLE,
            {"organizationId": organization_id, "id": id, "since": since},
            {},
        )

    def create_organization_api_key(
        self,
        organization_id: str,
        *,
        label: str,
        expires_at: datetime | None | Absent = ABSENT,
        metadata: dict[str, Any] | None = None,
        rate_limit: str | None | Absent = ABSENT,
        scopes: Sequence[str] | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Creates an API key, for an organization."""
        return self._call(
            CREATE_ORGANIZATION_API_KEY,
            {"organizationId": organization_id, "label": label},
            {"expiresAt": expires_at, "metadata": metadata, "rateLimit": rate_limit, "scopes": scopes},
        )

    def create_organization_subscription(
        self,
        organization_id: str,
        *,
        events: Sequence[str],
        url: str,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Creates a webhook subscription, for an organization."""
        return self._call(
            CREATE_ORGANIZATION_SUBSCRIPTION,
            {"organizationId": organization_id, "events": events, "url": url},
            {"auth": auth, "description": description, "filter": filter, "headers": headers, "secret": secret, "signing": signing},
        )

    def delete_organization_subscription(self, organization_id: str, id: str) -> None:
        """Deletes a webhook subscription, for an organization."""
        return self._call(DELETE_ORGANIZATION_SUBSCRIPTION, {"organizationId": organization_id, "id": id}, {})

    def end_organization_session(self, organization_id: str, id: str) -> types.SessionList:
        """Ends one session of the organization, for support work."""
        return self._call(END_ORGANIZATION_SESSION, {"organizationId": organization_id, "id": id}, {})

    def end_organization_sessions(self, organization_id: str) -> types.SessionList:
        """Ends all sessions of the organization, for support work."""
        return self._call(END_ORGANIZATION_SESSIONS, {"organizationId": organization_id}, {})

    def find_organization(self, organization_id: str) -> types.Owner:
        """Shows the record of an organization."""
        return self._call(FIND_ORGANIZATION, {"organizationId": organization_id}, {})

    def find_organization_delivery(self, organization_id: str, id: str) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt, for support work."""
        return self._call(FIND_ORGANIZATION_DELIVERY, {"organizationId": organization_id, "id": id}, {})

    def find_organization_subscription(self, organization_id: str, id: str) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health, for support work."""
        return self._call(FIND_ORGANIZATION_SUBSCRIPTION, {"organizationId": organization_id, "id": id}, {})

    def list_organization_api_keys(self, organization_id: str) -> types.KeyList:
        """Lists the organization's API keys, for support work."""
        return self._call(LIST_ORGANIZATION_API_KEYS, {"organizationId": organization_id}, {})

    def list_organization_audit_events(
        self,
        organization_id: str,
        *,
        action: Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspended", "owner.activated", "event_type.changed"] | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[types.AuditPage, types.AuditEvent]:
        """Lists who changed what of the organization, newest first, for support work."""
        return Pages(
            self._call,
            "events",
            LIST_ORGANIZATION_AUDIT_EVENTS,
            {"organizationId": organization_id},
            {"action": action, "target": target, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_organization_deliveries(
        self,
        organization_id: str,
        *,
        subscription_id: str | None = None,
        event_type: str | None = None,
        state: Literal["waiting", "sending", "delivered", "failed", "cancelled"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the organization's webhook subscriptions, newest first, for support work."""
        return Pages(
            self._call,
            "deliveries",
            LIST_ORGANIZATION_DELIVERIES,
            {"organizationId": organization_id},
            {"subscriptionId": subscription_id, "eventType": event_type, "state": state, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_organization_failures(
        self,
        organization_id: str,
        *,
        subscription_id: str | None = None,
    ) -> types.Failures:
        """Lists the organization's failed deliveries, grouped by cause, for support work."""
        return self._call(
            LIST_ORGANIZATION_FAILURES,
            {"organizationId": organization_id},
            {"subscriptionId": subscription_id},
        )

    def list_organization_sessions(self, organization_id: str) -> types.SessionList:
        """Lists the sessions of the organization, for support work."""
        return self._call(LIST_ORGANIZATION_SESSIONS, {"organizationId": organization_id}, {})

    def list_organization_subscriptions(
        self,
        organization_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        include: Literal["health"] | None = None,
    ) -> Pages[types.SubscriptionPage, types.Subscription]:
        """Lists the organization's webhook subscriptions, newest first, for support work."""
        return Pages(
            self._call,
            "subscriptions",
            LIST_ORGANIZATION_SUBSCRIPTIONS,
            {"organizationId": organization_id},
            {"cursor": cursor, "limit": limit, "include": include},
        )

    def recover_organization_subscription(
        self,
        organization_id: str,
        id: str,
        *,
        since: datetime,
    ) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries, for support work."""
        return self._call(
            RECOVER_ORGANIZATION_SUBSCRIPTION,
            {"organizationId": organization_id, "id": id, "since": since},
            {},
        )

    def retry_organization_delivery(self, organization_id: str, id: str) -> types.ChangedDelivery:
        """Retries a delivery now, for support work."""
        return self._call(RETRY_ORGANIZATION_DELIVERY, {"organizationId": organization_id, "id": id}, {})

    def retry_organization_failures(
        self,
        organization_id: str,
        *,
        subscription_id: str,
        error: Literal["address_refused", "dns", "connect", "tls", "timeout", "redirect", "status", "too_slow"] | None | Absent = ABSENT,
        status: int | None | Absent = ABSENT,
    ) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause, for support work."""
        return self._call(
            RETRY_ORGANIZATION_FAILURES,
            {"organizationId": organization_id, "subscriptionId": subscription_id},
            {"error": error, "status": status},
        )

    def revoke_organization_api_key(self, organization_id: str, key_id: str) -> types.KeyList:
        """Revokes an organization's API key, for support work."""
        return self._call(REVOKE_ORGANIZATION_API_KEY, {"organizationId": organization_id, "keyId": key_id}, {})

    def revoke_organization_api_keys(
        self,
        organization_id: str,
        *,
        created_before: datetime | None = None,
    ) -> types.KeysRevoked:
        """Revokes all API keys of an organization, for support work."""
        return self._call(
            REVOKE_ORGANIZATION_API_KEYS,
            {"organizationId": organization_id},
            {"createdBefore": created_before},
        )

    def rotate_organization_api_key(
        self,
        organization_id: str,
        key_id: str,
        *,
        overlap_seconds: int | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Replaces an API key by a new one, for an organization."""
        return self._call(
            ROTATE_ORGANIZATION_API_KEY,
            {"organizationId": organization_id, "keyId": key_id},
            {"overlapSeconds": overlap_seconds},
        )

    def rotate_organization_secret(
        self,
        organization_id: str,
        id: str,
        *,
        idempotency_key: str | None = None,
        overlap_seconds: int | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both, for an organization."""
        return self._call(
            ROTATE_ORGANIZATION_SECRET,
            {"organizationId": organization_id, "id": id},
            {"idempotency-key": idempotency_key, "overlapSeconds": overlap_seconds, "secret": secret, "signing": signing},
        )

    def set_organization_state(
        self,
        organization_id: str,
        *,
        state: Literal["active", "suspended"],
        reason: str | None = None,
    ) -> types.Owner:
        """Suspends an organization, or makes an organization active again."""
        return self._call(
            SET_ORGANIZATION_STATE,
            {"organizationId": organization_id, "state": state},
            {"reason": reason},
        )

    def show_organization_attempt_times(self, organization_id: str, id: str) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took, for support work."""
        return self._call(SHOW_ORGANIZATION_ATTEMPT_TIMES, {"organizationId": organization_id, "id": id}, {})

    def show_organization_daily_uses(self, organization_id: str) -> types.DailyUses:
        """Shows how often the organization's active API keys were used in each of the last 30 days, for support
        work.
        """
        return self._call(SHOW_ORGANIZATION_DAILY_USES, {"organizationId": organization_id}, {})

    def show_organization_key_usage(
        self,
        organization_id: str,
        key_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour, for support work."""
        return self._call(
            SHOW_ORGANIZATION_KEY_USAGE,
            {"organizationId": organization_id, "keyId": key_id},
            {"hours": hours, "until": until},
        )

    def show_organization_outcomes(
        self,
        organization_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the organization's subscriptions ended, by the hour, for
        support work.
        """
        return self._call(
            SHOW_ORGANIZATION_OUTCOMES,
            {"organizationId": organization_id},
            {"hours": hours, "until": until},
        )

    def show_organization_subscription_outcomes(
        self,
        organization_id: str,
        id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour, for support work."""
        return self._call(
            SHOW_ORGANIZATION_SUBSCRIPTION_OUTCOMES,
            {"organizationId": organization_id, "id": id},
            {"hours": hours, "until": until},
        )

    def stream_organization_attempts(
        self,
        organization_id: str,
        *,
        subscription_id: str | None = None,
        last_event_id: str | None = None,
    ) -> Iterator[types.StreamedAttempt]:
        """Streams attempts as they end, for support work."""
        return self._stream(
            STREAM_ORGANIZATION_ATTEMPTS,
            {"organizationId": organization_id},
            {"subscriptionId": subscription_id, "last-event-id": last_event_id},
        )

    def test_organization_filter(
        self,
        organization_id: str,
        *,
        filter: dict[str, Any],
        data: Any = None,
        event: dict[str, Any] | None | Absent = ABSENT,
    ) -> types.FilterVerdict:
        """Tests a filter, for an organization."""
        return self._call(
            TEST_ORGANIZATION_FILTER,
            {"organizationId": organization_id, "filter": filter},
            {"data": data, "event": event},
        )

    def test_organization_subscription(self, organization_id: str, id: str) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription, for an organization."""
        return self._call(TEST_ORGANIZATION_SUBSCRIPTION, {"organizationId": organization_id, "id": id}, {})

    def test_organization_url(
        self,
        organization_id: str,
        *,
        url: str,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
    ) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription, for an organization."""
        return self._call(
            TEST_ORGANIZATION_URL,
            {"organizationId": organization_id, "url": url},
            {"auth": auth, "headers": headers, "secret": secret},
        )


class AsyncOrganizationOperations(AsyncCalls):
    async def cancel_organization_delivery(self, organization_id: str, id: str) -> types.ChangedDelivery:
        """Cancels a delivery, for an organization."""
        return await self._call(CANCEL_ORGANIZATION_DELIVERY, {"organizationId": organization_id, "id": id}, {})

    async def change_organization(
        self,
        organization_id: str,
        *,
        email: str | None | Absent = ABSENT,
        max_active_keys: int | None | Absent = ABSENT,
        max_subscriptions: int | None | Absent = ABSENT,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        name: str | None | Absent = ABSENT,
    ) -> types.Owner:
        """Changes the record of an organization."""
        return await self._call(
            CHANGE_ORGANIZATION,
            {"organizationId": organization_id},
            {"email": email, "maxActiveKeys": max_active_keys, "maxSubscriptions": max_subscriptions, "metadata": metadata, "name": name},
        )

    async def change_organization_api_key(
        self,
        organization_id: str,
        key_id: str,
        *,
        disabled: bool | None = None,
        expires_at: datetime | None = None,
        label: str | None = None,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        rate_limit: str | None | Absent = ABSENT,
    ) -> types.KeyRecord:
        """Changes an API key, for an organization."""
        return await self._call(
            CHANGE_ORGANIZATION_API_KEY,
            {"organizationId": organization_id, "keyId": key_id},
            {"disabled": disabled, "expiresAt": expires_at, "label": label, "metadata": metadata, "rateLimit": rate_limit},
        )

    async def change_organization_subscription(
        self,
        organization_id: str,
        id: str,
        *,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None = None,
        enabled: bool | None = None,
        events: Sequence[str] | None = None,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        url: str | None = None,
    ) -> types.ChangedSubscription:
        """Changes a webhook subscription, for an organization."""
        return await self._call(
            CHANGE_ORGANIZATION_SUBSCRIPTION,
            {"organizationId": organization_id, "id": id},
            {"auth": auth, "description": description, "enabled": enabled, "events": events, "filter": filter, "headers": headers, "url": url},
        )

    async def count_organization_recoverable(
        self,
        organization_id: str,
        id: str,
        *,
        since: datetime,
    ) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry, for support work."""
        return await self._call(
            COUNT_ORGANIZATION_RECOVERABLE,
            {"organizationId": organization_id, "id": id, "since": since},
            {},
        )

    async def create_organization_api_key(
        self,
        organization_id: str,
        *,
        label: str,
        expires_at: datetime | None | Absent = ABSENT,
        metadata: dict[str, Any] | None = None,
        rate_limit: str | None | Absent = ABSENT,
        scopes: Sequence[str] | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Creates an API key, for an organization."""
        return await self._call(
            CREATE_ORGANIZATION_API_KEY,
            {"organizationId": organization_id, "label": label},
            {"expiresAt": expires_at, "metadata": metadata, "rateLimit": rate_limit, "scopes": scopes},
        )

    async def create_organization_subscription(
        self,
        organization_id: str,
        *,
        events: Sequence[str],
        url: str,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Creates a webhook subscription, for an organization."""
        return await self._call(
            CREATE_ORGANIZATION_SUBSCRIPTION,
            {"organizationId": organization_id, "events": events, "url": url},
            {"auth": auth, "description": description, "filter": filter, "headers": headers, "secret": secret, "signing": signing},
        )

    async def delete_organization_subscription(self, organization_id: str, id: str) -> None:
        """Deletes a webhook subscription, for an organization."""
        return await self._call(DELETE_ORGANIZATION_SUBSCRIPTION, {"organizationId": organization_id, "id": id}, {})

    async def end_organization_session(self, organization_id: str, id: str) -> types.SessionList:
        """Ends one session of the organization, for support work."""
        return await self._call(END_ORGANIZATION_SESSION, {"organizationId": organization_id, "id": id}, {})

    async def end_organization_sessions(self, organization_id: str) -> types.SessionList:
        """Ends all sessions of the organization, for support work."""
        return await self._call(END_ORGANIZATION_SESSIONS, {"organizationId": organization_id}, {})

    async def find_organization(self, organization_id: str) -> types.Owner:
        """Shows the record of an organization."""
        return await self._call(FIND_ORGANIZATION, {"organizationId": organization_id}, {})

    async def find_organization_delivery(self, organization_id: str, id: str) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt, for support work."""
        return await self._call(FIND_ORGANIZATION_DELIVERY, {"organizationId": organization_id, "id": id}, {})

    async def find_organization_subscription(self, organization_id: str, id: str) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health, for support work."""
        return await self._call(FIND_ORGANIZATION_SUBSCRIPTION, {"organizationId": organization_id, "id": id}, {})

    async def list_organization_api_keys(self, organization_id: str) -> types.KeyList:
        """Lists the organization's API keys, for support work."""
        return await self._call(LIST_ORGANIZATION_API_KEYS, {"organizationId": organization_id}, {})

    def list_organization_audit_events(
        self,
        organization_id: str,
        *,
        action: Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspended", "owner.activated", "event_type.changed"] | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.AuditPage, types.AuditEvent]:
        """Lists who changed what of the organization, newest first, for support work."""
        return AsyncPages(
            self._call,
            "events",
            LIST_ORGANIZATION_AUDIT_EVENTS,
            {"organizationId": organization_id},
            {"action": action, "target": target, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_organization_deliveries(
        self,
        organization_id: str,
        *,
        subscription_id: str | None = None,
        event_type: str | None = None,
        state: Literal["waiting", "sending", "delivered", "failed", "cancelled"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the organization's webhook subscriptions, newest first, for support work."""
        return AsyncPages(
            self._call,
            "deliveries",
            LIST_ORGANIZATION_DELIVERIES,
            {"organizationId": organization_id},
            {"subscriptionId": subscription_id, "eventType": event_type, "state": state, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    async def list_organization_failures(
        self,
        organization_id: str,
        *,
        subscription_id: str | None = None,
    ) -> types.Failures:
        """Lists the organization's failed deliveries, grouped by cause, for support work."""
        return await self._call(
            LIST_ORGANIZATION_FAILURES,
            {"organizationId": organization_id},
            {"subscriptionId": subscription_id},
        )

    async def list_organization_sessions(self, organization_id: str) -> types.SessionList:
        """Lists the sessions of the organization, for support work."""
        return await self._call(LIST_ORGANIZATION_SESSIONS, {"organizationId": organization_id}, {})

    def list_organization_subscriptions(
        self,
        organization_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        include: Literal["health"] | None = None,
    ) -> AsyncPages[types.SubscriptionPage, types.Subscription]:
        """Lists the organization's webhook subscriptions, newest first, for support work."""
        return AsyncPages(
            self._call,
            "subscriptions",
            LIST_ORGANIZATION_SUBSCRIPTIONS,
            {"organizationId": organization_id},
            {"cursor": cursor, "limit": limit, "include": include},
        )

    async def recover_organization_subscription(
        self,
        organization_id: str,
        id: str,
        *,
        since: datetime,
    ) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries, for support work."""
        return await self._call(
            RECOVER_ORGANIZATION_SUBSCRIPTION,
            {"organizationId": organization_id, "id": id, "since": since},
            {},
        )

    async def retry_organization_delivery(self, organization_id: str, id: str) -> types.ChangedDelivery:
        """Retries a delivery now, for support work."""
        return await self._call(RETRY_ORGANIZATION_DELIVERY, {"organizationId": organization_id, "id": id}, {})

    async def retry_organization_failures(
        self,
        organization_id: str,
        *,
        subscription_id: str,
        error: Literal["address_refused", "dns", "connect", "tls", "timeout", "redirect", "status", "too_slow"] | None | Absent = ABSENT,
        status: int | None | Absent = ABSENT,
    ) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause, for support work."""
        return await self._call(
            RETRY_ORGANIZATION_FAILURES,
            {"organizationId": organization_id, "subscriptionId": subscription_id},
            {"error": error, "status": status},
        )

    async def revoke_organization_api_key(self, organization_id: str, key_id: str) -> types.KeyList:
        """Revokes an organization's API key, for support work."""
        return await self._call(REVOKE_ORGANIZATION_API_KEY, {"organizationId": organization_id, "keyId": key_id}, {})

    async def revoke_organization_api_keys(
        self,
        organization_id: str,
        *,
        created_before: datetime | None = None,
    ) -> types.KeysRevoked:
        """Revokes all API keys of an organization, for support work."""
        return await self._call(
            REVOKE_ORGANIZATION_API_KEYS,
            {"organizationId": organization_id},
            {"createdBefore": created_before},
        )

    async def rotate_organization_api_key(
        self,
        organization_id: str,
        key_id: str,
        *,
        overlap_seconds: int | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Replaces an API key by a new one, for an organization."""
        return await self._call(
            ROTATE_ORGANIZATION_API_KEY,
            {"organizationId": organization_id, "keyId": key_id},
            {"overlapSeconds": overlap_seconds},
        )

    async def rotate_organization_secret(
        self,
        organization_id: str,
        id: str,
        *,
        idempotency_key: str | None = None,
        overlap_seconds: int | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both, for an organization."""
        return await self._call(
            ROTATE_ORGANIZATION_SECRET,
            {"organizationId": organization_id, "id": id},
            {"idempotency-key": idempotency_key, "overlapSeconds": overlap_seconds, "secret": secret, "signing": signing},
        )

    async def set_organization_state(
        self,
        organization_id: str,
        *,
        state: Literal["active", "suspended"],
        reason: str | None = None,
    ) -> types.Owner:
        """Suspends an organization, or makes an organization active again."""
        return await self._call(
            SET_ORGANIZATION_STATE,
            {"organizationId": organization_id, "state": state},
            {"reason": reason},
        )

    async def show_organization_attempt_times(self, organization_id: str, id: str) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took, for support work."""
        return await self._call(SHOW_ORGANIZATION_ATTEMPT_TIMES, {"organizationId": organization_id, "id": id}, {})

    async def show_organization_daily_uses(self, organization_id: str) -> types.DailyUses:
        """Shows how often the organization's active API keys were used in each of the last 30 days, for support
        work.
        """
        return await self._call(SHOW_ORGANIZATION_DAILY_USES, {"organizationId": organization_id}, {})

    async def show_organization_key_usage(
        self,
        organization_id: str,
        key_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour, for support work."""
        return await self._call(
            SHOW_ORGANIZATION_KEY_USAGE,
            {"organizationId": organization_id, "keyId": key_id},
            {"hours": hours, "until": until},
        )

    async def show_organization_outcomes(
        self,
        organization_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the organization's subscriptions ended, by the hour, for
        support work.
        """
        return await self._call(
            SHOW_ORGANIZATION_OUTCOMES,
            {"organizationId": organization_id},
            {"hours": hours, "until": until},
        )

    async def show_organization_subscription_outcomes(
        self,
        organization_id: str,
        id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour, for support work."""
        return await self._call(
            SHOW_ORGANIZATION_SUBSCRIPTION_OUTCOMES,
            {"organizationId": organization_id, "id": id},
            {"hours": hours, "until": until},
        )

    def stream_organization_attempts(
        self,
        organization_id: str,
        *,
        subscription_id: str | None = None,
        last_event_id: str | None = None,
    ) -> AsyncIterator[types.StreamedAttempt]:
        """Streams attempts as they end, for support work."""
        return self._stream(
            STREAM_ORGANIZATION_ATTEMPTS,
            {"organizationId": organization_id},
            {"subscriptionId": subscription_id, "last-event-id": last_event_id},
        )

    async def test_organization_filter(
        self,
        organization_id: str,
        *,
        filter: dict[str, Any],
        data: Any = None,
        event: dict[str, Any] | None | Absent = ABSENT,
    ) -> types.FilterVerdict:
        """Tests a filter, for an organization."""
        return await self._call(
            TEST_ORGANIZATION_FILTER,
            {"organizationId": organization_id, "filter": filter},
            {"data": data, "event": event},
        )

    async def test_organization_subscription(self, organization_id: str, id: str) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription, for an organization."""
        return await self._call(TEST_ORGANIZATION_SUBSCRIPTION, {"organizationId": organization_id, "id": id}, {})

    async def test_organization_url(
        self,
        organization_id: str,
        *,
        url: str,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
    ) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription, for an organization."""
        return await self._call(
            TEST_ORGANIZATION_URL,
            {"organizationId": organization_id, "url": url},
            {"auth": auth, "headers": headers, "secret": secret},
        )


class UserOperations(Calls):
    def cancel_user_delivery(self, user_id: str, id: str) -> types.ChangedDelivery:
        """Cancels a delivery, for a user."""
        return self._call(CANCEL_USER_DELIVERY, {"userId": user_id, "id": id}, {})

    def change_user(
        self,
        user_id: str,
        *,
        email: str | None | Absent = ABSENT,
        max_active_keys: int | None | Absent = ABSENT,
        max_subscriptions: int | None | Absent = ABSENT,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        name: str | None | Absent = ABSENT,
    ) -> types.Owner:
        """Changes the record of a user."""
        return self._call(
            CHANGE_USER,
            {"userId": user_id},
            {"email": email, "maxActiveKeys": max_active_keys, "maxSubscriptions": max_subscriptions, "metadata": metadata, "name": name},
        )

    def change_user_api_key(
        self,
        user_id: str,
        key_id: str,
        *,
        disabled: bool | None = None,
        expires_at: datetime | None = None,
        label: str | None = None,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        rate_limit: str | None | Absent = ABSENT,
    ) -> types.KeyRecord:
        """Changes an API key, for a user."""
        return self._call(
            CHANGE_USER_API_KEY,
            {"userId": user_id, "keyId": key_id},
            {"disabled": disabled, "expiresAt": expires_at, "label": label, "metadata": metadata, "rateLimit": rate_limit},
        )

    def change_user_subscription(
        self,
        user_id: str,
        id: str,
        *,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None = None,
        enabled: bool | None = None,
        events: Sequence[str] | None = None,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        url: str | None = None,
    ) -> types.ChangedSubscription:
        """Changes a webhook subscription, for a user."""
        return self._call(
            CHANGE_USER_SUBSCRIPTION,
            {"userId": user_id, "id": id},
            {"auth": auth, "description": description, "enabled": enabled, "events": events, "filter": filter, "headers": headers, "url": url},
        )

    def count_user_recoverable(self, user_id: str, id: str, *, since: datetime) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry, for support work."""
        return self._call(COUNT_USER_RECOVERABLE, {"userId": user_id, "id": id, "since": since}, {})

    def create_user_api_key(
        self,
        user_id: str,
        *,
        label: str,
        expires_at: datetime | None | Absent = ABSENT,
        metadata: dict[str, Any] | None = None,
        rate_limit: str | None | Absent = ABSENT,
        scopes: Sequence[str] | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Creates an API key, for a user."""
        return self._call(
            CREATE_USER_API_KEY,
            {"userId": user_id, "label": label},
            {"expiresAt": expires_at, "metadata": metadata, "rateLimit": rate_limit, "scopes": scopes},
        )

    def create_user_subscription(
        self,
        user_id: str,
        *,
        events: Sequence[str],
        url: str,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Creates a webhook subscription, for a user."""
        return self._call(
            CREATE_USER_SUBSCRIPTION,
            {"userId": user_id, "events": events, "url": url},
            {"auth": auth, "description": description, "filter": filter, "headers": headers, "secret": secret, "signing": signing},
        )

    def delete_user_subscription(self, user_id: str, id: str) -> None:
        """Deletes a webhook subscription, for a user."""
        return self._call(DELETE_USER_SUBSCRIPTION, {"userId": user_id, "id": id}, {})

    def end_user_session(self, user_id: str, id: str) -> types.SessionList:
        """Ends one session of the user, for support work."""
        return self._call(END_USER_SESSION, {"userId": user_id, "id": id}, {})

    def end_user_sessions(self, user_id: str) -> types.SessionList:
        """Ends all sessions of the user, for support work."""
        return self._call(END_USER_SESSIONS, {"userId": user_id}, {})

    def find_user(self, user_id: str) -> types.Owner:
        """Shows the record of a user."""
        return self._call(FIND_USER, {"userId": user_id}, {})

    def find_user_delivery(self, user_id: str, id: str) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt, for support work."""
        return self._call(FIND_USER_DELIVERY, {"userId": user_id, "id": id}, {})

    def find_user_subscription(self, user_id: str, id: str) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health, for support work."""
        return self._call(FIND_USER_SUBSCRIPTION, {"userId": user_id, "id": id}, {})

    def list_user_api_keys(self, user_id: str) -> types.KeyList:
        """Lists the user's API keys, for support work."""
        return self._call(LIST_USER_API_KEYS, {"userId": user_id}, {})

    def list_user_audit_events(
        self,
        user_id: str,
        *,
        action: Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspended", "owner.activated", "event_type.changed"] | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[types.AuditPage, types.AuditEvent]:
        """Lists who changed what of the user, newest first, for support work."""
        return Pages(
            self._call,
            "events",
            LIST_USER_AUDIT_EVENTS,
            {"userId": user_id},
            {"action": action, "target": target, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_user_deliveries(
        self,
        user_id: str,
        *,
        subscription_id: str | None = None,
        event_type: str | None = None,
        state: Literal["waiting", "sending", "delivered", "failed", "cancelled"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the user's webhook subscriptions, newest first, for support work."""
        return Pages(
            self._call,
            "deliveries",
            LIST_USER_DELIVERIES,
            {"userId": user_id},
            {"subscriptionId": subscription_id, "eventType": event_type, "state": state, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_user_failures(self, user_id: str, *, subscription_id: str | None = None) -> types.Failures:
        """Lists the user's failed deliveries, grouped by cause, for support work."""
        return self._call(LIST_USER_FAILURES, {"userId": user_id}, {"subscriptionId": subscription_id})

    def list_user_sessions(self, user_id: str) -> types.SessionList:
        """Lists the sessions of the user, for support work."""
        return self._call(LIST_USER_SESSIONS, {"userId": user_id}, {})

    def list_user_subscriptions(
        self,
        user_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        include: Literal["health"] | None = None,
    ) -> Pages[types.SubscriptionPage, types.Subscription]:
        """Lists the user's webhook subscriptions, newest first, for support work."""
        return Pages(
            self._call,
            "subscriptions",
            LIST_USER_SUBSCRIPTIONS,
            {"userId": user_id},
            {"cursor": cursor, "limit": limit, "include": include},
        )

    def recover_user_subscription(self, user_id: str, id: str, *, since: datetime) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries, for support work."""
        return self._call(RECOVER_USER_SUBSCRIPTION, {"userId": user_id, "id": id, "since": since}, {})

    def retry_user_delivery(self, user_id: str, id: str) -> types.ChangedDelivery:
        """Retries a delivery now, for support work."""
        return self._call(RETRY_USER_DELIVERY, {"userId": user_id, "id": id}, {})

    def retry_user_failures(
        self,
        user_id: str,
        *,
        subscription_id: str,
        error: Literal["address_refused", "dns", "connect", "tls", "timeout", "redirect", "status", "too_slow"] | None | Absent = ABSENT,
        status: int | None | Absent = ABSENT,
    ) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause, for support work."""
        return self._call(
            RETRY_USER_FAILURES,
            {"userId": user_id, "subscriptionId": subscription_id},
            {"error": error, "status": status},
        )

    def revoke_user_api_key(self, user_id: str, key_id: str) -> types.KeyList:
        """Revokes a user's API key, for support work."""
        return self._call(REVOKE_USER_API_KEY, {"userId": user_id, "keyId": key_id}, {})

    def revoke_user_api_keys(self, user_id: str, *, created_before: datetime | None = None) -> types.KeysRevoked:
        """Revokes all API keys of a user, for support work."""
        return self._call(REVOKE_USER_API_KEYS, {"userId": user_id}, {"createdBefore": created_before})

    def rotate_user_api_key(
        self,
        user_id: str,
        key_id: str,
        *,
        overlap_seconds: int | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Replaces an API key by a new one, for a user."""
        return self._call(
            ROTATE_USER_API_KEY,
            {"userId": user_id, "keyId": key_id},
            {"overlapSeconds": overlap_seconds},
        )

    def rotate_user_secret(
        self,
        user_id: str,
        id: str,
        *,
        idempotency_key: str | None = None,
        overlap_seconds: int | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both, for a user."""
        return self._call(
            ROTATE_USER_SECRET,
            {"userId": user_id, "id": id},
            {"idempotency-key": idempotency_key, "overlapSeconds": overlap_seconds, "secret": secret, "signing": signing},
        )

    def set_user_state(
        self,
        user_id: str,
        *,
        state: Literal["active", "suspended"],
        reason: str | None = None,
    ) -> types.Owner:
        """Suspends a user, or makes a user active again."""
        return self._call(SET_USER_STATE, {"userId": user_id, "state": state}, {"reason": reason})

    def show_user_attempt_times(self, user_id: str, id: str) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took, for support work."""
        return self._call(SHOW_USER_ATTEMPT_TIMES, {"userId": user_id, "id": id}, {})

    def show_user_daily_uses(self, user_id: str) -> types.DailyUses:
        """Shows how often the user's active API keys were used in each of the last 30 days, for support work."""
        return self._call(SHOW_USER_DAILY_USES, {"userId": user_id}, {})

    def show_user_key_usage(
        self,
        user_id: str,
        key_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour, for support work."""
        return self._call(SHOW_USER_KEY_USAGE, {"userId": user_id, "keyId": key_id}, {"hours": hours, "until": until})

    def show_user_outcomes(
        self,
        user_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the user's subscriptions ended, by the hour, for support
        work.
        """
        return self._call(SHOW_USER_OUTCOMES, {"userId": user_id}, {"hours": hours, "until": until})

    def show_user_subscription_outcomes(
        self,
        user_id: str,
        id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour, for support work."""
        return self._call(
            SHOW_USER_SUBSCRIPTION_OUTCOMES,
            {"userId": user_id, "id": id},
            {"hours": hours, "until": until},
        )

    def stream_user_attempts(
        self,
        user_id: str,
        *,
        subscription_id: str | None = None,
        last_event_id: str | None = None,
    ) -> Iterator[types.StreamedAttempt]:
        """Streams attempts as they end, for support work."""
        return self._stream(
            STREAM_USER_ATTEMPTS,
            {"userId": user_id},
            {"subscriptionId": subscription_id, "last-event-id": last_event_id},
        )

    def test_user_filter(
        self,
        user_id: str,
        *,
        filter: dict[str, Any],
        data: Any = None,
        event: dict[str, Any] | None | Absent = ABSENT,
    ) -> types.FilterVerdict:
        """Tests a filter, for a user."""
        return self._call(TEST_USER_FILTER, {"userId": user_id, "filter": filter}, {"data": data, "event": event})

    def test_user_subscription(self, user_id: str, id: str) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription, for a user."""
        return self._call(TEST_USER_SUBSCRIPTION, {"userId": user_id, "id": id}, {})

    def test_user_url(
        self,
        user_id: str,
        *,
        url: str,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
    ) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription, for a user."""
        return self._call(
            TEST_USER_URL,
            {"userId": user_id, "url": url},
            {"auth": auth, "headers": headers, "secret": secret},
        )


class AsyncUserOperations(AsyncCalls):
    async def cancel_user_delivery(self, user_id: str, id: str) -> types.ChangedDelivery:
        """Cancels a delivery, for a user."""
        return await self._call(CANCEL_USER_DELIVERY, {"userId": user_id, "id": id}, {})

    async def change_user(
        self,
        user_id: str,
        *,
        email: str | None | Absent = ABSENT,
        max_active_keys: int | None | Absent = ABSENT,
        max_subscriptions: int | None | Absent = ABSENT,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        name: str | None | Absent = ABSENT,
    ) -> types.Owner:
        """Changes the record of a user."""
        return await self._call(
            CHANGE_USER,
            {"userId": user_id},
            {"email": email, "maxActiveKeys": max_active_keys, "maxSubscriptions": max_subscriptions, "metadata": metadata, "name": name},
        )

    async def change_user_api_key(
        self,
        user_id: str,
        key_id: str,
        *,
        disabled: bool | None = None,
        expires_at: datetime | None = None,
        label: str | None = None,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        rate_limit: str | None | Absent = ABSENT,
    ) -> types.KeyRecord:
        """Changes an API key, for a user."""
        return await self._call(
            CHANGE_USER_API_KEY,
            {"userId": user_id, "keyId": key_id},
            {"disabled": disabled, "expiresAt": expires_at, "label": label, "metadata": metadata, "rateLimit": rate_limit},
        )

    async def change_user_subscription(
        self,
        user_id: str,
        id: str,
        *,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None = None,
        enabled: bool | None = None,
        events: Sequence[str] | None = None,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        url: str | None = None,
    ) -> types.ChangedSubscription:
        """Changes a webhook subscription, for a user."""
        return await self._call(
            CHANGE_USER_SUBSCRIPTION,
            {"userId": user_id, "id": id},
            {"auth": auth, "description": description, "enabled": enabled, "events": events, "filter": filter, "headers": headers, "url": url},
        )

    async def count_user_recoverable(self, user_id: str, id: str, *, since: datetime) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry, for support work."""
        return await self._call(COUNT_USER_RECOVERABLE, {"userId": user_id, "id": id, "since": since}, {})

    async def create_user_api_key(
        self,
        user_id: str,
        *,
        label: str,
        expires_at: datetime | None | Absent = ABSENT,
        metadata: dict[str, Any] | None = None,
        rate_limit: str | None | Absent = ABSENT,
        scopes: Sequence[str] | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Creates an API key, for a user."""
        return await self._call(
            CREATE_USER_API_KEY,
            {"userId": user_id, "label": label},
            {"expiresAt": expires_at, "metadata": metadata, "rateLimit": rate_limit, "scopes": scopes},
        )

    async def create_user_subscription(
        self,
        user_id: str,
        *,
        events: Sequence[str],
        url: str,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Creates a webhook subscription, for a user."""
        return await self._call(
            CREATE_USER_SUBSCRIPTION,
            {"userId": user_id, "events": events, "url": url},
            {"auth": auth, "description": description, "filter": filter, "headers": headers, "secret": secret, "signing": signing},
        )

    async def delete_user_subscription(self, user_id: str, id: str) -> None:
        """Deletes a webhook subscription, for a user."""
        return await self._call(DELETE_USER_SUBSCRIPTION, {"userId": user_id, "id": id}, {})

    async def end_user_session(self, user_id: str, id: str) -> types.SessionList:
        """Ends one session of the user, for support work."""
        return await self._call(END_USER_SESSION, {"userId": user_id, "id": id}, {})

    async def end_user_sessions(self, user_id: str) -> types.SessionList:
        """Ends all sessions of the user, for support work."""
        return await self._call(END_USER_SESSIONS, {"userId": user_id}, {})

    async def find_user(self, user_id: str) -> types.Owner:
        """Shows the record of a user."""
        return await self._call(FIND_USER, {"userId": user_id}, {})

    async def find_user_delivery(self, user_id: str, id: str) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt, for support work."""
        return await self._call(FIND_USER_DELIVERY, {"userId": user_id, "id": id}, {})

    async def find_user_subscription(self, user_id: str, id: str) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health, for support work."""
        return await self._call(FIND_USER_SUBSCRIPTION, {"userId": user_id, "id": id}, {})

    async def list_user_api_keys(self, user_id: str) -> types.KeyList:
        """Lists the user's API keys, for support work."""
        return await self._call(LIST_USER_API_KEYS, {"userId": user_id}, {})

    def list_user_audit_events(
        self,
        user_id: str,
        *,
        action: Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspended", "owner.activated", "event_type.changed"] | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.AuditPage, types.AuditEvent]:
        """Lists who changed what of the user, newest first, for support work."""
        return AsyncPages(
            self._call,
            "events",
            LIST_USER_AUDIT_EVENTS,
            {"userId": user_id},
            {"action": action, "target": target, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_user_deliveries(
        self,
        user_id: str,
        *,
        subscription_id: str | None = None,
        event_type: str | None = None,
        state: Literal["waiting", "sending", "delivered", "failed", "cancelled"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the user's webhook subscriptions, newest first, for support work."""
        return AsyncPages(
            self._call,
            "deliveries",
            LIST_USER_DELIVERIES,
            {"userId": user_id},
            {"subscriptionId": subscription_id, "eventType": event_type, "state": state, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    async def list_user_failures(self, user_id: str, *, subscription_id: str | None = None) -> types.Failures:
        """Lists the user's failed deliveries, grouped by cause, for support work."""
        return await self._call(LIST_USER_FAILURES, {"userId": user_id}, {"subscriptionId": subscription_id})

    async def list_user_sessions(self, user_id: str) -> types.SessionList:
        """Lists the sessions of the user, for support work."""
        return await self._call(LIST_USER_SESSIONS, {"userId": user_id}, {})

    def list_user_subscriptions(
        self,
        user_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        include: Literal["health"] | None = None,
    ) -> AsyncPages[types.SubscriptionPage, types.Subscription]:
        """Lists the user's webhook subscriptions, newest first, for support work."""
        return AsyncPages(
            self._call,
            "subscriptions",
            LIST_USER_SUBSCRIPTIONS,
            {"userId": user_id},
            {"cursor": cursor, "limit": limit, "include": include},
        )

    async def recover_user_subscription(
        self,
        user_id: str,
        id: str,
        *,
        since: datetime,
    ) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries, for support work."""
        return await self._call(RECOVER_USER_SUBSCRIPTION, {"userId": user_id, "id": id, "since": since}, {})

    async def retry_user_delivery(self, user_id: str, id: str) -> types.ChangedDelivery:
        """Retries a delivery now, for support work."""
        return await self._call(RETRY_USER_DELIVERY, {"userId": user_id, "id": id}, {})

    async def retry_user_failures(
        self,
        user_id: str,
        *,
        subscription_id: str,
        error: Literal["address_refused", "dns", "connect", "tls", "timeout", "redirect", "status", "too_slow"] | None | Absent = ABSENT,
        status: int | None | Absent = ABSENT,
    ) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause, for support work."""
        return await self._call(
            RETRY_USER_FAILURES,
            {"userId": user_id, "subscriptionId": subscription_id},
            {"error": error, "status": status},
        )

    async def revoke_user_api_key(self, user_id: str, key_id: str) -> types.KeyList:
        """Revokes a user's API key, for support work."""
        return await self._call(REVOKE_USER_API_KEY, {"userId": user_id, "keyId": key_id}, {})

    async def revoke_user_api_keys(self, user_id: str, *, created_before: datetime | None = None) -> types.KeysRevoked:
        """Revokes all API keys of a user, for support work."""
        return await self._call(REVOKE_USER_API_KEYS, {"userId": user_id}, {"createdBefore": created_before})

    async def rotate_user_api_key(
        self,
        user_id: str,
        key_id: str,
        *,
        overlap_seconds: int | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Replaces an API key by a new one, for a user."""
        return await self._call(
            ROTATE_USER_API_KEY,
            {"userId": user_id, "keyId": key_id},
            {"overlapSeconds": overlap_seconds},
        )

    async def rotate_user_secret(
        self,
        user_id: str,
        id: str,
        *,
        idempotency_key: str | None = None,
        overlap_seconds: int | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both, for a user."""
        return await self._call(
            ROTATE_USER_SECRET,
            {"userId": user_id, "id": id},
            {"idempotency-key": idempotency_key, "overlapSeconds": overlap_seconds, "secret": secret, "signing": signing},
        )

    async def set_user_state(
        self,
        user_id: str,
        *,
        state: Literal["active", "suspended"],
        reason: str | None = None,
    ) -> types.Owner:
        """Suspends a user, or makes a user active again."""
        return await self._call(SET_USER_STATE, {"userId": user_id, "state": state}, {"reason": reason})

    async def show_user_attempt_times(self, user_id: str, id: str) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took, for support work."""
        return await self._call(SHOW_USER_ATTEMPT_TIMES, {"userId": user_id, "id": id}, {})

    async def show_user_daily_uses(self, user_id: str) -> types.DailyUses:
        """Shows how often the user's active API keys were used in each of the last 30 days, for support work."""
        return await self._call(SHOW_USER_DAILY_USES, {"userId": user_id}, {})

    async def show_user_key_usage(
        self,
        user_id: str,
        key_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour, for support work."""
        return await self._call(
            SHOW_USER_KEY_USAGE,
            {"userId": user_id, "keyId": key_id},
            {"hours": hours, "until": until},
        )

    async def show_user_outcomes(
        self,
        user_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the user's subscriptions ended, by the hour, for support
        work.
        """
        return await self._call(SHOW_USER_OUTCOMES, {"userId": user_id}, {"hours": hours, "until": until})

    async def show_user_subscription_outcomes(
        self,
        user_id: str,
        id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour, for support work."""
        return await self._call(
            SHOW_USER_SUBSCRIPTION_OUTCOMES,
            {"userId": user_id, "id": id},
            {"hours": hours, "until": until},
        )

    def stream_user_attempts(
        self,
        user_id: str,
        *,
        subscription_id: str | None = None,
        last_event_id: str | None = None,
    ) -> AsyncIterator[types.StreamedAttempt]:
        """Streams attempts as they end, for support work."""
        return self._stream(
            STREAM_USER_ATTEMPTS,
            {"userId": user_id},
            {"subscriptionId": subscription_id, "last-event-id": last_event_id},
        )

    async def test_user_filter(
        self,
        user_id: str,
        *,
        filter: dict[str, Any],
        data: Any = None,
        event: dict[str, Any] | None | Absent = ABSENT,
    ) -> types.FilterVerdict:
        """Tests a filter, for a user."""
        return await self._call(
            TEST_USER_FILTER,
            {"userId": user_id, "filter": filter},
            {"data": data, "event": event},
        )

    async def test_user_subscription(self, user_id: str, id: str) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription, for a user."""
        return await self._call(TEST_USER_SUBSCRIPTION, {"userId": user_id, "id": id}, {})

    async def test_user_url(
        self,
        user_id: str,
        *,
        url: str,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
    ) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription, for a user."""
        return await self._call(
            TEST_USER_URL,
            {"userId": user_id, "url": url},
            {"auth": auth, "headers": headers, "secret": secret},
        )


class OperatorOperations(Calls):
    def archive_event_type(self, name: str) -> types.WrittenEventType:
        """Archives an event type."""
        return self._call(ARCHIVE_EVENT_TYPE, {"name": name}, {})

    def change_log_filter(self, *, filter: str) -> types.LogFilterChanged:
        """Chooses which lines the log of the instance that answers has."""
        return self._call(CHANGE_LOG_FILTER, {"filter": filter}, {})

    def create_portal_link(
        self,
        *,
        capabilities: Sequence[Literal["keys", "keys:read", "webhooks", "webhooks:read"]] | None | Absent = ABSENT,
        organization_id: str | None | Absent = ABSENT,
        return_url: str | None | Absent = ABSENT,
        ttl_seconds: int | None | Absent = ABSENT,
        user_id: str | None | Absent = ABSENT,
    ) -> types.PortalLink:
        """Makes a link by which a user enters the console without a sign-in."""
        return self._call(
            CREATE_PORTAL_LINK,
            {},
            {"capabilities": capabilities, "organizationId": organization_id, "returnUrl": return_url, "ttlSeconds": ttl_seconds, "userId": user_id},
        )

    def find_any_event_type(self, name: str) -> types.EventType:
        """Shows an event type, also a hidden or archived one."""
        return self._call(FIND_ANY_EVENT_TYPE, {"name": name}, {})

    def find_event(self, id: str) -> types.LoggedEvent:
        """Shows a published event with its payload."""
        return self._call(FIND_EVENT, {"id": id}, {})

    def find_log_filter(self) -> types.LogFilter:
        """Shows which lines the log of the instance that answers has."""
        return self._call(FIND_LOG_FILTER, {}, {})

    def find_system_state(self) -> types.SystemState:
        """Shows how the instance that answers and the store are doing."""
        return self._call(FIND_SYSTEM_STATE, {}, {})

    def introspect(self, *, token: str, scopes: Sequence[str] | None | Absent = ABSENT) -> types.Introspection:
        """Verifies an API key and returns its owner (RFC 7662)."""
        return self._call(INTROSPECT, {"token": token}, {"scopes": scopes})

    def list_all_audit_events(
        self,
        *,
        user_id: str | None = None,
        organization_id: str | None = None,
        actor: str | None = None,
        action: Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspended", "owner.activated", "event_type.changed"] | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[types.AuditPage, types.AuditEvent]:
        """Lists who changed what, newest first."""
        return Pages(
            self._call,
            "events",
            LIST_ALL_AUDIT_EVENTS,
            {},
            {"userId": user_id, "organizationId": organization_id, "actor": actor, "action": action, "target": target, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_all_event_types(self) -> types.EventTypeList:
        """Lists all event types, also hidden and archived ones."""
        return self._call(LIST_ALL_EVENT_TYPES, {}, {})

    def list_events(
        self,
        *,
        user_id: str | None = None,
        organization_id: str | None = None,
        type: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[types.EventPage, types.LoggedEvent]:
        """Lists published events, newest first."""
        return Pages(
            self._call,
            "events",
            LIST_EVENTS,
            {},
            {"userId": user_id, "organizationId": organization_id, "type": type, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_failing_subscriptions(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[types.FailingSubscriptionPage, types.FailingSubscription]:
        """Lists the failing subscriptions of all users."""
        return Pages(self._call, "subscriptions", LIST_FAILING_SUBSCRIPTIONS, {}, {"cursor": cursor, "limit": limit})

    def list_owners(
        self,
        *,
        query: str | None = None,
        state: Literal["active", "suspended"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Pages[types.OwnerPage, types.ListedOwner]:
        """Finds users and organizations."""
        return Pages(
            self._call,
            "owners",
            LIST_OWNERS,
            {},
            {"query": query, "state": state, "cursor": cursor, "limit": limit},
        )

    def publish_event(
        self,
        *,
        data: Any,
        type: str,
        id: str | None = None,
        organization_id: str | None | Absent = ABSENT,
        user_id: str | None | Absent = ABSENT,
    ) -> types.PublishedEvent:
        """Publishes an event."""
        return self._call(
            PUBLISH_EVENT,
            {"data": data, "type": type},
            {"id": id or new_id(), "organizationId": organization_id, "userId": user_id},
        )

    def publish_events(self, *, events: Sequence[types.PublishEvent]) -> types.PublishedEvents:
        """Publishes up to 500 events, either all or none."""
        return self._call(PUBLISH_EVENTS, {"events": events}, {})

    def put_event_type(
        self,
        name: str,
        *,
        deprecated: types.PutDeprecation | None = None,
        description: str | None = None,
        examples: Sequence[Any] | None = None,
        force: bool | None = None,
        schema: dict[str, Any] | None = None,
        title: str | None = None,
        validation: Literal["off", "warn", "enforce"] | None = None,
        visibility: Literal["public", "hidden"] | None = None,
    ) -> types.WrittenEventType:
        """Creates or changes an event type."""
        return self._call(
            PUT_EVENT_TYPE,
            {"name": name},
            {"deprecated": deprecated, "description": description, "examples": examples, "force": force, "schema": schema, "title": title, "validation": validation, "visibility": visibility},
        )

    def report_leaks(self, *, tokens: Sequence[str]) -> types.LeaksReported:
        """Revokes leaked API keys."""
        return self._call(REPORT_LEAKS, {"tokens": tokens}, {})


class AsyncOperatorOperations(AsyncCalls):
    async def archive_event_type(self, name: str) -> types.WrittenEventType:
        """Archives an event type."""
        return await self._call(ARCHIVE_EVENT_TYPE, {"name": name}, {})

    async def change_log_filter(self, *, filter: str) -> types.LogFilterChanged:
        """Chooses which lines the log of the instance that answers has."""
        return await self._call(CHANGE_LOG_FILTER, {"filter": filter}, {})

    async def create_portal_link(
        self,
        *,
        capabilities: Sequence[Literal["keys", "keys:read", "webhooks", "webhooks:read"]] | None | Absent = ABSENT,
        organization_id: str | None | Absent = ABSENT,
        return_url: str | None | Absent = ABSENT,
        ttl_seconds: int | None | Absent = ABSENT,
        user_id: str | None | Absent = ABSENT,
    ) -> types.PortalLink:
        """Makes a link by which a user enters the console without a sign-in."""
        return await self._call(
            CREATE_PORTAL_LINK,
            {},
            {"capabilities": capabilities, "organizationId": organization_id, "returnUrl": return_url, "ttlSeconds": ttl_seconds, "userId": user_id},
        )

    async def find_any_event_type(self, name: str) -> types.EventType:
        """Shows an event type, also a hidden or archived one."""
        return await self._call(FIND_ANY_EVENT_TYPE, {"name": name}, {})

    async def find_event(self, id: str) -> types.LoggedEvent:
        """Shows a published event with its payload."""
        return await self._call(FIND_EVENT, {"id": id}, {})

    async def find_log_filter(self) -> types.LogFilter:
        """Shows which lines the log of the instance that answers has."""
        return await self._call(FIND_LOG_FILTER, {}, {})

    async def find_system_state(self) -> types.SystemState:
        """Shows how the instance that answers and the store are doing."""
        return await self._call(FIND_SYSTEM_STATE, {}, {})

    async def introspect(self, *, token: str, scopes: Sequence[str] | None | Absent = ABSENT) -> types.Introspection:
        """Verifies an API key and returns its owner (RFC 7662)."""
        return await self._call(INTROSPECT, {"token": token}, {"scopes": scopes})

    def list_all_audit_events(
        self,
        *,
        user_id: str | None = None,
        organization_id: str | None = None,
        actor: str | None = None,
        action: Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspended", "owner.activated", "event_type.changed"] | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.AuditPage, types.AuditEvent]:
        """Lists who changed what, newest first."""
        return AsyncPages(
            self._call,
            "events",
            LIST_ALL_AUDIT_EVENTS,
            {},
            {"userId": user_id, "organizationId": organization_id, "actor": actor, "action": action, "target": target, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    async def list_all_event_types(self) -> types.EventTypeList:
        """Lists all event types, also hidden and archived ones."""
        return await self._call(LIST_ALL_EVENT_TYPES, {}, {})

    def list_events(
        self,
        *,
        user_id: str | None = None,
        organization_id: str | None = None,
        type: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.EventPage, types.LoggedEvent]:
        """Lists published events, newest first."""
        return AsyncPages(
            self._call,
            "events",
            LIST_EVENTS,
            {},
            {"userId": user_id, "organizationId": organization_id, "type": type, "since": since, "until": until, "cursor": cursor, "limit": limit},
        )

    def list_failing_subscriptions(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.FailingSubscriptionPage, types.FailingSubscription]:
        """Lists the failing subscriptions of all users."""
        return AsyncPages(
            self._call,
            "subscriptions",
            LIST_FAILING_SUBSCRIPTIONS,
            {},
            {"cursor": cursor, "limit": limit},
        )

    def list_owners(
        self,
        *,
        query: str | None = None,
        state: Literal["active", "suspended"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> AsyncPages[types.OwnerPage, types.ListedOwner]:
        """Finds users and organizations."""
        return AsyncPages(
            self._call,
            "owners",
            LIST_OWNERS,
            {},
            {"query": query, "state": state, "cursor": cursor, "limit": limit},
        )

    async def publish_event(
        self,
        *,
        data: Any,
        type: str,
        id: str | None = None,
        organization_id: str | None | Absent = ABSENT,
        user_id: str | None | Absent = ABSENT,
    ) -> types.PublishedEvent:
        """Publishes an event."""
        return await self._call(
            PUBLISH_EVENT,
            {"data": data, "type": type},
            {"id": id or new_id(), "organizationId": organization_id, "userId": user_id},
        )

    async def publish_events(self, *, events: Sequence[types.PublishEvent]) -> types.PublishedEvents:
        """Publishes up to 500 events, either all or none."""
        return await self._call(PUBLISH_EVENTS, {"events": events}, {})

    async def put_event_type(
        self,
        name: str,
        *,
        deprecated: types.PutDeprecation | None = None,
        description: str | None = None,
        examples: Sequence[Any] | None = None,
        force: bool | None = None,
        schema: dict[str, Any] | None = None,
        title: str | None = None,
        validation: Literal["off", "warn", "enforce"] | None = None,
        visibility: Literal["public", "hidden"] | None = None,
    ) -> types.WrittenEventType:
        """Creates or changes an event type."""
        return await self._call(
            PUT_EVENT_TYPE,
            {"name": name},
            {"deprecated": deprecated, "description": description, "examples": examples, "force": force, "schema": schema, "title": title, "validation": validation, "visibility": visibility},
        )

    async def report_leaks(self, *, tokens: Sequence[str]) -> types.LeaksReported:
        """Revokes leaked API keys."""
        return await self._call(REPORT_LEAKS, {"tokens": tokens}, {})


class CallerOperations(Calls):
    def begin_visit(self, *, code: str) -> types.Visit:
        """Signs a visitor in by a portal link."""
        return self._call(BEGIN_VISIT, {"code": code}, {})

    def cancel_delivery(self, id: str, *, organization: str | None = None) -> types.ChangedDelivery:
        """Cancels a delivery."""
        return self._call(CANCEL_DELIVERY, {"id": id}, {"organization": organization})

    def change_api_key(
        self,
        key_id: str,
        *,
        organization: str | None = None,
        disabled: bool | None = None,
        expires_at: datetime | None = None,
        id_token: str | None = None,
        label: str | None = None,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        rate_limit: str | None | Absent = ABSENT,
    ) -> types.KeyRecord:
        """Changes an API key."""
        return self._call(
            CHANGE_API_KEY,
            {"keyId": key_id},
            {"organization": organization, "disabled": disabled, "expiresAt": expires_at, "idToken": id_token, "label": label, "metadata": metadata, "rateLimit": rate_limit},
        )

    def change_subscription(
        self,
        id: str,
        *,
        organization: str | None = None,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None = None,
        enabled: bool | None = None,
        events: Sequence[str] | None = None,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        url: str | None = None,
    ) -> types.ChangedSubscription:
        """Changes a webhook subscription."""
        return self._call(
            CHANGE_SUBSCRIPTION,
            {"id": id},
            {"organization": organization, "auth": auth, "description": description, "enabled": enabled, "events": events, "filter": filter, "headers": headers, "url": url},
        )

    def complete_sign_in(
        self,
        *,
        code: str | None = None,
        state: str | None = None,
        iss: str | None = None,
        error: str | None = None,
    ) -> str:
        """Completes a sign-in."""
        return self._call(COMPLETE_SIGN_IN, {}, {"code": code, "state": state, "iss": iss, "error": error})

    def count_recoverable(
        self,
        id: str,
        *,
        since: datetime,
        organization: str | None = None,
    ) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry."""
        return self._call(COUNT_RECOVERABLE, {"id": id, "since": since}, {"organization": organization})

    def create_api_key(
        self,
        *,
        label: str,
        organization: str | None = None,
        expires_at: datetime | None | Absent = ABSENT,
        id_token: str | None | Absent = ABSENT,
        metadata: dict[str, Any] | None = None,
        rate_limit: str | None | Absent = ABSENT,
        scopes: Sequence[str] | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Creates an API key."""
        return self._call(
            CREATE_API_KEY,
            {"label": label},
            {"organization": organization, "expiresAt": expires_at, "idToken": id_token, "metadata": metadata, "rateLimit": rate_limit, "scopes": scopes},
        )

    def create_subscription(
        self,
        *,
        events: Sequence[str],
        url: str,
        organization: str | None = None,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Creates a webhook subscription."""
        return self._call(
            CREATE_SUBSCRIPTION,
            {"events": events, "url": url},
            {"organization": organization, "auth": auth, "description": description, "filter": filter, "headers": headers, "secret": secret, "signing": signing},
        )

    def delete_subscription(self, id: str, *, organization: str | None = None) -> None:
        """Deletes a webhook subscription."""
        return self._call(DELETE_SUBSCRIPTION, {"id": id}, {"organization": organization})

    def docs_file(self, file: str) -> bytes:
        """Returns a script, a style or a picture of the documentation page."""
        return self._call(DOCS_FILE, {"file": file}, {})

    def docs_page(self) -> str:
        """Shows the API as an interactive page."""
        return self._call(DOCS_PAGE, {}, {})

    def end_current_session(self) -> None:
        """Signs out this browser."""
        return self._call(END_CURRENT_SESSION, {}, {})

    def end_session(self, id: str, *, organization: str | None = None) -> types.SessionList:
        """Ends one session of the user."""
        return self._call(END_SESSION, {"id": id}, {"organization": organization})

    def end_sessions(self, *, keep_current: bool | None = None, organization: str | None = None) -> types.SessionList:
        """Ends all sessions of the user."""
        return self._call(END_SESSIONS, {}, {"keepCurrent": keep_current, "organization": organization})

    def error_index(self) -> str:
        """Lists all error codes."""
        return self._call(ERROR_INDEX, {}, {})

    def error_page(self, code: str) -> str:
        """Explains the cause and the cure of an error code."""
        return self._call(ERROR_PAGE, {"code": code}, {})

    def export_event_types(self, *, organization: str | None = None) -> Any:
        """Exports the types of events as an OpenAPI document."""
        return self._call(EXPORT_EVENT_TYPES, {}, {"organization": organization})

    def favicon(self) -> bytes:
        """Returns an icon for browsers."""
        return self._call(FAVICON, {}, {})

    def find_command_line_client(self) -> types.CommandLineClient:
        """Reports how a command line signs in."""
        return self._call(FIND_COMMAND_LINE_CLIENT, {}, {})

    def find_current_session(self) -> types.CurrentSession:
        """Shows who is signed in."""
        return self._call(FIND_CURRENT_SESSION, {}, {})

    def find_delivery(self, id: str, *, organization: str | None = None) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt."""
        return self._call(FIND_DELIVERY, {"id": id}, {"organization": organization})

    def find_event_type(self, name: str, *, organization: str | None = None) -> types.EventType:
        """Shows a type of events with its schema and examples."""
        return self._call(FIND_EVENT_TYPE, {"name": name}, {"organization": organization})

    def find_subscription(self, id: str, *, organization: str | None = None) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health."""
        return self._call(FIND_SUBSCRIPTION, {"id": id}, {"organization": organization})

    def forward_auth(self, *, scope: Sequence[str] | None = None, profile: Literal["nginx"] | None = None) -> None:
        """Decides for a gateway whether a request may pass."""
        return self._call(FORWARD_AUTH, {}, {"scope": scope, "profile": profile})

    def forward_auth_of_path(self, tail: str) -> None:
        """Decides the same for a gateway that appends the path of the request, like Envoy with its `path_prefix`."""
        return self._call(FORWARD_AUTH_OF_PATH, {"tail": tail}, {})

    def health(self, *, verbose: str | None = None, for_: Literal["verify"] | None = None) -> types.Readiness:
        """Reports the same as `/readyz`."""
        return self._call(HEALTH, {}, {"verbose": verbose, "for": for_})

    def list_api_keys(self, *, organization: str | None = None) -> types.KeyList:
        """Lists the caller's API keys."""
        return self._call(LIST_API_KEYS, {}, {"organization": organization})

    def list_audit_events(
        self,
        *,
        action: Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspended", "owner.activated", "event_type.changed"] | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        organization: str | None = None,
    ) -> Pages[types.AuditPage, types.AuditEvent]:
        """Lists who changed what of the caller, newest first."""
        return Pages(
            self._call,
            "events",
            LIST_AUDIT_EVENTS,
            {},
            {"action": action, "target": target, "since": since, "until": until, "cursor": cursor, "limit": limit, "organization": organization},
        )

    def list_deliveries(
        self,
        *,
        subscription_id: str | None = None,
        event_type: str | None = None,
        state: Literal["waiting", "sending", "delivered", "failed", "cancelled"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        organization: str | None = None,
    ) -> Pages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the caller's webhook subscriptions, newest first."""
        return Pages(
            self._call,
            "deliveries",
            LIST_DELIVERIES,
            {},
            {"subscriptionId": subscription_id, "eventType": event_type, "state": state, "since": since, "until": until, "cursor": cursor, "limit": limit, "organization": organization},
        )

    def list_event_types(self, *, organization: str | None = None) -> types.EventTypeList:
        """Lists the types of events that webhooks have."""
        return self._call(LIST_EVENT_TYPES, {}, {"organization": organization})

    def list_failures(self, *, subscription_id: str | None = None, organization: str | None = None) -> types.Failures:
        """Lists the caller's failed deliveries, grouped by cause."""
        return self._call(LIST_FAILURES, {}, {"subscriptionId": subscription_id, "organization": organization})

    def list_sessions(self, *, organization: str | None = None) -> types.SessionList:
        """Lists the sessions of the user."""
        return self._call(LIST_SESSIONS, {}, {"organization": organization})

    def list_subscriptions(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        include: Literal["health"] | None = None,
        organization: str | None = None,
    ) -> Pages[types.SubscriptionPage, types.Subscription]:
        """Lists the caller's webhook subscriptions, newest first."""
        return Pages(
            self._call,
            "subscriptions",
            LIST_SUBSCRIPTIONS,
            {},
            {"cursor": cursor, "limit": limit, "include": include, "organization": organization},
        )

    def live(self) -> types.Liveness:
        """Reports that the process is alive."""
        return self._call(LIVE, {}, {})

    def openapi_document(self) -> dict[str, Any]:
        """Returns this document."""
        return self._call(OPENAPI_DOCUMENT, {}, {})

    def ready(self, *, verbose: str | None = None, for_: Literal["verify"] | None = None) -> types.Readiness:
        """Reports whether the service can serve requests."""
        return self._call(READY, {}, {"verbose": verbose, "for": for_})

    def recover_subscription(
        self,
        id: str,
        *,
        since: datetime,
        organization: str | None = None,
    ) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries."""
        return self._call(RECOVER_SUBSCRIPTION, {"id": id, "since": since}, {"organization": organization})

    def retry_delivery(self, id: str, *, organization: str | None = None) -> types.ChangedDelivery:
        """Retries a delivery now."""
        return self._call(RETRY_DELIVERY, {"id": id}, {"organization": organization})

    def retry_failures(
        self,
        *,
        subscription_id: str,
        organization: str | None = None,
        error: Literal["address_refused", "dns", "connect", "tls", "timeout", "redirect", "status", "too_slow"] | None | Absent = ABSENT,
        status: int | None | Absent = ABSENT,
    ) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause."""
        return self._call(
            RETRY_FAILURES,
            {"subscriptionId": subscription_id},
            {"organization": organization, "error": error, "status": status},
        )

    def revoke_api_key(
        self,
        *,
        key_id: str,
        organization: str | None = None,
        id_token: str | None | Absent = ABSENT,
    ) -> types.KeyList:
        """Revokes an API key."""
        return self._call(REVOKE_API_KEY, {"keyId": key_id}, {"organization": organization, "idToken": id_token})

    def rotate_api_key(
        self,
        key_id: str,
        *,
        organization: str | None = None,
        id_token: str | None | Absent = ABSENT,
        overlap_seconds: int | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Replaces an API key by a new one."""
        return self._call(
            ROTATE_API_KEY,
            {"keyId": key_id},
            {"organization": organization, "idToken": id_token, "overlapSeconds": overlap_seconds},
        )

    def rotate_secret(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        organization: str | None = None,
        overlap_seconds: int | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both."""
        return self._call(
            ROTATE_SECRET,
            {"id": id},
            {"idempotency-key": idempotency_key, "organization": organization, "overlapSeconds": overlap_seconds, "secret": secret, "signing": signing},
        )

    def show_attempt_times(self, id: str, *, organization: str | None = None) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took."""
        return self._call(SHOW_ATTEMPT_TIMES, {"id": id}, {"organization": organization})

    def show_daily_uses(self, *, organization: str | None = None) -> types.DailyUses:
        """Shows how often the caller's active API keys were used in each of the last 30 days."""
        return self._call(SHOW_DAILY_USES, {}, {"organization": organization})

    def show_key_usage(
        self,
        key_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
        organization: str | None = None,
    ) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour."""
        return self._call(
            SHOW_KEY_USAGE,
            {"keyId": key_id},
            {"hours": hours, "until": until, "organization": organization},
        )

    def show_outcomes(
        self,
        *,
        hours: int | None = None,
        until: datetime | None = None,
        organization: str | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the caller's subscriptions ended, by the hour."""
        return self._call(SHOW_OUTCOMES, {}, {"hours": hours, "until": until, "organization": organization})

    def show_subscription_outcomes(
        self,
        id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
        organization: str | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour."""
        return self._call(
            SHOW_SUBSCRIPTION_OUTCOMES,
            {"id": id},
            {"hours": hours, "until": until, "organization": organization},
        )

    def show_webhook_keys(self, id: str) -> types.PublicKeySet:
        """Shows the public keys of a webhook subscription."""
        return self._call(SHOW_WEBHOOK_KEYS, {"id": id}, {})

    def sign_in(self, *, next: str | None = None) -> Location:
        """Begins to sign in."""
        return self._call(SIGN_IN, {}, {"next": next})

    def sign_out(self) -> str:
        """Signs out."""
        return self._call(SIGN_OUT, {}, {})

    def stream_attempts(
        self,
        *,
        subscription_id: str | None = None,
        last_event_id: str | None = None,
        organization: str | None = None,
    ) -> Iterator[types.StreamedAttempt]:
        """Streams attempts as they end."""
        return self._stream(
            STREAM_ATTEMPTS,
            {},
            {"subscriptionId": subscription_id, "last-event-id": last_event_id, "organization": organization},
        )

    def test_filter(
        self,
        *,
        filter: dict[str, Any],
        organization: str | None = None,
        data: Any = None,
        event: dict[str, Any] | None | Absent = ABSENT,
    ) -> types.FilterVerdict:
        """Tests a filter."""
        return self._call(
            TEST_FILTER,
            {"filter": filter},
            {"organization": organization, "data": data, "event": event},
        )

    def test_subscription(self, id: str, *, organization: str | None = None) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription."""
        return self._call(TEST_SUBSCRIPTION, {"id": id}, {"organization": organization})

    def test_url(
        self,
        *,
        url: str,
        organization: str | None = None,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
    ) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription."""
        return self._call(
            TEST_URL,
            {"url": url},
            {"organization": organization, "auth": auth, "headers": headers, "secret": secret},
        )

    def whoami(self, *, organization: str | None = None) -> types.Whoami:
        """Shows the caller's user and credential."""
        return self._call(WHOAMI, {}, {"organization": organization})


class AsyncCallerOperations(AsyncCalls):
    async def begin_visit(self, *, code: str) -> types.Visit:
        """Signs a visitor in by a portal link."""
        return await self._call(BEGIN_VISIT, {"code": code}, {})

    async def cancel_delivery(self, id: str, *, organization: str | None = None) -> types.ChangedDelivery:
        """Cancels a delivery."""
        return await self._call(CANCEL_DELIVERY, {"id": id}, {"organization": organization})

    async def change_api_key(
        self,
        key_id: str,
        *,
        organization: str | None = None,
        disabled: bool | None = None,
        expires_at: datetime | None = None,
        id_token: str | None = None,
        label: str | None = None,
        metadata: dict[str, Any] | None | Absent = ABSENT,
        rate_limit: str | None | Absent = ABSENT,
    ) -> types.KeyRecord:
        """Changes an API key."""
        return await self._call(
            CHANGE_API_KEY,
            {"keyId": key_id},
            {"organization": organization, "disabled": disabled, "expiresAt": expires_at, "idToken": id_token, "label": label, "metadata": metadata, "rateLimit": rate_limit},
        )

    async def change_subscription(
        self,
        id: str,
        *,
        organization: str | None = None,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None = None,
        enabled: bool | None = None,
        events: Sequence[str] | None = None,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        url: str | None = None,
    ) -> types.ChangedSubscription:
        """Changes a webhook subscription."""
        return await self._call(
            CHANGE_SUBSCRIPTION,
            {"id": id},
            {"organization": organization, "auth": auth, "description": description, "enabled": enabled, "events": events, "filter": filter, "headers": headers, "url": url},
        )

    async def complete_sign_in(
        self,
        *,
        code: str | None = None,
        state: str | None = None,
        iss: str | None = None,
        error: str | None = None,
    ) -> str:
        """Completes a sign-in."""
        return await self._call(COMPLETE_SIGN_IN, {}, {"code": code, "state": state, "iss": iss, "error": error})

    async def count_recoverable(
        self,
        id: str,
        *,
        since: datetime,
        organization: str | None = None,
    ) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry."""
        return await self._call(COUNT_RECOVERABLE, {"id": id, "since": since}, {"organization": organization})

    async def create_api_key(
        self,
        *,
        label: str,
        organization: str | None = None,
        expires_at: datetime | None | Absent = ABSENT,
        id_token: str | None | Absent = ABSENT,
        metadata: dict[str, Any] | None = None,
        rate_limit: str | None | Absent = ABSENT,
        scopes: Sequence[str] | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Creates an API key."""
        return await self._call(
            CREATE_API_KEY,
            {"label": label},
            {"organization": organization, "expiresAt": expires_at, "idToken": id_token, "metadata": metadata, "rateLimit": rate_limit, "scopes": scopes},
        )

    async def create_subscription(
        self,
        *,
        events: Sequence[str],
        url: str,
        organization: str | None = None,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        filter: dict[str, Any] | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Creates a webhook subscription."""
        return await self._call(
            CREATE_SUBSCRIPTION,
            {"events": events, "url": url},
            {"organization": organization, "auth": auth, "description": description, "filter": filter, "headers": headers, "secret": secret, "signing": signing},
        )

    async def delete_subscription(self, id: str, *, organization: str | None = None) -> None:
        """Deletes a webhook subscription."""
        return await self._call(DELETE_SUBSCRIPTION, {"id": id}, {"organization": organization})

    async def docs_file(self, file: str) -> bytes:
        """Returns a script, a style or a picture of the documentation page."""
        return await self._call(DOCS_FILE, {"file": file}, {})

    async def docs_page(self) -> str:
        """Shows the API as an interactive page."""
        return await self._call(DOCS_PAGE, {}, {})

    async def end_current_session(self) -> None:
        """Signs out this browser."""
        return await self._call(END_CURRENT_SESSION, {}, {})

    async def end_session(self, id: str, *, organization: str | None = None) -> types.SessionList:
        """Ends one session of the user."""
        return await self._call(END_SESSION, {"id": id}, {"organization": organization})

    async def end_sessions(
        self,
        *,
        keep_current: bool | None = None,
        organization: str | None = None,
    ) -> types.SessionList:
        """Ends all sessions of the user."""
        return await self._call(END_SESSIONS, {}, {"keepCurrent": keep_current, "organization": organization})

    async def error_index(self) -> str:
        """Lists all error codes."""
        return await self._call(ERROR_INDEX, {}, {})

    async def error_page(self, code: str) -> str:
        """Explains the cause and the cure of an error code."""
        return await self._call(ERROR_PAGE, {"code": code}, {})

    async def export_event_types(self, *, organization: str | None = None) -> Any:
        """Exports the types of events as an OpenAPI document."""
        return await self._call(EXPORT_EVENT_TYPES, {}, {"organization": organization})

    async def favicon(self) -> bytes:
        """Returns an icon for browsers."""
        return await self._call(FAVICON, {}, {})

    async def find_command_line_client(self) -> types.CommandLineClient:
        """Reports how a command line signs in."""
        return await self._call(FIND_COMMAND_LINE_CLIENT, {}, {})

    async def find_current_session(self) -> types.CurrentSession:
        """Shows who is signed in."""
        return await self._call(FIND_CURRENT_SESSION, {}, {})

    async def find_delivery(self, id: str, *, organization: str | None = None) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt."""
        return await self._call(FIND_DELIVERY, {"id": id}, {"organization": organization})

    async def find_event_type(self, name: str, *, organization: str | None = None) -> types.EventType:
        """Shows a type of events with its schema and examples."""
        return await self._call(FIND_EVENT_TYPE, {"name": name}, {"organization": organization})

    async def find_subscription(self, id: str, *, organization: str | None = None) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health."""
        return await self._call(FIND_SUBSCRIPTION, {"id": id}, {"organization": organization})

    async def forward_auth(
        self,
        *,
        scope: Sequence[str] | None = None,
        profile: Literal["nginx"] | None = None,
    ) -> None:
        """Decides for a gateway whether a request may pass."""
        return await self._call(FORWARD_AUTH, {}, {"scope": scope, "profile": profile})

    async def forward_auth_of_path(self, tail: str) -> None:
        """Decides the same for a gateway that appends the path of the request, like Envoy with its `path_prefix`."""
        return await self._call(FORWARD_AUTH_OF_PATH, {"tail": tail}, {})

    async def health(self, *, verbose: str | None = None, for_: Literal["verify"] | None = None) -> types.Readiness:
        """Reports the same as `/readyz`."""
        return await self._call(HEALTH, {}, {"verbose": verbose, "for": for_})

    async def list_api_keys(self, *, organization: str | None = None) -> types.KeyList:
        """Lists the caller's API keys."""
        return await self._call(LIST_API_KEYS, {}, {"organization": organization})

    def list_audit_events(
        self,
        *,
        action: Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspended", "owner.activated", "event_type.changed"] | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        organization: str | None = None,
    ) -> AsyncPages[types.AuditPage, types.AuditEvent]:
        """Lists who changed what of the caller, newest first."""
        return AsyncPages(
            self._call,
            "events",
            LIST_AUDIT_EVENTS,
            {},
            {"action": action, "target": target, "since": since, "until": until, "cursor": cursor, "limit": limit, "organization": organization},
        )

    def list_deliveries(
        self,
        *,
        subscription_id: str | None = None,
        event_type: str | None = None,
        state: Literal["waiting", "sending", "delivered", "failed", "cancelled"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        organization: str | None = None,
    ) -> AsyncPages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the caller's webhook subscriptions, newest first."""
        return AsyncPages(
            self._call,
            "deliveries",
            LIST_DELIVERIES,
            {},
            {"subscriptionId": subscription_id, "eventType": event_type, "state": state, "since": since, "until": until, "cursor": cursor, "limit": limit, "organization": organization},
        )

    async def list_event_types(self, *, organization: str | None = None) -> types.EventTypeList:
        """Lists the types of events that webhooks have."""
        return await self._call(LIST_EVENT_TYPES, {}, {"organization": organization})

    async def list_failures(
        self,
        *,
        subscription_id: str | None = None,
        organization: str | None = None,
    ) -> types.Failures:
        """Lists the caller's failed deliveries, grouped by cause."""
        return await self._call(LIST_FAILURES, {}, {"subscriptionId": subscription_id, "organization": organization})

    async def list_sessions(self, *, organization: str | None = None) -> types.SessionList:
        """Lists the sessions of the user."""
        return await self._call(LIST_SESSIONS, {}, {"organization": organization})

    def list_subscriptions(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        include: Literal["health"] | None = None,
        organization: str | None = None,
    ) -> AsyncPages[types.SubscriptionPage, types.Subscription]:
        """Lists the caller's webhook subscriptions, newest first."""
        return AsyncPages(
            self._call,
            "subscriptions",
            LIST_SUBSCRIPTIONS,
            {},
            {"cursor": cursor, "limit": limit, "include": include, "organization": organization},
        )

    async def live(self) -> types.Liveness:
        """Reports that the process is alive."""
        return await self._call(LIVE, {}, {})

    async def openapi_document(self) -> dict[str, Any]:
        """Returns this document."""
        return await self._call(OPENAPI_DOCUMENT, {}, {})

    async def ready(self, *, verbose: str | None = None, for_: Literal["verify"] | None = None) -> types.Readiness:
        """Reports whether the service can serve requests."""
        return await self._call(READY, {}, {"verbose": verbose, "for": for_})

    async def recover_subscription(
        self,
        id: str,
        *,
        since: datetime,
        organization: str | None = None,
    ) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries."""
        return await self._call(RECOVER_SUBSCRIPTION, {"id": id, "since": since}, {"organization": organization})

    async def retry_delivery(self, id: str, *, organization: str | None = None) -> types.ChangedDelivery:
        """Retries a delivery now."""
        return await self._call(RETRY_DELIVERY, {"id": id}, {"organization": organization})

    async def retry_failures(
        self,
        *,
        subscription_id: str,
        organization: str | None = None,
        error: Literal["address_refused", "dns", "connect", "tls", "timeout", "redirect", "status", "too_slow"] | None | Absent = ABSENT,
        status: int | None | Absent = ABSENT,
    ) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause."""
        return await self._call(
            RETRY_FAILURES,
            {"subscriptionId": subscription_id},
            {"organization": organization, "error": error, "status": status},
        )

    async def revoke_api_key(
        self,
        *,
        key_id: str,
        organization: str | None = None,
        id_token: str | None | Absent = ABSENT,
    ) -> types.KeyList:
        """Revokes an API key."""
        return await self._call(REVOKE_API_KEY, {"keyId": key_id}, {"organization": organization, "idToken": id_token})

    async def rotate_api_key(
        self,
        key_id: str,
        *,
        organization: str | None = None,
        id_token: str | None | Absent = ABSENT,
        overlap_seconds: int | None | Absent = ABSENT,
    ) -> types.CreatedApiKey:
        """Replaces an API key by a new one."""
        return await self._call(
            ROTATE_API_KEY,
            {"keyId": key_id},
            {"organization": organization, "idToken": id_token, "overlapSeconds": overlap_seconds},
        )

    async def rotate_secret(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        organization: str | None = None,
        overlap_seconds: int | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
        signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT,
    ) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both."""
        return await self._call(
            ROTATE_SECRET,
            {"id": id},
            {"idempotency-key": idempotency_key, "organization": organization, "overlapSeconds": overlap_seconds, "secret": secret, "signing": signing},
        )

    async def show_attempt_times(self, id: str, *, organization: str | None = None) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took."""
        return await self._call(SHOW_ATTEMPT_TIMES, {"id": id}, {"organization": organization})

    async def show_daily_uses(self, *, organization: str | None = None) -> types.DailyUses:
        """Shows how often the caller's active API keys were used in each of the last 30 days."""
        return await self._call(SHOW_DAILY_USES, {}, {"organization": organization})

    async def show_key_usage(
        self,
        key_id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
        organization: str | None = None,
    ) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour."""
        return await self._call(
            SHOW_KEY_USAGE,
            {"keyId": key_id},
            {"hours": hours, "until": until, "organization": organization},
        )

    async def show_outcomes(
        self,
        *,
        hours: int | None = None,
        until: datetime | None = None,
        organization: str | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the caller's subscriptions ended, by the hour."""
        return await self._call(SHOW_OUTCOMES, {}, {"hours": hours, "until": until, "organization": organization})

    async def show_subscription_outcomes(
        self,
        id: str,
        *,
        hours: int | None = None,
        until: datetime | None = None,
        organization: str | None = None,
    ) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour."""
        return await self._call(
            SHOW_SUBSCRIPTION_OUTCOMES,
            {"id": id},
            {"hours": hours, "until": until, "organization": organization},
        )

    async def show_webhook_keys(self, id: str) -> types.PublicKeySet:
        """Shows the public keys of a webhook subscription."""
        return await self._call(SHOW_WEBHOOK_KEYS, {"id": id}, {})

    async def sign_in(self, *, next: str | None = None) -> Location:
        """Begins to sign in."""
        return await self._call(SIGN_IN, {}, {"next": next})

    async def sign_out(self) -> str:
        """Signs out."""
        return await self._call(SIGN_OUT, {}, {})

    def stream_attempts(
        self,
        *,
        subscription_id: str | None = None,
        last_event_id: str | None = None,
        organization: str | None = None,
    ) -> AsyncIterator[types.StreamedAttempt]:
        """Streams attempts as they end."""
        return self._stream(
            STREAM_ATTEMPTS,
            {},
            {"subscriptionId": subscription_id, "last-event-id": last_event_id, "organization": organization},
        )

    async def test_filter(
        self,
        *,
        filter: dict[str, Any],
        organization: str | None = None,
        data: Any = None,
        event: dict[str, Any] | None | Absent = ABSENT,
    ) -> types.FilterVerdict:
        """Tests a filter."""
        return await self._call(
            TEST_FILTER,
            {"filter": filter},
            {"organization": organization, "data": data, "event": event},
        )

    async def test_subscription(self, id: str, *, organization: str | None = None) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription."""
        return await self._call(TEST_SUBSCRIPTION, {"id": id}, {"organization": organization})

    async def test_url(
        self,
        *,
        url: str,
        organization: str | None = None,
        auth: types.BearerAuth | types.BasicAuth | types.HeaderAuth | None | Absent = ABSENT,
        headers: dict[str, Any] | None | Absent = ABSENT,
        secret: str | None | Absent = ABSENT,
    ) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription."""
        return await self._call(
            TEST_URL,
            {"url": url},
            {"organization": organization, "auth": auth, "headers": headers, "secret": secret},
        )

    async def whoami(self, *, organization: str | None = None) -> types.Whoami:
        """Shows the caller's user and credential."""
        return await self._call(WHOAMI, {}, {"organization": organization})


class Operations(OrganizationOperations, UserOperations, OperatorOperations, CallerOperations):
    """Every operation of the API, by its `operationId`."""


class AsyncOperations(AsyncOrganizationOperations, AsyncUserOperations, AsyncOperatorOperations, AsyncCallerOperations):
    """Every operation of the API, by its `operationId`."""
