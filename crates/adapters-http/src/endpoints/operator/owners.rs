use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::audit::AuditTarget;
use domain::{OwnerFilter, OwnerQuery, OwnerStateChange};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::owner_fields::{owner_change, owner_state_change};
use crate::callers::operator::{OperatorCall, record_read};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::cursor::{Cursor as _, OwnerCursor};
use crate::records::key_record::metadata_patch_schema;
use crate::records::owner_record::{ListedOwner, OwnerRecord};

/// A page of owners.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OwnerPage {
    /// The owners, in the order of what is found.
    owners: Vec<ListedOwner>,
    /// The `cursor` of the next page; absent on the last page. A page that is short or empty may still have a next
    /// page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

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
    /// How often each key may be used, such as `100/s`, in place of `RATE_LIMIT`. A key's own `rateLimit` is within it, unless
    /// an operator has set that.
    #[schema(rename = "keyRateLimit", example = "100/s")]
    key_rate_limit: Option<String>,
    /// How often the owner may call, with all credentials together, in place of `USER_RATE_LIMIT`.
    #[schema(rename = "requestRateLimit", example = "6000/m")]
    request_rate_limit: Option<String>,
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

/// Finds users and organizations.
///
/// Lists each owner with a stored record, key or subscription once, in the order of ids. With `query`, the list begins with
/// owners whose id begins with it. Owners whose name does follow, then owners whose e-mail address does, and last owners of
/// a key whose `prefix` does. With `state=suspended`, all are in the order of ids, and owners found by a key come last. When
/// few owners match, a page may be short or empty and still have a `nextCursor`: continue while there is one. The call
/// names no owner, so no owner sees it in the audit log.
#[utoipa::path(
    get,
    path = "/api/operator/owners",
    params(
        ("query" = Option<String>, Query, description = "The start of an id, a name, an e-mail address or a key. The case of `A` to `Z` matters in ids and keys only. A whole API key is refused"),
        ("state" = Option<String>, Query, description = "Only active owners, or only suspended ones"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page; same query and state"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
    ),
    responses((status = 200, description = "A page of owners", body = OwnerPage)),
)]
pub(super) async fn list_owners(call: OperatorCall) -> Result<Json<OwnerPage>, ApiError> {
    let (parameters, api) = (call.parameters()?, call.api());
    let is_suspended = |state: &str| match state {
        "active" => Some(false),
        "suspended" => Some(true),
        _ => None,
    };
    let filter = OwnerFilter {
        issuer: api.issuer.clone(),
        query: parameters.parse_with("query", |text| OwnerQuery::parse(text, api.keys.policy()))?,
        is_suspended: parameters.read("state", is_suspended, "must be active or suspended")?,
    };
    let list = OwnerCursor::list(parameters.text("query"), parameters.text("state"));
    let cursor: Option<OwnerCursor> = parameters.cursor()?;
    if cursor.as_ref().is_some_and(|cursor| cursor.list != list) {
        return Err(FieldFault::new("cursor", "must be used with the query and the state of its page").into());
    }
    let page = api.owners.list(filter, cursor.map(|cursor| cursor.after), parameters.limit()?).await?;
    Ok(Json(OwnerPage {
        owners: page.owners.into_iter().map(ListedOwner::of).collect(),
        next_cursor: page.next.map(|after| OwnerCursor { after, list }.to_cursor()),
    }))
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
/// A changed maximum holds for the next key or subscription that is created, and ends none. Changed rate limits hold here at
/// once, and on other instances within a second. If two changes run at the same time, the last
/// one wins for each field.
#[utoipa::path(
    patch,
    path = "/api/operator/users/{userId}",
    request_body = Change,
    responses((status = 200, description = "The changed record of the user", body = OwnerRecord), ErasingOwner),
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
/// Calls with ID tokens get 403 `owner_suspended`. Deliveries wait, and events are accepted. `active` undoes exactly this: a
/// user whom the identity provider has deactivated by SCIM stays suspended. Setting the present state again changes nothing.
/// A user who is being erased stays suspended.
#[utoipa::path(
    put,
    path = "/api/operator/users/{userId}/state",
    request_body = State,
    responses((status = 200, description = "The changed record of the user", body = OwnerRecord), ErasingOwner),
)]
pub(super) async fn set_user_state(mut call: OwnerCall) -> Result<Json<OwnerRecord>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let state = body.read(owner_state_change)?;
        let is_end = state == OwnerStateChange::Activate;
        let changed = call.api().owners.set_state(call.owner(), state, &call.origin()).await?;
        if is_end && changed.erasing_since.is_some() {
            return Err(ErrorCode::OwnerErasing.into());
        }
        Ok(Json(OwnerRecord::of(changed)))
    })
    .await
}

documented_errors!(pub(super) ErasingOwner: OwnerErasing);

/// Erases a user.
///
/// The user is suspended at once, and for good. Then a job deletes the keys, sessions and subscriptions, and all deliveries
/// with payloads and answers, and empties the events of the user's audit log. It takes seconds, and longer for a user with many
/// deliveries; a restart does not stop it. Then the record is gone, and the operational event
/// `gatepost.owner.erased` says so. It cannot be undone. A repeated call changes nothing.
#[utoipa::path(
    delete,
    path = "/api/operator/users/{userId}",
    params(("confirm" = String, Query, description = "The id of the path again, so that a slip erases nobody")),
    responses((status = 202, description = "The record of the user, with the state `erasing`", body = OwnerRecord)),
)]
pub(super) async fn erase_user(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let (rule, id) = ("must be the id of the owner to erase", call.owner().subject());
    let confirmed = call.parameters()?.read("confirm", |text| (text == id).then_some(()), rule)?;
    confirmed.ok_or(FieldFault::new("confirm", rule))?;
    to_the_end(async move {
        let erasing = call.api().owners.set_state(call.owner(), OwnerStateChange::Erase, &call.origin()).await?;
        Ok(HttpResponse::Accepted().json(OwnerRecord::of(erasing)))
    })
    .await
}
