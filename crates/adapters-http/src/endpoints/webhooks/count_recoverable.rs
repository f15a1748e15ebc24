use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::SubscriptionId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::subscription_fields::required;
use crate::callers::webhook_caller::WebhookReader;
use crate::documents::responses::{SUBSCRIPTION_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::parameters::query::Parameters;
use crate::state::State;

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
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(
        ("id" = String, Path, description = "The subscription's id"),
        ("since" = String, Query,
            description = "Only events published at this time or later: RFC 3339, not in the future"),
    ),
    responses((status = 200, description = "The count", body = Answer), Errors),
)]
pub(super) async fn count_recoverable(
    caller: WebhookReader,
    state: Data<State>,
    id: PathId<SubscriptionId>,
    request: HttpRequest,
) -> Result<Json<Answer>, ApiError> {
    let parameters = Parameters::parse(request.query_string(), &["since"])?;
    let since = parameters.time("since").and_then(|since| required("since", since))?;
    let deliveries = state.api.webhooks.count_recoverable(caller.user(), id.known()?, since).await?;
    Ok(Json(Answer { deliveries }))
}

documented_errors!(Errors: [SUBSCRIPTION_ERRORS], InvalidField);
