use actix_web::web::Json;
use domain::KeyId;
use domain::ports::SubscriptionUpdate;
use domain::webhooks::{ChangedSubscription, OptionsChange, SubscriptionChange, Webhooks};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::option_fields::{
    AUTH, CLIENT_CERTIFICATE, HEADERS, MAX_PER_SECOND, auth_schema, client_certificate_schema, headers_change_schema,
    max_per_second_schema, options_change,
};
use crate::bodies::subscription_fields::{description, events, filter, url};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::{FieldFault, Together};
use crate::errors::refusals::of_options;
use crate::records::filter_schema::FilterSchema;
use crate::records::subscription_record::SubscriptionRecord;

/// The changes. Absent fields do not change. `null` removes the filter, the headers, the authentication, the client
/// certificate and the limit per second; it is refused for the other fields.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct ChangeSubscription {
    /// The new URL. Deliveries that wait use it too. With another scheme, host or port, the subscription keeps only the
    /// headers, the authentication and the client certificate that the same call sets; `dropped` in the answer says so.
    #[schema(required = false, example = "https://example.com/hooks")]
    url: String,
    /// The new event types and patterns.
    #[schema(required = false, example = json!(["invoice.*"]), min_items = 1)]
    events: Vec<String>,
    /// The new filter. `null`: none from now on.
    filter: Option<FilterSchema>,
    /// The new description.
    #[schema(required = false)]
    description: String,
    /// Whether to send events. `false` ends waiting deliveries as failed. `true` also enables a subscription that the
    /// service disabled.
    #[schema(required = false)]
    enabled: bool,
    /// The headers to set, and with `null` those to remove. Other headers stay. `null` in place of the object removes all.
    #[schema(schema_with = headers_change_schema, required = false)]
    headers: (),
    /// The new authentication. `null` removes it.
    #[schema(schema_with = auth_schema, required = false)]
    auth: (),
    /// The new rate. `null` removes it.
    #[schema(schema_with = max_per_second_schema, required = false)]
    max_per_second: (),
    /// The rule of a subscription with an order for a delivery that has no attempts left: `skip` or `stop`.
    #[schema(required = false, example = "stop")]
    on_exhausted: String,
    /// The new client certificate. `null` removes it.
    #[schema(schema_with = client_certificate_schema, required = false)]
    client_certificate: (),
}

/// The subscription after a change.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangedSubscription)]
pub(super) struct Answer {
    /// The subscription.
    subscription: SubscriptionRecord,
    /// Which fields lost values that the call did not set, because the URL has another scheme, host or port: `headers`,
    /// `auth`, `clientCertificate`. Absent if none did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["auth"]))]
    dropped: Vec<&'static str>,
}

/// Changes a webhook subscription.
#[utoipa::path(
    patch,
    path = "/api/webhooks/subscriptions/{id}",
    request_body = ChangeSubscription,
    responses((status = 200, description = "The changed subscription", body = Answer), Errors),
)]
pub(super) async fn change_subscription(mut call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let webhooks = &call.api().webhooks;
        let (change, options) = body.read(|fields| parse(fields, call.key(), webhooks))?;
        let id = call.id()?;
        let change = SubscriptionChange { options: webhooks.seal_options(id, options), ..change };
        let ChangedSubscription { subscription: changed, dropped } =
            match webhooks.change_subscription(call.owner(), id, &change, &call.origin()).await? {
                SubscriptionUpdate::Changed(changed) => *changed,
                SubscriptionUpdate::Refused(error) => return Err(of_options(error).into()),
                SubscriptionUpdate::NotFound => return Err(ErrorCode::SubscriptionNotFound.into()),
            };
        if change.url.is_some() || change.enabled == Some(true) {
            call.confirm_key(changed.id).await?;
        }
        let dropped =
            [(HEADERS, dropped.headers), (AUTH, dropped.auth), (CLIENT_CERTIFICATE, dropped.certificate)].into_iter();
        let dropped = dropped.filter_map(|(field, is_dropped)| is_dropped.then_some(field)).collect();
        Ok(Json(Answer { subscription: SubscriptionRecord::of(&changed, call.api().clock.now()), dropped }))
    })
    .await
}

type Wish = (SubscriptionChange, OptionsChange);

fn parse(fields: &Fields, by: Option<KeyId>, webhooks: &Webhooks) -> Result<Wish, Vec<FieldFault>> {
    let nullable = ["filter", HEADERS, AUTH, MAX_PER_SECOND, CLIENT_CERTIFICATE];
    let (nulls, enabled) = (fields.nulls_except(&nullable), fields.optional_flag("enabled"));
    let filter = filter(fields).map(|filter| fields.patch("filter", filter));
    let (url, events, options) = (url(fields, webhooks), events(fields), options_change(fields, webhooks));
    let read = (nulls, url, events, filter, description(fields), enabled, options);
    let ((), url, events, filter, description, enabled, options) = read.together()?;
    let sealed_later = SubscriptionChange::default();
    Ok((SubscriptionChange { url, events, filter, description, enabled, by, ..sealed_later }, options))
}

documented_errors!(Errors: SubscriptionNotFound);
