use std::time::Duration;

use domain::audit::Origin;
use domain::memory::SeededEntropy;
use domain::ports::{ChangeFeed, CredentialChanges, CredentialStore as _, FeedPosition};
use domain::{
    ApiKey, CreateKey, CreateKeyError, CreatedKey, KeyId, KeyRotation, OVERLAP_MAX, OwnerId, RotateKey, RotateKeyError,
    RotationRefusal, Scopes, WebhookAccess,
};

use crate::desk::{DAY, Desk, MILLISECOND, request, user};

fn rotate(desk: &Desk, owner: &OwnerId, id: KeyId, overlap: Duration) -> Result<CreatedKey, RotateKeyError> {
    pollster::block_on(desk.keys.rotate(owner, rotation(id, overlap), &Origin::SERVICE))
}

pub(crate) fn rotation(id: KeyId, overlap: Duration) -> RotateKey {
    RotateKey { id, overlap, webhooks_max: Some(WebhookAccess::Write), created_by: None }
}

fn refusal(outcome: Result<CreatedKey, RotateKeyError>) -> RotationRefusal {
    match outcome {
        Err(RotateKeyError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

fn find(keys: &[ApiKey], id: KeyId) -> ApiKey {
    keys.iter().find(|key| key.id == id).expect("it is listed").clone()
}

#[test]
fn without_an_overlap_the_old_key_is_revoked() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let old = desk.create(&alice, None).unwrap();
    let new = rotate(&desk, &alice, old.id, Duration::ZERO).unwrap();
    let replaced = find(&new.keys, old.id);
    assert_eq!((replaced.revoked_at, replaced.replaced_by), (Some(desk.now()), Some(new.id)));
    assert_eq!(replaced.expires_at, None, "it is revoked, and its expiry is what it was");
    assert!(find(&new.keys, new.id).is_active(desk.now()));

    let read = pollster::block_on(desk.store.changes_since(Some(&FeedPosition::new("0")), 10)).unwrap();
    assert_eq!(read.changes, CredentialChanges::Of(vec![old.full_key.digest()]));
}

#[test]
fn both_keys_are_good_until_the_overlap_ends() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let old = desk.create(&alice, None).unwrap();
    let new = rotate(&desk, &alice, old.id, OVERLAP_MAX).unwrap();
    let replaced = find(&new.keys, old.id);
    assert_eq!(replaced.expires_at, Some(desk.now().plus(OVERLAP_MAX)));
    assert_eq!(replaced.revoked_at, None);
    desk.clock.advance(OVERLAP_MAX.checked_sub(MILLISECOND).unwrap());
    assert!(replaced.is_good(desk.now()) && !replaced.is_active(desk.now()));
    desk.clock.advance(MILLISECOND);
    assert!(!replaced.is_good(desk.now()));
    assert!(find(&desk.list(&alice), new.id).is_active(desk.now()));
}

#[test]
fn an_overlap_never_makes_a_key_live_longer() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let expires_at = desk.now().plus(DAY);
    let old = desk.create(&alice, Some(expires_at)).unwrap();
    let new = rotate(&desk, &alice, old.id, 2 * DAY).unwrap();
    assert_eq!(find(&new.keys, old.id).expires_at, Some(expires_at));
}

#[test]
fn the_successor_inherits_label_scopes_and_lifetime() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let scopes = Scopes::parse("orders:read orders:write").unwrap();
    let asked = CreateKey { scopes: scopes.clone(), ..request(Some(desk.now().plus(20 * DAY))) };
    let label = asked.label.clone();
    let old = pollster::block_on(desk.keys.create(&alice, asked, &Origin::SERVICE)).unwrap();
    desk.clock.advance(19 * DAY);
    let new = rotate(&desk, &alice, old.id, Duration::ZERO).unwrap();
    let successor = find(&new.keys, new.id);
    assert_eq!((&successor.label, &successor.scopes, &successor.owner), (&label, &scopes, &alice));
    assert_eq!(successor.expires_at, Some(desk.now().plus(20 * DAY)), "20 days again, from now on");
    assert_eq!((successor.created_at, successor.last_used_at, successor.replaced_by), (desk.now(), None, None));
    assert_ne!(new.full_key.expose(), old.full_key.expose());
    let found = pollster::block_on(desk.store.find_by_digest(&new.full_key.digest())).unwrap();
    assert_eq!(found, Some(successor));
}

