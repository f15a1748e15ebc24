use reqwest::Method;

use crate::deliveries::Changed;
use crate::rest_client::{NO_BODY, query, segment};
use crate::sessions::SessionList;
use crate::subscriptions::{RecoverBody, Recovered};
use crate::{
    Client, Delivery, DeliveryHistory, DeliveryPage, DeliveryQuery, Error, FailureCause, Failures, FoundSubscription,
    Session, SubscriptionPage,
};

/// The webhooks and sessions of any user, for support staff. These calls need an [`OperatorToken`](crate::OperatorToken)
/// as credential. The user sees in the audit log what was read.
impl Client {
    /// A page of a user's subscriptions, newest first: the first page, or the page of a `next_cursor`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_user_subscriptions(
        &self,
        user_id: &str,
        cursor: Option<&str>,
    ) -> Result<SubscriptionPage, Error> {
        let path = format!("{}{}", path(user_id, "subscriptions"), query(&[("cursor", cursor)]));
        self.call(Method::GET, &path, NO_BODY).await
    }

    /// A subscription of a user, and its health.
    ///
    /// # Errors
    ///
    /// Code `subscription_not_found`. Otherwise see [`Error`].
    pub async fn find_user_subscription(&self, user_id: &str, id: &str) -> Result<FoundSubscription, Error> {
        let path = format!("{}/{}", path(user_id, "subscriptions"), segment(id));
        self.call(Method::GET, &path, NO_BODY).await
    }

    /// Enables a subscription of a user, and makes its deliveries of events published since `since` (RFC 3339) due now.
    /// Returns how many deliveries that are. If the result is 100,000, call again.
    ///
    /// # Errors
    ///
    /// Code `subscription_not_found`. Otherwise see [`Error`].
    pub async fn recover_user_subscription(&self, user_id: &str, id: &str, since: &str) -> Result<u32, Error> {
        let path = format!("{}/{}/recover", path(user_id, "subscriptions"), segment(id));
        let recovered: Recovered = self.call(Method::POST, &path, Some(&RecoverBody { since })).await?;
        Ok(recovered.deliveries)
    }

    /// A page of the deliveries to a user, newest first, including deliveries to deleted subscriptions.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_user_deliveries(&self, user_id: &str, wanted: &DeliveryQuery) -> Result<DeliveryPage, Error> {
        let path = format!("{}{}", path(user_id, "deliveries"), wanted.to_query());
        self.call(Method::GET, &path, NO_BODY).await
    }

    /// A delivery to a user, with its event and the result of each attempt.
    ///
    /// # Errors
    ///
    /// Code `delivery_not_found`. Otherwise see [`Error`].
    pub async fn find_user_delivery(&self, user_id: &str, id: &str) -> Result<DeliveryHistory, Error> {
        let path = format!("{}/{}", path(user_id, "deliveries"), segment(id));
        self.call(Method::GET, &path, NO_BODY).await
    }

    /// Makes a delivery to a user due now, and restarts its retry schedule.
    ///
    /// # Errors
    ///
    /// Code `delivery_not_found`, `subscription_disabled` or `event_too_old`. Otherwise see [`Error`].
    pub async fn retry_user_delivery(&self, user_id: &str, id: &str) -> Result<Delivery, Error> {
        let path = format!("{}/{}/retry", path(user_id, "deliveries"), segment(id));
        let changed: Changed = self.call(Method::POST, &path, NO_BODY).await?;
        Ok(changed.delivery)
    }

    /// The failed deliveries to a user that can be retried, by cause: to all of the user's subscriptions, or to one.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_user_failures(&self, user_id: &str, subscription_id: Option<&str>) -> Result<Failures, Error> {
        let path = format!("{}{}", path(user_id, "failures"), query(&[("subscriptionId", subscription_id)]));
        self.call(Method::GET, &path, NO_BODY).await
    }

    /// Makes the deliveries to a user due now that failed for this cause, and returns how many: those among the newest
    /// 1,000 failed deliveries of the subscription.
    ///
    /// # Errors
    ///
    /// Code `subscription_not_found` or `subscription_disabled`. Otherwise see [`Error`].
    pub async fn retry_user_failures(&self, user_id: &str, cause: &FailureCause) -> Result<u32, Error> {
        let path = path(user_id, "failures/retry");
        let retried: Recovered = self.call(Method::POST, &path, Some(cause)).await?;
        Ok(retried.deliveries)
    }

    /// The sessions of a user, newest first.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_user_sessions(&self, user_id: &str) -> Result<Vec<Session>, Error> {
        let list: SessionList = self.call(Method::GET, &path(user_id, "sessions"), NO_BODY).await?;
        Ok(list.sessions)
    }

    /// Ends all sessions of a user. API keys stay good.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn end_user_sessions(&self, user_id: &str) -> Result<(), Error> {
        let _: SessionList = self.call(Method::DELETE, &path(user_id, "sessions"), NO_BODY).await?;
        Ok(())
    }
}

fn path(user_id: &str, what: &str) -> String {
    format!("/api/operator/users/{}/{what}", segment(user_id))
}
