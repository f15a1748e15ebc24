use std::collections::HashMap;

use diesel::dsl::{exists, not};
use diesel::expression::{ValidGrouping, is_aggregate};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Nullable, Text};
use diesel::sqlite::Sqlite;
use diesel_mapping::schema::{
    owners, webhook_deliveries, webhook_due, webhook_events, webhook_lanes, webhook_patterns, webhook_publications,
    webhook_pulled,
};
use diesel_mapping::webhooks::{EventRow, NewEndedRow, SecretsRow, stored_filter, stored_sequence};
use domain::ports::{Accepted, ClaimedLane, Publication};
use domain::webhooks::{
    Delivery, DeliveryEnd, DeliveryState, DirectClaim, Event, EventPattern, EventType, FilteredPayload, NewEvent,
    PayloadFilter, PublicationKey, PublisherId, QueuedDelivery, TargetUrl,
};
use domain::{DeliveryId, OwnerId, SubscriptionId};

use super::event_row::NewEventRow;
use super::lane::{Lane, LaneRow};
use super::queued_row::QueuedRow;
use crate::store::Wake;
use crate::undo::Undo;

/// How many patterns one statement looks up.
const LOOKED_UP_TOGETHER: usize = 4;

/// Whether an event was published before.
enum Known<'a> {
    /// The event is new.
    New(&'a NewEvent),
    /// The event was published before this call.
    Before(Accepted),
    /// The event repeats the event at this index of the call.
    Within(usize),
}

/// The lanes of the events of one call, which share them.
struct FanOut<'a> {
    lanes: Vec<Receiver>,
    matching: HashMap<(&'a OwnerId, &'a EventType), Vec<Asking>>,
    claim: Option<DirectClaim>,
    /// Whether a delivery waits for a claim.
    has_waiting: bool,
}

/// A subscription with a pattern that matches.
struct Asking {
    to: To,
    filter: Option<PayloadFilter>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    /// The index of an open lane in [`FanOut::lanes`].
    Lane(usize),
    /// A disabled subscription, which misses the event.
    Disabled(SubscriptionId),
}

/// A lane of the call.
struct Receiver {
    /// As it is stored.
    before: Lane,
    /// As it is now.
    lane: Lane,
    /// The data for a dispatcher, without deliveries; `None` if the lane's deliveries are not claimed, or the
    /// subscription is damaged.
    target: Option<ClaimedLane>,
}

/// The result of a publication.
pub(super) struct Published {
    pub(super) publication: Publication,
    claim: Option<DirectClaim>,
    has_waiting: bool,
}

impl Published {
    /// Notifies the dispatcher of this process, after the commit.
    pub(super) fn committed(&self, wake: &Wake) {
        if let Some(claim) = &self.claim {
            claim.stored();
        }
        if self.has_waiting {
            wake.up();
        }
    }
}

/// See [`EventStore::publish`](domain::ports::EventStore::publish).
pub(super) fn publish_events(
    connection: &mut SqliteConnection,
    events: &[NewEvent],
    claim: Option<DirectClaim>,
) -> Result<Published, Undo> {
    // Look up all events before the first write, so that a conflict needs no undo.
    let mut known = Vec::with_capacity(events.len());
    let mut within = HashMap::new();
    for (index, event) in events.iter().enumerate() {
        let Some(found) = look_up(connection, event, index, events, &mut within)? else {
            let publication = Publication::Conflict { index };
            return Ok(Published { publication, claim: None, has_waiting: false });
        };
        known.push(found);
    }
    let mut fan_out = FanOut { lanes: Vec::new(), matching: HashMap::new(), claim, has_waiting: false };
    let mut accepted: Vec<Accepted> = Vec::with_capacity(events.len());
    for known in known {
        accepted.push(match known {
            Known::New(event) => store(connection, event, &mut fan_out)?,
            Known::Before(accepted) => accepted,
            Known::Within(index) => Accepted { is_duplicate: true, ..accepted[index].clone() },
        });
    }
    let FanOut { lanes, claim, has_waiting, .. } = fan_out;
    for Receiver { before, lane, .. } in &lanes {
        lane.write(connection, before)?;
    }
    Ok(Published { publication: Publication::Accepted(accepted), claim, has_waiting })
}

