//! Signing secrets as they are stored.

use std::sync::Arc;

use domain::ports::SecretRotation;
use domain::webhooks::{SealedSecret, SealedSecrets, Subscription};
use domain::{SubscriptionId, Timestamp};

use super::WebhookStore;
use super::calls::calling;
use super::sample::{
    add, delete, insert, only_secret, publish_at, put, replace, reread, rotate, secret, secrets_of, subscription,
    switched, update,
};
use super::work::{claim_lanes, request};
use crate::racing::{Call, all_at_once};
use crate::sample::{at, user};

/// Secrets come back byte for byte, from the list of them and with a claim.
pub async fn secrets_come_back_byte_for_byte(store: Arc<dyn WebhookStore>) {
    let every_byte: Vec<u8> = (0..=255).chain([0, 0, 255]).collect();
    for (n, bytes) in (0..).zip([vec![0], vec![1, 0], every_byte]) {
        let owner = user(&format!("user-{n}"));
        let (stored, sealed) = (subscription(&owner), SealedSecret::from_bytes(bytes));
        insert(&*store, &stored, &sealed, 1).await;
        let secrets = secrets_of(&*store, stored.id).await;
        assert_eq!(secrets, Some(only_secret(&sealed)), "a secret must come back byte for byte");
        publish_at(&*store, &owner, at(0)).await;
        let lanes = claim_lanes(&*store, &request(n)).await;
        assert_eq!(lanes[0].secrets, only_secret(&sealed), "a claim must bring what to sign with");
    }
}

/// A rotation makes the new secret current. The previous secret signs until the given instant, to the millisecond, and
/// an older one is deleted. `updated_at` is set, and the other fields of the subscription stay.
pub async fn rotation_keeps_the_secret_before(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let stored = subscription(&owner);
    let first = put(&*store, &stored).await;
    let (second, third) = (secret(), secret());
    let rotations = [(&second, &first, at(1_001), at(1)), (&third, &second, at(2_002), at(1_001))];
    for (current, previous, until, now) in rotations {
        let answer = rotate(&*store, &stored, None, current, [now, until]).await;
        let expected = Subscription { updated_at: now, ..stored.clone() };
        let rotated = SecretRotation::Rotated(expected.clone());
        assert_eq!(answer, rotated, "a rotation must change `updated_at` alone");
        assert_eq!(reread(&*store, &stored).await, expected, "what a rotation answers must be what is stored");
        let secrets = pair(current, previous, until);
        assert_eq!(secrets_of(&*store, stored.id).await.as_ref(), Some(&secrets), "current, and the one before");
        publish_at(&*store, &owner, now).await;
        let lanes = claim_lanes(&*store, &request(2_000)).await;
        assert_eq!(lanes[0].secrets, secrets, "a claim must bring both secrets");
    }
}

/// While an earlier secret signs, to the millisecond, a rotation with an overlap has no effect, and the answer has the
/// stored secrets. A rotation without an overlap succeeds, and ends the old secrets.
pub async fn an_overlap_allows_only_a_rotation_without_one(store: Arc<dyn WebhookStore>) {
    let stored = subscription(&user("alice"));
    let first = put(&*store, &stored).await;
    let (second, third, fourth) = (secret(), secret(), secret());
    rotate(&*store, &stored, None, &second, [at(1), at(100)]).await;
    let (unchanged, secrets) = (Subscription { updated_at: at(1), ..stored.clone() }, pair(&second, &first, at(100)));
    for (now, until) in [(at(2), at(100)), (at(99), at(100)), (at(99), at(9_999))] {
        let answer = rotate(&*store, &stored, None, &third, [now, until]).await;
        let refused = SecretRotation::Refused(unchanged.clone(), secrets.clone());
        assert_eq!(answer, refused, "a second overlap must be refused with what is stored");
        assert_eq!(secrets_of(&*store, stored.id).await.as_ref(), Some(&secrets), "a refusal must change nothing");
        assert_eq!(reread(&*store, &stored).await, unchanged, "a refusal must change nothing");
    }
    let answer = rotate(&*store, &stored, None, &third, [at(99), at(99)]).await;
    assert!(matches!(answer, SecretRotation::Rotated(_)), "without an overlap a rotation must succeed: {answer:?}");
    let now = secrets_of(&*store, stored.id).await;
    assert_eq!(now, Some(pair(&third, &second, at(99))), "the third secret is current");
    let answer = rotate(&*store, &stored, None, &fourth, [at(99), at(200)]).await;
    assert!(matches!(answer, SecretRotation::Rotated(_)), "the overlap is over: {answer:?}");
}

