use std::time::Duration;

use domain::ports::SubscriptionStore;
use domain::webhooks::{ResealedSecrets, RotateSecret, RotateSecretError, RotatedSecret, SealingKeys, SigningSecret};
use domain::{OVERLAP_MAX, SubscriptionId};
use pollster::block_on;
use zeroize::Zeroizing;

use crate::desk::{Desk, MILLISECOND};

fn rotate(
    desk: &Desk,
    id: SubscriptionId,
    secret: Option<&str>,
    overlap: Duration,
) -> Result<RotatedSecret, RotateSecretError> {
    let secret = secret.map(|text| SigningSecret::parse(text).unwrap());
    block_on(desk.webhooks.rotate_secret(&desk.alice, RotateSecret { id, secret, overlap }))
}

/// The secrets that sign now, newest first, opened with this key.
fn signing(desk: &Desk, id: SubscriptionId, key: u8) -> Vec<Option<String>> {
    let keys = SealingKeys::new(vec![Zeroizing::new([key; 32])]).unwrap();
    let stored = block_on(desk.store.list_secrets(None, 10)).unwrap();
    let (_, secrets) = stored.into_iter().find(|(other, _)| *other == id).unwrap();
    let open = |sealed| keys.unseal(sealed, id).ok().map(|unsealed| unsealed.secret.expose().to_owned());
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
    let request = RotateSecret { id, secret: None, overlap: Duration::ZERO };
    let not_theirs = block_on(desk.webhooks.rotate_secret(&desk.bob, request));
    assert!(matches!(not_theirs, Err(RotateSecretError::NotFound)));
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
