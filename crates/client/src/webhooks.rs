//! For receivers of webhooks: verifies that a webhook comes from Gatepost, or from another sender that follows Standard
//! Webhooks 1.0.
//!
//! ```
//! use gatepost_client::webhooks::{Headers, Refused, SigningSecret};
//!
//! /// `header` finds a header of the request by its name. `body` is the raw body, byte for byte.
//! fn accept<'a>(header: impl Fn(&str) -> Option<&'a str>, body: &[u8], secret: &SigningSecret) -> Result<(), Refused>
//! {
//!     let headers = Headers::read(header)?;
//!     secret.verify(&headers, body, std::time::SystemTime::now())?;
//!     // A webhook may arrive more than once: answer an id that you have handled with 2xx only.
//!     println!("the event {} is genuine", headers.id);
//!     Ok(())
//! }
//! ```

use std::fmt;
use std::time::{Duration, SystemTime};

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::Value;
use sha2::Sha256;
use zeroize::Zeroizing;

/// How far the timestamp of a webhook may be from now, before or after. The limit stops replays of recorded webhooks.
pub const TOLERANCE: Duration = Duration::from_mins(5);

/// The prefix of a secret with a key in base64.
const PREFIX: &str = "whsec_";
/// The prefix of a public key. It is known to everybody, so an HMAC made with it would be no proof.
const PUBLIC_KEY_PREFIX: &str = "whpk_";
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
const LENGTH_MAX: usize = 256;
/// Many more than a rotation needs.
const SIGNATURES_MAX: usize = 32;

/// The secret that signs a subscription's webhooks (`v1`). It cannot be printed, and is wiped on drop.
#[derive(Clone)]
pub struct SigningSecret(Zeroizing<Vec<u8>>);

/// Why a string is not a valid [`SigningSecret`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSigningSecret {
    /// The part after `whsec_` is not base64, or not the base64 of 24 to 64 bytes.
    #[error("the part after `whsec_` must be the base64 of 24 to 64 bytes")]
    Key,
    /// The length is not 1 to 256 characters.
    #[error("must have 1 to 256 characters")]
    Length,
    /// The string is a public key (`whpk_…`): see [`PublicKey`].
    #[error("a public key is not a secret")]
    PublicKey,
}

/// Why a webhook is rejected. Answer the request with 400 or 401, and ignore it otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// A header is missing.
    #[error("the header {0} is missing")]
    MissingHeader(&'static str),
    /// The timestamp is not a whole number of seconds.
    #[error("the header webhook-timestamp is not a number of seconds")]
    UnreadableTimestamp,
    /// The webhook was sent more than [`TOLERANCE`] ago, or the sender's clock is wrong.
    #[error("the timestamp is too old")]
    TooOld,
    /// The timestamp is more than [`TOLERANCE`] ahead of this machine's clock.
    #[error("the timestamp is too far ahead")]
    TooNew,
    /// The webhook was not signed with this secret, or it was modified after signing.
    #[error("no signature matches")]
    WrongSignature,
}

/// The three headers of a webhook.
#[derive(Clone, Copy, Debug)]
pub struct Headers<'a> {
    /// `webhook-id`: the event's id, the same at every attempt.
    pub id: &'a str,
    /// `webhook-timestamp`: the time of the attempt in whole seconds since 1970-01-01.
    pub timestamp: &'a str,
    /// `webhook-signature`: one or more signatures, separated by spaces.
    pub signature: &'a str,
}

impl<'a> Headers<'a> {
    /// Reads the headers with `header`, which finds a header of the request by its lower-case name.
    ///
    /// # Errors
    ///
    /// [`Refused::MissingHeader`].
    pub fn read(header: impl Fn(&str) -> Option<&'a str>) -> Result<Self, Refused> {
        let required = |name| header(name).ok_or(Refused::MissingHeader(name));
        Ok(Self {
            id: required("webhook-id")?,
            timestamp: required("webhook-timestamp")?,
            signature: required("webhook-signature")?,
        })
    }
}

