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

/// What is counted in one hour.
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
