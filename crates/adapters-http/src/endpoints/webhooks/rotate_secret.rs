use std::time::Duration;

use actix_web::web::{Data, Json};
use domain::SubscriptionId;
use domain::webhooks::RotateSecret;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::subscription_fields::secret;
use crate::callers::caller_request::CallerRequest;
use crate::documents::responses::{BODY_ERRORS, SUBSCRIPTION_ERRORS, documented_errors};
use crate::errors::api_error::ApiError;
use crate::parameters::path_id::PathId;
use crate::records::subscription_record::SubscriptionWithSecret;
use crate::state::State;

/// How to rotate the secret.
#[derive(ToSchema)]
#[schema(as = RotateSecret)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The new secret, in the same form as in the creation. Without it the service makes a secret.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", min_length = 1)]
    secret: Option<String>,
    /// How many seconds the old secret signs too: 0 to 604,800 (a week). The default is a day.
    #[schema(rename = "overlapSeconds", minimum = 0, default = 86_400)]
    overlap_seconds: Option<u64>,
}

/// Gives a webhook subscription a new signing secret.
///
/// Until the overlap ends, `webhook-signature` contains two signatures, and receivers accept a webhook when one of them
/// is valid. Secrets from before the previous rotation are deleted at once.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/rotate-secret",
    tag = "Webhook subscriptions",
    operation_id = "rotateSecret",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The subscription's id")),
    request_body = Body,
    responses((status = 200, description = "The secret is rotated", body = SubscriptionWithSecret), Errors),
)]
pub(super) async fn rotate_secret(
    state: Data<State>,
    request: CallerRequest,
    id: PathId<SubscriptionId>,
) -> Result<Json<SubscriptionWithSecret>, ApiError> {
    let rotated = state.api.webhooks.rotate_secret(request.caller.user(), parse(id, &request.fields)?).await?;
    Ok(Json(SubscriptionWithSecret::of(&rotated.subscription, rotated.secret.as_ref())))
}

fn parse(id: PathId<SubscriptionId>, fields: &Fields) -> Result<RotateSecret, ApiError> {
    match (secret(fields), fields.optional_number("overlapSeconds")) {
        (Ok(secret), Ok(seconds)) => {
            let overlap = seconds.map_or(RotateSecret::OVERLAP_DEFAULT, Duration::from_secs);
            Ok(RotateSecret { id: id.known()?, secret, overlap })
        }
        (secret, seconds) => Err(ApiError::invalid_fields([secret.err(), seconds.err()].into_iter().flatten())),
    }
}

documented_errors!(Errors: [BODY_ERRORS, SUBSCRIPTION_ERRORS]);
