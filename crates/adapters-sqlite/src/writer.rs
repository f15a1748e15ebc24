use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use counters::{DurationCounts, Histogram};
use diesel::connection::SimpleConnection;
use diesel::{QueryResult, RunQueryDsl, SqliteConnection};
use domain::ports::{BoxError, POOL_WAIT_BOUNDS, PoolFigures, StoreError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use crate::connection::DatabaseFile;
use crate::connection::{DEADLINE, unavailable};
use crate::file_lock::FileLock;
use crate::undo::Savepoint;
use crate::undo::Undo;

/// The most writes that wait. More are refused at once, so that memory stays bounded and no caller waits for an answer
/// that comes too late.
const QUEUE_LENGTH_MAX: usize = 1_024;
/// The most writes in one transaction: enough to make the flush cheap for each, and few enough that the first does not
/// wait long for the last.
const BATCH_LENGTH_MAX: usize = 256;

/// When a write is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// When the write is on disk.
    Flushed,
    /// When the write is committed. A power failure may undo the write until a later write is flushed.
    Committed,
}

/// Sends writes to the one thread that performs them. See decision 19.
#[derive(Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Message>,
    waits: Arc<Histogram>,
}

enum Message {
    Perform(Box<dyn Job>),
    Stop(oneshot::Sender<()>),
}

impl Writer {
    /// Starts the thread. It works on `connection` and, when that fails, on new connections to `file`. It holds the lock
    /// until it ends.
    pub(crate) fn start(file: DatabaseFile, connection: SqliteConnection, lock: Arc<FileLock>) -> io::Result<Self> {
        let (queue, inbox) = mpsc::channel(QUEUE_LENGTH_MAX);
        let worker = Worker { file, connection: Some(connection), durability: Durability::Flushed, lock };
        thread::Builder::new().name("sqlite-writer".into()).spawn(move || worker.run(inbox))?;
        Ok(Self { queue, waits: Arc::new(Histogram::new(POOL_WAIT_BOUNDS)) })
    }

    /// Performs `work` in a transaction, and answers when the transaction is on disk. If `work` fails, it changes
    /// nothing.
    ///
    /// If the caller drops the future before the work begins, nothing is written; after that, everything is. Work that
    /// does not begin within the deadline is refused and changes nothing. A call whose work has begun waits for its end,
    /// because after an error nothing may happen any more.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write_then(work, |_| ()).await
    }

    /// Like [`Writer::write`], but does not wait for the disk: for writes that a power failure may undo.
    pub(crate) async fn write_unflushed<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.submit(work, |_| (), Durability::Committed).await
    }

    /// Like [`Writer::write`], and calls `tell` right after the commit, even if the caller has dropped the future.
    pub(crate) async fn write_then<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
        tell: impl FnOnce(&T) + Send + 'static,
    ) -> Result<T, StoreError> {
        self.submit(work, tell, Durability::Flushed).await
    }

    async fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
        tell: impl FnOnce(&T) + Send + 'static,
        durability: Durability,
    ) -> Result<T, StoreError> {
        let (caller, mut answer) = oneshot::channel();
        let turn = Turn::default();
        let asked = Asked { at: Instant::now(), waits: Arc::clone(&self.waits) };
        let write = Write { work: Some(work), tell, durability, turn: turn.clone(), outcome: None, caller, asked };
        self.queue.try_send(Message::Perform(Box::new(write))).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => unavailable("too many writes are waiting"),
            mpsc::error::TrySendError::Closed(_) => unavailable("the store is closed"),
        })?;
        let answered = match timeout(DEADLINE, &mut answer).await {
            Err(_) if turn.take() => return Err(unavailable("SQLite did not answer in time")),
            Err(_) => answer.await,
            Ok(answered) => answered,
        };
        answered.unwrap_or_else(|_| Err(unavailable("the writer has stopped")))
    }

    /// The writes that wait. The thread keeps its connection.
    pub(crate) fn figures(&self) -> PoolFigures {
        let DurationCounts { counts, sum, .. } = self.waits.read();
        let waiting = self.queue.max_capacity() - self.queue.capacity();
        PoolFigures { name: "writing", used: 1, idle: 0, waiting, waits: counts, waited: sum }
    }

    /// Returns when the thread has ended, or ends after [`Writer::close`].
    pub(crate) async fn ended(&self) {
        self.queue.closed().await;
    }

    /// Finishes the writes that are queued, and closes the connection. Refuses later writes.
    pub(crate) async fn close(&self) {
        let (stopped, when_stopped) = oneshot::channel();
        if self.queue.send(Message::Stop(stopped)).await.is_ok() {
            // An error means that the thread has ended already.
            let _ = when_stopped.await;
        }
    }
}

