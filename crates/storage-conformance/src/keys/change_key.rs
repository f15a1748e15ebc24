//! Changing a key.

use std::sync::Arc;

use crate::KeyPorts;
use domain::ports::ChangedKey;
use domain::{KeyChange, KeyChangeRefusal, KeySettings, Metadata, MetadataPatch, Patch, RateLimit};

use super::sample::{Sample, change, expect_full, expect_stored, find, list, put, put_all, revoke, view};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// The settings of a key come back: none, each alone, and all of them.
pub async fn settings_come_back(store: Arc<dyn KeyPorts>) {
    let pairs = [("plan", "pro"), ("note", "\"caf\u{e9}\" \\ '%"), ("blank", " ")];
    let metadata = Metadata::new(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()).ok();
    let metadata = metadata.expect("the metadata are valid");
    let (rate_limit, disabled_at) = ("100/m".parse().ok(), Some(at(-3)));
    let plain = KeySettings::default();
    for settings in [
        plain.clone(),
        KeySettings { metadata: metadata.clone(), ..plain.clone() },
        KeySettings { rate_limit, ..plain.clone() },
        KeySettings { rate_limit, is_rate_limit_of_host: true, ..plain.clone() },
        KeySettings { disabled_at, ..plain },
        KeySettings { metadata, rate_limit, is_rate_limit_of_host: true, disabled_at },
    ] {
        let mut sample = Sample::of(&user("alice"));
        sample.key.settings = settings;
        put(&*store, &sample).await;
        assert_eq!(find(&*store, &sample).await, Some(sample.key), "settings must come back whole");
    }
}

/// The key is stored as the change decides, and the answer names its digest. The owner's other keys do not change.
pub async fn a_change_is_stored_as_it_decides(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let (sample, others) =
        (Sample::of(&owner).used(at(-7)).expiring(at(900)), [Sample::of(&owner), Sample::of(&owner)]);
    put_all(&*store, &others).await;
    put(&*store, &sample).await;
    let plan = MetadataPatch { replaces_all: false, pairs: [("plan".to_owned(), Some("pro".to_owned()))].into() };
    let mut expected = sample.key.clone();
    for wish in [
        KeyChange { is_disabled: Some(true), ..KeyChange::default() },
        KeyChange { metadata: Some(plan), rate_limit: own_limit("7/h"), is_by_host: true, ..KeyChange::default() },
        KeyChange { label: domain::Label::parse("new").ok(), expires_at: Some(at(800)), ..KeyChange::default() },
        KeyChange { is_disabled: Some(false), rate_limit: Patch::Reset, ..KeyChange::default() },
    ] {
        expected = wish.decide(&expected, at(10)).expect("a good key can be changed");
        let answer = change(&*store, &owner, sample.id(), &wish, at(10)).await;
        let changed = ChangedKey::Changed { digest: sample.digest, key: Box::new(expected.clone()) };
        assert_eq!(answer, changed, "a change must answer with the key and its digest");
        let found = find(&*store, &sample).await;
        assert_eq!(found.as_ref(), Some(&expected), "the key must become what the change decides");
    }
    for wish in [KeyChange::default(), KeyChange { is_disabled: Some(false), ..KeyChange::default() }] {
        let answer = change(&*store, &owner, sample.id(), &wish, at(11)).await;
        let unchanged = ChangedKey::Unchanged(Box::new(expected.clone()));
        assert_eq!(answer, unchanged, "a key that is so already must not count as changed");
    }
    expect_stored(&*store, &others, "a change must change no other key").await;
}

/// A revoked key is refused as revoked and an expired one as expired, to the millisecond. No key changes.
pub async fn an_ended_key_is_not_changed(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    for (sample, refusal) in [
        (Sample::of(&owner).revoked(at(9)), KeyChangeRefusal::Revoked),
        (Sample::of(&owner).expiring(at(10)), KeyChangeRefusal::Expired),
    ] {
        put(&*store, &sample).await;
        let wish = KeyChange { is_disabled: Some(true), ..KeyChange::default() };
        assert_eq!(change(&*store, &owner, sample.id(), &wish, at(10)).await, ChangedKey::Refused(refusal));
        assert_eq!(find(&*store, &sample).await, Some(sample.key), "a refused change must change nothing");
    }
}

/// A key of another user is not changed, and an unknown one is not found.
pub async fn changing_another_users_key_changes_nothing(store: Arc<dyn KeyPorts>) {
    let sample = Sample::of(&user("alice"));
    put(&*store, &sample).await;
    let wish = KeyChange { is_disabled: Some(true), ..KeyChange::default() };
    assert_eq!(change(&*store, &user("bob"), sample.id(), &wish, at(1)).await, ChangedKey::NotOwned);
    assert_eq!(find(&*store, &sample).await.as_ref(), Some(&sample.key), "another user must change nothing");
    let unknown = Sample::of(&user("alice")).id();
    assert_eq!(change(&*store, &user("alice"), unknown, &wish, at(1)).await, ChangedKey::NotFound);
}

/// A disabled key keeps its place below the maximum, and lists show it.
pub async fn a_disabled_key_counts_towards_the_limit(store: Arc<dyn KeyPorts>) {
    let owner = user("alice");
    let disabled = Sample::of(&owner).disabled(at(-1));
    put(&*store, &disabled).await;
    expect_full(&*store, &owner, 1, "a disabled key must count").await;
    assert_eq!(list(&*store, &owner, view(at(0), 0)).await, [disabled.key], "a list must show a disabled key");
}

/// Parallel changes of different fields, and a revocation, are all kept, whatever their order.
pub async fn parallel_changes_of_different_fields_are_all_kept(store: Arc<dyn KeyPorts>) {
    for round in 0..4 {
        let owner = user(&format!("round {round}"));
        let sample = Sample::of(&owner);
        put(&*store, &sample).await;
        let named = |name: usize| MetadataPatch {
            replaces_all: false,
            pairs: [(name.to_string(), Some("set".to_owned()))].into(),
        };
        let metadata = (0..8).map(|name| KeyChange { metadata: Some(named(name)), ..KeyChange::default() });
        let others = [
            KeyChange { is_disabled: Some(true), ..KeyChange::default() },
            KeyChange { rate_limit: own_limit("9/s"), ..KeyChange::default() },
        ];
        let calls = metadata.chain(others).map(|wish| -> Call<ChangedKey> {
            let (store, owner, id) = (Arc::clone(&store), owner.clone(), sample.id());
            Box::pin(async move { change(&*store, &owner, id, &wish, at(1)).await })
        });
        for answer in all_at_once(calls.collect()).await {
            assert!(matches!(answer, ChangedKey::Changed { .. }), "each change must take effect, got {answer:?}");
        }
        let KeySettings { metadata, rate_limit, disabled_at, .. } =
            find(&*store, &sample).await.expect("stored").settings;
        let kept = (metadata.pairs().len(), rate_limit.is_some(), disabled_at.is_some());
        assert_eq!(kept, (8, true, true), "parallel changes must all be kept");
        revoke(&*store, &owner, sample.id(), at(2)).await;
        let after = find(&*store, &sample).await.expect("stored");
        assert_eq!((after.revoked_at, after.settings.metadata.pairs().len()), (Some(at(2)), 8));
    }
}

fn own_limit(text: &str) -> Patch<RateLimit> {
    Patch::Set(text.parse().expect("a valid rate limit"))
}
