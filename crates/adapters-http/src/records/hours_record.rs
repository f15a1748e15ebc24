use std::collections::BTreeMap;
use std::ops::AddAssign;

use domain::webhooks::OutcomeCounts;
use domain::{Hour, HourRange, UsageCounts};
use serde::Serialize;
use utoipa::ToSchema;

/// The verifications of an API key by the hour.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeyUsage)]
pub(crate) struct KeyUsageRecord {
    /// The sums of all hours.
    total: KeyUsageCounts,
    /// Every hour of the request, the earliest first. The last one may not be over.
    hours: Vec<KeyUsageHour>,
}

/// The verifications in one hour.
#[derive(Serialize, ToSchema)]
struct KeyUsageHour {
    /// When the hour began.
    #[schema(format = DateTime, example = "2026-11-21T01:00:00.000Z")]
    start: String,
    #[serde(flatten)]
    counts: KeyUsageCounts,
}

/// How many verifications had each result.
#[derive(Clone, Copy, Serialize, ToSchema)]
struct KeyUsageCounts {
    /// The key was good, and within its rate limit.
    #[schema(example = 412)]
    accepted: u64,
    /// The key was good, and its rate limit was reached.
    #[schema(example = 0)]
    limited: u64,
    /// The key was revoked or expired.
    #[schema(example = 3)]
    refused: u64,
}

impl KeyUsageRecord {
    pub(crate) fn of(hours: HourRange, usage: &BTreeMap<Hour, UsageCounts>) -> Self {
        let hour = |(hour, counts)| KeyUsageHour { start: start_of(hour), counts: KeyUsageCounts::of(counts) };
        Self { total: KeyUsageCounts::of(sum(usage)), hours: each(hours, usage).map(hour).collect() }
    }
}

impl KeyUsageCounts {
    fn of(counts: UsageCounts) -> Self {
        Self { accepted: counts.accepted(), limited: counts.limited, refused: counts.refused }
    }
}

/// The outcomes of attempts by the hour.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Outcomes)]
pub(crate) struct OutcomesRecord {
    /// The sums of all hours.
    total: OutcomeRecord,
    /// Every hour of the request, the earliest first. The last one may not be over.
    hours: Vec<OutcomeHour>,
}

/// The outcomes in one hour.
#[derive(Serialize, ToSchema)]
struct OutcomeHour {
    /// When the hour began.
    #[schema(format = DateTime, example = "2026-11-21T01:00:00.000Z")]
    start: String,
    #[serde(flatten)]
    counts: OutcomeRecord,
}

/// How many attempts had each outcome.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[schema(as = OutcomeCounts)]
struct OutcomeRecord {
    /// The receiver took the webhook.
    #[schema(example = 412)]
    delivered: u64,
    /// The attempt failed, and another one follows.
    #[schema(example = 7)]
    retried: u64,
    /// The attempt failed, and none follows: the delivery has failed.
    #[schema(example = 1)]
    exhausted: u64,
}

impl OutcomesRecord {
    pub(crate) fn of(hours: HourRange, outcomes: &BTreeMap<Hour, OutcomeCounts>) -> Self {
        let hour = |(hour, counts)| OutcomeHour { start: start_of(hour), counts: OutcomeRecord::of(counts) };
        Self { total: OutcomeRecord::of(sum(outcomes)), hours: each(hours, outcomes).map(hour).collect() }
    }
}

impl OutcomeRecord {
    fn of(counts: OutcomeCounts) -> Self {
        Self { delivered: counts.delivered, retried: counts.retried, exhausted: counts.exhausted }
    }
}

fn each<Counts: Copy + Default>(
    hours: HourRange,
    counts: &BTreeMap<Hour, Counts>,
) -> impl Iterator<Item = (Hour, Counts)> {
    hours.hours().map(|hour| (hour, counts.get(&hour).copied().unwrap_or_default()))
}

fn sum<Counts: Copy + Default + AddAssign>(counts: &BTreeMap<Hour, Counts>) -> Counts {
    let mut sum = Counts::default();
    for counts in counts.values() {
        sum += *counts;
    }
    sum
}

fn start_of(hour: Hour) -> String {
    hour.start().to_string()
}