/// A write with a result of any type.
trait Job: Send {
    /// Does the work on its own savepoint and keeps the outcome. An error means that the database failed: the whole
    /// transaction fails with it. A refusal is an outcome, not an error.
    fn perform(&mut self, connection: &mut SqliteConnection) -> QueryResult<()>;

    /// What the caller waits for.
    fn durability(&self) -> Durability;

    /// Sends the outcome to the caller.
    fn answer(self: Box<Self>, committed: bool);
}

/// The right to decide about a write. Either the writer takes it and performs the write, or the caller takes it and gives
/// up.
#[derive(Clone, Default)]
struct Turn(Arc<AtomicBool>);

impl Turn {
    /// Takes the turn; `false` if the other side has it.
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }
}

struct Write<T, Work, Tell> {
    work: Option<Work>,
    tell: Tell,
    durability: Durability,
    turn: Turn,
    outcome: Option<Result<T, StoreError>>,
    caller: oneshot::Sender<Result<T, StoreError>>,
    asked: Asked,
}

/// When a caller asked, and where it is counted how long it waits for the writer.
struct Asked {
    at: Instant,
    waits: Arc<Histogram>,
}

impl<T, Work, Tell> Job for Write<T, Work, Tell>
where
    T: Send,
    Work: FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send,
    Tell: FnOnce(&T) + Send,
{
    fn perform(&mut self, connection: &mut SqliteConnection) -> QueryResult<()> {
        let Some(work) = self.work.take_if(|_| !self.caller.is_closed() && self.turn.take()) else {
            return Ok(());
        };
        self.asked.waits.observe(self.asked.at.elapsed());
        // Not `connection.transaction`: it does not distinguish a failure of the work from a failure of its savepoint.
        // After a failed savepoint no other write may be committed: SQLite has rolled everything back, for example
        // because the disk is full.
        Savepoint::Set.execute(connection)?;
        let outcome = work(connection).map_err(|Undo(error)| error);
        if outcome.is_err() {
            Savepoint::RollBack.execute(connection)?;
        }
        Savepoint::Release.execute(connection)?;
        self.outcome = Some(outcome);
        Ok(())
    }

    fn durability(&self) -> Durability {
        self.durability
    }

    fn answer(self: Box<Self>, committed: bool) {
        let answer = match self.outcome {
            Some(outcome) if committed || outcome.is_err() => outcome,
            _ => Err(unavailable("the transaction was not committed")),
        };
        if let Ok(done) = &answer {
            (self.tell)(done);
        }
        // An error means that the caller has dropped the future.
        let _ = self.caller.send(answer);
    }
}

/// The state of the writer thread.
struct Worker {
    file: DatabaseFile,
    /// `None` after a failure, because the connection may still be inside a transaction.
    connection: Option<SqliteConnection>,
    /// What commits of the connection wait for now.
    durability: Durability,
    lock: Arc<FileLock>,
}

impl Durability {
    /// With NORMAL, a write-ahead log is flushed by the next commit that has FULL.
    fn pragma(self) -> &'static str {
        match self {
            Self::Flushed => "PRAGMA synchronous = FULL",
            Self::Committed => "PRAGMA synchronous = NORMAL",
        }
    }
}

