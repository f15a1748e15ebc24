use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

use crate::callers::caller::Caller;
use crate::documents::openapi::{ResponsesByStatus, SUBSCRIPTION_ERRORS, error_responses};
use crate::errors::api_error::ApiError;
use crate::state::State;

/// Deletes a webhook subscription.
///
/// What waits to be delivered is cancelled with it; its secrets are gone at once. Its deliveries stay listed until
/// they are too old.
#[utoipa::path(
    delete,
    path = "/api/webhooks/subscriptions/{id}",
    tag = "Webhook subscriptions",
    operation_id = "deleteSubscription",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The subscription's id")),
    responses((status = 204, description = "The subscription is deleted"), Errors),
)]
pub(super) async fn delete_subscription(
    caller: Caller,
    state: Data<State>,
    id: Path<String>,
) -> Result<HttpResponse, ApiError> {
    // A text that is no id of ours names no subscription.
    let id = id.parse().map_err(|_| ApiError::SubscriptionNotFound)?;
    if state.api.webhooks.delete_subscription(caller.user(), id).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(ApiError::SubscriptionNotFound)
    }
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(SUBSCRIPTION_ERRORS)
    }
}
