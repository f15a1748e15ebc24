use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::audit::AuditTarget;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::endpoints::webhooks::list_failures::{Answer, subscription_in};
use crate::errors::api_error::ApiError;
use crate::parameters::path_user::PathUser;
use crate::state::State;

/// Lists the failed deliveries to a user, grouped by cause, for support work.
///
/// A cause is a subscription, and how the last attempt failed. Counts the newest 1,000 failed deliveries that can be
/// retried: deliveries to deleted subscriptions and of events that are too old are left out. The user sees this call in
/// the audit log.
#[utoipa::path(
    get,
    path = "/api/operator/users/{userId}/failures",
    tag = "Operator",
    operation_id = "listUserFailures",
    security(("operatorToken" = [])),
    params(
        ("userId" = String, Path, description = "The user's `sub` at the configured issuer"),
        ("subscriptionId" = Option<String>, Query, description = "Only deliveries to this subscription"),
    ),
    responses((status = 200, description = "The causes", body = Answer), Errors),
)]
pub(super) async fn list_user_failures(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    request: HttpRequest,
) -> Result<Json<Answer>, ApiError> {
    let (user, subscription) = (user.valid()?, subscription_in(&request)?);
    state.api.audit.record_read(&user, AuditTarget::Deliveries, &origin_of(&request)).await?;
    Answer::read(&state, &user, subscription).await
}

documented_errors!(Errors: [OPERATOR_ERRORS], InvalidField);
