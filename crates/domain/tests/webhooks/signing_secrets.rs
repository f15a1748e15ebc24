use std::time::Duration;

use domain::audit::Origin;
use domain::ports::{SealedSecretStore as _, SubscriptionStore as _};
use domain::webhooks::{
    CheckKeysError, IdempotencyKey, NoPushSubscription, ResealedSecrets, RotateSecret, RotateSecretError,
    SigningSecret, SubscriptionWithSecret, Webhooks,
};
use domain::{OVERLAP_MAX, SealingKeys, SubscriptionId};
use pollster::block_on;
use zeroize::Zeroizing;

use crate::desk::{Desk, MILLISECOND};

const HOUR: Duration = Duration::from_hours(1);

fn rotate(
    desk: &Desk,
    id: SubscriptionId,
    secret: Option<&str>,
    overlap: Duration,
) -> Result<SubscriptionWithSecret, RotateSecretError> {
    let secret = secret.map(|text| SigningSecret::parse(text).unwrap());
    let request = RotateSecret { id, signing: None, secret, overlap, key: None };
    block_on(desk.webhooks.rotate_secret(&desk.alice, request, &Origin::SERVICE))
}

/// A rotation with an overlap of an hour that lets the service make the secret.
fn rotate_by_key(webhooks: &Webhooks, desk: &Desk, id: SubscriptionId, key: &str) -> Result<String, RotateSecretError> {
    let key = Some(IdempotencyKey::parse(key).unwrap());
    let request = RotateSecret { id, signing: None, secret: None, overlap: HOUR, key };
    let rotated = block_on(webhooks.rotate_secret(&desk.alice, request, &Origin::SERVICE))?;
    Ok(rotated.secret.expect("a secret that was made is shown").expose().to_owned())
}

/// The secrets that sign now, newest first, opened with this key.
fn signing(desk: &Desk, id: SubscriptionId, key: u8) -> Vec<Option<String>> {
    let keys = SealingKeys::new(vec![Zeroizing::new([key; 32])]).unwrap();
    let stored = block_on(desk.store.list_secrets(None, 10)).unwrap();
    let (_, secrets) = stored.into_iter().find(|(other, _)| *other == id).unwrap();
    let open =
        |sealed| keys.unseal(sealed, id).ok().map(|unsealed| unsealed.signer.secret().unwrap().expose().to_owned());
    secrets.signing_at(desk.now()).map(open).collect()
}

#[test]
fn a_secret_is_shown_only_when_it_was_made() {
    let desk = Desk::new();
    let made = desk.create(None).unwrap();
    assert_eq!(signing(&desk, made.subscription.id, 1), [Some(made.secret.unwrap().expose().to_owned())]);
    let given = desk.create(Some("swordfish")).unwrap();
    assert!(given.secret.is_none());
    assert_eq!(signing(&desk, given.subscription.id, 1), [Some("swordfish".into())]);
}

#[test]
fn a_rotation_overlaps_and_forgets_the_third() {
    let desk = Desk::new();
    let id = desk.create(Some("first")).unwrap().subscription.id;
    assert!(rotate(&desk, id, Some("second"), OVERLAP_MAX).unwrap().secret.is_none());
    assert_eq!(signing(&desk, id, 1), [Some("second".into()), Some("first".into())]);
    desk.clock.advance(OVERLAP_MAX.saturating_sub(MILLISECOND));
    assert_eq!(signing(&desk, id, 1).len(), 2);
    desk.clock.advance(MILLISECOND);
    assert_eq!(signing(&desk, id, 1), [Some("second".into())]);
    rotate(&desk, id, Some("third"), MILLISECOND).unwrap();
    desk.clock.advance(MILLISECOND);
    let fourth = rotate(&desk, id, None, MILLISECOND).unwrap().secret.unwrap();
    assert_eq!(signing(&desk, id, 1), [Some(fourth.expose().to_owned()), Some("third".into())]);
    rotate(&desk, id, Some("fifth"), Duration::ZERO).unwrap();
    assert_eq!(signing(&desk, id, 1), [Some("fifth".into())]);
}

#[test]
fn a_rotation_is_refused_when_it_is_too_long_or_about_nothing() {
    let desk = Desk::new();
    let id = desk.subscribe();
    let too_long = rotate(&desk, id, None, OVERLAP_MAX + MILLISECOND);
    assert!(matches!(too_long, Err(RotateSecretError::OverlapOutOfRange)));
    let request = RotateSecret { id, signing: None, secret: None, overlap: Duration::ZERO, key: None };
    let not_theirs = block_on(desk.webhooks.rotate_secret(&desk.bob, request, &Origin::SERVICE));
    assert!(matches!(not_theirs, Err(RotateSecretError::NoSubscription(NoPushSubscription::NotFound))));
}

#[test]
fn a_second_rotation_does_not_drop_the_secret_that_receivers_know() {
    let desk = Desk::new();
    let id = desk.create(Some("known")).unwrap().subscription.id;
    let made = rotate(&desk, id, None, HOUR).unwrap().secret.unwrap();
    let until = desk.now().plus(HOUR);
    desk.clock.advance(HOUR.saturating_sub(MILLISECOND));
    let again = rotate(&desk, id, None, HOUR);
    assert!(matches!(again, Err(RotateSecretError::Overlapping { until: at }) if at == until), "{again:?}");
    assert_eq!(signing(&desk, id, 1), [Some(made.expose().to_owned()), Some("known".into())]);
    rotate(&desk, id, Some("known"), Duration::ZERO).unwrap();
    assert_eq!(signing(&desk, id, 1), [Some("known".into())], "without an overlap the old secrets end");
}

