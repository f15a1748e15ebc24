//! The copy of the audit log, on real files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use adapters_system::{AuditCopy, AuditDestination};
use domain::OwnerId;
use domain::audit::AuditEvent;
use domain::memory::{MemoryAuditLog, unique_cause};
use domain::ports::{AuditDescriber, AuditLog, AuditReader};
use pollster::block_on;
use tempfile::TempDir;
use tokio::time::Instant;

/// Longer than a test takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A line is the id of the event, as operators see it.
struct Id;

impl AuditDescriber for Id {
    fn describe(&self, event: &AuditEvent, reader: AuditReader) -> String {
        assert_eq!(reader, AuditReader::Operator);
        event.id.to_string()
    }
}

/// An audit log with its copy.
struct Copied {
    log: MemoryAuditLog,
    copy: Arc<AuditCopy>,
}

impl Copied {
    fn to(path: &Path) -> Self {
        let log = MemoryAuditLog::default();
        let destination = AuditDestination::File(path.to_owned());
        let copy = AuditCopy::start(&log, &destination, Arc::new(Id)).expect("the folder can be written");
        Self { log, copy }
    }

    /// Records an event, and returns its line.
    fn record(&self) -> String {
        let owner = OwnerId::new("https://id.example", "alice").expect("a valid user");
        let event = unique_cause().data_read(&owner, domain::audit::AuditTarget::Keys);
        block_on(self.log.record_new(std::slice::from_ref(&event))).expect("memory does not fail");
        format!("{}\n", event.id)
    }

    fn record_many(&self, count: usize) -> String {
        (0..count).map(|_| self.record()).collect()
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Waits until the file has this text.
fn expect(path: &Path, text: &str) {
    wait_until(|| read(path) == text, path);
}

fn wait_until(is_so: impl Fn() -> bool, path: &Path) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "the copy stops at {} lines", read(path).lines().count());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn every_event_is_a_line_in_a_file_that_only_its_owner_reads() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("audit.jsonl");
    let copied = Copied::to(&path);
    let lines = copied.record_many(3);
    copied.copy.finish();
    assert_eq!(read(&path), lines, "what is finished is written");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    let next = Copied::to(&path);
    let more = next.record_many(2_500);
    expect(&path, &(lines + &more));
}

#[test]
fn a_file_that_was_moved_away_is_begun_again() {
    let folder = TempDir::new().unwrap();
    let (path, moved) = (folder.path().join("audit.jsonl"), folder.path().join("audit.jsonl.1"));
    let copied = Copied::to(&path);
    let before = copied.record();
    expect(&path, &before);
    fs::rename(&path, &moved).unwrap();
    let after = copied.record();
    expect(&path, &after);
    assert_eq!(read(&moved), before);
    fs::write(&path, "").unwrap();
    let later = copied.record();
    expect(&path, &later);
}

#[test]
fn what_cannot_be_written_is_written_later_up_to_a_limit() {
    let folder = TempDir::new().unwrap();
    let (there, away) = (folder.path().join("logs"), folder.path().join("away"));
    fs::create_dir(&there).unwrap();
    let path = there.join("audit.jsonl");
    let copied = Copied::to(&path);
    let first = copied.record();
    expect(&path, &first);
    fs::rename(&there, &away).unwrap();
    let waiting = copied.record_many(20_000);
    fs::create_dir(&there).unwrap();
    // The queue is full until the copier has taken these lines.
    wait_until(|| read(&path).lines().count() >= 10_000, &path);
    let last = copied.record();
    wait_until(|| read(&path).ends_with(&last), &path);
    let written = read(&path);
    let (written, end) = written.split_at(written.len() - last.len());
    assert_eq!(end, last, "what comes later is copied");
    assert!(waiting.starts_with(written), "in order, and from the first one on");
    let lines = written.lines().count();
    assert!((10_000..=11_000).contains(&lines), "as many as wait at most, and those on the way: {lines}");
}

#[test]
fn a_folder_that_does_not_exist_is_refused() {
    let folder = TempDir::new().unwrap();
    let destination = AuditDestination::File(folder.path().join("none/audit.jsonl"));
    let refused = AuditCopy::start(&MemoryAuditLog::default(), &destination, Arc::new(Id));
    assert_eq!(refused.err().map(|error| error.kind()), Some(std::io::ErrorKind::NotFound));
}
