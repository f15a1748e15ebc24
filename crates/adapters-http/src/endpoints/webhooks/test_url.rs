use actix_web::web::Json;
use domain::webhooks::{OptionsChange, SigningSecret, TargetUrl, Webhooks};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::option_fields::{auth_schema, headers_schema, options};
use crate::bodies::subscription_fields::{required, secret, url};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::records::attempt_record::AttemptRecord;
use crate::records::event_record::EventRecord;

/// The URL to test.
#[derive(ToSchema)]
#[schema(as = TestUrl)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// Where to send the event: the same rules as for the URL of a subscription.
    #[schema(example = "https://example.com/hooks")]
    url: String,
    /// The secret that signs the request, as for a subscription. Without it the service makes one for this test, so that
    /// a receiver that checks signatures refuses the event.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", min_length = 1)]
    secret: Option<String>,
    /// Headers of the request, as those of a subscription.
    #[schema(schema_with = headers_schema, required = false)]
    headers: (),
    /// The authentication of the request, as that of a subscription.
    #[schema(schema_with = auth_schema, required = false)]
    auth: (),
}

/// A test of a URL.
#[derive(Serialize, ToSchema)]
#[schema(as = UrlTest)]
pub(super) struct Answer {
    /// The event. It is not stored.
    event: EventRecord,
    /// The attempt to send the event, with the start of the answer.
    attempt: AttemptRecord,
}

/// Sends a test event to a URL, without a subscription.
///
/// Sends one signed event of the type `webhook.test`, waits up to 10 seconds for the answer of the receiver, and shows it.
/// Nothing is stored and nothing is retried. An answer 200 says that the test was made; `attempt` says how it ended.
#[utoipa::path(
    post,
    path = "/api/webhooks/test",
    tag = "Webhook subscriptions",
    operation_id = "testUrl",
    request_body = Body,
    responses((status = 200, description = "How the test ended", body = Answer), Errors),
)]
pub(super) async fn test_url(mut call: OwnerCall) -> Result<Json<Answer>, ApiError> {
    let body = call.read_body().await?;
    let webhooks = &call.api().webhooks;
    let (url, secret, options) = body.read(|fields| parse(fields, webhooks))?;
    let test = webhooks.test_url(call.owner_to_send_to()?, url, secret, &options).await?;
    let (event, attempt) = (EventRecord::of(&test.event), AttemptRecord::with_response(&test.attempt));
    Ok(Json(Answer { event, attempt }))
}

type Wish = (TargetUrl, Option<SigningSecret>, OptionsChange);

fn parse(fields: &Fields, webhooks: &Webhooks) -> Result<Wish, ApiError> {
    let url = url(fields, webhooks).and_then(|url| required("url", url));
    match (url, secret(fields), options(fields)) {
        (Ok(url), Ok(secret), Ok(options)) => Ok((url, secret, options)),
        (url, secret, options) => {
            let faults = [url.err(), secret.err()].into_iter().flatten();
            Err(ApiError::invalid_fields(faults.chain(options.err().into_iter().flatten())))
        }
    }
}

documented_errors!(Errors: TooManyManualSends, TestNotSent);
