use crate::desk::{DAY, Desk, MILLISECOND, is_unavailable, purge_of_a_failing_store, user};
use domain::audit::Origin;

#[test]
fn ended_keys_are_kept_for_the_retention_and_not_longer() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let expiring = desk.create(&alice, Some(desk.now().plus(DAY))).unwrap().id;
    let revoked = desk.create(&alice, None).unwrap().id;
    let active = desk.create(&alice, None).unwrap().id;
    pollster::block_on(desk.keys.revoke(&alice, revoked, &Origin::SERVICE)).unwrap();
    let purge = || desk.purge();
    let left = || {
        let mut ids: Vec<_> = desk.list(&alice).iter().map(|key| key.id).collect();
        ids.sort_unstable();
        ids
    };
    let sorted = |mut ids: Vec<_>| {
        ids.sort_unstable();
        ids
    };

    desk.clock.advance(DAY * 10);
    assert_eq!((purge(), left()), (0, sorted(vec![expiring, revoked, active])), "revoked 10 days ago, to the instant");
    desk.clock.advance(MILLISECOND);
    assert_eq!((purge(), left()), (1, sorted(vec![expiring, active])));
    desk.clock.advance(DAY);
    assert_eq!((purge(), left()), (1, vec![active]), "expired more than 10 days ago");
    desk.clock.advance(DAY * 1_000);
    assert_eq!((purge(), left()), (0, vec![active]), "active keys are kept, however old");
}

#[test]
fn a_failing_store_is_reported() {
    assert!(is_unavailable(&purge_of_a_failing_store().unwrap_err()));
}
