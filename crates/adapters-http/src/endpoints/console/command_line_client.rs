use actix_web::web::{Data, Json};
use serde::Serialize;
use utoipa::ToSchema;

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::state::State;

/// How a command line signs in at the identity provider.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CommandLineClient)]
pub(super) struct Answer {
    /// The identity provider, as its ID tokens have it in `iss`. Its discovery document names its endpoints.
    #[schema(example = "https://id.example.com")]
    issuer: String,
    /// The client id. The client is public: it has no secret.
    #[schema(example = "gatepost-cli")]
    client_id: String,
}

/// Reports how a command line signs in.
///
/// `gatepost login` signs a person in with this client of the identity provider (the authorization code flow with PKCE,
/// and a redirect to 127.0.0.1: RFC 8252). The ID token that it gets is a credential here. Requires no credential: both
/// values are public.
#[utoipa::path(
    get,
    path = "/api/command-line-client",
    tag = "Sessions",
    operation_id = "findCommandLineClient",
    responses((status = 200, description = "The issuer and the client", body = Answer), Errors),
)]
pub(super) async fn command_line_client(state: Data<State>) -> Result<Json<Answer>, ApiError> {
    let client_id = state.api.command_line_client.clone().ok_or(ErrorCode::CommandLineSignInOff)?;
    Ok(Json(Answer { issuer: state.api.issuer.clone(), client_id }))
}

documented_errors!(Errors: CommandLineSignInOff);
