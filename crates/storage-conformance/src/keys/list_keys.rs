//! The keys of a list, and their order.

use std::sync::Arc;

use crate::KeyPorts;
use domain::memory::SeededEntropy;
use domain::ports::Entropy;
use domain::{ApiKey, LISTED_ENDED_KEYS_MAX};

use super::sample::{ALL_ENDED, Sample, ids, list, put, put_all, view};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// An owner without keys has an empty list, even if other owners have keys.
pub async fn an_owner_without_keys_has_an_empty_list(store: Arc<dyn KeyPorts>) {
    let seen = view(at(0), ALL_ENDED);
    assert_eq!(list(&*store, &user("alice"), seen).await, [], "an empty store lists nothing");
    put(&*store, &Sample::of(&user("bob"))).await;
    assert_eq!(list(&*store, &user("alice"), seen).await, [], "an owner without keys has an empty list");
}

/// The newest key comes first, by creation and then by id, active and ended ones mixed.
pub async fn lists_are_newest_first(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let mut samples: Vec<Sample> = [3, 1, 2, 2, 2, 2, 0, 3].map(|n| Sample::of(&owner).created(at(n))).into();
    samples[3] = samples[3].clone().revoked(at(1));
    samples[4] = samples[4].clone().expiring(at(-1));
    put_all(&*store, &samples).await;
    let mut expected: Vec<ApiKey> = samples.into_iter().map(|sample| sample.key).collect();
    expected.sort_by_key(|key| (key.created_at, key.id));
    expected.reverse();
    let listed = list(&*store, &owner, view(at(5), ALL_ENDED)).await;
    assert_eq!(listed, expected, "a list must be newest first, by creation and then by id");
}

/// A user's list shows every active key, for any number of them, and a hundred ended keys.
pub async fn lists_show_every_active_key_and_a_hundred_ended(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    for n in 0..103 {
        put(&*store, &Sample::of(&owner).created(at(2 * n)).revoked(at(1_000 + n))).await;
        put(&*store, &Sample::of(&owner).created(at(2 * n + 1))).await;
    }
    let listed = list(&*store, &owner, view(at(5_000), LISTED_ENDED_KEYS_MAX)).await;
    let (active, ended): (Vec<_>, Vec<_>) = listed.iter().partition(|key| key.is_active(at(5_000)));
    assert_eq!(active.len(), 103, "a list must show every active key");
    assert_eq!(ended.len(), 100, "a list must show a hundred ended keys");
    assert!(ended.iter().all(|key| key.revoked_at >= Some(at(1_003))), "a list must show the keys that ended last");
}

/// The list shows the keys that ended last: by the earlier of revocation and expiry, then by id, and never by creation.
/// The view has their number.
pub async fn the_most_recently_ended_keys_are_shown(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let now = at(100);
    let active = Sample::of(&owner).created(at(-50));
    let mut by_end = vec![
        Sample::of(&owner).created(at(1)).revoked(at(10_000)), // the clock of another instance is ahead
        Sample::of(&owner).created(at(0)).expiring(at(100)),
        Sample::of(&owner).created(at(2)).revoked(at(99)),
        Sample::of(&owner).created(at(9)).revoked(at(98)).expiring(at(5_000)),
        Sample::of(&owner).created(at(7)).revoked(at(500)).expiring(at(97)), // ended by expiry, revoked after
    ];
    let mut tied: Vec<Sample> = (0..4).map(|n| Sample::of(&owner).created(at(10 + n)).revoked(at(50))).collect();
    tied.push(Sample::of(&owner).created(at(20)).expiring(at(50)));
    put(&*store, &active).await;
    put_all(&*store, &tied).await;
    put_all(&*store, &by_end).await;
    tied.sort_by_key(Sample::id);
    tied.reverse();
    by_end.append(&mut tied);

    for ended_max in 0..=by_end.len() + 1 {
        let seen = view(now, u32::try_from(ended_max).expect("a few keys"));
        let mut shown = ids(&list(&*store, &owner, seen).await);
        shown.retain(|id| *id != active.id());
        shown.sort_unstable();
        let mut expected: Vec<_> = by_end.iter().take(ended_max).map(Sample::id).collect();
        expected.sort_unstable();
        assert_eq!(shown, expected, "a list must show the {ended_max} keys that ended last, of 10 ended ones");
    }
}

