//! The verdict of Prometheus' own tool on the alerts and the metrics.

use std::process::Command;

use super::exposition::{TEXT, scrape};
use super::figures::metered;
use crate::harness::{Setup, Storage, feed, repository};

#[test]
fn the_alerts_are_valid_rules() {
    let rules = repository().join("deploy/prometheus/rules.yaml");
    let rules = rules.to_str().expect("a path in UTF-8");
    let shown = promtool(&["check", "rules", "--lint=all", "--lint-fatal", rules], "");
    assert!(shown.contains("SUCCESS"), "{shown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_metrics_are_named_as_prometheus_advises() {
    let storage = Storage::sqlite();
    let (_gatepost, address) = metered(Setup::serve(&storage).await).await;
    let shown = promtool(&["check", "metrics"], &scrape(address, TEXT).await.text);
    assert_eq!(shown, "");
}

/// The output of `promtool` for this input. It must succeed.
fn promtool(arguments: &[&str], input: &str) -> String {
    // Debian has it in the package prometheus.
    let output = feed(Command::new("promtool").args(arguments), input);
    let shown = [output.stdout, output.stderr].concat();
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(output.status.success(), "{arguments:?}: {shown}");
    shown
}
