use domain::SubscriptionId;
use domain::ports::{Pulled, PulledLog};
use domain::webhooks::{CreateSubscription, LogPlace, TargetUrl};
use pollster::block_on;

use crate::desk::{Desk, SECOND};

/// Two of these have a subscription of the same id, as a database and its backup have.
fn desk_with_log() -> (Desk, PulledLog) {
    let desk = Desk::new();
    let created = desk.create_from(CreateSubscription { url: TargetUrl::pull(), ..desk.request(&["*"]) }).unwrap();
    let log = PulledLog { owner: desk.alice.clone(), subscription: created.subscription.id };
    (desk, log)
}

/// Publishes events, and returns the place behind the last one.
fn publish(desk: &Desk, log: &PulledLog, count: usize) -> LogPlace {
    for _ in 0..count {
        desk.publish("1", None).unwrap();
    }
    let Pulled::Events(events) = read(desk, log, None) else { panic!("there are events") };
    let last = events.last().unwrap();
    LogPlace { number: last.sequence, event: Some(last.event.id) }
}

fn read(desk: &Desk, log: &PulledLog, place: Option<LogPlace>) -> Pulled {
    block_on(desk.webhooks.read_events(log, place, 100)).unwrap()
}

#[test]
fn a_reader_continues_where_it_was() {
    let (desk, log) = desk_with_log();
    let place = publish(&desk, &log, 3);
    assert_eq!(read(&desk, &log, Some(place)), Pulled::Nothing { last: 3 });
    publish(&desk, &log, 2);
    for event in [place.event, None] {
        let Pulled::Events(events) = read(&desk, &log, Some(LogPlace { event, ..place })) else { panic!("events") };
        assert_eq!(events.iter().map(|one| one.sequence).collect::<Vec<_>>(), [4, 5]);
    }
    let elsewhere = PulledLog { subscription: SubscriptionId::from_bytes([9; 16]), ..log };
    assert_eq!(read(&desk, &elsewhere, Some(place)), Pulled::NotFound);
}

#[test]
fn a_place_behind_events_that_a_restore_has_removed_is_refused() {
    let (before, log) = desk_with_log();
    publish(&before, &log, 2);
    let place = publish(&before, &log, 4);
    let (restored, same) = desk_with_log();
    assert_eq!(same, log);
    publish(&restored, &log, 2);
    assert_eq!(read(&restored, &log, Some(place)), Pulled::Expired { oldest: 1 }, "the log ends before it");
    restored.clock.advance(SECOND);
    publish(&restored, &log, 6);
    assert_eq!(read(&restored, &log, Some(place)), Pulled::Expired { oldest: 1 }, "another event has its number");
    let far = LogPlace { number: u64::MAX >> 1, event: None };
    assert_eq!(read(&restored, &log, Some(far)), Pulled::Expired { oldest: 1 });
}
