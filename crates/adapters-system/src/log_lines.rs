use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are gathered before they are written together. A system call for each line costs more than all the
/// rest of a verification.
const GATHER: Duration = Duration::from_millis(5);
/// The most that waits, in bytes. Past it whoever logs waits for whoever reads the log, so that no line is lost.
const WAITING_BYTES_MAX: usize = 1 << 20;

/// Log lines on their way out. A thread of its own writes them, in their order, at the latest [`GATHER`] after each;
/// warnings and errors are written at once, with all that came before: they may be the last words. Dropped, it writes
/// what is left. See decision 32.
pub struct LogLines(Arc<Shared>);

struct Shared {
    waiting: Mutex<Vec<u8>>,
    /// A first line waits.
    arrived: Condvar,
    /// What waited was taken.
    taken: Condvar,
    output: Mutex<Output>,
}

struct Output {
    to: Box<dyn Write + Send>,
    /// What is being written, else empty. It changes places with what waits, so that neither grows anew each time.
    lines: Vec<u8>,
}

impl LogLines {
    /// Starts the thread, which lives as long as the process.
    ///
    /// # Errors
    ///
    /// When there can be no thread.
    pub fn start(output: impl Write + Send + 'static) -> io::Result<Self> {
        let lines = Self::to(output);
        let writer = Arc::clone(&lines.0);
        thread::Builder::new().name("log".into()).spawn(move || writer.run())?;
        Ok(lines)
    }

    fn to(output: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Shared {
            waiting: Mutex::default(),
            arrived: Condvar::new(),
            taken: Condvar::new(),
            output: Mutex::new(Output { to: Box::new(output), lines: Vec::new() }),
        }))
    }

    /// Another hold on the same lines, for whoever makes them.
    pub fn maker(&self) -> LineMaker {
        LineMaker(Arc::clone(&self.0))
    }
}

impl Drop for LogLines {
    fn drop(&mut self) {
        self.0.write_out();
    }
}

/// Takes one line after the other.
pub struct LineMaker(Arc<Shared>);

impl<'a> MakeWriter<'a> for LineMaker {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { shared: &self.0, is_urgent: true }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Line<'a> {
        Line { shared: &self.0, is_urgent: *metadata.level() <= Level::WARN }
    }
}

/// One line, which comes in one piece.
pub struct Line<'a> {
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
        // First the output, so that whoever takes earlier lines writes them earlier.
        let Output { to, lines } = &mut *lock(&self.output);
        mem::swap(lines, &mut *lock(&self.waiting));
        self.taken.notify_all();
        // Nobody is left to tell when nobody reads the log.
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

    /// Tells of each write, and does not return before somebody listens.
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
        mem::forget(lines); // its last words would wait for a listener
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
