use async_trait::async_trait;
use domain::audit::Cause;
use domain::memory::{MemoryAuditLog, MemoryChangeFeed, MemoryOwnerStore, unique_cause};
use domain::ports::{
    AuditLog, ChangeOwnerRequest, ChangedOwner, EraseRequest, Erasure, ListOwnersRequest, OwnerStore,
    SetOwnerStateRequest, StoreError,
};
use domain::{FoundBy, OwnerChange, OwnerCounts, OwnerId, OwnerPage, OwnerRecord, OwnerStateChange, Patch, Timestamp};
use tokio::task::yield_now;

/// What is wrong with the records, or with the stores that obey them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    LosesEmail,
    /// The rate limit of calls is not stored.
    LosesRequestRates,
    /// An organization has the record of the user with its id.
    IgnoresOrganizations,
    /// A suspended owner stays suspended.
    KeepsTheState,
    WritesWhatItRefuses,
    /// Two changes at once both begin with the same record.
    ReadsThenWrites,
    /// A repetition leaves an event.
    RecordsRepetitions,
    ForgetsSignIns,
    /// A user who has just signed in is suspended as absent.
    SuspendsWhoIsThere,
    IgnoresLimitsOfKeys,
    IgnoresLimitsOfSubscriptions,
    ForgetsSessions,
    /// The host ends every suspension.
    ForgetsTheProvider,
    ReportsNothing,
    ReportsRepetitions,
    /// A new name is reported to the feed.
    ReportsNames,
    SendsForSuspended,
    FindsByIdOnly,
    ListsRecordsOnly,
    CountsNothing,
    IgnoresTheState,
    /// The last owner of a page but the first is missing.
    SkipsAPlace,
    /// The days of a suspension are days of failure.
    CountsTheRest,
    /// An erasure ends with its first part.
    EndsErasureTooEarly,
    /// An erasure goes on after its end.
    ErasesAgain,
    /// Sessions outlive their owner.
    KeepsSessions,
    /// Subscriptions and their deliveries outlive their owner.
    KeepsLanes,
}

type Answer<T> = Result<T, StoreError>;

/// Records that are right but for one fault.
pub(crate) struct FaultyOwners {
    pub(crate) fault: Fault,
    pub(crate) records: MemoryOwnerStore,
    pub(crate) log: MemoryAuditLog,
    pub(crate) feed: MemoryChangeFeed,
}

impl FaultyOwners {
    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn owner(&self, owner: &OwnerId) -> OwnerId {
        match owner.organization_id() {
            Some(id) if self.is(Fault::IgnoresOrganizations) => owner.fellow(id).expect("the id is valid"),
            _ => owner.clone(),
        }
    }

    /// The change without what the fault loses, by a record that another call may change in between.
    async fn change_of(&self, request: &ChangeOwnerRequest) -> OwnerChange {
        let mut change = request.change.clone();
        match self.fault {
            Fault::LosesEmail => change.email = Patch::Keep,
            Fault::LosesRequestRates => change.request_rate_limit = Patch::Keep,
            Fault::ForgetsSignIns => change.seen_at = None,
            _ => {}
        }
        if self.is(Fault::ReadsThenWrites)
            && let Ok(before) = self.records.find(&request.owner).await
            && let Ok(after) = change.apply_to(&before)
        {
            for _ in 0..20 {
                yield_now().await;
            }
            let whole = |pairs: OwnerRecord| pairs.metadata.pairs().clone();
            change.metadata.pairs = whole(after).into_iter().map(|(name, value)| (name, Some(value))).collect();
            change.metadata.replaces_all = true;
        }
        change
    }
}

#[async_trait]
impl OwnerStore for FaultyOwners {
    async fn find(&self, owner: &OwnerId) -> Answer<OwnerRecord> {
        self.records.find(&self.owner(owner)).await
    }

