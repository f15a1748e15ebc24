use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::operator_request::OperatorRequest;
use crate::documents::responses::{BODY_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;

/// The largest report, in bytes: [`domain::LEAKS_MAX`] keys of the usual length take some 50 KiB, and what a scanner
/// takes for a key may be longer.
const BODY_SIZE_BYTES_MAX: usize = 256 * 1024;

/// What was found in the open.
#[derive(ToSchema)]
#[schema(as = ReportLeaks)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// Texts that may be full keys.
    tokens: Vec<String>,
}

/// Which keys they were.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeaksReported)]
pub(super) struct Answer {
    /// For each token, in the same order: the id of the key, which is revoked now; `null` where it is no key of ours.
    #[schema(example = json!(["key_01h455vb4pex5vsknk084sn02q", null]))]
    key_ids: Vec<Option<String>>,
}

/// Revokes API keys that were found in the open: what a secret scanner calls.
///
/// Each token that is a key of ours is revoked, whoever owns it. Reporting it again changes nothing and succeeds.
#[utoipa::path(
    post,
    path = "/api/operator/leaks",
    tag = "Operator",
    operation_id = "reportLeaks",
    security(("operatorToken" = [])),
    request_body = Body,
    responses((status = 200, description = "The keys are revoked", body = Answer), Errors),
)]
pub(super) async fn report_leaks(mut call: OperatorRequest) -> Result<Json<Answer>, ApiError> {
    let fields = call.read_fields(BODY_SIZE_BYTES_MAX).await?;
    let keys = call.api().keys.report_leaks(&fields.required_texts("tokens")?).await?;
    Ok(Json(Answer { key_ids: keys.into_iter().map(|key| Some(key?.id.to_string())).collect() }))
}

documented_errors!(Errors: [BODY_ERRORS]);