impl SigningSecret {
    /// Parses a secret that Gatepost generated or that you chose. The key is the decoded base64 after `whsec_`, or the
    /// bytes of any other string.
    ///
    /// # Errors
    ///
    /// The rule that the string breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidSigningSecret> {
        if text.is_empty() || text.chars().nth(LENGTH_MAX).is_some() {
            return Err(InvalidSigningSecret::Length);
        }
        if text.starts_with(PUBLIC_KEY_PREFIX) {
            return Err(InvalidSigningSecret::PublicKey);
        }
        let Some(encoded) = text.strip_prefix(PREFIX) else {
            return Ok(Self(Zeroizing::new(text.as_bytes().to_vec())));
        };
        let key = STANDARD.decode(encoded).map(Zeroizing::new).map_err(|_| InvalidSigningSecret::Key)?;
        if KEY_BYTES.contains(&key.len()) { Ok(Self(key)) } else { Err(InvalidSigningSecret::Key) }
    }

    /// Checks that a webhook was signed with this secret within [`TOLERANCE`] of `now`. `body` must be the raw body:
    /// JSON that was parsed and serialized again has other bytes. The comparison takes the same time for every
    /// signature.
    ///
    /// During a rotation Gatepost signs with both secrets, so either of them verifies.
    ///
    /// # Errors
    ///
    /// Why the webhook is rejected.
    pub fn verify(&self, headers: &Headers<'_>, body: &[u8], now: SystemTime) -> Result<(), Refused> {
        check_timestamp(headers.timestamp, now)?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(|_| Refused::WrongSignature)?;
        for part in [headers.id.as_bytes(), b".", headers.timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        // `verify_slice` compares in constant time.
        let matches = signatures(headers, "v1,").any(|signature| mac.clone().verify_slice(&signature).is_ok());
        if matches { Ok(()) } else { Err(Refused::WrongSignature) }
    }
}

/// A public key that verifies the signatures `v1a` of a subscription's webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

/// The string is not a valid [`PublicKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `whpk_` and the base64 of 32 bytes")]
pub struct InvalidPublicKey;

impl PublicKey {
    /// Parses a key as subscriptions show it: `whpk_` and base64.
    ///
    /// # Errors
    ///
    /// If the string is something else.
    pub fn parse(text: &str) -> Result<Self, InvalidPublicKey> {
        let encoded = text.strip_prefix(PUBLIC_KEY_PREFIX).ok_or(InvalidPublicKey)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| InvalidPublicKey)?;
        bytes.try_into().map(Self).map_err(|_| InvalidPublicKey)
    }

    /// The Ed25519 keys of a JWK set, which Gatepost shows at `/.well-known/webhooks/{id}/jwks.json`, or of one JWK. Keys
    /// of other kinds are for others, and one that is malformed takes nothing from the others of its set.
    pub fn of_jwks(document: &Value) -> Vec<Self> {
        let one = std::slice::from_ref(document);
        let keys = document.get("keys").map_or(Some(one), |keys| keys.as_array().map(Vec::as_slice));
        keys.into_iter().flatten().filter_map(Self::of_jwk).collect()
    }

    fn of_jwk(key: &Value) -> Option<Self> {
        let Jwk { kty, crv, x } = Jwk::deserialize(key).ok()?;
        let is_ed25519 = (kty.as_str(), crv.as_str()) == ("OKP", "Ed25519");
        URL_SAFE_NO_PAD.decode(x).ok()?.try_into().ok().map(Self).filter(|_| is_ed25519)
    }

    /// Checks that a webhook was signed with the private key within [`TOLERANCE`] of `now`, as
    /// [`SigningSecret::verify`] does.
    ///
    /// During a rotation Gatepost signs with both keys, so either of them verifies.
    ///
    /// # Errors
    ///
    /// Why the webhook is rejected.
    pub fn verify(&self, headers: &Headers<'_>, body: &[u8], now: SystemTime) -> Result<(), Refused> {
        check_timestamp(headers.timestamp, now)?;
        let signed = [headers.id.as_bytes(), b".", headers.timestamp.as_bytes(), b".", body].concat();
        let key = UnparsedPublicKey::new(&ED25519, self.0);
        let matches = signatures(headers, "v1a,").any(|signature| key.verify(&signed, &signature).is_ok());
        if matches { Ok(()) } else { Err(Refused::WrongSignature) }
    }
}

/// The members of a JSON Web Key that matter.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    crv: String,
    x: String,
}

/// The signatures of this version.
fn signatures<'a>(headers: &Headers<'a>, version: &'static str) -> impl Iterator<Item = Vec<u8>> + use<'a> {
    let signatures = headers.signature.split(' ').filter_map(move |signature| signature.strip_prefix(version));
    signatures.take(SIGNATURES_MAX).filter_map(|signature| STANDARD.decode(signature).ok())
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningSecret")
    }
}

fn check_timestamp(text: &str, now: SystemTime) -> Result<(), Refused> {
    // Only digits: `+1` and `1` parse to the same number, but have different signatures.
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = text.parse().ok().filter(|_| is_number).ok_or(Refused::UnreadableTimestamp)?;
    let sent_at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).ok_or(Refused::TooNew)?;
    match (now.duration_since(sent_at), sent_at.duration_since(now)) {
        (Ok(age), _) if age > TOLERANCE => Err(Refused::TooOld),
        (_, Ok(ahead)) if ahead > TOLERANCE => Err(Refused::TooNew),
        _ => Ok(()),
    }
}
