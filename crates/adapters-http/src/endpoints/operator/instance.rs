use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::operator::OperatorCall;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::records::system_record::SystemRecord;

/// Which lines the log of this instance has.
#[derive(Serialize, ToSchema)]
pub(super) struct LogFilter {
    /// The filter that applies.
    #[schema(example = "info")]
    filter: String,
}

/// Which lines the log of this instance is to have.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct ChangeLogFilter {
    /// `error`, `warn`, `info`, `debug`, `trace` or `off`, and `target=level` for parts, separated by commas.
    #[schema(example = "info,gatepost=debug")]
    filter: String,
}

/// The change of a filter.
#[derive(Serialize, ToSchema)]
pub(super) struct LogFilterChanged {
    /// The filter that applies now.
    #[schema(example = "info,gatepost=debug")]
    filter: String,
    /// The filter that applied before.
    #[schema(example = "info")]
    before: String,
}

/// Shows the log filter of the instance that answers.
#[utoipa::path(
    get,
    path = "/api/operator/log-filter",
    responses((status = 200, description = "The filter", body = LogFilter)),
)]
pub(super) async fn find_log_filter(call: OperatorCall) -> Json<LogFilter> {
    Json(LogFilter { filter: call.api().log.filter() })
}

/// Changes the log filter of the instance that answers.
///
/// The filter has the form of the setting `LOG`. It holds until the instance restarts or gets SIGHUP: then `LOG` counts
/// again. Other instances keep theirs. The audit log has both filters.
#[utoipa::path(
    post,
    path = "/api/operator/log-filter",
    request_body = ChangeLogFilter,
    responses((status = 200, description = "The filter has changed", body = LogFilterChanged)),
)]
pub(super) async fn change_log_filter(mut call: OperatorCall) -> Result<Json<LogFilterChanged>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let filter = body.read(|fields| fields.required_text("filter"))?;
        let before = call.api().log.change(filter, &call.origin()).await?;
        Ok(Json(LogFilterChanged { filter: filter.to_owned(), before }))
    })
    .await
}

/// Shows the state of the instance that answers, and of the store.
///
/// The figures are the same as in the metrics. The figures of the database are read every ten seconds, and
/// `queue.ageSeconds` is their age.
#[utoipa::path(
    get,
    path = "/api/operator/system",
    responses((status = 200, description = "The state", body = SystemRecord)),
)]
pub(super) async fn find_system_state(call: OperatorCall) -> Json<SystemRecord> {
    Json(SystemRecord::of(&call.api().system.read()))
}
