use std::collections::{BTreeMap, BTreeSet, HashMap};

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::pg::Pg;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{BreakerRow, EventRow, SecretsRow, read_sequence, stored_filter, subscription_id};
use diesel_mapping::{CountRow, Kept, StoredInstant, statement};
use domain::ports::{Accepted, ClaimedLane, StoreError};
use domain::webhooks::{
    ContentDigest, Event, EventPattern, EventType, FilteredPayload, NewEvent, OwnerNumber, PayloadFilter, PublisherId,
    TargetUrl,
};
use domain::{OwnerId, SubscriptionId, Timestamp};
use futures_util::future::join;

use super::numbers::LastNumber;
use crate::transaction::TouchDeliveries;

/// The earlier publications under keys.
macro_rules! known {
    ($columns:literal, $events:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM unnest($1, $2, $3) AS asked (owner_issuer, owner_subject, publisher_id)
            JOIN webhook_publications AS publication ON publication.owner_issuer = asked.owner_issuer
                AND publication.owner_subject = asked.owner_subject
                AND publication.publisher_id = asked.publisher_id",
            $events
        )
    };
}

const COUNT_KNOWN: &str = known!("count(*) AS count", "");

const KNOWN: &str = known!(
    "publication.publisher_id, publication.content, event.deliveries,
        event.id, event.owner_issuer, event.owner_subject, event.event_type, event.payload, event.created_at",
    " JOIN webhook_events AS event ON event.id = publication.event_id"
);

macro_rules! lock {
    ($wait:literal) => {
        concat!(
            "SELECT subscription_id, ready_at IS NULL OR ready_at > GREATEST($5, paused_until, rests_until)
                OR due_from > $5 AS sleeps, last_sequence, is_pulled
            FROM webhook_lanes
            WHERE is_open AND subscription_id = ANY(ARRAY(
                SELECT pattern.subscription_id
                FROM unnest($1, $2, $3) AS asked (owner_issuer, owner_subject, pattern)
                CROSS JOIN LATERAL (
                    SELECT subscription_id FROM webhook_patterns WHERE owner_issuer = asked.owner_issuer
                        AND owner_subject = asked.owner_subject AND pattern = asked.pattern OFFSET 0
                ) AS pattern
                UNION SELECT unnest($4)
            )) ORDER BY subscription_id FOR NO KEY UPDATE",
            $wait
        )
    };
}

/// Locks the lanes that may get a delivery, in the order of their ids. A transaction that closes a lane, changes its
/// patterns or puts it to sleep locks the lane, too. The columns of a locked row are newer than the snapshot of the
/// statement.
const LOCK: &str = lock!("");

/// [`LOCK`] without the lanes that another transaction has locked.
const LOCK_FREE: &str = lock!(" SKIP LOCKED");

/// Wakes lanes that are locked.
const WAKE: &str = "UPDATE webhook_lanes
    SET wakes = wakes + 1, ready_at = LEAST(ready_at, GREATEST($2, paused_until, rests_until)),
        due_from = LEAST(due_from, $2)
    WHERE subscription_id = ANY($1)";

/// What a claim needs of a receiver. It has no URL if its owner is suspended, so that nothing is claimed.
macro_rules! target {
    () => {
        ", lane.owner, lane.failures_in_a_row, lane.failing_since, lane.paused_until, lane.pause_millis,
            CASE WHEN NOT EXISTS (
                SELECT FROM owners WHERE number = lane.owner AND suspended_at IS NOT NULL OFFSET 0
            ) THEN subscription.url END AS url,
            subscription.secret, subscription.previous_secret, subscription.previous_secret_until,
            subscription.options"
    };
}

/// The columns of [`target!`], without values.
macro_rules! no_target {
    () => {
        ", 0::bigint AS owner, 0::bigint AS failures_in_a_row, NULL::timestamptz AS failing_since,
            NULL::timestamptz AS paused_until, 0::bigint AS pause_millis, NULL::text AS url, NULL::bytea AS secret,
            NULL::bytea AS previous_secret, NULL::timestamptz AS previous_secret_until,
            NULL::text AS options"
    };
}

