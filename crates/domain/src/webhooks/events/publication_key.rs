use std::fmt;

use sha2::{Digest, Sha256};

use super::event_type::EventType;
use crate::patterns::NO_CONTROL;

/// Recognizes a repeated publication of an event, among the events of one owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicationKey {
    /// The id that the publisher has given the event.
    pub id: PublisherId,
    /// The digest of the content. A repetition has the same content.
    pub content: ContentDigest,
}

/// SHA-256 of an event's type and data. It distinguishes a repetition from another event with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentDigest([u8; 32]);

impl ContentDigest {
    /// The digest of this type and of the exact bytes of this JSON.
    pub fn of(event_type: &EventType, data: &str) -> Self {
        // An event type contains no line break, so the separator is unambiguous.
        let digest = Sha256::new().chain_update(event_type.as_str()).chain_update("\n").chain_update(data).finalize();
        Self(digest.into())
    }

    /// The digest with these bytes, which is how stores keep it.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The id that a publisher has given an event: 1 to 256 characters without control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublisherId(String);

/// The string is not a valid [`PublisherId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to {} characters, none of them a control character", PublisherId::LENGTH_MAX)]
pub struct InvalidPublisherId;

impl PublisherId {
    /// The longest id, in characters.
    pub const LENGTH_MAX: usize = 256;
    /// The strings that [`PublisherId::parse`] accepts, apart from their length.
    pub const PATTERN: &str = NO_CONTROL;

    /// Checks the string and keeps it unchanged.
    ///
    /// # Errors
    ///
    /// If it is empty, is too long, or contains a control character.
    pub fn parse(text: &str) -> Result<Self, InvalidPublisherId> {
        let fits = !text.is_empty() && text.chars().nth(Self::LENGTH_MAX).is_none();
        let fits = fits && !text.chars().any(char::is_control);
        fits.then(|| Self(text.to_owned())).ok_or(InvalidPublisherId)
    }

    /// The id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PublisherId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
