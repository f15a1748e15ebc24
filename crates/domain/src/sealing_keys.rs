use std::fmt;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use zeroize::Zeroizing;

use crate::ports::Entropy;

/// The first byte of sealed data. It stands for this layout: version, nonce, ciphertext with tag.
const VERSION: u8 = 1;
const NONCE_BYTES: usize = 12;
/// How much longer than its content a sealed content is: the version, the nonce, and the tag of 16 bytes.
pub(crate) const SEALED_EXTRA_BYTES: usize = 1 + NONCE_BYTES + 16;

/// The list of keys is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at least one key is needed")]
pub struct InvalidSealingKeys;

/// The key that seals secrets, and older keys that still open them. They have no `Display`, and their memory is cleared
/// on drop.
pub struct SealingKeys(Vec<Zeroizing<[u8; 32]>>);

/// Sealed data, opened.
pub(crate) struct Opened {
    pub(crate) content: Zeroizing<Vec<u8>>,
    /// Whether an older key opened it, so that it should be sealed again under the newest.
    pub(crate) under_older_key: bool,
}

impl SealingKeys {
    /// The keys, newest first.
    ///
    /// # Errors
    ///
    /// If the list is empty.
    pub fn new(keys: Vec<Zeroizing<[u8; 32]>>) -> Result<Self, InvalidSealingKeys> {
        if keys.is_empty() { Err(InvalidSealingKeys) } else { Ok(Self(keys)) }
    }

    /// Encrypts `content` under the newest key, by AES-256-GCM with a random nonce, and binds it to `purpose`. With
    /// random nonces of 96 bits, one key may seal up to 2^32 contents (NIST SP 800-38D, 8.3).
    pub(crate) fn seal_bytes(&self, content: &[u8], purpose: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
        let mut nonce = [0; NONCE_BYTES];
        entropy.fill(&mut nonce);
        let payload = Payload { msg: content, aad: &associated_data(purpose) };
        let ciphertext = cipher(&self.0[0]).encrypt(&Nonce::from(nonce), payload);
        let ciphertext = ciphertext.expect("what is sealed is far shorter than AES-GCM's limit");
        [&[VERSION][..], &nonce, &ciphertext].concat()
    }

    /// Opens data that was sealed for the same `purpose`; `None` if none of the keys opens it.
    pub(crate) fn open_bytes(&self, sealed: &[u8], purpose: &[u8]) -> Option<Opened> {
        let rest = sealed.strip_prefix(&[VERSION])?;
        let (nonce, ciphertext) = rest.split_first_chunk::<NONCE_BYTES>()?;
        let associated_data = associated_data(purpose);
        let open = |key| {
            let payload = Payload { msg: ciphertext, aad: &associated_data };
            cipher(key).decrypt(&Nonce::from(*nonce), payload).ok().map(Zeroizing::new)
        };
        let mut opened = self.0.iter().enumerate().filter_map(|(index, key)| Some((index, open(key)?)));
        opened.next().map(|(index, content)| Opened { content, under_older_key: index > 0 })
    }

    /// The keys, newest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8; 32]> {
        self.0.iter().map(|key| &**key)
    }
}

impl fmt::Debug for SealingKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SealingKeys")
    }
}

fn cipher(key: &[u8; 32]) -> Aes256Gcm {
    Aes256Gcm::new(key.into())
}

fn associated_data(purpose: &[u8]) -> Vec<u8> {
    [&[VERSION], purpose].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_key_nothing_is_sealed() {
        assert_eq!(SealingKeys::new(Vec::new()).err(), Some(InvalidSealingKeys));
    }
}
