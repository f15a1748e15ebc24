use std::net::TcpListener;
use std::time::Duration;

use tokio::time::Instant;

use super::exposition::{OPEN_METRICS, TEXT, scrape, scrape_with};
use super::figures::metered;
use crate::harness::{Connection, Request, Setup, Storage, free_address, own_server};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_are_on_a_listener_of_their_own() {
    let (gatepost, address) = metered(Setup::serve(&Storage::sqlite()).await).await;
    let public = gatepost.send(&Request::new("GET", "/metrics")).await;
    assert_eq!(public.status, 404, "who may call the API may not read the metrics");
    let mut connection = Connection::open(address).await.unwrap();
    let other = connection.exchange(&Request::new("GET", "/api/whoami")).await.unwrap();
    assert_eq!(other.status, 404, "and the API is not where the metrics are");
    let (text, open_metrics) = (scrape(address, TEXT).await, scrape(address, OPEN_METRICS).await);
    let names = |exposition: &super::exposition::Exposition| exposition.families.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&text), names(&open_metrics), "both formats have the same families");
}

/// A scrape asks no database: it answers in full, and as fast, while there is none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_needs_no_database() {
    let cluster = own_server().await;
    let (_gatepost, address) = metered(Setup::serve(&Storage::postgres_in(cluster.clone()).await).await).await;
    let whole = scrape_with(address, "gatepost_lanes").await;
    cluster.stop().await.unwrap();
    let mut fastest = Duration::MAX;
    for _ in 0..50 {
        let begun = Instant::now();
        let exposition = scrape(address, TEXT).await;
        fastest = fastest.min(begun.elapsed());
        assert!(whole.families.keys().all(|name| exposition.families.contains_key(name)), "a family is missing");
    }
    assert!(fastest < Duration::from_millis(20), "{fastest:?} for a scrape");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_taken_port_ends_serve_and_names_the_setting() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let setup = Setup::serve(&Storage::sqlite()).await.with("METRICS_LISTEN", &address);
    let (status, written) = setup.start_refused().await;
    assert_eq!(status.code(), Some(1), "{written}");
    assert!(written.contains("METRICS_LISTEN") && written.contains(&address), "{written}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_dev_goes_without_metrics() {
    let address = free_address();
    let setup = Setup::dev().await.with("METRICS_LISTEN", &address.to_string());
    let (first, second) = (setup.clone().start().await, setup.twin().start().await);
    assert!(scrape(address, TEXT).await.families.contains_key("gatepost_build_info"));
    assert!(!first.written().contains("without metrics"));
    assert!(second.written().contains("dev runs without metrics"), "{}", second.written());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_setting_turns_the_metrics_off() {
    let gatepost = Setup::serve(&Storage::sqlite()).await.with("METRICS_LISTEN", "").start().await;
    assert!(!gatepost.written().contains("/metrics"), "{}", gatepost.written());
}