/// Of parallel rotations with an overlap, one stores its secret, in addition to the one that receivers know. The others
/// get the stored secrets.
pub async fn parallel_rotations_of_a_secret_store_one(store: Arc<dyn WebhookStore>) {
    for round in 0..5 {
        let stored = subscription(&user(&format!("round {round}")));
        let first = put(&*store, &stored).await;
        let rotations: Vec<SealedSecret> = (0..8).map(|_| secret()).collect();
        let calls = rotations.iter().map(|secret| rotation(&store, &stored, secret)).collect();
        let answers = all_at_once(calls).await;
        let is_rotated = |answer: &&SecretRotation| matches!(answer, SecretRotation::Rotated(_));
        let secrets = secrets_of(&*store, stored.id).await.expect("a live subscription has secrets");
        assert_eq!(answers.iter().filter(is_rotated).count(), 1, "one rotation must succeed, got {answers:?}");
        assert_eq!(secrets.previous, Some((first, at(100))), "the secret that receivers know must stay");
        for (answer, secret) in answers.iter().zip(&rotations) {
            match answer {
                SecretRotation::Refused(_, found) => {
                    assert_eq!(*found, secrets, "the others must get what is stored");
                }
                _ => assert_eq!(secrets.current, *secret, "the secret of the one must be stored"),
            }
        }
    }
}

/// The list of secrets has the subscriptions of every owner in the order of their ids, including disabled ones. It has at
/// most `max` entries and continues after the last one. The list of all subscriptions has the same order.
pub async fn secrets_are_listed_by_id_in_pages(store: Arc<dyn WebhookStore>) {
    let (mut all, mut subscriptions) = (Vec::new(), Vec::new());
    for n in 0..6 {
        let stored = subscription(&user(&format!("user-{}", n % 2)));
        all.push((stored.id, only_secret(&put(&*store, &stored).await)));
        let is_switched = n == 3;
        let now = if is_switched { update(&*store, &stored, &switched(false), at(1)).await } else { stored };
        subscriptions.push(now);
        let deleted = add(&*store, subscription(&user("carol"))).await;
        delete(&*store, &deleted, at(1)).await;
    }
    all.sort_by_key(|(id, _)| *id);
    subscriptions.sort_by_key(|one| one.id);
    for (after, max, expected) in [(None, 100, 0..6), (None, 4, 0..4), (Some(3), 4, 4..6), (Some(5), 4, 6..6)] {
        let listed = store.subscriptions(after.map(|place: usize| all[place].0), max).await.expect("a list succeeds");
        assert_eq!(listed, subscriptions[expected], "{max} behind {after:?}");
    }
    assert_eq!(page(&*store, None, 100).await, all, "each stored subscription has its secrets listed");
    assert_eq!(page(&*store, None, 4).await, all[..4], "a page must have as many as asked for");
    assert_eq!(page(&*store, Some(all[3].0), 4).await, all[4..], "the next page goes on above");
    assert_eq!(page(&*store, Some(all[5].0), 4).await, [], "above the last there is nothing");
}

/// Secrets are replaced only if every part equals the stored part. The subscription does not change.
pub async fn secrets_are_replaced_if_they_are_what_is_stored(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let stored = subscription(&owner);
    let first = put(&*store, &stored).await;
    let current = secret();
    rotate(&*store, &stored, None, &current, [at(1), at(100)]).await;
    let before = reread(&*store, &stored).await;
    let (from, to) = (pair(&current, &first, at(100)), pair(&secret(), &secret(), at(100)));
    let wrong = [
        pair(&secret(), &first, at(100)),
        pair(&current, &secret(), at(100)),
        pair(&current, &first, at(101)),
        only_secret(&current),
        to.clone(),
    ];
    for (n, wrong) in wrong.iter().enumerate() {
        assert!(!replace(&*store, stored.id, wrong, &to).await, "case {n} is not what is stored");
    }
    assert_eq!(secrets_of(&*store, stored.id).await.as_ref(), Some(&from), "what was refused must change nothing");
    assert!(replace(&*store, stored.id, &from, &to).await, "this is what is stored");
    assert_eq!(secrets_of(&*store, stored.id).await, Some(to.clone()), "what was answered must be stored");
    assert!(replace(&*store, stored.id, &to, &only_secret(&current)).await, "this is what is stored");
    assert!(replace(&*store, stored.id, &only_secret(&current), &from).await, "one without a previous, too");
    assert_eq!(secrets_of(&*store, stored.id).await, Some(from.clone()), "what was answered must be stored");
    assert_eq!(reread(&*store, &stored).await, before, "sealing secrets again must not change the subscription");
    assert!(!replace(&*store, subscription(&owner).id, &from, &to).await, "what is not stored has no secrets");
}

