use async_trait::async_trait;
use diesel::QueryResult;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::{webhook_consumers, webhook_lanes};
use diesel_mapping::webhooks::{
    ConsumerPlace, ConsumerRow, NewConsumerRow, PULL_EVENTS, consumer_of, consumers_of, last_of_each, last_pulled,
    number_of_pulled, numbers_from, oldest_pulled, pulled, read_sequence, stored_sequence,
};
use diesel_mapping::{Kept, statement};
use domain::ports::{
    CONSUMERS_MAX, CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, SeekTo, Sought, StoreError,
};
use domain::webhooks::{Commit as Decision, Consumer, ConsumerName};
use domain::{EventId, SubscriptionId};
use futures_util::future::join;

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, Commit, rolled_back, settle};

#[async_trait]
impl PulledEvents for PostgresStore {
    async fn receive(&self, request: &ReceiveRequest) -> Result<Pulled, StoreError> {
        self.run(request).await
    }

    async fn commit(&self, request: &CommitRequest) -> Result<Committed, StoreError> {
        self.run(request).await
    }

    async fn seek(&self, request: &SeekRequest) -> Result<Sought, StoreError> {
        self.run(request).await
    }

    async fn read(&self, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Result<Pulled, StoreError> {
        self.run(&Read { log, after, max }).await
    }

    async fn consumers(&self, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError> {
        self.run(&List(log)).await
    }

    async fn forget(&self, request: &ForgetRequest) -> Result<bool, StoreError> {
        self.run(request).await
    }

    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        self.run(&LastNumbers(logs)).await
    }
}

/// A log, on a connection.
#[derive(Clone, Copy)]
struct Log<'a> {
    connection: &'a AsyncPgConnection,
    log: &'a PulledLog,
}

impl<'a> Log<'a> {
    /// The log and the number of its last event; `None` if the owner has no such log.
    async fn find(connection: &'a AsyncPgConnection, log: &'a PulledLog) -> QueryResult<Option<(Self, u64)>> {
        let found: Option<Option<i64>> = last_pulled(log).first(&mut &*connection).await.optional()?;
        let last = found.map(|last| last.map_or(0, read_sequence));
        Ok(last.map(|last| (Self { connection, log }, last)))
    }

    /// [`Log::find`] in a transaction that begins here.
    async fn begin(connection: &'a AsyncPgConnection, log: &'a PulledLog) -> QueryResult<Option<(Self, u64)>> {
        let (begun, found) = join(Begin.execute(&mut &*connection), Self::find(connection, log)).await;
        begun.and(found)
    }

    /// The number of the first event that is stored, or will be.
    async fn oldest(&self, last: u64) -> QueryResult<u64> {
        let oldest: Option<i64> = oldest_pulled(self.log).first(&mut &*self.connection).await.optional()?;
        Ok(oldest.map_or(last + 1, read_sequence))
    }

    /// The number of the event; 0 if the log does not have it.
    async fn number_of(&self, event: EventId) -> QueryResult<u64> {
        let number = number_of_pulled(self.log, event.as_bytes()).first::<i64>(&mut &*self.connection);
        Ok(number.await.optional()?.map_or(0, read_sequence))
    }

    async fn page(&self, (mut after, last): (u64, u64), max: PulledMax) -> QueryResult<Pulled> {
        loop {
            let query = statement(PULL_EVENTS)
                .bind::<Binary, _>(self.log.subscription.as_bytes().as_slice())
                .bind::<BigInt, _>(stored_sequence(after))
                .bind::<BigInt, i64>(max.events.into())
                .bind::<BigInt, _>(stored_sequence(max.bytes));
            let (answer, damaged) = pulled((after, last), Kept(query).load(&mut &*self.connection).await?);
            if damaged > 0 {
                let subscription = self.log.subscription;
                tracing::error!(count = damaged, %subscription, "passed over damaged events in a log");
            }
            match answer {
                Ok(pulled) => return Ok(pulled),
                Err(examined) => after = examined,
            }
        }
    }

    /// Finds the consumer, and locks it.
    async fn lock_consumer(&self, name: &ConsumerName) -> Result<Option<Consumer>, Failure> {
        let consumer = consumer_of(self.log, name).select(ConsumerRow::as_select()).for_update();
        let row = consumer.first(&mut &*self.connection).await.optional()?;
        Ok(row.map(|row| row.consumer()).transpose()?)
    }

    /// The consumer, which is locked. A new one begins at the oldest event; `None` if there are too many others. The lock of
    /// the lane makes their maximum exact.
    async fn consumer(&self, name: &ConsumerName, last: u64) -> Result<Option<Consumer>, Failure> {
        if let Some(found) = self.lock_consumer(name).await? {
            return Ok(Some(found));
        }
        let lane = webhook_lanes::table.find(self.log.subscription.as_bytes().as_slice());
        let lane = lane.select(webhook_lanes::is_pulled).for_no_key_update();
        let _: bool = lane.get_result(&mut &*self.connection).await?;
        if let Some(found) = self.lock_consumer(name).await? {
            return Ok(Some(found));
        }
        let count: i64 = consumers_of(self.log).count().get_result(&mut &*self.connection).await?;
        if count >= CONSUMERS_MAX.into() {
            return Ok(None);
        }
        let new = Consumer::at(self.oldest(last).await? - 1);
        let insertion = diesel::insert_into(webhook_consumers::table).values(NewConsumerRow::new(self.log, name, new));
        insertion.execute(&mut &*self.connection).await?;
        Ok(Some(new))
    }

