//! What receivers of webhooks read, without a credential.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};
use domain::webhooks::PublicKey;
use serde::Serialize;
use utoipa::ToSchema;

use crate::boundary::exchange::origin_of;
use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::parameters::path::PathParameters;
use crate::state::State;

endpoints! {
    show_webhook_keys,
}

/// With an overlap that is longer, a set that a receiver has kept verifies the signatures of the old key.
const CACHE_CONTROL: &str = "public, max-age=300";

/// A set of JSON Web Keys (RFC 7517).
#[derive(Serialize, ToSchema)]
#[schema(as = PublicKeySet)]
struct KeySet {
    /// The keys, newest first.
    keys: Vec<Key>,
}

/// A public key of Ed25519 as a JSON Web Key (RFC 8037).
#[derive(Serialize, ToSchema)]
#[schema(as = PublicKey)]
struct Key {
    /// Always `OKP`.
    kty: &'static str,
    /// Always `Ed25519`.
    crv: &'static str,
    /// The key in base64url.
    #[schema(example = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")]
    x: String,
    /// The thumbprint of the key (RFC 7638).
    #[schema(example = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")]
    kid: String,
    /// Always `sig`.
    r#use: &'static str,
    /// Always `EdDSA`.
    alg: &'static str,
}

/// Shows the public keys of a webhook subscription.
///
/// They verify the signatures `v1a` of its webhooks. The call needs no credential. Receivers may keep the answer for five
/// minutes, and read it again when no key fits. A subscription without such signatures has the same answer as one that does
/// not exist.
#[utoipa::path(
    get,
    path = "/.well-known/webhooks/{id}/jwks.json",
    responses((status = 200, description = "The public keys", body = KeySet), Errors),
)]
pub(super) async fn show_webhook_keys(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let id = PathParameters::of(&request).id()?;
    let state = State::of(&request);
    let limit = state.unknown_key_sets.as_ref().zip(origin_of(&request).address);
    if let Some(wait) = limit.and_then(|(unknown, peer)| unknown.count(peer)) {
        return Err(ApiError::TooManyCredentialFailures("too many unknown sets of keys were read", wait));
    }
    let keys = state.api.webhooks.public_keys(id).await?;
    if keys.is_empty() {
        return Err(ErrorCode::SubscriptionNotFound.into());
    }
    if let Some((unknown, peer)) = limit {
        unknown.give_back(peer);
    }
    let keys = keys.iter().map(jwk).collect();
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, CACHE_CONTROL)).json(KeySet { keys }))
}

fn jwk(key: &PublicKey) -> Key {
    Key { kty: "OKP", crv: "Ed25519", x: key.x(), kid: key.thumbprint(), r#use: "sig", alg: "EdDSA" }
}

documented_errors!(Errors: SubscriptionNotFound, TooManyCredentialFailures, Unavailable);
