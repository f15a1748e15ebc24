use std::sync::Arc;
use std::time::Duration;

use crate::audit::{Cause, Origin};
use crate::ports::{
    AuditLog, ChangeOwnerRequest, Clock, Entropy, ListOwnersRequest, OwnerStore, SetOwnerStateRequest, StoreError,
};
use crate::{
    FoundOwner, ListedOwner, OwnerChange, OwnerId, OwnerKind, OwnerPlace, OwnerRecord, OwnerStateChange,
    SuspensionReason, Timestamp,
};

const DAY: Duration = Duration::from_hours(24);
/// The first notice comes this long before the suspension.
const FIRST_NOTICE: Duration = Duration::from_hours(14 * 24);
/// The second notice comes this long before the suspension. A first notice that is late delays the suspension, so that at
/// least this time remains.
const LAST_NOTICE: Duration = Duration::from_hours(3 * 24);
/// The maximum number of owners in one read.
const OWNERS_AT_ONCE_MAX: u32 = 200;

/// Announces and makes suspensions of users who have not signed in for [`days_max`](Self::days_max) days. See decision 141.
///
/// Days count from the last sign-in, or from the first round that reads the user.
#[derive(Clone)]
pub struct Absences {
    /// The records.
    pub store: Arc<dyn OwnerStore>,
    /// Stores the second notices.
    pub audit: Arc<dyn AuditLog>,
    /// The provider whose users sign in.
    pub issuer: String,
    /// The number of days without a sign-in, more than the 14 of the first notice.
    pub days_max: u16,
    /// The subjects of users who are never suspended.
    pub exempt: Vec<String>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Makes the ids of events.
    pub entropy: Arc<dyn Entropy>,
}

/// The result of one step of a round.
#[derive(Debug)]
pub struct LookedForAbsences {
    /// The place at which the next step continues; `None` at the end of a round.
    pub next: Option<OwnerPlace>,
    /// The first failure for one user. The next round tries again.
    pub failure: Option<StoreError>,
}

impl Absences {
    /// Checks the next users after `after`. Each notice is recorded once, also if several instances run rounds. A user is
    /// suspended three days after the first notice at the earliest, also after the setting or the service was off.
    ///
    /// # Errors
    ///
    /// If the users cannot be read.
    pub async fn look(&self, after: Option<OwnerPlace>) -> Result<LookedForAbsences, StoreError> {
        let now = self.clock.now();
        let request = ListOwnersRequest {
            issuer: self.issuer.clone(),
            query: None,
            is_suspended: Some(false),
            after,
            max: OWNERS_AT_ONCE_MAX,
            at: now,
        };
        let page = self.store.list(&request).await?;
        let mut failure = None;
        for ListedOwner { found: FoundOwner { owner, record, .. }, .. } in page.owners {
            let is_exempt = self.exempt.iter().any(|subject| subject == owner.subject());
            if owner.kind() == OwnerKind::User && !is_exempt {
                failure = failure.or(self.look_at(owner, &record, now).await.err());
            }
        }
        Ok(LookedForAbsences { next: page.next, failure })
    }

    async fn look_at(&self, user: OwnerId, record: &OwnerRecord, now: Timestamp) -> Result<(), StoreError> {
        let Some(seen_at) = record.seen_at else { return self.begin(user, now).await };
        let due_at = seen_at.plus(DAY * u32::from(self.days_max));
        let suspends_at = match record.suspends_at {
            None if now < due_at.minus(FIRST_NOTICE) => return Ok(()),
            Some(suspends_at) if suspends_at >= due_at && suspends_at.plus(DAY) >= now => suspends_at,
            // The announced time is too early since the number of days was raised, or it passed while no round was made and
            // no sign-in was noted.
            Some(_) | None => {
                let suspends_at = due_at.max(now.plus(LAST_NOTICE));
                return self
                    .set_state(user, OwnerStateChange::AnnounceAbsence { seen_until: seen_at, suspends_at })
                    .await;
            }
        };
        if suspends_at <= now {
            let reason = SuspensionReason::parse(&format!("not signed in for {} days", self.days_max));
            let reason = reason.expect("a short text without control characters");
            return self.set_state(user, OwnerStateChange::SuspendAbsent { reason }).await;
        }
        let notice_at = suspends_at.minus(LAST_NOTICE);
        // At most a day late, so that no notice is repeated after the audit log has deleted it, which is a day later at least.
        // An announcement that came late is not repeated.
        if suspends_at == due_at && (notice_at..notice_at.plus(DAY)).contains(&now) {
            let notice = Cause::of_notice_to(&user, notice_at).owner_suspending(&user, suspends_at);
            self.audit.record_new(&[notice]).await?;
        }
        Ok(())
    }