/// `None` when the publisher has published another event under the same id.
fn look_up<'a>(
    connection: &mut SqliteConnection,
    new: &'a NewEvent,
    index: usize,
    events: &[NewEvent],
    within: &mut HashMap<(&'a OwnerId, &'a PublisherId), usize>,
) -> Result<Option<Known<'a>>, Undo> {
    let Some(key) = &new.publication else { return Ok(Some(Known::New(new))) };
    if let Some(first) = within.get(&(&new.event.owner, &key.id)) {
        let is_same = events[*first].publication.as_ref().is_some_and(|first| first.content == key.content);
        return Ok(is_same.then_some(Known::Within(*first)));
    }
    within.insert((&new.event.owner, &key.id), index);
    let found = webhook_publications::table
        .find((new.event.owner.issuer(), new.event.owner.subject(), key.id.as_str()))
        .inner_join(webhook_events::table.on(webhook_events::id.eq(webhook_publications::event_id)))
        .select((webhook_publications::content, EventRow::as_select(), webhook_events::deliveries));
    let found: Option<(Vec<u8>, EventRow, i64)> = found.get_result(connection).optional()?;
    let Some((content, row, deliveries)) = found else { return Ok(Some(Known::New(new))) };
    if content != key.content.as_bytes() {
        return Ok(None);
    }
    let deliveries = u32::try_from(deliveries).unwrap_or(u32::MAX);
    Ok(Some(Known::Before(Accepted { event: row.try_into()?, deliveries, is_duplicate: true })))
}

fn store<'a>(connection: &mut SqliteConnection, new: &'a NewEvent, fan_out: &mut FanOut<'a>) -> Result<Accepted, Undo> {
    let event = &new.event;
    let mut receivers = match new.only {
        Some(only) => fan_out.only(connection, event, only)?,
        None => fan_out.matching(connection, event)?,
    };
    receivers.retain(|to| to.lane().is_some() || new.is_missed());
    let lanes: Vec<usize> = receivers.iter().filter_map(|to| to.lane()).collect();
    let deliveries = u32::try_from(lanes.len()).unwrap_or(u32::MAX);
    let accepted = Accepted { event: event.clone(), deliveries, is_duplicate: false };
    if receivers.is_empty() && !new.is_stored_without_deliveries() {
        return Ok(accepted);
    }
    let row = NewEventRow::new(new, deliveries, !receivers.is_empty());
    diesel::insert_into(webhook_events::table).values(row).execute(connection)?;
    if let Some(key) = &new.publication {
        insert_publication(connection, event, key)?;
    }
    for lane in lanes {
        if fan_out.lanes[lane].lane.is_pulled {
            log(connection, &mut fan_out.lanes[lane].lane, event)?;
            continue;
        }
        let queued = fan_out.queue(new, lane);
        let lane = &mut fan_out.lanes[lane].lane;
        let row = QueuedRow::new(lane.id, DeliveryId::of(event.id, lane.id), event.id, &queued);
        diesel::insert_into(webhook_due::table).values(row).execute(connection)?;
        lane.bring_forward(queued.due_at);
    }
    for to in receivers {
        if let To::Disabled(id) = to {
            let delivery = missed(event, id);
            let row = NewEndedRow::new(&delivery, DeliveryEnd::Missed, event.created_at);
            diesel::insert_into(webhook_deliveries::table).values(row).execute(connection)?;
        }
    }
    Ok(accepted)
}

/// Adds the event to the log of a subscription whose events are pulled.
fn log(connection: &mut SqliteConnection, lane: &mut Lane, event: &Event) -> QueryResult<()> {
    let number = lane.next_sequence().map_or(0, stored_sequence);
    let row = (
        webhook_pulled::subscription_id.eq(lane.id.as_bytes().as_slice()),
        webhook_pulled::sequence.eq(number),
        webhook_pulled::event_id.eq(event.id.as_bytes().as_slice()),
    );
    diesel::insert_into(webhook_pulled::table).values(row).execute(connection)?;
    Ok(())
}

