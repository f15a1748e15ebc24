use domain::audit::{AuditAction, AuditField};
use domain::webhooks::{DeliveryStateKind, FailureReason};
use domain::{AuditId, DeliveryId, EventId, KeyId, SessionId, SubscriptionId};
use serde_json::{Value, json};
use utoipa::Modify;
use utoipa::openapi::OpenApi;
use utoipa::openapi::schema::Schema;

use crate::documents::limits::field_of;

/// The values of fields in answers, for clients that are generated from the document.
const VALUES: [(&str, &str, Values); 31] = [
    ("CreatedApiKey", "keyId", Values::Ids(KeyId::PREFIX)),
    ("KeyRecord", "id", Values::Ids(KeyId::PREFIX)),
    ("KeyRecord", "replacedBy", Values::Ids(KeyId::PREFIX)),
    ("Introspection", "client_id", Values::Ids(KeyId::PREFIX)),
    ("Introspection", "token_type", Values::Always("api_key")),
    ("Subscription", "id", Values::Ids(SubscriptionId::PREFIX)),
    ("Subscription", "urlSetBy", Values::Ids(KeyId::PREFIX)),
    ("Event", "id", Values::Ids(EventId::PREFIX)),
    ("Delivery", "id", Values::Ids(DeliveryId::PREFIX)),
    ("Delivery", "eventId", Values::Ids(EventId::PREFIX)),
    ("Delivery", "subscriptionId", Values::Ids(SubscriptionId::PREFIX)),
    ("Delivery", "state", Values::States),
    ("FailureGroup", "subscriptionId", Values::Ids(SubscriptionId::PREFIX)),
    ("FailureGroup", "newestDeliveryId", Values::Ids(DeliveryId::PREFIX)),
    ("FailureGroup", "error", Values::FailuresOrNull),
    ("RetryFailures", "subscriptionId", Values::Ids(SubscriptionId::PREFIX)),
    ("RetryFailures", "error", Values::FailuresOrNull),
    ("StreamedAttempt", "deliveryId", Values::Ids(DeliveryId::PREFIX)),
    ("StreamedAttempt", "eventId", Values::Ids(EventId::PREFIX)),
    ("StreamedAttempt", "subscriptionId", Values::Ids(SubscriptionId::PREFIX)),
    ("CurrentSession", "id", Values::Ids(SessionId::PREFIX)),
    ("CurrentSession", "role", Values::Roles),
    ("Session", "id", Values::Ids(SessionId::PREFIX)),
    ("Session", "role", Values::Roles),
    ("AuditEvent", "id", Values::Ids(AuditId::PREFIX)),
    ("AuditEvent", "action", Values::Actions),
    ("AuditActor", "type", Values::Actors),
    ("AuditChange", "field", Values::Fields),
    ("Attempt", "error", Values::FailuresOrNull),
    ("Liveness", "status", Values::Always("ok")),
    ("Readiness", "status", Values::Always("ready")),
];

#[derive(Clone, Copy)]
enum Values {
    /// `TypeID`s with this prefix.
    Ids(&'static str),
    Always(&'static str),
    States,
    Roles,
    Actions,
    Actors,
    Fields,
    FailuresOrNull,
}

/// Adds [`VALUES`] to the document, because the attributes of `ToSchema` accept only literals.
pub(crate) struct AnswerValues;

impl Modify for AnswerValues {
    fn modify(&self, document: &mut OpenApi) {
        for (schema, field, values) in VALUES {
            if let Some(Schema::Object(text)) = field_of(document, schema, field) {
                text.pattern = values.pattern();
                text.enum_values = values.listed();
            }
        }
    }
}

/// The pattern of ids with this prefix: `TypeID`s.
pub(crate) fn id_pattern(prefix: &str) -> String {
    format!("^{prefix}[0-7][0-9a-hjkmnp-tv-z]{{25}}$")
}

impl Values {
    fn pattern(self) -> Option<String> {
        let Self::Ids(prefix) = self else { return None };
        Some(id_pattern(prefix))
    }

    fn listed(self) -> Option<Vec<Value>> {
        match self {
            Self::Ids(_) => None,
            Self::Always(value) => Some(vec![json!(value)]),
            Self::States => Some(DeliveryStateKind::ALL.map(|state| json!(state.as_str())).into()),
            Self::Roles => Some(["user", "operator", "visitor"].map(|role| json!(role)).into()),
            Self::Actions => Some(AuditAction::ALL.map(|action| json!(action.as_str())).into()),
            Self::Actors => Some(["user", "operator", "service"].map(|actor| json!(actor)).into()),
            Self::Fields => Some(AuditField::ALL.map(|field| json!(field.as_str())).into()),
            Self::FailuresOrNull => {
                let reasons = FailureReason::ALL.iter().map(|reason| json!(reason.code()));
                Some(reasons.chain([Value::Null]).collect())
            }
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
            let found = &document["components"]["schemas"][schema]["properties"][field];
            assert_eq!(found["pattern"].as_str(), values.pattern().as_deref(), "{schema}.{field}");
            assert_eq!(found["enum"].as_array(), values.listed().as_ref(), "{schema}.{field}");
            let example = found["example"].as_str();
            let is_listed = |example: &str| values.listed().is_none_or(|listed| listed.contains(&json!(example)));
            assert!(example.is_none_or(is_listed), "{schema}.{field}: {example:?}");
        }
    }
}
