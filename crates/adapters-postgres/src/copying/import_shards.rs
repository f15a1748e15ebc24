//! The target of a copy is several shards. No transaction spans them, so marks show that they are not complete yet. See
//! decision 84.

use std::sync::Arc;

use diesel::QueryResult;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use diesel_mapping::copying::{Copied, CopyError, Expected, count_all};
use domain::ports::{BoxError, Schema};
use tokio::sync::mpsc::Receiver;

use super::import::{NO_TIMEOUT, begin_alone, insert_rows};
use super::{add_owners, check_unused, count, wait_for_ended};
use crate::PostgresStore;
use crate::shard::{Shard, check_place, is_true, is_unfinished, mark_unfinished, remove_all, unmark};
use crate::transaction::{Begin, Commit, Rollback};

/// The advisory lock of a copy: "copy" in ASCII.
const LOCK: i32 = 0x636f_7079;

/// A shard, and the connection of the copy.
struct Target {
    store: Arc<PostgresStore>,
    shard: Shard,
    connection: AsyncPgConnection,
}

impl PostgresStore {
    /// Migrates all shards and inserts every row that arrives. No process starts on them before they are complete. If
    /// the copy is interrupted, the next one removes its rows.
    ///
    /// # Errors
    ///
    /// See [`CopyError`].
    pub async fn import_shards(shards: &[Arc<Self>], mut from: Receiver<Copied>) -> Result<(), CopyError> {
        let Some(first) = shards.first() else { return Ok(()) };
        let _no_other_copy = lock(first).await?;
        let mut targets = Vec::new();
        for store in shards {
            targets.extend(Target::open(store).await?);
        }
        if let [first, ..] = targets.as_slice()
            && is_unfinished(&first.connection, first.shard).await?
        {
            remove_unfinished(&mut targets).await?;
        }
        begin(&mut targets).await?;
        if let Err(error) = fill(&mut targets, &mut from).await {
            // The mark stays if this fails, and the next copy tries again.
            let _ = remove(&mut targets).await;
            return Err(error);
        }
        finish(&mut targets).await
    }
}

/// Keeps other copies out while the connection lives. A transaction has the lock: a pooler would leave the lock of a
/// session to the next users of the session.
async fn lock(first: &PostgresStore) -> Result<AsyncPgConnection, CopyError> {
    let mut connection = first.connect_for_copying().await?;
    Begin.execute(&mut connection).await?;
    connection.batch_execute(NO_TIMEOUT).await?;
    let take = format!("SELECT pg_try_advisory_xact_lock({LOCK}, 0) AS is_true");
    if is_true(&connection, &take).await? { Ok(connection) } else { Err(CopyError::Copying) }
}

impl Target {
    async fn open(store: &Arc<PostgresStore>) -> Result<Option<Self>, CopyError> {
        let Some(shard) = store.shard else { return Ok(None) };
        let connection = store.connect_for_copying().await?;
        if let Some(wrong) = check_place(&connection, Some(shard)).await? {
            return Err(CopyError::Database(Box::new(wrong)));
        }
        Ok(Some(Self { store: Arc::clone(store), shard, connection }))
    }

    /// Removes the mark on a new connection. It may have been removed already.
    async fn unmark_again(&mut self) -> Result<(), BoxError> {
        self.connection = self.store.connect_for_copying().await?;
        Ok(unmark(&self.connection, self.shard).await?)
    }

    /// Checks that the shard is empty, and marks it if `and_mark`.
    async fn check_empty(&mut self, and_mark: bool) -> Result<(), CopyError> {
        let begun = begin_alone(&mut self.connection, &self.store.claimers).await;
        if begun.is_err() || !and_mark {
            Rollback.execute(&mut self.connection).await?;
            return begun;
        }
        mark_unfinished(&self.connection, self.shard).await?;
        Commit.execute(&mut self.connection).await?;
        Ok(())
    }
}

/// Marks all shards, if all are empty.
async fn begin(targets: &mut [Target]) -> Result<(), CopyError> {
    for target in &mut *targets {
        target.store.migrate().await?;
        wait_for_ended(&target.connection, &target.store.claimers).await?;
        target.check_empty(false).await?;
    }
    for number in 0..targets.len() {
        if let Err(error) = targets[number].check_empty(true).await {
            // The first shard loses its mark last.
            for marked in targets[..number].iter().rev() {
                unmark(&marked.connection, marked.shard).await?;
            }
            return Err(error);
        }
    }
    Ok(())
}

/// Each batch is a transaction: partitions and rows of many shards are more than one server can lock.
async fn insert_all(targets: &mut [Target], from: &mut Receiver<Copied>) -> Result<(), CopyError> {
    let mut expected = Expected::default();
    while let Some(copied) = from.recv().await {
        match copied {
            Copied::Rows { shard, rows } => {
                let connection = &mut targets[shard].connection;
                Begin.execute(connection).await?;
                insert_rows(connection, rows).await?;
                Commit.execute(connection).await?;
            }
            Copied::End { table, count } => expected.check(table, count, count_rows(targets, table).await?)?,
            Copied::Complete => return Ok(()),
        }
    }
    Err(CopyError::CutOff)
}