/// The receivers of each event, and the disabled subscriptions that miss it. Runs after the found lanes are locked, as a second
/// statement, so that its snapshot is newer than the locks. If it finds a lane that is not locked, the transaction starts again. `OFFSET 0` makes the planner
/// read the tables row by row through their indexes, whatever their assumed sizes.
macro_rules! matching {
    ($columns:expr, $subscriptions:literal) => {
        concat!(
            "SELECT asked.question, pattern.subscription_id, lane.is_open, lane.is_pulled",
            $columns,
            " FROM unnest($1, $2, $3, $4) AS asked (question, owner_issuer, owner_subject, pattern)
            CROSS JOIN LATERAL (
                SELECT subscription_id FROM webhook_patterns WHERE owner_issuer = asked.owner_issuer
                    AND owner_subject = asked.owner_subject AND pattern = asked.pattern OFFSET 0
            ) AS pattern
            CROSS JOIN LATERAL (
                SELECT * FROM webhook_lanes WHERE subscription_id = pattern.subscription_id OFFSET 0
            ) AS lane",
            $subscriptions
        )
    };
}

const MATCH: &str = matching!(
    concat!(
        no_target!(),
        ", (SELECT filter FROM webhook_subscriptions
                WHERE id = pattern.subscription_id AND filter IS NOT NULL) AS filter"
    ),
    ""
);
const MATCH_TARGETS: &str = matching!(
    concat!(target!(), ", subscription.filter"),
    " CROSS JOIN LATERAL (
                SELECT * FROM webhook_subscriptions WHERE id = pattern.subscription_id OFFSET 0
            ) AS subscription"
);

/// [`matching!`] for events to one subscription only, whatever its filter is.
macro_rules! matching_only {
    ($columns:expr) => {
        concat!(
            "SELECT asked.question, subscription.id AS subscription_id, TRUE AS is_open, lane.is_pulled, NULL::text AS filter",
            $columns,
            " FROM unnest($1, $2, $3, $4) AS asked (question, owner_issuer, owner_subject, id)
            CROSS JOIN LATERAL (
                SELECT * FROM webhook_subscriptions WHERE owner_issuer = asked.owner_issuer
                    AND owner_subject = asked.owner_subject AND id = asked.id OFFSET 0
            ) AS subscription
            CROSS JOIN LATERAL (
                SELECT * FROM webhook_lanes WHERE subscription_id = subscription.id AND is_open OFFSET 0
            ) AS lane"
        )
    };
}

const MATCH_ONLY: &str = matching_only!(no_target!());
const MATCH_ONLY_TARGETS: &str = matching_only!(target!());

/// The behaviour of a publication at a lane that another transaction has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Locks {
    /// Waits for its lock.
    Wait,
    /// Leaves out the calls that need it.
    Skip,
}

/// The columns of the receivers that are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matches {
    /// Their ids.
    Ids,
    /// The columns that a claim needs, too.
    Targets,
}

impl Matches {
    const fn select<'a>(self, ids: &'a str, targets: &'a str) -> &'a str {
        match self {
            Self::Ids => ids,
            Self::Targets => targets,
        }
    }
}

/// The data for the decision about a publication.
pub(super) struct Questions<'a> {
    /// Each owner and event type once, in order.
    types: BTreeMap<(&'a OwnerId, &'a EventType), i64>,
    /// Each owner and single subscription.
    only: BTreeMap<(&'a OwnerId, SubscriptionId), i64>,
    keys: BTreeSet<(&'a OwnerId, &'a PublisherId)>,
    /// When the first event is due.
    at: Timestamp,
}

