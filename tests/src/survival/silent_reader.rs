use std::io::Read;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::harness::{Gatepost, Request, Setup, Storage};

/// More than a pipe and the lines that wait can hold.
const LINES: usize = 6_000;
/// The longest shutdown, and room for a busy machine.
const EXIT_WITHIN: Duration = Duration::from_secs(15);
/// How long an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_nobody_reads_stops_nothing_and_says_what_was_lost() {
    let storage = Storage::sqlite();
    let (mut gatepost, log) = Setup::serve(&storage).await.start_with_an_unread_log().await;
    overflow(&gatepost).await;
    let (text, _log) = read_until_lost(log).await;
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let dropped: u64 = lines.filter_map(|line| line["dropped"].as_u64()).sum();
    let written = text.lines().filter(|line| line.contains("adapters_http::access_log")).count() as u64;
    assert!(dropped > 0 && dropped + written >= LINES as u64, "{dropped} dropped, {written} written");

    overflow(&gatepost).await;
    let start = Instant::now();
    gatepost.signal("TERM");
    gatepost.exited().await;
    assert!(start.elapsed() < EXIT_WITHIN, "{:?}", start.elapsed());
}

async fn overflow(gatepost: &Gatepost) {
    let mut connection = gatepost.connect().await;
    for _ in 0..LINES {
        let answer = timeout(ANSWER_WITHIN, connection.exchange(&Request::new("GET", "/api/nowhere"))).await;
        assert_eq!(answer.expect("an answer").unwrap().status, 404);
    }
    let livez = timeout(ANSWER_WITHIN, gatepost.send(&Request::new("GET", "/livez"))).await;
    assert_eq!(livez.expect("an answer").status, 200);
}

/// Reads the log up to the line about lost lines, and no further.
async fn read_until_lost<R: Read + Send + 'static>(mut log: R) -> (String, R) {
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || {
        let (mut text, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
        while !String::from_utf8_lossy(&text).contains("log lines were dropped") {
            let length = log.read(&mut chunk).unwrap();
            assert!(length > 0, "the log ended");
            text.extend_from_slice(&chunk[..length]);
        }
        let _ = tell.send((String::from_utf8(text).unwrap(), log));
    });
    timeout(Duration::from_secs(20), told).await.expect("the line comes").unwrap()
}