    async fn change(&self, request: &ChangeOwnerRequest) -> Answer<ChangedOwner> {
        let request = ChangeOwnerRequest {
            owner: self.owner(&request.owner),
            change: self.change_of(request).await,
            cause: request.cause.clone(),
        };
        let answer = self.records.change(&request).await;
        if self.is(Fault::WritesWhatItRefuses) && matches!(answer, Ok(ChangedOwner::Refused(_))) {
            let change = OwnerChange { name: request.change.name.clone(), ..OwnerChange::default() };
            self.records.change(&ChangeOwnerRequest { change, ..request.clone() }).await?;
        }
        if self.is(Fault::ReportsNames) && request.change.name != Patch::Keep {
            let key_rate_limit = Patch::Set("5/s".parse().expect("a valid rate limit"));
            let change = OwnerChange { key_rate_limit, ..OwnerChange::default() };
            let again = MemoryOwnerStore::default().reporting_to(self.feed.clone());
            again.change(&ChangeOwnerRequest { change, ..request }).await?;
        }
        answer
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Answer<OwnerRecord> {
        if self.is(Fault::KeepsTheState) && request.state == OwnerStateChange::Activate {
            return self.records.find(&request.owner).await;
        }
        let before = self.records.find(&request.owner).await?;
        let mut request = request.clone();
        if let (OwnerStateChange::SuspendAbsent { reason }, true) = (&request.state, self.is(Fault::SuspendsWhoIsThere))
        {
            request.state = OwnerStateChange::Suspend { reason: Some(reason.clone()) };
        }
        let request = &request;
        let mut after = self.records.set_state(request).await?;
        if self.is(Fault::ForgetsTheProvider) && request.state == OwnerStateChange::Activate {
            let state = OwnerStateChange::ByProvider { deactivates: false };
            after = self.records.set_state(&SetOwnerStateRequest { state, ..request.clone() }).await?;
        }
        if before == after && self.is(Fault::RecordsRepetitions) {
            let nothing = OwnerRecord::default();
            let event = unique_cause().owner_changed(&request.owner, &nothing, &before);
            let event = event.or_else(|| {
                let suspended = OwnerStateChange::Suspend { reason: None }.apply_to(&before, request.at);
                unique_cause().owner_changed(&request.owner, &suspended, &before)
            });
            self.log.record_new(event.as_slice()).await?;
        }
        if before == after && self.is(Fault::ReportsRepetitions) {
            // Two changes that undo each other are reported both.
            let (undone, at) = (OwnerStateChange::Suspend { reason: None }, request.at);
            let again = MemoryOwnerStore::default().reporting_to(self.feed.clone());
            again.set_state(&SetOwnerStateRequest { state: undone, at, ..request.clone() }).await?;
        }
        Ok(after)
    }

    async fn list(&self, request: &ListOwnersRequest) -> Answer<OwnerPage> {
        let mut request = request.clone();
        if self.is(Fault::IgnoresTheState) {
            request.is_suspended = None;
        }
        let mut page = self.records.list(&request).await?;
        if self.is(Fault::SkipsAPlace) && request.after.is_some() {
            page.owners.truncate(1);
        }
        page.owners.retain(|one| match self.fault {
            Fault::FindsByIdOnly => one.found.place.by <= FoundBy::Id,
            Fault::ListsRecordsOnly => one.found.record != OwnerRecord::default(),
            _ => true,
        });
        if self.is(Fault::CountsNothing) {
            page.owners.iter_mut().for_each(|one| one.counts = OwnerCounts::default());
        }
        Ok(page)
    }
}

#[async_trait]
impl Erasure for FaultyOwners {
    async fn erasing(&self, max: u32) -> Answer<Vec<OwnerId>> {
        self.records.erasing(max).await
    }

    async fn erase(&self, request: &EraseRequest) -> Answer<u32> {
        if self.is(Fault::ErasesAgain) && request.at > request.settled {
            let state = SetOwnerStateRequest {
                owner: request.owner.clone(),
                state: OwnerStateChange::Erase,
                at: request.at,
                cause: unique_cause(),
            };
            self.records.set_state(&state).await?;
        }
        self.records.erase(request).await
    }

    async fn finish_erasure(&self, owner: &OwnerId, cause: &Cause) -> Answer<bool> {
        if self.is(Fault::EndsErasureTooEarly) {
            let (owner, state, at) = (owner.clone(), OwnerStateChange::Activate, Timestamp::MIN);
            self.records.set_state(&SetOwnerStateRequest { owner, state, at, cause: cause.clone() }).await?;
            return Ok(true);
        }
        self.records.finish_erasure(owner, cause).await
    }
}
