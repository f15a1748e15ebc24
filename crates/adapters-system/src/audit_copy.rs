use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::iter;
use std::mem;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use domain::audit::AuditEvent;
use domain::ports::{AuditDescriber, AuditLog, AuditReader, AuditWatcher};

/// The most events that wait to be copied. While the file cannot be written, later ones are left out and counted.
const WAITING_MAX: usize = 10_000;
/// The most events in one write.
const TOGETHER_MAX: usize = 1_000;
/// How long to wait after a write that failed.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long the end of the process waits until the last events are copied.
const END_MAX: Duration = Duration::from_secs(1);

/// Where a copy of the audit log goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditDestination {
    /// To standard output. The log goes to standard error.
    Stdout,
    /// To the end of this file.
    File(PathBuf),
}

impl AuditDestination {
    /// The allowed values.
    pub const ALLOWED: &str = "`stdout`, or the path of a file";
}

impl FromStr for AuditDestination {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "" => Err(Self::ALLOWED),
            "stdout" => Ok(Self::Stdout),
            path => Ok(Self::File(path.into())),
        }
    }
}

impl fmt::Display for AuditDestination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => formatter.write_str("stdout"),
            Self::File(path) => write!(formatter, "{}", path.display()),
        }
    }
}

/// Copies the audit events of this process, one JSON object a line, within milliseconds after the commit. See
/// decision 104.
///
/// A separate thread writes, so that a slow disk stops no request. A write that fails is repeated every second. When
/// too many events wait, the copy leaves later ones out, and the log says how many. The database has all events.
pub struct AuditCopy {
    queue: SyncSender<Message>,
    left_out: Arc<AtomicU64>,
}

enum Message {
    Copy(Box<AuditEvent>),
    /// Answer when all earlier events are copied.
    Finish(Sender<()>),
}

impl AuditCopy {
    /// Copies every event that is written to this log from now on to the target.
    ///
    /// # Errors
    ///
    /// When the target cannot be opened, or the system starts no thread.
    pub fn start(
        log: &dyn AuditLog,
        target: &AuditDestination,
        describer: Arc<dyn AuditDescriber>,
    ) -> io::Result<Arc<Self>> {
        let (queue, events) = sync_channel(WAITING_MAX);
        let copy = Arc::new(Self { queue, left_out: Arc::default() });
        let output = Output::open(target)?;
        let copier = Copier { events, describer, output, left_out: Arc::clone(&copy.left_out) };
        thread::Builder::new().name("audit-copy".into()).spawn(move || copier.run())?;
        log.watch(Arc::clone(&copy) as _);
        Ok(copy)
    }

    /// Returns when everything so far is copied, or after a second.
    pub fn finish(&self) {
        let (done, when_done) = channel();
        // The queue is full only while writes fail, so waiting for it would not help.
        if self.queue.try_send(Message::Finish(done)).is_ok() {
            let _ = when_done.recv_timeout(END_MAX);
        }
    }
}

impl AuditWatcher for AuditCopy {
    fn written(&self, events: &[AuditEvent]) {
        for event in events {
            if self.queue.try_send(Message::Copy(Box::new(event.clone()))).is_err() {
                self.left_out.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// The thread that writes.
struct Copier {
    events: Receiver<Message>,
    describer: Arc<dyn AuditDescriber>,
    output: Output,
    left_out: Arc<AtomicU64>,
}

impl Copier {
    /// Copies for the life of the process.
    fn run(mut self) {
        let mut lines = Vec::new();
        while let Ok(first) = self.events.recv() {
            let finished = self.gather(first, &mut lines);
            self.write(&mut lines);
            for done in finished {
                // An error means that the caller has stopped waiting.
                let _ = done.send(());
            }
        }
    }

    /// Adds the lines of the waiting events, and returns the waiting callers.
    fn gather(&self, first: Message, lines: &mut Vec<u8>) -> Vec<Sender<()>> {
        let mut finished = Vec::new();
        for message in iter::once(first).chain(self.events.try_iter()).take(TOGETHER_MAX) {
            match message {
                Message::Copy(event) => {
                    lines.extend_from_slice(self.describer.describe(&event, AuditReader::Operator).as_bytes());
                    lines.push(b'\n');
                }
                Message::Finish(done) => finished.push(done),
            }
        }
        finished
    }

    /// Writes the lines, and tries again until it succeeds.
    fn write(&mut self, lines: &mut Vec<u8>) {
        let mut has_failed = false;
        while let Err(error) = self.output.write(lines) {
            if !mem::replace(&mut has_failed, true) {
                tracing::error!(%error, "the copy of the audit log cannot be written; trying every second");
            }
            thread::sleep(RETRY_AFTER);
        }
        lines.clear();
        let left_out = self.left_out.swap(0, Ordering::Relaxed);
        if has_failed || left_out > 0 {
            tracing::warn!(left_out, "the copy of the audit log is written again; what is left out is in the database");
        }
    }
}

/// The open target.
enum Output {
    Stdout,
    File { path: PathBuf, file: File },
}

impl Output {
    fn open(target: &AuditDestination) -> io::Result<Self> {
        Ok(match target {
            AuditDestination::Stdout => Self::Stdout,
            AuditDestination::File(path) => Self::File { path: path.clone(), file: open(path)? },
        })
    }

    /// Writes all of the lines. After an error the file is cut back to its earlier length, if that is possible.
    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(lines)?;
                stdout.flush()
            }
            Self::File { path, file } => {
                if is_another(path, file) {
                    *file = open(path)?;
                }
                let end = file.metadata()?.len();
                file.write_all(lines).inspect_err(|_| drop(file.set_len(end)))
            }
        }
    }
}

/// Opens the file to write at its end. Only its owner may read a new file, because it has addresses of users.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// Whether the path no longer leads to this file: a program that rotates logs has moved it away.
fn is_another(path: &Path, file: &File) -> bool {
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (fs::metadata(path), file.metadata()) {
        (Ok(there), Ok(open)) => identity(there) != identity(open),
        _ => true,
    }
}
