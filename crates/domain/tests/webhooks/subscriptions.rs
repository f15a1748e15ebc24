use domain::audit::Origin;
use domain::ports::{ListSubscriptionsRequest, SubscriptionUpdate};
use domain::webhooks::{
    CreateSubscriptionError, HealthState, InvalidTargetUrl, SubscriptionChange, SubscriptionStatus, UrlRefused,
};
use pollster::block_on;

use crate::desk::{Desk, MILLISECOND, SECOND};

#[test]
fn a_new_one_is_enabled_and_healthy() {
    let desk = Desk::new();
    let created = desk.create(None).unwrap().subscription;
    let found = block_on(desk.webhooks.find_subscription(&desk.alice, created.id)).unwrap().unwrap();
    assert_eq!(found.subscription, created);
    assert_eq!((created.status, found.state), (SubscriptionStatus::Enabled, HealthState::Healthy));
    assert_eq!((created.created_at, created.updated_at), (desk.now(), desk.now()));
}

#[test]
fn the_maximum_is_exact() {
    let desk = Desk::new();
    let first = desk.subscribe();
    desk.subscribe();
    desk.subscribe();
    assert!(matches!(desk.create(None), Err(CreateSubscriptionError::LimitReached { max: 3 })));
    assert!(block_on(desk.webhooks.delete_subscription(&desk.alice, first, &Origin::SERVICE)).unwrap());
    assert!(desk.create(None).is_ok());
}

#[test]
fn targets_are_held_to_the_egress_policy() {
    let desk = Desk::new();
    assert!(desk.webhooks.parse_target("https://example.com/").is_ok());
    let refused = desk.webhooks.parse_target("http://example.com/").err();
    assert_eq!(refused, Some(InvalidTargetUrl::Refused(UrlRefused::Scheme)));
}

#[test]
fn pages_go_on_where_they_ended() {
    let desk = Desk::new();
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.insert(0, desk.subscribe());
        desk.clock.advance(MILLISECOND);
    }
    let page = |before, max| {
        let request = ListSubscriptionsRequest { owner: desk.alice.clone(), before, max };
        let page = block_on(desk.webhooks.list_subscriptions(&request)).unwrap();
        (page.subscriptions.iter().map(|one| one.id).collect::<Vec<_>>(), page.next)
    };
    assert_eq!(page(None, 2), (ids[..2].to_vec(), Some(ids[1])));
    assert_eq!(page(Some(ids[1]), 2), (ids[2..].to_vec(), None));
    assert_eq!(page(None, 3), (ids, None), "a full page that is the last has no next");
}

#[test]
fn a_change_says_what_is_then_and_another_user_has_nothing_to_change() {
    let desk = Desk::new();
    let (id, bob) = (desk.subscribe(), &desk.bob);
    desk.clock.advance(SECOND);
    let off = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
    let changed = block_on(desk.webhooks.change_subscription(&desk.alice, id, &off, &Origin::SERVICE)).unwrap();
    let SubscriptionUpdate::Changed(changed) = changed else { panic!("{changed:?}") };
    let changed = changed.subscription;
    assert_eq!((changed.status, changed.updated_at), (SubscriptionStatus::DisabledByOwner, desk.now()));
    let others = block_on(desk.webhooks.change_subscription(bob, id, &off, &Origin::SERVICE)).unwrap();
    assert_eq!(others, SubscriptionUpdate::NotFound);
    assert_eq!(block_on(desk.webhooks.find_subscription(bob, id)).unwrap(), None);
    assert!(!block_on(desk.webhooks.delete_subscription(bob, id, &Origin::SERVICE)).unwrap());
    assert!(block_on(desk.webhooks.delete_subscription(&desk.alice, id, &Origin::SERVICE)).unwrap());
    assert!(!block_on(desk.webhooks.delete_subscription(&desk.alice, id, &Origin::SERVICE)).unwrap());
}
