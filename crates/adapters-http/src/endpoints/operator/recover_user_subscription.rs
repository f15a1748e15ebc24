use actix_web::HttpResponse;
use domain::SubscriptionId;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::OperatorRequest;
use crate::documents::responses::{BODY_ERRORS, OPERATOR_ERRORS, documented_errors};
use crate::endpoints::to_the_end;
use crate::endpoints::webhooks::recover_subscription::{Answer, Body, since};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::parameters::path_user::PathUser;
use crate::state::State;

/// Enables a user's webhook subscription and retries its failed deliveries, for support work.
///
/// Enables the subscription, even if the service disabled it, and ends its pause. Deliveries that failed or wait for a
/// retry are due now, at the start of the retry schedule. One call recovers at most 100,000 deliveries, those of the
/// oldest events. If the answer says 100,000, call again. Events that are too old to deliver again are skipped. The
/// call does not count against the limit of the user.
#[utoipa::path(
    post,
    path = "/api/operator/users/{userId}/subscriptions/{id}/recover",
    tag = "Operator",
    operation_id = "recoverUserSubscription",
    security(("operatorToken" = [])),
    params(
        ("userId" = String, Path, description = "The user's `sub` at the configured issuer"),
        ("id" = String, Path, description = "The subscription's id"),
    ),
    request_body = Body,
    responses(
        (status = 202, description = "The subscription is enabled, and its failed deliveries are due", body = Answer),
        Errors,
    ),
)]
pub(super) async fn recover_user_subscription(
    mut call: OperatorRequest,
    user: PathUser,
    id: PathId<SubscriptionId>,
) -> Result<HttpResponse, ApiError> {
    let state = State::of(&call.request).clone();
    let body = call.read_body(state.limits.body_size_bytes_max).await?;
    let since = body.read(since)?;
    let (user, id, origin) = (user.valid()?, id.known()?, origin_of(&call.request));
    to_the_end(async move {
        let deliveries = state.api.webhooks.recover_subscription(&user, id, since, &origin).await?;
        Ok(HttpResponse::Accepted().json(Answer { deliveries }))
    })
    .await
}

documented_errors!(Errors: [OPERATOR_ERRORS, BODY_ERRORS], SubscriptionNotFound);
