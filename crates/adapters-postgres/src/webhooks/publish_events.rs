use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use diesel::QueryResult;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::{Array, BigInt, Binary, Integer, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::ports::{Accepted, ClaimId, Publication};
use domain::webhooks::{DeliveryEnd, DirectClaim, DirectClaims, Event, NewEvent, QueuedDelivery};
use domain::{DeliveryId, SubscriptionId, TraceContext};
use futures_util::future::{OptionFuture, join, join3, join5};

use super::numbers::Numbers;
use super::publish_questions::{Known, Locks, Matches, Questions, Receivers, known_publications};
use crate::attempt::{Failure, Work};
use crate::claimers::Claimer;
use crate::transaction::{Begin, Commit, on_its_node, rolled_back, settle};

const INSERT_PUBLICATIONS: &str = on_its_node!(
    "INSERT INTO webhook_publications (owner_issuer, owner_subject, publisher_id, content, event_id)
    SELECT * FROM unnest($1, $2, $3, $4, $5)"
);

const INSERT_EVENTS: &str = on_its_node!(
    "INSERT INTO webhook_events (id, owner_issuer, owner_subject, event_type, payload, created_at, deliveries, trace)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)"
);

/// Deliveries that have ended without an attempt.
const INSERT_MISSED: &str = on_its_node!(
    "INSERT INTO webhook_deliveries (subscription_id, id, event_id, event_type, ended, ended_at, attempts)
    SELECT missed.subscription_id, missed.id, missed.event_id, missed.event_type, $6, missed.at, 0
    FROM unnest($1, $2, $3, $4, $5) AS missed (subscription_id, id, event_id, event_type, at)"
);

/// Deliveries with one counted attempt are under a claim, which ends at `$7`. The others wait.
const INSERT_DUE: &str = on_its_node!(
    "INSERT INTO webhook_due
        (subscription_id, delivery_id, event_id, phase, due_at, attempts_before_run, run_started_at,
        attempts, claim, claimed_until, claimer)
    SELECT new.subscription_id, new.delivery_id, new.event_id, 0, new.at, 0, new.at,
        new.attempts, new.claim, CASE WHEN new.attempts > 0 THEN $7 END, CASE WHEN new.attempts > 0 THEN $8 END
    FROM unnest($1, $2, $3, $4, $5, $6) AS new (subscription_id, delivery_id, event_id, at, attempts, claim)"
);

/// Publishes the events of several calls in one transaction, each call as if it were alone, in the given order. Two
/// round trips.
pub(super) struct Publish<'a> {
    pub(super) calls: &'a [&'a [NewEvent]],
    pub(super) locks: Locks,
    /// The desk for deliveries that are claimed at once.
    pub(super) claims: &'a Arc<DirectClaims>,
    /// This process; `None` until it has a number.
    pub(super) by: Option<Claimer>,
}

/// The result of a transaction.
pub(super) struct Published {
    /// For each call. `None` for a call that needs a lane that another transaction has locked: it is not published.
    pub(super) answers: Vec<Option<Publication>>,
    /// Whether a delivery waits for a claim.
    pub(super) has_waiting: bool,
}

