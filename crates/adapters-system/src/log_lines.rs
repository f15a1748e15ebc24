use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are gathered before they are written together. One system call for each line would cost more than the
/// rest of a verification.
const GATHER: Duration = Duration::from_millis(5);
/// The most bytes that wait. Past this limit a thread that logs waits until the log is read, so that no line is lost.
const WAITING_BYTES_MAX: usize = 1 << 20;

/// Log lines on their way out. A separate thread writes them in order, each within [`GATHER`]. Warnings and errors are
/// written at once, with all earlier lines, because the process may end next. On drop it writes the rest. See decision 32.
pub struct LogLines(Arc<Shared>);

struct Shared {
    waiting: Mutex<Vec<u8>>,
    /// Notified when a first line waits.
    arrived: Condvar,
    /// Notified when the waiting lines were taken.
    taken: Condvar,
    output: Mutex<Output>,
}

struct Output {
    to: Box<dyn Write + Send>,
    /// The lines that are being written, else empty. Swapped with `waiting`, so that both buffers keep their memory.
    lines: Vec<u8>,
}

impl LogLines {
    /// Starts the thread, which lives as long as the process.
    ///
    /// # Errors
    ///
    /// When the system starts no thread.
    pub(crate) fn start(output: impl Write + Send + 'static) -> io::Result<Self> {
        let lines = Self::to(output);
        let writer = Arc::clone(&lines.0);
        thread::Builder::new().name("log".into()).spawn(move || writer.run())?;
        Ok(lines)
    }

    /// Writes every line that waits.
    pub fn flush(&self) {
        self.0.write_out();
    }

    fn to(output: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Shared {
            waiting: Mutex::default(),
            arrived: Condvar::new(),
            taken: Condvar::new(),
            output: Mutex::new(Output { to: Box::new(output), lines: Vec::new() }),
        }))
    }

    /// The writer for the log library.
    pub(crate) fn maker(&self) -> LineMaker {
        LineMaker(Arc::clone(&self.0))
    }
}

impl Drop for LogLines {
    fn drop(&mut self) {
        self.0.write_out();
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
            self.shared.write_out();
        }
    }
}

impl Shared {
    fn run(&self) {
        loop {
            let waiting = lock(&self.waiting);
            drop(self.arrived.wait_while(waiting, |waiting| waiting.is_empty()));
            thread::sleep(GATHER);
            self.write_out();
        }
    }

    fn add(&self, line: &[u8]) {
        let mut waiting = lock(&self.waiting);
        while waiting.len() >= WAITING_BYTES_MAX {
            waiting = self.taken.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        if waiting.is_empty() {
            self.arrived.notify_one();
        }
        waiting.extend_from_slice(line);
    }

    fn write_out(&self) {
        // The output is locked first, so that the thread that takes earlier lines writes them earlier.
        let Output { to, lines } = &mut *lock(&self.output);
        mem::swap(lines, &mut *lock(&self.waiting));
        self.taken.notify_all();
        // An error cannot be reported when the log itself cannot be written.
        let _ = to.write_all(lines);
        lines.clear();
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    use super::*;

    /// Reports each write, and blocks until the test receives the report.
    struct Told(SyncSender<String>);

    impl Write for Told {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(String::from_utf8_lossy(bytes).into_owned()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines() -> (LogLines, Receiver<String>) {
        let (tell, told) = sync_channel(0);
        (LogLines::start(Told(tell)).unwrap(), told)
    }

    #[test]
    fn lines_that_come_together_are_written_together() {
        let (lines, told) = lines();
        for line in ["one\n", "two\n"] {
            lines.0.add(line.as_bytes());
        }
        let mut written = told.recv().unwrap();
        while written != "one\ntwo\n" {
            assert_eq!(written, "one\n", "in their order");
            written += &told.recv().unwrap();
        }
        mem::forget(lines); // its drop would wait for a receiver
    }

    #[test]
    fn an_urgent_line_and_the_end_do_not_wait_for_the_thread() {
        let (tell, told) = sync_channel(2);
        let lines = LogLines::to(Told(tell)); // has no thread
        lines.0.add(b"before\n");
        let maker = lines.maker();
        assert!(told.try_recv().is_err());
        maker.make_writer().write_all(b"urgent\n").unwrap();
        assert_eq!(told.try_recv().unwrap(), "before\nurgent\n");
        lines.0.add(b"last\n");
        drop(lines);
        assert_eq!(told.try_recv().unwrap(), "last\n");
    }

    #[test]
    fn a_log_that_nobody_reads_holds_back_whoever_logs_and_not_the_memory() {
        let (lines, told) = lines();
        let line = vec![b'x'; WAITING_BYTES_MAX / 4];
        let shared = Arc::clone(&lines.0);
        let logging = thread::spawn(move || (0..40).for_each(|_| shared.add(&line)));
        let mut written = 0;
        while written < 10 * WAITING_BYTES_MAX {
            assert!(lock(&lines.0.waiting).len() <= WAITING_BYTES_MAX + WAITING_BYTES_MAX / 4);
            written += told.recv().unwrap().len();
        }
        logging.join().unwrap();
        assert_eq!(written, 10 * WAITING_BYTES_MAX, "nothing is lost");
        mem::forget(lines);
    }
}
