//! Queries about pulled events that both databases run.
#![expect(missing_docs, reason = "`auto_type` names the type of each query like its function, without a comment")]

use diesel::dsl::auto_type;
use diesel::prelude::*;
use domain::ports::PulledLog;
use domain::webhooks::ConsumerName;

use crate::schema::{webhook_consumers, webhook_lanes, webhook_pulled, webhook_subscriptions};

/// How many events a search by time reads: instances whose clocks differ number events in another order than their ids have.
const READ_BY_TIME: i64 = 1_000;

#[auto_type]
fn lanes() -> _ {
    webhook_lanes::table
        .inner_join(webhook_subscriptions::table.on(webhook_subscriptions::id.eq(webhook_lanes::subscription_id)))
        .filter(webhook_lanes::is_pulled)
        .filter(webhook_subscriptions::deleted_at.is_null())
}

/// The number of the last event in the log. No row if its owner has no such log.
#[auto_type]
pub fn last_pulled<'a>(log: &'a PulledLog) -> _ {
    let issuer: &'a str = log.owner.issuer();
    let subject: &'a str = log.owner.subject();
    let id: &'a [u8] = log.subscription.as_bytes();
    let lanes: lanes = lanes();
    lanes
        .filter(webhook_subscriptions::owner_issuer.eq(issuer))
        .filter(webhook_subscriptions::owner_subject.eq(subject))
        .filter(webhook_subscriptions::id.eq(id))
        .select(webhook_lanes::last_sequence)
}

/// The logs with these ids: [`LastNumberRow`](super::LastNumberRow).
#[auto_type]
pub fn last_of_each(ids: Vec<Vec<u8>>) -> _ {
    let lanes: lanes = lanes();
    lanes.filter(webhook_lanes::subscription_id.eq_any(ids)).select((
        webhook_lanes::subscription_id,
        webhook_lanes::last_sequence,
        webhook_subscriptions::owner_issuer,
        webhook_subscriptions::owner_subject,
    ))
}

#[auto_type]
fn events<'a>(log: &'a PulledLog) -> _ {
    let id: &'a [u8] = log.subscription.as_bytes();
    webhook_pulled::table.filter(webhook_pulled::subscription_id.eq(id))
}

/// The number of the oldest event. No row without any.
#[auto_type]
pub fn oldest_pulled<'a>(log: &'a PulledLog) -> _ {
    let events: events<'a> = events(log);
    events.order(webhook_pulled::sequence).select(webhook_pulled::sequence)
}

/// The number of an event. No row if the log does not have it.
#[auto_type]
pub fn number_of_pulled<'a>(log: &'a PulledLog, event: &'a [u8]) -> _ {
    let events: events<'a> = events(log);
    events.filter(webhook_pulled::event_id.eq(event)).select(webhook_pulled::sequence)
}

/// The numbers of the first events with this id or a higher one. The lowest of them is the first.
#[auto_type]
pub fn numbers_from<'a>(log: &'a PulledLog, event: &'a [u8]) -> _ {
    let events: events<'a> = events(log);
    let max: i64 = READ_BY_TIME;
    events
        .filter(webhook_pulled::event_id.ge(event))
        .order(webhook_pulled::event_id)
        .limit(max)
        .select(webhook_pulled::sequence)
}

/// The consumers of the log.
#[auto_type]
pub fn consumers_of<'a>(log: &'a PulledLog) -> _ {
    let id: &'a [u8] = log.subscription.as_bytes();
    webhook_consumers::table.filter(webhook_consumers::subscription_id.eq(id))
}

/// The consumer of the log with this name.
#[auto_type]
pub fn consumer_of<'a>(log: &'a PulledLog, name: &'a ConsumerName) -> _ {
    let name: &'a str = name.as_str();
    let consumers: consumers_of<'a> = consumers_of(log);
    consumers.filter(webhook_consumers::name.eq(name))
}
