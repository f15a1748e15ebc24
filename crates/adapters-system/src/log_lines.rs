use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, WaitTimeoutResult};
use std::thread;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are gathered before they are written together. One system call for each line would cost more than the
/// rest of a verification.
const GATHER: Duration = Duration::from_millis(5);
/// The most bytes that wait. Past this limit lines are dropped and counted.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// How long a thread waits until its warning is written. While standard error is stuck, only the first warning waits.
pub(crate) const URGENT_MAX: Duration = Duration::from_millis(50);
/// How long the end of the process waits until the last lines are written.
const END_MAX: Duration = Duration::from_secs(1);

/// Log lines that wait for the output. A separate thread writes them in order, each within [`GATHER`]. Warnings and
/// errors are written at once, with all earlier lines, because the process may end next. On drop the rest is written.
///
/// A stuck reader of standard error never stops a thread that logs: past a limit lines are dropped, and their number is
/// logged when the reader continues. See decision 32.
pub struct LogLines(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    urgent_max: Duration,
    /// Notified when a first line waits.
    arrived: Condvar,
    /// Notified when the lines must not wait for others.
    hurry: Condvar,
    /// Notified when lines were written, or the output is found stuck.
    written: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    is_urgent: bool,
    /// Lines that were dropped since the last report.
    dropped: u64,
    /// The bytes of all lines so far, and how many of them are written.
    bytes_added: u64,
    bytes_written: u64,
    /// A thread gave up waiting for the output, or lines were dropped.
    is_stuck: bool,
}

impl LogLines {
    /// Starts the thread, which runs until the process ends. It calls `report` with the number of dropped lines. A thread
    /// waits for its warning for `urgent_max` at most.
    ///
    /// # Errors
    ///
    /// When the system starts no thread.
    pub(crate) fn start(
        output: impl Write + Send + 'static,
        report: impl Fn(u64) + Send + 'static,
        urgent_max: Duration,
    ) -> io::Result<Self> {
        let lines = Self(Arc::new(Shared { urgent_max, ..Shared::default() }));
        let shared = Arc::clone(&lines.0);
        thread::Builder::new().name("log".into()).spawn(move || shared.run(output, report))?;
        Ok(lines)
    }

    /// Writes every waiting line. Gives up after a second.
    pub fn flush(&self) {
        let state = lock(&self.0.state);
        drop(self.0.await_written(state, END_MAX));
    }

    /// The writer for the log library.
    pub(crate) fn maker(&self) -> LineMaker {
        LineMaker(Arc::clone(&self.0))
    }
}

impl Drop for LogLines {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Creates a [`Line`] for each log line.
pub(crate) struct LineMaker(Arc<Shared>);

impl<'a> MakeWriter<'a> for LineMaker {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { shared: &self.0, is_urgent: true }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Line<'a> {
        Line { shared: &self.0, is_urgent: *metadata.level() <= Level::WARN }
    }
}

/// One log line, which is written in one piece.
pub(crate) struct Line<'a> {
    shared: &'a Shared,
    is_urgent: bool,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.shared.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        if self.is_urgent {
            self.shared.write_at_once();
        }
    }
}

impl Shared {
    fn run(&self, mut output: impl Write, report: impl Fn(u64)) {
        let mut lines = Vec::new();
        loop {
            let dropped = self.take(&mut lines);
            if dropped > 0 {
                // The report goes behind these lines, where the dropped ones would be.
                report(dropped);
            }
            // A failing log has no place for the error.
            let _ = output.write_all(&lines);
            self.note_written(lines.len());
            lines.clear();
        }
    }

    /// Takes the lines that wait. Returns how many were dropped since the last call. If there are any, the output counts
    /// as stuck until the next write: this thread cannot wait for its own report.
    fn take(&self, lines: &mut Vec<u8>) -> u64 {
        let mut state = self.gathered();
        mem::swap(lines, &mut state.waiting);
        state.is_stuck |= state.dropped > 0;
        mem::take(&mut state.dropped)
    }

    /// Waits for a first line, and then a moment for more.
    fn gathered(&self) -> MutexGuard<'_, State> {
        let state = self.arrived.wait_while(lock(&self.state), |state| state.waiting.is_empty());
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let gathered = self.hurry.wait_timeout_while(state, GATHER, |state| !state.is_urgent);
        let mut state = gathered.unwrap_or_else(PoisonError::into_inner).0;
        state.is_urgent = false;
        state
    }

    fn note_written(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.bytes_written += bytes as u64;
        state.is_stuck = false;
        self.written.notify_all();
    }

    fn add(&self, line: &[u8]) {
        let mut state = lock(&self.state);
        if state.waiting.len() >= WAITING_BYTES_MAX {
            state.dropped += 1;
            return;
        }
        if state.waiting.is_empty() {
            self.arrived.notify_one();
        }
        state.waiting.extend_from_slice(line);
        state.bytes_added += line.len() as u64;
    }

    fn write_at_once(&self) {
        let state = lock(&self.state);
        if state.is_stuck {
            return;
        }
        let (mut state, waited) = self.await_written(state, self.urgent_max);
        state.is_stuck |= waited.timed_out();
    }

    /// Waits until every line so far is written, for `limit` at most.
    fn await_written<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        limit: Duration,
    ) -> (MutexGuard<'a, State>, WaitTimeoutResult) {
        let until = state.bytes_added;
        state.is_urgent = true;
        self.hurry.notify_one();
        let waited = self.written.wait_timeout_while(state, limit, |state| state.bytes_written < until);
        waited.unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "log_lines_tests.rs"]
mod tests;