    async fn begin(&self, owner: OwnerId, now: Timestamp) -> Result<(), StoreError> {
        let change = OwnerChange { seen_at: Some(now), ..OwnerChange::default() };
        self.store.change(&ChangeOwnerRequest { owner, change, cause: self.cause(now) }).await.map(drop)
    }

    async fn set_state(&self, owner: OwnerId, state: OwnerStateChange) -> Result<(), StoreError> {
        let at = self.clock.now();
        let request = SetOwnerStateRequest { owner, state, at, cause: self.cause(at) };
        self.store.set_state(&request).await.map(drop)
    }

    fn cause(&self, now: Timestamp) -> Cause {
        Cause::new(&Origin::SERVICE, now, &*self.entropy)
    }
}

#[cfg(test)]
mod tests {
    use pollster::block_on;

    use super::*;
    use crate::audit::{AuditAction, AuditFilter};
    use crate::memory::{ManualClock, MemoryAuditLog, MemoryOwnerStore, MemoryOwners, SeededEntropy};
    use crate::{OwnerRecord, OwnerStateChange, SuspendedBy};

    const ISSUER: &str = "https://id.example";

    struct Office {
        log: MemoryAuditLog,
        clock: Arc<ManualClock>,
        absences: Absences,
    }

    impl Office {
        fn new(days_max: u16) -> Self {
            let now = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
            let (log, clock) = (MemoryAuditLog::default(), Arc::new(ManualClock::new(now)));
            let absences = Absences {
                store: Arc::new(MemoryOwnerStore::of(MemoryOwners::default()).writing_to(log.clone())),
                audit: Arc::new(log.clone()),
                issuer: ISSUER.to_owned(),
                days_max,
                exempt: vec!["root".to_owned()],
                clock: clock.clone(),
                entropy: Arc::new(SeededEntropy::new(1)),
            };
            Self { log, clock, absences }
        }

        fn sign_in(&self, user: &OwnerId) {
            block_on(self.absences.begin(user.clone(), self.clock.now())).unwrap();
        }

        fn record(&self, owner: &OwnerId) -> OwnerRecord {
            block_on(self.absences.store.find(owner)).unwrap()
        }

        /// Two instances run a round every 6 hours, for this number of days.
        fn pass(&self, days: u32) {
            for _ in 0..days * 4 {
                self.clock.advance(Duration::from_hours(6));
                for _ in 0..2 {
                    self.round();
                }
            }
        }

        fn round(&self) {
            let mut looked = block_on(self.absences.look(None)).unwrap();
            while looked.failure.is_none() && looked.next.is_some() {
                looked = block_on(self.absences.look(looked.next)).unwrap();
            }
            assert!(looked.failure.is_none(), "{looked:?}");
        }

        fn set_state(&self, owner: &OwnerId, state: OwnerStateChange) {
            block_on(self.absences.set_state(owner.clone(), state)).unwrap();
        }

        /// The actions of the log about this owner, each with its day.
        fn told(&self, owner: &OwnerId, since: Timestamp) -> Vec<(AuditAction, u64)> {
            let filter = AuditFilter { owner: Some(owner.clone()), ..AuditFilter::default() };
            let page = block_on(self.log.list(&filter, None, 100)).unwrap();
            let day = |at: Timestamp| at.since(since).as_secs() / DAY.as_secs();
            page.events.iter().rev().map(|event| (event.action, day(event.at()))).collect()
        }
    }

