use domain::{KEYS_WITH_USES_MAX, KeyId, UserId};
use pollster::block_on;

use crate::desk::{Desk, MILLISECOND, user};

fn shown(desk: &Desk, owner: &UserId) -> Vec<KeyId> {
    let uses = block_on(desk.keys.daily_uses(owner)).expect("the memory store does not fail");
    uses.keys.into_iter().map(|(id, _)| id).collect()
}

#[test]
fn the_keys_that_were_used_or_made_last_are_shown() {
    let (desk, alice) = (Desk::with_max_active(100), user("alice"));
    let mut newest_first = Vec::new();
    for _ in 0..=KEYS_WITH_USES_MAX {
        desk.clock.advance(MILLISECOND);
        newest_first.insert(0, desk.create(&alice, None).expect("there is room").id);
    }
    let oldest = newest_first.pop().expect("the first key");
    assert_eq!(shown(&desk, &alice), newest_first, "one key too many: the oldest is missing");
    desk.clock.advance(MILLISECOND);
    desk.noted.note(oldest, desk.now());
    newest_first.pop();
    newest_first.insert(0, oldest);
    assert_eq!(shown(&desk, &alice), newest_first, "its use brings the oldest to the front");
    assert_eq!(shown(&desk, &user("bob")), []);
}
