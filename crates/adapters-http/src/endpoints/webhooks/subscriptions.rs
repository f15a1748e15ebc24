//! The subscriptions of an owner.

use actix_web::HttpResponse;
use actix_web::web::Json;
use domain::SubscriptionId;
use domain::ports::ListSubscriptionsRequest;
use domain::webhooks::SubscriptionPage;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::cursor::Cursor;
use crate::records::subscription_record::{HealthRecord, SubscriptionRecord};

/// A page of the caller's subscriptions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionPage)]
pub(super) struct Page {
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
    params(
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
        ("include" = Option<String>, Query, description = "`health`: each subscription with its health"),
    ),
    responses((status = 200, description = "A page of subscriptions", body = Page)),
)]
pub(super) async fn list_subscriptions(call: OwnerCall) -> Result<Json<Page>, ApiError> {
    let parameters = call.parameters()?;
    let (owner, before, max) = (call.owner().clone(), parameters.cursor()?, parameters.limit()?);
    let request = ListSubscriptionsRequest { owner, before, max };
    let has_health = parameters.read("include", |text| (text == "health").then_some(()), "must be health")?;
    let (webhooks, now) = (&call.api().webhooks, call.api().clock.now());
    let (subscriptions, next) = match has_health {
        None => records(&webhooks.list_subscriptions(&request).await?, |one| SubscriptionRecord::of(one, now)),
        Some(()) => records(&webhooks.list_found_subscriptions(&request).await?, |found| {
            SubscriptionRecord::with_health(found, now)
        }),
    };
    Ok(Json(Page { subscriptions, next_cursor: next.map(|id| id.to_cursor()) }))
}

fn records<T>(
    page: &SubscriptionPage<T>,
    record: impl Fn(&T) -> SubscriptionRecord,
) -> (Vec<SubscriptionRecord>, Option<SubscriptionId>) {
    (page.subscriptions.iter().map(record).collect(), page.next)
}

/// A subscription and its health.
#[derive(Serialize, ToSchema)]
pub(super) struct SubscriptionWithHealth {
    /// The subscription.
    subscription: SubscriptionRecord,
    /// The health of the subscription.
    health: HealthRecord,
}

/// Shows a webhook subscription and its health.
#[utoipa::path(
    get,
    path = "/api/webhooks/subscriptions/{id}",
    responses((status = 200, description = "The subscription", body = SubscriptionWithHealth), UnknownSubscription),
)]
pub(super) async fn find_subscription(call: OwnerCall) -> Result<Json<SubscriptionWithHealth>, ApiError> {
    let found = call.api().webhooks.find_subscription(call.owner(), call.id()?).await?;
    let found = found.ok_or(ErrorCode::SubscriptionNotFound)?;
    let subscription = SubscriptionRecord::of(&found.subscription, call.api().clock.now());
    Ok(Json(SubscriptionWithHealth { subscription, health: HealthRecord::of(&found) }))
}

documented_errors!(UnknownSubscription: SubscriptionNotFound);

/// Deletes a webhook subscription.
///
/// Cancels the deliveries that wait, and deletes the secrets at once. The subscription's deliveries stay in the list
/// until they are older than the retention time.
#[utoipa::path(
    delete,
    path = "/api/webhooks/subscriptions/{id}",
    responses((status = 204, description = "The subscription is deleted"), UnknownSubscription),
)]
pub(super) async fn delete_subscription(call: OwnerCall) -> Result<HttpResponse, ApiError> {
    if call.api().webhooks.delete_subscription(call.owner(), call.id()?, &call.origin()).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(ErrorCode::SubscriptionNotFound.into())
    }
}