    #[test]
    fn who_stays_away_is_told_twice_and_suspended() {
        let office = Office::new(90);
        let start = office.clock.now();
        let [alice, bob] = ["alice", "bob"].map(|subject| OwnerId::new(ISSUER, subject).unwrap());
        office.sign_in(&alice);
        office.sign_in(&bob);
        office.pass(80);
        office.sign_in(&bob);
        office.pass(20);
        let suspending = AuditAction::OwnerSuspending;
        assert_eq!(
            office.told(&alice, start),
            [(suspending, 76), (suspending, 87), (AuditAction::OwnerSuspended, 90)],
            "each once, however many instances look"
        );
        let suspension = office.record(&alice).suspension.expect("a suspension");
        assert_eq!(suspension.reason.as_ref().map(SuspensionReason::as_str), Some("not signed in for 90 days"));
        assert_eq!(suspension.by, SuspendedBy::Host);
        assert_eq!(office.told(&bob, start), [(suspending, 76)]);
        assert_eq!(office.record(&bob).suspension, None, "bob has signed in");

        office.set_state(&alice, OwnerStateChange::Activate);
        office.pass(80);
        assert_eq!(office.record(&alice).suspension, None, "the count has begun again");
        office.pass(11);
        assert!(office.record(&alice).suspension.is_some());
    }

    #[test]
    fn users_of_before_count_from_the_first_round_on_and_organizations_never() {
        let office = Office::new(30);
        let start = office.clock.now();
        let [old, root] = ["old", "root"].map(|subject| OwnerId::new(ISSUER, subject).unwrap());
        let acme = OwnerId::organization(ISSUER, "acme").unwrap();
        for owner in [&old, &root, &acme] {
            let change = OwnerChange { max_active_keys: crate::Patch::Set(1), ..OwnerChange::default() };
            let cause = office.absences.cause(office.clock.now());
            let request = ChangeOwnerRequest { owner: owner.clone(), change, cause };
            block_on(office.absences.store.change(&request)).unwrap();
        }
        office.pass(1);
        assert!(office.record(&old).seen_at.is_some(), "the count begins");
        office.pass(40);
        let is_suspended = |owner| office.record(owner).suspension.is_some();
        assert_eq!([&old, &root, &acme].map(is_suspended), [true, false, false]);
        assert_eq!([&root, &acme].map(|owner| office.record(owner).seen_at), [None, None]);
        assert_eq!(office.told(&old, start).last(), Some(&(AuditAction::OwnerSuspended, 30)));
    }

    #[test]
    fn another_number_of_days_changes_an_announced_time() {
        let mut office = Office::new(30);
        let (start, alice) = (office.clock.now(), OwnerId::new(ISSUER, "alice").unwrap());
        let suspending = AuditAction::OwnerSuspending;
        office.sign_in(&alice);
        office.pass(20);
        office.absences.days_max = 60;
        office.pass(1);
        assert_eq!(office.record(&alice).suspends_at, Some(start.plus(60 * DAY)));
        assert_eq!(
            office.told(&alice, start),
            [(suspending, 16), (suspending, 20)],
            "announced again with another time"
        );
        office.absences.days_max = 40;
        office.pass(18);
        assert_eq!(office.record(&alice).suspension, None, "what is announced holds");
        office.pass(25);
        let expected = [(suspending, 16), (suspending, 20), (AuditAction::OwnerSuspended, 60)];
        assert_eq!(office.told(&alice, start), expected);
    }

    #[test]
    fn nobody_is_suspended_without_a_notice_of_three_days() {
        let office = Office::new(30);
        let start = office.clock.now();
        let [alice, bob] = ["alice", "bob"].map(|subject| OwnerId::new(ISSUER, subject).unwrap());
        let suspending = AuditAction::OwnerSuspending;
        office.sign_in(&alice);
        // The setting was off, or the service was down.
        office.clock.advance(50 * DAY);
        office.sign_in(&bob);
        office.pass(1);
        assert_eq!(office.told(&alice, start), [(suspending, 50)]);
        office.pass(2);
        assert_eq!(office.record(&alice).suspension, None);
        office.pass(1);
        assert_eq!(office.told(&alice, start), [(suspending, 50), (AuditAction::OwnerSuspended, 53)]);

        office.pass(13);
        assert_eq!(office.told(&bob, start), [(suspending, 66)]);
        office.clock.advance(50 * DAY);
        office.pass(1);
        assert_eq!(
            office.told(&bob, start),
            [(suspending, 66), (suspending, 117)],
            "the announced time has long passed"
        );
        office.sign_in(&bob);
        office.pass(10);
        assert_eq!(office.record(&bob).suspension, None);
        office.pass(7);
        assert_eq!(office.told(&bob, start).len(), 3, "bob stays away again: {:?}", office.told(&bob, start));
        office.set_state(&bob, OwnerStateChange::Activate);
        office.pass(15);
        assert_eq!(office.told(&bob, start).len(), 3, "the host keeps bob");
    }
}
