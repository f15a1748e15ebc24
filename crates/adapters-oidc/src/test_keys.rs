//! Private keys for tests, which sign valid and invalid tokens.

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair,
    RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384, RSA_PSS_SHA512, RsaKeyPair,
    RsaPublicKeyComponents,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::Timestamp;
use serde_json::{Value, json};

/// The time of all tests, in seconds since the Unix epoch.
pub(crate) const NOW_SECONDS: i64 = 1_795_225_323;

/// The time of all tests as a timestamp.
pub(crate) fn now() -> Timestamp {
    after_seconds(0)
}

pub(crate) fn after_seconds(seconds: i64) -> Timestamp {
    Timestamp::from_unix_millis((NOW_SECONDS + seconds) * 1_000).unwrap()
}

pub(crate) enum TestKey {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl TestKey {
    pub(crate) fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    pub(crate) fn p256() -> Self {
        Self::P256(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
    }

    pub(crate) fn p384() -> Self {
        Self::P384(EcdsaKeyPair::generate(&ECDSA_P384_SHA384_FIXED_SIGNING).unwrap())
    }

    pub(crate) fn ed25519(seed: u8) -> Self {
        Self::Ed25519(Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap())
    }

    /// The public key, named `id`, with neither `alg` nor `use`.
    pub(crate) fn jwk(&self, id: &str) -> Value {
        match self {
            Self::Rsa(key) => {
                let parts = RsaPublicKeyComponents::<Vec<u8>>::from(key.public_key());
                json!({"kid": id, "kty": "RSA", "n": encode(parts.n), "e": encode(parts.e)})
            }
            Self::P256(key) => elliptic_jwk(id, "P-256", key),
            Self::P384(key) => elliptic_jwk(id, "P-384", key),
            Self::Ed25519(key) => {
                json!({"kid": id, "kty": "OKP", "crv": "Ed25519", "x": encode(key.public_key())})
            }
        }
    }

    /// The public key in the form of X.509, which attackers use as a shared secret.
    pub(crate) fn public_der(&self) -> Vec<u8> {
        let Self::Rsa(key) = self else { panic!("only asked of RSA keys") };
        AsDer::<PublicKeyX509Der<'_>>::as_der(key.public_key()).unwrap().as_ref().to_vec()
    }

    /// A token with this header and these claims, signed with the `alg` of the header, or else with the key's default.
    pub(crate) fn token(&self, header: &Value, claims: &Value) -> String {
        self.token_of_text(&header.to_string(), &claims.to_string())
    }

    pub(crate) fn token_of_text(&self, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", encode(header), encode(claims));
        let algorithm = serde_json::from_str::<Value>(header).ok();
        let algorithm = algorithm.and_then(|header| Some(header.get("alg")?.as_str()?.to_owned())).unwrap_or_default();
        let signature = self.sign(&algorithm, signed.as_bytes());
        format!("{signed}.{}", encode(signature))
    }

    pub(crate) fn sign(&self, algorithm: &str, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(key) => {
                let padding: &'static dyn aws_lc_rs::signature::RsaEncoding = match algorithm {
                    "RS384" => &RSA_PKCS1_SHA384,
                    "RS512" => &RSA_PKCS1_SHA512,
                    "PS256" => &RSA_PSS_SHA256,
                    "PS384" => &RSA_PSS_SHA384,
                    "PS512" => &RSA_PSS_SHA512,
                    _ => &RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(padding, &random, message, &mut signature).unwrap();
                signature
            }
            Self::P256(key) | Self::P384(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed25519(key) => key.sign(message).as_ref().to_vec(),
        }
    }
}

fn elliptic_jwk(id: &str, curve: &str, key: &EcdsaKeyPair) -> Value {
    let (x, y) = key.public_key().as_ref()[1..].split_at(key.public_key().as_ref().len() / 2);
    json!({"kid": id, "kty": "EC", "crv": curve, "x": encode(x), "y": encode(y)})
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A key set of these keys.
pub(crate) fn key_set(keys: &[Value]) -> String {
    json!({"keys": keys}).to_string()
}

/// The JSON object with one member added or replaced.
pub(crate) fn with(object: &Value, name: &str, value: Value) -> Value {
    let mut changed = object.clone();
    changed[name] = value;
    changed
}
