use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::DeliveryId;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::parameters::path_user::PathUser;
use crate::records::delivery_record::ChangedDelivery;
use crate::state::State;

/// Retries a delivery to a user now, for support work.
///
/// The delivery is due now, in whatever state it was, and starts the retry schedule again. A delivery that is being
/// sent does not change. The call does not count against the limit of the user.
#[utoipa::path(
    post,
    path = "/api/operator/users/{userId}/deliveries/{id}/retry",
    tag = "Operator",
    operation_id = "retryUserDelivery",
    security(("operatorToken" = [])),
    params(
        ("userId" = String, Path, description = "The user's `sub` at the configured issuer"),
        ("id" = String, Path, description = "The delivery's id"),
    ),
    responses((status = 202, description = "The delivery is due", body = ChangedDelivery), Errors),
)]
pub(super) async fn retry_user_delivery(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    id: PathId<DeliveryId>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let (user, id) = (user.valid()?, id.known()?);
    let delivery = state.api.webhooks.retry_delivery(&user, id, &origin_of(&request)).await?;
    Ok(HttpResponse::Accepted().json(ChangedDelivery::of(&delivery)))
}

documented_errors!(Errors: [OPERATOR_ERRORS], InvalidField, DeliveryNotFound, SubscriptionDisabled, EventTooOld);
