//! Alerts, dashboards and pages ask only for metrics that the binary has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use super::exposition::{Exposition, TEXT, scrape, scrape_with};
use super::figures::metered;
use crate::harness::{Connection, Setup, Storage, eventually, free_address, repository};
use crate::reload::Files;
use crate::webhooks::host::{OPERATOR_TOKEN, by_host};

const RULES: &str = "deploy/prometheus/rules.yaml";
const DASHBOARD: &str = "deploy/grafana/gatepost.json";
/// Labels that Prometheus adds.
const ADDED: [&str; 3] = ["job", "instance", "le"];

/// The metrics of both kinds of instances as soon as they are ready, and of one with a certificate.
async fn exposed() -> Vec<Exposition> {
    let (files, secured) = (Files::new(), free_address());
    files.certify();
    let setup = files.securing(Setup::serve(&Storage::sqlite()).await);
    let _secured = setup.with("METRICS_LISTEN", &secured.to_string()).start_unready().await;
    eventually("the listener of metrics is open", async || Connection::open(secured).await.ok()).await;
    let mut all = vec![scrape(secured, TEXT).await];
    for storage in [Storage::sqlite(), Storage::postgres().await] {
        let (gatepost, address) = metered(Setup::serve(&storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN)).await;
        let put = by_host("PUT", "event-types/a").json(&json!({ "schema": {}, "validation": "warn" }));
        assert_eq!(gatepost.send(&put).await.status, 200);
        all.push(scrape_with(address, "gatepost_lanes").await);
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alerts_dashboards_and_pages_name_metrics_that_exist() {
    let exposed = exposed().await;
    let known: BTreeSet<String> = exposed.iter().flat_map(Exposition::sample_names).collect();
    let families: BTreeSet<&String> = exposed.iter().flat_map(|one| one.families.keys()).collect();
    let mut read = 0;
    for path in [RULES, DASHBOARD].map(str::to_owned).into_iter().chain(runbooks()) {
        let text = fs::read_to_string(repository().join(&path)).unwrap();
        for name in names_in(&text) {
            assert!(known.contains(&name) || families.contains(&name), "{path} names {name}, which no instance shows");
            read += 1;
        }
    }
    assert!(read > 60, "{read} names were read");
    let operations = fs::read_to_string(repository().join("docs/operations/monitoring.md")).unwrap();
    let described: BTreeSet<String> = described_in(&operations).map(str::to_owned).collect();
    assert_eq!(
        described,
        families.into_iter().cloned().collect(),
        "docs/operations/monitoring.md describes what is shown"
    );
}

/// `result="failed"` matches no sample if the label or its value has another name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_ask_for_labels_that_exist() {
    let exposed = exposed().await;
    let mut asked = 0;
    for query in queries() {
        for (name, label, value) in matchers(&query) {
            if ADDED.contains(&label.as_str()) {
                continue;
            }
            let labels_of = |one: &Exposition| one.labels_of(&name);
            let labels: Vec<BTreeMap<String, String>> = exposed.iter().flat_map(labels_of).collect();
            let has = |labels: &BTreeMap<String, String>| match (&value, labels.get(&label)) {
                (Some(value), Some(shown)) => value == shown,
                (None, Some(_)) => true,
                (_, None) => false,
            };
            assert!(labels.iter().any(has), "{query}: no sample of {name} has {label} {value:?}");
            asked += 1;
        }
    }
    assert!(asked >= 6, "{asked} labels were read");
}

/// Runbooks for planned changes. No alert leads to them.
const PLANNED: [&str; 2] = ["docs/runbooks/move-to-postgres.md", "docs/runbooks/move-to-several-shards.md"];

#[test]
fn each_alert_has_its_runbook() {
    let rules = fs::read_to_string(repository().join(RULES)).unwrap();
    let alerts: Vec<&str> = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    let named: Vec<&str> = rules.lines().filter_map(|line| line.trim().strip_prefix("runbook_url: ")).collect();
    assert!(alerts.len() >= 17 && alerts.len() == named.len(), "{alerts:?} {named:?}");
    let mut pages: BTreeSet<String> = runbooks().into_iter().collect();
    for (alert, page) in alerts.iter().zip(named) {
        assert_eq!(page, format!("docs/runbooks/{}.md", kebab(alert)), "{alert}");
        assert!(pages.remove(page), "{alert} has no page");
        let text = fs::read_to_string(repository().join(page)).unwrap();
        let parts = ["# ", "## What it means", "## What users notice", "## What to do"];
        assert!(parts.iter().all(|part| text.contains(part)) && text.contains(alert), "{page} lacks one of {parts:?}");
    }
    for page in PLANNED {
        assert!(pages.remove(page), "{page} is missing");
    }
    assert!(pages.is_empty(), "no alert leads to {pages:?}");
}

/// The expressions of the rules and of the dashboard.
fn queries() -> Vec<String> {
    let rules = fs::read_to_string(repository().join(RULES)).unwrap();
    let expressions = rules.split("expr: ").skip(1).map(|rest| rest.split("\n        for:").next().unwrap().to_owned());
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(repository().join(DASHBOARD)).unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    expressions.chain(targets.map(|target| target["expr"].as_str().unwrap().to_owned())).collect()
}

/// Each name with each of its labels, and the value if it must be equal.
fn matchers(query: &str) -> Vec<(String, String, Option<String>)> {
    let mut found = Vec::new();
    for (at, _) in query.match_indices('{') {
        let name = query[..at].rsplit(|letter: char| !is_of_name(letter)).next().unwrap();
        let inside = query[at + 1..].split('}').next().unwrap();
        for matcher in inside.split(',') {
            let (label, value) = matcher.split_once(['=', '~']).unwrap_or_else(|| panic!("{query}: {matcher}"));
            let is_equal = value.starts_with('"') && !label.ends_with('!');
            let value = is_equal.then(|| value.trim_matches('"').to_owned());
            found.push((name.to_owned(), label.trim_end_matches('!').trim().to_owned(), value));
        }
    }
    found
}

/// Everything that looks like the name of a metric.
fn names_in(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !is_of_name(letter));
    let starts = ["gatepost_", "process_", "http_server_"];
    words.filter(|word| starts.iter().any(|start| word.starts_with(start))).map(str::to_owned).collect()
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The names in the table of metrics.
fn described_in(page: &str) -> impl Iterator<Item = &str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.map(|(name, _)| name).filter(|name| names_in(name) == [*name])
}

fn runbooks() -> Vec<String> {
    let files = fs::read_dir(repository().join("docs/runbooks")).unwrap().map(|file| file.unwrap().file_name());
    let names = files.map(|name| name.into_string().unwrap()).filter(|name| name != "README.md");
    names.map(|name| format!("docs/runbooks/{name}")).collect()
}

/// `GatepostIsDown` is `gatepost-is-down`.
fn kebab(name: &str) -> String {
    let letters = name.chars().enumerate().flat_map(|(place, letter)| {
        let dash = (place > 0 && letter.is_uppercase()).then_some('-');
        dash.into_iter().chain(letter.to_lowercase())
    });
    letters.collect()
}
