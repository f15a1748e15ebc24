use actix_web::HttpRequest;
use domain::ports::IdentityVerdict;
use domain::{IdToken, UserId};

use crate::boundary::exchange::Exchange;
use crate::credentials::presented::Presented;
use crate::errors::api_error::{ApiError, Invalid};
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// The user of the presented ID token.
pub(crate) async fn identify(request: &HttpRequest, presented: Presented<&str>) -> Result<UserId, ApiError> {
    match presented {
        Presented::Nothing => Err(ErrorCode::CredentialMissing.into()),
        Presented::Unusable(reason) => Err(ApiError::CredentialInvalid(Invalid::Presented, reason)),
        Presented::One(token) => verify_id_token(request, token).await,
    }
}

/// The user of this ID token. Records the user for the log.
pub(crate) async fn verify_id_token(request: &HttpRequest, token: &str) -> Result<UserId, ApiError> {
    let api = &State::of(request).api;
    match api.identity.verify(&IdToken::new(token), api.clock.world_time()).await? {
        IdentityVerdict::Refused(reason) => Err(ApiError::CredentialInvalid(Invalid::IdToken, reason)),
        IdentityVerdict::Valid(user) => {
            if let Some(exchange) = Exchange::of(request) {
                exchange.note_user(&user);
            }
            Ok(user)
        }
    }
}
