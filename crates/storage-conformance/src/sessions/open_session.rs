//! Opening sessions, and the maximum of an owner.

use std::collections::HashSet;
use std::sync::Arc;

use crate::SessionPorts;
use domain::CredentialDigest;
use domain::memory::unique_cause;
use domain::ports::StoreError;

use super::sample::{Sample, digests, expect_gone, expect_stored, idle_max, list, open, open_all};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Beyond the maximum, the sessions that were created first end: by `created_at`, then by id, however they were used.
/// The answer has their digests, and they are deleted.
pub async fn the_oldest_sessions_end_beyond_the_maximum(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let mut samples: Vec<Sample> = [5, 1, 3, 3, 9].iter().map(|n| Sample::opened(&owner, at(*n))).collect();
    samples[1] = samples[1].clone().seen(at(100));
    let other = Sample::opened(&user("bob"), at(0));
    open_all(&*store, &samples).await;
    open_all(&*store, std::slice::from_ref(&other)).await;
    let newest = Sample::opened(&owner, at(10));
    // Six with the new one: the oldest, and the one of the two with the lower id, end.
    samples.sort_by_key(|sample| (sample.session.created_at, sample.id()));
    let ended = open(&*store, &newest, 4).await;
    assert_eq!(ended, digests(&samples[..2]), "the sessions that were created first must end");
    expect_gone(&*store, &samples[..2], "a session beyond the maximum must be gone").await;
    expect_stored(&*store, &samples[2..], "a session within the maximum must stay as it is").await;
    expect_stored(&*store, &[newest, other], "the new session and those of others must stay").await;
    let last = Sample::opened(&owner, at(11));
    assert_eq!(open(&*store, &last, 1).await.len(), 4, "a smaller maximum ends several");
    assert_eq!(list(&*store, &owner, at(11)).await, [last.session], "the new session must stay");
}

/// Only sessions that are good when the new one is created count and end, to the millisecond. Others stay for the purge.
pub async fn only_good_sessions_count(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let now = idle_max() + 1_000;
    let ended = [
        Sample::opened(&owner, at(0)).seen(at(1_000)),
        Sample::opened(&owner, at(900_000)).expiring(at(now)),
        Sample::opened(&owner, at(900_001)).seen(at(999)),
    ];
    let good = [
        Sample::opened(&owner, at(0)).seen(at(1_001)),
        Sample::opened(&owner, at(1)).seen(at(2_000)).expiring(at(now + 1)),
    ];
    open_all(&*store, &ended).await;
    open_all(&*store, &good).await;
    let new = Sample::opened(&owner, at(now));
    assert!(open(&*store, &new, 3).await.is_empty(), "three good sessions are within a maximum of three");
    let one_more = Sample::opened(&owner, at(now));
    assert_eq!(open(&*store, &one_more, 3).await, digests(&good[..1]), "the fourth ends the oldest good one");
    expect_stored(&*store, &ended, "a session that ended by itself must stay for the purge").await;
}

/// The new session stays, even if all others were created after it by the clock of another instance.
pub async fn the_new_session_stays_whenever_it_was_created(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let ahead = [Sample::opened(&owner, at(500)), Sample::opened(&owner, at(600))];
    open_all(&*store, &ahead).await;
    let behind = Sample::opened(&owner, at(0));
    assert_eq!(open(&*store, &behind, 2).await, digests(&ahead[..1]), "the oldest of the others must end");
    expect_stored(&*store, &[behind], "the new session must stay").await;
}

/// Parallel openings all store their session, and together leave exactly the maximum. Each ended session is in one
/// answer.
pub async fn parallel_openings_leave_the_maximum(store: Arc<dyn SessionPorts>) {
    for round in 0..5 {
        let owner = user(&format!("round {round}"));
        let before: Vec<Sample> = (0..3).map(|n| Sample::opened(&owner, at(n))).collect();
        open_all(&*store, &before).await;
        let samples: Vec<Sample> = (0..24).map(|n| Sample::opened(&owner, at(10 + n))).collect();
        let calls = samples.iter().map(|sample| opening(&store, sample, 5)).collect();
        let answers = all_at_once(calls).await;
        let named: Vec<CredentialDigest> = answers.into_iter().flatten().collect();
        let ended: HashSet<CredentialDigest> = named.iter().copied().collect();
        assert_eq!(named.len(), ended.len(), "parallel openings must name each ended session once");
        let left = list(&*store, &owner, at(100)).await;
        assert_eq!((left.len(), ended.len()), (5, 22), "parallel openings must leave exactly the maximum");
        for sample in before.iter().chain(&samples) {
            let is_left = left.iter().any(|session| session.id == sample.id());
            assert!(is_left != ended.contains(&sample.digest), "each session must be left, or named as ended");
        }
    }
}

/// A new link ends the oldest link beyond the maximum, and a new session the oldest session. Links are not listed.
pub async fn links_and_sessions_are_counted_apart(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let (links, sessions): (Vec<Sample>, Vec<Sample>) =
        (0..3).map(|n| (Sample::opened(&owner, at(2 * n)).into_link(), Sample::opened(&owner, at(2 * n + 1)))).unzip();
    for (n, (link, session)) in links.iter().zip(&sessions).enumerate() {
        assert_eq!(open(&*store, link, 2).await, digests(&links[n.saturating_sub(2)..n.saturating_sub(1)]));
        assert_eq!(open(&*store, session, 2).await, digests(&sessions[n.saturating_sub(2)..n.saturating_sub(1)]));
    }
    let newest_first = [sessions[2].session.clone(), sessions[1].session.clone()];
    assert_eq!(list(&*store, &owner, at(10)).await, newest_first, "links must not be listed");
    expect_stored(&*store, &links[1..], "a link within the maximum must stay").await;
}

/// A session with a stored id or digest is refused without effect: no session ends, even at the maximum.
pub async fn a_stored_id_or_digest_is_refused(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let stored = [Sample::opened(&owner, at(0)), Sample::opened(&user("bob"), at(1)), Sample::opened(&owner, at(2))];
    open_all(&*store, &stored).await;
    for taken in &stored {
        let (mut same_id, mut same_digest) = (Sample::opened(&owner, at(3)), Sample::opened(&owner, at(3)));
        same_id.session.id = taken.id();
        same_digest.digest = taken.digest;
        for duplicate in [same_id, same_digest] {
            let refused = store.open(&duplicate.session, &duplicate.digest, 1, &unique_cause()).await;
            assert!(matches!(refused, Err(StoreError::Duplicate { .. })), "a duplicate must be refused: {refused:?}");
        }
    }
    expect_stored(&*store, &stored, "a refused session must change nothing").await;
    assert_eq!(list(&*store, &owner, at(3)).await.len(), 2, "a refused session must not be stored");
}

fn opening(store: &Arc<dyn SessionPorts>, sample: &Sample, max: u32) -> Call<HashSet<CredentialDigest>> {
    let (store, sample) = (Arc::clone(store), sample.clone());
    Box::pin(async move { open(&*store, &sample, max).await })
}
