//! Finding a key by its digest.

use std::sync::Arc;

use crate::KeyPorts;
use domain::CredentialDigest;

use super::sample::{Sample, expect_stored, find, put, put_all};
use crate::sample::{at, user};

/// A digest finds its key, active, being replaced, expired or revoked, with every field and for any owner.
pub async fn a_digest_finds_its_key_in_any_state(store: Arc<dyn KeyPorts>) {
    let samples = [
        Sample::of(&user("alice")),
        Sample::of(&user("bob")).expiring(at(-10)),
        Sample::of(&user("alice")).revoked(at(3)).used(at(2)),
        Sample::of(&user("bob")).revoked(at(3)).expiring(at(1)),
        Sample::of(&user("bob")).replaced().expiring(at(10)),
        Sample::of(&user("alice")).replaced().revoked(at(-1)),
    ];
    put_all(&*store, &samples).await;
    expect_stored(&*store, &samples, "a digest must find its key in any state").await;
}

/// A digest that is not stored finds no key, even if it differs from a stored one in one byte.
pub async fn an_unknown_digest_finds_nothing(store: Arc<dyn KeyPorts>) {
    assert_eq!(find(&*store, &Sample::of(&user("alice"))).await, None, "an empty store finds nothing");
    let mut stored = Sample::of(&user("alice"));
    stored.digest = CredentialDigest::from_bytes([0; 32]);
    put(&*store, &stored).await;
    for (position, value) in [(0, 1), (15, 1), (31, 1), (31, 0x80)] {
        let mut bytes = [0; 32];
        bytes[position] = value;
        let found = store.find_by_digest(&CredentialDigest::from_bytes(bytes)).await.expect("a look-up must succeed");
        assert_eq!(found, None, "a digest that differs in one byte must find nothing");
    }
    assert_eq!(find(&*store, &stored).await, Some(stored.key), "a digest of zero bytes must find its key");
}

/// One call finds the keys of many digests, up to the maximum, each with its digest and in any state. Digests that are
/// not stored are left out, and a call without digests finds no key.
pub async fn many_digests_find_their_keys(store: Arc<dyn KeyPorts>) {
    let stored = [
        Sample::of(&user("alice")),
        Sample::of(&user("bob")).revoked(at(3)),
        Sample::of(&user("bob")).expiring(at(-10)),
        Sample::of(&user("alice")).replaced().expiring(at(10)),
    ];
    put_all(&*store, &stored).await;
    let unknown = (stored.len()..CredentialDigest::LOOK_UP_MAX).map(|_| Sample::of(&user("carol")).digest);
    let digests: Vec<CredentialDigest> = stored.iter().map(|sample| sample.digest).chain(unknown).collect();
    for asked in [digests.as_slice(), &digests[1..2], &digests[stored.len()..], &[]] {
        let found = store.find_by_digests(asked).await.complete().expect("a look-up must succeed");
        let expected = stored.iter().filter(|sample| asked.contains(&sample.digest));
        for sample in expected.clone() {
            let is_found = found.iter().any(|(digest, key)| *digest == sample.digest && *key == sample.key);
            assert!(is_found, "a digest among {} must find its key", asked.len());
        }
        assert_eq!(found.len(), expected.count(), "only the stored keys must be found, each once");
    }
}
