use std::collections::BTreeMap;
use std::sync::Arc;

use super::webhook_policy::WebhookPolicy;
use crate::audit::{Cause, Origin};
use crate::catalogue::Catalogue;
use crate::ports::{
    CancelDeliveryRequest, CertificateReader, ChangeSubscriptionRequest, Clock, DeleteSubscriptionRequest,
    DeliveryPage, DisableSetByRequest, Entropy, EventPage, ListDeliveriesRequest, ListEventsRequest, LoggedEvent,
    OutcomesRequest, RetryRequest, StoreError, SubscriptionUpdate, WebhookSender, WebhookStores,
};
use crate::webhooks::{
    ClientCertificate, Delivery, DeliveryHistory, DisableReason, EgressPolicy, InvalidClientCertificate,
    InvalidTargetUrl, OptionsChange, OutcomeCounts, PublicKey, SealedOptionsChange, SubscriptionChange, TargetUrl,
};
use crate::{DeliveryId, EventId, Hour, KeyId, OwnerId, Placement, SealingKeys, SubscriptionId, Timestamp};

/// The most subscriptions that one transaction disables, which keeps it short.
const DISABLED_AT_ONCE_MAX: u32 = 100;

/// The rules that the use cases follow.
#[derive(Clone)]
pub struct WebhookRules {
    /// Limits.
    pub policy: WebhookPolicy,
    /// The policy for URLs of webhooks.
    pub egress: EgressPolicy,
    /// The keys that encrypt signing secrets before they are stored.
    pub sealing_keys: Arc<SealingKeys>,
}

/// The use cases of webhooks: `create_subscription`, `publish_events` and others have a file each. Use cases of a
/// single call of the store are below.
///
/// `owner` is the user who owns the subscriptions and deliveries; the caller has authenticated the user. The answer is
/// the same for a subscription or delivery of another user and for one that does not exist. `origin` is the source of
/// the call, for the audit log.
#[derive(Clone)]
pub struct Webhooks {
    pub(crate) stores: WebhookStores,
    pub(super) rules: WebhookRules,
    pub(super) tester: Arc<dyn WebhookSender>,
    pub(super) certificates: Arc<dyn CertificateReader>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(super) placement: Placement,
    /// Checks what is published; `None` if everything is accepted.
    pub(super) catalogue: Option<Arc<Catalogue>>,
}

impl Webhooks {
    /// The use cases on these ports. `tester` sends the [tests of URLs](Webhooks::test_url): it accepts calls on any
    /// thread, and refuses calls beyond its limits. `certificates` reads the client certificates of subscriptions.
    pub fn new(
        stores: WebhookStores,
        rules: WebhookRules,
        (tester, certificates): (Arc<dyn WebhookSender>, Arc<dyn CertificateReader>),
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        Self { stores, rules, tester, certificates, clock, entropy, placement: Placement::OneStore, catalogue: None }
    }

    /// The same, with this placement of new subscriptions.
    #[must_use]
    pub fn with_placement(self, placement: Placement) -> Self {
        Self { placement, ..self }
    }

