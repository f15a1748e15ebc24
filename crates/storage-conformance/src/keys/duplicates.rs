//! Ids and digests that are stored already.

use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::{Insertion, StoreError};

use super::sample::{NO_LIMIT, Sample, all_keys, find, insert_request, only_key, put};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

type Answer = Result<Insertion, StoreError>;

/// A second key with a stored id is `Duplicate`, for any owners and any state of the first key. The first key does not
/// change.
pub async fn a_stored_id_is_refused(store: Arc<dyn KeyPorts>) {
    for (name, first) in firsts() {
        put(&*store, &first).await;
        for owner in [first.key.owner.clone(), user("mallory")] {
            let mut second = Sample::of(&owner).labelled("impostor");
            second.key.id = first.key.id;
            expect_duplicate(&try_insert(&*store, &second, NO_LIMIT).await, name);
            assert_eq!(find(&*store, &second).await, None, "{name}: a refused key must leave no digest");
        }
        expect_only(&*store, &first, name).await;
    }
}

/// A second key with a stored digest is `Duplicate`, for any owners and any state of the first key. The first key does
/// not change.
pub async fn a_stored_digest_is_refused(store: Arc<dyn KeyPorts>) {
    for (name, first) in firsts() {
        put(&*store, &first).await;
        for owner in [first.key.owner.clone(), user("mallory")] {
            let mut second = Sample::of(&owner).labelled("impostor");
            second.digest = first.digest;
            expect_duplicate(&try_insert(&*store, &second, NO_LIMIT).await, name);
        }
        expect_only(&*store, &first, name).await;
    }
}

/// A duplicate at the limit is refused for either reason, and does not change the store.
pub async fn duplicates_at_the_limit_change_nothing(store: Arc<dyn KeyPorts>) {
    let first = Sample::of(&user("alice"));
    put(&*store, &first).await;
    let (mut same_id, mut same_digest) = (Sample::of(&first.key.owner), Sample::of(&first.key.owner));
    same_id.key.id = first.key.id;
    same_digest.digest = first.digest;
    for second in [same_id, same_digest, first.clone()] {
        let answer = try_insert(&*store, &second, 1).await;
        if !matches!(answer, Ok(Insertion::LimitReached { .. })) {
            expect_duplicate(&answer, "at the limit");
        }
        expect_only(&*store, &first, "at the limit").await;
    }
}

/// Of parallel insertions with one digest, by different owners, one is stored and all others are `Duplicate`.
pub async fn parallel_duplicates_store_once(store: Arc<dyn KeyPorts>) {
    for round in 0..3 {
        let digest = Sample::of(&user("anybody")).digest;
        let contenders: Vec<Sample> = (0..12)
            .map(|n| Sample { digest, ..Sample::of(&user(&format!("contender {n} of round {round}"))) })
            .collect();
        let answers = all_at_once(contenders.iter().map(|sample| insertion(&store, sample)).collect()).await;
        let mut stored = Vec::new();
        for (sample, answer) in contenders.iter().zip(&answers) {
            match answer {
                Ok(Insertion::Stored(_)) => stored.push(sample.key.clone()),
                refused => {
                    expect_duplicate(refused, "in parallel");
                    let keys = all_keys(&*store, &sample.key.owner).await;
                    assert_eq!(keys, [], "a refused owner must have no key");
                }
            }
        }
        assert_eq!(stored.len(), 1, "of parallel insertions with one digest exactly one must be stored");
        let found = store.find_by_digest(&digest).await.expect("a look-up must succeed");
        assert_eq!(found, stored.pop(), "the digest must find the key that was answered as stored");
    }
}

fn firsts() -> [(&'static str, Sample); 3] {
    [
        ("active", Sample::of(&user("active"))),
        ("revoked", Sample::of(&user("revoked")).revoked(at(1))),
        ("expired", Sample::of(&user("expired")).expiring(at(-1))),
    ]
}

async fn try_insert(store: &dyn KeyPorts, sample: &Sample, max: u32) -> Answer {
    store.insert_within(&insert_request(sample, max)).await
}

fn insertion(store: &Arc<dyn KeyPorts>, sample: &Sample) -> Call<Answer> {
    let (store, sample) = (Arc::clone(store), sample.clone());
    Box::pin(async move { try_insert(&*store, &sample, NO_LIMIT).await })
}

fn expect_duplicate(answer: &Answer, name: &str) {
    let refused = matches!(answer, Err(StoreError::Duplicate { .. }));
    assert!(refused, "{name}: what is stored already must be refused as a duplicate, got {answer:?}");
}

async fn expect_only(store: &dyn KeyPorts, first: &Sample, name: &str) {
    assert_eq!(only_key(store, &first.key.owner).await, first.key, "{name}: a duplicate must change nothing");
    assert_eq!(find(store, first).await.as_ref(), Some(&first.key), "{name}: a duplicate must change nothing");
    assert_eq!(all_keys(store, &user("mallory")).await, [], "{name}: a refused key must not be listed");
}
