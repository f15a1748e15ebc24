use actix_web::web::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::callers::owner::{Caller, OwnerCall};

/// The caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Whoami {
    /// The user, by the subject (`sub`) at the identity provider; absent if the credential is an organization's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    user_id: Option<String>,
    /// The organization for which the call is made; absent if it is made for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "org_9ybsU1dN2dKfDkBi")]
    organization_id: Option<String>,
    /// The credential that the caller presented.
    credential: PresentedCredential,
}

/// A credential, without its secret.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum PresentedCredential {
    /// An API key.
    ApiKey {
        /// The key's id.
        #[serde(rename = "keyId")] // the document's generator overlooks `rename_all_fields`
        #[schema(example = "key_01h455vb4pex5vsknk084sn02q")]
        key_id: String,
        /// The name that the owner gave the key.
        #[schema(example = "CI deploy")]
        label: String,
        /// The scopes of the key; may be empty.
        #[schema(example = json!(["orders:read"]))]
        scopes: Vec<String>,
    },
    /// An ID token.
    IdToken,
    /// The session of a browser. `GET /api/session` shows more of it.
    Session,
}

/// Shows the caller's user and credential.
///
/// A Bearer value with exactly two dots is verified as an ID token, any other value
/// as an API key. Several credentials must be equal.
#[utoipa::path(
    get,
    path = "/api/whoami",
    responses((status = 200, description = "The user and the credential", body = Whoami)),
)]
pub(super) async fn whoami(call: OwnerCall) -> Json<Whoami> {
    let credential = match call.caller() {
        Caller::ApiKey(key) => PresentedCredential::ApiKey {
            key_id: key.id.to_string(),
            label: key.label.to_string(),
            scopes: key.scopes.iter().map(str::to_owned).collect(),
        },
        Caller::Member(member) if member.has_session => PresentedCredential::Session,
        Caller::Session(_) => PresentedCredential::Session,
        Caller::IdToken | Caller::Member(_) | Caller::Operator => PresentedCredential::IdToken,
    };
    let organization_id = call.owner().organization_id().map(str::to_owned);
    Json(Whoami { user_id: call.limited().user_id().map(str::to_owned), organization_id, credential })
}