impl Work for Publish<'_> {
    type Answer = Published;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let questions = Questions::of(self.calls);
        let mut claim = self.claims.begin(questions.at());
        let of = if claim.is_some() { Matches::Targets } else { Matches::Ids };
        let ((begun, count), (locked, matches, only)) = join(
            join(Begin.execute(&mut &*connection), questions.count_known(connection)),
            join3(
                questions.lock(connection, self.locks),
                questions.matches(connection, of),
                OptionFuture::from(questions.matches_only(connection, of)),
            ),
        )
        .await;
        begun?;
        // In the order in which they were sent: the first error is the cause of the later ones.
        let (count, locked, matches, only) = (count?, locked?, matches?, only.transpose()?);
        let mut receivers = Receivers::default();
        receivers.add(matches)?;
        receivers.add(only.unwrap_or_default())?;
        let blocked = receivers.without(&locked);
        if self.locks == Locks::Wait && !blocked.is_empty() {
            return Err(Failure::overtaken("a subscription was enabled or changed meanwhile"));
        }
        let known = if count > 0 { known_publications(questions.known(connection).await?)? } else { Known::new() };
        let plan = Plan::of(self.calls, &questions, &receivers, &blocked, known);
        if plan.accepted.is_empty() {
            return rolled_back(connection, Published { answers: plan.answers, has_waiting: false }).await;
        }
        let mut numbers = Numbers::of(&locked);
        let (numbered, due) = plan.queue(&receivers, &mut numbers, claim.as_mut());
        let sent = |due: &&Due<'_>| !numbers.is_pulled(due.to);
        let to = due.iter().chain(numbered.iter().filter(sent)).map(|due| due.to.as_bytes().as_slice());
        let mut to: Vec<&[u8]> = to.collect();
        to.sort_unstable();
        let ((woken, missed), events, (queued, numbered_ones), publications, committed) = join5(
            join(
                OptionFuture::from(questions.wake(connection, &locked, &to)),
                OptionFuture::from(plan.insert_missed(connection)),
            ),
            plan.insert_events(connection),
            join(insert_due(connection, &due, self.by), OptionFuture::from(numbers.store(connection, &numbered))),
            OptionFuture::from(plan.insert_publications(connection)),
            Commit.execute(&mut &*connection),
        )
        .await;
        let publications = publications.transpose();
        if let Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) = &publications {
            return Err(Failure::overtaken("another instance has just published under the same key"));
        }
        let queued = queued.and(numbered_ones.transpose());
        settle(woken.transpose().and(missed.transpose()).and(events).and(queued).and(publications), committed)?;
        if let Some(claim) = claim {
            claim.stored();
        }
        let has_waiting =
            numbered.iter().any(|due| !numbers.is_pulled(due.to)) || due.iter().any(|due| due.queued.claim.is_none());
        Ok(Published { answers: plan.answers, has_waiting })
    }
}

/// The answers, and the rows to store.
struct Plan<'a> {
    answers: Vec<Option<Publication>>,
    accepted: Vec<Stored<'a>>,
}

/// A new event.
struct Stored<'a> {
    new: &'a NewEvent,
    receivers: Vec<SubscriptionId>,
    /// The disabled subscriptions that miss it.
    missing: Vec<SubscriptionId>,
}

