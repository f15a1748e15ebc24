use domain::audit::Origin;
use domain::webhooks::{NoPushSubscription, TestSubscriptionError};
use pollster::block_on;

use crate::desk::Desk;

#[test]
fn a_test_goes_to_one_subscription_alone() {
    let desk = Desk::new();
    let id = desk.subscribe();
    desk.subscribe();
    let test = block_on(desk.webhooks.test_subscription(&desk.alice, id)).unwrap();
    let lanes = desk.claim();
    assert_eq!(lanes.len(), 1);
    assert_eq!((lanes[0].subscription, lanes[0].deliveries[0].id), (id, test.delivery.id));
    assert_eq!(lanes[0].deliveries[0].payload, test.event.payload);
}

#[test]
fn the_delivery_is_returned_as_it_is_stored() {
    let desk = Desk::new();
    let id = desk.subscribe();
    let test = block_on(desk.webhooks.test_subscription(&desk.alice, id)).unwrap();
    let stored = block_on(desk.webhooks.find_delivery(&desk.alice, test.delivery.id)).unwrap().unwrap();
    assert_eq!((stored.delivery, stored.event), (test.delivery, test.event));
}

#[test]
fn what_is_disabled_or_not_there_is_not_tested() {
    let desk = Desk::new();
    let id = desk.subscribe();
    let test = |owner| block_on(desk.webhooks.test_subscription(owner, id));
    assert!(matches!(test(&desk.bob), Err(TestSubscriptionError::NoSubscription(NoPushSubscription::NotFound))));
    desk.disable(id);
    assert!(matches!(test(&desk.alice), Err(TestSubscriptionError::Disabled)));
    block_on(desk.webhooks.delete_subscription(&desk.alice, id, &Origin::SERVICE)).unwrap();
    assert!(matches!(test(&desk.alice), Err(TestSubscriptionError::NoSubscription(NoPushSubscription::NotFound))));
}
