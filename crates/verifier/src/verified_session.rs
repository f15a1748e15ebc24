use std::time::Duration;

use domain::organizations::ReadMemberships;
use domain::ports::StoreError;
use domain::sessions::{SESSION_IDLE_MAX, Session, SessionRole};
use domain::{InHour, OwnerId, OwnerRates, RateLimit, SessionId, Timestamp, UsageCounts};

use crate::credential::{Confirmation, Credential};
use crate::last_use::{LastUse, Used};

/// A good session, with everything that an answer about the session needs. Shared, so that an answer does not copy it.
#[derive(Debug)]
pub struct VerifiedSession {
    /// Identifies the session.
    pub id: SessionId,
    /// The user of the session.
    pub owner: OwnerId,
    /// The role of the session.
    pub role: SessionRole,
    /// The organizations that the user belonged to at the sign-in.
    pub memberships: ReadMemberships,
    /// When it was opened.
    pub created_at: Timestamp,
    /// The expiry time: from then on the session is not good, even if it is in use.
    pub expires_at: Timestamp,
    /// How often the user may call, if the user's record says it.
    pub request_rate_limit: Option<RateLimit>,
    last_use: LastUse,
    confirmation: Confirmation,
}

impl Used for VerifiedSession {
    type Id = SessionId;

    fn id(&self) -> SessionId {
        self.id
    }

    fn last_use(&self) -> &LastUse {
        &self.last_use
    }
}

impl Credential for VerifiedSession {
    type Stored = Session;
    type Counts = ();
    const NAME: &'static str = "sessions";
    const IS_COUNTED: bool = false;

    fn owner(&self) -> &OwnerId {
        &self.owner
    }

    fn stored_id(session: &Session) -> SessionId {
        session.id
    }

    fn new(session: Session, rates: OwnerRates, age: Duration) -> Self {
        Self {
            confirmation: Confirmation::at(age),
            last_use: LastUse::new(Some(session.seen_at)),
            id: session.id,
            owner: session.owner,
            role: session.role,
            memberships: session.memberships,
            created_at: session.created_at,
            expires_at: session.expires_at,
            request_rate_limit: rates.request_rate_limit,
        }
    }

    fn is_good(session: &Session, at: Timestamp) -> bool {
        session.is_good(at) && session.role.signs_in()
    }

    fn stored_use(session: &Session) -> Option<Timestamp> {
        Some(session.seen_at)
    }

    fn has_expired(&self, at: Timestamp) -> bool {
        self.expires_at <= at
    }

    /// Another process may have seen the session, so this is not final. See decision 64.
    fn is_idle(&self, at: Timestamp) -> bool {
        self.last_use.at().is_none_or(|seen_at| seen_at.plus(SESSION_IDLE_MAX) <= at)
    }

    fn says_the_same_as(&self, session: &Session, rates: OwnerRates) -> bool {
        (self.id, self.expires_at, self.request_rate_limit)
            == (session.id, session.expires_at, rates.request_rate_limit)
    }

    fn confirmation(&self) -> &Confirmation {
        &self.confirmation
    }

    async fn add_usage((): &Self::Counts, _: &[InHour<SessionId, UsageCounts>]) -> Result<(), StoreError> {
        Ok(())
    }
}