/// Of parallel replacements of the same secrets, one succeeds.
pub async fn parallel_replacements_of_secrets_succeed_once(store: Arc<dyn WebhookStore>) {
    for round in 0..5 {
        let stored = subscription(&user(&format!("round {round}")));
        let from = only_secret(&put(&*store, &stored).await);
        let replacements: Vec<SealedSecrets> = (0..8).map(|_| only_secret(&secret())).collect();
        let calls = replacements.iter().map(|to| replacement(&store, stored.id, &from, to)).collect();
        let answers = all_at_once(calls).await;
        let succeeded: Vec<usize> = (0..8).filter(|n| answers[*n]).collect();
        assert_eq!(succeeded.len(), 1, "one of 8 parallel replacements must succeed, got {answers:?}");
        let now = secrets_of(&*store, stored.id).await;
        assert_eq!(now.as_ref(), Some(&replacements[succeeded[0]]), "the one that succeeded must be stored");
    }
}

/// Sealing secrets again in parallel with a rotation never restores the old secret.
pub async fn a_replacement_beside_a_rotation_undoes_nothing(store: Arc<dyn WebhookStore>) {
    for round in 0..10 {
        let stored = subscription(&user(&format!("round {round}")));
        let from = only_secret(&put(&*store, &stored).await);
        let current = secret();
        let (to, rotated) = (only_secret(&secret()), current.clone());
        let rotating = rotation(&store, &stored, &rotated);
        let rotation: Call<bool> = Box::pin(async move { matches!(rotating.await, SecretRotation::Rotated(_)) });
        let mut calls = vec![rotation];
        calls.insert(round % 2, replacement(&store, stored.id, &from, &to));
        let answers = all_at_once(calls).await;
        let previous = if answers[round % 2] { to.current } else { from.current };
        let expected = SealedSecrets { previous: Some((previous, at(100))), ..SealedSecrets::of(current) };
        assert_eq!(secrets_of(&*store, stored.id).await, Some(expected), "one must come wholly after the other");
    }
}

/// The first check is stored byte for byte, and stays until a call names it as the one to replace. Each call answers
/// with the stored check, which can be found without a change.
pub async fn a_check_is_replaced_if_it_is_what_is_stored(store: Arc<dyn WebhookStore>) {
    let (first, second, third) = (SealedSecret::from_bytes(vec![1, 0, 255]), secret(), secret());
    let found = async || store.find_check().await.expect("finding the check must succeed");
    assert_eq!(found().await, None, "a new store has no check");
    for (replaced, check, stored) in [
        (None, &first, &first),
        (None, &second, &first),
        (Some(&second), &third, &first),
        (Some(&first), &second, &second),
        (Some(&first), &third, &second),
        (None, &third, &second),
    ] {
        let answer = store.keep_check(replaced, check).await.expect("keeping a check must succeed");
        assert_eq!(answer, *stored, "the answer must be what is stored");
        assert_eq!(found().await.as_ref(), Some(stored), "the check must be found as it is stored");
    }
}

/// Of parallel calls that find no check, one stores its own, and all answer with it.
pub async fn parallel_calls_keep_one_check(store: Arc<dyn WebhookStore>) {
    let calls = (0..8).map(|_| {
        calling(&store, |store| async move {
            store.keep_check(None, &secret()).await.expect("keeping a check must succeed")
        })
    });
    let answers = all_at_once(calls.collect()).await;
    assert!(answers.iter().all(|answer| *answer == answers[0]), "all must answer with the one check");
}

/// The secrets during an overlap.
fn pair(current: &SealedSecret, previous: &SealedSecret, until: Timestamp) -> SealedSecrets {
    SealedSecrets { previous: Some((previous.clone(), until)), ..only_secret(current) }
}

fn rotation(store: &Arc<dyn WebhookStore>, stored: &Subscription, secret: &SealedSecret) -> Call<SecretRotation> {
    let (store, stored, secret) = (Arc::clone(store), stored.clone(), secret.clone());
    Box::pin(async move { rotate(&*store, &stored, None, &secret, [at(1), at(100)]).await })
}

async fn page(
    store: &dyn WebhookStore,
    after: Option<SubscriptionId>,
    max: u32,
) -> Vec<(SubscriptionId, SealedSecrets)> {
    store.list_secrets(after, max).await.expect("a list of secrets must succeed")
}

fn replacement(
    store: &Arc<dyn WebhookStore>,
    id: SubscriptionId,
    from: &SealedSecrets,
    to: &SealedSecrets,
) -> Call<bool> {
    let (store, from, to) = (Arc::clone(store), from.clone(), to.clone());
    Box::pin(async move { replace(&*store, id, &from, &to).await })
}