/// Whether a key is active is decided at the view's instant, to the millisecond.
pub async fn lists_are_decided_at_their_instant(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let (expiring, skewed) = (Sample::of(&owner).expiring(at(100)), Sample::of(&owner).revoked(at(100)));
    put_all(&*store, &[expiring.clone(), skewed.clone()]).await;
    for (instant, active) in [(99, true), (100, false), (101, false)] {
        let shown = ids(&list(&*store, &owner, view(at(instant), 0)).await);
        let expected = if active { vec![expiring.id()] } else { vec![] };
        assert_eq!(shown, expected, "at {instant} ms: active keys, where the one expires and one is revoked at 100 ms");
    }
    let shown = ids(&list(&*store, &owner, view(at(99), 1)).await);
    assert_eq!(shown.len(), 2, "a key that is revoked ahead of the view's instant has ended");
}

/// For keys of all states with many equal times, lists equal the result of `ListView::select`, at every instant.
pub async fn lists_are_what_the_reference_selects(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let samples = mixed_samples(&owner);
    put_all(&*store, &samples).await;
    put_all(&*store, &mixed_samples(&user("bob"))).await;
    for instant in -1..=9 {
        for ended_max in [0, 1, 2, 5, 13, ALL_ENDED] {
            let seen = view(at(instant), ended_max);
            let expected = seen.select(samples.iter().map(|sample| sample.key.clone()));
            let listed = list(&*store, &owner, seen).await;
            assert_eq!(ids(&listed), ids(&expected), "a list must be what the reference selects for {seen:?}");
            assert_eq!(listed, expected, "a list must hold the keys unchanged");
        }
    }
}

/// The same for lists of several owners at the same time, each at another instant.
pub async fn parallel_lists_are_what_the_reference_selects(store: Arc<dyn KeyPorts>) {
    let mut calls: Vec<Call<()>> = Vec::new();
    for owner in ["alice", "bob", "carol", "dave", "erin", "frank"].map(user) {
        let samples = mixed_samples(&owner);
        put_all(&*store, &samples).await;
        for (instant, ended_max) in [(0, 5), (2, 0), (4, 1), (5, ALL_ENDED), (6, 13), (8, 2)] {
            let (store, owner, seen) = (Arc::clone(&store), owner.clone(), view(at(instant), ended_max));
            let expected = seen.select(samples.iter().map(|sample| sample.key.clone()));
            calls.push(Box::pin(async move {
                let listed = list(&*store, &owner, seen).await;
                assert_eq!(listed, expected, "beside others, a list must be what the reference selects for {seen:?}");
            }));
        }
    }
    all_at_once(calls).await;
}

/// A list shows the keys that were stored before it began, also while other lists are being read.
pub async fn parallel_lists_show_what_was_stored_before_them(store: Arc<dyn KeyPorts>) {
    let storing_and_listing = |number: i64| -> Call<()> {
        let (store, owner) = (Arc::clone(&store), user(&format!("user-{number}")));
        Box::pin(async move {
            for round in 0..10 {
                put(&*store, &Sample::of(&owner).created(at(round))).await;
                let listed = list(&*store, &owner, view(at(100), 0)).await;
                let newest = listed.first().map(|key| key.created_at);
                assert_eq!(newest, Some(at(round)), "a list must show the newest key");
            }
        })
    };
    all_at_once((0..8).map(storing_and_listing).collect()).await;
}

/// 30 keys with times within nine milliseconds, so that created, used, expired and revoked come in every order.
fn mixed_samples(owner: &domain::OwnerId) -> Vec<Sample> {
    let entropy = SeededEntropy::new(11);
    let mut samples = Vec::new();
    for _ in 0..30 {
        let mut random = [0; 8];
        entropy.fill(&mut random);
        let time = |byte: u8| at(i64::from(byte % 9));
        let mut sample = Sample::of(owner).created(time(random[0]));
        if random[1] < 128 {
            sample = sample.expiring(time(random[2]));
        }
        if random[3] < 128 {
            sample = sample.revoked(time(random[4]));
        }
        if random[5] < 128 {
            sample = sample.used(time(random[6]));
        }
        if random[7] < 128 {
            sample = sample.replaced();
        }
        samples.push(sample);
    }
    samples
}
