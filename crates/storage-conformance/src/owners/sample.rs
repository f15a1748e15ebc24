//! Sample records, and calls of the store.

use domain::audit::{AuditEvent, AuditFilter};
use domain::memory::unique_cause;
use domain::ports::{AuditLog, ChangeOwnerRequest, ChangedOwner, OwnerStore, SetOwnerStateRequest};
use domain::{
    MetadataPatch, OwnerChange, OwnerEmail, OwnerId, OwnerName, OwnerRecord, OwnerStateChange, Patch, RateLimit,
    SuspensionReason,
};

use crate::sample::at;

/// A change of every field.
pub(super) fn full_change() -> OwnerChange {
    let pairs = [("plan".to_owned(), Some("pro \"1\" ä".to_owned()))].into();
    OwnerChange {
        name: Patch::Set(name("Zoë & \u{10348} 'Co'")),
        email: Patch::Set(OwnerEmail::parse("It@acme.example").expect("a valid address")),
        metadata: MetadataPatch { replaces_all: false, pairs },
        max_active_keys: Patch::Set(3),
        max_subscriptions: Patch::Set(0),
        key_rate_limit: Patch::Set("1000000/h".parse().expect("a valid rate limit")),
        request_rate_limit: Patch::Set("1/s".parse().expect("a valid rate limit")),
        keeps_profile: false,
        seen_at: None,
    }
}

pub(super) fn name(text: &str) -> OwnerName {
    OwnerName::parse(text).expect("the sample's name is valid")
}

/// A change of the maximum of active keys.
pub(super) fn keys_max(max: Patch<u32>) -> OwnerChange {
    OwnerChange { max_active_keys: max, ..OwnerChange::default() }
}

/// A change of the rate limits.
pub(super) fn rates(key_rate_limit: Patch<RateLimit>, request_rate_limit: Patch<RateLimit>) -> OwnerChange {
    OwnerChange { key_rate_limit, request_rate_limit, ..OwnerChange::default() }
}

pub(super) fn suspend(reason: &str) -> OwnerStateChange {
    OwnerStateChange::Suspend { reason: SuspensionReason::parse(reason).ok() }
}

pub(super) async fn find(store: &dyn OwnerStore, owner: &OwnerId) -> OwnerRecord {
    store.find(owner).await.expect("a record must be found, or the default")
}

pub(super) async fn try_change(store: &dyn OwnerStore, owner: &OwnerId, change: OwnerChange) -> ChangedOwner {
    let request = ChangeOwnerRequest { owner: owner.clone(), change, cause: unique_cause() };
    store.change(&request).await.expect("a change must succeed or be refused as a value")
}

pub(super) async fn change(store: &dyn OwnerStore, owner: &OwnerId, change: OwnerChange) -> OwnerRecord {
    match try_change(store, owner, change).await {
        ChangedOwner::Changed(record) => *record,
        ChangedOwner::Refused(invalid) => panic!("a valid change must be taken, got {invalid}"),
    }
}

pub(super) async fn set_state(
    store: &dyn OwnerStore,
    owner: &OwnerId,
    state: OwnerStateChange,
    millis: i64,
) -> OwnerRecord {
    let request = SetOwnerStateRequest { owner: owner.clone(), state, at: at(millis), cause: unique_cause() };
    store.set_state(&request).await.expect("a change of the state must succeed")
}

/// The events about the owner, the newest first.
pub(super) async fn events(log: &dyn AuditLog, owner: &OwnerId) -> Vec<AuditEvent> {
    let filter = AuditFilter { owner: Some(owner.clone()), ..AuditFilter::default() };
    log.list(&filter, None, 100).await.expect("a list of events must succeed").events
}