    /// Ends the transaction with these values of the consumer.
    async fn commit(&self, name: &ConsumerName, consumer: Consumer) -> Result<(), Failure> {
        let update = diesel::update(consumer_of(self.log, name)).set(ConsumerPlace::from(consumer));
        let (written, committed) =
            join(update.execute(&mut &*self.connection), Commit.execute(&mut &*self.connection)).await;
        settle(written, committed).map(drop)
    }
}

impl Work for ReceiveRequest {
    type Answer = Pulled;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Pulled, Failure> {
        let Some((log, last)) = Log::begin(connection, &self.log).await? else {
            return rolled_back(connection, Pulled::NotFound).await;
        };
        let Some(consumer) = log.consumer(&self.consumer, last).await? else {
            return rolled_back(connection, Pulled::TooManyConsumers).await;
        };
        let pulled = match consumer.leased_until(self.at) {
            Some(until) => Pulled::Leased { until },
            None => log.page((consumer.position, last), self.max).await?,
        };
        match pulled.through() {
            Some(through) => {
                log.commit(&self.consumer, consumer.received(self.lease, through, self.until)).await?;
            }
            // A new consumer stays.
            None => settle(Ok(()), Commit.execute(&mut &*connection).await)?,
        }
        Ok(pulled)
    }
}

impl Work for CommitRequest {
    type Answer = Committed;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Committed, Failure> {
        let answer = match Log::begin(connection, &self.log).await? {
            None => Committed::NotFound,
            Some((log, _)) => match log.lock_consumer(&self.consumer).await? {
                None => Committed::LeaseLost,
                Some(consumer) => {
                    let through = match self.through {
                        Some(event) => Some(log.number_of(event).await?),
                        None => None,
                    };
                    match consumer.committed(self.lease, through) {
                        Decision::Done(committed) => {
                            log.commit(&self.consumer, committed).await?;
                            return Ok(Committed::Done);
                        }
                        Decision::LeaseLost => Committed::LeaseLost,
                        Decision::NotReceived => Committed::NotReceived,
                    }
                }
            },
        };
        rolled_back(connection, answer).await
    }
}

impl Work for SeekRequest {
    type Answer = Sought;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Sought, Failure> {
        let Some((log, last)) = Log::begin(connection, &self.log).await? else {
            return rolled_back(connection, Sought::NotFound).await;
        };
        let Some(before) = log.consumer(&self.consumer, last).await? else {
            return rolled_back(connection, Sought::TooManyConsumers).await;
        };
        let next = match self.to {
            SeekTo::Start => log.oldest(last).await?,
            SeekTo::End => last + 1,
            SeekTo::Time(at) => {
                let first = EventId::first_at(at);
                let numbers: Vec<i64> = numbers_from(&self.log, first.as_bytes()).load(&mut &*connection).await?;
                numbers.into_iter().min().map_or(last + 1, read_sequence)
            }
        };
        let place = ConsumerPlace::from(Consumer::at(next - 1));
        diesel::update(consumer_of(&self.log, &self.consumer)).set(place).execute(&mut &*connection).await?;
        let event = self.cause.consumer_moved(&self.log, &self.consumer, before.position, next - 1);
        let (written, committed) = commit_with(connection, &[], &[event]).await;
        settle(written, committed)?;
        Ok(Sought::Done)
    }
}

struct Read<'a> {
    log: &'a PulledLog,
    after: Option<u64>,
    max: PulledMax,
}

impl Work for Read<'_> {
    type Answer = Pulled;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Pulled, Failure> {
        let Some((log, last)) = Log::find(connection, self.log).await? else { return Ok(Pulled::NotFound) };
        let after = match self.after {
            Some(after) => after,
            None => log.oldest(last).await? - 1,
        };
        Ok(log.page((after, last), self.max).await?)
    }
}

struct List<'a>(&'a PulledLog);

impl Work for List<'_> {
    type Answer = Option<Vec<ListedConsumer>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let Some((log, last)) = Log::find(connection, self.0).await? else { return Ok(None) };
        let consumers = consumers_of(log.log).order(webhook_consumers::name).select(ConsumerRow::as_select());
        let rows = consumers.load(&mut &*connection).await?;
        Ok(Some(rows.into_iter().map(|row| row.listed(last)).collect::<Result<_, StoreError>>()?))
    }
}

impl Work for ForgetRequest {
    type Answer = bool;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<bool, Failure> {
        let deletion = diesel::delete(consumer_of(&self.log, &self.consumer));
        let is_deleted = match Log::begin(connection, &self.log).await? {
            Some(_) => deletion.execute(&mut &*connection).await? > 0,
            None => false,
        };
        if !is_deleted {
            return rolled_back(connection, false).await;
        }
        let event = self.cause.consumer_deleted(&self.log, &self.consumer);
        let (written, committed) = commit_with(connection, &[], &[event]).await;
        // The repetition of a commit with an unknown result would find no consumer.
        settle(written, committed)?;
        Ok(true)
    }
}

struct LastNumbers<'a>(&'a [PulledLog]);

impl Work for LastNumbers<'_> {
    type Answer = Vec<(SubscriptionId, u64)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let ids = self.0.iter().map(|log| log.subscription.as_bytes().to_vec()).collect();
        let rows = last_of_each(ids).load(&mut &*connection).await?;
        Ok(diesel_mapping::webhooks::last_numbers(self.0, rows)?)
    }
}
