//! Events that are to be announced.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::audit::{AuditAction, AuditEvent, AuditTarget};
use domain::ports::AuditLog;
use domain::{AuditId, OwnerId};

use super::AuditedStores;
use super::sample::{cause, event_of, expect_events, expect_seen, record_all, second};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Events that are to be announced are listed with every field, until they are marked. Others are never listed.
pub async fn events_are_listed_until_they_are_announced(stores: Arc<AuditedStores>) {
    let log = &*stores.audit;
    let announced: Vec<AuditEvent> = (1..4).map(|seconds| event_of(&user("alice"), second(seconds))).collect();
    let of_operator = event_of(&OwnerId::of_operator(), second(1));
    let read = cause(second(2)).data_read(&user("alice"), AuditTarget::Keys);
    record_all(log, &announced).await;
    record_all(log, &[of_operator, read]).await;
    assert_eq!(unannounced(log, 100).await, ids(&announced), "those of the actions that are announced");
    let found = log.list_unannounced(100).await.expect("a list must succeed");
    assert!(announced.iter().all(|event| found.contains(event)), "with every field, got {found:#?}");
    assert_eq!(unannounced(log, 2).await.len(), 2, "at most two may be listed");
    let unknown = event_of(&user("bob"), second(1));
    log.mark_announced(&[announced[1].clone(), unknown]).await.expect("events must be marked");
    let left = [announced[0].clone(), announced[2].clone()];
    assert_eq!(unannounced(log, 100).await, ids(&left), "those that are not marked must stay");
    log.mark_announced(&announced[..2]).await.expect("events must be marked");
    assert_eq!(unannounced(log, 100).await, ids(&announced[2..]), "those that are not marked must stay");
}

/// An event that is stored late, with an earlier time than announced events, is listed.
pub async fn an_event_that_is_stored_late_is_listed(stores: Arc<AuditedStores>) {
    let log = &*stores.audit;
    let events = [event_of(&user("alice"), second(9)), event_of(&user("alice"), second(1))];
    for event in &events {
        record_all(log, std::slice::from_ref(event)).await;
        assert_eq!(unannounced(log, 100).await, ids(std::slice::from_ref(event)), "it is the only new one");
        log.mark_announced(std::slice::from_ref(event)).await.expect("an event must be marked");
    }
    assert_eq!(unannounced(log, 100).await, BTreeSet::new(), "nothing is left");
}

/// Of events that may be stored already, the new ones are stored, and the others do not change.
pub async fn only_new_events_are_recorded(stores: Arc<AuditedStores>) {
    let log = &*stores.audit;
    let known = event_of(&user("alice"), at(0));
    let new = [event_of(&user("alice"), at(1)), event_of(&user("bob"), at(2))];
    record_all(log, std::slice::from_ref(&known)).await;
    log.mark_announced(std::slice::from_ref(&known)).await.expect("an event must be marked");
    let again = AuditEvent { action: AuditAction::KeyLeaked, ..known.clone() };
    for (events, recorded) in [(vec![again.clone(), new[0].clone(), new[1].clone()], 2), (vec![again], 0), (vec![], 0)]
    {
        assert_eq!(log.record_new(&events).await.expect("events must be recorded"), recorded, "what is new counts");
    }
    assert_eq!(unannounced(log, 100).await, ids(&new), "what was announced must stay so");
    expect_events(log, vec![known, new[0].clone(), new[1].clone()], "what is stored must not change").await;
    expect_seen(&stores).await;
}

/// Parallel calls store each event once, and together count it once.
pub async fn parallel_records_of_the_same_events_count_each_once(stores: Arc<AuditedStores>) {
    let events: Vec<AuditEvent> = (0..20).map(|number| event_of(&user("alice"), at(number))).collect();
    let calls = (0..8).map(|_| -> Call<u32> {
        let (stores, events) = (Arc::clone(&stores), events.clone());
        Box::pin(async move { stores.audit.record_new(&events).await.expect("events must be recorded") })
    });
    let counted: u32 = all_at_once(calls.collect()).await.into_iter().sum();
    assert_eq!(counted, 20, "each event must be counted once");
    expect_events(&*stores.audit, events, "each event must be stored once").await;
    expect_seen(&stores).await;
}

async fn unannounced(log: &dyn AuditLog, max: u32) -> BTreeSet<AuditId> {
    ids(&log.list_unannounced(max).await.expect("a list must succeed"))
}

fn ids(events: &[AuditEvent]) -> BTreeSet<AuditId> {
    events.iter().map(|event| event.id).collect()
}
