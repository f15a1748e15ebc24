//! The records of owners come back, and no change is lost.

use std::sync::Arc;

use domain::audit::{AuditAction, AuditTarget};
use domain::ports::ChangedOwner;
use domain::{
    InvalidMetadata, MetadataPatch, OwnerChange, OwnerRates, OwnerRecord, OwnerStateChange, Patch, SuspensionReason,
};

use super::OwnedStores;
use super::sample::{change, events, find, full_change, keys_max, name, rates, set_state, suspend, try_change};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user, user_of};

/// A change sets the fields that it has, and every field comes back byte for byte, to the millisecond. An unknown owner has
/// the default record, and so has the organization with the id of a user.
pub async fn every_field_of_a_record_comes_back(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    let others = [user_of("organization:https://id.example", "alice"), user("Alice"), user("bob")];
    assert_eq!(find(&*stores.owners, &owner).await, OwnerRecord::default(), "of an unknown owner");
    let mut expected = full_change().apply_to(&OwnerRecord::default()).expect("a valid change");
    assert_eq!(change(&*stores.owners, &owner, full_change()).await, expected, "the answer is the changed record");
    assert_eq!(find(&*stores.owners, &owner).await, expected, "every field must come back");

    expected = suspend("unpaid: \u{10348}").apply_to(&expected, at(7));
    let suspended = set_state(&*stores.owners, &owner, suspend("unpaid: \u{10348}"), 7).await;
    assert_eq!((suspended, find(&*stores.owners, &owner).await), (expected.clone(), expected.clone()), "the state too");
    let again = set_state(&*stores.owners, &owner, suspend("another"), 8).await;
    assert_eq!((&again, &find(&*stores.owners, &owner).await), (&expected, &expected), "the first time stays");
    let nothing = change(&*stores.owners, &owner, OwnerChange::default()).await;
    assert_eq!(nothing, expected, "what a change does not have must stay");
    let profile = OwnerChange { name: Patch::Set(name("another")), keeps_profile: true, ..OwnerChange::default() };
    assert_eq!(change(&*stores.owners, &owner, profile).await, expected, "a profile must change no name that is there");
    for other in &others {
        assert_eq!(find(&*stores.owners, other).await, OwnerRecord::default(), "another owner must not change");
    }
}

/// After every field has its default again, only the end of the last suspension is left.
pub async fn a_record_can_have_its_defaults_again(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    for round in 0..2 {
        change(&*stores.owners, &owner, full_change()).await;
        set_state(&*stores.owners, &owner, suspend("unpaid"), round).await;
        let reset = OwnerChange {
            name: Patch::Reset,
            email: Patch::Reset,
            metadata: MetadataPatch { replaces_all: true, ..MetadataPatch::default() },
            max_active_keys: Patch::Reset,
            max_subscriptions: Patch::Reset,
            key_rate_limit: Patch::Reset,
            request_rate_limit: Patch::Reset,
            keeps_profile: false,
            seen_at: None,
        };
        let record = change(&*stores.owners, &owner, reset).await;
        assert!(record.suspension.is_some(), "a change of the record must keep the state");
        let active = set_state(&*stores.owners, &owner, OwnerStateChange::Activate, round).await;
        let expected = OwnerRecord { rested_until: Some(at(round)), ..OwnerRecord::default() };
        assert_eq!((&active, &find(&*stores.owners, &owner).await), (&expected, &expected), "only the end is left");
    }
}

/// A change that would break a limit of the metadata changes nothing, also of the other fields.
pub async fn a_refused_change_of_a_record_changes_nothing(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    let before = change(&*stores.owners, &owner, full_change()).await;
    let pairs = (0..16).map(|number| (number.to_string(), Some("v".to_owned()))).collect();
    let too_many = OwnerChange {
        name: Patch::Set(name("another")),
        metadata: MetadataPatch { replaces_all: false, pairs },
        ..OwnerChange::default()
    };
    let refused = try_change(&*stores.owners, &owner, too_many).await;
    assert_eq!(refused, ChangedOwner::Refused(InvalidMetadata::TooMany), "with the name before there are 17");
    assert_eq!(find(&*stores.owners, &owner).await, before, "a refused change must change nothing");
    assert_eq!(events(&*stores.audit, &owner).await.len(), 1, "a refused change must leave no event");
}

/// Of parallel changes of different fields and of the state, none is lost.
pub async fn parallel_changes_of_a_record_are_all_kept(stores: Arc<OwnedStores>) {
    for round in 0..8 {
        let owner = user(&format!("round {round}"));
        let mut calls: Vec<Call<()>> = Vec::new();
        let mut parts = vec![
            OwnerChange { name: Patch::Set(name("Acme")), ..OwnerChange::default() },
            keys_max(Patch::Set(5)),
            OwnerChange { max_subscriptions: Patch::Set(6), ..OwnerChange::default() },
            rates(Patch::Set("5/s".parse().expect("a valid rate limit")), Patch::Keep),
            rates(Patch::Keep, Patch::Set("6/m".parse().expect("a valid rate limit"))),
        ];
        parts.extend((0..8).map(|number| {
            let pairs = [(format!("n{number}"), Some("v".to_owned()))].into();
            OwnerChange { metadata: MetadataPatch { replaces_all: false, pairs }, ..OwnerChange::default() }
        }));
        for part in parts {
            let (stores, owner) = (Arc::clone(&stores), owner.clone());
            calls.push(Box::pin(async move { drop(change(&*stores.owners, &owner, part).await) }));
        }
        let (suspending, suspended) = (Arc::clone(&stores), owner.clone());
        calls.push(Box::pin(async move { drop(set_state(&*suspending.owners, &suspended, suspend("x"), 1).await) }));
        all_at_once(calls).await;
        let record = find(&*stores.owners, &owner).await;
        assert_eq!(record.metadata.pairs().len(), 8, "every name must be kept: {record:?}");
        let limits = (record.limits.max_active_keys, record.limits.max_subscriptions);
        assert_eq!((limits, record.name), ((Some(5), Some(6)), Some(name("Acme"))), "every field must be kept");
        let expected = OwnerRates { key_rate_limit: "5/s".parse().ok(), request_rate_limit: "6/m".parse().ok() };
        assert_eq!(record.rates, expected, "both rate limits must be kept");
        assert!(record.suspension.is_some(), "the state must be kept");
    }
}

