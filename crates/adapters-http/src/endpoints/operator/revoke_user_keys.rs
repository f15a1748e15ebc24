use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;

/// How many keys were revoked.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeysRevoked)]
pub(super) struct Answer {
    /// How many keys this call revoked. A key that expired before counts, and a key that was revoked before does not.
    #[schema(example = 3)]
    revoked_count: u64,
}

/// Revokes all API keys of a user, for support work.
///
/// The service refuses the keys from now on. With `createdBefore`, keys that were created at that time or later stay
/// good. The keys of an unknown user are none. Repeat a call that has failed, because some of the keys may be revoked.
#[utoipa::path(
    delete,
    path = "/api/operator/users/{userId}/keys",
    tag = "Operator",
    operation_id = "revokeUserApiKeys",
    params(
        ("createdBefore" = Option<String>, Query, format = DateTime,
            description = "Revoke only keys that were created before this time (RFC 3339)"),
    ),
    responses((status = 200, description = "The keys are revoked", body = Answer)),
)]
pub(super) async fn revoke_user_keys(mut call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    call.refuse_members().await?;
    let created_before = call.parameters()?.time("createdBefore")?;
    to_the_end(async move {
        let revoked_count = call.api().keys.revoke_all(call.owner(), created_before, &call.origin()).await?;
        Ok(Json(Answer { revoked_count }))
    })
    .await
}