#[test]
fn a_successor_lives_no_longer_than_keys_may_live_by_now() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let old = desk.create(&alice, Some(desk.now().plus(20 * DAY))).unwrap();
    let rotation = KeyRotation {
        successor: KeyId::mint(desk.now(), &SeededEntropy::new(1)),
        prefix: "svc_live_new...".into(),
        at: desk.now(),
        overlap: Duration::ZERO,
        overlapping_max: 3,
        ttl_max: 5 * DAY, // the operator has lowered it since
        ttl_if_endless: None,
        webhooks_max: Some(WebhookAccess::Write),
        created_by: None,
    };
    let rotated = rotation.decide(&find(&old.keys, old.id), 0).unwrap();
    assert_eq!(rotated.successor.expires_at, Some(desk.now().plus(5 * DAY)));
}

#[test]
fn the_successor_of_an_endless_key_expires_where_keys_must_expire() {
    for (default_ttl_days, days) in [(None, 30), (Some(7), 7)] {
        let (desk, alice) = (Desk::new(), user("alice"));
        let old = desk.create(&alice, None).unwrap();
        let keys = desk.where_keys_must_expire(default_ttl_days);
        let rotated = keys.rotate(&alice, rotation(old.id, Duration::ZERO), &Origin::SERVICE);
        let new = pollster::block_on(rotated).unwrap();
        assert_eq!(find(&new.keys, new.id).expires_at, Some(desk.now().plus(days * DAY)));
    }
}

#[test]
fn rotation_works_at_the_maximum_and_never_passes_it() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let ids: Vec<KeyId> = (0..3).map(|_| desk.create(&alice, None).unwrap().id).collect();
    let full = |desk: &Desk| matches!(desk.create(&alice, None), Err(CreateKeyError::LimitReached { max: 3 }));
    assert!(full(&desk));
    let mut successors = Vec::new();
    for id in &ids {
        successors.push(rotate(&desk, &alice, *id, DAY).unwrap().id);
        assert!(full(&desk));
    }
    assert_eq!(desk.list(&alice).len(), 6, "what is being replaced is listed");

    // At most as many overlaps as active keys: otherwise the number of a user's good keys has no limit.
    assert_eq!(refusal(rotate(&desk, &alice, successors[0], DAY)), RotationRefusal::OverlapLimitReached);
    let third =
        rotate(&desk, &alice, successors[0], Duration::ZERO).expect("without an overlap there is none to count");
    pollster::block_on(desk.keys.revoke(&alice, ids[0], &Origin::SERVICE)).unwrap();
    rotate(&desk, &alice, third.id, DAY).expect("an overlap was ended");

    desk.clock.advance(DAY);
    let good = desk.list(&alice).into_iter().filter(|key| key.is_good(desk.now()));
    assert_eq!(good.count(), 3);
    assert!(full(&desk));
}

#[test]
fn what_cannot_be_rotated_is_refused_and_stays() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let (revoked, replaced) = (desk.create(&alice, None).unwrap().id, desk.create(&alice, None).unwrap().id);
    let expired = desk.create(&alice, Some(desk.now().plus(DAY))).unwrap().id;
    pollster::block_on(desk.keys.revoke(&alice, revoked, &Origin::SERVICE)).unwrap();
    let successor = rotate(&desk, &alice, replaced, 2 * DAY).unwrap().id;
    desk.clock.advance(DAY);
    let before = desk.list(&alice);
    assert_eq!(refusal(rotate(&desk, &alice, revoked, DAY)), RotationRefusal::Revoked);
    assert_eq!(refusal(rotate(&desk, &alice, replaced, Duration::ZERO)), RotationRefusal::Replaced(successor));
    assert_eq!(refusal(rotate(&desk, &alice, expired, DAY)), RotationRefusal::Expired);
    let too_long = rotate(&desk, &alice, replaced, OVERLAP_MAX + MILLISECOND);
    assert!(matches!(too_long, Err(RotateKeyError::OverlapOutOfRange)), "{too_long:?}");
    let anothers = rotate(&desk, &user("mallory"), replaced, DAY);
    assert!(matches!(anothers, Err(RotateKeyError::NotOwned)), "{anothers:?}");
    let unknown = rotate(&desk, &alice, KeyId::mint(desk.now(), &SeededEntropy::new(1)), DAY);
    assert!(matches!(unknown, Err(RotateKeyError::NotFound)), "{unknown:?}");
    assert_eq!(desk.list(&alice), before);
}

#[test]
fn a_key_that_is_being_replaced_can_be_revoked() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let old = desk.create(&alice, None).unwrap();
    let new = rotate(&desk, &alice, old.id, DAY).unwrap();
    let keys = pollster::block_on(desk.keys.revoke(&alice, old.id, &Origin::SERVICE)).unwrap();
    assert!(!find(&keys, old.id).is_good(desk.now()));
    assert!(find(&keys, new.id).is_active(desk.now()));
}
