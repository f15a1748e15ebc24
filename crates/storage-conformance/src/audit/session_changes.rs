//! Changes of sessions.

use std::sync::Arc;

use domain::audit::{AuditAction, AuditTarget};
use domain::ports::Retained;

use super::AuditedStores;
use super::sample::{all, cause, expect_events, expect_no_more, second};
use crate::sample::user;
use crate::sessions::sample::{NO_MAXIMUM, Sample};

/// An opening, the ends that it causes, an end and an end of all leave the events of their cause.
pub async fn changes_of_sessions_leave_their_events(stores: Arc<AuditedStores>) {
    let alice = user("alice");
    let samples: Vec<Sample> = (1..5).map(|seconds| Sample::opened(&alice, second(seconds))).collect();
    let mut expected = Vec::new();
    for (sample, surplus) in samples.iter().zip([None, None, Some(samples[0].id()), None]) {
        let (max, by) = (if surplus.is_some() { 2 } else { NO_MAXIMUM }, cause(sample.session.created_at));
        stores.sessions.open(&sample.session, &sample.digest, max, &by).await.expect("an opening succeeds");
        expected.extend(by.session_opened(&sample.session, surplus));
    }
    let by = cause(second(6));
    stores.sessions.end(&alice, samples[1].id(), &by).await.expect("an end succeeds");
    expected.extend(by.sessions_ended(&alice, [samples[1].id()]));
    expect_events(&*stores.audit, expected.clone(), "each session that opens or ends must leave an event").await;

    let by = cause(second(7));
    stores.sessions.end_all(&alice, None, &by).await.expect("an end of all succeeds");
    let ours: Vec<_> = all(&*stores.audit).await.into_iter().filter(|event| event.at() == second(7)).collect();
    assert_eq!(ours.len(), 2, "each session that ends must leave an event, got {ours:#?}");
    for sample in &samples[2..] {
        let is_it = |target: AuditTarget| target == AuditTarget::Session(sample.id());
        let event = ours.iter().find(|event| is_it(event.target)).expect("each ended session must be named");
        assert_eq!((event.action, &event.origin), (AuditAction::SessionEnded, &by.origin), "by whom");
    }
}

/// An end that finds no session, a duplicate and a purge leave no event.
pub async fn calls_that_change_no_session_leave_no_event(stores: Arc<AuditedStores>) {
    let (alice, mallory) = (user("alice"), user("mallory"));
    let sample = Sample::of(&alice);
    let sessions = &stores.sessions;
    sessions.open(&sample.session, &sample.digest, 2, &cause(second(1))).await.expect("an opening succeeds");
    let again = sessions.open(&sample.session, &sample.digest, 2, &cause(second(2))).await;
    assert!(again.is_err(), "the id is stored");
    expect_no_more(&stores, 1, "a duplicate").await;
    for (owner, id) in [(&mallory, sample.id()), (&alice, Sample::of(&alice).id())] {
        let ended = sessions.end(owner, id, &cause(second(3))).await.expect("an end succeeds");
        assert_eq!(ended, None, "there is no such session");
    }
    expect_no_more(&stores, 1, "an end that finds no session").await;
    for (owner, kept) in [(&mallory, None), (&alice, Some(sample.id()))] {
        let ended = sessions.end_all(owner, kept, &cause(second(3))).await.expect("an end of all succeeds");
        assert_eq!(ended, [], "there is nothing to end");
    }
    sessions.purge(Retained::Sessions, second(10_000_000), 10).await.expect("a purge succeeds");
    expect_no_more(&stores, 1, "an end of no session, and a purge").await;
}
