//! Revoking leaked keys of any owner, many at once.

use std::sync::Arc;

use crate::KeyPorts;
use domain::{ApiKey, CredentialDigest, LEAKS_MAX};

use super::sample::{Sample, expect_stored, find, put, put_all, revoke_by_digests};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Every key with one of the digests is revoked at the instant, of any owner and in any state. Its other fields stay.
/// The answer has each key after the change. Other keys do not change.
pub async fn keys_of_any_owner_are_revoked_by_digests(store: Arc<dyn KeyPorts>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let named = [
        Sample::of(&alice),
        Sample::of(&bob).used(at(-7)).expiring(at(1_000)),
        Sample::of(&alice).expiring(at(-1)),
        Sample::of(&user("carol")).replaced().expiring(at(100)),
    ];
    let unnamed = [Sample::of(&alice), Sample::of(&bob).expiring(at(9)), Sample::of(&user("dave"))];
    put_all(&*store, &named).await;
    put_all(&*store, &unnamed).await;
    let answer = revoke_by_digests(&*store, &digests(&named), at(20)).await;
    let named = named.map(|sample| sample.revoked(at(20)));
    assert_eq!(answer, pairs(&named), "the answer must have each key once, as it is afterwards");
    expect_stored(&*store, &named, "the named keys must be revoked, and no other field may change").await;
    expect_stored(&*store, &unnamed, "the other keys must not change").await;
}

/// Digests that are not stored are skipped; the other digests of the call count. A call without digests succeeds.
pub async fn unknown_digests_are_passed_over(store: Arc<dyn KeyPorts>) {
    let (mut known, unknown) = (Sample::of(&user("alice")), Sample::of(&user("alice")));
    let mut resembling = *known.digest.as_bytes();
    resembling[31] ^= 1;
    let unknown = [unknown.digest, CredentialDigest::from_bytes(resembling)];
    assert_eq!(revoke_by_digests(&*store, &unknown, at(1)).await, [], "an empty store knows no digest");
    put(&*store, &known).await;
    for digests in [&[][..], &unknown] {
        assert_eq!(revoke_by_digests(&*store, digests, at(2)).await, [], "unknown digests must be passed over");
        assert_eq!(find(&*store, &known).await.as_ref(), Some(&known.key), "unknown digests must change nothing");
    }
    let answer = revoke_by_digests(&*store, &[unknown[0], known.digest, unknown[1]], at(3)).await;
    known.key.revoked_at = Some(at(3));
    assert_eq!(answer, pairs(&[known]), "a known digest must count beside unknown ones");
}

/// A digest that is given several times in one call is answered once.
pub async fn a_digest_given_twice_is_answered_once(store: Arc<dyn KeyPorts>) {
    let samples = [Sample::of(&user("alice")), Sample::of(&user("bob"))];
    put_all(&*store, &samples).await;
    let [first, second] = samples.each_ref().map(|sample| sample.digest);
    let answer = revoke_by_digests(&*store, &[second, first, second, second, first], at(1)).await;
    let samples = samples.map(|sample| sample.revoked(at(1)));
    assert_eq!(answer, pairs(&samples), "a digest that is given several times must be answered once");
}

/// The time of the first revocation stays, even if the second one has an earlier time, and the answer shows it.
pub async fn the_first_revocation_stays_by_digests_too(store: Arc<dyn KeyPorts>) {
    let mut samples = [Sample::of(&user("alice")).revoked(at(100)), Sample::of(&user("bob"))];
    put_all(&*store, &samples).await;
    samples[1].key.revoked_at = Some(at(101));
    for millis in [101, 50, 100, 100_000] {
        let answer = revoke_by_digests(&*store, &digests(&samples), at(millis)).await;
        assert_eq!(answer, pairs(&samples), "the first revocation's time must stay");
        expect_stored(&*store, &samples, "the first revocation's time must stay").await;
    }
}

/// One call takes the maximum number of digests of a report, all of them stored.
pub async fn a_thousand_digests_are_taken(store: Arc<dyn KeyPorts>) {
    let owners = [user("alice"), user("bob")];
    let samples: Vec<Sample> = (0..60).map(|n| Sample::of(&owners[n % 2])).collect();
    put_all(&*store, &samples).await;
    let unknown: Vec<Sample> = (samples.len()..LEAKS_MAX).map(|_| Sample::of(&owners[0])).collect();
    let answer = revoke_by_digests(&*store, &[digests(&unknown), digests(&samples)].concat(), at(1)).await;
    let samples: Vec<Sample> = samples.into_iter().map(|sample| sample.revoked(at(1))).collect();
    assert_eq!(answer, pairs(&samples), "every known digest of a large call must count");
}

/// Parallel calls that name the same keys in different orders all succeed; one sets each key's time, and every
/// answer shows that one.
pub async fn parallel_revocations_by_digests_set_one_time_each(store: Arc<dyn KeyPorts>) {
    for round in 0..3 {
        let samples: Vec<Sample> = (0..12).map(|n| Sample::of(&user(&format!("{n} of round {round}")))).collect();
        put_all(&*store, &samples).await;
        let calls = (0..12).map(|n| {
            let mut digests = digests(&samples);
            digests.rotate_left(n);
            if n % 2 == 1 {
                digests.reverse();
            }
            revocation(&store, digests, i64::try_from(n).expect("a few calls"))
        });
        let answers = all_at_once(calls.collect()).await;
        let mut stored = Vec::new();
        for sample in &samples {
            let key = find(&*store, sample).await.expect("a revoked key is still found");
            assert!(key.revoked_at.is_some_and(|time| (at(0)..at(12)).contains(&time)), "one call must set the time");
            stored.push(Sample { key, digest: sample.digest });
        }
        for answer in answers {
            assert_eq!(answer, pairs(&stored), "every parallel call must answer with the one time that was set");
        }
    }
}

fn digests(samples: &[Sample]) -> Vec<CredentialDigest> {
    samples.iter().map(|sample| sample.digest).collect()
}

/// The expected answer for these keys, in the order of the ids.
fn pairs(samples: &[Sample]) -> Vec<(CredentialDigest, ApiKey)> {
    let mut pairs: Vec<_> = samples.iter().map(|sample| (sample.digest, sample.key.clone())).collect();
    pairs.sort_by_key(|(_, key)| key.id);
    pairs
}

fn revocation(
    store: &Arc<dyn KeyPorts>,
    digests: Vec<CredentialDigest>,
    millis: i64,
) -> Call<Vec<(CredentialDigest, ApiKey)>> {
    let store = Arc::clone(store);
    Box::pin(async move { revoke_by_digests(&*store, &digests, at(millis)).await })
}
