//! Looking sessions up by their digests.

use std::collections::HashMap;
use std::sync::Arc;

use crate::SessionPorts;
use domain::CredentialDigest;
use domain::sessions::Session;

use super::sample::{Sample, expect_stored, idle_max, open_all};
use crate::sample::{at, user};

/// A digest finds its session, whether it is good, idle or expired.
pub async fn a_digest_finds_its_session_in_any_state(store: Arc<dyn SessionPorts>) {
    let owner = user("alice");
    let samples = [Sample::of(&owner), Sample::of(&owner).seen(at(-idle_max())), Sample::of(&owner).expiring(at(-1))];
    open_all(&*store, &samples).await;
    expect_stored(&*store, &samples, "a digest must find its session").await;
}

/// An unknown digest finds no session, even if half of it is stored.
pub async fn an_unknown_digest_finds_nothing(store: Arc<dyn SessionPorts>) {
    let sample = Sample::of(&user("alice"));
    let mut half = *sample.digest.as_bytes();
    half[31] ^= 1;
    for digest in [CredentialDigest::from_bytes([0; 32]), CredentialDigest::from_bytes(half)] {
        open_all(&*store, &[Sample::of(&user("bob"))]).await;
        let found = store.find_by_digest(&digest).await.expect("a look-up must succeed");
        assert_eq!(found, None, "an unknown digest must find nothing");
    }
    open_all(&*store, std::slice::from_ref(&sample)).await;
    let found = store.find_by_digest(&CredentialDigest::from_bytes(half)).await.expect("a look-up must succeed");
    assert_eq!(found, None, "a digest must be compared to its end");
}

/// A look-up of many digests finds the stored ones, each under its digest.
pub async fn many_digests_find_their_sessions(store: Arc<dyn SessionPorts>) {
    let stored: Vec<Sample> = (0..5).map(|n| Sample::of(&user("alice")).seen(at(-idle_max() + n))).collect();
    open_all(&*store, &stored).await;
    let unknown = (stored.len()..CredentialDigest::LOOK_UP_MAX).map(|_| Sample::of(&user("carol")).digest);
    let asked: Vec<CredentialDigest> = unknown.chain(stored.iter().map(|sample| sample.digest)).collect();
    let found = store.find_by_digests(&asked).await.complete().expect("a look-up must succeed");
    let expected: HashMap<CredentialDigest, Session> =
        stored.into_iter().map(|sample| (sample.digest, sample.session)).collect();
    assert_eq!(found.len(), expected.len(), "each stored digest must be found once");
    assert_eq!(found.into_iter().collect::<HashMap<_, _>>(), expected, "digests must find their sessions");
    let found = store.find_by_digests(&[]).await.complete().expect("a look-up must succeed");
    assert_eq!(found, [], "no digest finds nothing");
}
