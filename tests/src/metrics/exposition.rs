//! A strict reader of metrics, which fails where Prometheus would guess.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use crate::harness::{Connection, Request, eventually};

pub(super) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
pub(crate) const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

type Labels = BTreeMap<String, String>;

/// Metrics by their families.
pub(crate) struct Exposition {
    pub(super) families: BTreeMap<String, Family>,
    pub(crate) text: String,
}

#[derive(Debug)]
pub(super) struct Family {
    pub(super) kind: String,
    samples: BTreeMap<(String, Labels), f64>,
}

/// Reads the metrics of a process in the format that `accept` names.
pub(crate) async fn scrape(address: SocketAddr, accept: &str) -> Exposition {
    let mut connection = Connection::open(address).await.expect("the listener of metrics accepts connections");
    let request = Request::new("GET", "/metrics").header("accept", accept);
    let response = connection.exchange(&request).await.expect("an answer");
    assert_eq!((response.status, response.header("content-type")), (200, Some(accept)));
    Exposition::parse(&response.text(), accept == OPEN_METRICS)
}

/// The metrics as soon as they have this family. It comes with the first reading of the database.
pub(super) async fn scrape_with(address: SocketAddr, family: &str) -> Exposition {
    let has_family = |exposition: &Exposition| exposition.families.contains_key(family);
    eventually(family, async || Some(scrape(address, TEXT).await).filter(has_family)).await
}

impl Exposition {
    pub(super) fn parse(text: &str, is_open_metrics: bool) -> Self {
        let mut parsed = Self { families: BTreeMap::new(), text: text.to_owned() };
        let body = match (is_open_metrics, text.strip_suffix("# EOF\n")) {
            (true, Some(body)) => body,
            (true, None) => panic!("OpenMetrics ends with # EOF"),
            (false, _) => text,
        };
        assert!(body.ends_with('\n'), "the last line has an end");
        let mut lines = body.lines().peekable();
        while let Some(line) = lines.next() {
            let (name, help) = metadata(line, "HELP");
            let kind = lines.next().expect("a type follows the help");
            let (typed, kind) = metadata(kind, "TYPE");
            assert_eq!(name, typed, "the type belongs to the help");
            let mut samples = BTreeMap::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
                let (key, value) = sample(line);
                assert!(samples.insert(key, value).is_none(), "twice: {line}");
            }
            assert!(!help.is_empty() && !samples.is_empty(), "{name} has no help or no sample");
            let family = Family { kind: kind.to_owned(), samples };
            let name = if is_open_metrics && kind == "counter" { format!("{name}_total") } else { name.to_owned() };
            family.check(&name);
            assert!(parsed.families.insert(name.clone(), family).is_none(), "{name} occurs twice");
        }
        parsed
    }

    /// The value of the sample with this name and these labels; 0 if there is none.
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.find(name, labels).unwrap_or(0.0)
    }

    pub(super) fn find(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let key = (name.to_owned(), labels);
        self.families.values().find_map(|family| family.samples.get(&key).copied())
    }

    /// The labels of each sample with this name.
    pub(super) fn labels_of(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        let samples = self.families.values().flat_map(|family| family.samples.keys());
        samples.filter(|(sample, _)| sample == name).map(|(_, labels)| labels.clone()).collect()
    }

    /// The names of all samples, as queries use them.
    pub(super) fn sample_names(&self) -> BTreeSet<String> {
        self.families.values().flat_map(|family| family.samples.keys().map(|(name, _)| name.clone())).collect()
    }
}

impl Family {
    fn check(&self, name: &str) {
        assert_eq!(name.ends_with("_total"), self.kind == "counter", "{name}: only counters are totals");
        match self.kind.as_str() {
            "counter" | "gauge" => {
                assert!(self.samples.keys().all(|(sample, _)| sample == name), "{name} has samples of another name");
            }
            "histogram" => self.check_histogram(name),
            kind => panic!("{name}: unknown type {kind}"),
        }
        let is_never_negative = self.kind != "gauge";
        assert!(!is_never_negative || self.samples.values().all(|value| *value >= 0.0), "{name} is negative");
    }

    fn check_histogram(&self, name: &str) {
        let mut series: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
        for ((sample, labels), value) in &self.samples {
            let suffix = sample.strip_prefix(name).unwrap_or_else(|| panic!("{name}: {sample}"));
            let mut labels = labels.clone();
            match suffix {
                "_bucket" => {
                    let bound = labels.remove("le").expect("a bucket has a bound");
                    let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().expect("a number") };
                    series.entry(labels).or_default().push((bound, *value));
                }
                "_sum" | "_count" => assert!(!labels.contains_key("le"), "{sample}"),
                _ => panic!("{name}: {sample}"),
            }
        }
        for (labels, mut buckets) in series {
            buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
            assert!(buckets.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{name}: buckets count all below them");
            let of = |suffix: &str| self.samples.get(&(format!("{name}{suffix}"), labels.clone())).copied();
            let (bound, all) = *buckets.last().expect("a bucket");
            assert!(bound.is_infinite() && of("_count") == Some(all) && of("_sum").is_some(), "{name} {labels:?}");
        }
    }
}

/// The name and the text of a line of metadata.
fn metadata<'a>(line: &'a str, keyword: &str) -> (&'a str, &'a str) {
    let rest = line.strip_prefix(&format!("# {keyword} ")).unwrap_or_else(|| panic!("no {keyword}: {line}"));
    let (name, text) = rest.split_once(' ').unwrap_or_else(|| panic!("{line}"));
    check_name(name);
    (name, text)
}

/// One sample without a timestamp: `name{label="value",…} number`.
fn sample(line: &str) -> ((String, Labels), f64) {
    let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no value: {line}"));
    let value = value.parse().unwrap_or_else(|_| panic!("not a number: {line}"));
    let (name, labels) = match series.split_once('{') {
        None => (series, Labels::new()),
        Some((name, rest)) => (name, labels(rest, line)),
    };
    check_name(name);
    ((name.to_owned(), labels), value)
}

fn labels(text: &str, line: &str) -> Labels {
    let (mut rest, mut labels) = (text, Labels::new());
    loop {
        let (name, quoted) = rest.split_once("=\"").unwrap_or_else(|| panic!("no label: {line}"));
        check_name(name);
        let (value, after) = unquoted(quoted, line);
        assert!(labels.insert(name.to_owned(), value).is_none(), "a label occurs twice: {line}");
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None if after == "}" => return labels,
            None => panic!("after a label: {line}"),
        }
    }
}

/// The value of a label up to its closing quote, and the rest of the line.
fn unquoted<'a>(text: &'a str, line: &str) -> (String, &'a str) {
    let (mut value, mut letters) = (String::new(), text.char_indices());
    while let Some((place, letter)) = letters.next() {
        match letter {
            '"' => return (value, &text[place + 1..]),
            '\\' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, escaped @ ('"' | '\\'))) => value.push(escaped),
                other => panic!("escape {other:?}: {line}"),
            },
            letter => value.push(letter),
        }
    }
    panic!("no closing quote: {line}")
}

fn check_name(name: &str) {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter == '_' || letter.is_ascii_digit();
    assert!(!name.is_empty() && name.chars().all(is_plain), "not a name: {name}");
}
