use actix_web::web::Json;
use domain::KeyId;
use domain::webhooks::{SubscriptionChange, Webhooks};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::subscription_fields::{description, events, url};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::records::subscription_record::SubscriptionRecord;

/// The changes. Absent fields do not change. `null` is refused.
#[derive(ToSchema)]
#[schema(as = ChangeSubscription)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The new URL. Deliveries that wait use it too.
    #[schema(required = false, example = "https://example.com/hooks")]
    url: String,
    /// The new event types and patterns.
    #[schema(required = false, example = json!(["invoice.*"]), min_items = 1)]
    events: Vec<String>,
    /// The new description.
    #[schema(required = false)]
    description: String,
    /// Whether to send events. `false` ends waiting deliveries as failed. `true` also enables a subscription that the
    /// service disabled.
    #[schema(required = false)]
    enabled: bool,
}

/// The subscription after a change.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangedSubscription)]
pub(super) struct Answer {
    /// The subscription.
    subscription: SubscriptionRecord,
}

/// Changes a webhook subscription.
#[utoipa::path(
    patch,
    path = "/api/webhooks/subscriptions/{id}",
    tag = "Webhook subscriptions",
    operation_id = "changeSubscription",
    request_body = Body,
    responses((status = 200, description = "The changed subscription", body = Answer), Errors),
)]
pub(super) async fn change_subscription(mut call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let webhooks = &call.api().webhooks;
        let change = body.read(|fields| parse(fields, call.key(), webhooks))?;
        let changed = webhooks.change_subscription(call.owner(), call.id()?, &change, &call.origin()).await?;
        let changed = changed.ok_or(ErrorCode::SubscriptionNotFound)?;
        if change.url.is_some() || change.enabled == Some(true) {
            call.confirm_key(changed.id).await?;
        }
        Ok(Json(Answer { subscription: SubscriptionRecord::of(&changed) }))
    })
    .await
}

/// Reads all fields before it fails, so that the error reports every fault at once.
fn parse(fields: &Fields, by: Option<KeyId>, webhooks: &Webhooks) -> Result<SubscriptionChange, ApiError> {
    let mut faults = fields.nulls();
    let enabled = fields.optional_flag("enabled");
    match (url(fields, webhooks), events(fields), description(fields), enabled) {
        (Ok(url), Ok(events), Ok(description), Ok(enabled)) if faults.is_empty() => {
            Ok(SubscriptionChange { url, events, description, enabled, by })
        }
        (url, events, description, enabled) => {
            let of_values = [url.err(), events.err(), description.err(), enabled.err()];
            faults.extend(of_values.into_iter().flatten());
            Err(ApiError::invalid_fields(faults))
        }
    }
}

documented_errors!(Errors: SubscriptionNotFound);
