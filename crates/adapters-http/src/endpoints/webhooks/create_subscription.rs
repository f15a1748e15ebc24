use actix_web::web::Json;
use domain::webhooks::{CreateSubscription, TargetUrl};
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::option_fields::{
    auth_schema, client_certificate_schema, headers_schema, max_per_second_schema, options, order,
};
use crate::bodies::subscription_fields::{description, events, filter, required, signer, url};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::records::filter_schema::FilterSchema;
use crate::records::subscription_record::SubscriptionWithSecret;

/// The fields about requests. A pull subscription makes none.
const OF_REQUESTS: [&str; 9] =
    ["url", "secret", "signing", "headers", "auth", "maxPerSecond", "ordering", "onExhausted", "clientCertificate"];

/// The properties of the new subscription.
#[derive(ToSchema)]
#[schema(as = CreateSubscription, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// `webhook` (the default): events are sent to `url`. `pull`: they are kept in a log, from which readers fetch them; then only `events`,
    /// `filter` and `description` have a meaning, and other fields are refused. Cannot be changed.
    #[schema(example = "webhook")]
    r#type: Option<String>,
    /// Required, unless the type is `pull`. Where to send events: an absolute `https` URL (or `http`, if the operator allows it) without user information. A
    /// fragment is removed. Addresses that are not public are refused.
    #[schema(example = "https://example.com/hooks", required = false)]
    url: String,
    /// Which events to send: 1 to 100 event types (`invoice.paid`), patterns (`invoice.*`), or `*` for all but those
    /// that begin with `gatepost.`. Duplicates are removed.
    #[schema(example = json!(["invoice.*"]), min_items = 1)]
    events: Vec<String>,
    /// Which of these events to send, by their content; `null` or absent: all.
    filter: Option<FilterSchema>,
    /// A description: up to 1,000 characters, no control characters except line breaks and tabs.
    description: Option<String>,
    /// The secret that signs webhooks: `whsec_` and 24 to 64 bytes in base64, or 1 to 256 other characters, whose bytes
    /// are the key. Without it the service makes a secret. Absent with `ed25519`, which shares no secret.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", min_length = 1)]
    secret: Option<String>,
    /// Which signatures webhooks carry: `hmac` (`v1`, by the secret), `ed25519` (`v1a`, by a private key that never leaves
    /// the service, so that a stolen receiver cannot sign), or `both`.
    #[schema(example = "both", default = "hmac")]
    signing: Option<String>,
    /// The headers of each request.
    #[schema(schema_with = headers_schema, required = false)]
    headers: (),
    /// The authentication of each request.
    #[schema(schema_with = auth_schema, required = false)]
    auth: (),
    /// The most deliveries in a second.
    #[schema(schema_with = max_per_second_schema, required = false)]
    max_per_second: (),
    /// The order in which deliveries leave: `none`, as many at a time as the receiver takes; or `subscription`, one after the
    /// other in the order of publication, each with a number in the header `webhook-sequence`. A delivery that fails holds the
    /// next ones back until it succeeds or ends. Cannot be changed.
    #[schema(example = "subscription", default = "none")]
    ordering: Option<String>,
    /// With `ordering`: the rule for a delivery that has no attempts left. `skip`: the next one leaves. `stop`: the
    /// subscription is disabled, with the reason `order_stopped`.
    #[schema(example = "stop", default = "skip")]
    on_exhausted: Option<String>,
    /// The client certificate of each connection.
    #[schema(schema_with = client_certificate_schema, required = false)]
    client_certificate: (),
}

/// Creates a webhook subscription.
///
/// With `"type":"pull"`, the service keeps each matching event of the caller in a log, and readers fetch them.
///
/// Otherwise, from now on, the service sends each matching event of the caller to the URL, signed according to Standard Webhooks
/// 1.0. If an API key makes the call and is reported as leaked later, the service disables the subscription.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions",
    request_body = Body,
    responses((status = 200, description = "The subscription is created", body = SubscriptionWithSecret), Errors),
)]
pub(super) async fn create_subscription(mut call: OwnerCall) -> Result<Json<SubscriptionWithSecret>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let webhooks = &call.api().webhooks;
        let wish = body.read(|fields| parse(fields, &call))?;
        let created = webhooks.create_subscription(call.owner(), wish, &call.origin()).await?;
        call.confirm_key(created.subscription.id).await?;
        let now = call.api().clock.now();
        let secret = created.secret.as_ref().filter(|_| !created.subscription.url.is_pull());
        Ok(Json(SubscriptionWithSecret::of(&created.subscription, secret, now)))
    })
    .await
}

fn parse(fields: &Fields, call: &OwnerCall) -> Result<CreateSubscription, Vec<FieldFault>> {
    let webhooks = &call.api().webhooks;
    let is_pull = is_pull(fields)?;
    let given = || url(fields, webhooks).and_then(|url| required("url", url));
    let url = if is_pull { Ok(TargetUrl::pull()) } else { given() };
    let events = events(fields).and_then(|events| required("events", events));
    let options = (order(fields), options(fields, webhooks)).together();
    let read = (url, events, filter(fields), description(fields), signer(fields), options);
    let (url, events, filter, description, signer, (order, options)) = read.together()?;
    let (description, by, created_by) = (description.unwrap_or_default(), call.key(), call.created_by());
    Ok(CreateSubscription { url, events, filter, description, signer, order, options, by, created_by })
}

/// Whether readers pull the events of the new subscription. Such a subscription has none of [`OF_REQUESTS`].
fn is_pull(fields: &Fields) -> Result<bool, Vec<FieldFault>> {
    match fields.optional_text("type").map_err(|fault| vec![fault])? {
        None | Some("webhook") => Ok(false),
        Some("pull") => {
            let given = OF_REQUESTS.into_iter().filter(|name| fields.has(name));
            let faults: Vec<FieldFault> =
                given.map(|name| FieldFault::new(name, "must be absent, because the type is pull")).collect();
            if faults.is_empty() { Ok(true) } else { Err(faults) }
        }
        Some(_) => Err(vec![FieldFault::new("type", "must be webhook or pull")]),
    }
}

documented_errors!(Errors: SubscriptionLimitReached);
