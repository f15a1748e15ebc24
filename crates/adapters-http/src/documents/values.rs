use std::time::Duration;

use domain::audit::{AuditAction, AuditField, AuditTarget};
use domain::catalogue::{EntryDescription, EntryTitle, EventTypeEntry, PayloadValidation, Visibility};
use domain::ports::PUBLISHED_EVENTS_MAX;
use domain::sessions::{Capability, ReturnUrl, SESSION_LIFETIME};
use domain::webhooks::{
    AuthKind, Authentication, ClientCredentials, ConsumerName, DeliveryStateKind, Description, EventPattern, EventType,
    FailureCause, FailureReason, HeaderName, HeaderValue, LeaseId, OnExhausted, PublicKey, PublisherId, Recoverable,
    SigningKind, SigningSecret, SubscribedEvents, TargetUrl,
};
use domain::{
    AuditId, DeliveryId, EventId, KeyId, LEAKS_MAX, Label, LogControl, OVERLAP_MAX, OwnerEmail, OwnerId, OwnerName,
    RateLimit, Scope, SessionId, SubscriptionId, SuspensionReason,
};
use serde_json::{Value, json};
use utoipa::Number;
use utoipa::openapi::schema::{AdditionalProperties, Array as ArraySchema, ArrayItems, ObjectBuilder, Schema, Type};
use utoipa::openapi::{OpenApi, RefOr, SchemaFormat};

use crate::bodies::owner_fields::{KEYS_MAX, SUBSCRIPTIONS_MAX};
use crate::bodies::pull_fields::{LEASE_SECONDS, RECEIVED, WAIT_SECONDS};
use crate::parameters::audit_request::FORMATS;

