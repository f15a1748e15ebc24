use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::DeliveryId;

use crate::boundary::exchange::origin_of;
use crate::callers::webhook_caller::WebhookWriter;
use crate::documents::responses::{DELIVERY_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::records::delivery_record::ChangedDelivery;
use crate::state::State;

/// Retries a delivery now.
///
/// The delivery is due now, in whatever state it was, and starts the retry schedule again. A delivery that is being
/// sent does not change.
#[utoipa::path(
    post,
    path = "/api/webhooks/deliveries/{id}/retry",
    tag = "Deliveries",
    operation_id = "retryDelivery",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The delivery's id")),
    responses((status = 202, description = "The delivery is due", body = ChangedDelivery), Errors),
)]
pub(super) async fn retry_delivery(
    caller: WebhookWriter,
    state: Data<State>,
    id: PathId<DeliveryId>,
    head: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let origin = origin_of(&head);
    let id = id.known()?;
    state.count_manual_send_of(caller.user())?;
    let delivery = state.api.webhooks.retry_delivery(caller.user(), id, &origin).await?;
    Ok(HttpResponse::Accepted().json(ChangedDelivery::of(&delivery)))
}

documented_errors!(Errors: [DELIVERY_ERRORS], SubscriptionDisabled, EventTooOld, TooManyManualSends);
