//! Lists of sessions.

use std::sync::Arc;

use crate::SessionPorts;
use domain::SessionId;

use super::sample::{Sample, end, idle_max, list, open_all};
use crate::sample::{at, user};

/// A list has the owner's sessions that are good at its instant, to the millisecond, newest first: by `created_at`, then
/// by id.
pub async fn lists_show_good_sessions_newest_first(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let now = idle_max() + 5_000;
    let mut good = vec![
        Sample::opened(&owner, at(0)).seen(at(5_001)),
        Sample::opened(&owner, at(7)).seen(at(now)),
        Sample::opened(&owner, at(7)).seen(at(6_000)),
        Sample::opened(&owner, at(3)).seen(at(now)).expiring(at(now + 1)),
        Sample::opened(&owner, at(now + 9)),
    ];
    let ended = [
        Sample::opened(&owner, at(0)).seen(at(5_000)),
        Sample::opened(&owner, at(7)).seen(at(now)).expiring(at(now)),
        Sample::opened(&owner, at(9)).seen(at(0)).expiring(at(0)),
    ];
    open_all(&*store, &good).await;
    open_all(&*store, &ended).await;
    open_all(&*store, &[Sample::opened(&user("bob"), at(now))]).await;
    good.sort_by_key(|sample| std::cmp::Reverse((sample.session.created_at, sample.id())));
    let expected: Vec<_> = good.iter().map(|sample| sample.session.clone()).collect();
    assert_eq!(list(&*store, &owner, at(now)).await, expected, "a list must show the good sessions, newest first");
    let a_moment_ago: Vec<SessionId> = list(&*store, &owner, at(now - 1)).await.iter().map(|one| one.id).collect();
    let more = [ended[0].id(), ended[1].id()];
    assert!(more.iter().all(|id| a_moment_ago.contains(id)), "a millisecond earlier they had not ended");
    assert_eq!(a_moment_ago.len(), 7, "a list must be decided at its instant");
}

/// An owner without sessions has an empty list.
pub async fn an_owner_without_sessions_has_an_empty_list(store: Arc<dyn SessionPorts>) {
    assert_eq!(list(&*store, &user("alice"), at(0)).await, [], "in an empty store");
    open_all(&*store, &[Sample::of(&user("bob"))]).await;
    assert_eq!(list(&*store, &user("alice"), at(0)).await, [], "another user's session must not be listed");
}

/// The good sessions of all users are counted, among at most `max` stored ones. A session counts until the instant of its
/// end.
pub async fn good_sessions_are_counted(store: Arc<dyn SessionPorts>) {
    let count = async |max| store.count_good(at(100), max).await.expect("a count must succeed");
    assert_eq!(count(100).await, 0, "an empty store has no good session");
    let (alice, bob) = (user("alice"), user("bob"));
    let idle = |seen: i64| at(seen - idle_max());
    let good = [Sample::of(&alice), Sample::of(&alice).expiring(at(101)), Sample::of(&bob).seen(idle(101))];
    let over =
        [Sample::of(&bob).expiring(at(100)), Sample::of(&alice).seen(idle(100)), Sample::of(&bob).seen(idle(50))];
    open_all(&*store, &good).await;
    assert_eq!(count(2).await, 2, "at most two are counted");
    open_all(&*store, &over).await;
    assert_eq!(count(100).await, 3, "what has ended by itself must not count");
    end(&*store, &alice, good[0].id()).await;
    assert_eq!(count(100).await, 2, "what was ended must not count");
    assert_eq!(count(0).await, 0, "none are counted among none");
}
