use std::time::Duration;

use domain::audit::Origin;
use domain::ports::ListDeliveriesRequest;
use domain::webhooks::{
    DeliveryEnd, DeliveryFilter, DeliveryState, DeliveryStateKind, RetryDeliveryError, SHOWN_ATTEMPTS_MAX,
};
use domain::{DeliveryId, OwnerId, SubscriptionId};
use pollster::block_on;

use crate::desk::{DAY, Desk, MILLISECOND, SECOND};

/// A subscription and a delivery to it.
fn delivery(desk: &Desk) -> (SubscriptionId, DeliveryId) {
    let subscription = desk.subscribe();
    let event = desk.publish("1", None).unwrap().event;
    (subscription, DeliveryId::of(event.id, subscription))
}

#[test]
fn a_delivery_is_listed_and_found_by_its_owner_alone() {
    let desk = Desk::new();
    let (subscription, id) = delivery(&desk);
    let list = |owner: &OwnerId, state| {
        let filter =
            DeliveryFilter { subscription: Some(subscription), state: Some(state), ..DeliveryFilter::default() };
        let request = ListDeliveriesRequest { owner: owner.clone(), filter, before: None, max: 10 };
        let page = block_on(desk.webhooks.list_deliveries(&request)).unwrap();
        page.deliveries.iter().map(|one| one.delivery.id).collect::<Vec<_>>()
    };
    assert_eq!(list(&desk.alice, DeliveryStateKind::Waiting), [id]);
    assert_eq!(list(&desk.alice, DeliveryStateKind::Delivered), []);
    assert_eq!(list(&desk.bob, DeliveryStateKind::Waiting), []);
    assert!(block_on(desk.webhooks.find_delivery(&desk.alice, id)).unwrap().is_some());
    assert!(block_on(desk.webhooks.find_delivery(&desk.bob, id)).unwrap().is_none());
}

#[test]
fn of_many_attempts_the_newest_are_shown() {
    let desk = Desk::new();
    let (_, id) = delivery(&desk);
    let attempts = SHOWN_ATTEMPTS_MAX + 1;
    for _ in 0..attempts {
        assert_eq!(desk.dispatch(Some(SECOND)), 1);
        // The longest pause of a lane with a failing receiver.
        desk.clock.advance(Duration::from_hours(1));
    }
    let shown = block_on(desk.webhooks.find_delivery(&desk.alice, id)).unwrap().unwrap().attempts;
    let numbers: Vec<u32> = shown.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, (2..=attempts).collect::<Vec<_>>());
}

#[test]
fn a_retry_by_hand_is_due_now_and_cancelling_ends_it() {
    let desk = Desk::new();
    let (_, id) = delivery(&desk);
    assert_eq!(desk.dispatch(None), 1);
    desk.clock.advance(SECOND);
    let retried = block_on(desk.webhooks.retry_delivery(&desk.alice, id, &Origin::SERVICE)).unwrap();
    assert_eq!((retried.state, retried.attempts), (DeliveryState::Waiting(desk.now()), 1));
    let cancelled = block_on(desk.webhooks.cancel_delivery(&desk.alice, id, &Origin::SERVICE)).unwrap().unwrap();
    let ended = DeliveryState::Ended { end: DeliveryEnd::Cancelled, at: desk.now() };
    assert_eq!(cancelled.state, ended);
    desk.clock.advance(SECOND);
    assert_eq!(
        block_on(desk.webhooks.cancel_delivery(&desk.alice, id, &Origin::SERVICE)).unwrap().unwrap().state,
        ended
    );
    assert_eq!(block_on(desk.webhooks.cancel_delivery(&desk.bob, id, &Origin::SERVICE)).unwrap(), None);
    assert_eq!(desk.claim().len(), 0);
}

/// Events are kept for 10 days, and a run of the schedule may take 3 days.
#[test]
fn a_retry_is_refused_when_it_could_not_end_in_time() {
    let desk = Desk::new();
    let (_, id) = delivery(&desk);
    let retry = || block_on(desk.webhooks.retry_delivery(&desk.alice, id, &Origin::SERVICE));
    desk.clock.advance(7 * DAY);
    assert!(retry().is_ok());
    desk.clock.advance(MILLISECOND);
    assert!(matches!(retry(), Err(RetryDeliveryError::EventTooOld)));
}

#[test]
fn a_retry_needs_an_open_subscription_of_the_callers() {
    let desk = Desk::new();
    let (subscription, id) = delivery(&desk);
    let retry = |owner| block_on(desk.webhooks.retry_delivery(owner, id, &Origin::SERVICE));
    assert!(matches!(retry(&desk.bob), Err(RetryDeliveryError::NotFound)));
    desk.disable(subscription);
    assert!(matches!(retry(&desk.alice), Err(RetryDeliveryError::SubscriptionDisabled)));
}