/// The values and limits of fields, for clients that are generated from the document. For a list, these are the values of its
/// items.
const VALUES: [(&str, &str, Values); 130] = [
    ("CreateApiKey", "label", Values::LABELS),
    ("CreateApiKey", "expiresAt", Values::TIMES),
    ("CreateApiKey", "scopes", Values::SCOPES),
    ("CreateApiKey", "rateLimit", Values::RATE_LIMITS),
    ("ChangeApiKey", "label", Values::LABELS),
    ("ChangeApiKey", "rateLimit", Values::RATE_LIMITS),
    ("RotateApiKey", "overlapSeconds", Values::Seconds(OVERLAP_MAX)),
    ("ChangeOwner", "maxActiveKeys", Values::Between(0, KEYS_MAX)),
    ("ChangeOwner", "maxSubscriptions", Values::Between(0, SUBSCRIPTIONS_MAX)),
    ("ChangeOwner", "keyRateLimit", Values::RATE_LIMITS),
    ("ChangeOwner", "requestRateLimit", Values::RATE_LIMITS),
    ("ChangeApiKey", "expiresAt", Values::TIMES),
    ("RevokeApiKey", "keyId", Values::Pattern(KeyId::PATTERN)),
    ("Introspect", "scopes", Values::SCOPES),
    ("CreatePortalLink", "userId", Values::USERS),
    ("CreatePortalLink", "organizationId", Values::USERS),
    ("CreatePortalLink", "capabilities", Values::CAPABILITIES),
    ("CreatePortalLink", "returnUrl", Values::Formatted("uri", Some(ReturnUrl::LENGTH_MAX))),
    ("CreatePortalLink", "ttlSeconds", Values::Seconds(SESSION_LIFETIME)),
    ("ChangeLogFilter", "filter", Values::LOG_FILTERS),
    ("ReportLeaks", "tokens", Values::Items(LEAKS_MAX)),
    ("CreateSubscription", "url", Values::TARGETS),
    ("CreateSubscription", "events", Values::PATTERNS),
    ("CreateSubscription", "description", Values::DESCRIPTIONS),
    ("CreateSubscription", "secret", Values::SIGNING_SECRETS),
    ("CreateSubscription", "signing", Values::SIGNING_KINDS),
    ("CreateSubscription", "type", Values::SUBSCRIPTION_TYPES),
    ("ReceiveEvents", "limit", Values::Between(RECEIVED.0, RECEIVED.1)),
    ("ReceiveEvents", "wait", Values::Between(WAIT_SECONDS.0, WAIT_SECONDS.1)),
    ("ReceiveEvents", "leaseSeconds", Values::Between(LEASE_SECONDS.0, LEASE_SECONDS.1)),
    ("CommitEvents", "lease", Values::LEASE_IDS),
    ("CommitEvents", "through", Values::Pattern(EventId::PATTERN)),
    ("ReceivedEvents", "lease", Values::LEASE_IDS),
    ("PulledEvent", "id", Values::Pattern(EventId::PATTERN)),
    ("Consumer", "name", Values::CONSUMER_NAMES),
    ("Subscription", "type", Values::Always("pull")),
    ("CreateSubscription", "ordering", Values::ORDERINGS),
    ("CreateSubscription", "onExhausted", Values::ENDS_OF_ATTEMPTS),
    ("BearerAuth", "type", Values::Always("bearer")),
    ("BearerAuth", "token", Values::TOKENS),
    ("BasicAuth", "type", Values::Always("basic")),
    ("BasicAuth", "username", Values::USERNAMES),
    ("BasicAuth", "password", Values::PASSWORDS),
    ("HeaderAuth", "type", Values::Always("header")),
    ("HeaderAuth", "name", Values::HEADER_NAMES),
    ("HeaderAuth", "value", Values::OF_HEADERS),
    ("RecoverSubscription", "what", Values::RECOVERABLES),
    ("RecoverSubscription", "events", Values::PATTERNS),
    ("OAuth2Auth", "type", Values::Always("oauth2")),
    ("OAuth2Auth", "tokenUrl", Values::Formatted("uri", None)),
    ("OAuth2Auth", "clientId", Values::CLIENT_IDS),
    ("OAuth2Auth", "clientSecret", Values::CLIENT_SECRETS),
    ("OAuth2Auth", "scope", Values::CLIENT_SCOPES),
    ("OAuth2Auth", "audience", Values::AUDIENCES),
    ("SubscriptionAuth", "type", Values::AUTH_KINDS),
    ("PutEventType", "title", Values::ENTRY_TITLES),
    ("PutEventType", "description", Values::ENTRY_DESCRIPTIONS),
    ("PutEventType", "validation", Values::VALIDATIONS),
    ("PutEventType", "visibility", Values::VISIBILITIES),
    ("NewEventType", "name", Values::ENTRY_NAMES),
    ("AppliedEventType", "name", Values::ENTRY_NAMES),
    ("PutDeprecation", "since", Values::TIMES),
    ("PutDeprecation", "replacement", Values::PUBLISHED_TYPES),
    ("EventType", "name", Values::ENTRY_NAMES),
    ("EventType", "validation", Values::VALIDATIONS),
    ("EventType", "visibility", Values::VISIBILITIES),
    ("Deprecation", "replacement", Values::PUBLISHED_TYPES),
    ("TestUrl", "url", Values::TARGETS),
    ("TestUrl", "secret", Values::SIGNING_SECRETS),
    ("ChangeSubscription", "url", Values::TARGETS),
    ("ChangeSubscription", "events", Values::PATTERNS),
    ("ChangeSubscription", "description", Values::DESCRIPTIONS),
    ("ChangeSubscription", "onExhausted", Values::ENDS_OF_ATTEMPTS),
    ("RotateSecret", "secret", Values::SIGNING_SECRETS),
    ("RotateSecret", "signing", Values::SIGNING_KINDS),
    ("RotateSecret", "overlapSeconds", Values::Seconds(OVERLAP_MAX)),
    ("ChangeOwner", "name", Values::owner_text(OwnerName::LENGTH_MAX)),
    ("ChangeOwner", "email", Values::owner_text(OwnerEmail::LENGTH_MAX)),
    ("SetOwnerState", "state", Values::OWNER_STATES),
    ("SetOwnerState", "reason", Values::owner_text(SuspensionReason::LENGTH_MAX)),
    ("Owner", "name", Values::owner_text(OwnerName::LENGTH_MAX)),
    ("Owner", "email", Values::owner_text(OwnerEmail::LENGTH_MAX)),
    ("OwnerState", "state", Values::OWNER_STATES),
    ("OwnerState", "reason", Values::owner_text(SuspensionReason::LENGTH_MAX)),
    ("RecoverSubscription", "since", Values::TIMES),
    ("PublishEvent", "userId", Values::USERS),
    ("PublishEvent", "organizationId", Values::USERS),
    ("PublishEvent", "type", Values::PUBLISHED_TYPES),
    ("PublishEvent", "id", Values::PUBLISHER_IDS),
    ("PublishEvents", "events", Values::Items(PUBLISHED_EVENTS_MAX)),
    ("CreatedApiKey", "keyId", Values::Pattern(KeyId::PATTERN)),
    ("KeyRecord", "id", Values::Pattern(KeyId::PATTERN)),
    ("KeyRecord", "replacedBy", Values::Pattern(KeyId::PATTERN)),
    ("Introspection", "client_id", Values::Pattern(KeyId::PATTERN)),
    ("Introspection", "token_type", Values::Always("api_key")),
    ("Subscription", "id", Values::Pattern(SubscriptionId::PATTERN)),
    ("Subscription", "urlSetBy", Values::Pattern(KeyId::PATTERN)),
    ("Subscription", "signing", Values::SIGNING_KINDS),
    ("Subscription", "ordering", Values::Always("subscription")),
    ("Subscription", "onExhausted", Values::ENDS_OF_ATTEMPTS),
    ("Subscription", "publicKeys", Values::PUBLIC_KEYS),
    ("PublicKey", "kty", Values::Always("OKP")),
    ("PublicKey", "crv", Values::Always("Ed25519")),
    ("PublicKey", "use", Values::Always("sig")),
    ("PublicKey", "alg", Values::Always("EdDSA")),
    ("Event", "id", Values::Pattern(EventId::PATTERN)),
    ("Delivery", "id", Values::Pattern(DeliveryId::PATTERN)),
    ("Delivery", "eventId", Values::Pattern(EventId::PATTERN)),
    ("Delivery", "subscriptionId", Values::Pattern(SubscriptionId::PATTERN)),
    ("Delivery", "state", Values::STATES),
    ("FailureGroup", "subscriptionId", Values::Pattern(SubscriptionId::PATTERN)),
    ("FailureGroup", "newestDeliveryId", Values::Pattern(DeliveryId::PATTERN)),
    ("FailureGroup", "error", Values::FAILURES_OR_NULL),
    ("RetryFailures", "subscriptionId", Values::Pattern(SubscriptionId::PATTERN)),
    ("RetryFailures", "error", Values::FAILURES_OR_NULL),
    ("RetryFailures", "status", Values::Between(*FailureCause::STATUSES.start(), *FailureCause::STATUSES.end())),
    ("StreamedAttempt", "deliveryId", Values::Pattern(DeliveryId::PATTERN)),
    ("StreamedAttempt", "eventId", Values::Pattern(EventId::PATTERN)),
    ("StreamedAttempt", "subscriptionId", Values::Pattern(SubscriptionId::PATTERN)),
    ("CurrentSession", "id", Values::Pattern(SessionId::PATTERN)),
    ("CurrentSession", "role", Values::ROLES),
    ("Session", "id", Values::Pattern(SessionId::PATTERN)),
    ("Session", "role", Values::ROLES),
    ("AuditEvent", "id", Values::Pattern(AuditId::PATTERN)),
    ("AuditEvent", "action", Values::ACTIONS),
    ("AuditActor", "type", Values::ACTORS),
    ("AuditChange", "field", Values::FIELDS),
    ("Attempt", "error", Values::FAILURES_OR_NULL),
    ("Liveness", "status", Values::Always("ok")),
    ("Readiness", "status", Values::Always("ready")),
];

