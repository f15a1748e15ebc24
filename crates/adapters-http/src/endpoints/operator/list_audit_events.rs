use actix_web::HttpResponse;

use crate::callers::operator::OperatorCall;
use crate::endpoints::audit::{Answer, answer};
use crate::errors::api_error::ApiError;
use crate::parameters::audit_request::AuditRequest;
use domain::ports::AuditReader;

use crate::records::audit_record::AuditRecord;
use crate::streams::audit_export::audit_export;
use crate::streams::export_form::ExportForm;

/// Lists who changed what, newest first.
///
/// An event must match all filters. When few events match, a page may be short or empty and still have a `nextCursor`:
/// continue while there is one. With `format=jsonl` the answer has all events, one JSON object on each line, and no pages; with `format=csv` they are a table.
#[utoipa::path(
    get,
    path = "/api/operator/audit",
    tag = "Operator",
    operation_id = "listAllAuditEvents",
    params(
        ("userId" = Option<String>, Query, description = "Only what belongs to this user: the `sub` at the configured issuer"),
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
            (Answer = "application/json"), (AuditRecord = "application/jsonl"), (String = "text/csv"),
        )),
    ),
)]
pub(super) async fn list_audit_events(call: OperatorCall) -> Result<HttpResponse, ApiError> {
    let wanted = AuditRequest::read(&call.parameters()?, &call.api().issuer)?;
    match ExportForm::of(wanted.format) {
        None => answer(call.state(), &wanted, AuditReader::Operator).await,
        Some(form) => audit_export(call.request, wanted, (form, AuditReader::Operator), None).await,
    }
}
