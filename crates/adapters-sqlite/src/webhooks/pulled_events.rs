use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::webhook_lanes;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{
    ADD_CONSUMER, ConsumerRow, FIND_CONSUMER, FIRST_PULLED, FORGET_CONSUMER, LAST_PULLED, LIST_CONSUMERS,
    NUMBER_OF_PULLED, NumberRow, OLDEST_PULLED, PULL_EVENTS, WRITE_CONSUMER, consumer_values, pulled, stored_sequence,
};
use domain::ports::{
    CONSUMERS_MAX, CommitRequest, Committed, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, SeekTo, Sought, StoreError,
};
use domain::webhooks::{Commit, Consumer, ConsumerName};
use domain::{EventId, SubscriptionId};

use crate::SqliteStore;
use crate::undo::Undo;

#[async_trait]
impl PulledEvents for SqliteStore {
    async fn receive(&self, request: &ReceiveRequest) -> Result<Pulled, StoreError> {
        let request = request.clone();
        self.writer.write(move |connection| receive(connection, &request)).await
    }

    async fn commit(&self, request: &CommitRequest) -> Result<Committed, StoreError> {
        let request = request.clone();
        self.writer.write(move |connection| commit(connection, &request)).await
    }

    async fn seek(&self, request: &SeekRequest) -> Result<Sought, StoreError> {
        let request = request.clone();
        self.writer.write(move |connection| seek(connection, &request)).await
    }

