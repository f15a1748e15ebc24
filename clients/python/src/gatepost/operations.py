"""Generated from docs/openapi.json by generate.py. Do not edit."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from types import NoneType
from typing import Any, Literal, TypeVar

from gatepost import types
from gatepost.calls import ABSENT, Absent, AsyncPages, Location, Operation
from gatepost.calls import Pages

T = TypeVar("T")
Members = dict[str, Any]
Action = Literal["key.created", "key.changed", "key.rotated", "key.revoked", "key.leaked", "key.expiring", "key.limit_reached", "data.read", "subscription.created", "subscription.changed", "subscription.deleted", "subscription.secret_rotated", "subscription.disabled", "subscription.failing", "subscription.recovered", "subscription.certificate_expiring", "consumer.moved", "consumer.deleted", "delivery.retried", "delivery.cancelled", "session.opened", "session.ended", "log.filter_changed", "owner.changed", "owner.suspending", "owner.suspended", "owner.activated", "owner.erasing", "owner.erased", "event_type.changed"]
Auth = types.BearerAuth | types.BasicAuth | types.HeaderAuth | types.OAuth2Auth
Error = Literal["address_refused", "dns", "connect", "tls", "timeout", "redirect", "status", "too_slow", "no_token"]
State = Literal["waiting", "sending", "delivered", "failed", "cancelled", "missed"]


class Table:
    """How to call each operation."""

    archive_event_type = Operation("DELETE", "/api/operator/event-types/{name}", types.WrittenEventType)
    begin_visit = Operation("POST", "/api/session", types.Visit, has_body=True)
    cancel_delivery = Operation("POST", "/api/webhooks/deliveries/{id}/cancel", types.ChangedDelivery)
    cancel_organization_delivery = Operation("POST", "/api/operator/organizations/{organizationId}/deliveries/{id}/cancel", types.ChangedDelivery)
    cancel_user_delivery = Operation("POST", "/api/operator/users/{userId}/deliveries/{id}/cancel", types.ChangedDelivery)
    change_api_key = Operation("PATCH", "/api/api-keys/{keyId}", types.KeyRecord, query=("organization",), has_body=True, nullable=("metadata", "rateLimit"))
    change_organization_api_key = Operation("PATCH", "/api/operator/organizations/{organizationId}/keys/{keyId}", types.KeyRecord, has_body=True, nullable=("metadata", "rateLimit"))
    change_user_api_key = Operation("PATCH", "/api/operator/users/{userId}/keys/{keyId}", types.KeyRecord, has_body=True, nullable=("metadata", "rateLimit"))
    change_log_filter = Operation("POST", "/api/operator/log-filter", types.LogFilterChanged, has_body=True)
    change_organization = Operation("PATCH", "/api/operator/organizations/{organizationId}", types.Owner, has_body=True, nullable=("email", "keyRateLimit", "maxActiveKeys", "maxSubscriptions", "metadata", "name", "requestRateLimit"))
    change_organization_subscription = Operation("PATCH", "/api/operator/organizations/{organizationId}/subscriptions/{id}", types.ChangedSubscription, has_body=True, nullable=("auth", "clientCertificate", "filter", "headers", "maxPerSecond"))
    change_subscription = Operation("PATCH", "/api/webhooks/subscriptions/{id}", types.ChangedSubscription, query=("organization",), has_body=True, nullable=("auth", "clientCertificate", "filter", "headers", "maxPerSecond"))
    change_user_subscription = Operation("PATCH", "/api/operator/users/{userId}/subscriptions/{id}", types.ChangedSubscription, has_body=True, nullable=("auth", "clientCertificate", "filter", "headers", "maxPerSecond"))
    change_user = Operation("PATCH", "/api/operator/users/{userId}", types.Owner, has_body=True, nullable=("email", "keyRateLimit", "maxActiveKeys", "maxSubscriptions", "metadata", "name", "requestRateLimit"))
    commit_events = Operation("POST", "/api/webhooks/subscriptions/{id}/consumers/{consumer}/commit", NoneType, query=("organization",), has_body=True, nullable=("through",))
    complete_sign_in = Operation("GET", "/console/callback", str)
    count_organization_recoverable = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}/recoverable", types.RecoverableDeliveries)
    count_recoverable = Operation("GET", "/api/webhooks/subscriptions/{id}/recoverable", types.RecoverableDeliveries)
    count_user_recoverable = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}/recoverable", types.RecoverableDeliveries)
    create_api_key = Operation("POST", "/api/api-keys", types.CreatedApiKey, query=("organization",), has_body=True, nullable=("expiresAt", "idToken", "rateLimit", "scopes"))
    create_organization_api_key = Operation("POST", "/api/operator/organizations/{organizationId}/keys", types.CreatedApiKey, has_body=True, nullable=("expiresAt", "rateLimit", "scopes"))
    create_user_api_key = Operation("POST", "/api/operator/users/{userId}/keys", types.CreatedApiKey, has_body=True, nullable=("expiresAt", "rateLimit", "scopes"))
    create_portal_link = Operation("POST", "/api/operator/portal-links", types.PortalLink, has_body=True, nullable=("capabilities", "organizationId", "returnUrl", "ttlSeconds", "userId"))
    create_organization_subscription = Operation("POST", "/api/operator/organizations/{organizationId}/subscriptions", types.SubscriptionWithSecret, has_body=True, nullable=("auth", "clientCertificate", "description", "filter", "headers", "maxPerSecond", "onExhausted", "ordering", "secret", "signing", "type"))
    create_subscription = Operation("POST", "/api/webhooks/subscriptions", types.SubscriptionWithSecret, query=("organization",), has_body=True, nullable=("auth", "clientCertificate", "description", "filter", "headers", "maxPerSecond", "onExhausted", "ordering", "secret", "signing", "type"))
    create_user_subscription = Operation("POST", "/api/operator/users/{userId}/subscriptions", types.SubscriptionWithSecret, has_body=True, nullable=("auth", "clientCertificate", "description", "filter", "headers", "maxPerSecond", "onExhausted", "ordering", "secret", "signing", "type"))
    delete_consumer = Operation("DELETE", "/api/webhooks/subscriptions/{id}/consumers/{consumer}", NoneType)
    delete_organization_subscription = Operation("DELETE", "/api/operator/organizations/{organizationId}/subscriptions/{id}", NoneType)
    delete_subscription = Operation("DELETE", "/api/webhooks/subscriptions/{id}", NoneType)
    delete_user_subscription = Operation("DELETE", "/api/operator/users/{userId}/subscriptions/{id}", NoneType)
    docs_file = Operation("GET", "/docs/{file}", bytes)
    docs_page = Operation("GET", "/docs", str)
    end_current_session = Operation("DELETE", "/api/session", NoneType)
    end_organization_session = Operation("DELETE", "/api/operator/organizations/{organizationId}/sessions/{id}", types.SessionList)
    end_session = Operation("DELETE", "/api/sessions/{id}", types.SessionList)
    end_user_session = Operation("DELETE", "/api/operator/users/{userId}/sessions/{id}", types.SessionList)
    end_organization_sessions = Operation("DELETE", "/api/operator/organizations/{organizationId}/sessions", types.SessionList)
    end_sessions = Operation("DELETE", "/api/sessions", types.SessionList)
    end_user_sessions = Operation("DELETE", "/api/operator/users/{userId}/sessions", types.SessionList)
    erase_organization = Operation("DELETE", "/api/operator/organizations/{organizationId}", types.Owner)
    erase_user = Operation("DELETE", "/api/operator/users/{userId}", types.Owner)
    error_index = Operation("GET", "/docs/errors", str)
    error_page = Operation("GET", "/docs/errors/{code}", str)
    export_event_types: Operation[Any] = Operation("GET", "/api/event-types/openapi.json", object)
    favicon = Operation("GET", "/favicon.ico", bytes)
    find_command_line_client = Operation("GET", "/api/command-line-client", types.CommandLineClient)
    find_current_session = Operation("GET", "/api/session", types.CurrentSession)
    find_delivery = Operation("GET", "/api/webhooks/deliveries/{id}", types.DeliveryHistory)
    find_organization_delivery = Operation("GET", "/api/operator/organizations/{organizationId}/deliveries/{id}", types.DeliveryHistory)
    find_user_delivery = Operation("GET", "/api/operator/users/{userId}/deliveries/{id}", types.DeliveryHistory)
    find_event = Operation("GET", "/api/operator/events/{id}", types.LoggedEvent)
    find_any_event_type = Operation("GET", "/api/operator/event-types/{name}", types.EventType)
    find_event_type = Operation("GET", "/api/event-types/{name}", types.EventType)
    find_log_filter = Operation("GET", "/api/operator/log-filter", types.LogFilter)
    find_organization = Operation("GET", "/api/operator/organizations/{organizationId}", types.Owner)
    find_organization_subscription = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}", types.SubscriptionWithHealth)
    find_subscription = Operation("GET", "/api/webhooks/subscriptions/{id}", types.SubscriptionWithHealth)
    find_user_subscription = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}", types.SubscriptionWithHealth)
    find_system_state = Operation("GET", "/api/operator/system", types.SystemState)
    find_user = Operation("GET", "/api/operator/users/{userId}", types.Owner)
    forward_auth = Operation("GET", "/forward-auth", NoneType)
    forward_auth_of_path = Operation("GET", "/forward-auth/{tail}", NoneType)
    health = Operation("GET", "/healthz", types.Readiness)
    import_event_types = Operation("POST", "/api/operator/event-types/import", types.ImportedEventTypes, has_body=True)
    introspect = Operation("POST", "/api/operator/introspect", types.Introspection, has_body=True, nullable=("scopes",))
    list_api_keys = Operation("GET", "/api/api-keys", types.KeyList)
    list_organization_api_keys = Operation("GET", "/api/operator/organizations/{organizationId}/keys", types.KeyList)
    list_user_api_keys = Operation("GET", "/api/operator/users/{userId}/keys", types.KeyList)
    list_all_audit_events = Operation("GET", "/api/operator/audit", types.AuditPage)
    list_audit_events = Operation("GET", "/api/audit", types.AuditPage)
    list_organization_audit_events = Operation("GET", "/api/operator/organizations/{organizationId}/audit", types.AuditPage)
    list_user_audit_events = Operation("GET", "/api/operator/users/{userId}/audit", types.AuditPage)
    list_consumers = Operation("GET", "/api/webhooks/subscriptions/{id}/consumers", types.Consumers)
    list_organization_consumers = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}/consumers", types.Consumers)
    list_user_consumers = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}/consumers", types.Consumers)
    list_deliveries = Operation("GET", "/api/webhooks/deliveries", types.DeliveryPage)
    list_organization_deliveries = Operation("GET", "/api/operator/organizations/{organizationId}/deliveries", types.DeliveryPage)
    list_user_deliveries = Operation("GET", "/api/operator/users/{userId}/deliveries", types.DeliveryPage)
    list_all_event_types = Operation("GET", "/api/operator/event-types", types.EventTypeList)
    list_event_types = Operation("GET", "/api/event-types", types.EventTypeList)
    list_events = Operation("GET", "/api/operator/events", types.EventPage)
    list_failing_subscriptions = Operation("GET", "/api/operator/failing-subscriptions", types.FailingSubscriptionPage)
    list_failures = Operation("GET", "/api/webhooks/failures", types.Failures)
    list_organization_failures = Operation("GET", "/api/operator/organizations/{organizationId}/failures", types.Failures)
    list_user_failures = Operation("GET", "/api/operator/users/{userId}/failures", types.Failures)
    list_owners = Operation("GET", "/api/operator/owners", types.OwnerPage)
    list_organization_sessions = Operation("GET", "/api/operator/organizations/{organizationId}/sessions", types.SessionList)
    list_sessions = Operation("GET", "/api/sessions", types.SessionList)
    list_user_sessions = Operation("GET", "/api/operator/users/{userId}/sessions", types.SessionList)
    list_organization_subscriptions = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions", types.SubscriptionPage)
    list_subscriptions = Operation("GET", "/api/webhooks/subscriptions", types.SubscriptionPage)
    list_user_subscriptions = Operation("GET", "/api/operator/users/{userId}/subscriptions", types.SubscriptionPage)
    live = Operation("GET", "/livez", types.Liveness)
    openapi_document = Operation("GET", "/openapi.json", dict[str, Any])
    publish_event = Operation("POST", "/api/operator/events", types.PublishedEvent, has_body=True, has_id=True, nullable=("data", "organizationId", "userId"))
    publish_events = Operation("POST", "/api/operator/events/batch", types.PublishedEvents, has_body=True, has_id=True)
    put_event_type = Operation("PUT", "/api/operator/event-types/{name}", types.WrittenEventType, has_body=True)
    read_events = Operation("GET", "/api/webhooks/subscriptions/{id}/events", types.LoggedEvents)
    read_organization_events = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}/events", types.LoggedEvents)
    read_user_events = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}/events", types.LoggedEvents)
    ready = Operation("GET", "/readyz", types.Readiness)
    receive_events = Operation("POST", "/api/webhooks/subscriptions/{id}/consumers/{consumer}/receive", types.ReceivedEvents, query=("organization",), has_body=True)
    recover_organization_subscription = Operation("POST", "/api/operator/organizations/{organizationId}/subscriptions/{id}/recover", types.RecoveredSubscription, has_body=True)
    recover_subscription = Operation("POST", "/api/webhooks/subscriptions/{id}/recover", types.RecoveredSubscription, query=("organization",), has_body=True)
    recover_user_subscription = Operation("POST", "/api/operator/users/{userId}/subscriptions/{id}/recover", types.RecoveredSubscription, has_body=True)
    report_leaks = Operation("POST", "/api/operator/leaks", types.LeaksReported, has_body=True)
    retry_delivery = Operation("POST", "/api/webhooks/deliveries/{id}/retry", types.ChangedDelivery)
    retry_organization_delivery = Operation("POST", "/api/operator/organizations/{organizationId}/deliveries/{id}/retry", types.ChangedDelivery)
    retry_user_delivery = Operation("POST", "/api/operator/users/{userId}/deliveries/{id}/retry", types.ChangedDelivery)
    retry_failures = Operation("POST", "/api/webhooks/failures/retry", types.RetriedFailures, query=("organization",), has_body=True, nullable=("error", "status"))
    retry_organization_failures = Operation("POST", "/api/operator/organizations/{organizationId}/failures/retry", types.RetriedFailures, has_body=True, nullable=("error", "status"))
    retry_user_failures = Operation("POST", "/api/operator/users/{userId}/failures/retry", types.RetriedFailures, has_body=True, nullable=("error", "status"))
    revoke_api_key = Operation("DELETE", "/api/api-keys", types.KeyList, query=("organization",), has_body=True, nullable=("idToken",))
    revoke_organization_api_key = Operation("DELETE", "/api/operator/organizations/{organizationId}/keys/{keyId}", types.KeyList)
    revoke_user_api_key = Operation("DELETE", "/api/operator/users/{userId}/keys/{keyId}", types.KeyList)
    revoke_organization_api_keys = Operation("DELETE", "/api/operator/organizations/{organizationId}/keys", types.KeysRevoked)
    revoke_user_api_keys = Operation("DELETE", "/api/operator/users/{userId}/keys", types.KeysRevoked)
    rotate_api_key = Operation("POST", "/api/api-keys/{keyId}/rotate", types.CreatedApiKey, query=("organization",), has_body=True, nullable=("idToken", "overlapSeconds"))
    rotate_organization_api_key = Operation("POST", "/api/operator/organizations/{organizationId}/keys/{keyId}/rotate", types.CreatedApiKey, has_body=True, nullable=("overlapSeconds",))
    rotate_user_api_key = Operation("POST", "/api/operator/users/{userId}/keys/{keyId}/rotate", types.CreatedApiKey, has_body=True, nullable=("overlapSeconds",))
    rotate_organization_secret = Operation("POST", "/api/operator/organizations/{organizationId}/subscriptions/{id}/rotate-secret", types.SubscriptionWithSecret, headers=("idempotency-key",), has_body=True, nullable=("overlapSeconds", "secret", "signing"))
    rotate_secret = Operation("POST", "/api/webhooks/subscriptions/{id}/rotate-secret", types.SubscriptionWithSecret, query=("organization",), headers=("idempotency-key",), has_body=True, nullable=("overlapSeconds", "secret", "signing"))
    rotate_user_secret = Operation("POST", "/api/operator/users/{userId}/subscriptions/{id}/rotate-secret", types.SubscriptionWithSecret, headers=("idempotency-key",), has_body=True, nullable=("overlapSeconds", "secret", "signing"))
    seek_consumer = Operation("POST", "/api/webhooks/subscriptions/{id}/consumers/{consumer}/seek", NoneType, query=("organization",), has_body=True)
    set_organization_state = Operation("PUT", "/api/operator/organizations/{organizationId}/state", types.Owner, has_body=True)
    set_user_state = Operation("PUT", "/api/operator/users/{userId}/state", types.Owner, has_body=True)
    show_attempt_times = Operation("GET", "/api/webhooks/subscriptions/{id}/times", types.AttemptTimes)
    show_organization_attempt_times = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}/times", types.AttemptTimes)
    show_user_attempt_times = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}/times", types.AttemptTimes)
    show_daily_uses = Operation("GET", "/api/api-keys/usage", types.DailyUses)
    show_organization_daily_uses = Operation("GET", "/api/operator/organizations/{organizationId}/keys/usage", types.DailyUses)
    show_user_daily_uses = Operation("GET", "/api/operator/users/{userId}/keys/usage", types.DailyUses)
    show_key_usage = Operation("GET", "/api/api-keys/{keyId}/usage", types.KeyUsage)
    show_organization_key_usage = Operation("GET", "/api/operator/organizations/{organizationId}/keys/{keyId}/usage", types.KeyUsage)
    show_user_key_usage = Operation("GET", "/api/operator/users/{userId}/keys/{keyId}/usage", types.KeyUsage)
    show_organization_outcomes = Operation("GET", "/api/operator/organizations/{organizationId}/outcomes", types.Outcomes)
    show_outcomes = Operation("GET", "/api/webhooks/outcomes", types.Outcomes)
    show_user_outcomes = Operation("GET", "/api/operator/users/{userId}/outcomes", types.Outcomes)
    show_organization_subscription_outcomes = Operation("GET", "/api/operator/organizations/{organizationId}/subscriptions/{id}/outcomes", types.Outcomes)
    show_subscription_outcomes = Operation("GET", "/api/webhooks/subscriptions/{id}/outcomes", types.Outcomes)
    show_user_subscription_outcomes = Operation("GET", "/api/operator/users/{userId}/subscriptions/{id}/outcomes", types.Outcomes)
    show_webhook_keys = Operation("GET", "/.well-known/webhooks/{id}/jwks.json", types.PublicKeySet)
    sign_in = Operation("GET", "/console/login", Location)
    sign_out = Operation("POST", "/console/logout", str)
    stream_attempts = Operation("GET", "/api/webhooks/deliveries/stream", types.StreamedAttempt, headers=("last-event-id",))
    stream_organization_attempts = Operation("GET", "/api/operator/organizations/{organizationId}/deliveries/stream", types.StreamedAttempt, headers=("last-event-id",))
    stream_user_attempts = Operation("GET", "/api/operator/users/{userId}/deliveries/stream", types.StreamedAttempt, headers=("last-event-id",))
    test_filter = Operation("POST", "/api/webhooks/filters/test", types.FilterVerdict, query=("organization",), has_body=True, nullable=("event",))
    test_organization_filter = Operation("POST", "/api/operator/organizations/{organizationId}/filters/test", types.FilterVerdict, has_body=True, nullable=("event",))
    test_user_filter = Operation("POST", "/api/operator/users/{userId}/filters/test", types.FilterVerdict, has_body=True, nullable=("event",))
    test_organization_subscription = Operation("POST", "/api/operator/organizations/{organizationId}/subscriptions/{id}/test", types.SubscriptionTest)
    test_subscription = Operation("POST", "/api/webhooks/subscriptions/{id}/test", types.SubscriptionTest)
    test_user_subscription = Operation("POST", "/api/operator/users/{userId}/subscriptions/{id}/test", types.SubscriptionTest)
    test_organization_url = Operation("POST", "/api/operator/organizations/{organizationId}/test", types.UrlTest, has_body=True, nullable=("auth", "clientCertificate", "headers", "secret"))
    test_url = Operation("POST", "/api/webhooks/test", types.UrlTest, query=("organization",), has_body=True, nullable=("auth", "clientCertificate", "headers", "secret"))
    test_user_url = Operation("POST", "/api/operator/users/{userId}/test", types.UrlTest, has_body=True, nullable=("auth", "clientCertificate", "headers", "secret"))
    whoami = Operation("GET", "/api/whoami", types.Whoami)


class Calls(ABC):
    @abstractmethod
    def _call(self, operation: Operation[T], given: Members) -> T: ...

    @abstractmethod
    def _stream(self, operation: Operation[T], given: Members) -> Iterator[T]: ...


class AsyncCalls(ABC):
    @abstractmethod
    async def _call(self, operation: Operation[T], given: Members) -> T: ...

    @abstractmethod
    def _stream(self, operation: Operation[T], given: Members) -> AsyncIterator[T]: ...


class Operations1(Calls):
    def archive_event_type(self, name: str) -> types.WrittenEventType:
        return self._call(Table.archive_event_type, locals())

    def begin_visit(self, *, code: str) -> types.Visit:
        """Signs a visitor in by a portal link."""
        return self._call(Table.begin_visit, locals())

    def cancel_delivery(self, id: str, *, organization: str | None = None) -> types.ChangedDelivery:
        return self._call(Table.cancel_delivery, locals())

    def cancel_organization_delivery(self, organization_id: str, id: str) -> types.ChangedDelivery:
        return self._call(Table.cancel_organization_delivery, locals())

    def cancel_user_delivery(self, user_id: str, id: str) -> types.ChangedDelivery:
        return self._call(Table.cancel_user_delivery, locals())

    def change_api_key(self, key_id: str, *, organization: str | None = None, disabled: bool | None = None, expires_at: datetime | None = None, id_token: str | None = None, label: str | None = None, metadata: dict[str, Any] | None | Absent = ABSENT, rate_limit: str | None | Absent = ABSENT) -> types.KeyRecord:
        return self._call(Table.change_api_key, locals())

    def change_organization_api_key(self, organization_id: str, key_id: str, *, disabled: bool | None = None, expires_at: datetime | None = None, label: str | None = None, metadata: dict[str, Any] | None | Absent = ABSENT, rate_limit: str | None | Absent = ABSENT) -> types.KeyRecord:
        return self._call(Table.change_organization_api_key, locals())

    def change_user_api_key(self, user_id: str, key_id: str, *, disabled: bool | None = None, expires_at: datetime | None = None, label: str | None = None, metadata: dict[str, Any] | None | Absent = ABSENT, rate_limit: str | None | Absent = ABSENT) -> types.KeyRecord:
        return self._call(Table.change_user_api_key, locals())

    def change_log_filter(self, *, filter: str) -> types.LogFilterChanged:
        """Changes the log filter of the instance that answers."""
        return self._call(Table.change_log_filter, locals())

    def change_organization(self, organization_id: str, *, email: str | None | Absent = ABSENT, key_rate_limit: str | None | Absent = ABSENT, max_active_keys: int | None | Absent = ABSENT, max_subscriptions: int | None | Absent = ABSENT, metadata: dict[str, Any] | None | Absent = ABSENT, name: str | None | Absent = ABSENT, request_rate_limit: str | None | Absent = ABSENT) -> types.Owner:
        """Changes the record of an organization."""
        return self._call(Table.change_organization, locals())

    def change_organization_subscription(self, organization_id: str, id: str, *, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None = None, enabled: bool | None = None, events: Sequence[str] | None = None, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None = None, url: str | None = None) -> types.ChangedSubscription:
        return self._call(Table.change_organization_subscription, locals())

    def change_subscription(self, id: str, *, organization: str | None = None, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None = None, enabled: bool | None = None, events: Sequence[str] | None = None, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None = None, url: str | None = None) -> types.ChangedSubscription:
        return self._call(Table.change_subscription, locals())

    def change_user_subscription(self, user_id: str, id: str, *, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None = None, enabled: bool | None = None, events: Sequence[str] | None = None, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None = None, url: str | None = None) -> types.ChangedSubscription:
        return self._call(Table.change_user_subscription, locals())

    def change_user(self, user_id: str, *, email: str | None | Absent = ABSENT, key_rate_limit: str | None | Absent = ABSENT, max_active_keys: int | None | Absent = ABSENT, max_subscriptions: int | None | Absent = ABSENT, metadata: dict[str, Any] | None | Absent = ABSENT, name: str | None | Absent = ABSENT, request_rate_limit: str | None | Absent = ABSENT) -> types.Owner:
        """Changes the record of a user."""
        return self._call(Table.change_user, locals())

    def commit_events(self, id: str, consumer: str, *, lease: str, organization: str | None = None, through: str | None | Absent = ABSENT) -> None:
        """Commits the events that a reader has handled."""
        return self._call(Table.commit_events, locals())

    def complete_sign_in(self, *, code: str | None = None, state: str | None = None, iss: str | None = None, error: str | None = None) -> str:
        return self._call(Table.complete_sign_in, locals())

    def count_organization_recoverable(self, organization_id: str, id: str, *, since: datetime, what: Literal["all", "failed", "missed"] | None = None, events: str | None = None) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry."""
        return self._call(Table.count_organization_recoverable, locals())

    def count_recoverable(self, id: str, *, since: datetime, what: Literal["all", "failed", "missed"] | None = None, events: str | None = None, organization: str | None = None) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry."""
        return self._call(Table.count_recoverable, locals())

    def count_user_recoverable(self, user_id: str, id: str, *, since: datetime, what: Literal["all", "failed", "missed"] | None = None, events: str | None = None) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry."""
        return self._call(Table.count_user_recoverable, locals())

    def create_api_key(self, *, label: str, organization: str | None = None, expires_at: datetime | None | Absent = ABSENT, id_token: str | None | Absent = ABSENT, metadata: dict[str, Any] | None = None, rate_limit: str | None | Absent = ABSENT, scopes: Sequence[str] | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Creates an API key. Only this answer contains the full key."""
        return self._call(Table.create_api_key, locals())

    def create_organization_api_key(self, organization_id: str, *, label: str, expires_at: datetime | None | Absent = ABSENT, metadata: dict[str, Any] | None = None, rate_limit: str | None | Absent = ABSENT, scopes: Sequence[str] | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Creates an API key. Only this answer contains the full key."""
        return self._call(Table.create_organization_api_key, locals())

    def create_user_api_key(self, user_id: str, *, label: str, expires_at: datetime | None | Absent = ABSENT, metadata: dict[str, Any] | None = None, rate_limit: str | None | Absent = ABSENT, scopes: Sequence[str] | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Creates an API key. Only this answer contains the full key."""
        return self._call(Table.create_user_api_key, locals())

    def create_portal_link(self, *, capabilities: Sequence[Literal["keys", "keys:read", "webhooks", "webhooks:read"]] | None | Absent = ABSENT, organization_id: str | None | Absent = ABSENT, return_url: str | None | Absent = ABSENT, ttl_seconds: int | None | Absent = ABSENT, user_id: str | None | Absent = ABSENT) -> types.PortalLink:
        """Makes a link by which a user enters the console without a sign-in. Send the browser of a user whom your application has authenticated to the URL at once: it works for five minutes, and once."""
        return self._call(Table.create_portal_link, locals())

    def create_organization_subscription(self, organization_id: str, *, events: Sequence[str], auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None | Absent = ABSENT, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None | Absent = ABSENT, ordering: Literal["none", "subscription"] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT, type: Literal["webhook", "pull"] | None | Absent = ABSENT, url: str | None = None) -> types.SubscriptionWithSecret:
        return self._call(Table.create_organization_subscription, locals())

    def create_subscription(self, *, events: Sequence[str], organization: str | None = None, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None | Absent = ABSENT, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None | Absent = ABSENT, ordering: Literal["none", "subscription"] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT, type: Literal["webhook", "pull"] | None | Absent = ABSENT, url: str | None = None) -> types.SubscriptionWithSecret:
        return self._call(Table.create_subscription, locals())

    def create_user_subscription(self, user_id: str, *, events: Sequence[str], auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None | Absent = ABSENT, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None | Absent = ABSENT, ordering: Literal["none", "subscription"] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT, type: Literal["webhook", "pull"] | None | Absent = ABSENT, url: str | None = None) -> types.SubscriptionWithSecret:
        return self._call(Table.create_user_subscription, locals())

    def delete_consumer(self, id: str, consumer: str, *, organization: str | None = None) -> None:
        return self._call(Table.delete_consumer, locals())

    def delete_organization_subscription(self, organization_id: str, id: str) -> None:
        return self._call(Table.delete_organization_subscription, locals())

    def delete_subscription(self, id: str, *, organization: str | None = None) -> None:
        return self._call(Table.delete_subscription, locals())

    def delete_user_subscription(self, user_id: str, id: str) -> None:
        return self._call(Table.delete_user_subscription, locals())

    def docs_file(self, file: str) -> bytes:
        """Returns a script, a style or a picture of the documentation page."""
        return self._call(Table.docs_file, locals())

    def docs_page(self) -> str:
        """Shows the API as an interactive page."""
        return self._call(Table.docs_page, locals())

    def end_current_session(self) -> None:
        """Signs out this browser."""
        return self._call(Table.end_current_session, locals())

    def end_organization_session(self, organization_id: str, id: str) -> types.SessionList:
        """Ends one session of the organization."""
        return self._call(Table.end_organization_session, locals())

    def end_session(self, id: str, *, organization: str | None = None) -> types.SessionList:
        """Ends one session of the user."""
        return self._call(Table.end_session, locals())

    def end_user_session(self, user_id: str, id: str) -> types.SessionList:
        """Ends one session of the user."""
        return self._call(Table.end_user_session, locals())

    def end_organization_sessions(self, organization_id: str) -> types.SessionList:
        """Ends all sessions of the organization."""
        return self._call(Table.end_organization_sessions, locals())

    def end_sessions(self, *, keep_current: bool | None = None, organization: str | None = None) -> types.SessionList:
        """Ends all sessions of the user."""
        return self._call(Table.end_sessions, locals())

    def end_user_sessions(self, user_id: str) -> types.SessionList:
        """Ends all sessions of the user."""
        return self._call(Table.end_user_sessions, locals())

    def erase_organization(self, organization_id: str, *, confirm: str) -> types.Owner:
        return self._call(Table.erase_organization, locals())

    def erase_user(self, user_id: str, *, confirm: str) -> types.Owner:
        return self._call(Table.erase_user, locals())

    def error_index(self) -> str:
        """Lists all error codes."""
        return self._call(Table.error_index, locals())

    def error_page(self, code: str) -> str:
        """Explains the cause and the cure of an error code."""
        return self._call(Table.error_page, locals())

    def export_event_types(self, *, organization: str | None = None) -> Any:
        """Exports the types of events as an OpenAPI document."""
        return self._call(Table.export_event_types, locals())

    def favicon(self) -> bytes:
        """Returns an icon for browsers."""
        return self._call(Table.favicon, locals())

    def find_command_line_client(self) -> types.CommandLineClient:
        """Reports how a command line signs in."""
        return self._call(Table.find_command_line_client, locals())

    def find_current_session(self) -> types.CurrentSession:
        """Shows who is signed in."""
        return self._call(Table.find_current_session, locals())

    def find_delivery(self, id: str, *, organization: str | None = None) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt."""
        return self._call(Table.find_delivery, locals())

    def find_organization_delivery(self, organization_id: str, id: str) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt."""
        return self._call(Table.find_organization_delivery, locals())

    def find_user_delivery(self, user_id: str, id: str) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt."""
        return self._call(Table.find_user_delivery, locals())

    def find_event(self, id: str) -> types.LoggedEvent:
        """Shows a published event with its payload."""
        return self._call(Table.find_event, locals())

    def find_any_event_type(self, name: str) -> types.EventType:
        """Shows an event type, also a hidden or archived one."""
        return self._call(Table.find_any_event_type, locals())

    def find_event_type(self, name: str, *, organization: str | None = None) -> types.EventType:
        """Shows a type of events with its schema and examples."""
        return self._call(Table.find_event_type, locals())

    def find_log_filter(self) -> types.LogFilter:
        """Shows the log filter of the instance that answers."""
        return self._call(Table.find_log_filter, locals())

    def find_organization(self, organization_id: str) -> types.Owner:
        """Shows the record of an organization."""
        return self._call(Table.find_organization, locals())

    def find_organization_subscription(self, organization_id: str, id: str) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health."""
        return self._call(Table.find_organization_subscription, locals())

    def find_subscription(self, id: str, *, organization: str | None = None) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health."""
        return self._call(Table.find_subscription, locals())

    def find_user_subscription(self, user_id: str, id: str) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health."""
        return self._call(Table.find_user_subscription, locals())

    def find_system_state(self) -> types.SystemState:
        """Shows the state of the instance that answers, and of the store."""
        return self._call(Table.find_system_state, locals())

    def find_user(self, user_id: str) -> types.Owner:
        """Shows the record of a user."""
        return self._call(Table.find_user, locals())

    def forward_auth(self, *, scope: Sequence[str] | None = None, profile: Literal["nginx"] | None = None) -> None:
        """Decides for a gateway whether a request may pass."""
        return self._call(Table.forward_auth, locals())

    def forward_auth_of_path(self, tail: str) -> None:
        """Decides the same for a gateway that appends the path of the request, like Envoy with its `path_prefix`."""
        return self._call(Table.forward_auth_of_path, locals())

    def health(self, *, verbose: str | None = None, for_: Literal["verify"] | None = None) -> types.Readiness:
        """Reports the same as `/readyz`."""
        return self._call(Table.health, locals())

    def import_event_types(self, *, dry_run: bool | None = None, force: bool | None = None, openapi: dict[str, Any] | None = None, prune: bool | None = None, types: Sequence[types.NewEventType] | None = None) -> types.ImportedEventTypes:
        """Makes the catalogue have these event types."""
        return self._call(Table.import_event_types, locals())

    def introspect(self, *, token: str, scopes: Sequence[str] | None | Absent = ABSENT) -> types.Introspection:
        """Verifies an API key and returns its owner (RFC 7662)."""
        return self._call(Table.introspect, locals())

    def list_api_keys(self, *, organization: str | None = None) -> types.KeyList:
        return self._call(Table.list_api_keys, locals())

    def list_organization_api_keys(self, organization_id: str) -> types.KeyList:
        return self._call(Table.list_organization_api_keys, locals())

    def list_user_api_keys(self, user_id: str) -> types.KeyList:
        return self._call(Table.list_user_api_keys, locals())

    def list_all_audit_events(self, *, user_id: str | None = None, organization_id: str | None = None, actor: str | None = None, action: Action | None = None, target: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> Pages[types.AuditPage, types.AuditEvent]:
        """Lists audit events, newest first."""
        return Pages(self._call, "events", Table.list_all_audit_events, locals())

    def list_audit_events(self, *, action: Action | None = None, target: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None, organization: str | None = None) -> Pages[types.AuditPage, types.AuditEvent]:
        """Lists the caller's audit events, newest first."""
        return Pages(self._call, "events", Table.list_audit_events, locals())

    def list_organization_audit_events(self, organization_id: str, *, action: Action | None = None, target: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> Pages[types.AuditPage, types.AuditEvent]:
        """Lists the organization's audit events, newest first."""
        return Pages(self._call, "events", Table.list_organization_audit_events, locals())

    def list_user_audit_events(self, user_id: str, *, action: Action | None = None, target: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> Pages[types.AuditPage, types.AuditEvent]:
        """Lists the user's audit events, newest first."""
        return Pages(self._call, "events", Table.list_user_audit_events, locals())

    def list_consumers(self, id: str, *, organization: str | None = None) -> types.Consumers:
        """Lists the consumers of a subscription that is pulled."""
        return self._call(Table.list_consumers, locals())

    def list_organization_consumers(self, organization_id: str, id: str) -> types.Consumers:
        """Lists the consumers of a subscription that is pulled."""
        return self._call(Table.list_organization_consumers, locals())

    def list_user_consumers(self, user_id: str, id: str) -> types.Consumers:
        """Lists the consumers of a subscription that is pulled."""
        return self._call(Table.list_user_consumers, locals())

    def list_deliveries(self, *, subscription_id: str | None = None, event_type: str | None = None, state: State | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None, organization: str | None = None) -> Pages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the caller's webhook subscriptions, newest first."""
        return Pages(self._call, "deliveries", Table.list_deliveries, locals())

    def list_organization_deliveries(self, organization_id: str, *, subscription_id: str | None = None, event_type: str | None = None, state: State | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> Pages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the organization's webhook subscriptions, newest first."""
        return Pages(self._call, "deliveries", Table.list_organization_deliveries, locals())

    def list_user_deliveries(self, user_id: str, *, subscription_id: str | None = None, event_type: str | None = None, state: State | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> Pages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the user's webhook subscriptions, newest first."""
        return Pages(self._call, "deliveries", Table.list_user_deliveries, locals())

    def list_all_event_types(self) -> types.EventTypeList:
        """Lists all event types, also hidden and archived ones."""
        return self._call(Table.list_all_event_types, locals())

    def list_event_types(self, *, organization: str | None = None) -> types.EventTypeList:
        """Lists the types of events that webhooks have."""
        return self._call(Table.list_event_types, locals())


class AsyncOperations1(AsyncCalls):
    async def archive_event_type(self, name: str) -> types.WrittenEventType:
        return await self._call(Table.archive_event_type, locals())

    async def begin_visit(self, *, code: str) -> types.Visit:
        """Signs a visitor in by a portal link."""
        return await self._call(Table.begin_visit, locals())

    async def cancel_delivery(self, id: str, *, organization: str | None = None) -> types.ChangedDelivery:
        return await self._call(Table.cancel_delivery, locals())

    async def cancel_organization_delivery(self, organization_id: str, id: str) -> types.ChangedDelivery:
        return await self._call(Table.cancel_organization_delivery, locals())

    async def cancel_user_delivery(self, user_id: str, id: str) -> types.ChangedDelivery:
        return await self._call(Table.cancel_user_delivery, locals())

    async def change_api_key(self, key_id: str, *, organization: str | None = None, disabled: bool | None = None, expires_at: datetime | None = None, id_token: str | None = None, label: str | None = None, metadata: dict[str, Any] | None | Absent = ABSENT, rate_limit: str | None | Absent = ABSENT) -> types.KeyRecord:
        return await self._call(Table.change_api_key, locals())

    async def change_organization_api_key(self, organization_id: str, key_id: str, *, disabled: bool | None = None, expires_at: datetime | None = None, label: str | None = None, metadata: dict[str, Any] | None | Absent = ABSENT, rate_limit: str | None | Absent = ABSENT) -> types.KeyRecord:
        return await self._call(Table.change_organization_api_key, locals())

    async def change_user_api_key(self, user_id: str, key_id: str, *, disabled: bool | None = None, expires_at: datetime | None = None, label: str | None = None, metadata: dict[str, Any] | None | Absent = ABSENT, rate_limit: str | None | Absent = ABSENT) -> types.KeyRecord:
        return await self._call(Table.change_user_api_key, locals())

    async def change_log_filter(self, *, filter: str) -> types.LogFilterChanged:
        """Changes the log filter of the instance that answers."""
        return await self._call(Table.change_log_filter, locals())

    async def change_organization(self, organization_id: str, *, email: str | None | Absent = ABSENT, key_rate_limit: str | None | Absent = ABSENT, max_active_keys: int | None | Absent = ABSENT, max_subscriptions: int | None | Absent = ABSENT, metadata: dict[str, Any] | None | Absent = ABSENT, name: str | None | Absent = ABSENT, request_rate_limit: str | None | Absent = ABSENT) -> types.Owner:
        """Changes the record of an organization."""
        return await self._call(Table.change_organization, locals())

    async def change_organization_subscription(self, organization_id: str, id: str, *, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None = None, enabled: bool | None = None, events: Sequence[str] | None = None, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None = None, url: str | None = None) -> types.ChangedSubscription:
        return await self._call(Table.change_organization_subscription, locals())

    async def change_subscription(self, id: str, *, organization: str | None = None, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None = None, enabled: bool | None = None, events: Sequence[str] | None = None, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None = None, url: str | None = None) -> types.ChangedSubscription:
        return await self._call(Table.change_subscription, locals())

    async def change_user_subscription(self, user_id: str, id: str, *, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None = None, enabled: bool | None = None, events: Sequence[str] | None = None, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None = None, url: str | None = None) -> types.ChangedSubscription:
        return await self._call(Table.change_user_subscription, locals())

    async def change_user(self, user_id: str, *, email: str | None | Absent = ABSENT, key_rate_limit: str | None | Absent = ABSENT, max_active_keys: int | None | Absent = ABSENT, max_subscriptions: int | None | Absent = ABSENT, metadata: dict[str, Any] | None | Absent = ABSENT, name: str | None | Absent = ABSENT, request_rate_limit: str | None | Absent = ABSENT) -> types.Owner:
        """Changes the record of a user."""
        return await self._call(Table.change_user, locals())

    async def commit_events(self, id: str, consumer: str, *, lease: str, organization: str | None = None, through: str | None | Absent = ABSENT) -> None:
        """Commits the events that a reader has handled."""
        return await self._call(Table.commit_events, locals())

    async def complete_sign_in(self, *, code: str | None = None, state: str | None = None, iss: str | None = None, error: str | None = None) -> str:
        return await self._call(Table.complete_sign_in, locals())

    async def count_organization_recoverable(self, organization_id: str, id: str, *, since: datetime, what: Literal["all", "failed", "missed"] | None = None, events: str | None = None) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry."""
        return await self._call(Table.count_organization_recoverable, locals())

    async def count_recoverable(self, id: str, *, since: datetime, what: Literal["all", "failed", "missed"] | None = None, events: str | None = None, organization: str | None = None) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry."""
        return await self._call(Table.count_recoverable, locals())

    async def count_user_recoverable(self, user_id: str, id: str, *, since: datetime, what: Literal["all", "failed", "missed"] | None = None, events: str | None = None) -> types.RecoverableDeliveries:
        """Counts the deliveries that a recovery of a webhook subscription would retry."""
        return await self._call(Table.count_user_recoverable, locals())

    async def create_api_key(self, *, label: str, organization: str | None = None, expires_at: datetime | None | Absent = ABSENT, id_token: str | None | Absent = ABSENT, metadata: dict[str, Any] | None = None, rate_limit: str | None | Absent = ABSENT, scopes: Sequence[str] | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Creates an API key. Only this answer contains the full key."""
        return await self._call(Table.create_api_key, locals())

    async def create_organization_api_key(self, organization_id: str, *, label: str, expires_at: datetime | None | Absent = ABSENT, metadata: dict[str, Any] | None = None, rate_limit: str | None | Absent = ABSENT, scopes: Sequence[str] | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Creates an API key. Only this answer contains the full key."""
        return await self._call(Table.create_organization_api_key, locals())

    async def create_user_api_key(self, user_id: str, *, label: str, expires_at: datetime | None | Absent = ABSENT, metadata: dict[str, Any] | None = None, rate_limit: str | None | Absent = ABSENT, scopes: Sequence[str] | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Creates an API key. Only this answer contains the full key."""
        return await self._call(Table.create_user_api_key, locals())

    async def create_portal_link(self, *, capabilities: Sequence[Literal["keys", "keys:read", "webhooks", "webhooks:read"]] | None | Absent = ABSENT, organization_id: str | None | Absent = ABSENT, return_url: str | None | Absent = ABSENT, ttl_seconds: int | None | Absent = ABSENT, user_id: str | None | Absent = ABSENT) -> types.PortalLink:
        """Makes a link by which a user enters the console without a sign-in. Send the browser of a user whom your application has authenticated to the URL at once: it works for five minutes, and once."""
        return await self._call(Table.create_portal_link, locals())

    async def create_organization_subscription(self, organization_id: str, *, events: Sequence[str], auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None | Absent = ABSENT, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None | Absent = ABSENT, ordering: Literal["none", "subscription"] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT, type: Literal["webhook", "pull"] | None | Absent = ABSENT, url: str | None = None) -> types.SubscriptionWithSecret:
        return await self._call(Table.create_organization_subscription, locals())

    async def create_subscription(self, *, events: Sequence[str], organization: str | None = None, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None | Absent = ABSENT, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None | Absent = ABSENT, ordering: Literal["none", "subscription"] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT, type: Literal["webhook", "pull"] | None | Absent = ABSENT, url: str | None = None) -> types.SubscriptionWithSecret:
        return await self._call(Table.create_subscription, locals())

    async def create_user_subscription(self, user_id: str, *, events: Sequence[str], auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, description: str | None | Absent = ABSENT, filter: dict[str, Any] | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, max_per_second: float | None | Absent = ABSENT, on_exhausted: Literal["skip", "stop"] | None | Absent = ABSENT, ordering: Literal["none", "subscription"] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT, type: Literal["webhook", "pull"] | None | Absent = ABSENT, url: str | None = None) -> types.SubscriptionWithSecret:
        return await self._call(Table.create_user_subscription, locals())

    async def delete_consumer(self, id: str, consumer: str, *, organization: str | None = None) -> None:
        return await self._call(Table.delete_consumer, locals())

    async def delete_organization_subscription(self, organization_id: str, id: str) -> None:
        return await self._call(Table.delete_organization_subscription, locals())

    async def delete_subscription(self, id: str, *, organization: str | None = None) -> None:
        return await self._call(Table.delete_subscription, locals())

    async def delete_user_subscription(self, user_id: str, id: str) -> None:
        return await self._call(Table.delete_user_subscription, locals())

    async def docs_file(self, file: str) -> bytes:
        """Returns a script, a style or a picture of the documentation page."""
        return await self._call(Table.docs_file, locals())

    async def docs_page(self) -> str:
        """Shows the API as an interactive page."""
        return await self._call(Table.docs_page, locals())

    async def end_current_session(self) -> None:
        """Signs out this browser."""
        return await self._call(Table.end_current_session, locals())

    async def end_organization_session(self, organization_id: str, id: str) -> types.SessionList:
        """Ends one session of the organization."""
        return await self._call(Table.end_organization_session, locals())

    async def end_session(self, id: str, *, organization: str | None = None) -> types.SessionList:
        """Ends one session of the user."""
        return await self._call(Table.end_session, locals())

    async def end_user_session(self, user_id: str, id: str) -> types.SessionList:
        """Ends one session of the user."""
        return await self._call(Table.end_user_session, locals())

    async def end_organization_sessions(self, organization_id: str) -> types.SessionList:
        """Ends all sessions of the organization."""
        return await self._call(Table.end_organization_sessions, locals())

    async def end_sessions(self, *, keep_current: bool | None = None, organization: str | None = None) -> types.SessionList:
        """Ends all sessions of the user."""
        return await self._call(Table.end_sessions, locals())

    async def end_user_sessions(self, user_id: str) -> types.SessionList:
        """Ends all sessions of the user."""
        return await self._call(Table.end_user_sessions, locals())

    async def erase_organization(self, organization_id: str, *, confirm: str) -> types.Owner:
        return await self._call(Table.erase_organization, locals())

    async def erase_user(self, user_id: str, *, confirm: str) -> types.Owner:
        return await self._call(Table.erase_user, locals())

    async def error_index(self) -> str:
        """Lists all error codes."""
        return await self._call(Table.error_index, locals())

    async def error_page(self, code: str) -> str:
        """Explains the cause and the cure of an error code."""
        return await self._call(Table.error_page, locals())

    async def export_event_types(self, *, organization: str | None = None) -> Any:
        """Exports the types of events as an OpenAPI document."""
        return await self._call(Table.export_event_types, locals())

    async def favicon(self) -> bytes:
        """Returns an icon for browsers."""
        return await self._call(Table.favicon, locals())

    async def find_command_line_client(self) -> types.CommandLineClient:
        """Reports how a command line signs in."""
        return await self._call(Table.find_command_line_client, locals())

    async def find_current_session(self) -> types.CurrentSession:
        """Shows who is signed in."""
        return await self._call(Table.find_current_session, locals())

    async def find_delivery(self, id: str, *, organization: str | None = None) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt."""
        return await self._call(Table.find_delivery, locals())

    async def find_organization_delivery(self, organization_id: str, id: str) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt."""
        return await self._call(Table.find_organization_delivery, locals())

    async def find_user_delivery(self, user_id: str, id: str) -> types.DeliveryHistory:
        """Shows a delivery, its event and the result of each attempt."""
        return await self._call(Table.find_user_delivery, locals())

    async def find_event(self, id: str) -> types.LoggedEvent:
        """Shows a published event with its payload."""
        return await self._call(Table.find_event, locals())

    async def find_any_event_type(self, name: str) -> types.EventType:
        """Shows an event type, also a hidden or archived one."""
        return await self._call(Table.find_any_event_type, locals())

    async def find_event_type(self, name: str, *, organization: str | None = None) -> types.EventType:
        """Shows a type of events with its schema and examples."""
        return await self._call(Table.find_event_type, locals())

    async def find_log_filter(self) -> types.LogFilter:
        """Shows the log filter of the instance that answers."""
        return await self._call(Table.find_log_filter, locals())

    async def find_organization(self, organization_id: str) -> types.Owner:
        """Shows the record of an organization."""
        return await self._call(Table.find_organization, locals())

    async def find_organization_subscription(self, organization_id: str, id: str) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health."""
        return await self._call(Table.find_organization_subscription, locals())

    async def find_subscription(self, id: str, *, organization: str | None = None) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health."""
        return await self._call(Table.find_subscription, locals())

    async def find_user_subscription(self, user_id: str, id: str) -> types.SubscriptionWithHealth:
        """Shows a webhook subscription and its health."""
        return await self._call(Table.find_user_subscription, locals())

    async def find_system_state(self) -> types.SystemState:
        """Shows the state of the instance that answers, and of the store."""
        return await self._call(Table.find_system_state, locals())

    async def find_user(self, user_id: str) -> types.Owner:
        """Shows the record of a user."""
        return await self._call(Table.find_user, locals())

    async def forward_auth(self, *, scope: Sequence[str] | None = None, profile: Literal["nginx"] | None = None) -> None:
        """Decides for a gateway whether a request may pass."""
        return await self._call(Table.forward_auth, locals())

    async def forward_auth_of_path(self, tail: str) -> None:
        """Decides the same for a gateway that appends the path of the request, like Envoy with its `path_prefix`."""
        return await self._call(Table.forward_auth_of_path, locals())

    async def health(self, *, verbose: str | None = None, for_: Literal["verify"] | None = None) -> types.Readiness:
        """Reports the same as `/readyz`."""
        return await self._call(Table.health, locals())

    async def import_event_types(self, *, dry_run: bool | None = None, force: bool | None = None, openapi: dict[str, Any] | None = None, prune: bool | None = None, types: Sequence[types.NewEventType] | None = None) -> types.ImportedEventTypes:
        """Makes the catalogue have these event types."""
        return await self._call(Table.import_event_types, locals())

    async def introspect(self, *, token: str, scopes: Sequence[str] | None | Absent = ABSENT) -> types.Introspection:
        """Verifies an API key and returns its owner (RFC 7662)."""
        return await self._call(Table.introspect, locals())

    async def list_api_keys(self, *, organization: str | None = None) -> types.KeyList:
        return await self._call(Table.list_api_keys, locals())

    async def list_organization_api_keys(self, organization_id: str) -> types.KeyList:
        return await self._call(Table.list_organization_api_keys, locals())

    async def list_user_api_keys(self, user_id: str) -> types.KeyList:
        return await self._call(Table.list_user_api_keys, locals())

    def list_all_audit_events(self, *, user_id: str | None = None, organization_id: str | None = None, actor: str | None = None, action: Action | None = None, target: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> AsyncPages[types.AuditPage, types.AuditEvent]:
        """Lists audit events, newest first."""
        return AsyncPages(self._call, "events", Table.list_all_audit_events, locals())

    def list_audit_events(self, *, action: Action | None = None, target: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None, organization: str | None = None) -> AsyncPages[types.AuditPage, types.AuditEvent]:
        """Lists the caller's audit events, newest first."""
        return AsyncPages(self._call, "events", Table.list_audit_events, locals())

    def list_organization_audit_events(self, organization_id: str, *, action: Action | None = None, target: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> AsyncPages[types.AuditPage, types.AuditEvent]:
        """Lists the organization's audit events, newest first."""
        return AsyncPages(self._call, "events", Table.list_organization_audit_events, locals())

    def list_user_audit_events(self, user_id: str, *, action: Action | None = None, target: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> AsyncPages[types.AuditPage, types.AuditEvent]:
        """Lists the user's audit events, newest first."""
        return AsyncPages(self._call, "events", Table.list_user_audit_events, locals())

    async def list_consumers(self, id: str, *, organization: str | None = None) -> types.Consumers:
        """Lists the consumers of a subscription that is pulled."""
        return await self._call(Table.list_consumers, locals())

    async def list_organization_consumers(self, organization_id: str, id: str) -> types.Consumers:
        """Lists the consumers of a subscription that is pulled."""
        return await self._call(Table.list_organization_consumers, locals())

    async def list_user_consumers(self, user_id: str, id: str) -> types.Consumers:
        """Lists the consumers of a subscription that is pulled."""
        return await self._call(Table.list_user_consumers, locals())

    def list_deliveries(self, *, subscription_id: str | None = None, event_type: str | None = None, state: State | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None, organization: str | None = None) -> AsyncPages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the caller's webhook subscriptions, newest first."""
        return AsyncPages(self._call, "deliveries", Table.list_deliveries, locals())

    def list_organization_deliveries(self, organization_id: str, *, subscription_id: str | None = None, event_type: str | None = None, state: State | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> AsyncPages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the organization's webhook subscriptions, newest first."""
        return AsyncPages(self._call, "deliveries", Table.list_organization_deliveries, locals())

    def list_user_deliveries(self, user_id: str, *, subscription_id: str | None = None, event_type: str | None = None, state: State | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> AsyncPages[types.DeliveryPage, types.Delivery]:
        """Lists deliveries to the user's webhook subscriptions, newest first."""
        return AsyncPages(self._call, "deliveries", Table.list_user_deliveries, locals())

    async def list_all_event_types(self) -> types.EventTypeList:
        """Lists all event types, also hidden and archived ones."""
        return await self._call(Table.list_all_event_types, locals())

    async def list_event_types(self, *, organization: str | None = None) -> types.EventTypeList:
        """Lists the types of events that webhooks have."""
        return await self._call(Table.list_event_types, locals())


class Operations2(Calls):
    def list_events(self, *, user_id: str | None = None, organization_id: str | None = None, type: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> Pages[types.EventPage, types.LoggedEvent]:
        """Lists published events, newest first."""
        return Pages(self._call, "events", Table.list_events, locals())

    def list_failing_subscriptions(self, *, cursor: str | None = None, limit: int | None = None) -> Pages[types.FailingSubscriptionPage, types.FailingSubscription]:
        """Lists the failing subscriptions of all users."""
        return Pages(self._call, "subscriptions", Table.list_failing_subscriptions, locals())

    def list_failures(self, *, subscription_id: str | None = None, organization: str | None = None) -> types.Failures:
        """Lists the caller's failed deliveries, grouped by cause."""
        return self._call(Table.list_failures, locals())

    def list_organization_failures(self, organization_id: str, *, subscription_id: str | None = None) -> types.Failures:
        """Lists the organization's failed deliveries, grouped by cause."""
        return self._call(Table.list_organization_failures, locals())

    def list_user_failures(self, user_id: str, *, subscription_id: str | None = None) -> types.Failures:
        """Lists the user's failed deliveries, grouped by cause."""
        return self._call(Table.list_user_failures, locals())

    def list_owners(self, *, query: str | None = None, state: Literal["active", "suspended"] | None = None, cursor: str | None = None, limit: int | None = None) -> Pages[types.OwnerPage, types.ListedOwner]:
        """Finds users and organizations."""
        return Pages(self._call, "owners", Table.list_owners, locals())

    def list_organization_sessions(self, organization_id: str) -> types.SessionList:
        return self._call(Table.list_organization_sessions, locals())

    def list_sessions(self, *, organization: str | None = None) -> types.SessionList:
        """Lists the sessions of the user."""
        return self._call(Table.list_sessions, locals())

    def list_user_sessions(self, user_id: str) -> types.SessionList:
        return self._call(Table.list_user_sessions, locals())

    def list_organization_subscriptions(self, organization_id: str, *, cursor: str | None = None, limit: int | None = None, include: Literal["health"] | None = None) -> Pages[types.SubscriptionPage, types.Subscription]:
        """Lists the organization's webhook subscriptions, newest first."""
        return Pages(self._call, "subscriptions", Table.list_organization_subscriptions, locals())

    def list_subscriptions(self, *, cursor: str | None = None, limit: int | None = None, include: Literal["health"] | None = None, organization: str | None = None) -> Pages[types.SubscriptionPage, types.Subscription]:
        """Lists the caller's webhook subscriptions, newest first."""
        return Pages(self._call, "subscriptions", Table.list_subscriptions, locals())

    def list_user_subscriptions(self, user_id: str, *, cursor: str | None = None, limit: int | None = None, include: Literal["health"] | None = None) -> Pages[types.SubscriptionPage, types.Subscription]:
        """Lists the user's webhook subscriptions, newest first."""
        return Pages(self._call, "subscriptions", Table.list_user_subscriptions, locals())

    def live(self) -> types.Liveness:
        """Reports that the process is alive."""
        return self._call(Table.live, locals())

    def openapi_document(self) -> dict[str, Any]:
        """Returns this document."""
        return self._call(Table.openapi_document, locals())

    def publish_event(self, *, data: Any, type: str, id: str | None = None, organization_id: str | None | Absent = ABSENT, user_id: str | None | Absent = ABSENT) -> types.PublishedEvent:
        """Publishes an event. If an event with the same `id`, owner, `type` and exactly the same bytes of `data` exists, the answer is that event with `duplicate: true`. If the `type` or the `data` differ, the answer is a 409."""
        return self._call(Table.publish_event, locals())

    def publish_events(self, *, events: Sequence[types.PublishEvent]) -> types.PublishedEvents:
        """Publishes up to 500 events, either all or none."""
        return self._call(Table.publish_events, locals())

    def put_event_type(self, name: str, *, deprecated: types.PutDeprecation | None = None, description: str | None = None, examples: Sequence[Any] | None = None, force: bool | None = None, schema: dict[str, Any] | None = None, title: str | None = None, validation: Literal["off", "warn", "enforce"] | None = None, visibility: Literal["public", "hidden"] | None = None) -> types.WrittenEventType:
        """Creates or changes an event type."""
        return self._call(Table.put_event_type, locals())

    def read_events(self, id: str, *, cursor: str | None = None, limit: int | None = None, organization: str | None = None) -> types.LoggedEvents:
        """Reads a page of the log of a pull subscription, for a reader that stores its own position."""
        return self._call(Table.read_events, locals())

    def read_organization_events(self, organization_id: str, id: str, *, cursor: str | None = None, limit: int | None = None) -> types.LoggedEvents:
        """Reads a page of the log of a pull subscription, for a reader that stores its own position."""
        return self._call(Table.read_organization_events, locals())

    def read_user_events(self, user_id: str, id: str, *, cursor: str | None = None, limit: int | None = None) -> types.LoggedEvents:
        """Reads a page of the log of a pull subscription, for a reader that stores its own position."""
        return self._call(Table.read_user_events, locals())

    def ready(self, *, verbose: str | None = None, for_: Literal["verify"] | None = None) -> types.Readiness:
        """Reports whether the service can serve requests."""
        return self._call(Table.ready, locals())

    def receive_events(self, id: str, consumer: str, *, organization: str | None = None, lease_seconds: int | None = None, limit: int | None = None, wait: int | None = None) -> types.ReceivedEvents:
        """Receives the next events of a consumer, in the order of the log."""
        return self._call(Table.receive_events, locals())

    def recover_organization_subscription(self, organization_id: str, id: str, *, since: datetime, events: Sequence[str] | None = None, what: Literal["all", "failed", "missed"] | None = None) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries."""
        return self._call(Table.recover_organization_subscription, locals())

    def recover_subscription(self, id: str, *, since: datetime, organization: str | None = None, events: Sequence[str] | None = None, what: Literal["all", "failed", "missed"] | None = None) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries."""
        return self._call(Table.recover_subscription, locals())

    def recover_user_subscription(self, user_id: str, id: str, *, since: datetime, events: Sequence[str] | None = None, what: Literal["all", "failed", "missed"] | None = None) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries."""
        return self._call(Table.recover_user_subscription, locals())

    def report_leaks(self, *, tokens: Sequence[str]) -> types.LeaksReported:
        """Revokes leaked API keys."""
        return self._call(Table.report_leaks, locals())

    def retry_delivery(self, id: str, *, organization: str | None = None) -> types.ChangedDelivery:
        """Retries a delivery now."""
        return self._call(Table.retry_delivery, locals())

    def retry_organization_delivery(self, organization_id: str, id: str) -> types.ChangedDelivery:
        """Retries a delivery now."""
        return self._call(Table.retry_organization_delivery, locals())

    def retry_user_delivery(self, user_id: str, id: str) -> types.ChangedDelivery:
        """Retries a delivery now."""
        return self._call(Table.retry_user_delivery, locals())

    def retry_failures(self, *, subscription_id: str, organization: str | None = None, error: Error | None | Absent = ABSENT, status: int | None | Absent = ABSENT) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause."""
        return self._call(Table.retry_failures, locals())

    def retry_organization_failures(self, organization_id: str, *, subscription_id: str, error: Error | None | Absent = ABSENT, status: int | None | Absent = ABSENT) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause."""
        return self._call(Table.retry_organization_failures, locals())

    def retry_user_failures(self, user_id: str, *, subscription_id: str, error: Error | None | Absent = ABSENT, status: int | None | Absent = ABSENT) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause."""
        return self._call(Table.retry_user_failures, locals())

    def revoke_api_key(self, *, key_id: str, organization: str | None = None, id_token: str | None | Absent = ABSENT) -> types.KeyList:
        return self._call(Table.revoke_api_key, locals())

    def revoke_organization_api_key(self, organization_id: str, key_id: str) -> types.KeyList:
        return self._call(Table.revoke_organization_api_key, locals())

    def revoke_user_api_key(self, user_id: str, key_id: str) -> types.KeyList:
        return self._call(Table.revoke_user_api_key, locals())

    def revoke_organization_api_keys(self, organization_id: str, *, created_before: datetime | None = None) -> types.KeysRevoked:
        """Revokes all API keys of an organization."""
        return self._call(Table.revoke_organization_api_keys, locals())

    def revoke_user_api_keys(self, user_id: str, *, created_before: datetime | None = None) -> types.KeysRevoked:
        """Revokes all API keys of a user."""
        return self._call(Table.revoke_user_api_keys, locals())

    def rotate_api_key(self, key_id: str, *, organization: str | None = None, id_token: str | None | Absent = ABSENT, overlap_seconds: int | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Replaces an API key by a new one."""
        return self._call(Table.rotate_api_key, locals())

    def rotate_organization_api_key(self, organization_id: str, key_id: str, *, overlap_seconds: int | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Replaces an API key by a new one."""
        return self._call(Table.rotate_organization_api_key, locals())

    def rotate_user_api_key(self, user_id: str, key_id: str, *, overlap_seconds: int | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Replaces an API key by a new one."""
        return self._call(Table.rotate_user_api_key, locals())

    def rotate_organization_secret(self, organization_id: str, id: str, *, idempotency_key: str | None = None, overlap_seconds: int | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both."""
        return self._call(Table.rotate_organization_secret, locals())

    def rotate_secret(self, id: str, *, idempotency_key: str | None = None, organization: str | None = None, overlap_seconds: int | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both."""
        return self._call(Table.rotate_secret, locals())

    def rotate_user_secret(self, user_id: str, id: str, *, idempotency_key: str | None = None, overlap_seconds: int | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both."""
        return self._call(Table.rotate_user_secret, locals())

    def seek_consumer(self, id: str, consumer: str, *, to: str, organization: str | None = None) -> None:
        """Moves a consumer."""
        return self._call(Table.seek_consumer, locals())

    def set_organization_state(self, organization_id: str, *, state: Literal["active", "suspended"], reason: str | None = None) -> types.Owner:
        """Suspends an organization, or makes an organization active again."""
        return self._call(Table.set_organization_state, locals())

    def set_user_state(self, user_id: str, *, state: Literal["active", "suspended"], reason: str | None = None) -> types.Owner:
        """Suspends a user, or makes a user active again."""
        return self._call(Table.set_user_state, locals())

    def show_attempt_times(self, id: str, *, organization: str | None = None) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took."""
        return self._call(Table.show_attempt_times, locals())

    def show_organization_attempt_times(self, organization_id: str, id: str) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took."""
        return self._call(Table.show_organization_attempt_times, locals())

    def show_user_attempt_times(self, user_id: str, id: str) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took."""
        return self._call(Table.show_user_attempt_times, locals())

    def show_daily_uses(self, *, organization: str | None = None) -> types.DailyUses:
        """Shows how often the caller's active API keys were used in each of the last 30 days."""
        return self._call(Table.show_daily_uses, locals())

    def show_organization_daily_uses(self, organization_id: str) -> types.DailyUses:
        """Shows how often the organization's active API keys were used in each of the last 30 days."""
        return self._call(Table.show_organization_daily_uses, locals())

    def show_user_daily_uses(self, user_id: str) -> types.DailyUses:
        """Shows how often the user's active API keys were used in each of the last 30 days."""
        return self._call(Table.show_user_daily_uses, locals())

    def show_key_usage(self, key_id: str, *, hours: int | None = None, until: datetime | None = None, organization: str | None = None) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour."""
        return self._call(Table.show_key_usage, locals())

    def show_organization_key_usage(self, organization_id: str, key_id: str, *, hours: int | None = None, until: datetime | None = None) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour."""
        return self._call(Table.show_organization_key_usage, locals())

    def show_user_key_usage(self, user_id: str, key_id: str, *, hours: int | None = None, until: datetime | None = None) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour."""
        return self._call(Table.show_user_key_usage, locals())

    def show_organization_outcomes(self, organization_id: str, *, hours: int | None = None, until: datetime | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the organization's subscriptions ended, by the hour."""
        return self._call(Table.show_organization_outcomes, locals())

    def show_outcomes(self, *, hours: int | None = None, until: datetime | None = None, organization: str | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the caller's subscriptions ended, by the hour."""
        return self._call(Table.show_outcomes, locals())

    def show_user_outcomes(self, user_id: str, *, hours: int | None = None, until: datetime | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the user's subscriptions ended, by the hour."""
        return self._call(Table.show_user_outcomes, locals())

    def show_organization_subscription_outcomes(self, organization_id: str, id: str, *, hours: int | None = None, until: datetime | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour."""
        return self._call(Table.show_organization_subscription_outcomes, locals())

    def show_subscription_outcomes(self, id: str, *, hours: int | None = None, until: datetime | None = None, organization: str | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour."""
        return self._call(Table.show_subscription_outcomes, locals())

    def show_user_subscription_outcomes(self, user_id: str, id: str, *, hours: int | None = None, until: datetime | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour."""
        return self._call(Table.show_user_subscription_outcomes, locals())

    def show_webhook_keys(self, id: str) -> types.PublicKeySet:
        """Shows the public keys of a webhook subscription."""
        return self._call(Table.show_webhook_keys, locals())

    def sign_in(self, *, next: str | None = None) -> Location:
        """Begins to sign in."""
        return self._call(Table.sign_in, locals())

    def sign_out(self) -> str:
        return self._call(Table.sign_out, locals())

    def stream_attempts(self, *, subscription_id: str | None = None, last_event_id: str | None = None, organization: str | None = None) -> Iterator[types.StreamedAttempt]:
        """Streams attempts as they end."""
        return self._stream(Table.stream_attempts, locals())

    def stream_organization_attempts(self, organization_id: str, *, subscription_id: str | None = None, last_event_id: str | None = None) -> Iterator[types.StreamedAttempt]:
        """Streams attempts as they end."""
        return self._stream(Table.stream_organization_attempts, locals())

    def stream_user_attempts(self, user_id: str, *, subscription_id: str | None = None, last_event_id: str | None = None) -> Iterator[types.StreamedAttempt]:
        """Streams attempts as they end."""
        return self._stream(Table.stream_user_attempts, locals())

    def test_filter(self, *, filter: dict[str, Any], organization: str | None = None, data: Any = None, event: dict[str, Any] | None | Absent = ABSENT) -> types.FilterVerdict:
        return self._call(Table.test_filter, locals())

    def test_organization_filter(self, organization_id: str, *, filter: dict[str, Any], data: Any = None, event: dict[str, Any] | None | Absent = ABSENT) -> types.FilterVerdict:
        return self._call(Table.test_organization_filter, locals())

    def test_user_filter(self, user_id: str, *, filter: dict[str, Any], data: Any = None, event: dict[str, Any] | None | Absent = ABSENT) -> types.FilterVerdict:
        return self._call(Table.test_user_filter, locals())

    def test_organization_subscription(self, organization_id: str, id: str) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription."""
        return self._call(Table.test_organization_subscription, locals())

    def test_subscription(self, id: str, *, organization: str | None = None) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription."""
        return self._call(Table.test_subscription, locals())

    def test_user_subscription(self, user_id: str, id: str) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription."""
        return self._call(Table.test_user_subscription, locals())

    def test_organization_url(self, organization_id: str, *, url: str, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription."""
        return self._call(Table.test_organization_url, locals())

    def test_url(self, *, url: str, organization: str | None = None, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription."""
        return self._call(Table.test_url, locals())

    def test_user_url(self, user_id: str, *, url: str, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription."""
        return self._call(Table.test_user_url, locals())

    def whoami(self, *, organization: str | None = None) -> types.Whoami:
        """Shows the caller's user and credential."""
        return self._call(Table.whoami, locals())


class AsyncOperations2(AsyncCalls):
    def list_events(self, *, user_id: str | None = None, organization_id: str | None = None, type: str | None = None, since: datetime | None = None, until: datetime | None = None, cursor: str | None = None, limit: int | None = None) -> AsyncPages[types.EventPage, types.LoggedEvent]:
        """Lists published events, newest first."""
        return AsyncPages(self._call, "events", Table.list_events, locals())

    def list_failing_subscriptions(self, *, cursor: str | None = None, limit: int | None = None) -> AsyncPages[types.FailingSubscriptionPage, types.FailingSubscription]:
        """Lists the failing subscriptions of all users."""
        return AsyncPages(self._call, "subscriptions", Table.list_failing_subscriptions, locals())

    async def list_failures(self, *, subscription_id: str | None = None, organization: str | None = None) -> types.Failures:
        """Lists the caller's failed deliveries, grouped by cause."""
        return await self._call(Table.list_failures, locals())

    async def list_organization_failures(self, organization_id: str, *, subscription_id: str | None = None) -> types.Failures:
        """Lists the organization's failed deliveries, grouped by cause."""
        return await self._call(Table.list_organization_failures, locals())

    async def list_user_failures(self, user_id: str, *, subscription_id: str | None = None) -> types.Failures:
        """Lists the user's failed deliveries, grouped by cause."""
        return await self._call(Table.list_user_failures, locals())

    def list_owners(self, *, query: str | None = None, state: Literal["active", "suspended"] | None = None, cursor: str | None = None, limit: int | None = None) -> AsyncPages[types.OwnerPage, types.ListedOwner]:
        """Finds users and organizations."""
        return AsyncPages(self._call, "owners", Table.list_owners, locals())

    async def list_organization_sessions(self, organization_id: str) -> types.SessionList:
        return await self._call(Table.list_organization_sessions, locals())

    async def list_sessions(self, *, organization: str | None = None) -> types.SessionList:
        """Lists the sessions of the user."""
        return await self._call(Table.list_sessions, locals())

    async def list_user_sessions(self, user_id: str) -> types.SessionList:
        return await self._call(Table.list_user_sessions, locals())

    def list_organization_subscriptions(self, organization_id: str, *, cursor: str | None = None, limit: int | None = None, include: Literal["health"] | None = None) -> AsyncPages[types.SubscriptionPage, types.Subscription]:
        """Lists the organization's webhook subscriptions, newest first."""
        return AsyncPages(self._call, "subscriptions", Table.list_organization_subscriptions, locals())

    def list_subscriptions(self, *, cursor: str | None = None, limit: int | None = None, include: Literal["health"] | None = None, organization: str | None = None) -> AsyncPages[types.SubscriptionPage, types.Subscription]:
        """Lists the caller's webhook subscriptions, newest first."""
        return AsyncPages(self._call, "subscriptions", Table.list_subscriptions, locals())

    def list_user_subscriptions(self, user_id: str, *, cursor: str | None = None, limit: int | None = None, include: Literal["health"] | None = None) -> AsyncPages[types.SubscriptionPage, types.Subscription]:
        """Lists the user's webhook subscriptions, newest first."""
        return AsyncPages(self._call, "subscriptions", Table.list_user_subscriptions, locals())

    async def live(self) -> types.Liveness:
        """Reports that the process is alive."""
        return await self._call(Table.live, locals())

    async def openapi_document(self) -> dict[str, Any]:
        """Returns this document."""
        return await self._call(Table.openapi_document, locals())

    async def publish_event(self, *, data: Any, type: str, id: str | None = None, organization_id: str | None | Absent = ABSENT, user_id: str | None | Absent = ABSENT) -> types.PublishedEvent:
        """Publishes an event. If an event with the same `id`, owner, `type` and exactly the same bytes of `data` exists, the answer is that event with `duplicate: true`. If the `type` or the `data` differ, the answer is a 409."""
        return await self._call(Table.publish_event, locals())

    async def publish_events(self, *, events: Sequence[types.PublishEvent]) -> types.PublishedEvents:
        """Publishes up to 500 events, either all or none."""
        return await self._call(Table.publish_events, locals())

    async def put_event_type(self, name: str, *, deprecated: types.PutDeprecation | None = None, description: str | None = None, examples: Sequence[Any] | None = None, force: bool | None = None, schema: dict[str, Any] | None = None, title: str | None = None, validation: Literal["off", "warn", "enforce"] | None = None, visibility: Literal["public", "hidden"] | None = None) -> types.WrittenEventType:
        """Creates or changes an event type."""
        return await self._call(Table.put_event_type, locals())

    async def read_events(self, id: str, *, cursor: str | None = None, limit: int | None = None, organization: str | None = None) -> types.LoggedEvents:
        """Reads a page of the log of a pull subscription, for a reader that stores its own position."""
        return await self._call(Table.read_events, locals())

    async def read_organization_events(self, organization_id: str, id: str, *, cursor: str | None = None, limit: int | None = None) -> types.LoggedEvents:
        """Reads a page of the log of a pull subscription, for a reader that stores its own position."""
        return await self._call(Table.read_organization_events, locals())

    async def read_user_events(self, user_id: str, id: str, *, cursor: str | None = None, limit: int | None = None) -> types.LoggedEvents:
        """Reads a page of the log of a pull subscription, for a reader that stores its own position."""
        return await self._call(Table.read_user_events, locals())

    async def ready(self, *, verbose: str | None = None, for_: Literal["verify"] | None = None) -> types.Readiness:
        """Reports whether the service can serve requests."""
        return await self._call(Table.ready, locals())

    async def receive_events(self, id: str, consumer: str, *, organization: str | None = None, lease_seconds: int | None = None, limit: int | None = None, wait: int | None = None) -> types.ReceivedEvents:
        """Receives the next events of a consumer, in the order of the log."""
        return await self._call(Table.receive_events, locals())

    async def recover_organization_subscription(self, organization_id: str, id: str, *, since: datetime, events: Sequence[str] | None = None, what: Literal["all", "failed", "missed"] | None = None) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries."""
        return await self._call(Table.recover_organization_subscription, locals())

    async def recover_subscription(self, id: str, *, since: datetime, organization: str | None = None, events: Sequence[str] | None = None, what: Literal["all", "failed", "missed"] | None = None) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries."""
        return await self._call(Table.recover_subscription, locals())

    async def recover_user_subscription(self, user_id: str, id: str, *, since: datetime, events: Sequence[str] | None = None, what: Literal["all", "failed", "missed"] | None = None) -> types.RecoveredSubscription:
        """Enables a webhook subscription and retries its failed deliveries."""
        return await self._call(Table.recover_user_subscription, locals())

    async def report_leaks(self, *, tokens: Sequence[str]) -> types.LeaksReported:
        """Revokes leaked API keys."""
        return await self._call(Table.report_leaks, locals())

    async def retry_delivery(self, id: str, *, organization: str | None = None) -> types.ChangedDelivery:
        """Retries a delivery now."""
        return await self._call(Table.retry_delivery, locals())

    async def retry_organization_delivery(self, organization_id: str, id: str) -> types.ChangedDelivery:
        """Retries a delivery now."""
        return await self._call(Table.retry_organization_delivery, locals())

    async def retry_user_delivery(self, user_id: str, id: str) -> types.ChangedDelivery:
        """Retries a delivery now."""
        return await self._call(Table.retry_user_delivery, locals())

    async def retry_failures(self, *, subscription_id: str, organization: str | None = None, error: Error | None | Absent = ABSENT, status: int | None | Absent = ABSENT) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause."""
        return await self._call(Table.retry_failures, locals())

    async def retry_organization_failures(self, organization_id: str, *, subscription_id: str, error: Error | None | Absent = ABSENT, status: int | None | Absent = ABSENT) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause."""
        return await self._call(Table.retry_organization_failures, locals())

    async def retry_user_failures(self, user_id: str, *, subscription_id: str, error: Error | None | Absent = ABSENT, status: int | None | Absent = ABSENT) -> types.RetriedFailures:
        """Retries the deliveries that failed for one cause."""
        return await self._call(Table.retry_user_failures, locals())

    async def revoke_api_key(self, *, key_id: str, organization: str | None = None, id_token: str | None | Absent = ABSENT) -> types.KeyList:
        return await self._call(Table.revoke_api_key, locals())

    async def revoke_organization_api_key(self, organization_id: str, key_id: str) -> types.KeyList:
        return await self._call(Table.revoke_organization_api_key, locals())

    async def revoke_user_api_key(self, user_id: str, key_id: str) -> types.KeyList:
        return await self._call(Table.revoke_user_api_key, locals())

    async def revoke_organization_api_keys(self, organization_id: str, *, created_before: datetime | None = None) -> types.KeysRevoked:
        """Revokes all API keys of an organization."""
        return await self._call(Table.revoke_organization_api_keys, locals())

    async def revoke_user_api_keys(self, user_id: str, *, created_before: datetime | None = None) -> types.KeysRevoked:
        """Revokes all API keys of a user."""
        return await self._call(Table.revoke_user_api_keys, locals())

    async def rotate_api_key(self, key_id: str, *, organization: str | None = None, id_token: str | None | Absent = ABSENT, overlap_seconds: int | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Replaces an API key by a new one."""
        return await self._call(Table.rotate_api_key, locals())

    async def rotate_organization_api_key(self, organization_id: str, key_id: str, *, overlap_seconds: int | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Replaces an API key by a new one."""
        return await self._call(Table.rotate_organization_api_key, locals())

    async def rotate_user_api_key(self, user_id: str, key_id: str, *, overlap_seconds: int | None | Absent = ABSENT) -> types.CreatedApiKey:
        """Replaces an API key by a new one."""
        return await self._call(Table.rotate_user_api_key, locals())

    async def rotate_organization_secret(self, organization_id: str, id: str, *, idempotency_key: str | None = None, overlap_seconds: int | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both."""
        return await self._call(Table.rotate_organization_secret, locals())

    async def rotate_secret(self, id: str, *, idempotency_key: str | None = None, organization: str | None = None, overlap_seconds: int | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both."""
        return await self._call(Table.rotate_secret, locals())

    async def rotate_user_secret(self, user_id: str, id: str, *, idempotency_key: str | None = None, overlap_seconds: int | None | Absent = ABSENT, secret: str | None | Absent = ABSENT, signing: Literal["hmac", "ed25519", "both"] | None | Absent = ABSENT) -> types.SubscriptionWithSecret:
        """Gives a webhook subscription a new signing secret, a new key pair or both."""
        return await self._call(Table.rotate_user_secret, locals())

    async def seek_consumer(self, id: str, consumer: str, *, to: str, organization: str | None = None) -> None:
        """Moves a consumer."""
        return await self._call(Table.seek_consumer, locals())

    async def set_organization_state(self, organization_id: str, *, state: Literal["active", "suspended"], reason: str | None = None) -> types.Owner:
        """Suspends an organization, or makes an organization active again."""
        return await self._call(Table.set_organization_state, locals())

    async def set_user_state(self, user_id: str, *, state: Literal["active", "suspended"], reason: str | None = None) -> types.Owner:
        """Suspends a user, or makes a user active again."""
        return await self._call(Table.set_user_state, locals())

    async def show_attempt_times(self, id: str, *, organization: str | None = None) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took."""
        return await self._call(Table.show_attempt_times, locals())

    async def show_organization_attempt_times(self, organization_id: str, id: str) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took."""
        return await self._call(Table.show_organization_attempt_times, locals())

    async def show_user_attempt_times(self, user_id: str, id: str) -> types.AttemptTimes:
        """Shows how long the last attempts at the deliveries to a webhook subscription took."""
        return await self._call(Table.show_user_attempt_times, locals())

    async def show_daily_uses(self, *, organization: str | None = None) -> types.DailyUses:
        """Shows how often the caller's active API keys were used in each of the last 30 days."""
        return await self._call(Table.show_daily_uses, locals())

    async def show_organization_daily_uses(self, organization_id: str) -> types.DailyUses:
        """Shows how often the organization's active API keys were used in each of the last 30 days."""
        return await self._call(Table.show_organization_daily_uses, locals())

    async def show_user_daily_uses(self, user_id: str) -> types.DailyUses:
        """Shows how often the user's active API keys were used in each of the last 30 days."""
        return await self._call(Table.show_user_daily_uses, locals())

    async def show_key_usage(self, key_id: str, *, hours: int | None = None, until: datetime | None = None, organization: str | None = None) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour."""
        return await self._call(Table.show_key_usage, locals())

    async def show_organization_key_usage(self, organization_id: str, key_id: str, *, hours: int | None = None, until: datetime | None = None) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour."""
        return await self._call(Table.show_organization_key_usage, locals())

    async def show_user_key_usage(self, user_id: str, key_id: str, *, hours: int | None = None, until: datetime | None = None) -> types.KeyUsage:
        """Shows how often an API key was verified, by the hour."""
        return await self._call(Table.show_user_key_usage, locals())

    async def show_organization_outcomes(self, organization_id: str, *, hours: int | None = None, until: datetime | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the organization's subscriptions ended, by the hour."""
        return await self._call(Table.show_organization_outcomes, locals())

    async def show_outcomes(self, *, hours: int | None = None, until: datetime | None = None, organization: str | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the caller's subscriptions ended, by the hour."""
        return await self._call(Table.show_outcomes, locals())

    async def show_user_outcomes(self, user_id: str, *, hours: int | None = None, until: datetime | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to all of the user's subscriptions ended, by the hour."""
        return await self._call(Table.show_user_outcomes, locals())

    async def show_organization_subscription_outcomes(self, organization_id: str, id: str, *, hours: int | None = None, until: datetime | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour."""
        return await self._call(Table.show_organization_subscription_outcomes, locals())

    async def show_subscription_outcomes(self, id: str, *, hours: int | None = None, until: datetime | None = None, organization: str | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour."""
        return await self._call(Table.show_subscription_outcomes, locals())

    async def show_user_subscription_outcomes(self, user_id: str, id: str, *, hours: int | None = None, until: datetime | None = None) -> types.Outcomes:
        """Shows how attempts at the deliveries to a webhook subscription ended, by the hour."""
        return await self._call(Table.show_user_subscription_outcomes, locals())

    async def show_webhook_keys(self, id: str) -> types.PublicKeySet:
        """Shows the public keys of a webhook subscription."""
        return await self._call(Table.show_webhook_keys, locals())

    async def sign_in(self, *, next: str | None = None) -> Location:
        """Begins to sign in."""
        return await self._call(Table.sign_in, locals())

    async def sign_out(self) -> str:
        return await self._call(Table.sign_out, locals())

    def stream_attempts(self, *, subscription_id: str | None = None, last_event_id: str | None = None, organization: str | None = None) -> AsyncIterator[types.StreamedAttempt]:
        """Streams attempts as they end."""
        return self._stream(Table.stream_attempts, locals())

    def stream_organization_attempts(self, organization_id: str, *, subscription_id: str | None = None, last_event_id: str | None = None) -> AsyncIterator[types.StreamedAttempt]:
        """Streams attempts as they end."""
        return self._stream(Table.stream_organization_attempts, locals())

    def stream_user_attempts(self, user_id: str, *, subscription_id: str | None = None, last_event_id: str | None = None) -> AsyncIterator[types.StreamedAttempt]:
        """Streams attempts as they end."""
        return self._stream(Table.stream_user_attempts, locals())

    async def test_filter(self, *, filter: dict[str, Any], organization: str | None = None, data: Any = None, event: dict[str, Any] | None | Absent = ABSENT) -> types.FilterVerdict:
        return await self._call(Table.test_filter, locals())

    async def test_organization_filter(self, organization_id: str, *, filter: dict[str, Any], data: Any = None, event: dict[str, Any] | None | Absent = ABSENT) -> types.FilterVerdict:
        return await self._call(Table.test_organization_filter, locals())

    async def test_user_filter(self, user_id: str, *, filter: dict[str, Any], data: Any = None, event: dict[str, Any] | None | Absent = ABSENT) -> types.FilterVerdict:
        return await self._call(Table.test_user_filter, locals())

    async def test_organization_subscription(self, organization_id: str, id: str) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription."""
        return await self._call(Table.test_organization_subscription, locals())

    async def test_subscription(self, id: str, *, organization: str | None = None) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription."""
        return await self._call(Table.test_subscription, locals())

    async def test_user_subscription(self, user_id: str, id: str) -> types.SubscriptionTest:
        """Sends a test event to a webhook subscription."""
        return await self._call(Table.test_user_subscription, locals())

    async def test_organization_url(self, organization_id: str, *, url: str, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription."""
        return await self._call(Table.test_organization_url, locals())

    async def test_url(self, *, url: str, organization: str | None = None, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription."""
        return await self._call(Table.test_url, locals())

    async def test_user_url(self, user_id: str, *, url: str, auth: Auth | None | Absent = ABSENT, client_certificate: types.ClientCertificate | None | Absent = ABSENT, headers: dict[str, Any] | None | Absent = ABSENT, secret: str | None | Absent = ABSENT) -> types.UrlTest:
        """Sends a test event to a URL, without a subscription."""
        return await self._call(Table.test_user_url, locals())

    async def whoami(self, *, organization: str | None = None) -> types.Whoami:
        """Shows the caller's user and credential."""
        return await self._call(Table.whoami, locals())


class Operations(Operations1, Operations2):
    """Every operation of the API, by its `operationId`."""


class AsyncOperations(AsyncOperations1, AsyncOperations2):
    """Every operation of the API, by its `operationId`."""
