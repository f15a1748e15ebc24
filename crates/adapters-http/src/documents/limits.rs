use std::time::Duration;

use domain::ports::PUBLISHED_EVENTS_MAX;
use domain::sessions::{ReturnUrl, SESSION_LIFETIME};
use domain::webhooks::{FailureCause, TargetUrl};
use domain::{LEAKS_MAX, LogControl, OVERLAP_MAX};
use utoipa::Number;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{OpenApi, RefOr};

use crate::bodies::owner_fields::{KEYS_MAX, SUBSCRIPTIONS_MAX};
use crate::bodies::pull_fields::{LEASE_SECONDS, RECEIVED, WAIT_SECONDS};

/// The limits of request bodies, from the constants of the domain.
const LIMITS: [(&str, &str, Limit); 16] = [
    ("RotateApiKey", "overlapSeconds", Limit::Duration(OVERLAP_MAX)),
    ("CreatePortalLink", "returnUrl", Limit::Length(ReturnUrl::LENGTH_MAX)),
    ("CreatePortalLink", "ttlSeconds", Limit::Duration(SESSION_LIFETIME)),
    ("ChangeLogFilter", "filter", Limit::Length(LogControl::FILTER_LENGTH_MAX)),
    ("ReportLeaks", "tokens", Limit::Items(LEAKS_MAX)),
    ("CreateSubscription", "url", Limit::Length(TargetUrl::LENGTH_MAX)),
    ("TestUrl", "url", Limit::Length(TargetUrl::LENGTH_MAX)),
    ("ChangeSubscription", "url", Limit::Length(TargetUrl::LENGTH_MAX)),
    ("RotateSecret", "overlapSeconds", Limit::Duration(OVERLAP_MAX)),
    ("ReceiveEvents", "limit", Limit::between(RECEIVED)),
    ("ReceiveEvents", "wait", Limit::between(WAIT_SECONDS)),
    ("ReceiveEvents", "leaseSeconds", Limit::between(LEASE_SECONDS)),
    ("PublishEvents", "events", Limit::Items(PUBLISHED_EVENTS_MAX)),
    ("ChangeOwner", "maxActiveKeys", Limit::Between(0, KEYS_MAX)),
    ("ChangeOwner", "maxSubscriptions", Limit::Between(0, SUBSCRIPTIONS_MAX)),
    ("RetryFailures", "status", Limit::Between(*FailureCause::STATUSES.start(), *FailureCause::STATUSES.end())),
];

/// The limit of a field.
#[derive(Clone, Copy)]
enum Limit {
    /// Characters of a string.
    Length(usize),
    /// Items of a list.
    Items(usize),
    /// Whole seconds of a number.
    Duration(Duration),
    /// The least and the largest number.
    Between(u16, u16),
}

/// Adds [`LIMITS`] to the document, because the attributes of `ToSchema` accept only literals.
pub(crate) fn add_body_limits(document: &mut OpenApi) {
    for (schema, field, limit) in LIMITS {
        if let Some(field) = field_of(document, schema, field) {
            limit.set(field);
        }
    }
}

/// A field of a schema.
pub(crate) fn field_of<'a>(document: &'a mut OpenApi, schema: &str, field: &str) -> Option<&'a mut Schema> {
    match document.components.as_mut()?.schemas.get_mut(schema)? {
        RefOr::T(Schema::Object(object)) => match object.properties.get_mut(field)? {
            RefOr::T(field) => Some(field),
            RefOr::Ref(_) => None,
        },
        _ => None,
    }
}

impl Limit {
    const fn between((min, max): (u16, u16)) -> Self {
        Self::Between(min, max)
    }

    fn set(self, field: &mut Schema) {
        match (self, field) {
            (Self::Length(max), Schema::Object(text)) => text.max_length = Some(max),
            (Self::Between(min, max), Schema::Object(number)) => {
                [number.minimum, number.maximum] = [min, max].map(|limit| Some(Number::UInt(limit.into())));
            }
            (Self::Items(max), Schema::Array(list)) => list.max_items = Some(max),
            (Self::Duration(max), Schema::Object(number)) => {
                number.maximum = usize::try_from(max.as_secs()).ok().map(Number::UInt);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::openapi::openapi_json;

    #[test]
    fn every_limit_is_in_the_document() {
        let document: Value = serde_json::from_str(&openapi_json()).unwrap();
        for (schema, field, limit) in LIMITS {
            let (keyword, max) = match limit {
                Limit::Length(max) => ("maxLength", max as u64),
                Limit::Items(max) => ("maxItems", max as u64),
                Limit::Duration(max) => ("maximum", max.as_secs()),
                Limit::Between(_, max) => ("maximum", max.into()),
            };
            let found = &document["components"]["schemas"][schema]["properties"][field][keyword];
            assert_eq!(found.as_u64(), Some(max), "{schema}.{field}");
        }
    }
}
