//! Subscriptions whose webhooks are signed by key pairs.

use std::time::Duration;

use domain::audit::Origin;
use domain::ports::SealedSecretStore as _;
use domain::webhooks::{
    IdempotencyKey, PublicKey, ResealedSecrets, RotateSecret, RotateSecretError, Signer, SigningKeyPair, SigningKind,
    SigningSecret, SubscriptionWithSecret,
};
use domain::{SealingKeys, SubscriptionId};
use pollster::block_on;
use zeroize::Zeroizing;

use crate::desk::{Desk, MILLISECOND};

const HOUR: Duration = Duration::from_hours(1);
const ED25519: SigningKind = SigningKind::Ed25519;

fn rotation(id: SubscriptionId, signing: Option<SigningKind>) -> RotateSecret {
    RotateSecret { id, signing, secret: None, overlap: HOUR, key: None }
}

fn keyed(id: SubscriptionId, signing: Option<SigningKind>, key: &str) -> RotateSecret {
    RotateSecret { key: Some(IdempotencyKey::parse(key).unwrap()), ..rotation(id, signing) }
}

fn rotate(desk: &Desk, request: RotateSecret) -> Result<SubscriptionWithSecret, RotateSecretError> {
    block_on(desk.webhooks.rotate_secret(&desk.alice, request, &Origin::SERVICE))
}

fn public_keys(desk: &Desk, id: SubscriptionId) -> Vec<PublicKey> {
    block_on(desk.webhooks.public_keys(id)).unwrap()
}

/// What signs now, newest first, opened with this key: the secret, and the public key.
fn signers(desk: &Desk, id: SubscriptionId, key: u8) -> Vec<(Option<String>, Option<PublicKey>)> {
    let keys = SealingKeys::new(vec![Zeroizing::new([key; 32])]).unwrap();
    let secrets = block_on(desk.store.find_secrets(id)).unwrap().unwrap();
    let signers = secrets.signing_at(desk.now()).map(|sealed| keys.unseal(sealed, id).unwrap().signer);
    let secret = |signer: &Signer| signer.secret().map(|secret| secret.expose().to_owned());
    signers.map(|signer| (secret(&signer), signer.key_pair().map(SigningKeyPair::public_key))).collect()
}

#[test]
fn a_creation_shows_the_public_key_and_a_secret_only_if_there_is_one() {
    let desk = Desk::new();
    for kind in SigningKind::ALL {
        let created = desk.create_of(kind, None).unwrap();
        let (id, signing) = (created.subscription.id, created.subscription.signing);
        assert_eq!((signing.current.kind(), signing.previous), (kind, None));
        assert_eq!(created.secret.is_some(), kind != ED25519);
        let secret = created.secret.map(|secret| secret.expose().to_owned());
        assert_eq!(signers(&desk, id, 1), [(secret, signing.current.key().copied())]);
        assert_eq!(public_keys(&desk, id), signing.current.key().copied().into_iter().collect::<Vec<_>>());
    }
    let given = Desk::new().create_of(SigningKind::Both, Some("swordfish")).unwrap();
    assert!(given.secret.is_none() && given.subscription.signing.current.key().is_some());
    assert_eq!(public_keys(&desk, SubscriptionId::from_bytes([7; 16])), [], "unknown");
}

#[test]
fn a_rotation_keeps_the_kind_unless_it_names_another() {
    let desk = Desk::new();
    let id = desk.create(None).unwrap().subscription.id;
    let mut before = signers(&desk, id, 1).remove(0);
    let kinds = [None, Some(ED25519), None, Some(SigningKind::Both), None, Some(SigningKind::Hmac), None];
    let mut kind = SigningKind::Hmac;
    for wished in kinds {
        kind = wished.unwrap_or(kind);
        let rotated = rotate(&desk, rotation(id, wished)).unwrap();
        let (signing, now) = (rotated.subscription.signing, desk.now());
        assert_eq!((signing.current.kind(), rotated.secret.is_some()), (kind, kind != ED25519));
        let both = signers(&desk, id, 1);
        assert_eq!(both, [both[0].clone(), before], "what signed before signs as well");
        let keys: Vec<PublicKey> = both.iter().filter_map(|(_, key)| *key).collect();
        assert_eq!(signing.public_keys_at(now).copied().collect::<Vec<_>>(), keys);
        assert_eq!(public_keys(&desk, id), keys);
        desk.clock.advance(HOUR.saturating_sub(MILLISECOND));
        assert_eq!(public_keys(&desk, id), keys);
        desk.clock.advance(MILLISECOND);
        assert_eq!(public_keys(&desk, id), both[0].1.into_iter().collect::<Vec<_>>(), "the old key has ended");
        before = both[0].clone();
    }
}

