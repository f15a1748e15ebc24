use domain::KeyUse;
use domain::ports::KeyStore;

use crate::desk::{DAY, Desk, MILLISECOND, is_unavailable, keys_over_a_failing_store, user};

#[test]
fn lists_are_newest_first_and_of_one_owner() {
    let (desk, alice) = (Desk::new(), user("alice"));
    assert_eq!(desk.list(&alice), []);
    let mut expected = Vec::new();
    for _ in 0..3 {
        expected.insert(0, desk.create(&alice, None).unwrap().id);
        desk.create(&user("bob"), None).unwrap();
        desk.clock.advance(MILLISECOND);
    }
    let listed: Vec<_> = desk.list(&alice).iter().map(|key| key.id).collect();
    assert_eq!(listed, expected);
}

#[test]
fn a_use_shows_at_once_and_never_goes_back() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let id = desk.create(&alice, None).unwrap().id;
    let (first, second) = (desk.now(), desk.now().plus(DAY));
    let shown = || desk.list(&alice)[0].last_used_at;
    assert_eq!(shown(), None);

    desk.noted.note(id, first);
    assert_eq!(shown(), Some(first), "noted, not written");
    pollster::block_on(desk.store.record_uses(&[KeyUse { id, at: second }])).unwrap();
    assert_eq!(shown(), Some(second), "written by another instance, newer than what is noted here");
}

#[test]
fn a_failing_store_is_reported() {
    let refused = pollster::block_on(keys_over_a_failing_store().list(&user("alice")));
    assert!(is_unavailable(&refused.unwrap_err()));
}
