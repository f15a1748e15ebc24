use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, query, segment};
use crate::{Client, Error};

/// The verifications of an API key by the hour.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KeyUsage {
    /// The sums of all hours.
    pub total: KeyUsageCounts,
    /// Every hour of the request, the earliest first.
    pub hours: Vec<InHour<KeyUsageCounts>>,
}

/// How many verifications had each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KeyUsageCounts {
    /// The key was good, and within its rate limit.
    pub accepted: u64,
    /// The key was good, and its rate limit was reached.
    pub limited: u64,
    /// The key was revoked or expired.
    pub refused: u64,
}

/// The outcomes of attempts by the hour.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Outcomes {
    /// The sums of all hours.
    pub total: OutcomeCounts,
    /// Every hour of the request, the earliest first.
    pub hours: Vec<InHour<OutcomeCounts>>,
}

/// How many attempts had each outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutcomeCounts {
    /// The receiver took the webhook.
    pub delivered: u64,
    /// The attempt failed, and another one follows.
    pub retried: u64,
    /// The attempt failed, and none follows.
    pub exhausted: u64,
}

/// The counts of one hour.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InHour<Counts> {
    /// When the hour began: RFC 3339.
    pub start: String,
    /// The counts.
    #[serde(flatten)]
    pub counts: Counts,
}

/// How often the keys of a user were used, by the day.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DailyUses {
    /// When the first of the 30 days began: RFC 3339.
    pub since: String,
    /// The keys, in the order of their last use or creation, newest first.
    pub keys: Vec<DailyUsesOfKey>,
}

/// How often one key was used.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DailyUsesOfKey {
    /// The key.
    pub key_id: String,
    /// How often the key was found good on each day.
    pub days: Vec<u64>,
}

/// How long attempts at the deliveries to a subscription took.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AttemptTimes {
    /// Only attempts that ended after this time count: RFC 3339.
    pub since: String,
    /// How many attempts count.
    pub attempts: u32,
    /// Half of the attempts took no longer, in milliseconds; `None` without an attempt.
    pub p50_ms: Option<u64>,
    /// 95 % of the attempts took no longer, in milliseconds; `None` without an attempt.
    pub p95_ms: Option<u64>,
}

/// Counts by the hour, for charts. `hours` is 1 to 744; the last hour is the present one.
impl Client {
    /// How often one of the user's keys was verified. Needs an [`IdToken`](crate::IdToken) as credential.
    ///
    /// # Errors
    ///
    /// Code `key_not_found`. Otherwise see [`Error`].
    pub async fn key_usage(&self, key_id: &str, hours: u32) -> Result<KeyUsage, Error> {
        self.hours(&format!("/api/api-keys/{}/usage", segment(key_id)), hours).await
    }

    /// How often the user's active keys were used in each of the last 30 days: at most the 25 keys that were used or
    /// made last. Needs an [`IdToken`](crate::IdToken) as credential.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn daily_uses(&self) -> Result<DailyUses, Error> {
        self.call(Method::GET, "/api/api-keys/usage", NO_BODY).await
    }

    /// How long the last attempts at the deliveries to a subscription took.
    ///
    /// # Errors
    ///
    /// Code `subscription_not_found`. Otherwise see [`Error`].
    pub async fn attempt_times(&self, id: &str) -> Result<AttemptTimes, Error> {
        self.call(Method::GET, &format!("/api/webhooks/subscriptions/{}/times", segment(id)), NO_BODY).await
    }

    /// How attempts at the deliveries to a subscription ended.
    ///
    /// # Errors
    ///
    /// Code `subscription_not_found`. Otherwise see [`Error`].
    pub async fn subscription_outcomes(&self, id: &str, hours: u32) -> Result<Outcomes, Error> {
        self.hours(&format!("/api/webhooks/subscriptions/{}/outcomes", segment(id)), hours).await
    }

    /// How attempts at the deliveries to all of the user's subscriptions ended.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn outcomes(&self, hours: u32) -> Result<Outcomes, Error> {
        self.hours("/api/webhooks/outcomes", hours).await
    }

    async fn hours<Answer: serde::de::DeserializeOwned>(&self, path: &str, hours: u32) -> Result<Answer, Error> {
        let query = query(&[("hours", Some(&hours.to_string()))]);
        self.call(Method::GET, &format!("{path}{query}"), NO_BODY).await
    }
}
