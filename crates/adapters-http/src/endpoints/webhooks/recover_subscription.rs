use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::SubscriptionId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::subscription_fields::required;
use crate::callers::caller_request::CallerRequest;
use crate::documents::responses::{BODY_ERRORS, SUBSCRIPTION_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::state::State;

/// From when on to recover.
#[derive(ToSchema)]
#[schema(as = RecoverSubscription)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// Deliveries of events that were published then or later: RFC 3339, not in the future.
    #[schema(format = DateTime, example = "2026-11-21T01:42:03.120Z")]
    since: String,
}

/// What was recovered.
#[derive(Serialize, ToSchema)]
#[schema(as = RecoveredSubscription)]
struct Answer {
    /// How many deliveries are due now: 100,000 at most.
    deliveries: u32,
}

/// Brings a webhook subscription back, and what failed.
///
/// It is enabled, whoever disabled it, and its pause is over. Deliveries that failed, and those that wait for a retry,
/// are due now, on a new run of the retry schedule. One call brings back 100,000 deliveries at most, those of the oldest
/// events: with that answer, call again. Events that are too old to be delivered again are left out. After an error,
/// what was brought back stays so, and calling again goes on.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/recover",
    tag = "Webhook subscriptions",
    operation_id = "recoverSubscription",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The subscription's id")),
    request_body = Body,
    responses((status = 202, description = "The subscription is enabled, and what failed is due", body = Answer), Errors),
)]
pub(super) async fn recover_subscription(
    state: Data<State>,
    request: CallerRequest,
    id: PathId<SubscriptionId>,
) -> Result<HttpResponse, ApiError> {
    let since = request.fields.optional_time("since").and_then(|since| required("since", since))?;
    let id = id.known()?;
    let deliveries = state.api.webhooks.recover_subscription(request.user(), id, since).await?;
    Ok(HttpResponse::Accepted().json(Answer { deliveries }))
}

documented_errors!(Errors: [BODY_ERRORS, SUBSCRIPTION_ERRORS]);
