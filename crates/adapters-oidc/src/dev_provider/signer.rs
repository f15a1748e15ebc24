use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::IdToken;
use domain::ports::Entropy;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::strict_json::read_object;

/// Signs ID tokens with one Ed25519 key.
pub(super) struct Signer {
    key: Ed25519KeyPair,
    key_id: String,
}

/// The claims of an ID token (`OpenID` Connect Core 1.0 section 2); times in seconds since the Unix epoch.
#[derive(Serialize)]
pub(super) struct IdTokenClaims<'a> {
    pub(super) iss: &'a str,
    pub(super) sub: &'a str,
    pub(super) aud: &'a str,
    pub(super) iat: i64,
    pub(super) exp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nonce: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) groups: Option<[&'a str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) organizations: Option<&'a [&'a str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) organization_roles: Option<&'a [&'a str]>,
}

impl Signer {
    /// Draws a key, as [`Signer::of_key`] reads it.
    pub(super) fn generate_key(entropy: &dyn Entropy) -> Zeroizing<String> {
        let mut seed = Zeroizing::new([0; 32]);
        entropy.fill(&mut *seed);
        let d = Zeroizing::new(base64url(*seed));
        Zeroizing::new(format!(r#"{{"kty":"OKP","crv":"Ed25519","d":"{}"}}"#, *d))
    }

    /// The signer with this private key; `None` unless it is an Ed25519 key as a JSON Web Key (RFC 8037).
    pub(super) fn of_key(jwk: &str) -> Option<Self> {
        let jwk = read_object(jwk.as_bytes())?;
        if jwk.get("kty")? != "OKP" || jwk.get("crv")? != "Ed25519" {
            return None;
        }
        let seed = Zeroizing::new(URL_SAFE_NO_PAD.decode(jwk.get("d").and_then(Value::as_str)?).ok()?);
        Self::from_seed(&seed)
    }

    /// `None` unless the seed has 32 bytes.
    fn from_seed(seed: &[u8]) -> Option<Self> {
        let key = Ed25519KeyPair::from_seed_unchecked(seed).ok()?;
        // The thumbprint of the key (RFC 7638), which requires the members in this order.
        let thumbprint = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, base64url(key.public_key()));
        let key_id = base64url(Sha256::digest(thumbprint));
        Some(Self { key, key_id })
    }

    /// The public key, as the key set lists it.
    pub(super) fn public_jwk(&self) -> Value {
        json!({
            "kty": "OKP",
            "crv": "Ed25519",
            "x": base64url(self.key.public_key()),
            "kid": self.key_id,
            "use": "sig",
            "alg": "EdDSA",
        })
    }

    pub(super) fn sign(&self, claims: &IdTokenClaims<'_>) -> IdToken {
        let header = json!({"alg": "EdDSA", "typ": "JWT", "kid": self.key_id});
        let payload = serde_json::to_vec(claims).expect("texts and numbers always serialize");
        let signed = format!("{}.{}", base64url(header.to_string()), base64url(payload));
        let signature = base64url(self.key.sign(signed.as_bytes()));
        IdToken::new(format!("{signed}.{signature}"))
    }
}

pub(super) fn base64url(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