/// The strings, the numbers or the items that a field or a parameter may have.
#[derive(Clone, Copy)]
pub(crate) enum Values {
    Always(&'static str),
    Listed(fn() -> Vec<Value>),
    /// Strings with this format, and the most characters; `None` without a limit.
    Formatted(&'static str, Option<usize>),
    /// Where the previous page of a list, or a stream, ended.
    Cursors,
    /// Strings with this pattern, such as the ids of one kind.
    Pattern(&'static str),
    /// Strings with the pattern that this function makes.
    Made(fn() -> String),
    /// Strings with this pattern, and the fewest and the most characters. `None` leaves the fewest to an attribute.
    Text(&'static str, Option<usize>, usize),
    /// Numbers from the least to the largest.
    Between(u16, u16),
    /// Numbers of whole seconds, up to this time. The least is left to an attribute.
    Seconds(Duration),
    /// The most items of a list.
    Items(usize),
}

/// Adds [`VALUES`] to the document, because the attributes of `ToSchema` accept only literals.
pub(crate) fn add_field_values(document: &mut OpenApi) {
    for (schema, field, values) in VALUES {
        if let Some(field) = field_of(document, schema, field) {
            values.describe(field);
        }
    }
    // The other fields of this form are strings, each name once.
    let schemas = &mut document.components.get_or_insert_default().schemas;
    if let Some(RefOr::T(Schema::Object(form))) = schemas.get_mut("IntrospectForm") {
        let text = ObjectBuilder::new().schema_type(Type::String).build();
        form.additional_properties = Some(Box::new(AdditionalProperties::RefOr(text.into())));
    }
}

/// A field of a schema.
fn field_of<'a>(document: &'a mut OpenApi, schema: &str, field: &str) -> Option<&'a mut Schema> {
    match document.components.as_mut()?.schemas.get_mut(schema)? {
        RefOr::T(Schema::Object(object)) => match object.properties.get_mut(field)? {
            RefOr::T(field) => Some(field),
            RefOr::Ref(_) => None,
        },
        _ => None,
    }
}

impl Values {
    pub(crate) const TIMES: Self = Self::Formatted("date-time", None);
    const TARGETS: Self = Self::Formatted("uri", Some(TargetUrl::LENGTH_MAX));
    const LOG_FILTERS: Self = Self::Formatted("log-filter", Some(LogControl::FILTER_LENGTH_MAX));

    const LABELS: Self = Self::Made(Label::pattern);
    pub(crate) const AUDIT_TARGETS: Self = Self::Made(AuditTarget::pattern);
    /// Patterns of event types, separated by commas.
    pub(crate) const PATTERN_LISTS: Self = Self::Made(SubscribedEvents::pattern_of_lists);
    pub(crate) const AUDIT_ACTORS: Self =
        Self::Pattern(r"^((user|organization):[^\u0000-\u001f\u007f-\u009f]+|operator:[\s\S]*|service)$");
    const RATE_LIMITS: Self = Self::Pattern(RateLimit::PATTERN);
    const PUBLIC_KEYS: Self = Self::Pattern(PublicKey::PATTERN);
    pub(crate) const CONSUMER_NAMES: Self = Self::Pattern(ConsumerName::PATTERN);
    const LEASE_IDS: Self = Self::Pattern(LeaseId::PATTERN);

    pub(crate) const SCOPES: Self = Self::Text(Scope::PATTERN, Some(1), Scope::LENGTH_MAX);
    pub(crate) const USERS: Self = Self::Text(OwnerId::SUBJECT_PATTERN, Some(1), OwnerId::SUBJECT_LENGTH_MAX);
    pub(crate) const EVENT_TYPES: Self = Self::Text(EventType::PATTERN, Some(1), EventType::LENGTH_MAX);
    const PUBLISHED_TYPES: Self = Self::Text(EventType::PUBLISHED_PATTERN, Some(1), EventType::LENGTH_MAX);
    const PATTERNS: Self = Self::Text(EventPattern::PATTERN, Some(1), EventType::LENGTH_MAX);
    pub(crate) const ENTRY_NAMES: Self = Self::Text(EventTypeEntry::NAME_PATTERN, Some(1), EventType::LENGTH_MAX);
    const ENTRY_TITLES: Self = Self::Text(EntryTitle::PATTERN, None, EntryTitle::LENGTH_MAX);
    const ENTRY_DESCRIPTIONS: Self = Self::Text(EntryDescription::PATTERN, None, EntryDescription::LENGTH_MAX);
    const PUBLISHER_IDS: Self = Self::Text(PublisherId::PATTERN, Some(1), PublisherId::LENGTH_MAX);
    const DESCRIPTIONS: Self = Self::Text(Description::PATTERN, None, Description::LENGTH_MAX);
    const SIGNING_SECRETS: Self = Self::Text(SigningSecret::PATTERN, Some(1), SigningSecret::LENGTH_MAX);
    const TOKENS: Self = Self::Text(Authentication::TOKEN_PATTERN, Some(1), Authentication::TOKEN_LENGTH_MAX);
    const USERNAMES: Self = Self::Text(Authentication::USERNAME_PATTERN, Some(1), Authentication::USERNAME_LENGTH_MAX);
    const PASSWORDS: Self = Self::Text(Authentication::PASSWORD_PATTERN, None, Authentication::PASSWORD_LENGTH_MAX);
    const HEADER_NAMES: Self = Self::Text(HeaderName::PATTERN, Some(1), HeaderName::LENGTH_MAX);
    const OF_HEADERS: Self = Self::Text(HeaderValue::PATTERN, Some(1), HeaderValue::LENGTH_MAX);
    const CLIENT_IDS: Self = Self::Text(ClientCredentials::PATTERN, Some(1), ClientCredentials::ID_LENGTH_MAX);
    const CLIENT_SECRETS: Self = Self::Text(ClientCredentials::PATTERN, Some(1), ClientCredentials::SECRET_LENGTH_MAX);
    const CLIENT_SCOPES: Self =
        Self::Text(ClientCredentials::SCOPE_PATTERN, Some(1), ClientCredentials::SCOPE_LENGTH_MAX);
    const AUDIENCES: Self =
        Self::Text(ClientCredentials::AUDIENCE_PATTERN, Some(1), ClientCredentials::SCOPE_LENGTH_MAX);

    pub(crate) const STATES: Self = Self::Listed(|| DeliveryStateKind::ALL.map(|state| json!(state.as_str())).into());
    const SIGNING_KINDS: Self = Self::Listed(|| SigningKind::ALL.map(|kind| json!(kind.as_str())).into());
    const SUBSCRIPTION_TYPES: Self = Self::Listed(|| ["webhook", "pull"].map(Value::from).into());
    const ORDERINGS: Self = Self::Listed(|| ["none", "subscription"].map(Value::from).into());
    /// The rules for a delivery that has no attempts left.
    const ENDS_OF_ATTEMPTS: Self = Self::Listed(|| OnExhausted::ALL.map(|rule| json!(rule.code())).into());
    const AUTH_KINDS: Self = Self::Listed(|| AuthKind::ALL.map(|kind| json!(kind.as_str())).into());
    pub(crate) const RECOVERABLES: Self = Self::Listed(|| Recoverable::ALL.map(|kind| json!(kind.as_str())).into());
    const ROLES: Self = Self::Listed(|| ["user", "operator", "visitor"].map(Value::from).into());
    const CAPABILITIES: Self = Self::Listed(|| Capability::ALL.map(|capability| json!(capability.name())).into());
    pub(crate) const ACTIONS: Self = Self::Listed(|| AuditAction::ALL.map(|action| json!(action.as_str())).into());
    pub(crate) const OWNER_STATES: Self = Self::Listed(|| ["active", "suspended"].map(Value::from).into());
    const VALIDATIONS: Self = Self::Listed(|| PayloadValidation::ALL.map(|one| json!(one.as_str())).into());
    const VISIBILITIES: Self = Self::Listed(|| Visibility::ALL.map(|one| json!(one.as_str())).into());
    const ACTORS: Self = Self::Listed(|| ["user", "operator", "service"].map(Value::from).into());
    const FIELDS: Self = Self::Listed(|| AuditField::ALL.map(|field| json!(field.as_str())).into());
    pub(crate) const LIST_FORMATS: Self = Self::Listed(|| FORMATS.map(|(name, _)| json!(name)).into());
    const FAILURES_OR_NULL: Self = Self::Listed(|| {
        let reasons = FailureReason::ALL.iter().map(|reason| json!(reason.code()));
        reasons.chain([Value::Null]).collect()
    });

    /// Texts about an owner.
    const fn owner_text(length_max: usize) -> Self {
        Self::Text(OwnerName::PATTERN, Some(1), length_max)
    }

    /// Describes this schema, or the strings of the items of its lists.
    pub(crate) fn describe(self, schema: &mut Schema) {
        match (self, schema) {
            (Self::Items(max), Schema::Array(list)) => list.max_items = Some(max),
            (Self::Between(min, max), Schema::Object(number)) => {
                [number.minimum, number.maximum] = [min, max].map(|limit| Some(Number::UInt(limit.into())));
            }
            (Self::Seconds(max), Schema::Object(number)) => {
                number.maximum = usize::try_from(max.as_secs()).ok().map(Number::UInt);
            }
            (_, Schema::Object(text)) => {
                text.pattern = self.pattern();
                text.format = self.format().map(|format| SchemaFormat::Custom(format.to_owned()));
                let (min, max) = self.lengths();
                text.min_length = min.or(text.min_length);
                text.max_length = max.or(text.max_length);
                text.enum_values = self.listed();
            }
            (_, Schema::Array(ArraySchema { items: ArrayItems::RefOrSchema(items), .. })) => {
                if let RefOr::T(schema) = &mut **items {
                    self.describe(schema);
                }
            }
            _ => {}
        }
    }

    fn pattern(self) -> Option<String> {
        match self {
            Self::Pattern(pattern) | Self::Text(pattern, ..) => Some(pattern.to_owned()),
            Self::Made(pattern) => Some(pattern()),
            _ => None,
        }
    }

    /// The format; `None` for strings that have none.
    fn format(self) -> Option<&'static str> {
        match self {
            Self::Formatted(format, _) => Some(format),
            Self::Cursors => Some("cursor"),
            _ => None,
        }
    }

    /// The shortest and the longest string, in characters; `None` without a limit, or where an attribute or the pattern has it.
    fn lengths(self) -> (Option<usize>, Option<usize>) {
        match self {
            Self::Text(_, min, max) => (min, Some(max)),
            Self::Formatted(_, max) => (None, max),
            Self::Cursors => (Some(1), None),
            _ => (None, None),
        }
    }

    fn listed(self) -> Option<Vec<Value>> {
        match self {
            Self::Always(value) => Some(vec![json!(value)]),
            Self::Listed(values) => Some(values()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::openapi_json;

    #[test]
    fn every_value_is_in_the_document() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        for (schema, field, values) in VALUES {
            let field_schema = &document["components"]["schemas"][schema]["properties"][field];
            let limit = match values {
                Values::Items(max) => Some(("maxItems", max as u64)),
                Values::Seconds(max) => Some(("maximum", max.as_secs())),
                Values::Between(_, max) => Some(("maximum", max.into())),
                _ => None,
            };
            if let Some((keyword, max)) = limit {
                assert_eq!(field_schema[keyword].as_u64(), Some(max), "{schema}.{field}");
                continue;
            }
            let found = field_schema.get("items").unwrap_or(field_schema);
            assert_eq!(found["pattern"].as_str(), values.pattern().as_deref(), "{schema}.{field}");
            assert_eq!(found["format"].as_str(), values.format(), "{schema}.{field}");
            assert_eq!(found["enum"].as_array(), values.listed().as_ref(), "{schema}.{field}");
            if let Some(max) = values.lengths().1 {
                assert_eq!(found["maxLength"], json!(max), "{schema}.{field}");
            }
            let example = found["example"].as_str();
            let is_listed = |example: &str| values.listed().is_none_or(|listed| listed.contains(&json!(example)));
            assert!(example.is_none_or(is_listed), "{schema}.{field}: {example:?}");
        }
    }
}
