use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::ports::{AttemptCursor, DeliveryLog, ListAttemptsRequest, LoggedAttempt, StoreError};
use crate::webhooks::Webhooks;
use crate::{DeliveryId, OwnerId, SubscriptionId, Timestamp};

/// How far back each read looks again. Attempts may be stored later than others that ended after them.
const STORED_LATE_MAX: Duration = Duration::from_secs(10);
/// How far back a follower may resume.
const RESUMED_AGE_MAX: Duration = Duration::from_hours(1);
/// The most attempts that one read returns. If it returns this number, more may follow.
pub const FOLLOWED_AT_ONCE_MAX: u32 = 500;
/// How many attempts a follower remembers, so that it returns none twice. An attempt that is stored after this number
/// of later ones is not returned.
const REMEMBERED_MAX: usize = 2_000;

/// Returns attempts as they end, each once.
pub struct AttemptFollower {
    log: Arc<dyn DeliveryLog>,
    owner: OwnerId,
    subscription: Option<SubscriptionId>,
    /// Attempts up to here are never returned.
    floor: AttemptCursor,
    /// The attempts above the floor that were returned, or are older than the follower.
    returned: BTreeSet<AttemptCursor>,
}

impl Webhooks {
    /// Follows the attempts at the owner's deliveries, or at deliveries to one subscription, that end or are stored from
    /// now on, or that end after `resume`, which may be an hour ago at most. `None` if the owner has no such subscription.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn follow_attempts(
        &self,
        owner: &OwnerId,
        subscription: Option<SubscriptionId>,
        resume: Option<AttemptCursor>,
    ) -> Result<Option<AttemptFollower>, StoreError> {
        if let Some(id) = subscription
            && self.stores.subscriptions.find(owner, id).await?.is_none()
        {
            return Ok(None);
        }
        let now = self.clock.now();
        let floor = match resume {
            Some(cursor) => cursor.max(before_all(now.minus(RESUMED_AGE_MAX))),
            None => before_all(now.minus(STORED_LATE_MAX)),
        };
        let log = Arc::clone(&self.stores.log);
        let mut follower =
            AttemptFollower { log, owner: owner.clone(), subscription, floor, returned: BTreeSet::new() };
        if resume.is_none() {
            follower.pass_over(before_all(now)).await?;
        }
        Ok(Some(follower))
    }
}

impl AttemptFollower {
    /// Attempts that have ended and were not returned before, in the order in which they ended. If there are many, only
    /// some. Empty if there are none now.
    ///
    /// # Errors
    ///
    /// If the store fails. A later call returns the same attempts.
    pub async fn read_new(&mut self) -> Result<Vec<LoggedAttempt>, StoreError> {
        let mut request = self.request();
        loop {
            let page = self.log.attempts_after(&request).await?;
            let is_last = page.len() < FOLLOWED_AT_ONCE_MAX as usize;
            request.after = page.last().map_or(request.after, LoggedAttempt::cursor);
            let new: Vec<_> = page.into_iter().filter(|attempt| self.note(attempt.cursor())).collect();
            if is_last || !new.is_empty() {
                return Ok(new);
            }
        }
    }

    /// Remembers the stored attempts before `end`.
    async fn pass_over(&mut self, end: AttemptCursor) -> Result<(), StoreError> {
        let mut request = self.request();
        loop {
            let page = self.log.attempts_after(&request).await?;
            let earlier: Vec<_> = page.iter().map(LoggedAttempt::cursor).take_while(|one| *one < end).collect();
            request.after = earlier.last().copied().unwrap_or(request.after);
            let is_last = earlier.len() < FOLLOWED_AT_ONCE_MAX as usize;
            for one in earlier {
                self.note(one);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn request(&self) -> ListAttemptsRequest {
        ListAttemptsRequest {
            owner: self.owner.clone(),
            subscription: self.subscription,
            after: self.read_from(),
            max: FOLLOWED_AT_ONCE_MAX,
        }
    }

    fn read_from(&self) -> AttemptCursor {
        let overlap = self.returned.last().map(|newest| before_all(newest.ended_at.minus(STORED_LATE_MAX)));
        overlap.map_or(self.floor, |overlap| overlap.max(self.floor))
    }

    /// Remembers an attempt; `false` if it was returned before.
    fn note(&mut self, attempt: AttemptCursor) -> bool {
        let is_new = self.returned.insert(attempt);
        if self.returned.len() > REMEMBERED_MAX {
            self.floor = self.returned.pop_first().unwrap_or(self.floor);
        }
        is_new
    }
}

/// The place before all attempts that end at this time or later.
pub(super) fn before_all(at: Timestamp) -> AttemptCursor {
    AttemptCursor { ended_at: at, delivery: DeliveryId::from_bytes([0; 16]), number: 0 }
}
