use domain::audit::Origin;
use domain::ports::CredentialStore as _;
use domain::{CreateKeyError, InvalidExpiry, has_valid_check};

use crate::desk::{DAY, Desk, MILLISECOND, user};

#[test]
fn a_new_key_is_stored_under_the_digest_of_its_secret() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let expires_at = Some(desk.now().plus(DAY));
    let created = desk.create(&alice, expires_at).unwrap();
    assert!(created.full_key.expose().starts_with("svc_live_"));
    assert!(has_valid_check(created.full_key.expose()));

    let [key] = &created.keys[..] else { panic!("one key: {:?}", created.keys) };
    assert_eq!((key.id, &key.owner, key.label.as_str()), (created.id, &alice, "CI deploy"));
    assert_eq!(key.prefix, format!("{}...", &created.full_key.expose()[..12]));
    assert_eq!((key.created_at, key.expires_at), (desk.now(), expires_at));
    assert_eq!((key.last_used_at, key.revoked_at), (None, None));
    let found = pollster::block_on(desk.store.find_by_digest(&created.full_key.digest())).unwrap();
    assert_eq!(found.as_ref(), Some(key));
}

#[test]
fn every_key_is_another_one() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let (one, other) = (desk.create(&alice, None).unwrap(), desk.create(&alice, None).unwrap());
    assert_ne!(one.id, other.id);
    assert_ne!(one.full_key.expose(), other.full_key.expose());
    assert_eq!(other.keys.len(), 2);
}

#[test]
fn the_maximum_counts_active_keys_of_the_owner() {
    let (desk, alice) = (Desk::new(), user("alice"));
    desk.create(&alice, Some(desk.now().plus(DAY))).unwrap();
    desk.create(&alice, None).unwrap();
    let revoked = desk.create(&alice, None).unwrap().id;
    assert!(matches!(desk.create(&alice, None), Err(CreateKeyError::LimitReached { max: 3 })));
    assert!(desk.create(&user("bob"), None).is_ok());

    pollster::block_on(desk.keys.revoke(&alice, revoked, &Origin::SERVICE)).unwrap();
    desk.create(&alice, None).unwrap();
    assert!(matches!(desk.create(&alice, None), Err(CreateKeyError::LimitReached { max: 3 })));

    desk.clock.advance(DAY.saturating_sub(MILLISECOND));
    assert!(matches!(desk.create(&alice, None), Err(CreateKeyError::LimitReached { max: 3 })));
    desk.clock.advance(MILLISECOND);
    assert_eq!(desk.create(&alice, None).unwrap().keys.len(), 5);
}

#[test]
fn an_expiry_lies_ahead_and_within_the_longest_time_to_live() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let now = desk.now();
    for wrong in [now.minus(DAY), now.minus(MILLISECOND), now, now.plus(DAY * 30).plus(MILLISECOND)] {
        let refused = desk.create(&alice, Some(wrong));
        assert!(
            matches!(refused, Err(CreateKeyError::Expiry(InvalidExpiry::OutOfRange { max_days: 30 }))),
            "{wrong}: {refused:?}"
        );
    }
    assert_eq!(desk.list(&alice), []);
    for right in [now.plus(MILLISECOND), now.plus(DAY * 30)] {
        assert!(desk.create(&alice, Some(right)).is_ok(), "{right}");
    }
}

#[test]
fn the_answer_shows_uses_that_are_not_written_yet() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let used = desk.create(&alice, None).unwrap().id;
    desk.noted.note(used, desk.now());
    let keys = desk.create(&alice, None).unwrap().keys;
    let shown: Vec<_> = keys.iter().filter(|key| key.last_used_at == Some(desk.now())).map(|key| key.id).collect();
    assert_eq!(shown, [used]);
}