#[test]
fn a_rotation_with_a_secret_needs_a_kind_that_shares_one() {
    let desk = Desk::new();
    let id = desk.create_of(ED25519, None).unwrap().subscription.id;
    let before = signers(&desk, id, 1);
    let secret = || Some(SigningSecret::parse("swordfish").unwrap());
    for signing in [None, Some(ED25519)] {
        let refused = rotate(&desk, RotateSecret { secret: secret(), ..rotation(id, signing) });
        assert!(matches!(refused, Err(RotateSecretError::NoSharedSecret(_))), "{refused:?}");
        assert_eq!(signers(&desk, id, 1), before, "what is refused changes nothing");
    }
    // Each call draws another key pair, and the secret says that the call is the same.
    for _ in 0..2 {
        let rotated =
            rotate(&desk, RotateSecret { secret: secret(), ..rotation(id, Some(SigningKind::Both)) }).unwrap();
        let stored = signers(&desk, id, 1);
        assert_eq!(rotated.subscription.signing.current.key().copied(), stored[0].1, "the key that is stored is shown");
        assert_eq!((stored[0].0.as_deref(), &stored[1]), (Some("swordfish"), &before[0]));
    }
}

#[test]
fn a_rotation_to_a_key_pair_is_repeated_by_its_key() {
    let desk = Desk::new();
    let (id, other) = (desk.create(None).unwrap().subscription.id, desk.create_of(ED25519, None).unwrap());
    let made = rotate(&desk, keyed(id, Some(ED25519), "one")).unwrap().subscription.signing.current;
    for wished in [Some(ED25519), None] {
        desk.clock.advance(MILLISECOND);
        let again = rotate(&desk, keyed(id, wished, "one")).unwrap();
        assert!(again.subscription.signing.current == made && again.secret.is_none(), "{wished:?}");
    }
    for (wished, key) in [(Some(ED25519), "two"), (Some(SigningKind::Both), "one"), (Some(SigningKind::Hmac), "one")] {
        let refused = rotate(&desk, keyed(id, wished, key));
        assert!(matches!(refused, Err(RotateSecretError::Overlapping { .. })), "{wished:?}, {key}");
    }
    let of_other = rotate(&desk, keyed(other.subscription.id, None, "one")).unwrap();
    assert_ne!(of_other.subscription.signing.current, made, "of another subscription");
}

#[test]
fn resealing_moves_key_pairs_too() {
    let desk = Desk::new();
    let id = desk.create_of(ED25519, None).unwrap().subscription.id;
    rotate(&desk, rotation(id, Some(SigningKind::Both))).unwrap();
    let (before, keys) = (signers(&desk, id, 1), public_keys(&desk, id));
    let both = desk.with_sealing_keys(&[2, 1]);
    let resealed = ResealedSecrets { resealed: 1, unreadable: 0 };
    assert_eq!(block_on(both.reseal_secrets()).unwrap(), resealed);
    assert_eq!((signers(&desk, id, 2), public_keys(&desk, id)), (before, keys));
}

#[test]
fn a_deleted_subscription_has_no_public_key() {
    let desk = Desk::new();
    let id = desk.create_of(ED25519, None).unwrap().subscription.id;
    assert_eq!(public_keys(&desk, id).len(), 1);
    block_on(desk.webhooks.delete_subscription(&desk.alice, id, &Origin::SERVICE)).unwrap();
    assert_eq!(public_keys(&desk, id), []);
}
