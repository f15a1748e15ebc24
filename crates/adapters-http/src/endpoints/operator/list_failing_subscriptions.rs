use actix_web::web::Json;
use domain::webhooks::FoundFailing;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::operator::OperatorCall;
use crate::errors::api_error::ApiError;
use crate::parameters::cursor::Cursor;
use crate::records::attempt_record::AttemptRecord;

/// A page of failing subscriptions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FailingSubscriptionPage {
    /// The subscriptions. Those that have failed longest come first.
    subscriptions: Vec<FailingSubscription>,
    /// The `cursor` of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// An enabled subscription whose last attempt failed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FailingSubscription {
    /// The subscription's id.
    #[schema(example = "sub_01h455vb4pex5vsknk084sn02q")]
    id: String,
    /// Whose subscription it is, by the subject (`sub`); absent if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    user_id: Option<String>,
    /// Whose subscription it is, if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "org_9ybsU1dN2dKfDkBi")]
    organization_id: Option<String>,
    /// Scheme, host and port of the receiver. Receivers put secrets into the rest of the URL.
    #[schema(example = "https://hooks.example.com")]
    receiver: String,
    /// `failing` or `paused`.
    #[schema(example = "paused")]
    state: &'static str,
    /// The `error` of the last attempt, or `retry_after` when the receiver asked for the pause; `null` when it is no
    /// longer known.
    #[schema(required, example = "timeout")]
    reason: Option<&'static str>,
    /// When the current run of failures began.
    #[schema(format = DateTime, required)]
    failing_since: Option<String>,
    /// How many attempts have failed in a row.
    failures_in_a_row: u32,
    /// The attempt that ended last; `null` when it is purged.
    #[schema(required)]
    last_attempt: Option<AttemptRecord>,
}

/// Lists the failing subscriptions of all users.
///
/// Lists enabled subscriptions whose last attempt failed, the longest failing ones first. The list has no data that users
/// send, so the audit log does not record it.
#[utoipa::path(
    get,
    path = "/api/operator/failing-subscriptions",
    params(
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
    ),
    responses((status = 200, description = "A page of failing subscriptions", body = FailingSubscriptionPage)),
)]
pub(super) async fn list_failing_subscriptions(call: OperatorCall) -> Result<Json<FailingSubscriptionPage>, ApiError> {
    let parameters = call.parameters()?;
    let page = call.api().webhooks.list_failing(parameters.cursor()?, parameters.limit()?).await?;
    Ok(Json(FailingSubscriptionPage {
        subscriptions: page.subscriptions.iter().map(FailingSubscription::of).collect(),
        next_cursor: page.next.map(|place| place.to_cursor()),
    }))
}

impl FailingSubscription {
    fn of(found: &FoundFailing) -> Self {
        let (subscription, breaker) = (&found.failing.subscription, &found.failing.breaker);
        Self {
            id: subscription.id.to_string(),
            user_id: subscription.owner.user_id().map(str::to_owned),
            organization_id: subscription.owner.organization_id().map(str::to_owned),
            receiver: subscription.url.shown_origin(),
            state: found.state.as_str(),
            reason: found.state.reason(),
            failing_since: breaker.failing_since.map(|at| at.to_string()),
            failures_in_a_row: breaker.failures_in_a_row,
            last_attempt: found.failing.last_attempt.as_ref().map(AttemptRecord::of),
        }
    }
}
