//! Calls that are dropped before they end: the call takes effect wholly or not at all, and later calls do not hang.

use std::sync::Arc;

use crate::SessionPorts;
use domain::Timestamp;
use domain::memory::unique_cause;

use super::sample::{Sample, end_all, find, list, open, open_all, record, used_at};
use crate::racing::{moments, not_held_up};
use crate::sample::{at, user};

/// A dropped opening stores the session and ends the one beyond the maximum, or does neither. A later one does not hang.
pub async fn a_cancelled_opening_is_whole_or_nothing(store: Arc<dyn SessionPorts>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let owner = user(&format!("round {round}"));
        let (old, new) = (Sample::opened(&owner, at(0)), Sample::opened(&owner, at(1)));
        open_all(&*store, std::slice::from_ref(&old)).await;
        drop_at.call(store.open(&new.session, &new.digest, 1, &unique_cause())).await;
        not_held_up(drop_at, async {
            let listed = list(&*store, &owner, at(1)).await;
            assert_eq!(listed.len(), 1, "the new session must replace the old one, or not, {drop_at}: {listed:#?}");
            let is_new = listed[0].id == new.id();
            let found = (find(&*store, &old).await.is_some(), find(&*store, &new).await.is_some());
            // If the list has the old session, the opening may still happen.
            assert!(!is_new || found == (false, true), "a listed session must be found alone, {drop_at}: {found:?}");
            open(&*store, &Sample::opened(&owner, at(2)), 1).await;
        })
        .await;
    }
}

/// A dropped end of all sessions ends every session or none. A later one does not hang.
pub async fn a_cancelled_end_of_all_is_whole_or_nothing(store: Arc<dyn SessionPorts>) {
    for (round, drop_at) in moments().into_iter().enumerate() {
        let owner = user(&format!("round {round}"));
        let samples: Vec<Sample> = (0..6).map(|_| Sample::of(&owner)).collect();
        open_all(&*store, &samples).await;
        drop_at.call(store.end_all(&owner, None, &unique_cause())).await;
        not_held_up(drop_at, async {
            let left = list(&*store, &owner, at(0)).await.len();
            assert!([0, 6].contains(&left), "every session must end, or none, {drop_at}, left {left}");
            end_all(&*store, &owner, None).await;
        })
        .await;
    }
}

/// A dropped batch of uses is written wholly or not at all. A later one does not hang.
pub async fn a_cancelled_batch_of_uses_is_whole_or_nothing(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let samples: Vec<Sample> = (0..20).map(|_| Sample::of(&owner)).collect();
    open_all(&*store, &samples).await;
    let batch = |millis| -> Vec<_> { samples.iter().map(|sample| used_at(sample, millis)).collect() };
    for (millis, drop_at) in (0..).step_by(2).zip(moments()) {
        drop_at.call(store.record_uses(&batch(millis))).await;
        not_held_up(drop_at, async {
            let mut seen: Vec<Timestamp> = list(&*store, &owner, at(0)).await.iter().map(|one| one.seen_at).collect();
            seen.dedup();
            assert_eq!(seen.len(), 1, "all uses of a dropped batch must be written, or none, {drop_at}: {seen:?}");
            record(&*store, &batch(millis + 1)).await;
        })
        .await;
    }
}
