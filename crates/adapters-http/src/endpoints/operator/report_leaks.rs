use actix_web::HttpRequest;
use actix_web::web::{Json, Payload};
use serde::Serialize;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use crate::HttpLimits;
use crate::bodies::body::read_fields;
use crate::callers::operator::Operator;
use crate::documents::openapi::{BODY_ERRORS, ResponsesByStatus, error_responses};
use crate::errors::api_error::ApiError;
use crate::state::State;

/// The largest report, in bytes: [`domain::LEAKS_MAX`] keys of the usual length take some 50 KiB, and what a scanner
/// takes for a key may be longer.
const BODY_SIZE_BYTES_MAX: usize = 256 * 1024;

/// What was found in the open.
#[derive(ToSchema)]
#[schema(as = ReportLeaks)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// Texts that may be full keys.
    #[schema(max_items = 1_000)]
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
pub(super) async fn report_leaks(
    _: Operator,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<Answer>, ApiError> {
    let state = State::of(&request);
    let limits = HttpLimits { body_size_bytes_max: BODY_SIZE_BYTES_MAX, ..state.limits };
    let fields = read_fields(&request, payload.into_inner(), &limits).await?;
    let keys = state.api.keys.report_leaks(&fields.required_texts("tokens")?).await?;
    Ok(Json(Answer { key_ids: keys.into_iter().map(|key| Some(key?.id.to_string())).collect() }))
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(BODY_ERRORS)
    }
}