impl<'a> Questions<'a> {
    pub(super) fn of(calls: &'a [&'a [NewEvent]]) -> Self {
        let mut questions =
            Self { types: BTreeMap::new(), only: BTreeMap::new(), keys: BTreeSet::new(), at: Timestamp::MAX };
        let mut next = 0..;
        for new in calls.iter().copied().flatten() {
            let event = &new.event;
            questions.at = questions.at.min(event.created_at);
            questions.keys.extend(new.publication.as_ref().map(|key| (&event.owner, &key.id)));
            let next = || next.next().unwrap_or_default();
            match new.only {
                Some(only) => questions.only.entry((&event.owner, only)).or_insert_with(next),
                None => questions.types.entry((&event.owner, &event.event_type)).or_insert_with(next),
            };
        }
        questions
    }

    /// When the first event is due.
    pub(super) const fn at(&self) -> Timestamp {
        self.at
    }

    /// The number under which the receivers of the event are found.
    pub(super) fn question(&self, new: &'a NewEvent) -> Option<i64> {
        match new.only {
            Some(only) => self.only.get(&(&new.event.owner, only)).copied(),
            None => self.types.get(&(&new.event.owner, &new.event.event_type)).copied(),
        }
    }

    fn patterns(&self) -> impl Iterator<Item = (i64, &'a OwnerId, EventPattern)> {
        self.types.iter().flat_map(|((owner, event_type), question)| {
            EventPattern::all_matching(event_type).map(|pattern| (*question, *owner, pattern))
        })
    }

    /// How many of the keys have earlier publications.
    pub(super) async fn count_known(&self, connection: &AsyncPgConnection) -> QueryResult<i64> {
        if self.keys.is_empty() {
            return Ok(0);
        }
        let counted: Vec<CountRow> = self.by_key(COUNT_KNOWN, connection).await?;
        Ok(counted.iter().map(|row| row.count).sum())
    }

    /// Locks the deliveries before it reads events: see [`TABLES`](super::periods::TABLES).
    pub(super) async fn known(&self, connection: &AsyncPgConnection) -> QueryResult<Vec<KnownRow>> {
        let (locked, known) = join(TouchDeliveries.execute(&mut &*connection), self.by_key(KNOWN, connection)).await;
        locked.and(known)
    }

    async fn by_key<Row>(&self, sql: &str, connection: &AsyncPgConnection) -> QueryResult<Vec<Row>>
    where
        Row: QueryableByName<Pg> + Send + 'static,
    {
        let (issuers, subjects): (Vec<&str>, Vec<&str>) =
            self.keys.iter().map(|(owner, _)| (owner.issuer(), owner.subject())).unzip();
        let ids: Vec<&str> = self.keys.iter().map(|(_, id)| id.as_str()).collect();
        let query =
            statement(sql).bind::<Array<Text>, _>(issuers).bind::<Array<Text>, _>(subjects).bind::<Array<Text>, _>(ids);
        Kept(query).load(&mut &*connection).await
    }

    pub(super) async fn lock(&self, connection: &AsyncPgConnection, locks: Locks) -> QueryResult<Vec<LaneRow>> {
        let lock = match locks {
            Locks::Wait => LOCK,
            Locks::Skip => LOCK_FREE,
        };
        let patterns: Vec<(i64, &OwnerId, EventPattern)> = self.patterns().collect();
        let query = statement(lock)
            .bind::<Array<Text>, Vec<&str>>(patterns.iter().map(|(_, owner, _)| owner.issuer()).collect())
            .bind::<Array<Text>, Vec<&str>>(patterns.iter().map(|(_, owner, _)| owner.subject()).collect())
            .bind::<Array<Text>, Vec<&str>>(patterns.iter().map(|(_, _, pattern)| pattern.as_str()).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(self.only.keys().map(|(_, only)| only.as_bytes().as_slice()).collect())
            .bind::<Instant, StoredInstant>(self.at.into());
        Kept(query).load(&mut &*connection).await
    }

    /// Wakes the lanes that sleep and get deliveries, which are sorted.
    pub(super) fn wake(
        &self,
        connection: &AsyncPgConnection,
        locked: &[LaneRow],
        receivers: &[&[u8]],
    ) -> Option<impl Future<Output = QueryResult<usize>>> {
        let is_woken =
            |lane: &&LaneRow| lane.sleeps && receivers.binary_search(&lane.subscription_id.as_slice()).is_ok();
        let sleeping = locked.iter().filter(is_woken).map(|lane| lane.subscription_id.clone());
        let sleeping: Vec<Vec<u8>> = sleeping.collect();
        let has_sleeping = !sleeping.is_empty();
        let update = statement(WAKE).bind::<Array<Binary>, _>(sleeping).bind::<Instant, StoredInstant>(self.at.into());
        has_sleeping.then(|| Kept(update).execute(&mut &*connection))
    }

    pub(super) async fn matches(&self, connection: &AsyncPgConnection, of: Matches) -> QueryResult<Vec<MatchRow>> {
        let patterns: Vec<(i64, &OwnerId, EventPattern)> = self.patterns().collect();
        let query = statement(of.select(MATCH, MATCH_TARGETS))
            .bind::<Array<BigInt>, Vec<i64>>(patterns.iter().map(|(question, ..)| *question).collect())
            .bind::<Array<Text>, Vec<&str>>(patterns.iter().map(|(_, owner, _)| owner.issuer()).collect())
            .bind::<Array<Text>, Vec<&str>>(patterns.iter().map(|(_, owner, _)| owner.subject()).collect())
            .bind::<Array<Text>, Vec<&str>>(patterns.iter().map(|(_, _, pattern)| pattern.as_str()).collect());
        Kept(query).load(&mut &*connection).await
    }

    pub(super) fn matches_only(
        &self,
        connection: &AsyncPgConnection,
        of: Matches,
    ) -> Option<impl Future<Output = QueryResult<Vec<MatchRow>>>> {
        let query = statement(of.select(MATCH_ONLY, MATCH_ONLY_TARGETS))
            .bind::<Array<BigInt>, Vec<i64>>(self.only.values().copied().collect())
            .bind::<Array<Text>, Vec<&str>>(self.only.keys().map(|(owner, _)| owner.issuer()).collect())
            .bind::<Array<Text>, Vec<&str>>(self.only.keys().map(|(owner, _)| owner.subject()).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(self.only.keys().map(|(_, only)| only.as_bytes().as_slice()).collect());
        (!self.only.is_empty()).then(|| Kept(query).load(&mut &*connection))
    }
}

#[derive(QueryableByName)]
pub(super) struct LaneRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    /// Whether the lane is not ready when the events are due.
    #[diesel(sql_type = Bool)]
    sleeps: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    last_sequence: Option<i64>,
    #[diesel(sql_type = Bool)]
    is_pulled: bool,
}

