use async_trait::async_trait;
use diesel::QueryResult;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::webhook_lanes;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{
    ADD_CONSUMER, ConsumerRow, FIND_CONSUMER, FIRST_PULLED, FORGET_CONSUMER, LAST_PULLED, LIST_CONSUMERS,
    NUMBER_OF_PULLED, NumberRow, OLDEST_PULLED, PULL_EVENTS, WRITE_CONSUMER, consumer_values, pulled, stored_sequence,
};
use diesel_mapping::{Kept, StoredInstant};
use domain::ports::{
    CONSUMERS_MAX, CommitRequest, Committed, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, SeekTo, Sought, StoreError,
};
use domain::webhooks::{Commit as Decision, Consumer, ConsumerName};
use domain::{EventId, SubscriptionId};
use futures_util::future::join;

use crate::PostgresStore;
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, Rollback, settle};

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

    async fn forget(&self, log: &PulledLog, consumer: &ConsumerName) -> Result<bool, StoreError> {
        self.run(&Forget { log, consumer }).await
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
        let query = diesel::sql_query(LAST_PULLED)
            .bind::<Text, _>(log.owner.issuer())
            .bind::<Text, _>(log.owner.subject())
            .bind::<Binary, _>(log.subscription.as_bytes().as_slice());
        let found: Option<NumberRow> = Kept(query).load(&mut &*connection).await?.pop();
        Ok(found.map(|row| (Self { connection, log }, row.number().unwrap_or_default())))
    }

    /// [`Log::find`] in a transaction that begins here.
    async fn begin(connection: &'a AsyncPgConnection, log: &'a PulledLog) -> QueryResult<Option<(Self, u64)>> {
        let (begun, found) = join(Begin.execute(&mut &*connection), Self::find(connection, log)).await;
        begun.and(found)
    }

    fn id(&self) -> &'a [u8] {
        self.log.subscription.as_bytes()
    }

    /// The number of the first event that is stored, or will be.
    async fn oldest(&self, last: u64) -> QueryResult<u64> {
        let query = diesel::sql_query(OLDEST_PULLED).bind::<Binary, _>(self.id());
        let found: Option<NumberRow> = Kept(query).load(&mut &*self.connection).await?.pop();
        Ok(found.and_then(|row| row.number()).unwrap_or(last + 1))
    }

    /// What one of the statements about an event finds.
    async fn number(&self, statement: &str, event: EventId) -> QueryResult<Option<u64>> {
        let query =
            diesel::sql_query(statement).bind::<Binary, _>(self.id()).bind::<Binary, _>(event.as_bytes().as_slice());
        let found: Option<NumberRow> = Kept(query).load(&mut &*self.connection).await?.pop();
        Ok(found.and_then(|row| row.number()))
    }

    async fn page(&self, (mut after, last): (u64, u64), max: PulledMax) -> QueryResult<Pulled> {
        loop {
            let query = diesel::sql_query(PULL_EVENTS)
                .bind::<Binary, _>(self.id())
                .bind::<BigInt, _>(stored_sequence(after))
                .bind::<BigInt, i64>(max.events.into())
                .bind::<BigInt, _>(stored_sequence(max.bytes));
            let (answer, damaged) = pulled((after, last), Kept(query).load(&mut &*self.connection).await?);
            if damaged > 0 {
                let subscription = self.log.subscription;
                tracing::error!(count = damaged, %subscription, "pulled events are damaged, and passed over");
            }
            match answer {
                Ok(pulled) => return Ok(pulled),
                Err(examined) => after = examined,
            }
        }
    }

    /// Finds the consumer, and locks it.
    async fn lock_consumer(&self, name: &ConsumerName) -> Result<Option<Consumer>, Failure> {
        let query = diesel::sql_query([FIND_CONSUMER, " FOR UPDATE"].concat())
            .bind::<Binary, _>(self.id())
            .bind::<Text, _>(name.as_str());
        let row: Option<ConsumerRow> = Kept(query).load(&mut &*self.connection).await?.pop();
        Ok(row.map(|row| row.consumer()).transpose()?)
    }

    /// The consumer, which is locked. A new one begins at the oldest event; `None` if there are too many others. The lock of
    /// the lane makes their maximum exact.
    async fn consumer(&self, name: &ConsumerName, last: u64) -> Result<Option<Consumer>, Failure> {
        if let Some(found) = self.lock_consumer(name).await? {
            return Ok(Some(found));
        }
        let lane = webhook_lanes::table.find(self.id()).select(webhook_lanes::is_pulled).for_no_key_update();
        let _: bool = lane.get_result(&mut &*self.connection).await?;
        let new = Consumer::at(self.oldest(last).await? - 1);
        let insertion = diesel::sql_query(ADD_CONSUMER)
            .bind::<Binary, _>(self.id())
            .bind::<Text, _>(name.as_str())
            .bind::<BigInt, _>(stored_sequence(new.position))
            .bind::<BigInt, i64>(CONSUMERS_MAX.into());
        Kept(insertion).execute(&mut &*self.connection).await?;
        self.lock_consumer(name).await
    }

    async fn write_consumer(&self, name: &ConsumerName, consumer: &Consumer) -> QueryResult<usize> {
        let (position, lease, through, until) = consumer_values(consumer);
        let update = diesel::sql_query(WRITE_CONSUMER)
            .bind::<BigInt, _>(position)
            .bind::<Nullable<BigInt>, _>(lease)
            .bind::<Nullable<BigInt>, _>(through)
            .bind::<Nullable<Instant>, Option<StoredInstant>>(until)
            .bind::<Binary, _>(self.id())
            .bind::<Text, _>(name.as_str());
        Kept(update).execute(&mut &*self.connection).await
    }

    /// Ends the transaction with these values of the consumer.
    async fn commit(&self, name: &ConsumerName, consumer: &Consumer) -> Result<(), Failure> {
        let (written, committed) =
            join(self.write_consumer(name, consumer), Commit.execute(&mut &*self.connection)).await;
        settle(written, committed).map(drop)
    }
}

