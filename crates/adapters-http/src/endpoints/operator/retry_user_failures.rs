use actix_web::HttpResponse;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::OperatorRequest;
use crate::documents::responses::{BODY_ERRORS, OPERATOR_ERRORS, documented_errors};
use crate::endpoints::to_the_end;
use crate::endpoints::webhooks::retry_failures::{Answer, Body, cause_in};
use crate::errors::api_error::ApiError;
use crate::parameters::path_user::PathUser;
use crate::state::State;

/// Retries the deliveries to a user that failed for one cause, for support work.
///
/// The deliveries are due now, and each starts the retry schedule again. One call retries those of the newest 1,000 failed
/// deliveries of the subscription that have this cause. The call does not count against the limit of the user.
#[utoipa::path(
    post,
    path = "/api/operator/users/{userId}/failures/retry",
    tag = "Operator",
    operation_id = "retryUserFailures",
    security(("operatorToken" = [])),
    params(("userId" = String, Path, description = "The user's `sub` at the configured issuer")),
    request_body = Body,
    responses((status = 202, description = "The deliveries are due", body = Answer), Errors),
)]
pub(super) async fn retry_user_failures(mut call: OperatorRequest, user: PathUser) -> Result<HttpResponse, ApiError> {
    let state = State::of(&call.request).clone();
    let cause = call.read_body(state.limits.body_size_bytes_max).await?.read(cause_in)?;
    let (user, origin) = (user.valid()?, origin_of(&call.request));
    to_the_end(async move {
        let deliveries = state.api.webhooks.retry_failures(&user, &cause, &origin).await?;
        Ok(HttpResponse::Accepted().json(Answer { deliveries }))
    })
    .await
}

documented_errors!(Errors: [OPERATOR_ERRORS, BODY_ERRORS], SubscriptionNotFound, SubscriptionDisabled);
