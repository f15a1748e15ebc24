use domain::DeliveryId;
use pollster::block_on;

use crate::desk::{DAY, Desk, MILLISECOND};

#[test]
fn what_has_ended_is_kept_for_the_retention_and_not_longer() {
    let desk = Desk::new();
    let subscription = desk.subscribe();
    let ended = desk.publish("1", Some("a")).unwrap().event;
    assert_eq!(desk.dispatch(None), 1);
    let id = DeliveryId::of(ended.id, subscription);
    let purge = || desk.purge();
    let find = |id| block_on(desk.webhooks.find_delivery(&desk.alice, id)).unwrap();
    desk.clock.advance(10 * DAY);
    assert_eq!(purge(), 0, "published 10 days ago, to the instant");
    assert!(desk.publish("1", Some("a")).unwrap().is_duplicate, "its id is known as long as the event");
    desk.clock.advance(MILLISECOND);
    while purge() > 0 {}
    assert!(find(id).is_none());
    assert!(!desk.publish("1", Some("a")).unwrap().is_duplicate);
}

#[test]
fn what_still_waits_stays() {
    let desk = Desk::new();
    let subscription = desk.subscribe();
    let waiting = desk.publish("1", None).unwrap().event;
    desk.clock.advance(100 * DAY);
    while desk.purge() > 0 {}
    let id = DeliveryId::of(waiting.id, subscription);
    assert!(block_on(desk.webhooks.find_delivery(&desk.alice, id)).unwrap().is_some());
    assert_eq!(desk.claim().len(), 1);
}
