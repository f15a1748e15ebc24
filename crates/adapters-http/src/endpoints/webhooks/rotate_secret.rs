use std::time::Duration;

use actix_web::http::header::HeaderMap;
use actix_web::web::Json;
use domain::webhooks::{IdempotencyKey, InvalidIdempotencyKey, RotateSecret};
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::subscription_fields::{secret, signing};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::records::subscription_record::SubscriptionWithSecret;

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// How to rotate the secret.
#[derive(ToSchema)]
#[schema(as = RotateSecret)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The new secret, in the same form as in the creation. Without it the service makes a secret. Absent for `ed25519`.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", min_length = 1)]
    secret: Option<String>,
    /// Which signatures webhooks carry from now on: `hmac`, `ed25519` or `both`, as in the creation. Absent: those that they
    /// carry already.
    #[schema(example = "both")]
    signing: Option<String>,
    /// How many seconds the old secret and the old key sign too: 0 to 604,800 (a week). The default is a day.
    #[schema(rename = "overlapSeconds", minimum = 0, default = 86_400)]
    overlap_seconds: Option<u64>,
}

/// Gives a webhook subscription a new signing secret, a new key pair or both.
///
/// Until the overlap ends, `webhook-signature` contains the new and the old signatures, and receivers accept a webhook when
/// one of them is valid. Until then another rotation is refused, unless its `overlapSeconds` is 0, which ends the old
/// secrets at once.
///
/// Send an `Idempotency-Key` if you let the service make the secret. If the answer is lost, repeat the call with the same
/// key: until the overlap ends, the answer has the same secret. Use a new key for each rotation.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/rotate-secret",
    params(
        ("idempotency-key" = Option<String>, Header, description = "Names this rotation, so that it can be repeated",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$", example = "8e03978e-40d5-43dd-bc93-6894a57f9324"),
    ),
    request_body = Body,
    responses((status = 200, description = "The secret is rotated", body = SubscriptionWithSecret), Errors),
)]
pub(super) async fn rotate_secret(mut call: OwnerCall) -> Result<Json<SubscriptionWithSecret>, ApiError> {
    let body = call.read_body().await?;
    let rotation = body.read(|fields| parse(&call, fields))?;
    let rotated = call.api().webhooks.rotate_secret(call.owner(), rotation, &call.origin()).await?;
    let now = call.api().clock.now();
    Ok(Json(SubscriptionWithSecret::of(&rotated.subscription, rotated.secret.as_ref(), now)))
}

fn parse(call: &OwnerCall, fields: &Fields) -> Result<RotateSecret, ApiError> {
    let (seconds, key) = (fields.optional_number("overlapSeconds"), idempotency_key(call.request.headers()));
    let (secret, signing, seconds, key) = (secret(fields), signing(fields), seconds, key).together()?;
    let overlap = seconds.map_or(RotateSecret::OVERLAP_DEFAULT, Duration::from_secs);
    Ok(RotateSecret { id: call.id()?, signing, secret, overlap, key })
}

/// The key in the header. Two headers are refused, even with the same key.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, FieldFault> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY);
    let key = match (values.next(), values.next()) {
        (None, _) => return Ok(None),
        (Some(value), None) => IdempotencyKey::parse(value.to_str().unwrap_or_default()),
        (Some(_), Some(_)) => Err(InvalidIdempotencyKey),
    };
    key.map(Some).map_err(|error| FieldFault::of(IDEMPOTENCY_KEY, error))
}

documented_errors!(Errors: SubscriptionNotFound, SubscriptionPulled, SecretOverlapping);
