use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::schema::webhook_consumers;
use diesel_mapping::statement;
use diesel_mapping::webhooks::{
    ConsumerPlace, ConsumerRow, NewConsumerRow, PULL_EVENTS, consumer_of, consumers_of, last_of_each, last_pulled,
    number_of_pulled, numbers_from, oldest_pulled, pulled, read_sequence, stored_sequence,
};
use domain::ports::{
    CONSUMERS_MAX, CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, SeekTo, Sought, StoreError,
};
use domain::webhooks::{Commit, Consumer, ConsumerName};
use domain::{EventId, SubscriptionId};

use crate::SqliteStore;
use crate::audit::write_events;
use crate::undo::Undo;

#[async_trait]
impl PulledEvents for SqliteStore {
    async fn receive(&self, request: &ReceiveRequest) -> Result<Pulled, StoreError> {
        self.write(request, receive).await
    }

    async fn commit(&self, request: &CommitRequest) -> Result<Committed, StoreError> {
        self.write(request, commit).await
    }

    async fn seek(&self, request: &SeekRequest) -> Result<Sought, StoreError> {
        self.write(request, seek).await
    }

    async fn read(&self, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Result<Pulled, StoreError> {
        let log = log.clone();
        self.readers.read(move |connection| read(connection, &log, after, max)).await
    }

    async fn consumers(&self, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError> {
        let log = log.clone();
        self.readers.read(move |connection| list(connection, &log)).await
    }

    async fn forget(&self, request: &ForgetRequest) -> Result<bool, StoreError> {
        self.write(request, forget).await
    }

    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        let logs = logs.to_vec();
        self.readers.read(move |connection| last_numbers(connection, &logs)).await
    }
}

/// The number of the last event; `None` if the owner has no such log.
fn last(connection: &mut SqliteConnection, log: &PulledLog) -> QueryResult<Option<u64>> {
    let found: Option<Option<i64>> = last_pulled(log).first(connection).optional()?;
    Ok(found.map(|last| last.map_or(0, read_sequence)))
}

/// The number of the first event that is stored, or will be.
fn oldest(connection: &mut SqliteConnection, log: &PulledLog, last: u64) -> QueryResult<u64> {
    let oldest: Option<i64> = oldest_pulled(log).first(connection).optional()?;
    Ok(oldest.map_or(last + 1, read_sequence))
}

fn page(
    connection: &mut SqliteConnection,
    log: &PulledLog,
    (mut after, last): (u64, u64),
    max: PulledMax,
) -> Result<Pulled, Undo> {
    loop {
        let query = statement(PULL_EVENTS)
            .bind::<Binary, _>(log.subscription.as_bytes().as_slice())
            .bind::<BigInt, _>(stored_sequence(after))
            .bind::<BigInt, i64>(max.events.into())
            .bind::<BigInt, _>(stored_sequence(max.bytes));
        let (answer, damaged) = pulled((after, last), query.load(connection)?);
        if damaged > 0 {
            tracing::error!(count = damaged, subscription = %log.subscription, "passed over damaged events in a log");
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
    let row = consumer_of(log, name).select(ConsumerRow::as_select()).first(connection).optional()?;
    Ok(row.map(|row| row.consumer()).transpose()?)
}

/// The consumer. A new one begins at the oldest event; `None` if there are too many others.
fn consumer(
    connection: &mut SqliteConnection,
    log: &PulledLog,
    name: &ConsumerName,
    last: u64,
) -> Result<Option<Consumer>, Undo> {
    if let Some(found) = find_consumer(connection, log, name)? {
        return Ok(Some(found));
    }
    if consumers_of(log).count().get_result::<i64>(connection)? >= CONSUMERS_MAX.into() {
        return Ok(None);
    }
    let new = Consumer::at(oldest(connection, log, last)? - 1);
    diesel::insert_into(webhook_consumers::table).values(NewConsumerRow::new(log, name, new)).execute(connection)?;
    Ok(Some(new))
}

fn write_consumer(
    connection: &mut SqliteConnection,
    log: &PulledLog,
    name: &ConsumerName,
    consumer: Consumer,
) -> QueryResult<()> {
    diesel::update(consumer_of(log, name)).set(ConsumerPlace::from(consumer)).execute(connection).map(drop)
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
        write_consumer(connection, log, name, consumer.received(request.lease, through, request.until))?;
    }
    Ok(pulled)
}

fn commit(connection: &mut SqliteConnection, request: &CommitRequest) -> Result<Committed, Undo> {
    let (log, name) = (&request.log, &request.consumer);
    if last(connection, log)?.is_none() {
        return Ok(Committed::NotFound);
    }
    let Some(consumer) = find_consumer(connection, log, name)? else { return Ok(Committed::LeaseLost) };
    let number = |event: EventId| number_of_pulled(log, event.as_bytes()).first::<i64>(connection).optional();
    let through = request.through.map(number).transpose()?;
    let through = through.map(|number| number.map_or(0, read_sequence));
    Ok(match consumer.committed(request.lease, through) {
        Commit::Done(committed) => {
            write_consumer(connection, log, name, committed)?;
            Committed::Done
        }
        Commit::LeaseLost => Committed::LeaseLost,
        Commit::NotReceived => Committed::NotReceived,
    })
}

fn seek(connection: &mut SqliteConnection, request: &SeekRequest) -> Result<Sought, Undo> {
    let (log, name) = (&request.log, &request.consumer);
    let Some(last) = last(connection, log)? else { return Ok(Sought::NotFound) };
    let Some(before) = consumer(connection, log, name, last)? else { return Ok(Sought::TooManyConsumers) };
    let next = match request.to {
        SeekTo::Start => oldest(connection, log, last)?,
        SeekTo::End => last + 1,
        SeekTo::Time(at) => {
            let numbers: Vec<i64> = numbers_from(log, EventId::first_at(at).as_bytes()).load(connection)?;
            numbers.into_iter().min().map_or(last + 1, read_sequence)
        }
    };
    write_consumer(connection, log, name, Consumer::at(next - 1))?;
    write_events(connection, [&request.cause.consumer_moved(log, name, before.position, next - 1)])?;
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
    let rows = consumers_of(log).order(webhook_consumers::name).select(ConsumerRow::as_select()).load(connection)?;
    Ok(Some(rows.into_iter().map(|row| row.listed(last)).collect::<Result<_, StoreError>>()?))
}

fn forget(connection: &mut SqliteConnection, request: &ForgetRequest) -> Result<bool, Undo> {
    let ForgetRequest { log, consumer, cause } = request;
    if last(connection, log)?.is_none() || diesel::delete(consumer_of(log, consumer)).execute(connection)? == 0 {
        return Ok(false);
    }
    write_events(connection, [&cause.consumer_deleted(log, consumer)])?;
    Ok(true)
}

fn last_numbers(connection: &mut SqliteConnection, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, Undo> {
    let ids = logs.iter().map(|log| log.subscription.as_bytes().to_vec()).collect();
    Ok(diesel_mapping::webhooks::last_numbers(logs, last_of_each(ids).load(connection)?)?)
}
