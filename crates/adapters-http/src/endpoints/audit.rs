//! The audit log, for users. The operator's list is in the operator API.
//!
//! See decisions 71 to 73.

use actix_web::HttpResponse;
use domain::ports::AuditReader;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::operator::OperatorCall;
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::audit_request::AuditRequest;
use crate::parameters::cursor::Cursor;
use crate::records::audit_record::AuditRecord;
use crate::state::State;
use crate::streams::audit_export::audit_export;

endpoints! {
    list_audit_events,
}

/// A page of the audit log.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::endpoints) struct AuditPage {
    /// The events, newest first.
    events: Vec<AuditRecord>,
    /// The `cursor` of the next page; absent on the last page. A page that is short or empty may still have a next
    /// page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Lists the caller's audit events, newest first.
///
/// Changes of keys and webhook subscriptions, deliveries by hand, sessions, and each read of the caller's data by an operator. With
/// `format=jsonl` the answer has all events, one JSON object on each line, and no pages; with `format=csv` they are a
/// table.
#[utoipa::path(
    get,
    path = "/api/audit",
    params(
        ("action" = Option<String>, Query, description = "Only this action, such as `key.revoked`"),
        ("target" = Option<String>, Query,
            description = "Only what was done to the key, subscription, delivery or session with this id; or `keys`"),
        ("since" = Option<String>, Query, description = "Only events at this time or later: RFC 3339"),
        ("until" = Option<String>, Query, description = "Only events before this time: RFC 3339"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page; same filters"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50. Only with the format `json`"),
        ("format" = Option<String>, Query, description = "`json`, the default, `jsonl` or `csv`"),
    ),
    responses(
        (status = 200, description = "A page of events, or all events", content(
            (AuditPage = "application/json"), (AuditRecord = "application/jsonl"), (String = "text/csv"),
        )),
        Errors,
    ),
)]
pub(super) async fn list_audit_events(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    let mut wanted = AuditRequest::read(&call.parameters()?, &call.api().issuer)?;
    wanted.filter.owner = Some(call.owner().clone());
    let Some(form) = wanted.form else {
        return answer(call.state(), &wanted, AuditReader::Owner).await;
    };
    let place = call.state().streams.enter(call.limited()).ok_or(ErrorCode::TooManyStreams)?;
    audit_export(call.request, wanted, (form, AuditReader::Owner), Some(place)).await
}

/// A page of events.
pub(in crate::endpoints) async fn answer(
    state: &State,
    wanted: &AuditRequest,
    reader: AuditReader,
) -> Result<HttpResponse, ApiError> {
    let page = state.api.audit.list(&wanted.filter, wanted.before, wanted.limit).await?;
    let events = page.events.iter().map(|event| AuditRecord::of(event, reader)).collect();
    Ok(HttpResponse::Ok().json(AuditPage { events, next_cursor: page.next.map(|id| id.to_cursor()) }))
}

documented_errors!(Errors: TooManyStreams);

/// Lists audit events, newest first.
///
/// An event must match all filters. When few events match, a page may be short or empty and still have a `nextCursor`:
/// continue while there is one. With `format=jsonl` the answer has all events, one JSON object on each line, and no pages; with `format=csv` they are a table.
#[utoipa::path(
    get,
    path = "/api/operator/audit",
    params(
        ("userId" = Option<String>, Query, description = "Only what belongs to this user: the `sub` at the configured issuer"),
        ("organizationId" = Option<String>, Query, description = "Only what belongs to this organization. Either this or `userId`"),
        ("actor" = Option<String>, Query,
            description = "Only what this actor did: `user:` and the user's id, `operator:` and the name of the token, or `service`"),
        ("action" = Option<String>, Query, description = "Only this action, such as `key.revoked`"),
        ("target" = Option<String>, Query,
            description = "Only what was done to the key, subscription, delivery or session with this id; or `keys`"),
        ("since" = Option<String>, Query, description = "Only events at this time or later: RFC 3339"),
        ("until" = Option<String>, Query, description = "Only events before this time: RFC 3339"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page; same filters"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50. Only with the format `json`"),
        ("format" = Option<String>, Query, description = "`json`, the default, `jsonl` or `csv`"),
    ),
    responses(
        (status = 200, description = "A page of events, or all events", content(
            (AuditPage = "application/json"), (AuditRecord = "application/jsonl"), (String = "text/csv"),
        )),
    ),
)]
pub(super) async fn list_all_audit_events(call: OperatorCall) -> Result<HttpResponse, ApiError> {
    let wanted = AuditRequest::read(&call.parameters()?, &call.api().issuer)?;
    match wanted.form {
        None => answer(call.state(), &wanted, AuditReader::Operator).await,
        Some(form) => audit_export(call.request, wanted, (form, AuditReader::Operator), None).await,
    }
}