impl LaneRow {
    /// The number of its last delivery, or of the last event in its log, and whether it is pulled; `None` without numbers.
    pub(super) fn last_number(&self) -> Option<(SubscriptionId, LastNumber)> {
        let lane = subscription_id("webhook_lanes", "subscription_id", &self.subscription_id).ok()?;
        let last = read_sequence(self.last_sequence?);
        Some((lane, LastNumber { last, is_pulled: self.is_pulled }))
    }
}

#[derive(QueryableByName)]
pub(super) struct MatchRow {
    #[diesel(sql_type = BigInt)]
    question: i64,
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = Bool)]
    is_open: bool,
    #[diesel(sql_type = Bool)]
    is_pulled: bool,
    #[diesel(sql_type = BigInt)]
    owner: i64,
    #[diesel(embed)]
    breaker: BreakerRow,
    /// `None` if it was not looked up.
    #[diesel(sql_type = Nullable<Text>)]
    url: Option<String>,
    #[diesel(embed)]
    secrets: SecretsRow,
    #[diesel(sql_type = Nullable<Text>)]
    filter: Option<String>,
}

impl MatchRow {
    /// The receiver's data for a claim; `None` if it was not looked up, is damaged, or belongs to a log.
    fn target(self, subscription: SubscriptionId) -> Option<ClaimedLane> {
        if self.is_pulled {
            return None;
        }
        let (owner, breaker) = (OwnerNumber::from_number(self.owner), self.breaker.breaker());
        let (url, secrets) = (TargetUrl::from_stored(&self.url?)?, self.secrets.secrets(subscription).ok()?);
        let (rests_until, deliveries) = (None, Vec::new());
        Some(ClaimedLane { subscription, owner, url, secrets, breaker, rests_until, deliveries })
    }
}