    async fn read(&self, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Result<Pulled, StoreError> {
        let log = log.clone();
        self.readers.read(move |connection| read(connection, &log, after, max)).await
    }

    async fn consumers(&self, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError> {
        let log = log.clone();
        self.readers.read(move |connection| list(connection, &log)).await
    }

    async fn forget(&self, log: &PulledLog, consumer: &ConsumerName) -> Result<bool, StoreError> {
        let (log, consumer) = (log.clone(), consumer.clone());
        self.writer.write(move |connection| forget(connection, &log, &consumer)).await
    }

    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        let logs = logs.to_vec();
        self.readers.read(move |connection| last_numbers(connection, &logs)).await
    }
}

/// The number of the last event; `None` if the owner has no such log.
fn last(connection: &mut SqliteConnection, log: &PulledLog) -> Result<Option<u64>, Undo> {
    let query = diesel::sql_query(LAST_PULLED)
        .bind::<Text, _>(log.owner.issuer())
        .bind::<Text, _>(log.owner.subject())
        .bind::<Binary, _>(log.subscription.as_bytes().as_slice());
    let found: Option<NumberRow> = query.get_result(connection).optional()?;
    Ok(found.map(|row| row.number().unwrap_or_default()))
}

/// The number of the first event that is stored, or will be.
fn oldest(connection: &mut SqliteConnection, log: &PulledLog, last: u64) -> Result<u64, Undo> {
    let query = diesel::sql_query(OLDEST_PULLED).bind::<Binary, _>(log.subscription.as_bytes().as_slice());
    Ok(query.get_result::<NumberRow>(connection)?.number().unwrap_or(last + 1))
}

/// What one of the statements about an event finds.
fn number(
    connection: &mut SqliteConnection,
    statement: &str,
    log: &PulledLog,
    event: EventId,
) -> Result<Option<u64>, Undo> {
    let query = diesel::sql_query(statement)
        .bind::<Binary, _>(log.subscription.as_bytes().as_slice())
        .bind::<Binary, _>(event.as_bytes().as_slice());
    Ok(query.get_result::<NumberRow>(connection)?.number())
}

fn page(
    connection: &mut SqliteConnection,
    log: &PulledLog,
    (mut after, last): (u64, u64),
    max: PulledMax,
) -> Result<Pulled, Undo> {
    loop {
        let query = diesel::sql_query(PULL_EVENTS)
            .bind::<Binary, _>(log.subscription.as_bytes().as_slice())
            .bind::<BigInt, _>(stored_sequence(after))
            .bind::<BigInt, i64>(max.events.into())
            .bind::<BigInt, _>(stored_sequence(max.bytes));
        let (answer, damaged) = pulled((after, last), query.load(connection)?);
        if damaged > 0 {
            tracing::error!(count = damaged, subscription = %log.subscription, "pulled events are damaged, and passed over");
        }
        match answer {
            Ok(pulled) => return Ok(pulled),
            Err(examined) => after = examined,
        }
    }
}

fn find_consumer(
    connection: &mut SqliteConnection,
    log: &PulledLog,
    name: &ConsumerName,
) -> Result<Option<Consumer>, Undo> {
    let query = diesel::sql_query(FIND_CONSUMER)
        .bind::<Binary, _>(log.subscription.as_bytes().as_slice())
        .bind::<Text, _>(name.as_str());
    let row: Option<ConsumerRow> = query.get_result(connection).optional()?;
    Ok(row.map(|row| row.consumer()).transpose()?)
}

/// The consumer, which begins at the oldest event; `None` if there are too many others.
fn consumer(
    connection: &mut SqliteConnection,
    log: &PulledLog,
    name: &ConsumerName,
    last: u64,
) -> Result<Option<Consumer>, Undo> {
    if let Some(found) = find_consumer(connection, log, name)? {
        return Ok(Some(found));
    }
    let new = Consumer::at(oldest(connection, log, last)? - 1);
    let insertion = diesel::sql_query(ADD_CONSUMER)
        .bind::<Binary, _>(log.subscription.as_bytes().as_slice())
        .bind::<Text, _>(name.as_str())
        .bind::<BigInt, _>(stored_sequence(new.position))
        .bind::<BigInt, i64>(CONSUMERS_MAX.into());
    Ok((insertion.execute(connection)? > 0).then_some(new))
}

fn write_consumer(
    connection: &mut SqliteConnection,
    log: &PulledLog,
    name: &ConsumerName,
    consumer: &Consumer,
) -> Result<(), Undo> {
    let (position, lease, through, until) = consumer_values(consumer);
    diesel::sql_query(WRITE_CONSUMER)
        .bind::<BigInt, _>(position)
        .bind::<Nullable<BigInt>, _>(lease)
        .bind::<Nullable<BigInt>, _>(through)
        .bind::<Nullable<Instant>, Option<StoredInstant>>(until)
        .bind::<Binary, _>(log.subscription.as_bytes().as_slice())
        .bind::<Text, _>(name.as_str())
        .execute(connection)?;
    Ok(())
}

fn receive(connection: &mut SqliteConnection, request: &ReceiveRequest) -> Result<Pulled, Undo> {
    let (log, name) = (&request.log, &request.consumer);
    let Some(last) = last(connection, log)? else { return Ok(Pulled::NotFound) };
    let Some(consumer) = consumer(connection, log, name, last)? else { return Ok(Pulled::TooManyConsumers) };
    if let Some(until) = consumer.leased_until(request.at) {
        return Ok(Pulled::Leased { until });
    }
    let pulled = page(connection, log, (consumer.position, last), request.max)?;
    if let Some(through) = pulled.through() {
        write_consumer(connection, log, name, &consumer.received(request.lease, through, request.until))?;
    }
    Ok(pulled)
}

fn commit(connection: &mut SqliteConnection, request: &CommitRequest) -> Result<Committed, Undo> {
    let (log, name) = (&request.log, &request.consumer);
    if last(connection, log)?.is_none() {
        return Ok(Committed::NotFound);
    }
    let Some(consumer) = find_consumer(connection, log, name)? else { return Ok(Committed::LeaseLost) };
    let through = match request.through {
        Some(event) => Some(number(connection, NUMBER_OF_PULLED, log, event)?.unwrap_or_default()),
        None => None,
    };
    Ok(match consumer.committed(request.lease, through) {
        Commit::Done(committed) => {
            write_consumer(connection, log, name, &committed)?;
            Committed::Done
        }
        Commit::LeaseLost => Committed::LeaseLost,
        Commit::NotReceived => Committed::NotReceived,
    })
}

fn seek(connection: &mut SqliteConnection, request: &SeekRequest) -> Result<Sought, Undo> {
    let (log, name) = (&request.log, &request.consumer);
    let Some(last) = last(connection, log)? else { return Ok(Sought::NotFound) };
    if consumer(connection, log, name, last)?.is_none() {
        return Ok(Sought::TooManyConsumers);
    }
    let next = match request.to {
        SeekTo::Start => oldest(connection, log, last)?,
        SeekTo::End => last + 1,
        SeekTo::Time(at) => number(connection, FIRST_PULLED, log, EventId::first_at(at))?.unwrap_or(last + 1),
    };
    write_consumer(connection, log, name, &Consumer::at(next - 1))?;
    Ok(Sought::Done)
}

fn read(
    connection: &mut SqliteConnection,
    log: &PulledLog,
    after: Option<u64>,
    max: PulledMax,
) -> Result<Pulled, Undo> {
    let Some(last) = last(connection, log)? else { return Ok(Pulled::NotFound) };
    let after = match after {
        Some(after) => after,
        None => oldest(connection, log, last)? - 1,
    };
    page(connection, log, (after, last), max)
}

fn list(connection: &mut SqliteConnection, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, Undo> {
    let Some(last) = last(connection, log)? else { return Ok(None) };
    let query = diesel::sql_query(LIST_CONSUMERS).bind::<Binary, _>(log.subscription.as_bytes().as_slice());
    let rows: Vec<ConsumerRow> = query.load(connection)?;
    Ok(Some(rows.into_iter().map(|row| row.listed(last)).collect::<Result<_, StoreError>>()?))
}

fn forget(connection: &mut SqliteConnection, log: &PulledLog, name: &ConsumerName) -> Result<bool, Undo> {
    if last(connection, log)?.is_none() {
        return Ok(false);
    }
    let deletion = diesel::sql_query(FORGET_CONSUMER)
        .bind::<Binary, _>(log.subscription.as_bytes().as_slice())
        .bind::<Text, _>(name.as_str());
    Ok(deletion.execute(connection)? > 0)
}

fn last_numbers(connection: &mut SqliteConnection, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, Undo> {
    use diesel_mapping::schema::webhook_subscriptions as subscriptions;
    let ids: Vec<&[u8]> = logs.iter().map(|log| log.subscription.as_bytes().as_slice()).collect();
    let rows = webhook_lanes::table
        .inner_join(subscriptions::table.on(subscriptions::id.eq(webhook_lanes::subscription_id)))
        .filter(webhook_lanes::subscription_id.eq_any(ids))
        .filter(webhook_lanes::is_pulled)
        .filter(subscriptions::deleted_at.is_null())
        .select((
            webhook_lanes::subscription_id,
            webhook_lanes::last_sequence,
            subscriptions::owner_issuer,
            subscriptions::owner_subject,
        ));
    Ok(diesel_mapping::webhooks::last_numbers(logs, rows.load(connection)?)?)
}
