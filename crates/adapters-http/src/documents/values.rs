use domain::audit::{AuditAction, AuditField, AuditTarget};
use domain::catalogue::{EntryDescription, EntryTitle, EventTypeEntry, PayloadValidation, Visibility};
use domain::sessions::Capability;
use domain::webhooks::{
    AuthKind, Authentication, ClientCredentials, ConsumerName, DeliveryStateKind, Description, EventPattern, EventType,
    FailureReason, HeaderName, HeaderValue, LeaseId, OnExhausted, PublicKey, PublisherId, Recoverable, SigningKind,
    SigningSecret, SubscribedEvents,
};
use domain::{
    AuditId, DeliveryId, EventId, KeyId, Label, OwnerEmail, OwnerId, OwnerName, RateLimit, Scope, SessionId,
    SubscriptionId, SuspensionReason,
};
use serde_json::{Value, json};
use utoipa::Modify;
use utoipa::openapi::schema::{AdditionalProperties, Array as ArraySchema, ArrayItems, ObjectBuilder, Schema, Type};
use utoipa::openapi::{OpenApi, RefOr, SchemaFormat};

use crate::documents::limits::field_of;
use crate::parameters::audit_request::AuditFormat;

/// The values of fields, for clients that are generated from the document. For a list, these are the values of its items.
const VALUES: [(&str, &str, Values); 119] = [
    ("CreateApiKey", "label", Values::Labels),
    ("CreateApiKey", "expiresAt", Values::Times),
    ("CreateApiKey", "scopes", Values::Scopes),
    ("CreateApiKey", "rateLimit", Values::RateLimits),
    ("ChangeApiKey", "label", Values::Labels),
    ("ChangeApiKey", "rateLimit", Values::RateLimits),
    ("ChangeOwner", "keyRateLimit", Values::RateLimits),
    ("ChangeOwner", "requestRateLimit", Values::RateLimits),
    ("ChangeApiKey", "expiresAt", Values::Times),
    ("RevokeApiKey", "keyId", Values::Ids(KeyId::PATTERN)),
    ("Introspect", "scopes", Values::Scopes),
    ("CreatePortalLink", "userId", Values::Users),
    ("CreatePortalLink", "organizationId", Values::Users),
    ("CreatePortalLink", "capabilities", Values::Capabilities),
    ("CreatePortalLink", "returnUrl", Values::Urls),
    ("ChangeLogFilter", "filter", Values::LogFilters),
    ("CreateSubscription", "url", Values::Urls),
    ("CreateSubscription", "events", Values::Patterns),
    ("CreateSubscription", "description", Values::Descriptions),
    ("CreateSubscription", "secret", Values::SigningSecrets),
    ("CreateSubscription", "signing", Values::SigningKinds),
    ("CreateSubscription", "type", Values::SubscriptionTypes),
    ("CommitEvents", "lease", Values::LeaseIds),
    ("CommitEvents", "through", Values::Ids(EventId::PATTERN)),
    ("ReceivedEvents", "lease", Values::LeaseIds),
    ("PulledEvent", "id", Values::Ids(EventId::PATTERN)),
    ("Consumer", "name", Values::ConsumerNames),
    ("Subscription", "type", Values::Always("pull")),
    ("CreateSubscription", "ordering", Values::Orderings),
    ("CreateSubscription", "onExhausted", Values::EndsOfAttempts),
    ("BearerAuth", "type", Values::Always("bearer")),
    ("BearerAuth", "token", Values::Tokens),
    ("BasicAuth", "type", Values::Always("basic")),
    ("BasicAuth", "username", Values::Usernames),
    ("BasicAuth", "password", Values::Passwords),
    ("HeaderAuth", "type", Values::Always("header")),
    ("HeaderAuth", "name", Values::HeaderNames),
    ("HeaderAuth", "value", Values::OfHeaders),
    ("RecoverSubscription", "what", Values::Recoverables),
    ("RecoverSubscription", "events", Values::Patterns),
    ("OAuth2Auth", "type", Values::Always("oauth2")),
    ("OAuth2Auth", "tokenUrl", Values::Urls),
    ("OAuth2Auth", "clientId", Values::ClientIds),
    ("OAuth2Auth", "clientSecret", Values::ClientSecrets),
    ("OAuth2Auth", "scope", Values::ClientScopes),
    ("OAuth2Auth", "audience", Values::Audiences),
    ("SubscriptionAuth", "type", Values::AuthKinds),
    ("PutEventType", "title", Values::EntryTitles),
    ("PutEventType", "description", Values::EntryDescriptions),
    ("PutEventType", "validation", Values::Validations),
    ("PutEventType", "visibility", Values::Visibilities),
    ("NewEventType", "name", Values::EntryNames),
    ("AppliedEventType", "name", Values::EntryNames),
    ("PutDeprecation", "since", Values::Times),
    ("PutDeprecation", "replacement", Values::PublishedTypes),
    ("EventType", "name", Values::EntryNames),
    ("EventType", "validation", Values::Validations),
    ("EventType", "visibility", Values::Visibilities),
    ("Deprecation", "replacement", Values::PublishedTypes),
    ("TestUrl", "url", Values::Urls),
    ("TestUrl", "secret", Values::SigningSecrets),
    ("ChangeSubscription", "url", Values::Urls),
    ("ChangeSubscription", "events", Values::Patterns),
    ("ChangeSubscription", "description", Values::Descriptions),
    ("ChangeSubscription", "onExhausted", Values::EndsOfAttempts),
    ("RotateSecret", "secret", Values::SigningSecrets),
    ("RotateSecret", "signing", Values::SigningKinds),
    ("ChangeOwner", "name", Values::OwnerTexts(OwnerName::LENGTH_MAX)),
    ("ChangeOwner", "email", Values::OwnerTexts(OwnerEmail::LENGTH_MAX)),
    ("SetOwnerState", "state", Values::OwnerStates),
    ("SetOwnerState", "reason", Values::OwnerTexts(SuspensionReason::LENGTH_MAX)),
    ("Owner", "name", Values::OwnerTexts(OwnerName::LENGTH_MAX)),
    ("Owner", "email", Values::OwnerTexts(OwnerEmail::LENGTH_MAX)),
    ("OwnerState", "state", Values::OwnerStates),
    ("OwnerState", "reason", Values::OwnerTexts(SuspensionReason::LENGTH_MAX)),
    ("RecoverSubscription", "since", Values::Times),
    ("PublishEvent", "userId", Values::Users),
    ("PublishEvent", "organizationId", Values::Users),
    ("PublishEvent", "type", Values::PublishedTypes),
    ("PublishEvent", "id", Values::PublisherIds),
    ("CreatedApiKey", "keyId", Values::Ids(KeyId::PATTERN)),
    ("KeyRecord", "id", Values::Ids(KeyId::PATTERN)),
    ("KeyRecord", "replacedBy", Values::Ids(KeyId::PATTERN)),
    ("Introspection", "client_id", Values::Ids(KeyId::PATTERN)),
    ("Introspection", "token_type", Values::Always("api_key")),
    ("Subscription", "id", Values::Ids(SubscriptionId::PATTERN)),
    ("Subscription", "urlSetBy", Values::Ids(KeyId::PATTERN)),
    ("Subscription", "signing", Values::SigningKinds),
    ("Subscription", "ordering", Values::Always("subscription")),
    ("Subscription", "onExhausted", Values::EndsOfAttempts),
    ("Subscription", "publicKeys", Values::PublicKeys),
    ("PublicKey", "kty", Values::Always("OKP")),
    ("PublicKey", "crv", Values::Always("Ed25519")),
    ("PublicKey", "use", Values::Always("sig")),
    ("PublicKey", "alg", Values::Always("EdDSA")),
    ("Event", "id", Values::Ids(EventId::PATTERN)),
    ("Delivery", "id", Values::Ids(DeliveryId::PATTERN)),
    ("Delivery", "eventId", Values::Ids(EventId::PATTERN)),
    ("Delivery", "subscriptionId", Values::Ids(SubscriptionId::PATTERN)),
    ("Delivery", "state", Values::States),
    ("FailureGroup", "subscriptionId", Values::Ids(SubscriptionId::PATTERN)),
    ("FailureGroup", "newestDeliveryId", Values::Ids(DeliveryId::PATTERN)),
    ("FailureGroup", "error", Values::FailuresOrNull),
    ("RetryFailures", "subscriptionId", Values::Ids(SubscriptionId::PATTERN)),
    ("RetryFailures", "error", Values::FailuresOrNull),
    ("StreamedAttempt", "deliveryId", Values::Ids(DeliveryId::PATTERN)),
    ("StreamedAttempt", "eventId", Values::Ids(EventId::PATTERN)),
    ("StreamedAttempt", "subscriptionId", Values::Ids(SubscriptionId::PATTERN)),
    ("CurrentSession", "id", Values::Ids(SessionId::PATTERN)),
    ("CurrentSession", "role", Values::Roles),
    ("Session", "id", Values::Ids(SessionId::PATTERN)),
    ("Session", "role", Values::Roles),
    ("AuditEvent", "id", Values::Ids(AuditId::PATTERN)),
    ("AuditEvent", "action", Values::Actions),
    ("AuditActor", "type", Values::Actors),
    ("AuditChange", "field", Values::Fields),
    ("Attempt", "error", Values::FailuresOrNull),
    ("Liveness", "status", Values::Always("ok")),
    ("Readiness", "status", Values::Always("ready")),
];

