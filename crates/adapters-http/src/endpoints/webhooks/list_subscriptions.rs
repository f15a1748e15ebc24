use actix_web::web::Json;
use domain::SubscriptionId;
use domain::ports::ListSubscriptionsRequest;
use domain::webhooks::SubscriptionPage;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::errors::api_error::ApiError;
use crate::parameters::cursor::Cursor;
use crate::records::subscription_record::SubscriptionRecord;

/// A page of the caller's subscriptions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionPage)]
pub(super) struct Answer {
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
    params(
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
        ("include" = Option<String>, Query, description = "`health`: each subscription with its health"),
    ),
    responses((status = 200, description = "A page of subscriptions", body = Answer)),
)]
pub(super) async fn list_subscriptions(call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let parameters = call.parameters()?;
    let (owner, before, max) = (call.owner().clone(), parameters.cursor()?, parameters.limit()?);
    let request = ListSubscriptionsRequest { owner, before, max };
    let has_health = parameters.read("include", |text| (text == "health").then_some(()), "must be health")?;
    let webhooks = &call.api().webhooks;
    let (subscriptions, next) = match has_health {
        None => records(&webhooks.list_subscriptions(&request).await?, SubscriptionRecord::of),
        Some(()) => records(&webhooks.list_found_subscriptions(&request).await?, SubscriptionRecord::with_health),
    };
    Ok(Json(Answer { subscriptions, next_cursor: next.map(|id| id.to_cursor()) }))
}

fn records<T>(
    page: &SubscriptionPage<T>,
    record: fn(&T) -> SubscriptionRecord,
) -> (Vec<SubscriptionRecord>, Option<SubscriptionId>) {
    (page.subscriptions.iter().map(record).collect(), page.next)
}
