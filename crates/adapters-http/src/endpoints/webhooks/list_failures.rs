use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::webhooks::{FailureGroup, FailureReason};
use domain::{SubscriptionId, UserId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::webhook_caller::WebhookReader;
use crate::documents::responses::{WEBHOOK_CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::query::Parameters;
use crate::state::State;

/// The caller's failed deliveries, by cause.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Failures)]
pub(crate) struct Answer {
    /// The groups, the largest first.
    failures: Vec<FailureRecord>,
    /// Whether all failed deliveries are counted. `false`: only the newest 1,000 are.
    is_complete: bool,
}

/// Deliveries that failed for the same cause.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FailureGroup)]
struct FailureRecord {
    /// The subscription that was to receive the events.
    #[schema(example = "sub_01h455vb4pex5vsknk084sn02q")]
    subscription_id: String,
    /// The subscription's URL.
    #[schema(example = "https://example.com/hooks")]
    url: String,
    /// Why the last attempt failed: an error as in an attempt. `null` when the subscription was disabled before an
    /// attempt failed.
    #[schema(required, example = "status")]
    error: Option<&'static str>,
    /// The HTTP status of the answer to the last attempt; `null` when there was no answer.
    #[schema(required, example = 500)]
    status: Option<u16>,
    /// How many deliveries failed for this cause.
    deliveries: u32,
    /// The delivery of the newest event.
    #[schema(example = "dlv_01h455vb4pex5vsknk084sn02q")]
    newest_delivery_id: String,
}

impl FailureRecord {
    fn of(group: &FailureGroup) -> Self {
        Self {
            subscription_id: group.cause.subscription.to_string(),
            url: group.url.as_str().to_owned(),
            error: group.cause.failure.map(FailureReason::code),
            status: group.cause.status,
            deliveries: group.deliveries,
            newest_delivery_id: group.newest.to_string(),
        }
    }
}

/// Lists the caller's failed deliveries, grouped by cause.
///
/// A cause is a subscription, and how the last attempt failed. Counts the newest 1,000 failed deliveries that can be
/// retried: deliveries to deleted subscriptions and of events that are too old are left out.
#[utoipa::path(
    get,
    path = "/api/webhooks/failures",
    tag = "Deliveries",
    operation_id = "listFailures",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("subscriptionId" = Option<String>, Query, description = "Only deliveries to this subscription")),
    responses((status = 200, description = "The causes", body = Answer), Errors),
)]
pub(super) async fn list_failures(
    caller: WebhookReader,
    state: Data<State>,
    request: HttpRequest,
) -> Result<Json<Answer>, ApiError> {
    let subscription = subscription_in(&request)?;
    Answer::read(&state, caller.user(), subscription).await
}

/// The subscription that the query names.
pub(crate) fn subscription_in(request: &HttpRequest) -> Result<Option<SubscriptionId>, ApiError> {
    let parameters = Parameters::parse(request.query_string(), &["subscriptionId"])?;
    Ok(parameters.id("subscriptionId", "must be the id of a subscription")?)
}

impl Answer {
    pub(crate) async fn read(
        state: &State,
        user: &UserId,
        subscription: Option<SubscriptionId>,
    ) -> Result<Json<Self>, ApiError> {
        let failures = state.api.webhooks.list_failures(user, subscription).await?;
        let is_complete = failures.are_complete;
        Ok(Json(Self { failures: failures.groups.iter().map(FailureRecord::of).collect(), is_complete }))
    }
}

documented_errors!(Errors: [WEBHOOK_CREDENTIAL_ERRORS], InvalidField, RateLimited);