    /// The same, which publishes what this catalogue accepts.
    #[must_use]
    pub fn with_catalogue(self, catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue: Some(catalogue), ..self }
    }

    /// The limits.
    pub fn policy(&self) -> &WebhookPolicy {
        &self.rules.policy
    }

    /// Parses `text` as a target, and checks whether webhooks may go there.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse_target(&self, text: &str) -> Result<TargetUrl, InvalidTargetUrl> {
        TargetUrl::parse(text, &self.rules.egress)
    }

    /// Seals the headers, the authentication and the client certificate for this subscription alone.
    pub fn seal_options(&self, id: SubscriptionId, change: OptionsChange) -> SealedOptionsChange {
        self.rules.sealing_keys.seal_options(change, id, &*self.entropy)
    }

    /// Reads a client certificate that is good now, and its private key, both in PEM.
    ///
    /// # Errors
    ///
    /// See [`InvalidClientCertificate`].
    pub fn read_certificate(&self, chain: &str, key: &str) -> Result<ClientCertificate, InvalidClientCertificate> {
        if chain.len() + key.len() > ClientCertificate::BYTES_MAX {
            return Err(InvalidClientCertificate::TooLong);
        }
        let facts = self.certificates.read(chain, key)?;
        if facts.expires_at <= self.clock.now() {
            return Err(InvalidClientCertificate::Expired);
        }
        Ok(ClientCertificate::new(facts, chain, key))
    }

    /// Changes the owner's subscription and returns the changed subscription.
    ///
    /// Disabling ends the waiting deliveries. Enabling starts with a new breaker, also if the service had disabled the
    /// subscription.
    ///
    /// # Errors
    ///
    /// If the store fails. The change may have been made anyway.
    pub async fn change_subscription(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
        change: &SubscriptionChange,
        origin: &Origin,
    ) -> Result<SubscriptionUpdate, StoreError> {
        let now = self.clock.now();
        self.stores
            .subscriptions
            .update(&ChangeSubscriptionRequest {
                owner: owner.clone(),
                id,
                change: change.clone(),
                at: now,
                cause: self.cause(origin, now),
            })
            .await
    }

    /// The keys that verify signatures of version `v1a` by a subscription of any owner now, newest first. None if it makes
    /// no such signatures, or does not exist.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn public_keys(&self, id: SubscriptionId) -> Result<Vec<PublicKey>, StoreError> {
        let stored = self.stores.secrets.find_secrets(id).await?;
        let signing = stored.map(|secrets| secrets.signing()).unwrap_or_default();
        Ok(signing.public_keys_at(self.clock.now()).copied().collect())
    }

    /// Disables all subscriptions that have their URL from one of these keys, which were reported as leaked.
    ///
    /// # Errors
    ///
    /// If the store fails. Some subscriptions may be disabled already, and another call continues with the rest.
    pub(crate) async fn disable_set_by_leaked(&self, keys: &[KeyId], origin: &Origin) -> Result<(), StoreError> {
        let (at, max, reason) = (self.clock.now(), DISABLED_AT_ONCE_MAX, DisableReason::KeyLeaked);
        let disable = async || {
            let request = DisableSetByRequest { keys: keys.to_vec(), reason, at, max, cause: self.cause(origin, at) };
            self.stores.subscriptions.disable_set_by(&request).await
        };
        while !keys.is_empty() && disable().await? == max {}
        Ok(())
    }

    /// Deletes the owner's subscription and ends the waiting deliveries; `false` if there is no such subscription. Its
    /// deliveries stay listed until they are purged.
    ///
    /// # Errors
    ///
    /// If the store fails. The subscription may have been deleted anyway.
    pub async fn delete_subscription(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
        origin: &Origin,
    ) -> Result<bool, StoreError> {
        let now = self.clock.now();
        self.stores
            .subscriptions
            .delete(&DeleteSubscriptionRequest { owner: owner.clone(), id, at: now, cause: self.cause(origin, now) })
            .await
    }

    /// A page of the owner's deliveries, newest first.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_deliveries(&self, request: &ListDeliveriesRequest) -> Result<DeliveryPage, StoreError> {
        self.stores.log.list(request).await
    }

    /// Cancels one of the owner's deliveries and returns it; `None` if there is no such delivery. A delivery that has
    /// ended does not change. An attempt that is running may still arrive.
    ///
    /// # Errors
    ///
    /// If the store fails. The delivery may have been cancelled anyway.
    pub async fn cancel_delivery(
        &self,
        owner: &OwnerId,
        id: DeliveryId,
        origin: &Origin,
    ) -> Result<Option<Delivery>, StoreError> {
        let now = self.clock.now();
        self.stores
            .commands
            .cancel(&CancelDeliveryRequest { owner: owner.clone(), id, at: now, cause: self.cause(origin, now) })
            .await
    }

    /// One of the owner's deliveries with its event and the [`SHOWN_ATTEMPTS_MAX`] newest attempts; `None` if there is
    /// no such delivery.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn find_delivery(&self, owner: &OwnerId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        self.stores.log.find(owner, id).await
    }

    /// A page of events of any owners, newest first, without payloads.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_events(&self, request: &ListEventsRequest) -> Result<EventPage, StoreError> {
        self.stores.operator_log.list_events(request).await
    }

    /// An event of any user; `None` if no event has this id.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn find_event(&self, id: EventId) -> Result<Option<LoggedEvent>, StoreError> {
        self.stores.operator_log.find_event(id).await
    }

    /// The outcomes in each of these hours: of one of the owner's subscriptions, or of all. Hours without one are absent.
    /// `None` if the owner has no subscription with this id. The counts of the last seconds may be missing.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn outcomes(
        &self,
        request: &OutcomesRequest,
    ) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        self.stores.log.outcomes(request).await
    }

    /// The cause of a change at `at`.
    pub(super) fn cause(&self, origin: &Origin, at: Timestamp) -> Cause {
        Cause::new(origin, at, &*self.entropy)
    }

    /// A retry by hand at `at`. Events as old as the policy allows can be delivered again.
    pub(super) fn retry_request(&self, at: Timestamp) -> RetryRequest {
        RetryRequest { at, published_since: at.minus(self.rules.policy.redelivery_age_max()) }
    }
}
