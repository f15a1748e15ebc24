use std::net::IpAddr;
use std::time::Duration;

use super::session::{SESSION_LIFETIME, SESSIONS_MAX, Session};
use super::session_role::SessionRole;
use super::session_secret::SessionSecret;
use super::use_cases::Sessions;
use super::user_agent::UserAgent;
use crate::audit::Origin;
use crate::organizations::ReadMemberships;
use crate::ports::StoreError;
use crate::{OwnerId, SessionId};

/// The browser in lists of sessions: its user agent and its address.
pub type Browser = (Option<UserAgent>, Option<IpAddr>);

/// The session to open for an authenticated user.
#[derive(Clone, Debug)]
pub struct OpenSession {
    /// The role of the session.
    pub role: SessionRole,
    /// The organizations that the user belongs to.
    pub memberships: ReadMemberships,
    /// The browser.
    pub user_agent: Option<UserAgent>,
    /// The browser's address.
    pub address: Option<IpAddr>,
}

/// A new session. Only this answer has its secret.
#[derive(Debug)]
pub struct OpenedSession {
    /// The secret.
    pub secret: SessionSecret,
    /// The session.
    pub session: Session,
}

impl Sessions {
    /// Opens a session. If the owner has [`SESSIONS_MAX`] good sessions already, the one that was opened first ends.
    ///
    /// # Errors
    ///
    /// If the store fails. The session may have been stored anyway, but its secret is lost.
    pub async fn open(
        &self,
        owner: &OwnerId,
        request: OpenSession,
        origin: &Origin,
    ) -> Result<OpenedSession, StoreError> {
        self.open_for(owner, request, SESSION_LIFETIME, SESSIONS_MAX, origin).await
    }

    /// The same for a session with another lifetime. The owner has at most `max` good ones of its kind afterwards.
    pub(super) async fn open_for(
        &self,
        owner: &OwnerId,
        request: OpenSession,
        lifetime: Duration,
        max: u32,
        origin: &Origin,
    ) -> Result<OpenedSession, StoreError> {
        let now = self.clock.now();
        let secret = SessionSecret::generate_for(owner, self.placement, &*self.entropy);
        let session = Session {
            id: SessionId::mint_for(owner, self.placement, now, &*self.entropy),
            owner: owner.clone(),
            role: request.role,
            memberships: request.memberships,
            created_at: now,
            seen_at: now,
            expires_at: now.plus(lifetime),
            user_agent: request.user_agent,
            address: request.address,
        };
        self.stores.store.open(&session, &secret.digest(), max, &self.cause(origin)).await?;
        Ok(OpenedSession { secret, session })
    }
}