/// The delivery of the event that a disabled subscription misses.
fn missed(event: &Event, subscription: SubscriptionId) -> Delivery {
    Delivery {
        id: DeliveryId::of(event.id, subscription),
        event_id: event.id,
        event_type: event.event_type.clone(),
        subscription_id: subscription,
        state: DeliveryState::Ended { end: DeliveryEnd::Missed, at: event.created_at },
        attempts: 0,
        created_at: event.created_at,
    }
}

impl To {
    fn lane(self) -> Option<usize> {
        match self {
            Self::Lane(lane) => Some(lane),
            Self::Disabled(_) => None,
        }
    }
}

fn insert_publication(connection: &mut SqliteConnection, event: &Event, key: &PublicationKey) -> Result<(), Undo> {
    let row = (
        webhook_publications::owner_issuer.eq(event.owner.issuer()),
        webhook_publications::owner_subject.eq(event.owner.subject()),
        webhook_publications::publisher_id.eq(key.id.as_str()),
        webhook_publications::content.eq(key.content.as_bytes().as_slice()),
        webhook_publications::event_id.eq(event.id.as_bytes().as_slice()),
    );
    diesel::insert_into(webhook_publications::table).values(row).execute(connection)?;
    Ok(())
}

impl<'a> FanOut<'a> {
    /// The owner's subscriptions that match the event.
    fn matching(&mut self, connection: &mut SqliteConnection, event: &'a Event) -> Result<Vec<To>, Undo> {
        let asked = (&event.owner, &event.event_type);
        if !self.matching.contains_key(&asked) {
            let asking = self.look_up(connection, event)?;
            self.matching.insert(asked, asking);
        }
        let payload = FilteredPayload::new(&event.payload);
        let asking = self.matching.get(&asked).into_iter().flatten();
        Ok(asking.filter(|one| payload.passes(one.filter.as_ref())).map(|one| one.to).collect())
    }

    fn look_up(&mut self, connection: &mut SqliteConnection, event: &Event) -> Result<Vec<Asking>, Undo> {
        let mut found: Vec<Asking> = Vec::new();
        let patterns: Vec<EventPattern> = EventPattern::all_matching(&event.event_type).collect();
        for patterns in patterns.chunks(LOOKED_UP_TOGETHER) {
            for (row, filter) in asking_for(connection, &event.owner, patterns)? {
                let lane = Lane::try_from(row)?;
                let to = match (lane.is_open, lane.is_pulled) {
                    (true, _) => To::Lane(self.add(connection, lane)?),
                    (false, false) => To::Disabled(lane.id),
                    (false, true) => continue,
                };
                if found.iter().all(|one| one.to != to) {
                    found.push(Asking { to, filter: stored_filter(filter.as_deref()) });
                }
            }
        }
        Ok(found)
    }

    /// The lane of this subscription, if it belongs to the owner and is open.
    fn only(
        &mut self,
        connection: &mut SqliteConnection,
        event: &Event,
        only: SubscriptionId,
    ) -> Result<Vec<To>, Undo> {
        use diesel_mapping::schema::webhook_subscriptions as subscriptions;
        let theirs = subscriptions::table
            .find((event.owner.issuer(), event.owner.subject(), only.as_bytes().as_slice()))
            .count();
        let is_theirs = theirs.get_result::<i64>(connection)? > 0;
        let lane = if is_theirs { Lane::find(connection, only)? } else { None };
        let lane = lane.filter(|lane| lane.is_open).map(|lane| self.add(connection, lane)).transpose()?;
        Ok(lane.into_iter().map(To::Lane).collect())
    }

