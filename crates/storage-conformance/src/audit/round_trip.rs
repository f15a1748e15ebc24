//! Recorded events come back unchanged.

use std::net::IpAddr;
use std::sync::Arc;

use domain::audit::{
    Actor, AuditAction, AuditEvent, AuditField, AuditTarget, FieldChange, LaterName, Means, Origin, RequestId,
};
use domain::{DeliveryId, EventId, KeyId, SessionId, SubscriptionId};

use super::AuditedStores;
use super::sample::{event_of, expect_events, record_all, second};
use crate::sample::user;

/// Every field of an event comes back: each actor, means, action, target and field, and texts byte for byte.
pub async fn every_field_of_an_event_comes_back(stores: Arc<AuditedStores>) {
    let actors = [Actor::User(user("alice")), Actor::Operator("süd, \"desk\"".into()), Actor::Service];
    let (key, session) = (KeyId::from_bytes([0xFF; 16]), SessionId::from_bytes([1; 16]));
    let means = [Means::IdToken, Means::ApiKey(key), Means::Session(session), Means::OperatorToken, Means::Service];
    let targets = [
        AuditTarget::Key(key),
        AuditTarget::Subscription(SubscriptionId::from_bytes([2; 16])),
        AuditTarget::Delivery(DeliveryId::from_bytes([3; 16])),
        AuditTarget::Session(session),
        AuditTarget::Event(EventId::from_bytes([4; 16])),
        AuditTarget::Keys,
        AuditTarget::Subscriptions,
        AuditTarget::Deliveries,
        AuditTarget::Sessions,
        AuditTarget::Events,
        AuditTarget::Log,
    ];
    let addresses: [Option<IpAddr>; 3] = [None, Some([198, 51, 100, 7].into()), "2001:db8::1".parse().ok()];
    let requests = [None, RequestId::new("a1"), RequestId::new(&"f".repeat(RequestId::LENGTH_MAX))];
    let mut events = Vec::new();
    for (number, action) in AuditAction::ALL.into_iter().enumerate() {
        let origin = Origin {
            actor: actors[number % 3].clone(),
            means: means[number % 5],
            request: requests[number % 3].clone(),
            address: addresses[(number / 3) % 3],
        };
        let changes =
            AuditField::ALL[..number.min(AuditField::ALL.len())].iter().map(|field| changed(*field)).collect();
        let target = targets[number % targets.len()];
        events.push(AuditEvent { origin, action, target, changes, ..event_of(&user("café"), second(1)) });
    }
    record_all(&*stores.audit, &events).await;
    expect_events(&*stores.audit, events, "an event must come back with every field unchanged").await;
}

/// An event with names that only a later version knows comes back as it is, with its neighbours. See decision 100.
pub async fn what_a_later_version_has_written_comes_back(stores: Arc<AuditedStores>) {
    let longest = "x".repeat(LaterName::LENGTH_MAX);
    let [action, means, target, field] = ["key.archived", "passkey", "org_01h455vb4pex5vsknk084sn02q", &*longest]
        .map(|name| LaterName::new(name).expect("a name"));
    let known = event_of(&user("alice"), second(1));
    let later = AuditEvent {
        origin: Origin { means: Means::Later(means), ..known.origin.clone() },
        action: AuditAction::Later(action),
        target: AuditTarget::Later(target),
        changes: vec![changed(AuditField::Later(field))],
        ..event_of(&user("alice"), second(2))
    };
    let events = vec![known, later];
    record_all(&*stores.audit, &events).await;
    expect_events(&*stores.audit, events, "an event of a later version must come back").await;
}

fn changed(field: AuditField) -> FieldChange {
    let longest = "é".repeat(FieldChange::LENGTH_MAX);
    match field {
        AuditField::Label => FieldChange { field, before: None, after: Some("\\\"{}\u{1F511}' \n".into()) },
        AuditField::Scopes => FieldChange { field, before: Some(longest), after: None },
        _ => FieldChange { field, before: Some(String::new()), after: Some("null".into()) },
    }
}
