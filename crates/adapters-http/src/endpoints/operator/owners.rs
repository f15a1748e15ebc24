use actix_web::web::Json;
use domain::audit::AuditTarget;
use utoipa::ToSchema;

use crate::bodies::owner_fields::{owner_change, owner_state_change};
use crate::callers::operator::record_read;
use crate::callers::owner::OwnerCall;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::records::key_record::metadata_patch_schema;
use crate::records::owner_record::OwnerRecord;

/// The changes. Absent fields do not change, and `null` is the default again.
#[derive(ToSchema)]
#[schema(as = ChangeOwner, example = json!({"maxActiveKeys": 50}))]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Change {
    /// The name, for people. It identifies nothing.
    #[schema(example = "Acme Ltd")]
    name: Option<String>,
    /// The e-mail address, for people. It is not checked, and identifies nothing.
    #[schema(example = "it@acme.example")]
    email: Option<String>,
    /// The names to set, and with `null` those to remove. Other names stay. `null` in place of the object removes all.
    #[schema(schema_with = metadata_patch_schema, required = false)]
    metadata: (),
    /// The most active keys, in place of `API_KEYS_MAX_ACTIVE`. A lower maximum ends no key.
    #[schema(rename = "maxActiveKeys", example = 50)]
    max_active_keys: Option<u32>,
    /// The most subscriptions, in place of `WEBHOOK_MAX_SUBSCRIPTIONS`. A lower maximum ends no subscription.
    #[schema(rename = "maxSubscriptions", example = 20)]
    max_subscriptions: Option<u32>,
}

/// The new state.
#[derive(ToSchema)]
#[schema(as = SetOwnerState, example = json!({"state": "suspended", "reason": "unpaid"}))]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct State {
    /// `suspended`: nothing of the owner is accepted, and nothing is sent to the owner. `active`: all of it again.
    state: String,
    /// Why the owner is suspended. The audit log has it. Absent for an active owner.
    #[schema(required = false, example = "unpaid")]
    reason: String,
}

/// Shows the record of a user.
///
/// An unknown user has a record with the defaults. The user sees this call in the audit log.
#[utoipa::path(
    get,
    path = "/api/operator/users/{userId}",
    responses((status = 200, description = "The record of the user", body = OwnerRecord)),
)]
pub(super) async fn find_user(call: OwnerCall) -> Result<Json<OwnerRecord>, ApiError> {
    record_read(&call.request, call.owner(), AuditTarget::Owner).await?;
    Ok(Json(OwnerRecord::of(call.api().owners.find(call.owner()).await?)))
}

/// Changes the record of a user.
///
/// A changed maximum holds for the next key or subscription that is created, and ends none. Of two changes at once the last
/// one wins for each field.
#[utoipa::path(
    patch,
    path = "/api/operator/users/{userId}",
    request_body = Change,
    responses((status = 200, description = "The changed record of the user", body = OwnerRecord)),
)]
pub(super) async fn change_user(mut call: OwnerCall) -> Result<Json<OwnerRecord>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let change = body.read(owner_change)?;
        let changed = call.api().owners.change(call.owner(), change, &call.origin()).await?;
        Ok(Json(OwnerRecord::of(changed)))
    })
    .await
}

/// Suspends a user, or makes a user active again.
///
/// Keys and sessions of a suspended owner are refused as unknown ones: here at once, and by other instances within a second.
/// Calls with ID tokens get 403 `owner_suspended`. Deliveries wait, and events are accepted. `active` undoes exactly this. A
/// state that the user has already changes nothing.
#[utoipa::path(
    put,
    path = "/api/operator/users/{userId}/state",
    request_body = State,
    responses((status = 200, description = "The changed record of the user", body = OwnerRecord)),
)]
pub(super) async fn set_user_state(mut call: OwnerCall) -> Result<Json<OwnerRecord>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let state = body.read(owner_state_change)?;
        let changed = call.api().owners.set_state(call.owner(), state, &call.origin()).await?;
        Ok(Json(OwnerRecord::of(changed)))
    })
    .await
}
