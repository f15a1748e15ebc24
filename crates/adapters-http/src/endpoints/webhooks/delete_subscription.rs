use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::SubscriptionId;

use crate::boundary::exchange::origin_of;
use crate::callers::webhook_caller::WebhookWriter;
use crate::documents::responses::{SUBSCRIPTION_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::path_id::PathId;
use crate::state::State;

/// Deletes a webhook subscription.
///
/// Cancels the deliveries that wait, and deletes the secrets at once. The subscription's deliveries stay in the list
/// until they are older than the retention time.
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
    caller: WebhookWriter,
    state: Data<State>,
    id: PathId<SubscriptionId>,
    head: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let origin = origin_of(&head);
    let id = id.known()?;
    if state.api.webhooks.delete_subscription(caller.user(), id, &origin).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(ErrorCode::SubscriptionNotFound.into())
    }
}

documented_errors!(Errors: [SUBSCRIPTION_ERRORS]);