#[derive(QueryableByName)]
pub(super) struct KnownRow {
    #[diesel(sql_type = Text)]
    publisher_id: String,
    #[diesel(sql_type = Binary)]
    content: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    deliveries: i64,
    #[diesel(embed)]
    event: EventRow,
}

/// An owner and a publisher's id.
type Key = (OwnerId, PublisherId);

/// The event that was accepted under a publisher's id.
pub(super) type Known = HashMap<Key, (ContentDigest, Accepted)>;

pub(super) fn known_publications(rows: Vec<KnownRow>) -> Result<Known, StoreError> {
    rows.into_iter().map(known_publication).collect()
}

fn known_publication(row: KnownRow) -> Result<(Key, (ContentDigest, Accepted)), StoreError> {
    let event = Event::try_from(row.event)?;
    let corrupt = |table, column| StoreError::Corrupt { table, column, row: event.id.to_string() };
    let id = PublisherId::parse(&row.publisher_id).map_err(|_| corrupt("webhook_publications", "publisher_id"))?;
    let content = row.content.try_into().map_err(|_| corrupt("webhook_publications", "content"))?;
    let deliveries = u32::try_from(row.deliveries).map_err(|_| corrupt("webhook_events", "deliveries"))?;
    let key = (event.owner.clone(), id);
    Ok((key, (ContentDigest::from_bytes(content), Accepted { event, deliveries, is_duplicate: true })))
}

/// The receivers, by the number of the question.
#[derive(Default)]
pub(super) struct Receivers {
    asked: HashMap<i64, BTreeSet<SubscriptionId>>,
    /// Disabled subscriptions, which miss the event.
    missing: HashMap<i64, BTreeSet<SubscriptionId>>,
    filters: HashMap<SubscriptionId, PayloadFilter>,
    targets: HashMap<SubscriptionId, ClaimedLane>,
}

impl Receivers {
    /// The receivers of the event that asks this question, and the disabled subscriptions that miss the event.
    pub(super) fn of(&self, new: &NewEvent, question: Option<i64>) -> (Vec<SubscriptionId>, Vec<SubscriptionId>) {
        let payload = FilteredPayload::new(&new.event.payload);
        let passes = |id: &&SubscriptionId| new.only.is_some() || payload.passes(self.filters.get(id));
        let found = |asked: &HashMap<i64, BTreeSet<SubscriptionId>>| {
            let found = question.and_then(|question| asked.get(&question));
            found.into_iter().flatten().filter(passes).copied().collect()
        };
        (found(&self.asked), found(&self.missing))
    }

    /// The receiver's data for a claim, without deliveries.
    pub(super) fn target(&self, receiver: SubscriptionId) -> Option<&ClaimedLane> {
        self.targets.get(&receiver)
    }

    pub(super) fn add(&mut self, rows: Vec<MatchRow>) -> Result<(), StoreError> {
        // A recovery does not fill logs, so a disabled one records no missed deliveries.
        for row in rows.into_iter().filter(|row| row.is_open || !row.is_pulled) {
            let id = subscription_id("webhook_lanes", "subscription_id", &row.subscription_id)?;
            let asked = if row.is_open { &mut self.asked } else { &mut self.missing };
            asked.entry(row.question).or_default().insert(id);
            if !self.filters.contains_key(&id) {
                self.filters.extend(stored_filter(row.filter.as_deref()).map(|filter| (id, filter)));
            }
            self.targets.extend(row.target(id).map(|target| (id, target)));
        }
        Ok(())
    }

    /// The questions with a receiver on a lane that this transaction has not locked.
    pub(super) fn without(&self, locked: &[LaneRow]) -> BTreeSet<i64> {
        let locked: BTreeSet<&[u8]> = locked.iter().map(|row| row.subscription_id.as_slice()).collect();
        let is_locked = |id: &SubscriptionId| locked.contains(id.as_bytes().as_slice());
        let lacking = self.asked.iter().filter(|(_, receivers)| !receivers.iter().all(is_locked));
        lacking.map(|(question, _)| *question).collect()
    }
}