async fn count_rows(targets: &mut [Target], table: &str) -> Result<i64, CopyError> {
    let mut rows = 0;
    for target in targets {
        rows += count(&mut target.connection, count_all(table)).await?;
    }
    Ok(rows)
}

async fn fill(targets: &mut [Target], from: &mut Receiver<Copied>) -> Result<(), CopyError> {
    insert_all(targets, from).await?;
    for target in targets {
        add_owners(&mut target.connection).await?;
        check_unused(&target.connection, &target.store.claimers).await?;
    }
    Ok(())
}

/// Removes the marks. The first shard's goes last, so that it alone shows whether all shards are complete. Rows are not
/// removed any more: without an answer, the last mark may be gone, and processes may use the shards.
async fn finish(targets: &mut [Target]) -> Result<(), CopyError> {
    for target in targets.iter_mut().rev() {
        if unmark(&target.connection, target.shard).await.is_err() {
            target.unmark_again().await.map_err(CopyError::Unconfirmed)?;
        }
    }
    Ok(())
}

/// Removes the remains of an unfinished copy, unless a process uses them. The shards need not have tables.
async fn remove_unfinished(targets: &mut [Target]) -> Result<(), CopyError> {
    for Target { store, connection, .. } in &mut *targets {
        wait_for_ended(connection, &store.claimers).await?;
        check_unused(connection, &store.claimers).await?;
    }
    Ok(remove(targets).await?)
}

/// Removes the rows of a copy in all shards, and the mark of the first one last.
async fn remove(targets: &mut [Target]) -> QueryResult<()> {
    for target in targets.iter_mut().rev() {
        // A statement may have failed in a transaction.
        Rollback.execute(&mut target.connection).await?;
        Begin.execute(&mut target.connection).await?;
        remove_all(&target.connection, target.shard).await?;
        unmark(&target.connection, target.shard).await?;
        Commit.execute(&mut target.connection).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use throwaway_postgres::{Cluster, Database};
    use tokio::sync::mpsc::channel;

    use super::*;
    use crate::PostgresSettings;

    /// Two empty shards. Their server ends the connections of these removals of marks, which count from 1.
    async fn shards(cut_off: &str) -> (Vec<Arc<PostgresStore>>, Database) {
        let database = Cluster::shared().await.unwrap().database().await.unwrap();
        let mut shards = Vec::new();
        for number in 0..2 {
            let settings = PostgresSettings { url: database.url.clone(), pool_size: 1 };
            let shard = Shard { number, shards: 2, server: 0 };
            let store = PostgresStore::open_shard(settings, shard, Arc::default()).await.unwrap();
            store.migrate().await.unwrap();
            shards.push(Arc::new(store));
        }
        let trigger = format!(
            "CREATE SEQUENCE removals; CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('public.removals') {cut_off} THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER cut_off BEFORE DELETE ON gatepost_shards.unfinished EXECUTE FUNCTION public.cut_off()"
        );
        Cluster::shared().await.unwrap().execute(&database.name, &trigger).await.unwrap();
        (shards, database)
    }

    async fn copy_nothing(shards: &[Arc<PostgresStore>]) -> Result<(), CopyError> {
        let (to, from) = channel(1);
        to.send(Copied::Complete).await.unwrap();
        PostgresStore::import_shards(shards, from).await
    }

    /// The shards with tables, and those with marks.
    async fn state(database: &Database) -> String {
        let state = "SELECT to_regclass('gatepost_shard_0.api_keys') IS NOT NULL,
            to_regclass('gatepost_shard_1.api_keys') IS NOT NULL,
            (SELECT string_agg(shard::text, ',' ORDER BY shard) FROM gatepost_shards.unfinished)";
        Cluster::shared().await.unwrap().execute(&database.name, state).await.unwrap()
    }

    /// Whether the removal took effect is unknown. It is safe to repeat.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_mark_whose_removal_was_not_answered_is_removed_again() {
        for removal in ["= 1", "= 2"] {
            let (shards, database) = shards(removal).await;
            copy_nothing(&shards).await.unwrap();
            assert_eq!(state(&database).await, "t|t|", "removal {removal}");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_complete_copy_is_not_removed() {
        let (shards, database) = shards("> 1").await;
        let error = copy_nothing(&shards).await.unwrap_err();
        assert!(matches!(error, CopyError::Unconfirmed(_)), "{error:?}");
        assert_eq!(state(&database).await, "t|t|0", "everything is there, and no process starts yet");
        let lift = "DROP TRIGGER cut_off ON gatepost_shards.unfinished";
        Cluster::shared().await.unwrap().execute(&database.name, lift).await.unwrap();
        copy_nothing(&shards).await.unwrap();
        assert_eq!(state(&database).await, "t|t|", "the next copy begins again");
    }
}