impl<'a> Plan<'a> {
    fn of(
        calls: &'a [&'a [NewEvent]],
        questions: &Questions<'a>,
        receivers: &Receivers,
        blocked: &BTreeSet<i64>,
        mut known: Known,
    ) -> Self {
        let mut plan = Self { answers: Vec::with_capacity(calls.len()), accepted: Vec::new() };
        let is_blocked = |new| questions.question(new).is_some_and(|question| blocked.contains(&question));
        for events in calls {
            let answer = if events.iter().any(is_blocked) {
                None
            } else if let Some(index) = conflict(events, &known) {
                Some(Publication::Conflict { index })
            } else {
                let accept = |new| plan.accept(new, questions, receivers, &mut known);
                Some(Publication::Accepted(events.iter().map(accept).collect()))
            };
            plan.answers.push(answer);
        }
        plan
    }

    fn accept(
        &mut self,
        new: &'a NewEvent,
        questions: &Questions<'a>,
        receivers: &Receivers,
        known: &mut Known,
    ) -> Accepted {
        let key = new.publication.as_ref().map(|key| (new.event.owner.clone(), key.id.clone()));
        if let Some((_, first)) = key.as_ref().and_then(|key| known.get(key)) {
            return first.clone();
        }
        let (receivers, mut missing) = receivers.of(new, questions.question(new));
        missing.retain(|_| new.is_missed());
        let deliveries = u32::try_from(receivers.len()).unwrap_or(u32::MAX);
        let accepted = Accepted { event: new.event.clone(), deliveries, is_duplicate: false };
        if let Some((key, publication)) = key.zip(new.publication.as_ref()) {
            known.insert(key, (publication.content, Accepted { is_duplicate: true, ..accepted.clone() }));
        }
        if !receivers.is_empty() || !missing.is_empty() || new.is_stored_without_deliveries() {
            self.accepted.push(Stored { new, receivers, missing });
        }
        accepted
    }

    async fn insert_events(&self, connection: &AsyncPgConnection) -> QueryResult<usize> {
        let events = || self.accepted.iter().map(|stored| &stored.new.event);
        let counts = self.accepted.iter().map(|stored| i64::try_from(stored.receivers.len()).unwrap_or(i64::MAX));
        let payload = |stored: &Stored<'a>| -> &'a [u8] {
            let has_none = stored.receivers.is_empty() && stored.missing.is_empty();
            if has_none { &[] } else { stored.new.event.payload.bytes() }
        };
        let payloads = self.accepted.iter().map(payload);
        let traces = self.accepted.iter().map(|stored| stored.new.trace.map(TraceContext::to_bytes).map(Vec::from));
        let insertion = statement(INSERT_EVENTS)
            .bind::<Array<Binary>, Vec<&[u8]>>(events().map(|event| event.id.as_bytes().as_slice()).collect())
            .bind::<Array<Text>, Vec<&str>>(events().map(|event| event.owner.issuer()).collect())
            .bind::<Array<Text>, Vec<&str>>(events().map(|event| event.owner.subject()).collect())
            .bind::<Array<Text>, Vec<&str>>(events().map(|event| event.event_type.as_str()).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(payloads.collect())
            .bind::<Array<Instant>, Vec<StoredInstant>>(events().map(|event| event.created_at.into()).collect())
            .bind::<Array<BigInt>, Vec<i64>>(counts.collect())
            .bind::<Array<Nullable<Binary>>, Vec<Option<Vec<u8>>>>(traces.collect());
        Kept(insertion).execute(&mut &*connection).await
    }

    /// Sorted by key, so that instances that insert the same keys wait for each other in one order.
    fn insert_publications(&self, connection: &AsyncPgConnection) -> Option<impl Future<Output = QueryResult<usize>>> {
        let named = self.accepted.iter().filter_map(|Stored { new, .. }| Some((&new.event, new.publication.as_ref()?)));
        let mut named: Vec<_> = named.collect();
        named.sort_unstable_by_key(|(event, key)| (&event.owner, &key.id));
        let insertion = statement(INSERT_PUBLICATIONS)
            .bind::<Array<Text>, Vec<&str>>(named.iter().map(|(event, _)| event.owner.issuer()).collect())
            .bind::<Array<Text>, Vec<&str>>(named.iter().map(|(event, _)| event.owner.subject()).collect())
            .bind::<Array<Text>, Vec<&str>>(named.iter().map(|(_, key)| key.id.as_str()).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(named.iter().map(|(_, key)| key.content.as_bytes().as_slice()).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(named.iter().map(|(event, _)| event.id.as_bytes().as_slice()).collect());
        (!named.is_empty()).then(|| Kept(insertion).execute(&mut &*connection))
    }

    /// The deliveries that disabled subscriptions miss.
    fn insert_missed(&self, connection: &AsyncPgConnection) -> Option<impl Future<Output = QueryResult<usize>>> {
        let of = |stored: &Stored<'a>| {
            let event = &stored.new.event;
            stored.missing.iter().map(|to| (*to, DeliveryId::of(event.id, *to), event)).collect::<Vec<_>>()
        };
        let mut missed: Vec<(SubscriptionId, DeliveryId, &Event)> = self.accepted.iter().flat_map(of).collect();
        missed.sort_unstable_by_key(|(to, id, _)| (*to, *id));
        let insertion = statement(INSERT_MISSED)
            .bind::<Array<Binary>, Vec<&[u8]>>(missed.iter().map(|(to, ..)| to.as_bytes().as_slice()).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(missed.iter().map(|(_, id, _)| id.as_bytes().as_slice()).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(missed.iter().map(|(.., one)| one.id.as_bytes().as_slice()).collect())
            .bind::<Array<Text>, Vec<&str>>(missed.iter().map(|(.., one)| one.event_type.as_str()).collect())
            .bind::<Array<Instant>, Vec<StoredInstant>>(missed.iter().map(|(.., one)| one.created_at.into()).collect())
            .bind::<Text, _>(DeliveryEnd::Missed.code());
        (!missed.is_empty()).then(|| Kept(insertion).execute(&mut &*connection))
    }

    /// The deliveries with a number and the events of logs, and the other deliveries. Sorted by lane, so that rows that are close in the index are inserted
    /// one after another.
    fn queue(
        &self,
        receivers: &Receivers,
        numbers: &mut Numbers,
        mut claim: Option<&mut DirectClaim>,
    ) -> (Vec<Due<'a>>, Vec<Due<'a>>) {
        let mut due = Vec::new();
        for Stored { new, receivers: to, .. } in &self.accepted {
            for to in to {
                let queued = match claim.as_mut().zip(receivers.target(*to)) {
                    Some((claim, target)) => claim.publish(new, target),
                    None => QueuedDelivery::published(new.event.created_at),
                };
                let queued = queued.numbered(numbers.next(*to));
                due.push(Due { to: *to, id: DeliveryId::of(new.event.id, *to), event: &new.event, queued });
            }
        }
        due.sort_unstable_by_key(|due| (due.to, due.id));
        due.into_iter().partition(|due| due.queued.sequence.is_some())
    }
}

/// A delivery to store.
pub(super) struct Due<'a> {
    pub(super) to: SubscriptionId,
    pub(super) id: DeliveryId,
    pub(super) event: &'a Event,
    pub(super) queued: QueuedDelivery,
}

async fn insert_due(connection: &AsyncPgConnection, due: &[Due<'_>], by: Option<Claimer>) -> QueryResult<usize> {
    let claimed_until = due.iter().find(|due| due.queued.claim.is_some()).map(|due| due.queued.due_at.into());
    let insertion = statement(INSERT_DUE)
        .bind::<Array<Binary>, Vec<&[u8]>>(due.iter().map(|due| due.to.as_bytes().as_slice()).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(due.iter().map(|due| due.id.as_bytes().as_slice()).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(due.iter().map(|due| due.event.id.as_bytes().as_slice()).collect())
        .bind::<Array<Instant>, Vec<StoredInstant>>(due.iter().map(|due| due.event.created_at.into()).collect())
        .bind::<Array<BigInt>, Vec<i64>>(due.iter().map(|due| due.queued.attempts.into()).collect())
        .bind::<Array<Nullable<BigInt>>, Vec<Option<i64>>>(
            due.iter().map(|due| due.queued.claim.map(ClaimId::number)).collect(),
        )
        .bind::<Nullable<Instant>, Option<StoredInstant>>(claimed_until)
        .bind::<Nullable<Integer>, _>(by.map(Claimer::number));
    Kept(insertion).execute(&mut &*connection).await
}

/// The first event with a publisher's id that belongs to another event, of another call or of this call.
fn conflict(events: &[NewEvent], known: &Known) -> Option<usize> {
    let mut named = HashMap::new();
    events.iter().position(|new| {
        let Some(publication) = &new.publication else { return false };
        let key = (new.event.owner.clone(), publication.id.clone());
        let first = known.get(&key).map_or(publication.content, |(content, _)| *content);
        *named.entry(key).or_insert(first) != publication.content
    })
}
