use std::net::IpAddr;

use super::session::Session;
use super::use_cases::Sessions;
use crate::audit::{Means, Origin, RequestId};
use crate::ports::StoreError;
use crate::{CredentialDigest, OwnerId, SessionId};

/// Why a session was not ended.
#[derive(Debug, thiserror::Error)]
pub enum EndSessionError {
    /// The owner has no session with this id: it never existed, has ended already, or belongs to another user.
    #[error("no session has this id")]
    NotFound,
    /// The store failed. The session may have ended anyway.
    #[error("the session could not be ended")]
    Store(#[from] StoreError),
}

impl Sessions {
    /// Ends one of the owner's sessions and returns the remaining ones, as [`Sessions::list`] does.
    ///
    /// # Errors
    ///
    /// See [`EndSessionError`].
    pub async fn end(&self, owner: &OwnerId, id: SessionId, origin: &Origin) -> Result<Vec<Session>, EndSessionError> {
        self.stores.store.end(owner, id, &self.cause(origin)).await?.ok_or(EndSessionError::NotFound)?;
        Ok(self.list(owner).await?)
    }

    /// Ends the session with this digest, if it is stored, because its browser gets another session. The log names the
    /// user of the session, as for a sign-out.
    pub(super) async fn end_replaced(
        &self,
        digest: &CredentialDigest,
        request: Option<RequestId>,
        address: Option<IpAddr>,
    ) -> Result<(), StoreError> {
        let Some(session) = self.stores.credentials.find_by_digest(digest).await? else { return Ok(()) };
        let by_itself = Origin::of_user(&session.owner, Means::Session(session.id));
        let cause = self.cause(&Origin { request, address, ..by_itself });
        self.stores.store.end(&session.owner, session.id, &cause).await?;
        Ok(())
    }

    /// Ends all of the owner's sessions, except for `kept`, and the portal links that wait to become sessions. Returns
    /// the remaining sessions. A repeated call succeeds.
    ///
    /// # Errors
    ///
    /// If the store fails. All of the sessions may have ended anyway.
    pub async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        origin: &Origin,
    ) -> Result<Vec<Session>, StoreError> {
        self.stores.store.end_all(owner, kept, &self.cause(origin)).await?;
        self.list(owner).await
    }
}
