use std::time::Duration;

use actix_web::web::{Data, Json, Path};
use domain::SubscriptionId;
use domain::webhooks::RotateSecret;
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use super::create_subscription::Answer;
use crate::bodies::fields::Fields;
use crate::bodies::subscription_fields::secret;
use crate::callers::caller_request::CallerRequest;
use crate::documents::openapi::{BODY_ERRORS, ResponsesByStatus, SUBSCRIPTION_ERRORS, error_responses};
use crate::errors::api_error::ApiError;
use crate::state::State;

/// How to rotate the secret.
#[derive(ToSchema)]
#[schema(as = RotateSecret)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// What to sign with from now on, in the form that creation takes. Without it the service makes one.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", min_length = 1, max_length = 256)]
    secret: Option<String>,
    /// Seconds for which the old secret signs as well: none, up to a week; without it a day.
    #[schema(rename = "overlapSeconds", minimum = 0, maximum = 604_800, default = 86_400)]
    overlap_seconds: Option<u64>,
}

/// Gives a webhook subscription a new signing secret.
///
/// Until the overlap ends, `webhook-signature` holds two signatures, and receivers accept a webhook when one of them is
/// right. A secret from before the last rotation is forgotten at once.
#[utoipa::path(
    post,
    path = "/api/webhooks/subscriptions/{id}/rotate-secret",
    tag = "Webhook subscriptions",
    operation_id = "rotateSecret",
    security(("apiKey" = []), ("apiKeyHeader" = []), ("idToken" = []), ("idTokenHeader" = [])),
    params(("id" = String, Path, description = "The subscription's id")),
    request_body = Body,
    responses((status = 200, description = "The secret is rotated", body = Answer), Errors),
)]
pub(super) async fn rotate_secret(
    state: Data<State>,
    request: CallerRequest,
    id: Path<String>,
) -> Result<Json<Answer>, ApiError> {
    // A text that is no id of ours names no subscription.
    let id = id.parse().map_err(|_| ApiError::SubscriptionNotFound);
    let rotated = state.api.webhooks.rotate_secret(request.user(), parse(id, &request.fields)?).await?;
    Ok(Json(Answer::of(&rotated.subscription, rotated.secret.as_ref())))
}

fn parse(id: Result<SubscriptionId, ApiError>, fields: &Fields) -> Result<RotateSecret, ApiError> {
    match (secret(fields), fields.optional_number("overlapSeconds")) {
        (Ok(secret), Ok(seconds)) => {
            let overlap = seconds.map_or(RotateSecret::OVERLAP_DEFAULT, Duration::from_secs);
            Ok(RotateSecret { id: id?, secret, overlap })
        }
        (secret, seconds) => {
            Err(ApiError::InvalidFields([secret.err(), seconds.err()].into_iter().flatten().collect()))
        }
    }
}

struct Errors;

impl IntoResponses for Errors {
    fn responses() -> ResponsesByStatus<RefOr<Response>> {
        error_responses(&[BODY_ERRORS, SUBSCRIPTION_ERRORS].concat())
    }
}
