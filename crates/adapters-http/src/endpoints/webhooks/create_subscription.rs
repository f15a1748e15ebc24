use actix_web::web::{Data, Json};
use domain::webhooks::{CreateSubscription, Webhooks};
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::subscription_fields::{description, events, required, secret, url};
use crate::callers::caller_request::CallerRequest;
use crate::documents::responses::{BODY_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::records::subscription_with_secret::SubscriptionWithSecret;
use crate::state::State;

/// What a new subscription is to be.
#[derive(ToSchema)]
#[schema(as = CreateSubscription)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// Where to send: an absolute URL, `https` (`http` where the operator allows it), without user information. A
    /// fragment is dropped. Addresses that are not public are refused.
    #[schema(example = "https://example.com/hooks")]
    url: String,
    /// What to send: 1 to 100 event types (`invoice.paid`), patterns (`invoice.*`) or `*` for all. Duplicates are dropped.
    #[schema(example = json!(["invoice.*"]), min_items = 1)]
    events: Vec<String>,
    /// What to call it: up to 1,000 characters, no control characters other than line breaks and tabs.
    description: Option<String>,
    /// What to sign with: `whsec_` and the base64 of 24 to 64 bytes, or 1 to 256 other characters, whose bytes are then
    /// the key. Without it the service makes one.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", min_length = 1)]
    secret: Option<String>,
}

/// Creates a webhook subscription.
///
/// From now on, each event of the caller that matches is sent to the URL, signed as Standard Webhooks 1.0 has it. Takes
/// an API key or an ID token; scopes of a key do not restrict webhooks.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions",
    tag = "Webhook subscriptions",
    operation_id = "createSubscription",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    request_body = Body,
    responses((status = 200, description = "The subscription is created", body = SubscriptionWithSecret), Errors),
)]
pub(super) async fn create_subscription(
    state: Data<State>,
    request: CallerRequest,
) -> Result<Json<SubscriptionWithSecret>, ApiError> {
    let webhooks = &state.api.webhooks;
    let created = webhooks.create_subscription(request.user(), parse(&request.fields, webhooks)?).await?;
    Ok(Json(SubscriptionWithSecret::of(&created.subscription, created.secret.as_ref())))
}

/// Reads all fields before it refuses, so that every fault is told at once.
fn parse(fields: &Fields, webhooks: &Webhooks) -> Result<CreateSubscription, ApiError> {
    let url = url(fields, webhooks).and_then(|url| required("url", url));
    let events = events(fields).and_then(|events| required("events", events));
    match (url, events, description(fields), secret(fields)) {
        (Ok(url), Ok(events), Ok(description), Ok(secret)) => {
            Ok(CreateSubscription { url, events, description: description.unwrap_or_default(), secret })
        }
        (url, events, description, secret) => {
            let faults = [url.err(), events.err(), description.err(), secret.err()];
            Err(ApiError::invalid_fields(faults.into_iter().flatten()))
        }
    }
}

documented_errors!(Errors: [BODY_ERRORS], SubscriptionLimitReached, RateLimited);
