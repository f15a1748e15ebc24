use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use diesel::{RunQueryDsl, SqliteConnection};
use diesel_mapping::{bound, purge};
use domain::Timestamp;
use domain::ports::{Close, Retained, Retention, StoreError, WAITING_BYTES_MAX};
use domain::webhooks::DirectClaims;
use tokio::sync::{Notify, Semaphore};

use crate::connection::DatabaseFile;
use crate::file_lock::FileLock;
use crate::open_error::OpenError;
use crate::readers::Readers;
use crate::undo::Undo;
use crate::writer::Writer;

/// Where the database is, and how many connections read it.
#[derive(Clone, Debug)]
pub struct SqliteSettings {
    /// The database file.
    pub path: PathBuf,
    /// The most connections that read.
    pub readers: usize,
}

/// The storage ports on a SQLite file. Cheap to clone: all clones share one writer and one pool of readers.
///
/// Writes that arrive during a flush to disk share the next transaction.
#[derive(Clone)]
pub struct SqliteStore {
    pub(crate) file: DatabaseFile,
    lock: Arc<FileLock>,
    pub(crate) writer: Writer,
    pub(crate) readers: Readers,
    pub(crate) wake: Wake,
    /// Whether this process has claimed deliveries.
    pub(crate) has_claimed: Arc<AtomicBool>,
    pub(crate) direct_claims: Arc<DirectClaims>,
    /// The bytes of events that calls may still hold while they wait.
    pub(crate) publishing: Arc<Semaphore>,
    /// The last event that a purge has passed; empty at its begin.
    pub(crate) purged_to: Arc<Mutex<Vec<u8>>>,
}

impl SqliteStore {
    /// Opens the database, and keeps it from other processes until [`Close::close`]. A file that does not exist is
    /// created with its folder; only the owner may read them.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    pub async fn open(settings: SqliteSettings) -> Result<Self, OpenError> {
        let opened = tokio::task::spawn_blocking(move || Self::open_blocking(&settings));
        opened.await.unwrap_or_else(|cut_off| Err(OpenError::Thread(cut_off.into())))
    }

    fn open_blocking(settings: &SqliteSettings) -> Result<Self, OpenError> {
        let file = DatabaseFile::create(&settings.path)?;
        let lock = Arc::new(file.lock()?);
        let connection = file.connect().map_err(OpenError::Connect)?;
        let writer = Writer::start(file.clone(), connection, Arc::clone(&lock)).map_err(OpenError::Thread)?;
        let readers = Readers::new(file.clone(), settings.readers);
        Ok(Self {
            file,
            lock,
            writer,
            readers,
            wake: Wake::default(),
            has_claimed: Arc::default(),
            direct_claims: Arc::default(),
            publishing: Arc::new(Semaphore::new(WAITING_BYTES_MAX as usize)),
            purged_to: Arc::default(),
        })
    }
}

impl SqliteStore {
    /// Performs the write of a request. See [`Writer::write`].
    pub(crate) async fn write<Request: Clone + Send + 'static, T: Send + 'static>(
        &self,
        request: &Request,
        work: fn(&mut SqliteConnection, &Request) -> Result<T, Undo>,
    ) -> Result<T, StoreError> {
        let request = request.clone();
        self.writer.write(move |connection| work(connection, &request)).await
    }

    /// The same, and wakes the dispatcher of this process after the commit.
    pub(crate) async fn write_and_wake<Request: Clone + Send + 'static, T: Send + 'static>(
        &self,
        request: &Request,
        work: fn(&mut SqliteConnection, &Request) -> Result<T, Undo>,
    ) -> Result<T, StoreError> {
        let (request, wake) = (request.clone(), self.wake.clone());
        self.writer.write_then(move |connection| work(connection, &request), move |_| wake.up()).await
    }
}

#[async_trait]
impl Close for SqliteStore {
    /// Lets the writes that are queued finish and closes the file, which another process may open then. Every later
    /// call is refused as unavailable.
    async fn close(&self) {
        self.readers.close();
        self.writer.close().await;
        self.lock.release();
    }

    async fn part_ended(&self) -> &'static str {
        self.writer.ended().await;
        "the thread that writes"
    }
}

#[async_trait]
impl Retention for SqliteStore {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let Some(deletion) = purge(what, before, max) else { return self.purge_history(before, max).await };
        let deleted = self.writer.write(move |connection| Ok(bound(deletion).execute(connection)?)).await?;
        Ok(u32::try_from(deleted).unwrap_or(max))
    }
}

/// Wakes the dispatcher of this process. A wake-up without a waiter is kept for the next one; several count as one.
#[derive(Clone, Default)]
pub(crate) struct Wake(Arc<Notify>);

impl Wake {
    /// Wakes the dispatcher, because deliveries may have become due.
    pub(crate) fn up(&self) {
        self.0.notify_one();
    }

    /// Returns after the next wake-up.
    pub(crate) async fn awaited(&self) {
        self.0.notified().await;
    }
}
