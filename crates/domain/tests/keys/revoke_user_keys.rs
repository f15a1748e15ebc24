use std::time::Duration;

use domain::audit::Origin;
use domain::ports::KeyStore as _;
use domain::{ListView, REVOKE_BATCH_MAX};

use crate::desk::{Desk, user};

#[test]
fn keys_from_an_instant_on_stay() {
    let (desk, alice) = (Desk::new(), user("alice"));
    desk.create(&alice, None).unwrap();
    desk.clock.advance(Duration::from_millis(1));
    let (boundary, late) = (desk.now(), desk.create(&alice, None).unwrap());
    assert_eq!(pollster::block_on(desk.keys.revoke_all(&alice, Some(boundary), &Origin::SERVICE)).unwrap(), 1);
    let good: Vec<_> = desk.list(&alice).into_iter().filter(|key| key.is_good(desk.now())).map(|key| key.id).collect();
    assert_eq!(good, [late.id]);
}

/// A user may have more keys than one transaction revokes: keys that expired without being revoked stay until the purge.
#[test]
fn more_keys_than_one_batch_are_revoked() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let count = REVOKE_BATCH_MAX + 1;
    for _ in 0..count {
        desk.create(&alice, Some(desk.now().plus(Duration::from_secs(1)))).unwrap();
        desk.clock.advance(Duration::from_secs(1));
    }
    assert_eq!(pollster::block_on(desk.keys.revoke_all(&alice, None, &Origin::SERVICE)).unwrap(), u64::from(count));
    let everything = ListView { at: desk.now(), ended_max: u32::MAX };
    let keys = pollster::block_on(desk.store.list(&alice, everything)).unwrap();
    assert!(keys.iter().all(|key| key.revoked_at.is_some()));
    assert_eq!(pollster::block_on(desk.keys.revoke_all(&alice, None, &Origin::SERVICE)).unwrap(), 0);
}