/// The bodies that say what their other fields may be.
const OTHER_FIELDS: [(&str, OtherFields); 7] = [
    ("ChangeSubscription", OtherFields::None),
    ("BearerAuth", OtherFields::None),
    ("BasicAuth", OtherFields::None),
    ("HeaderAuth", OtherFields::None),
    ("OAuth2Auth", OtherFields::None),
    ("ClientCertificate", OtherFields::None),
    ("IntrospectForm", OtherFields::Texts),
];

/// The fields of a body that it does not name.
#[derive(Clone, Copy)]
enum OtherFields {
    None,
    /// Strings, each name once.
    Texts,
}

impl OtherFields {
    fn schema(self) -> AdditionalProperties<Schema> {
        match self {
            Self::None => AdditionalProperties::FreeForm(false),
            Self::Texts => AdditionalProperties::RefOr(ObjectBuilder::new().schema_type(Type::String).build().into()),
        }
    }
}

/// The strings that a field or a parameter may have.
#[derive(Clone, Copy)]
pub(crate) enum Values {
    /// Ids of one kind: their pattern.
    Ids(&'static str),
    Always(&'static str),
    Times,
    Labels,
    RateLimits,
    Scopes,
    Users,
    EventTypes,
    PublishedTypes,
    Patterns,
    /// Patterns, separated by commas.
    PatternLists,
    /// Names, titles and descriptions of the catalogue of event types.
    EntryNames,
    EntryTitles,
    EntryDescriptions,
    Validations,
    Visibilities,
    PublisherIds,
    Descriptions,
    /// Texts about an owner, of at most so many characters.
    OwnerTexts(usize),
    OwnerStates,
    SigningSecrets,
    SigningKinds,
    SubscriptionTypes,
    ConsumerNames,
    LeaseIds,
    Orderings,
    /// The rules for a delivery that has no attempts left.
    EndsOfAttempts,
    PublicKeys,
    Tokens,
    Usernames,
    Passwords,
    HeaderNames,
    OfHeaders,
    ClientIds,
    ClientSecrets,
    ClientScopes,
    Audiences,
    AuthKinds,
    Recoverables,
    Urls,
    LogFilters,
    /// Where the previous page of a list, or a stream, ended.
    Cursors,
    /// Filters of the audit log, by actor and by target.
    AuditActors,
    AuditTargets,
    States,
    Roles,
    Capabilities,
    Actions,
    Actors,
    Fields,
    ListFormats,
    FailuresOrNull,
}

/// Adds [`VALUES`] to the document, because the attributes of `ToSchema` accept only literals.
pub(crate) struct FieldValues;

impl Modify for FieldValues {
    fn modify(&self, document: &mut OpenApi) {
        for (schema, field, values) in VALUES {
            if let Some(field) = field_of(document, schema, field) {
                values.describe(field);
            }
        }
        for (schema, others) in OTHER_FIELDS {
            let schemas = document.components.get_or_insert_default().schemas.get_mut(schema);
            if let Some(RefOr::T(Schema::Object(body))) = schemas {
                body.additional_properties = Some(Box::new(others.schema()));
            }
        }
    }
}

impl Values {
    /// Describes the strings of this schema, or of the items of its lists.
    pub(crate) fn describe(self, schema: &mut Schema) {
        match schema {
            Schema::Object(text) => {
                text.pattern = self.pattern();
                text.format = self.format().map(|format| SchemaFormat::Custom(format.to_owned()));
                let (min, max) = self.lengths();
                text.min_length = min.or(text.min_length);
                text.max_length = max.or(text.max_length);
                text.enum_values = self.listed();
            }
            Schema::Array(ArraySchema { items: ArrayItems::RefOrSchema(items), .. }) => {
                if let RefOr::T(schema) = &mut **items {
                    self.describe(schema);
                }
            }
            _ => {}
        }
    }

    fn pattern(self) -> Option<String> {
        let pattern = match self {
            Self::Ids(pattern) => pattern,
            Self::Labels => return Some(Label::pattern()),
            Self::AuditTargets => return Some(AuditTarget::pattern()),
            Self::AuditActors => r"^((user|organization):[^\u0000-\u001f\u007f-\u009f]+|operator:[\s\S]*|service)$",
            Self::RateLimits => RateLimit::PATTERN,
            Self::Scopes => Scope::PATTERN,
            Self::Users => OwnerId::SUBJECT_PATTERN,
            Self::EventTypes => EventType::PATTERN,
            Self::PublishedTypes => EventType::PUBLISHED_PATTERN,
            Self::Patterns => EventPattern::PATTERN,
            Self::PatternLists => return Some(SubscribedEvents::pattern_of_lists()),
            Self::ConsumerNames => ConsumerName::PATTERN,
            Self::LeaseIds => LeaseId::PATTERN,
            Self::EntryNames => EventTypeEntry::NAME_PATTERN,
            Self::EntryTitles => EntryTitle::PATTERN,
            Self::EntryDescriptions => EntryDescription::PATTERN,
            Self::PublisherIds => PublisherId::PATTERN,
            Self::Descriptions => Description::PATTERN,
            Self::OwnerTexts(_) => OwnerName::PATTERN,
            Self::SigningSecrets => SigningSecret::PATTERN,
            Self::PublicKeys => PublicKey::PATTERN,
            Self::Tokens => Authentication::TOKEN_PATTERN,
            Self::Usernames => Authentication::USERNAME_PATTERN,
            Self::Passwords => Authentication::PASSWORD_PATTERN,
            Self::HeaderNames => HeaderName::PATTERN,
            Self::OfHeaders => HeaderValue::PATTERN,
            Self::ClientIds | Self::ClientSecrets => ClientCredentials::PATTERN,
            Self::ClientScopes => ClientCredentials::SCOPE_PATTERN,
            Self::Audiences => ClientCredentials::AUDIENCE_PATTERN,
            _ => return None,
        };
        Some(pattern.to_owned())
    }

    /// The format; `None` for strings that have none.
    fn format(self) -> Option<&'static str> {
        match self {
            Self::Times => Some("date-time"),
            Self::Urls => Some("uri"),
            Self::LogFilters => Some("log-filter"),
            Self::Cursors => Some("cursor"),
            _ => None,
        }
    }

    /// The shortest and the longest string, in characters; `None` where another list has it, or the pattern.
    fn lengths(self) -> (Option<usize>, Option<usize>) {
        match self {
            Self::Scopes => (Some(1), Some(Scope::LENGTH_MAX)),
            Self::Users => (Some(1), Some(OwnerId::SUBJECT_LENGTH_MAX)),
            Self::EventTypes | Self::PublishedTypes | Self::Patterns | Self::EntryNames => {
                (Some(1), Some(EventType::LENGTH_MAX))
            }
            Self::EntryTitles => (None, Some(EntryTitle::LENGTH_MAX)),
            Self::EntryDescriptions => (None, Some(EntryDescription::LENGTH_MAX)),
            Self::PublisherIds => (Some(1), Some(PublisherId::LENGTH_MAX)),
            Self::Descriptions => (None, Some(Description::LENGTH_MAX)),
            Self::OwnerTexts(max) => (Some(1), Some(max)),
            Self::SigningSecrets => (Some(1), Some(SigningSecret::LENGTH_MAX)),
            Self::Tokens => (Some(1), Some(Authentication::TOKEN_LENGTH_MAX)),
            Self::Usernames => (Some(1), Some(Authentication::USERNAME_LENGTH_MAX)),
            Self::Passwords => (None, Some(Authentication::PASSWORD_LENGTH_MAX)),
            Self::HeaderNames => (Some(1), Some(HeaderName::LENGTH_MAX)),
            Self::OfHeaders => (Some(1), Some(HeaderValue::LENGTH_MAX)),
            Self::ClientIds => (Some(1), Some(ClientCredentials::ID_LENGTH_MAX)),
            Self::ClientSecrets => (Some(1), Some(ClientCredentials::SECRET_LENGTH_MAX)),
            Self::ClientScopes | Self::Audiences => (Some(1), Some(ClientCredentials::SCOPE_LENGTH_MAX)),
            Self::Cursors => (Some(1), None),
            _ => (None, None),
        }
    }

    fn listed(self) -> Option<Vec<Value>> {
        let listed = match self {
            Self::Always(value) => vec![json!(value)],
            Self::States => DeliveryStateKind::ALL.map(|state| json!(state.as_str())).into(),
            Self::SigningKinds => SigningKind::ALL.map(|kind| json!(kind.as_str())).into(),
            Self::SubscriptionTypes => ["webhook", "pull"].map(|name| json!(name)).into(),
            Self::Orderings => ["none", "subscription"].map(|ordering| json!(ordering)).into(),
            Self::EndsOfAttempts => OnExhausted::ALL.map(|rule| json!(rule.code())).into(),
            Self::AuthKinds => AuthKind::ALL.map(|kind| json!(kind.as_str())).into(),
            Self::Recoverables => Recoverable::ALL.map(|kind| json!(kind.as_str())).into(),
            Self::Roles => ["user", "operator", "visitor"].map(|role| json!(role)).into(),
            Self::Capabilities => Capability::ALL.map(|capability| json!(capability.name())).into(),
            Self::Actions => AuditAction::ALL.map(|action| json!(action.as_str())).into(),
            Self::OwnerStates => ["active", "suspended"].map(|state| json!(state)).into(),
            Self::Validations => PayloadValidation::ALL.map(|validation| json!(validation.as_str())).into(),
            Self::Visibilities => Visibility::ALL.map(|visibility| json!(visibility.as_str())).into(),
            Self::Actors => ["user", "operator", "service"].map(|actor| json!(actor)).into(),
            Self::Fields => AuditField::ALL.map(|field| json!(field.as_str())).into(),
            Self::ListFormats => AuditFormat::ALL.map(|format| json!(format.name())).into(),
            Self::FailuresOrNull => {
                let reasons = FailureReason::ALL.iter().map(|reason| json!(reason.code()));
                reasons.chain([Value::Null]).collect()
            }
            _ => return None,
        };
        Some(listed)
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
