use domain::audit::Origin;
use domain::memory::SeededEntropy;
use domain::ports::CredentialStore as _;
use domain::{KeyId, RevokeKeyError};

use crate::desk::{DAY, Desk, user};

#[test]
fn the_first_revocation_counts() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let created = desk.create(&alice, None).unwrap();
    let revoked_at = Some(desk.now());
    for _ in 0..2 {
        let keys = pollster::block_on(desk.keys.revoke(&alice, created.id, &Origin::SERVICE)).unwrap();
        assert_eq!(keys.iter().map(|key| key.revoked_at).collect::<Vec<_>>(), [revoked_at]);
        desk.clock.advance(DAY);
    }
    let found = pollster::block_on(desk.store.find_by_digest(&created.full_key.digest())).unwrap().unwrap();
    assert!(!found.is_active(desk.now()));
}

#[test]
fn only_its_owner_revokes_a_key() {
    let (desk, alice, mallory) = (Desk::new(), user("alice"), user("mallory"));
    let id = desk.create(&alice, None).unwrap().id;
    let refused = pollster::block_on(desk.keys.revoke(&mallory, id, &Origin::SERVICE));
    assert!(matches!(refused, Err(RevokeKeyError::NotOwned)), "{refused:?}");
    assert_eq!(desk.list(&alice)[0].revoked_at, None);
}

#[test]
fn an_unknown_key_is_not_found() {
    let desk = Desk::new();
    let unknown = KeyId::mint(desk.now(), &SeededEntropy::new(1));
    let refused = pollster::block_on(desk.keys.revoke(&user("alice"), unknown, &Origin::SERVICE));
    assert!(matches!(refused, Err(RevokeKeyError::NotFound)), "{refused:?}");
}

#[test]
fn the_answer_shows_uses_that_are_not_written_yet() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let id = desk.create(&alice, None).unwrap().id;
    desk.noted.note(id, desk.now());
    let keys = pollster::block_on(desk.keys.revoke(&alice, id, &Origin::SERVICE)).unwrap();
    assert_eq!(keys[0].last_used_at, Some(desk.now()));
}
