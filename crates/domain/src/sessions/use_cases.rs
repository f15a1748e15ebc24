use std::sync::Arc;
use std::time::Duration;

use super::session::Session;
use crate::audit::{Cause, Origin};
use crate::ports::{Clock, Entropy, RecentUses, SessionStores, StoreError};
use crate::{OwnerId, Placement, SessionId};

/// How long a session stays stored after it ended through time. A use that is noted in memory is written long before.
pub const SESSION_RETENTION: Duration = Duration::from_hours(1);

/// The use cases of sessions. `open_session` and `end_session` have a file each.
///
/// `owner` is the user who has signed in, or for whom a portal link was made. `origin` is the source of the call, for
/// the audit log.
#[derive(Clone)]
pub struct Sessions {
    pub(super) stores: SessionStores,
    pub(super) recent_uses: Arc<dyn RecentUses<SessionId>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) placement: Placement,
}

impl Sessions {
    /// The use cases on these ports.
    pub fn new(
        stores: SessionStores,
        recent_uses: Arc<dyn RecentUses<SessionId>>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        Self { stores, recent_uses, clock, entropy, placement: Placement::OneStore }
    }

    /// The same, with this placement of new items.
    #[must_use]
    pub fn with_placement(self, placement: Placement) -> Self {
        Self { placement, ..self }
    }

    /// The owner's good sessions, newest first.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list(&self, owner: &OwnerId) -> Result<Vec<Session>, StoreError> {
        let mut sessions = self.stores.store.list(owner, self.clock.now()).await?;
        let ids: Vec<SessionId> = sessions.iter().map(|session| session.id).collect();
        let uses = self.recent_uses.last_uses(&ids);
        for session in &mut sessions {
            session.seen_at = session.seen_at.max(uses.get(&session.id).copied().unwrap_or(session.seen_at));
        }
        Ok(sessions)
    }

    /// The cause of a change at this moment.
    pub(super) fn cause(&self, origin: &Origin) -> Cause {
        Cause::new(origin, self.clock.now(), &*self.entropy)
    }
}
