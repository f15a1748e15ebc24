use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::audit::AuditTarget;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::endpoints::webhooks::list_subscriptions::{Answer, answer};
use crate::errors::api_error::ApiError;
use crate::parameters::path_user::PathUser;
use crate::state::State;

/// Lists a user's webhook subscriptions, newest first, for support work.
///
/// The list of an unknown user is empty. The user sees this call in the audit log.
#[utoipa::path(
    get,
    path = "/api/operator/users/{userId}/subscriptions",
    tag = "Operator",
    operation_id = "listUserSubscriptions",
    security(("operatorToken" = [])),
    params(
        ("userId" = String, Path, description = "The user's `sub` at the configured issuer"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
        ("include" = Option<String>, Query, description = "`health`: each subscription with its health"),
    ),
    responses((status = 200, description = "A page of the user's subscriptions", body = Answer), Errors),
)]
pub(super) async fn list_user_subscriptions(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    request: HttpRequest,
) -> Result<Json<Answer>, ApiError> {
    let user = user.valid()?;
    state.api.audit.record_read(&user, AuditTarget::Subscriptions, &origin_of(&request)).await?;
    answer(&state, &user, request.query_string()).await
}

documented_errors!(Errors: [OPERATOR_ERRORS], InvalidField);