#[test]
fn a_rotation_is_repeated_by_its_key() {
    let desk = Desk::new();
    let (id, other) = (desk.create(Some("known")).unwrap().subscription.id, desk.subscribe());
    let made = rotate_by_key(&desk.webhooks, &desk, id, "one").unwrap();
    let updated_at = desk.now();
    desk.clock.advance(MILLISECOND);
    assert_eq!(rotate_by_key(&desk.webhooks, &desk, id, "one").unwrap(), made);
    assert_eq!(signing(&desk, id, 1), [Some(made.clone()), Some("known".into())]);
    let (subscription, _) = block_on(desk.store.find(&desk.alice, id)).unwrap().unwrap();
    assert_eq!(subscription.updated_at, updated_at, "a repetition changes nothing");
    let second = rotate_by_key(&desk.webhooks, &desk, id, "two");
    assert!(matches!(second, Err(RotateSecretError::Overlapping { .. })), "{second:?}");
    assert_ne!(rotate_by_key(&desk.webhooks, &desk, other, "one").unwrap(), made, "of another subscription");
}

/// The repetition may reach an instance that seals under another key, before or after the secrets are sealed again.
#[test]
fn a_rotation_is_repeated_while_the_encryption_key_changes() {
    let desk = Desk::new();
    let id = desk.create(Some("known")).unwrap().subscription.id;
    let made = rotate_by_key(&desk.webhooks, &desk, id, "one").unwrap();
    for keys in [&[1, 2][..], &[2, 1]] {
        assert_eq!(rotate_by_key(&desk.with_sealing_keys(keys), &desk, id, "one").unwrap(), made, "{keys:?}");
    }
    let both = desk.with_sealing_keys(&[2, 1]);
    block_on(both.reseal_secrets()).unwrap();
    assert_eq!(rotate_by_key(&both, &desk, id, "one").unwrap(), made);
    assert_eq!(signing(&desk, id, 2), [Some(made), Some("known".into())]);
}

#[test]
fn a_rotation_to_a_chosen_secret_is_repeated_by_the_secret() {
    let desk = Desk::new();
    let id = desk.create(Some("known")).unwrap().subscription.id;
    for _ in 0..2 {
        assert!(rotate(&desk, id, Some("chosen"), HOUR).unwrap().secret.is_none());
        assert_eq!(signing(&desk, id, 1), [Some("chosen".into()), Some("known".into())]);
    }
}

#[test]
fn resealing_moves_everything_to_the_newest_key() {
    let desk = Desk::new();
    let first = desk.create(Some("first")).unwrap().subscription.id;
    rotate(&desk, first, Some("second"), OVERLAP_MAX).unwrap();
    let lost = desk.create(Some("lost")).unwrap().subscription.id;
    let both = desk.with_sealing_keys(&[2, 1]);
    let resealed = ResealedSecrets { resealed: 2, unreadable: 0 };
    assert_eq!(block_on(both.reseal_secrets()).unwrap(), resealed);
    assert_eq!(signing(&desk, first, 2), [Some("second".into()), Some("first".into())]);
    assert_eq!(signing(&desk, lost, 2), [Some("lost".into())]);
    assert_eq!(signing(&desk, lost, 1), [None]);
    assert_eq!(block_on(both.reseal_secrets()).unwrap(), ResealedSecrets::default(), "there is nothing left to do");
    let wrong = desk.with_sealing_keys(&[3]);
    let unreadable = ResealedSecrets { resealed: 0, unreadable: 2 };
    assert_eq!(block_on(wrong.reseal_secrets()).unwrap(), unreadable);
    assert_eq!(signing(&desk, lost, 2), [Some("lost".into())], "what does not open is left as it is");
}

/// The steps of a rotation of the encryption key, each after the one before it: all of them start, and a foreign key does
/// not. A key that is not listed any more does not start once everything is sealed again.
#[test]
fn a_foreign_sealing_key_is_found() {
    let desk = Desk::new();
    let check = |keys: &[u8]| block_on(desk.with_sealing_keys(keys).check_keys());
    let is_foreign = |keys: &[u8]| matches!(check(keys), Err(CheckKeysError::Foreign));
    check(&[1]).unwrap();
    assert!(is_foreign(&[2]) && is_foreign(&[2, 3]));
    for keys in [&[1][..], &[1, 2], &[2, 1]] {
        check(keys).unwrap();
        assert!(is_foreign(&[2]), "the secrets are not sealed again before {keys:?}");
    }
    block_on(desk.with_sealing_keys(&[1, 2]).reseal_secrets()).unwrap();
    assert!(is_foreign(&[2]), "the first key is still the old one");
    block_on(desk.with_sealing_keys(&[2, 1]).reseal_secrets()).unwrap();
    for keys in [&[2][..], &[2, 1], &[1, 2]] {
        check(keys).unwrap();
    }
    assert!(is_foreign(&[1]));
}