    fn add(&mut self, connection: &mut SqliteConnection, lane: Lane) -> QueryResult<usize> {
        if let Some(place) = self.lanes.iter().position(|receiver| receiver.before.id == lane.id) {
            return Ok(place);
        }
        let target = if self.claim.is_some() { find_target(connection, &lane)? } else { None };
        self.lanes.push(Receiver { before: lane.clone(), lane, target });
        Ok(self.lanes.len() - 1)
    }

    /// The delivery of the event to this lane.
    fn queue(&mut self, new: &NewEvent, lane: usize) -> QueuedDelivery {
        let queued = match self.claim.as_mut().zip(self.lanes[lane].target.as_ref()) {
            Some((claim, target)) => claim.publish(new, target),
            None => QueuedDelivery::published(new.event.created_at),
        };
        // Without a target (a suspended owner, or damage) a claim would find nothing, and step over all suspended lanes.
        self.has_waiting |= queued.claim.is_none() && (self.claim.is_none() || self.lanes[lane].target.is_some());
        queued.numbered(self.lanes[lane].lane.next_sequence())
    }
}

/// What a dispatcher needs of the lane; `None` if its owner is suspended, so that nothing is claimed.
fn find_target(connection: &mut SqliteConnection, lane: &Lane) -> QueryResult<Option<ClaimedLane>> {
    use diesel_mapping::schema::webhook_subscriptions as subscriptions;
    let suspended = owners::table.filter(owners::number.eq(lane.owner.number()));
    let found = subscriptions::table
        .filter(subscriptions::id.eq(lane.id.as_bytes().as_slice()))
        .filter(not(exists(suspended.filter(owners::suspended_at.is_not_null()))))
        .select((subscriptions::url, SecretsRow::as_select()));
    let found: Option<(String, SecretsRow)> = found.get_result(connection).optional()?;
    let target = found.and_then(|(url, secrets)| TargetUrl::from_stored(&url).zip(secrets.secrets(lane.id).ok()));
    let Lane { id: subscription, owner, breaker, rests_until, .. } = *lane;
    let deliveries = Vec::new();
    Ok(target.map(|(url, secrets)| ClaimedLane { subscription, owner, url, secrets, breaker, rests_until, deliveries }))
}

/// The filter of the subscription of a pattern. The index has subscriptions with a filter alone, so that others cost almost
/// nothing. SQLite would choose another one.
#[derive(QueryId)]
struct StoredFilter;

impl Expression for StoredFilter {
    type SqlType = Nullable<Text>;
}

impl QueryFragment<Sqlite> for StoredFilter {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(
            "(SELECT filter FROM webhook_subscriptions INDEXED BY webhook_subscriptions_filters
                WHERE id = webhook_patterns.subscription_id AND filter IS NOT NULL)",
        );
        Ok(())
    }
}

impl<Source> AppearsOnTable<Source> for StoredFilter {}
impl<Source> SelectableExpression<Source> for StoredFilter {}
impl<Groups> ValidGrouping<Groups> for StoredFilter {
    type IsAggregate = is_aggregate::No;
}

/// The lanes of the owner's subscriptions with one of these patterns, at most [`LOOKED_UP_TOGETHER`], each with its
/// filter. If there are fewer, the last pattern fills the other places, so that one prepared statement is enough.
fn asking_for(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    patterns: &[EventPattern],
) -> Result<Vec<(LaneRow, Option<String>)>, Undo> {
    let last = patterns.len() - 1;
    let is_pattern = |place: usize| webhook_patterns::pattern.eq(patterns[place.min(last)].as_str());
    let lanes = webhook_patterns::table
        .inner_join(webhook_lanes::table.on(webhook_lanes::subscription_id.eq(webhook_patterns::subscription_id)))
        .filter(webhook_patterns::owner_issuer.eq(owner.issuer()))
        .filter(webhook_patterns::owner_subject.eq(owner.subject()))
        .filter(is_pattern(0).or(is_pattern(1)).or(is_pattern(2)).or(is_pattern(3)));
    Ok(lanes.select((LaneRow::as_select(), StoredFilter)).load(connection)?)
}
