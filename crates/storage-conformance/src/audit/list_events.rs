//! Lists of events.

use std::cmp::Reverse;
use std::sync::Arc;

use domain::KeyId;
use domain::audit::{Actor, AuditAction, AuditEvent, AuditFilter, AuditTarget, Means, Origin};

use super::AuditedStores;
use super::sample::{all, all_of, event_of, listed, record_all, second};
use crate::sample::{look_alikes, user};

/// Every filter, and every pair of filters, shows the selection of [`AuditFilter::matches`], newest first.
pub async fn lists_are_what_the_reference_selects(stores: Arc<AuditedStores>) {
    let events = mixed_events();
    record_all(&*stores.audit, &events).await;
    let mut newest_first = events.clone();
    newest_first.sort_by_key(|event| Reverse(event.id));
    let one = AuditFilter::default;
    let parts = [
        one(),
        AuditFilter { owner: Some(user("alice")), ..one() },
        AuditFilter { actor: Some(Actor::User(user("bob"))), ..one() },
        AuditFilter { actor: Some(Actor::Operator("desk".into())), ..one() },
        AuditFilter { actor: Some(Actor::Service), ..one() },
        AuditFilter { action: Some(AuditAction::KeyLeaked), ..one() },
        AuditFilter { target: Some(target(1)), ..one() },
        AuditFilter { target: Some(AuditTarget::Keys), ..one() },
        AuditFilter { since: Some(second(3)), ..one() },
        AuditFilter { until: Some(second(5)), ..one() },
    ];
    for first in &parts {
        for second in &parts {
            let filter = both(first, second);
            let expected: Vec<_> = newest_first.iter().filter(|event| filter.matches(event)).cloned().collect();
            let shown = listed(&*stores.audit, &filter, 7).await;
            assert_eq!(shown, expected, "a list must show what passes the filter, newest first: {filter:?}");
        }
    }
}

fn both(first: &AuditFilter, second: &AuditFilter) -> AuditFilter {
    AuditFilter {
        owner: first.owner.clone().or(second.owner.clone()),
        actor: first.actor.clone().or(second.actor.clone()),
        action: first.action.or(second.action),
        target: first.target.or(second.target),
        since: first.since.or(second.since),
        until: first.until.or(second.until),
    }
}

/// Events of several owners, actors, actions, targets and times, in no order.
fn mixed_events() -> Vec<AuditEvent> {
    let owners = [user("alice"), user("bob")];
    let origins = [
        Origin::of_user(&user("alice"), Means::IdToken),
        Origin::of_user(&user("bob"), Means::IdToken),
        Origin::of_operator("desk"),
        Origin::of_operator("bob"),
        Origin::SERVICE,
    ];
    let actions = [AuditAction::KeyRevoked, AuditAction::KeyLeaked, AuditAction::KeyCreated];
    let targets = [target(1), target(2), AuditTarget::Keys];
    let event = |number: usize| {
        let event = event_of(&owners[number % 2], second((number * 7 % 8).try_into().expect("a small number")));
        let (origin, action) = (origins[number / 2 % 5].clone(), actions[number / 10 % 3]);
        AuditEvent { origin, action, target: targets[number / 4 % 3], ..event }
    };
    (0..60).map(event).collect()
}

fn target(byte: u8) -> AuditTarget {
    AuditTarget::Key(KeyId::from_bytes([byte; 16]))
}

/// Pages of any size, one after the other, show every event once.
pub async fn pages_come_to_their_end(stores: Arc<AuditedStores>) {
    let events: Vec<AuditEvent> = (0..20).map(|number| event_of(&user("alice"), second(number / 4))).collect();
    record_all(&*stores.audit, &events).await;
    let expected = all(&*stores.audit).await;
    assert_eq!(expected.len(), events.len(), "a list must show every event");
    let owner = Some(user("alice"));
    for filter in [AuditFilter::default(), AuditFilter { owner, ..AuditFilter::default() }] {
        for page_max in [1, 3, 5, 20, 21] {
            let shown = listed(&*stores.audit, &filter, page_max).await;
            assert_eq!(shown, expected, "pages of {page_max} events must show every event once");
        }
    }
    let page = stores.audit.list(&AuditFilter::default(), None, 20).await.expect("a list succeeds");
    assert_eq!(page.next, None, "a full page with nothing behind it is the last");
}

/// Owners are compared byte for byte, as [`crate::keys::owners`] has it.
pub async fn look_alike_owners_are_told_apart(stores: Arc<AuditedStores>) {
    let events = look_alikes().map(|owner| event_of(&owner, second(1)));
    record_all(&*stores.audit, &events).await;
    for event in &events {
        let shown = all_of(&*stores.audit, &event.owner).await;
        assert_eq!(shown, std::slice::from_ref(event), "{:?} must see exactly the own event", event.owner);
    }
}
