//! Filters of subscriptions: which events they receive by their content.

use std::sync::Arc;

use domain::webhooks::{JsonDocument, NewEvent, Payload, PayloadFilter, Subscription, SubscriptionChange};
use domain::{DeliveryId, Patch};

use super::WebhookStore;
use super::sample::{
    add, deliveries, event, event_of, publish, put, subscribed, subscription, subscription_to, update,
};
use crate::sample::{at, user};

/// Filters and events with their verdicts, which the tests of the domain also run.
const VECTORS: &str = include_str!("../../../../clients/conformance/filters.json");
/// Of so many vectors, one is published.
const VECTORS_STEP: usize = 2;

/// A subscription with a filter receives the events that pass it, and no others.
pub async fn events_pass_filters_as_the_vectors_say(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let vectors = JsonDocument::parse(VECTORS).expect("the vectors are JSON");
    let member = |number: usize, name: &str| vectors.text_at(&format!("/cases/{number}/{name}"));
    let (mut events, mut expected, mut passing) = (Vec::new(), Vec::new(), Vec::new());
    for number in (0..).step_by(VECTORS_STEP).take_while(|number| member(*number, "name").is_some()) {
        let Some((text, payload)) = member(number, "filter").zip(member(number, "event")) else { continue };
        let name = format!("vector.{number}");
        let one = Subscription { filter: Some(filter(text)), ..subscription_to(&owner, &[name.as_str()]) };
        put(&*store, &one).await;
        let mut new = event_of(&owner, &name);
        new.event.payload = Payload::from_bytes(payload.as_bytes());
        let passes = member(number, "passes") == Some("true");
        passing.extend(passes.then(|| DeliveryId::of(new.event.id, one.id)));
        expected.push((member(number, "name"), u32::from(passes)));
        events.push(new);
    }
    let counts = publish(&*store, &events).await.into_iter().map(|one| one.deliveries);
    let decided: Vec<_> = expected.iter().map(|(name, _)| *name).zip(counts).collect();
    assert_eq!(decided, expected, "the filter must decide how many deliveries each event has");
    passing.sort_unstable();
    let mut stored: Vec<_> = deliveries(&*store, &owner).await.iter().map(|one| one.id).collect();
    stored.sort_unstable();
    assert_eq!(stored, passing, "the events that pass must be delivered, and no others");
}

/// Each event of a call is decided alone, and each subscription by its own filter, whatever its patterns are.
pub async fn each_event_of_a_call_is_filtered_alone(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let (small, all) = (r#"{"path":"/data","op":"lt","value":10}"#, &["*", "invoice.*", "invoice.paid"]);
    add(&*store, Subscription { filter: Some(filter(small)), ..subscription_to(&owner, all) }).await;
    put(&*store, &subscription(&owner)).await;
    let events = [1, 100, 2, 200].map(|amount| with_data(event(&owner), &amount.to_string()));
    let counts: Vec<u32> = publish(&*store, &events).await.iter().map(|one| one.deliveries).collect();
    assert_eq!(counts, [2, 1, 2, 1], "small amounts must pass the filter, and all must go where no filter is");
}

/// An event is filtered by the filter of the moment when it is published.
pub async fn a_changed_filter_decides_from_then_on(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let changed = subscribed(&*store, &owner).await;
    let events = || [1, 100].map(|amount| with_data(event(&owner), &amount.to_string()));
    for (n, (change, passing)) in (1..).zip([
        (Patch::Set(filter(r#"{"path":"/data","op":"lt","value":10}"#)), [1, 0]),
        (Patch::Keep, [1, 0]),
        (Patch::Set(filter(r#"{"path":"/data","op":"gte","value":10}"#)), [0, 1]),
        (Patch::Reset, [1, 1]),
    ]) {
        let change = SubscriptionChange { filter: change, ..SubscriptionChange::default() };
        update(&*store, &changed, &change, at(n)).await;
        let counts: Vec<u32> = publish(&*store, &events()).await.iter().map(|one| one.deliveries).collect();
        assert_eq!(counts, passing, "{change:?} must decide what is published from then on");
    }
}

/// An event for one subscription, which tests it, goes there whatever its filter is.
pub async fn an_event_for_one_subscription_needs_no_filter(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let never = filter(r#"{"path":"/data/never","op":"exists"}"#);
    let wanted = add(&*store, Subscription { filter: Some(never), ..subscription(&owner) }).await;
    let test = NewEvent { only: Some(wanted.id), ..event(&owner) };
    let counts: Vec<u32> = publish(&*store, &[event(&owner), test]).await.iter().map(|one| one.deliveries).collect();
    assert_eq!(counts, [0, 1], "the filter must hold for the event to all, and not for the other");
}

pub(crate) fn filter(text: &str) -> PayloadFilter {
    PayloadFilter::parse(text).expect("the sample's filter is valid")
}

fn with_data(mut new: NewEvent, data: &str) -> NewEvent {
    new.event.payload = Payload::from_bytes(format!(r#"{{"type":"invoice.paid","data":{data}}}"#).into_bytes());
    new
}
