use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::subscription_fields::required;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;

/// What a recovery would bring back.
#[derive(Serialize, ToSchema)]
#[schema(as = RecoverableDeliveries)]
pub(super) struct Answer {
    /// How many deliveries a recovery would make due now, counted up to 10,000.
    #[schema(maximum = 10_000)]
    deliveries: u32,
}

/// Counts the deliveries that a recovery of a webhook subscription would retry.
///
/// Changes nothing. The count goes up to 10,000; a recovery may retry more.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}/recoverable",
    tag = "Webhook subscriptions",
    operation_id = "countRecoverable",
    params(
        ("since" = String, Query,
            description = "Only events published at this time or later: RFC 3339, not in the future"),
    ),
    responses((status = 200, description = "The count", body = Answer), Errors),
)]
pub(super) async fn count_recoverable(call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let since = call.parameters()?.time("since").and_then(|since| required("since", since))?;
    let deliveries = call.api().webhooks.count_recoverable(call.owner(), call.id()?, since).await?;
    Ok(Json(Answer { deliveries }))
}

documented_errors!(Errors: SubscriptionNotFound);
