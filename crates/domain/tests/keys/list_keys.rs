use domain::audit::Origin;
use domain::ports::CredentialStore as _;
use domain::{KEYS_WITH_USES_MAX, KeyId, KeyUse, OwnerId};

use crate::desk::{DAY, Desk, MILLISECOND, user};

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

fn with_uses(desk: &Desk, owner: &OwnerId) -> Vec<KeyId> {
    let uses = pollster::block_on(desk.keys.daily_uses(owner)).expect("the memory store does not fail");
    uses.keys.into_iter().map(|(id, _)| id).collect()
}

#[test]
fn uses_are_shown_of_the_keys_that_were_used_or_made_last() {
    let (desk, alice) = (Desk::with_max_active(100), user("alice"));
    let mut newest_first = Vec::new();
    for _ in 0..=KEYS_WITH_USES_MAX {
        desk.clock.advance(MILLISECOND);
        newest_first.insert(0, desk.create(&alice, None).expect("there is room").id);
    }
    let oldest = newest_first.pop().expect("the first key");
    assert_eq!(with_uses(&desk, &alice), newest_first, "one key too many: the oldest is missing");
    desk.clock.advance(MILLISECOND);
    desk.noted.note(oldest, desk.now());
    newest_first.pop();
    newest_first.insert(0, oldest);
    assert_eq!(with_uses(&desk, &alice), newest_first, "its use brings the oldest to the front");
    assert_eq!(with_uses(&desk, &user("bob")), []);
}

#[test]
fn ended_keys_are_kept_for_the_retention_and_not_longer() {
    let (desk, alice) = (Desk::new(), user("alice"));
    let expiring = desk.create(&alice, Some(desk.now().plus(DAY))).unwrap().id;
    let revoked = desk.create(&alice, None).unwrap().id;
    let active = desk.create(&alice, None).unwrap().id;
    pollster::block_on(desk.keys.revoke(&alice, revoked, &Origin::SERVICE)).unwrap();
    let sorted = |mut ids: Vec<_>| {
        ids.sort_unstable();
        ids
    };
    let left = || sorted(desk.list(&alice).iter().map(|key| key.id).collect());

    desk.clock.advance(DAY * 10);
    assert_eq!(
        (desk.purge(), left()),
        (0, sorted(vec![expiring, revoked, active])),
        "revoked 10 days ago, to the instant"
    );
    desk.clock.advance(MILLISECOND);
    assert_eq!((desk.purge(), left()), (1, sorted(vec![expiring, active])));
    desk.clock.advance(DAY);
    assert_eq!((desk.purge(), left()), (1, vec![active]), "expired more than 10 days ago");
    desk.clock.advance(DAY * 1_000);
    assert_eq!((desk.purge(), left()), (0, vec![active]), "active keys are kept, however old");
}
