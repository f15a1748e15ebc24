use serde_json::{Value, json};

use super::{DevProvider, USER_NAME_GRANT};

impl DevProvider {
    /// The discovery document (`OpenID` Connect Discovery 1.0 section 3).
    pub(super) fn discovery_document(&self) -> Value {
        let issuer = &self.issuer;
        json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"),
            "end_session_endpoint": format!("{issuer}/logout"),
            "jwks_uri": format!("{issuer}/jwks"),
            "scopes_supported": ["openid"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", USER_NAME_GRANT],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["EdDSA"],
            "token_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "claims_supported": ["iss", "sub", "aud", "iat", "exp", "nonce", "groups", "organizations", "organization_roles"],
            "authorization_response_iss_parameter_supported": true,
            "request_uri_parameter_supported": false,
        })
    }

    /// The key set (RFC 7517 section 5).
    pub(super) fn key_set_document(&self) -> Value {
        json!({"keys": [self.signer.public_jwk()]})
    }
}