impl Worker {
    fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        let mut stopped = Vec::new();
        while let Some(first) = inbox.blocking_recv() {
            let mut jobs = Vec::new();
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    Message::Perform(job) => jobs.push(job),
                    Message::Stop(caller) => {
                        inbox.close();
                        stopped.push(caller);
                    }
                }
                next = if jobs.len() < BATCH_LENGTH_MAX { inbox.try_recv().ok() } else { None };
            }
            self.commit(jobs);
        }
        drop(self.connection);
        drop(self.lock);
        for caller in stopped {
            let _ = caller.send(());
        }
    }

    /// Performs all jobs in one transaction, and answers them after the commit.
    fn commit(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let committed = self.perform(&mut jobs);
        if let Err(error) = &committed {
            tracing::warn!(
                error = &**error as &dyn std::error::Error,
                writes = jobs.len(),
                "a write transaction failed"
            );
            self.connection = None;
        }
        for job in jobs {
            job.answer(committed.is_ok());
        }
    }

    fn perform(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<(), BoxError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                self.durability = Durability::Flushed;
                none.insert(self.file.connect()?)
            }
        };
        let unflushed = jobs.iter().all(|job| job.durability() == Durability::Committed);
        let wanted = if unflushed { Durability::Committed } else { Durability::Flushed };
        if self.durability != wanted {
            connection.batch_execute(wanted.pragma())?;
            self.durability = wanted;
        }
        // IMMEDIATE: a transaction that starts to write later does not wait for other writers, but fails at once.
        connection.immediate_transaction(|connection| jobs.iter_mut().try_for_each(|job| job.perform(connection)))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use diesel::prelude::*;
    use tempfile::TempDir;

    use super::*;

    diesel::table! { notes (text) { text -> Text, } }
    diesel::table! { orphans (parent) { parent -> Text, } }

    /// A writer on a database with two tables; a row in `orphans` without its parent makes the commit fail.
    fn writer() -> (Writer, DatabaseFile, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let file = DatabaseFile::create(&folder.path().join("test.db")).unwrap();
        let mut connection = file.connect().unwrap();
        let tables = "CREATE TABLE notes (text TEXT PRIMARY KEY);
            CREATE TABLE orphans (parent TEXT REFERENCES notes DEFERRABLE INITIALLY DEFERRED);";
        connection.batch_execute(tables).unwrap();
        let lock = Arc::new(file.lock().unwrap());
        (Writer::start(file.clone(), connection, lock).unwrap(), file, folder)
    }

    fn notes(file: &DatabaseFile) -> Vec<String> {
        notes::table.select(notes::text).order(notes::text).load(&mut file.connect_reader().unwrap()).unwrap()
    }

    fn note(connection: &mut SqliteConnection, text: &str) -> Result<(), Undo> {
        diesel::insert_into(notes::table).values(notes::text.eq(text)).execute(connection)?;
        Ok(())
    }

    /// Keeps the writer busy, so that writes that are queued meanwhile share the next transaction.
    async fn occupy(writer: &Writer) -> Sender<()> {
        let (release, released) = channel();
        let (begun, has_begun) = oneshot::channel();
        let busy = writer.clone();
        tokio::spawn(async move {
            let wait = move |_: &mut SqliteConnection| {
                begun.send(()).unwrap();
                released.recv().unwrap();
                Ok(())
            };
            busy.write(wait).await
        });
        has_begun.await.unwrap();
        release
    }

    #[tokio::test]
    async fn a_refusal_undoes_itself_and_no_neighbour() {
        let (writer, file, _folder) = writer();
        let release = occupy(&writer).await;
        let first = writer.write(|connection| note(connection, "first"));
        let refused = writer.write(|connection| {
            note(connection, "refused")?;
            Err::<(), _>(Undo(StoreError::Duplicate { what: "id" }))
        });
        let broken = writer.write(|connection| Ok(connection.batch_execute("INSERT INTO nowhere VALUES (1)")?));
        let twice = writer.write(|connection| note(connection, "first"));
        let last = writer.write(|connection| note(connection, "last"));
        let released = async { release.send(()).unwrap() };
        let (first, refused, broken, twice, last, ()) = tokio::join!(first, refused, broken, twice, last, released);
        assert!(first.is_ok() && last.is_ok(), "{first:?} {last:?}");
        assert!(matches!(refused, Err(StoreError::Duplicate { .. })), "{refused:?}");
        assert!(matches!(broken, Err(StoreError::Unavailable(_))), "{broken:?}");
        assert!(matches!(twice, Err(StoreError::Duplicate { .. })), "{twice:?}");
        assert_eq!(notes(&file), ["first", "last"]);
    }

    #[tokio::test]
    async fn a_writer_that_panics_has_ended() {
        let (writer, _file, _folder) = writer();
        writer.write(|connection| note(connection, "good")).await.unwrap();
        assert!(poll_once(Box::pin(writer.ended()).as_mut()).await.is_none());
        let broken = writer.write::<()>(|_| panic!("on purpose")).await;
        assert!(matches!(broken, Err(StoreError::Unavailable(_))), "{broken:?}");
        timeout(DEADLINE, writer.ended()).await.expect("the thread has ended");
    }

    #[tokio::test]
    async fn no_write_is_answered_before_the_commit() {
        let (writer, file, _folder) = writer();
        let release = occupy(&writer).await;
        let good = writer.write(|connection| note(connection, "good"));
        let orphan = writer.write(|connection| {
            diesel::insert_into(orphans::table).values(orphans::parent.eq("nobody")).execute(connection)?;
            Ok(())
        });
        let (good, orphan, ()) = tokio::join!(good, orphan, async { release.send(()).unwrap() });
        assert!(matches!(good, Err(StoreError::Unavailable(_))), "{good:?}");
        assert!(matches!(orphan, Err(StoreError::Unavailable(_))), "{orphan:?}");
        assert!(notes(&file).is_empty());
        writer.write(|connection| note(connection, "later")).await.unwrap();
        assert_eq!(notes(&file), ["later"]);
    }

    #[tokio::test]
    async fn a_full_disk_fails_the_writes_that_need_space() {
        let (writer, file, _folder) = writer();
        let full = |connection: &mut SqliteConnection| Ok(connection.batch_execute("PRAGMA max_page_count = 6")?);
        writer.write(full).await.unwrap();
        let release = occupy(&writer).await;
        let fits = writer.write(|connection| note(connection, "fits"));
        let too_large = writer.write(|connection| note(connection, &"x".repeat(100_000)));
        let (fits, too_large, ()) = tokio::join!(fits, too_large, async { release.send(()).unwrap() });
        assert!(matches!(too_large, Err(StoreError::Unavailable(_))), "{too_large:?}");
        // SQLite may roll the whole transaction back. Then no write may be answered as stored.
        assert_eq!(notes(&file).len(), usize::from(fits.is_ok()), "{fits:?}");
        writer.write(|connection| note(connection, "later")).await.unwrap();
        assert_eq!(notes(&file).last().map(String::as_str), Some("later"));
    }

    #[tokio::test]
    async fn a_write_whose_caller_gave_up_before_its_turn_changes_nothing() {
        let (writer, file, _folder) = writer();
        let release = occupy(&writer).await;
        let mut gone = Box::pin(writer.write(|connection| note(connection, "gone")));
        assert!(poll_once(gone.as_mut()).await.is_none());
        drop(gone);
        release.send(()).unwrap();
        writer.write(|connection| note(connection, "stays")).await.unwrap();
        assert_eq!(notes(&file), ["stays"]);
    }

    #[tokio::test]
    async fn only_a_write_that_has_not_begun_times_out() {
        let (writer, file, _folder) = writer();
        let (release, released) = channel();
        let (begun, has_begun) = oneshot::channel();
        let slow = writer.clone();
        let slow = tokio::spawn(async move {
            let work = move |connection: &mut SqliteConnection| {
                begun.send(()).unwrap();
                released.recv().unwrap();
                note(connection, "slow")
            };
            slow.write(work).await
        });
        has_begun.await.unwrap();
        // From here on, time passes only while nothing else happens.
        tokio::time::pause();
        let waiting = writer.write(|connection| note(connection, "waiting")).await;
        assert!(matches!(waiting, Err(StoreError::Unavailable(_))), "{waiting:?}");
        assert!(!slow.is_finished());
        tokio::time::resume();
        release.send(()).unwrap();
        slow.await.unwrap().unwrap();
        writer.write(|connection| note(connection, "later")).await.unwrap();
        assert_eq!(notes(&file), ["later", "slow"]);
    }

    #[tokio::test]
    async fn only_transactions_of_what_may_be_lost_are_not_flushed() {
        const NORMAL: i32 = 1;
        const FULL: i32 = 2;
        #[derive(QueryableByName)]
        struct Level {
            #[diesel(sql_type = diesel::sql_types::Integer)]
            synchronous: i32,
        }
        let level = |connection: &mut SqliteConnection| {
            Ok(diesel::sql_query("PRAGMA synchronous").get_result::<Level>(connection)?.synchronous)
        };
        let (writer, _file, _folder) = writer();
        assert_eq!(writer.write(level).await.unwrap(), FULL);
        assert_eq!(writer.write_unflushed(level).await.unwrap(), NORMAL);
        let release = occupy(&writer).await;
        let (shared, other) = (writer.write_unflushed(level), writer.write(level));
        let (shared, other, ()) = tokio::join!(shared, other, async { release.send(()).unwrap() });
        assert_eq!((shared.unwrap(), other.unwrap()), (FULL, FULL));
    }

    #[tokio::test]
    async fn overload_is_refused_at_once() {
        let (writer, file, _folder) = writer();
        let release = occupy(&writer).await;
        let mut waiting = Vec::new();
        for number in 0..QUEUE_LENGTH_MAX {
            let mut write = Box::pin(writer.write(move |connection| note(connection, &format!("{number:04}"))));
            assert!(poll_once(write.as_mut()).await.is_none());
            waiting.push(write);
        }
        let refused = writer.write(|connection| note(connection, "refused")).await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
        release.send(()).unwrap();
        for write in waiting {
            write.await.unwrap();
        }
        assert_eq!(notes(&file).len(), QUEUE_LENGTH_MAX);
    }

    #[tokio::test]
    async fn closing_finishes_what_is_queued() {
        let (writer, file, _folder) = writer();
        let release = occupy(&writer).await;
        let queued = writer.write(|connection| note(connection, "queued"));
        let (queued, (), ()) = tokio::join!(queued, writer.close(), async { release.send(()).unwrap() });
        queued.unwrap();
        assert_eq!(notes(&file), ["queued"]);
        assert!(writer.write(|connection| note(connection, "late")).await.is_err());
    }

    /// Polls once.
    async fn poll_once<T>(mut future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        std::future::poll_fn(|context| match future.as_mut().poll(context) {
            std::task::Poll::Ready(value) => std::task::Poll::Ready(Some(value)),
            std::task::Poll::Pending => std::task::Poll::Ready(None),
        })
        .await
    }
}
