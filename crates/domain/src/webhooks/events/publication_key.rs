use std::fmt;

use sha2::{Digest, Sha256};

use super::event_type::EventType;

/// By what a publisher's repetition of an event is recognized, within one owner's events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicationKey {
    /// The publisher's own id.
    pub id: PublisherId,
    /// The digest of what must be the same, too.
    pub content: ContentDigest,
}

/// SHA-256 of an event's type and data, to tell a repetition from another event under the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentDigest([u8; 32]);

impl ContentDigest {
    /// The digest of this type and this JSON text, which is taken as it stands.
    pub fn of(event_type: &EventType, data: &str) -> Self {
        // No event type contains a line break.
        let digest = Sha256::new().chain_update(event_type.as_str()).chain_update("\n").chain_update(data).finalize();
        Self(digest.into())
    }

    /// The digest of these bytes, as storage keeps them.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, for storage.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The id that a publisher gave an event: 1 to 256 characters without control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublisherId(String);

/// The text is no [`PublisherId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to {} characters, none of them a control character", PublisherId::LENGTH_MAX)]
pub struct InvalidPublisherId;

impl PublisherId {
    /// The longest id, in characters.
    pub const LENGTH_MAX: usize = 256;

    /// Takes a text as it is.
    ///
    /// # Errors
    ///
    /// When it is empty, too long, or holds a control character.
    pub fn parse(text: &str) -> Result<Self, InvalidPublisherId> {
        let fits = !text.is_empty() && text.chars().nth(Self::LENGTH_MAX).is_none();
        let fits = fits && !text.chars().any(char::is_control);
        fits.then(|| Self(text.to_owned())).ok_or(InvalidPublisherId)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PublisherId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
