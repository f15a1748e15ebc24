//! When sessions were last used.

use std::sync::Arc;

use crate::SessionPorts;
use domain::sessions::SessionUse;

use super::sample::{Sample, end, expect_gone, expect_stored, find, list, open_all, record, used_at};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// A use moves `seen_at` forward, never back, to the millisecond, and affects no other field.
pub async fn uses_move_forward_only(store: Arc<dyn SessionPorts>) {
    let mut samples = [Sample::of(&user("alice")), Sample::of(&user("alice")), Sample::of(&user("bob"))];
    open_all(&*store, &samples).await;
    for (used, expected) in [(100, 100), (99, 100), (100, 100), (101, 101), (-5, 101), (90_000, 90_000)] {
        record(&*store, &[used_at(&samples[0], used)]).await;
        samples[0].session.seen_at = at(expected);
        expect_stored(&*store, &samples, "a use must move its session forward only, and nothing else").await;
    }
    record(&*store, &[]).await;
    expect_stored(&*store, &samples, "no use must change nothing").await;
}

/// The latest of several uses of one session in a batch counts, wherever it is in the batch.
pub async fn the_latest_of_several_uses_counts(store: Arc<dyn SessionPorts>) {
    let samples = [Sample::of(&user("alice")), Sample::of(&user("bob")), Sample::of(&user("carol"))];
    open_all(&*store, &samples).await;
    let [first, middle, last] = &samples;
    let times = [(first, 9), (middle, 5), (last, 1), (first, 4), (middle, 9), (last, 2), (middle, 7), (last, 9)];
    record(&*store, &times.map(|(sample, used)| used_at(sample, used))).await;
    let samples = samples.map(|sample| sample.seen(at(9)));
    expect_stored(&*store, &samples, "of several uses of one session the latest must count").await;
}

/// Ids that are not stored are skipped, and a session that was ended stays gone. The other uses of the batch count.
pub async fn uses_bring_no_session_back(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let (ended, unknown, mut known) = (Sample::of(&owner), Sample::of(&owner), Sample::of(&owner));
    open_all(&*store, &[ended.clone(), known.clone()]).await;
    end(&*store, &owner, ended.id()).await;
    record(&*store, &[used_at(&ended, 3), used_at(&unknown, 3), used_at(&known, 2)]).await;
    known.session.seen_at = at(2);
    expect_stored(&*store, std::slice::from_ref(&known), "a known session's use must count beside others").await;
    expect_gone(&*store, &[ended, unknown], "a use must not bring a session back").await;
    assert_eq!(list(&*store, &owner, at(3)).await, [known.session], "a use must not bring a session back");
}

/// Parallel batches that name the same sessions in different orders all succeed, and the latest use of all counts.
pub async fn parallel_batches_of_uses_all_count(store: Arc<dyn SessionPorts>) {
    let samples: Vec<Sample> = (0..25).map(|_| Sample::of(&user("alice"))).collect();
    open_all(&*store, &samples).await;
    for round in 0..4 {
        let latest = 100 * (round + 1);
        let calls = (0..16).map(|n| -> Call<()> {
            let mut uses: Vec<SessionUse> = samples.iter().map(|sample| used_at(sample, latest - n)).collect();
            uses.rotate_left(usize::try_from(n).expect("a few calls"));
            if n % 2 == 1 {
                uses.reverse();
            }
            let store = Arc::clone(&store);
            Box::pin(async move { record(&*store, &uses).await })
        });
        all_at_once(calls.collect()).await;
        for sample in &samples {
            let seen = find(&*store, sample).await.map(|session| session.seen_at);
            assert_eq!(seen, Some(at(latest)), "of parallel batches the latest use must count");
        }
    }
}
