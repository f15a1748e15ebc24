use actix_web::web::Json;
use domain::KeyId;
use domain::ports::SubscriptionUpdate;
use domain::webhooks::{ChangedSubscription, FilterChange, OptionsChange, SubscriptionChange, Webhooks};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::option_fields::{AUTH, HEADERS, auth_schema, headers_change_schema, options_change};
use crate::bodies::subscription_fields::{description, events, filter, url};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::errors::refusals::of_options;
use crate::records::filter_schema::FilterSchema;
use crate::records::subscription_record::SubscriptionRecord;

/// The changes. Absent fields do not change. `null` is refused, but for the filter.
#[derive(ToSchema)]
#[schema(as = ChangeSubscription)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The new URL. Deliveries that wait use it too. With another scheme, host or port, the subscription keeps only the
    /// headers and the authentication that the same call sets; `dropped` in the answer says so.
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
}

/// The subscription after a change.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangedSubscription)]
pub(super) struct Answer {
    /// The subscription.
    subscription: SubscriptionRecord,
    /// Which fields lost values that the call did not set, because the URL has another scheme, host or port: `headers`,
    /// `auth`. Absent if none did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["auth"]))]
    dropped: Vec<&'static str>,
}

/// Changes a webhook subscription.
#[utoipa::path(
    patch,
    path = "/api/webhooks/subscriptions/{id}",
    tag = "Webhook subscriptions",
    operation_id = "changeSubscription",
    request_body = Body,
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
        let dropped = [(HEADERS, dropped.headers), (AUTH, dropped.auth)].into_iter();
        let dropped = dropped.filter_map(|(field, is_dropped)| is_dropped.then_some(field)).collect();
        Ok(Json(Answer { subscription: SubscriptionRecord::of(&changed), dropped }))
    })
    .await
}

/// Reads all fields before it fails, so that the error reports every fault at once.
type Wish = (SubscriptionChange, OptionsChange);

fn parse(fields: &Fields, by: Option<KeyId>, webhooks: &Webhooks) -> Result<Wish, ApiError> {
    let mut faults = fields.nulls_except(&["filter", HEADERS, AUTH]);
    let enabled = fields.optional_flag("enabled");
    let (url, events, filter) = (url(fields, webhooks), events(fields), filter_change(fields));
    match (url, events, filter, description(fields), enabled, options_change(fields)) {
        (Ok(url), Ok(events), Ok(filter), Ok(description), Ok(enabled), Ok(options)) if faults.is_empty() => {
            let sealed_later = SubscriptionChange::default();
            Ok((SubscriptionChange { url, events, filter, description, enabled, by, ..sealed_later }, options))
        }
        (url, events, filter, description, enabled, options) => {
            let of_values = [url.err(), events.err(), filter.err(), description.err(), enabled.err()];
            faults.extend(of_values.into_iter().flatten().chain(options.err().into_iter().flatten()));
            Err(ApiError::invalid_fields(faults))
        }
    }
}

fn filter_change(fields: &Fields) -> Result<FilterChange, FieldFault> {
    let set = filter(fields)?.map(FilterChange::Set);
    Ok(set.unwrap_or_else(|| if fields.is_null("filter") { FilterChange::Remove } else { FilterChange::Keep }))
}

documented_errors!(Errors: SubscriptionNotFound);
