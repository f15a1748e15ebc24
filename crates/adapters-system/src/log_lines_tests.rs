use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::*;

/// Reports each write, and blocks until the test receives the report.
struct Told(SyncSender<String>);

impl Write for Told {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(String::from_utf8_lossy(bytes).into_owned()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Much longer than a write takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Lines, their reader, and the reports of dropped lines.
fn lines(urgent_max: Duration) -> (LogLines, Receiver<String>, Receiver<u64>) {
    let (tell, told) = sync_channel(0);
    let (report, reported) = sync_channel(10);
    (LogLines::start(Told(tell), move |count| report.send(count).unwrap(), urgent_max).unwrap(), told, reported)
}

#[test]
fn lines_that_come_together_are_written_together() {
    let (lines, told, _reported) = lines(PATIENCE);
    for line in ["one\n", "two\n"] {
        lines.0.add(line.as_bytes());
    }
    let mut written = told.recv().unwrap();
    while written != "one\ntwo\n" {
        assert_eq!(written, "one\n", "in their order");
        written += &told.recv().unwrap();
    }
}

#[test]
fn an_urgent_line_and_the_end_wait_until_they_are_written() {
    let (lines, told, _reported) = lines(PATIENCE);
    let reader = thread::spawn(move || told.iter().collect::<String>());
    let maker = lines.maker();
    lines.0.add(b"before\n");
    maker.make_writer().write_all(b"urgent\n").unwrap();
    assert_eq!(lock(&lines.0.state).bytes_written, 14, "the urgent line has waited");
    lines.0.add(b"last\n");
    let shared = Arc::clone(&lines.0);
    drop(lines);
    assert_eq!(lock(&shared.state).bytes_written, 19);
    drop(reader);
}

#[test]
fn a_log_that_nobody_reads_holds_nobody_back_and_says_what_was_lost() {
    let (lines, told, reported) = lines(URGENT_MAX);
    let line = vec![b'x'; WAITING_BYTES_MAX / 4];
    lines.0.add(&line);
    // The thread holds the first line. Four more fit.
    while !lock(&lines.0.state).waiting.is_empty() {
        thread::yield_now();
    }
    for _ in 0..40 {
        lines.0.add(&line);
    }
    assert_eq!(lock(&lines.0.state).waiting.len(), WAITING_BYTES_MAX);
    for _ in 0..1_000 {
        drop(lines.maker().make_writer());
    }
    assert!(lock(&lines.0.state).is_stuck, "only the first urgent line waits");
    let written: usize = (0..2).map(|_| told.recv().unwrap().len()).sum();
    assert_eq!((written, reported.recv().unwrap()), (5 * line.len(), 36));
}
