use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::SubscriptionId;
use domain::audit::AuditTarget;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::endpoints::webhooks::find_subscription::{Answer, answer};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::parameters::path_user::PathUser;
use crate::state::State;

/// Shows a user's webhook subscription and its health, for support work.
///
/// The user sees this call in the audit log.
#[utoipa::path(
    get,
    path = "/api/operator/users/{userId}/subscriptions/{id}",
    tag = "Operator",
    operation_id = "findUserSubscription",
    security(("operatorToken" = [])),
    params(
        ("userId" = String, Path, description = "The user's `sub` at the configured issuer"),
        ("id" = String, Path, description = "The subscription's id"),
    ),
    responses((status = 200, description = "The subscription", body = Answer), Errors),
)]
pub(super) async fn find_user_subscription(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    id: PathId<SubscriptionId>,
    request: HttpRequest,
) -> Result<Json<Answer>, ApiError> {
    let (user, id) = (user.valid()?, id.known()?);
    state.api.audit.record_read(&user, AuditTarget::Subscription(id), &origin_of(&request)).await?;
    answer(&state, &user, id).await
}

documented_errors!(Errors: [OPERATOR_ERRORS], InvalidField, SubscriptionNotFound);
