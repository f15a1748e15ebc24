use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::UserId;
use domain::webhooks::Subscription;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::webhook_caller::WebhookReader;
use crate::documents::responses::{WEBHOOK_CREDENTIAL_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::cursor::Cursor;
use crate::parameters::query::Parameters;
use crate::records::subscription_record::SubscriptionRecord;
use crate::state::State;

/// How many subscriptions one call reads at the same time, so that other calls get connections too.
const READ_AT_ONCE: usize = 4;

/// A page of the caller's subscriptions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionPage)]
pub(in crate::endpoints) struct Answer {
    /// The subscriptions, newest first.
    subscriptions: Vec<SubscriptionRecord>,
    /// The `cursor` of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Lists the caller's webhook subscriptions, newest first.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions",
    tag = "Webhook subscriptions",
    operation_id = "listSubscriptions",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
        ("include" = Option<String>, Query, description = "`health`: each subscription with its health"),
    ),
    responses((status = 200, description = "A page of subscriptions", body = Answer), Errors),
)]
pub(super) async fn list_subscriptions(
    caller: WebhookReader,
    state: Data<State>,
    request: HttpRequest,
) -> Result<Json<Answer>, ApiError> {
    answer(&state, caller.user(), request.query_string()).await
}

/// The page that the query asks for.
pub(in crate::endpoints) async fn answer(state: &State, owner: &UserId, query: &str) -> Result<Json<Answer>, ApiError> {
    let parameters = Parameters::parse(query, &["cursor", "limit", "include"])?;
    let (before, limit) = (parameters.cursor()?, parameters.limit()?);
    let has_health = parameters.read("include", |text| (text == "health").then_some(()), "must be health")?;
    let page = state.api.webhooks.list_subscriptions(owner, before, limit).await?;
    let subscriptions = match has_health {
        None => page.subscriptions.iter().map(SubscriptionRecord::of).collect(),
        Some(()) => with_health(state, owner, &page.subscriptions).await?,
    };
    Ok(Json(Answer { subscriptions, next_cursor: page.next.map(|id| id.to_cursor()) }))
}

/// The subscriptions with their health. It leaves out a subscription that was deleted after it was listed.
async fn with_health(
    state: &State,
    owner: &UserId,
    listed: &[Subscription],
) -> Result<Vec<SubscriptionRecord>, ApiError> {
    let found = stream::iter(listed).map(|one| state.api.webhooks.find_subscription(owner, one.id));
    let found: Vec<_> = found.buffered(READ_AT_ONCE).try_collect().await?;
    Ok(found.iter().flatten().map(SubscriptionRecord::with_health).collect())
}

documented_errors!(Errors: [WEBHOOK_CREDENTIAL_ERRORS], InvalidField, RateLimited);
