use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::audit::AuditTarget;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_user::PathUser;
use crate::records::key_record::KeyList;
use crate::state::State;

/// Lists a user's API keys, for support work.
///
/// Returns what the user sees: every active key and the 100 keys that ended last, newest first. The list of an unknown
/// user is empty. The user sees this call in the audit log.
#[utoipa::path(
    get,
    path = "/api/operator/users/{userId}/keys",
    tag = "Operator",
    operation_id = "listUserApiKeys",
    security(("operatorToken" = [])),
    params(("userId" = String, Path, description = "The user's `sub` at the configured issuer")),
    responses((status = 200, description = "The user's keys", body = KeyList), Errors),
)]
pub(super) async fn list_user_keys(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    head: HttpRequest,
) -> Result<Json<KeyList>, ApiError> {
    let user = user.valid()?;
    state.api.audit.record_read(&user, AuditTarget::Keys, &origin_of(&head)).await?;
    Ok(Json(KeyList::of(state.api.keys.list(&user).await?)))
}

documented_errors!(Errors: [OPERATOR_ERRORS], InvalidField);
