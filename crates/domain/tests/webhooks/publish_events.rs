use domain::ports::PUBLISHED_EVENTS_MAX;
use domain::webhooks::PublishEventsError;
use pollster::block_on;

use crate::desk::{Desk, SECOND};

#[test]
fn an_event_is_fanned_out_and_its_bytes_are_kept() {
    let desk = Desk::new();
    desk.subscribe();
    desk.subscribe();
    let accepted = desk.publish(r#"{"b": 1.0}"#, None).unwrap();
    assert_eq!((accepted.deliveries, accepted.is_duplicate, accepted.event.created_at), (2, false, desk.now()));
    let sent = br#"{"type":"invoice.paid","timestamp":"2026-11-21T01:42:03.120Z","data":{"b": 1.0}}"#;
    for lane in desk.claim() {
        assert_eq!(lane.deliveries[0].payload.bytes()[..], sent[..]);
    }
}

#[test]
fn a_repetition_under_one_id_is_recognized_by_its_content() {
    let desk = Desk::new();
    desk.subscribe();
    let first = desk.publish("1", Some("in_1")).unwrap();
    desk.clock.advance(SECOND);
    let again = desk.publish("1", Some("in_1")).unwrap();
    assert_eq!((again.event, again.deliveries, again.is_duplicate), (first.event.clone(), 1, true));
    assert!(matches!(desk.publish("1.0", Some("in_1")), Err(PublishEventsError::Conflict { index: 0 })));
    assert_ne!(desk.publish("1", None).unwrap().event.id, first.event.id, "without an id each is its own");
}

#[test]
fn several_are_accepted_whole_or_not_at_all() {
    let desk = Desk::new();
    desk.subscribe();
    let large = format!("\"{}\"", "x".repeat(2_000));
    let refused = |events| block_on(desk.webhooks.publish(events, None)).unwrap_err();
    let too_large = refused(vec![desk.event("1", Some("a")), desk.event(&large, None)]);
    assert!(matches!(too_large, PublishEventsError::TooLarge { index: 1, .. }));
    let conflict = refused(vec![desk.event("1", Some("a")), desk.event("2", Some("a"))]);
    assert!(matches!(conflict, PublishEventsError::Conflict { index: 1 }));
    assert_eq!(desk.claim().len(), 0);
    let mut of_bob = desk.event("2", Some("a"));
    of_bob.owner = desk.bob.clone();
    let published = block_on(desk.webhooks.publish(vec![desk.event("1", Some("a")), of_bob], None)).unwrap();
    assert_eq!(published.accepted.iter().map(|one| one.deliveries).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_publication_holds_1_to_500_events() {
    let desk = Desk::new();
    let events = |count: usize| (0..count).map(|_| desk.event("1", None)).collect();
    let publish = |count| block_on(desk.webhooks.publish(events(count), None));
    assert!(matches!(publish(0), Err(PublishEventsError::Count)));
    assert_eq!(publish(PUBLISHED_EVENTS_MAX).unwrap().accepted.len(), PUBLISHED_EVENTS_MAX);
    assert!(matches!(publish(PUBLISHED_EVENTS_MAX + 1), Err(PublishEventsError::Count)));
}
