use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::{Map, Value};

use crate::compact_token::algorithm_named;
use crate::weak_key::{is_of_roca, is_small_order};

/// The smallest RSA key: smaller ones can be factored with enough money (NIST SP 800-131A).
const RSA_BITS_MIN: usize = 2_048;
/// The largest RSA key: checking a signature of a larger one costs too much for an unauthenticated request. aws-lc has
/// the same limit.
const RSA_BITS_MAX: usize = 8_192;

/// A key of the provider for the signatures of ID tokens.
pub(crate) struct PublicKey {
    /// Its id in the key set.
    pub(crate) id: Option<String>,
    /// The allowed algorithms: that of the key, or all of its family if the key names none.
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// Why a key of a key set is ignored. That is normal: sets contain keys for other purposes too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeftAside(pub(crate) &'static str);

impl PublicKey {
    /// Parses a JSON Web Key (RFC 7517, 7518 section 6, 8037).
    pub(crate) fn from_jwk(jwk: &Map<String, Value>) -> Result<Self, LeftAside> {
        check_purpose(jwk)?;
        let id = match jwk.get("kid") {
            None => None,
            Some(Value::String(id)) => Some(id.clone()),
            Some(_) => return Err(LeftAside("kid is not text")),
        };
        let (family, key) = match (text(jwk, "kty")?, jwk.get("crv").and_then(Value::as_str)) {
            ("RSA", _) => (RSA_FAMILY, rsa(jwk)?),
            ("EC", Some("P-256")) => (&[Algorithm::ES256][..], elliptic(jwk, 32)?),
            ("EC", Some("P-384")) => (&[Algorithm::ES384][..], elliptic(jwk, 48)?),
            ("OKP", Some("Ed25519")) => (&[Algorithm::EdDSA][..], edwards(jwk)?),
            _ => return Err(LeftAside("not a kind of key that is accepted")),
        };
        Ok(Self { id, algorithms: allowed(jwk, family)?, key })
    }

    /// Whether the key may be used with this algorithm.
    pub(crate) fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm)
    }

    /// Whether `signature`, in base64url, is a signature of this key over `signed`.
    pub(crate) fn verifies(&self, algorithm: Algorithm, signed: &[u8], signature: &str) -> bool {
        // The errors of the library quote their input, so they are dropped here.
        self.fits(algorithm) && jsonwebtoken::crypto::verify(signature, signed, &self.key, algorithm).unwrap_or(false)
    }
}

const RSA_FAMILY: &[Algorithm] =
    &[Algorithm::RS256, Algorithm::RS384, Algorithm::RS512, Algorithm::PS256, Algorithm::PS384, Algorithm::PS512];

fn check_purpose(jwk: &Map<String, Value>) -> Result<(), LeftAside> {
    if jwk.get("use").is_some_and(|purpose| purpose != "sig") {
        return Err(LeftAside("use is not sig"));
    }
    let verifies = |operations: &Value| operations.as_array().is_some_and(|all| all.iter().any(|one| one == "verify"));
    if jwk.get("key_ops").is_some_and(|operations| !verifies(operations)) {
        return Err(LeftAside("key_ops has no verify"));
    }
    // The key set is public, so everyone could sign with a private key in it.
    if jwk.contains_key("d") || jwk.contains_key("k") {
        return Err(LeftAside("holds a private or shared key"));
    }
    Ok(())
}

fn allowed(jwk: &Map<String, Value>, family: &[Algorithm]) -> Result<Vec<Algorithm>, LeftAside> {
    let Some(name) = jwk.get("alg") else { return Ok(family.to_vec()) };
    let named = name.as_str().and_then(algorithm_named).filter(|named| family.contains(named));
    named.map(|named| vec![named]).ok_or(LeftAside("alg is not accepted, or not of this kind of key"))
}

fn rsa(jwk: &Map<String, Value>) -> Result<DecodingKey, LeftAside> {
    let (modulus, exponent) = (bytes(jwk, "n")?, bytes(jwk, "e")?);
    let (modulus, exponent) = (without_leading_zeros(&modulus), without_leading_zeros(&exponent));
    let bits = modulus.len() * 8 - modulus.first().map_or(0, |first| first.leading_zeros() as usize);
    if !(RSA_BITS_MIN..=RSA_BITS_MAX).contains(&bits) {
        return Err(LeftAside("an RSA key that has not 2048 to 8192 bits"));
    }
    // With an exponent of 1 every message is its own signature, and an even exponent is not valid.
    if exponent == [1] || exponent.len() > 4 || exponent.last().is_none_or(|last| last % 2 == 0) {
        return Err(LeftAside("an RSA key with a weak exponent"));
    }
    if is_of_roca(modulus) {
        return Err(LeftAside("an RSA key that can be factored"));
    }
    Ok(DecodingKey::from_rsa_raw_components(modulus, exponent))
}

fn without_leading_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

fn elliptic(jwk: &Map<String, Value>, coordinate_length: usize) -> Result<DecodingKey, LeftAside> {
    let (x, y) = (bytes(jwk, "x")?, bytes(jwk, "y")?);
    // RFC 7518 section 6.2.1.2: always the full length.
    if x.len() != coordinate_length || y.len() != coordinate_length {
        return Err(LeftAside("a coordinate of the wrong length"));
    }
    Ok(DecodingKey::from_ec_der(&[&[4], &x[..], &y[..]].concat()))
}

fn edwards(jwk: &Map<String, Value>) -> Result<DecodingKey, LeftAside> {
    let x: [u8; 32] = bytes(jwk, "x")?.try_into().map_err(|_| LeftAside("a point of the wrong length"))?;
    if is_small_order(x) {
        return Err(LeftAside("a point of small order"));
    }
    Ok(DecodingKey::from_ed_der(&x))
}

fn text<'a>(jwk: &'a Map<String, Value>, name: &str) -> Result<&'a str, LeftAside> {
    jwk.get(name).and_then(Value::as_str).ok_or(LeftAside("a member is missing or not text"))
}

fn bytes(jwk: &Map<String, Value>, name: &str) -> Result<Vec<u8>, LeftAside> {
    URL_SAFE_NO_PAD.decode(text(jwk, name)?).map_err(|_| LeftAside("a member is not base64url"))
}

#[cfg(test)]
mod tests;