/// A sign-in is stored without an event, also for a user without other fields. The announcement of a suspension leaves an
/// event, and a sign-in takes it back, also concurrently with the suspension.
pub async fn who_signs_in_is_not_suspended_as_absent(stores: Arc<OwnedStores>) {
    let seen = |millis| OwnerChange { seen_at: Some(at(millis)), ..OwnerChange::default() };
    let reason = SuspensionReason::parse("not signed in for 90 days").expect("a valid reason");
    let absent = || OwnerStateChange::SuspendAbsent { reason: reason.clone() };
    let announce = |seen_until| OwnerStateChange::AnnounceAbsence { seen_until: at(seen_until), suspends_at: at(100) };
    let owner = user("alice");
    for state in [announce(90), absent()] {
        let never = set_state(&*stores.owners, &owner, state, 200).await;
        assert_eq!(never, OwnerRecord::default(), "a user without a recorded sign-in must stay active");
    }
    let mut expected = OwnerRecord { seen_at: Some(at(20)), ..OwnerRecord::default() };
    for millis in [10, 20, 15] {
        change(&*stores.owners, &owner, seen(millis)).await;
    }
    assert_eq!(find(&*stores.owners, &owner).await, expected, "the last sign-in must come back");
    assert_eq!(events(&*stores.audit, &owner).await, [], "a sign-in must leave no event");
    for _ in 0..2 {
        set_state(&*stores.owners, &owner, announce(20), 50).await;
    }
    expected.suspends_at = Some(at(100));
    assert_eq!(find(&*stores.owners, &owner).await, expected, "the announced time must come back");
    let waiting = set_state(&*stores.owners, &owner, absent(), 99).await;
    assert_eq!(waiting, expected, "the suspension must wait for the announced time");
    for round in 0..8 {
        let racing = user(&format!("racing {round}"));
        change(&*stores.owners, &racing, seen(1)).await;
        set_state(&*stores.owners, &racing, announce(1), 50).await;
        let (one, other) = ((Arc::clone(&stores), racing.clone()), (Arc::clone(&stores), racing.clone()));
        let (sign_in, suspension) = (seen(90), absent());
        let calls: [Call<()>; 2] = [
            Box::pin(async move { drop(change(&*one.0.owners, &one.1, sign_in).await) }),
            Box::pin(async move { drop(set_state(&*other.0.owners, &other.1, suspension, 200).await) }),
        ];
        all_at_once(calls.into()).await;
        let record = find(&*stores.owners, &racing).await;
        let was_first = record.seen_at == Some(at(90));
        assert_ne!(was_first, record.suspension.is_some(), "the first of the two calls must decide: {record:?}");
    }
    let suspended = set_state(&*stores.owners, &owner, absent(), 100).await;
    assert_eq!(suspended.suspension.as_ref().and_then(|now| now.reason.clone()), Some(reason.clone()), "{suspended:?}");
    let events = events(&*stores.audit, &owner).await;
    let actions: Vec<AuditAction> = events.iter().map(|event| event.action).collect();
    assert_eq!(actions, [AuditAction::OwnerSuspended, AuditAction::OwnerSuspending], "each must leave its event once");
}

/// A call that changes the record leaves one event, which names the change. A call that changes nothing leaves none.
pub async fn changes_of_records_leave_their_events(stores: Arc<OwnedStores>) {
    let owner = user("alice");
    for _ in 0..2 {
        change(&*stores.owners, &owner, full_change()).await;
    }
    for millis in 0..2 {
        set_state(&*stores.owners, &owner, suspend("unpaid"), millis).await;
    }
    for millis in 2..4 {
        set_state(&*stores.owners, &owner, OwnerStateChange::Activate, millis).await;
    }
    let events = events(&*stores.audit, &owner).await;
    let actions: Vec<AuditAction> = events.iter().map(|event| event.action).collect();
    let expected = [AuditAction::OwnerActivated, AuditAction::OwnerSuspended, AuditAction::OwnerChanged];
    assert_eq!(actions, expected, "each change must leave one event, and a repetition none");
    assert!(events.iter().all(|event| event.target == AuditTarget::Owner), "the target is the owner");
    let fields: Vec<&str> = events[1].changes.iter().map(|change| change.field.as_str()).collect();
    assert_eq!(fields, ["status", "reason"], "the event names what changed");
}
