use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::ports::Entropy;

/// The prefix of a secret with a key in base64.
const PREFIX: &str = "whsec_";
/// The prefix of a public key, which everybody may know.
const PUBLIC_PREFIX: &str = "whpk_";
/// The size of a generated key in bytes: the output length of SHA-256, as RFC 2104 recommends.
const GENERATED_KEY_BYTES: usize = 32;

/// Why a string is not a valid [`SigningSecret`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSigningSecret {
    /// The part after `whsec_` is not base64 of 24 to 64 bytes.
    #[error(
        "after `whsec_` must follow the base64 of {} to {} bytes",
        SigningSecret::KEY_BYTES_MIN,
        SigningSecret::KEY_BYTES_MAX
    )]
    Key,
    /// The string is empty, or has more than [`SigningSecret::LENGTH_MAX`] characters.
    #[error("must have 1 to {} characters", SigningSecret::LENGTH_MAX)]
    Length,
    /// The string contains a control character.
    #[error("must not contain control characters")]
    ControlCharacter,
    /// The string is a public key, so that everybody could sign.
    #[error("must not be a public key, which everybody may know")]
    PublicKey,
}

/// The secret that a subscription shares with its receiver, and that signs by HMAC. It has no `Display`, and its memory is cleared on drop.
///
/// If it is `whsec_` and base64, the key is the decoded bytes, as in Standard Webhooks 1.0. Of any other string, the
/// bytes are the key. See decision 14.
#[derive(Clone)]
pub struct SigningSecret {
    text: Zeroizing<String>,
    key: Zeroizing<Vec<u8>>,
}

impl SigningSecret {
    /// The longest secret, in characters.
    pub const LENGTH_MAX: usize = 256;
    /// The shortest key after `whsec_`, in bytes, as Standard Webhooks 1.0 requires.
    pub const KEY_BYTES_MIN: usize = 24;
    /// The longest key after `whsec_`, in bytes, as Standard Webhooks 1.0 requires.
    pub const KEY_BYTES_MAX: usize = 64;
    /// The strings that [`SigningSecret::chosen`] accepts, apart from their length.
    pub const PATTERN: &str = concat!(
        "^(whsec_[A-Za-z0-9+/]{32}(([A-Za-z0-9+/]{4}){0,12}([A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?",
        "|([A-Za-z0-9+/]{4}){0,13}([A-Za-z0-9+/][AQgw]==)?)",
        r"|(?!whsec_|whpk_)[^\u0000-\u001f\u007f-\u009f]+)$"
    );

    /// A new random secret: `whsec_` and the base64 of 32 bytes.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut key = Zeroizing::new(vec![0; GENERATED_KEY_BYTES]);
        entropy.fill(&mut key);
        Self::of_key(key)
    }

    /// `whsec_` and the base64 of this key.
    pub(super) fn of_key(key: Zeroizing<Vec<u8>>) -> Self {
        // Enough capacity from the start: a string that grows leaves a copy of the secret in memory.
        let mut text = Zeroizing::new(String::with_capacity(PREFIX.len() + GENERATED_KEY_BYTES.div_ceil(3) * 4));
        text.push_str(PREFIX);
        STANDARD.encode_string(&*key, &mut text);
        Self { text, key }
    }

    /// Parses a secret that a user has chosen.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn chosen(text: &str) -> Result<Self, InvalidSigningSecret> {
        if text.starts_with(PUBLIC_PREFIX) { Err(InvalidSigningSecret::PublicKey) } else { Self::parse(text) }
    }

    /// Parses a secret that was chosen and stored.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidSigningSecret> {
        if text.is_empty() || text.chars().nth(Self::LENGTH_MAX).is_some() {
            return Err(InvalidSigningSecret::Length);
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidSigningSecret::ControlCharacter);
        }
        let key = match text.strip_prefix(PREFIX) {
            Some(encoded) => decode(encoded)?,
            None => Zeroizing::new(text.as_bytes().to_vec()),
        };
        Ok(Self { text: Zeroizing::new(text.to_owned()), key })
    }

    /// The secret in clear. Only sealing and the answer that shows it call this.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The key of the HMAC.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningSecret")
    }
}

fn decode(encoded: &str) -> Result<Zeroizing<Vec<u8>>, InvalidSigningSecret> {
    let key = Zeroizing::new(STANDARD.decode(encoded).map_err(|_| InvalidSigningSecret::Key)?);
    let fits = (SigningSecret::KEY_BYTES_MIN..=SigningSecret::KEY_BYTES_MAX).contains(&key.len());
    fits.then_some(key).ok_or(InvalidSigningSecret::Key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::SeededEntropy;

    #[test]
    fn the_key_is_decoded_after_the_prefix_and_the_text_itself_without() {
        let zeros = SigningSecret::parse(&format!("whsec_{}", "A".repeat(32))).unwrap();
        assert_eq!(zeros.key(), [0; 24]);
        for text in ["x", "correct horse battery staple", "Ünïcode", "WHSEC_AAAA", &"é".repeat(256)] {
            assert_eq!(SigningSecret::parse(text).unwrap().key(), text.as_bytes(), "{text}");
        }
    }

    #[test]
    fn a_public_key_is_not_chosen() {
        let key = format!("whpk_{}", STANDARD.encode([7; 32]));
        assert_eq!(SigningSecret::chosen(&key).unwrap_err(), InvalidSigningSecret::PublicKey);
        assert!(SigningSecret::parse(&key).is_ok(), "of an earlier version");
        assert_eq!(SigningSecret::chosen("swordfish").unwrap().expose(), "swordfish");
    }

    #[test]
    fn refuses_by_the_rule_that_is_broken() {
        let key = InvalidSigningSecret::Key;
        for (text, error) in [
            (String::new(), InvalidSigningSecret::Length),
            ("a".repeat(257), InvalidSigningSecret::Length),
            ("a\nb".into(), InvalidSigningSecret::ControlCharacter),
            ("a\0".into(), InvalidSigningSecret::ControlCharacter),
            ("whsec_".into(), key),
            ("whsec_not base64".into(), key),
            (format!("whsec_{}", STANDARD.encode([7; 23])), key),
            (format!("whsec_{}", STANDARD.encode([7; 65])), key),
            (format!("whsec_{}", STANDARD.encode([7; 25]).trim_end_matches('=')), key),
            (format!("whsec_{}", STANDARD.encode([255; 24]).replace('/', "_")), key),
        ] {
            assert_eq!(SigningSecret::parse(&text).err(), Some(error), "{text:?}");
        }
        for bytes in [24, 25, 64] {
            assert!(SigningSecret::parse(&format!("whsec_{}", STANDARD.encode(vec![7; bytes]))).is_ok(), "{bytes}");
        }
    }

    #[test]
    fn a_generated_secret_reads_back() {
        let entropy = SeededEntropy::new(5);
        let (one, other) = (SigningSecret::generate(&entropy), SigningSecret::generate(&entropy));
        assert_eq!(SigningSecret::parse(one.expose()).unwrap().key(), one.key());
        assert_eq!(one.expose().len(), 6 + 44);
        assert_eq!(one.key().len(), 32);
        assert_ne!(one.expose(), other.expose());
    }

    #[test]
    fn a_secret_does_not_print() {
        assert_eq!(format!("{:?}", SigningSecret::parse("swordfish").unwrap()), "SigningSecret");
    }
}
