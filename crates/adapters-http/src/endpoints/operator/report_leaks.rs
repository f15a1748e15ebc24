use actix_web::web::Json;
use domain::report_leaks as report_leaked_keys;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::operator::OperatorCall;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;

/// The maximum size of a report, in bytes. [`domain::LEAKS_MAX`] keys of the usual length take about 50 KiB, and
/// strings that a scanner mistakes for keys may be longer.
const BODY_SIZE_BYTES_MAX: usize = 256 * 1024;

/// Leaked strings.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct ReportLeaks {
    /// Strings that may be full keys.
    tokens: Vec<String>,
}

/// The leaked keys.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LeaksReported {
    /// For each token, in the same order, the id of the key, which is now revoked. `null` for a token that is not a
    /// key.
    #[schema(example = json!(["key_01h455vb4pex5vsknk084sn02q", null]))]
    key_ids: Vec<Option<String>>,
}

/// Revokes leaked API keys. Meant for secret scanners.
///
/// Revokes each token that is a key, of any user, and disables the webhook subscriptions whose URL was set by one of these
/// keys. Reporting a key again succeeds. Repeat a report that has failed, because some of it may be done.
#[utoipa::path(
    post,
    path = "/api/operator/leaks",
    request_body = ReportLeaks,
    responses((status = 200, description = "The keys are revoked", body = LeaksReported)),
)]
pub(super) async fn report_leaks(mut call: OperatorCall) -> Result<Json<LeaksReported>, ApiError> {
    let body = call.read_body_of(BODY_SIZE_BYTES_MAX).await?;
    to_the_end(async move {
        let api = call.api();
        let tokens = body.read(|fields| fields.required_texts("tokens"))?;
        let keys = report_leaked_keys(&api.keys, &api.webhooks, &tokens, &call.origin()).await?;
        Ok(Json(LeaksReported { key_ids: keys.into_iter().map(|key| Some(key?.id.to_string())).collect() }))
    })
    .await
}
