use domain::audit::Origin;
use domain::webhooks::{NoPushSubscription, RecoverSubscriptionError, Recoverable, SubscriptionStatus};
use domain::{OwnerId, SubscriptionId, Timestamp};
use pollster::block_on;

use crate::desk::{DAY, Desk, MILLISECOND, SECOND};

fn recover(
    desk: &Desk,
    owner: &OwnerId,
    id: SubscriptionId,
    since: Timestamp,
) -> Result<u32, RecoverSubscriptionError> {
    block_on(desk.webhooks.recover_subscription(owner, id, (since, Recoverable::All.into()), &Origin::SERVICE))
}

#[test]
fn what_failed_since_then_is_due_and_the_rest_is_not() {
    let desk = Desk::new();
    let id = desk.subscribe();
    let old = desk.publish("1", None).unwrap().event;
    desk.clock.advance(SECOND);
    for _ in 0..1_001 {
        desk.publish("2", None).unwrap();
    }
    let since = desk.now();
    desk.disable(id);
    let recover = |since| recover(&desk, &desk.alice, id, since).unwrap();
    assert_eq!(recover(since), 1_001, "more than one transaction brings back");
    let found = block_on(desk.webhooks.find_subscription(&desk.alice, id)).unwrap().unwrap();
    assert_eq!(found.subscription.status, SubscriptionStatus::Enabled);
    let lanes = desk.claim();
    assert_eq!(lanes[0].deliveries.len(), 1_001);
    assert!(lanes[0].deliveries.iter().all(|delivery| delivery.event != old.id));
    assert_eq!(recover(old.created_at), 1, "what is being sent is left alone");
}

/// The owner disables the subscription after the first transaction of the recovery, which does not enable it again.
#[test]
fn a_recovery_stops_when_its_owner_disables_the_subscription() {
    let mut desk = Desk::new();
    let id = desk.subscribe();
    for _ in 0..1_001 {
        desk.publish("1", None).unwrap();
    }
    desk.disable(id);
    desk.disable_after_each_recovery();
    let since = desk.now();
    let recovered = recover(&desk, &desk.alice, id, since).unwrap();
    assert_eq!(recovered, 1_000, "those of the first transaction");
    let found = block_on(desk.webhooks.find_subscription(&desk.alice, id)).unwrap().unwrap();
    assert_eq!(found.subscription.status, SubscriptionStatus::DisabledByOwner);
}

#[test]
fn what_waits_for_a_retry_is_due_at_once() {
    let desk = Desk::new();
    let id = desk.subscribe();
    let since = desk.publish("1", None).unwrap().event.created_at;
    assert_eq!(desk.dispatch(Some(DAY)), 1);
    assert_eq!(desk.claim().len(), 0);
    assert_eq!(recover(&desk, &desk.alice, id, since).unwrap(), 1);
    assert_eq!(desk.claim().len(), 1);
}

/// Events are kept for 10 days, and a run of the schedule may take 3 days.
#[test]
fn events_that_are_too_old_are_left_out() {
    let desk = Desk::new();
    let id = desk.subscribe();
    let since = desk.publish("1", None).unwrap().event.created_at;
    desk.disable(id);
    desk.clock.advance(7 * DAY + MILLISECOND);
    assert_eq!(recover(&desk, &desk.alice, id, since).unwrap(), 0);
}

#[test]
fn a_future_and_another_users_subscription_are_refused() {
    let desk = Desk::new();
    let id = desk.subscribe();
    let recover = |owner, since| recover(&desk, owner, id, since);
    let future = recover(&desk.alice, desk.now().plus(MILLISECOND));
    assert!(matches!(future, Err(RecoverSubscriptionError::SinceInFuture)));
    assert!(matches!(
        recover(&desk.bob, desk.now()),
        Err(RecoverSubscriptionError::NoSubscription(NoPushSubscription::NotFound))
    ));
    assert_eq!(recover(&desk.alice, desk.now()).unwrap(), 0);
}
