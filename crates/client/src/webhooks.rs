//! For the receiver of webhooks: whether one is Gatepost's, or that of anybody who signs by Standard Webhooks 1.0.
//!
//! ```
//! use gatepost_client::webhooks::{Headers, Refused, SigningSecret};
//!
//! /// `header` finds a header of the request by its name, `body` is its body, byte for byte as it came.
//! fn accept<'a>(header: impl Fn(&str) -> Option<&'a str>, body: &[u8], secret: &SigningSecret) -> Result<(), Refused> {
//!     let headers = Headers::read(header)?;
//!     secret.verify(&headers, body, std::time::SystemTime::now())?;
//!     // Deliveries are repeated: an id that was handled before needs nothing but a 2xx.
//!     println!("the event {} is genuine", headers.id);
//!     Ok(())
//! }
//! ```

use std::fmt;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// How far a webhook's timestamp may be from now, either way: who records one cannot send it again later.
pub const TOLERANCE: Duration = Duration::from_mins(5);

/// What stands before a secret whose key is written in base64.
const PREFIX: &str = "whsec_";
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
const LENGTH_MAX: usize = 256;
/// Many more than a rotation needs.
const SIGNATURES_MAX: usize = 32;

/// The secret that a subscription's webhooks are signed with. It does not print, and is wiped on drop.
#[derive(Clone)]
pub struct SigningSecret(Zeroizing<Vec<u8>>);

/// Why a text is no [`SigningSecret`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSigningSecret {
    /// After `whsec_` stands no base64, or not of 24 to 64 bytes.
    #[error("after `whsec_` must follow the base64 of 24 to 64 bytes")]
    Key,
    /// Not 1 to 256 characters.
    #[error("must have 1 to 256 characters")]
    Length,
}

/// Why a webhook is not to be believed. Answer it with 400 or 401, and do nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// A header is not there.
    #[error("the header {0} is missing")]
    MissingHeader(&'static str),
    /// The timestamp is no whole number of seconds.
    #[error("the header webhook-timestamp is no number of seconds")]
    UnreadableTimestamp,
    /// It was sent more than [`TOLERANCE`] ago, or by a clock that is wrong.
    #[error("the timestamp is too old")]
    TooOld,
    /// It was sent more than [`TOLERANCE`] ahead of this machine's clock.
    #[error("the timestamp is too far ahead")]
    TooNew,
    /// It was not signed with this secret, or something was changed since.
    #[error("no signature matches")]
    WrongSignature,
}

/// The three headers of a webhook.
#[derive(Clone, Copy, Debug)]
pub struct Headers<'a> {
    /// `webhook-id`: the event's id, the same at every attempt.
    pub id: &'a str,
    /// `webhook-timestamp`: the attempt's time in whole seconds since 1970-01-01.
    pub timestamp: &'a str,
    /// `webhook-signature`: one or more signatures with spaces between.
    pub signature: &'a str,
}

impl<'a> Headers<'a> {
    /// Reads them through `header`, which finds a header of the request by its name in lower case.
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
    /// The secret as Gatepost answered it, or as you gave it: `whsec_` and base64 stand for the decoded bytes, any other
    /// text for its own.
    ///
    /// # Errors
    ///
    /// Says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidSigningSecret> {
        if text.is_empty() || text.chars().nth(LENGTH_MAX).is_some() {
            return Err(InvalidSigningSecret::Length);
        }
        let Some(encoded) = text.strip_prefix(PREFIX) else {
            return Ok(Self(Zeroizing::new(text.as_bytes().to_vec())));
        };
        let key = STANDARD.decode(encoded).map(Zeroizing::new).map_err(|_| InvalidSigningSecret::Key)?;
        if KEY_BYTES.contains(&key.len()) { Ok(Self(key)) } else { Err(InvalidSigningSecret::Key) }
    }

    /// Whether a webhook was signed with this secret less than [`TOLERANCE`] from `now`. `body` is what came, byte for
    /// byte: JSON that was read and written again is another text. Takes the same time whatever signature came.
    ///
    /// During a rotation Gatepost signs with both secrets, so that either will do.
    ///
    /// # Errors
    ///
    /// Says why it is not to be believed.
    pub fn verify(&self, headers: &Headers<'_>, body: &[u8], now: SystemTime) -> Result<(), Refused> {
        check_timestamp(headers.timestamp, now)?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(|_| Refused::WrongSignature)?;
        for part in [headers.id.as_bytes(), b".", headers.timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        let signatures = headers.signature.split(' ').filter_map(|signature| signature.strip_prefix("v1,"));
        let mut decoded = signatures.take(SIGNATURES_MAX).filter_map(|signature| STANDARD.decode(signature).ok());
        // `verify_slice` compares in constant time.
        let matches = decoded.any(|signature| mac.clone().verify_slice(&signature).is_ok());
        if matches { Ok(()) } else { Err(Refused::WrongSignature) }
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningSecret")
    }
}

fn check_timestamp(text: &str, now: SystemTime) -> Result<(), Refused> {
    // Digits alone: a sign or a space would be signed as part of the text, and read as the same number.
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = text.parse().ok().filter(|_| is_number).ok_or(Refused::UnreadableTimestamp)?;
    let sent_at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).ok_or(Refused::TooNew)?;
    match (now.duration_since(sent_at), sent_at.duration_since(now)) {
        (Ok(age), _) if age > TOLERANCE => Err(Refused::TooOld),
        (_, Ok(ahead)) if ahead > TOLERANCE => Err(Refused::TooNew),
        _ => Ok(()),
    }
}
