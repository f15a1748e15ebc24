use async_trait::async_trait;

use super::store_error::StoreError;
use crate::audit::Cause;
use crate::sessions::Session;
use crate::{CredentialDigest, OwnerId, SessionId, Timestamp};

/// Stores sessions. Times keep their milliseconds, and strings come back byte for byte.
///
/// A session that a call ends is deleted, and its digest is reported to the [`ChangeFeed`](super::ChangeFeed) in the
/// same transaction. A session that expires or becomes idle stays until the purge. Waiting portal links
/// ([`SessionRole::Link`](crate::sessions::SessionRole::Link)) are stored like sessions, but are not listed.
///
/// A change and the events of its [`Cause`] are one: see [`AuditLog`](super::AuditLog).
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Stores `session` with every field unchanged, under `digest`. Then the owner has at most `max` sessions that are
    /// good at `session.created_at`, the new one included: the store ends the others, and returns their digests.
    ///
    /// - The sessions that were created first are ended (by `created_at`, then by id), and never the new one.
    ///   [`Session::is_good`] decides which sessions count. Sessions of other owners do not count, and stay.
    /// - Links and other sessions are counted apart: a new one ends others of its sort.
    /// - The maximum is exact under any concurrency, from any number of processes: parallel calls all store their
    ///   session, and together leave `max`.
    /// - If the id or the digest is stored already, the result is [`StoreError::Duplicate`], without effect.
    /// - Callers pass a `max` of at least 1.
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError>;

    /// The owner's sessions that are good at `at`, without links, newest first (by `created_at`, then by id); empty for
    /// an owner without sessions.
    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError>;

    /// Ends the owner's session and returns its digest. `None` if the owner has no session with this id: the call then
    /// has no effect, and the answer is the same if another user has one.
    ///
    /// Of parallel calls for one session, one returns the digest.
    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError>;

    /// Ends all of the owner's sessions and links, except for `kept`, and returns their digests, in any order. Expired
    /// and idle sessions that are still stored are among them.
    ///
    /// All of this is one transaction. Parallel calls together return each digest once. If a caller opens a session and
    /// then ends another one, a parallel call that misses the first has ended the second.
    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError>;

    /// How many sessions of all owners are good at `at`, among the first `max` that are stored, in any order. So the work
    /// is bounded, and the number is exact while no more than `max` are stored.
    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError>;
}
