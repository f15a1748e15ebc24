use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, query};
use crate::subscriptions::Recovered;
use crate::{Client, Error};

const PATH: &str = "/api/webhooks/failures";

/// Why deliveries failed: where they go, and how their last attempt ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureCause {
    /// The subscription.
    pub subscription_id: String,
    /// Why the last attempt failed, such as `timeout`. `None` if the subscription was disabled before an attempt failed.
    pub error: Option<String>,
    /// The status of the answer to the last attempt; `None` without an answer.
    pub status: Option<u16>,
}

/// Deliveries that failed for the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FailureGroup {
    /// The cause.
    #[serde(flatten)]
    pub cause: FailureCause,
    /// The subscription's URL.
    pub url: String,
    /// How many deliveries failed for this cause.
    pub deliveries: u32,
    /// The delivery of the newest event.
    pub newest_delivery_id: String,
}

/// A user's failed deliveries, by cause.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Failures {
    /// The groups, the largest first.
    pub failures: Vec<FailureGroup>,
    /// Whether all failed deliveries are counted. Otherwise the newest 1,000 are.
    pub is_complete: bool,
}

/// Failed deliveries of a user. These calls accept a [`FullKey`](crate::FullKey) or an [`IdToken`](crate::IdToken) as
/// credential.
impl Client {
    /// The failed deliveries that can be retried, by cause: to all of the user's subscriptions, or to one.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_failures(&self, subscription_id: Option<&str>) -> Result<Failures, Error> {
        let path = format!("{PATH}{}", query(&[("subscriptionId", subscription_id)]));
        self.call(Method::GET, &path, NO_BODY).await
    }

    /// Of the newest 1,000 failed deliveries of the subscription, makes those with this cause due now, and returns how
    /// many.
    ///
    /// # Errors
    ///
    /// Code `subscription_not_found` or `subscription_disabled`. Otherwise see [`Error`].
    pub async fn retry_failures(&self, cause: &FailureCause) -> Result<u32, Error> {
        let retried: Recovered = self.call(Method::POST, &format!("{PATH}/retry"), Some(cause)).await?;
        Ok(retried.deliveries)
    }
}
