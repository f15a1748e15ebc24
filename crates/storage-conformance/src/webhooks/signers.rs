//! Which signatures a subscription makes, and the public keys that everybody may know.

use std::sync::Arc;

use domain::SubscriptionId;
use domain::ports::{ListSubscriptionsRequest, SecretRotation};
use domain::webhooks::{SealedSecret, SealedSecrets, SigningKind, Subscription, SubscriptionChange};

use super::WebhookStore;
use super::sample::{
    delete, insert, only_secret, replace, reread, rotate, secrets_of, signer_of, subscription, subscriptions, switched,
    update, url,
};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// What a subscription shows of its signers is what its secrets say, from every method that answers with it, also after
/// changes that concern other fields.
pub async fn public_keys_come_back_with_subscriptions(store: Arc<dyn WebhookStore>) {
    for (round, kind) in (0..).zip(SigningKind::ALL) {
        let owner = user(&format!("user-{round}"));
        let stored = put_signer(&*store, &subscription(&owner), &signer_of(kind)).await;
        assert_eq!(stored.signing.current.kind(), kind, "the sample is of its kind");
        assert_eq!(reread(&*store, &stored).await, stored, "a look-up must show the public key");
        let listed = subscriptions(&*store, &owner).await;
        assert_eq!(listed.as_slice(), std::slice::from_ref(&stored), "a list must show the public key");
        let request = ListSubscriptionsRequest { owner: owner.clone(), before: None, max: 9 };
        let listed = store.list_with_health(&request).await.expect("a list succeeds");
        assert_eq!(listed[0].0, stored, "a list with health must show the public key");
        let elsewhere = Some(url("https://other.example/in"));
        for change in [SubscriptionChange { url: elsewhere, ..SubscriptionChange::default() }, switched(false)] {
            let changed = update(&*store, &stored, &change, at(5)).await;
            assert_eq!(changed.signing, stored.signing, "a change must leave the signers: {change:?}");
            assert_eq!(reread(&*store, &stored).await, changed, "what is answered must be stored");
        }
    }
}

/// A rotation replaces a signer by one of any kind. During the overlap the subscription shows both public keys. A rotation
/// for another kind than that of the current signer has no effect.
pub async fn a_rotation_changes_what_signs(store: Arc<dyn WebhookStore>) {
    let (hmac, ed25519, both) = (SigningKind::Hmac, SigningKind::Ed25519, SigningKind::Both);
    let mut before = put_signer(&*store, &subscription(&user("alice")), &signer_of(hmac)).await;
    let mut current = secrets_of(&*store, before.id).await.expect("it is stored").current;
    for (now, kind) in (1..).zip([ed25519, ed25519, both, hmac, hmac]) {
        let (now, until, next) = (at(1_000 * now), at(1_000 * now + 500), signer_of(kind));
        let of_kind = before.signing.current.kind();
        for wrong in SigningKind::ALL.into_iter().filter(|wrong| *wrong != of_kind) {
            let secrets = secrets_of(&*store, before.id).await.expect("it is stored");
            let answer = rotate(&*store, &before, Some(wrong), &next, [now, until]).await;
            let refused = SecretRotation::Refused(before.clone(), secrets.clone());
            assert_eq!(answer, refused, "the current signer is of another kind than {wrong:?}");
            assert_eq!(secrets_of(&*store, before.id).await, Some(secrets), "a refusal must change nothing");
        }
        let answer = rotate(&*store, &before, Some(of_kind), &next, [now, until]).await;
        let secrets = SealedSecrets { previous: Some((current, until)), ..only_secret(&next) };
        let expected = Subscription { updated_at: now, signing: secrets.signing(), ..before.clone() };
        assert_eq!(answer, SecretRotation::Rotated(expected.clone()), "a rotation must show the new and the old key");
        assert_eq!(reread(&*store, &before).await, expected, "what is answered must be stored");
        assert_eq!(secrets_of(&*store, before.id).await, Some(secrets), "the signers must be stored");
        (before, current) = (expected, next);
    }
}

/// A rotation for one kind, in parallel with a rotation that replaces the signer of this kind, never comes after it.
pub async fn a_rotation_for_a_kind_beside_its_end_undoes_nothing(store: Arc<dyn WebhookStore>) {
    let (hmac, ed25519) = (SigningKind::Hmac, SigningKind::Ed25519);
    for round in 0..10 {
        let owner = user(&format!("round {round}"));
        let stored = put_signer(&*store, &subscription(&owner), &signer_of(hmac)).await;
        let (pair, secret) = (signer_of(ed25519), signer_of(hmac));
        let mut calls = vec![rotation(&store, &stored, None, &pair)];
        calls.insert(round % 2, rotation(&store, &stored, Some(hmac), &secret));
        all_at_once(calls).await;
        let secrets = secrets_of(&*store, stored.id).await.expect("it is stored");
        assert_eq!(secrets.current, pair, "the rotation for the old kind must come first, or be refused");
    }
}

/// The secrets of a subscription of any owner are found by its id, as they are stored, until it is deleted.
pub async fn secrets_are_found_by_id_alone(store: Arc<dyn WebhookStore>) {
    let find = async |id: SubscriptionId| store.find_secrets(id).await.expect("a look-up must succeed");
    let (alices, bobs) = (subscription(&user("alice")), subscription(&user("bob")));
    let (alices_signer, first) = (signer_of(SigningKind::Both), signer_of(SigningKind::Ed25519));
    put_signer(&*store, &alices, &alices_signer).await;
    let bobs = put_signer(&*store, &bobs, &first).await;
    let second = signer_of(SigningKind::Ed25519);
    rotate(&*store, &bobs, None, &second, [at(1), at(9)]).await;
    update(&*store, &bobs, &switched(false), at(2)).await;
    let rotated = SealedSecrets { previous: Some((first, at(9))), ..only_secret(&second) };
    assert_eq!(find(alices.id).await, Some(only_secret(&alices_signer)), "each has its own secrets");
    assert_eq!(find(bobs.id).await.as_ref(), Some(&rotated), "both secrets must be found, also of a disabled one");
    let to = only_secret(&signer_of(SigningKind::Ed25519));
    assert!(replace(&*store, bobs.id, &rotated, &to).await, "this is what is stored");
    assert_eq!(reread(&*store, &bobs).await.signing, to.signing(), "secrets that were sealed again must be shown");
    assert_eq!(find(bobs.id).await, Some(to), "secrets that were sealed again must be found");
    assert_eq!(find(subscription(&user("alice")).id).await, None, "what is not stored has no secrets");
    delete(&*store, &bobs, at(3)).await;
    assert_eq!(find(bobs.id).await, None, "a deleted subscription has no secrets");
}

/// Stores the subscription with this signer.
async fn put_signer(store: &dyn WebhookStore, like: &Subscription, signer: &SealedSecret) -> Subscription {
    let stored = Subscription { signing: only_secret(signer).signing(), ..like.clone() };
    insert(store, &stored, signer, 9).await;
    stored
}

/// A rotation without an overlap.
fn rotation(
    store: &Arc<dyn WebhookStore>,
    stored: &Subscription,
    of_kind: Option<SigningKind>,
    secret: &SealedSecret,
) -> Call<SecretRotation> {
    let (store, stored, secret) = (Arc::clone(store), stored.clone(), secret.clone());
    Box::pin(async move { rotate(&*store, &stored, of_kind, &secret, [at(1), at(1)]).await })
}
