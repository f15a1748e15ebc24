//! The changes of ended sessions for instances that share a store: the promises of [`ChangeFeed`] for sessions. The
//! promises about reading the feed are checked for keys.

use std::collections::HashSet;

use domain::CredentialDigest;
use domain::ports::{ChangeFeed, CredentialChanges, FeedPosition};
use tokio::task::yield_now;

use super::sample::{Sample, digests, end, end_all, find, open, open_all, purge, record, used_at};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};
use crate::{Instances, SharedSessionStore};

/// More changes than any test here makes.
const CHANGES_MAX: u32 = 1_000;

/// A session that is ended, alone, with all others, or because it is beyond the maximum, reaches each instance as its
/// digest, once, whichever instance ended it.
pub async fn ended_sessions_reach_every_instance_once(instances: Instances<dyn SharedSessionStore>) {
    let [here, there] = &instances;
    let owner = user("alice");
    let samples: Vec<Sample> = (0..6).map(|n| Sample::opened(&owner, at(n))).collect();
    open_all(&**here, &samples).await;
    let (_, mut position) = read(&**there, None).await;
    let mut read_on = async || {
        let (changed, next) = read(&**there, Some(&position)).await;
        position = next;
        changed
    };
    end(&**here, &owner, samples[3].id()).await;
    assert_same(&read_on().await, &samples[3..4]);
    end(&**there, &owner, samples[4].id()).await;
    assert_same(&read_on().await, &samples[4..5]);
    let new = Sample::opened(&owner, at(9));
    open(&**here, &new, 3).await;
    assert_same(&read_on().await, &samples[..2]);
    end_all(&**here, &owner, Some(new.id())).await;
    assert_same(&read_on().await, &[samples[2].clone(), samples[5].clone()]);
    assert_same(&read_on().await, &[]);
}

/// An opening below the maximum, an end that finds no session, a use and a purge add no change to the feed.
pub async fn what_ends_no_session_is_not_in_the_feed(instances: Instances<dyn SharedSessionStore>) {
    let [here, there] = &instances;
    let (alice, bob) = (user("alice"), user("bob"));
    let (_, position) = read(&**there, None).await;
    let (good, past) = (Sample::of(&alice), Sample::of(&bob).expiring(at(-1_000)));
    open_all(&**here, &[good.clone(), past]).await;
    assert_eq!(end(&**here, &bob, good.id()).await, None);
    assert_eq!(end_all(&**here, &alice, Some(good.id())).await.len(), 0);
    record(&**here, &[used_at(&good, 7)]).await;
    assert_eq!(purge(&**here, at(-999), 10).await, 1);
    assert_same(&read(&**there, Some(&position)).await.0, &[]);
}

/// An end and its place in the feed are one: a reader of the change finds the session ended, and a reader who finds it
/// ended finds the change.
pub async fn an_end_and_its_place_in_the_feed_are_one(instances: Instances<dyn SharedSessionStore>) {
    let (_, start) = read(&*instances[0], None).await;
    for round in 0..10 {
        let owner = user(&format!("round {round}"));
        let samples: Vec<Sample> = (0..6).map(|n| Sample::opened(&owner, at(n))).collect();
        open_all(&*instances[0], &samples).await;
        let ending = (0..4).map(|way| -> Call<()> {
            let (here, owner, first) = (instances[0].clone(), owner.clone(), samples[0].id());
            Box::pin(async move {
                match way % 2 {
                    0 => drop(end(&*here, &owner, first).await),
                    _ => drop(open(&*here, &Sample::opened(&owner, at(100 + way)), 1).await),
                }
            })
        });
        let watching = samples.iter().map(|sample| -> Call<()> {
            let (there, start, sample) = (instances[1].clone(), start.clone(), sample.clone());
            Box::pin(async move {
                loop {
                    let was_read = read(&*there, Some(&start)).await.0.contains(&sample.digest);
                    let is_gone = find(&*there, &sample).await.is_none();
                    assert!(is_gone || !was_read, "a reader of a change must find the session gone");
                    if is_gone {
                        let is_read = read(&*there, Some(&start)).await.0.contains(&sample.digest);
                        return assert!(is_read, "a reader who finds a session gone must find the change");
                    }
                    // A store that never waits would let no other call run.
                    yield_now().await;
                }
            })
        });
        all_at_once(ending.chain(watching).collect()).await;
    }
}

async fn read(feed: &dyn ChangeFeed, since: Option<&FeedPosition>) -> (Vec<CredentialDigest>, FeedPosition) {
    let read = feed.changes_since(since, CHANGES_MAX).await.expect("the feed must be readable");
    match read.changes {
        CredentialChanges::Of(changed) => (changed, read.position),
        CredentialChanges::OfAny if since.is_none() => (Vec::new(), read.position),
        CredentialChanges::OfAny => panic!("there are fewer than {CHANGES_MAX} changes"),
    }
}

fn assert_same(changed: &[CredentialDigest], expected: &[Sample]) {
    let set: HashSet<CredentialDigest> = changed.iter().copied().collect();
    assert_eq!((changed.len(), set), (expected.len(), digests(expected)), "the feed must have each ended session once");
}
