use std::time::Duration;

use domain::SubscriptionId;
use domain::webhooks::{AttemptTimes, TIMED_ATTEMPTS_MAX};
use pollster::block_on;

use crate::desk::{Desk, SECOND};

/// Publishes events, and delivers them now.
fn deliver(desk: &Desk, count: u32) {
    for _ in 0..count {
        desk.publish("1", None).unwrap();
    }
    while desk.dispatch(None) > 0 {}
}

fn times(desk: &Desk, id: SubscriptionId) -> (u64, u32) {
    let AttemptTimes { since, attempts, .. } =
        block_on(desk.webhooks.attempt_times(&desk.alice, id)).unwrap().expect("her subscription");
    (desk.now().since(since).as_secs(), attempts)
}

/// A period with too many attempts gives way to a shorter one, which the answer names.
#[test]
fn the_period_is_as_long_as_the_attempts_allow() {
    const DAY: u64 = 24 * 3_600;
    let desk = Desk::new();
    let (id, hour) = (desk.subscribe(), Duration::from_hours(1));
    assert_eq!(times(&desk, id), (DAY, 0));
    deliver(&desk, 1);
    desk.clock.advance(hour + SECOND);
    deliver(&desk, TIMED_ATTEMPTS_MAX - 2);
    assert_eq!(times(&desk, id), (DAY, TIMED_ATTEMPTS_MAX - 1));
    deliver(&desk, 1);
    assert_eq!(times(&desk, id), (3_600, TIMED_ATTEMPTS_MAX - 1));
    desk.clock.advance(SECOND * 60);
    deliver(&desk, 1);
    assert_eq!(times(&desk, id), (5, 1), "two minutes have too many as well");
    desk.clock.advance(SECOND * 61);
    assert_eq!(times(&desk, id), (120, 1));
    desk.clock.advance(hour * 24);
    assert_eq!(times(&desk, id), (DAY, 0), "older attempts do not count");
    assert_eq!(block_on(desk.webhooks.attempt_times(&desk.bob, id)).unwrap(), None);
}