impl Work for ReceiveRequest {
    type Answer = Pulled;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Pulled, Failure> {
        let Some((log, last)) = Log::begin(connection, &self.log).await? else {
            Rollback.execute(&mut &*connection).await?;
            return Ok(Pulled::NotFound);
        };
        let Some(consumer) = log.consumer(&self.consumer, last).await? else {
            Rollback.execute(&mut &*connection).await?;
            return Ok(Pulled::TooManyConsumers);
        };
        let pulled = match consumer.leased_until(self.at) {
            Some(until) => Pulled::Leased { until },
            None => log.page((consumer.position, last), self.max).await?,
        };
        match pulled.through() {
            Some(through) => {
                log.commit(&self.consumer, &consumer.received(self.lease, through, self.until)).await?;
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
                        Some(event) => Some(log.number(NUMBER_OF_PULLED, event).await?.unwrap_or_default()),
                        None => None,
                    };
                    match consumer.committed(self.lease, through) {
                        Decision::Done(committed) => {
                            log.commit(&self.consumer, &committed).await?;
                            return Ok(Committed::Done);
                        }
                        Decision::LeaseLost => Committed::LeaseLost,
                        Decision::NotReceived => Committed::NotReceived,
                    }
                }
            },
        };
        Rollback.execute(&mut &*connection).await?;
        Ok(answer)
    }
}

impl Work for SeekRequest {
    type Answer = Sought;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Sought, Failure> {
        let Some((log, last)) = Log::begin(connection, &self.log).await? else {
            Rollback.execute(&mut &*connection).await?;
            return Ok(Sought::NotFound);
        };
        if log.consumer(&self.consumer, last).await?.is_none() {
            Rollback.execute(&mut &*connection).await?;
            return Ok(Sought::TooManyConsumers);
        }
        let next = match self.to {
            SeekTo::Start => log.oldest(last).await?,
            SeekTo::End => last + 1,
            SeekTo::Time(at) => log.number(FIRST_PULLED, EventId::first_at(at)).await?.unwrap_or(last + 1),
        };
        log.commit(&self.consumer, &Consumer::at(next - 1)).await?;
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
        let query = diesel::sql_query(LIST_CONSUMERS).bind::<Binary, _>(log.id());
        let rows: Vec<ConsumerRow> = Kept(query).load(&mut &*connection).await?;
        Ok(Some(rows.into_iter().map(|row| row.listed(last)).collect::<Result<_, StoreError>>()?))
    }
}

struct Forget<'a> {
    log: &'a PulledLog,
    consumer: &'a ConsumerName,
}

impl Work for Forget<'_> {
    type Answer = bool;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<bool, Failure> {
        let Some((log, _)) = Log::find(connection, self.log).await? else { return Ok(false) };
        let deletion =
            diesel::sql_query(FORGET_CONSUMER).bind::<Binary, _>(log.id()).bind::<Text, _>(self.consumer.as_str());
        Ok(Kept(deletion).execute(&mut &*connection).await? > 0)
    }
}

struct LastNumbers<'a>(&'a [PulledLog]);

impl Work for LastNumbers<'_> {
    type Answer = Vec<(SubscriptionId, u64)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        use diesel_mapping::schema::webhook_subscriptions as subscriptions;
        let ids: Vec<&[u8]> = self.0.iter().map(|log| log.subscription.as_bytes().as_slice()).collect();
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
        Ok(diesel_mapping::webhooks::last_numbers(self.0, rows.load(&mut &*connection).await?)?)
    }
}
