//! Revoking all keys of one user.

use std::collections::HashSet;
use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::KeysOf;
use domain::{CredentialDigest, OwnerId, Timestamp};

use super::sample::{Sample, all_keys, expect_stored, find, put_all, put_new, revoke_keys_of, revoke_user_keys};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Every key of the user that is not revoked is revoked, whether it is active, expired or being replaced. Revoked keys
/// and keys of other users do not change, also of a user with the same subject at another issuer. A second call finds
/// no key.
pub async fn all_keys_of_a_user_are_revoked(store: Arc<dyn KeyPorts>) {
    let (alice, namesake) = (user("alice"), OwnerId::new("https://other.example", "alice").expect("a valid user"));
    let theirs = [
        Sample::of(&alice),
        Sample::of(&alice).expiring(at(-1)).used(at(-2)),
        Sample::of(&alice).expiring(at(9_999)),
        Sample::of(&alice).expiring(at(9_999)).replaced(),
    ];
    let others = [Sample::of(&alice).revoked(at(-7)), Sample::of(&user("bob")), Sample::of(&namesake)];
    put_all(&*store, &theirs).await;
    put_all(&*store, &others).await;
    let answer = revoke_user_keys(&*store, &alice, Timestamp::MAX, at(20), 100).await;
    assert_eq!(answer, digests(&theirs), "the answer must have the digest of each key that it revokes");
    let theirs = theirs.map(|sample| sample.revoked(at(20)));
    expect_stored(&*store, &theirs, "the user's keys must be revoked, and no other field may change").await;
    expect_stored(&*store, &others, "the other keys must not change").await;
    let again = revoke_user_keys(&*store, &alice, Timestamp::MAX, at(30), 100).await;
    assert_eq!(again, HashSet::new(), "no key must be left");
}

/// Keys that a member made for any organization of the provider are revoked, at most `max` in a call. The member's own keys stay.
/// Keys of other members stay too, also those of a member with the same subject at another provider.
pub async fn keys_that_a_member_made_are_revoked(store: Arc<dyn KeyPorts>) {
    let (alice, namesake) = (user("alice"), OwnerId::new("https://other.example", "alice").expect("a valid user"));
    let of_organization = |provider: &OwnerId, id: &str, member: &OwnerId| {
        let owner = OwnerId::organization(provider.issuer(), id).expect("a valid organization");
        Sample::of(&owner).made_by(member)
    };
    let made = ["acme", "acme", "globex", "initech"].map(|id| of_organization(&alice, id, &alice));
    let of_acme = OwnerId::organization(alice.issuer(), "acme").expect("a valid organization");
    let others = [
        of_organization(&alice, "acme", &user("bob")),
        of_organization(&namesake, "acme", &namesake),
        of_organization(&alice, "acme", &alice).revoked(at(-7)),
        Sample::of(&of_acme),
        Sample::of(&alice),
        Sample::of(&OwnerId::organization(alice.issuer(), "alice").expect("a valid organization")),
    ];
    put_all(&*store, &made).await;
    put_all(&*store, &others).await;
    let mut answer = HashSet::new();
    for expected in [3, 1, 0] {
        let more = revoke_keys_of(&*store, KeysOf::Member(alice.clone()), Timestamp::MAX, at(20), 3).await;
        assert_eq!(more.len(), expected, "at most three in a call, and then the rest");
        answer.extend(more);
    }
    assert_eq!(answer, digests(&made), "the answer must have the digest of each key that it revokes");
    for sample in &made {
        let found = find(&*store, sample).await.expect("the key stays");
        assert_eq!(found.revoked_at, Some(at(20)));
    }
    expect_stored(&*store, &others, "the other keys must stay as they are").await;
}

/// Only keys that were created earlier are revoked; a key that was created at the instant stays.
pub async fn keys_created_before_an_instant_are_revoked(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let earlier = [Sample::of(&owner).created(at(99)), Sample::of(&owner).created(at(-100_000))];
    let later = [Sample::of(&owner).created(at(100)), Sample::of(&owner).created(at(101))];
    put_all(&*store, &earlier).await;
    put_all(&*store, &later).await;
    let answer = revoke_user_keys(&*store, &owner, at(100), at(500), 100).await;
    assert_eq!(answer, digests(&earlier), "the keys that were created before the instant must be revoked");
    expect_stored(&*store, &later, "a key that was not created earlier must stay as it is").await;
}

/// At most `max` keys are revoked. The next calls revoke the rest, and fewer than `max` mean that none is left.
pub async fn at_most_max_keys_of_a_user_are_revoked(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    put_new(&*store, &owner, 7).await;
    let mut revoked = HashSet::new();
    for (max, count) in [(0, 0), (3, 3), (1, 1), (3, 3), (3, 0)] {
        let answer = revoke_user_keys(&*store, &owner, Timestamp::MAX, at(1), max).await;
        assert_eq!(answer.len(), count, "a call must revoke at most {max} keys, and all {max} while they are there");
        revoked.extend(answer);
        let stored = all_keys(&*store, &owner).await.into_iter().filter(|key| key.revoked_at.is_some()).count();
        assert_eq!(stored, revoked.len(), "a call must name the keys that it revokes");
    }
}

/// Parallel calls all succeed, and together name each key once.
pub async fn parallel_revocations_of_a_user_name_each_key_once(store: Arc<dyn KeyPorts>) {
    for round in 0..3 {
        let owner = user(&format!("round {round}"));
        let samples = put_new(&*store, &owner, 20).await;
        let calls = (0..8).map(|n| revocation(&store, &owner, at(n))).collect();
        let named: Vec<CredentialDigest> = all_at_once(calls).await.into_iter().flatten().collect();
        assert_eq!(named.len(), 20, "parallel calls must name each key once");
        assert_eq!(named.into_iter().collect::<HashSet<_>>(), digests(&samples), "and every key");
    }
}

fn digests(samples: &[Sample]) -> HashSet<CredentialDigest> {
    samples.iter().map(|sample| sample.digest).collect()
}

fn revocation(store: &Arc<dyn KeyPorts>, owner: &OwnerId, at: Timestamp) -> Call<HashSet<CredentialDigest>> {
    let (store, owner) = (Arc::clone(store), owner.clone());
    Box::pin(async move { revoke_user_keys(&*store, &owner, Timestamp::MAX, at, 5).await })
}
