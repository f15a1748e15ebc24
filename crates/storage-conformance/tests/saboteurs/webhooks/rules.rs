use domain::ports::SubscriptionStore;
use domain::webhooks::{
    DeliveryFilter, DeliveryStateKind, Description, DisableReason, SealedOptions, SealedSecret, Signing,
    SubscribedEvents, Subscription, SubscriptionChange, SubscriptionHealth, SubscriptionStatus, TargetUrl,
};
use domain::{OwnerId, Patch, SubscriptionId};

use super::fault::Fault;
use super::store::Saboteur;

/// Subscriptions as they are stored and returned, wrong for some faults.
impl Saboteur {
    pub(crate) fn written(&self, subscription: &Subscription) -> Subscription {
        let mut written = subscription.clone();
        written.owner = self.as_known(&subscription.owner);
        written.created_at = self.as_written(subscription.created_at);
        written.updated_at = self.as_written(subscription.updated_at);
        match self.fault {
            Fault::ForgetsWhoSetTheUrl => written.url_set_by = None,
            Fault::ForgetsOptions => written.options = SealedOptions::default(),
            Fault::ForgetsFilters => written.filter = None,
            Fault::ForgetsWhoCreatedIt => written.created_by = None,
            Fault::DeliversPulled if written.url.is_pull() => {
                written.url = TargetUrl::from_stored("https://hooks.example/in").expect("the URL is valid");
            }
            Fault::ForgetsStatus => written.status = SubscriptionStatus::Enabled,
            Fault::CutsDescriptions => {
                let start: String = written.description.as_str().chars().take(255).collect();
                written.description = Description::parse(&start).expect("the start of a description is one");
            }
            Fault::KeepsTheFirstPattern => {
                let first = written.events.patterns()[0].as_str();
                written.events = SubscribedEvents::parse([first]).expect("a pattern is one");
            }
            _ => {}
        }
        written
    }

    pub(crate) fn sealed(&self, secret: &SealedSecret) -> SealedSecret {
        if !self.is(Fault::CutsSecretsAtZero) {
            return secret.clone();
        }
        let start = secret.as_bytes().iter().copied().take_while(|byte| *byte != 0);
        SealedSecret::from_bytes(start.collect())
    }

    pub(crate) async fn count(&self, owner: &OwnerId) -> u32 {
        let stored = self.every_subscription_of(owner).await.len();
        let memo = self.memo();
        let deleted = memo.deleted.iter().filter(|id| memo.owners.get(id) == Some(owner)).count();
        let counted = if self.is(Fault::CountsDeleted) { stored + deleted } else { stored };
        u32::try_from(counted).expect("a few rows")
    }

    /// The owner of the subscription that is changed.
    pub(crate) fn changed_owner(&self, owner: &OwnerId, id: SubscriptionId) -> OwnerId {
        let theirs = self.memo().owners.get(&id).cloned().filter(|_| self.is(Fault::ChangesAnybodys));
        theirs.unwrap_or_else(|| self.as_known(owner))
    }

    pub(crate) async fn shown(&self, subscription: &mut Subscription, health: &mut SubscriptionHealth) {
        let id = subscription.id;
        if self.is(Fault::ForgetsPublicKeys) {
            subscription.signing = Signing::default();
        }
        if self.is(Fault::CountsNoClaims) {
            let state = Some(DeliveryStateKind::Sending);
            let sent = DeliveryFilter { subscription: Some(id), state, ..DeliveryFilter::default() };
            let sent = self.deliveries_of(&subscription.owner, sent).await;
            health.waiting -= u32::try_from(sent.len()).expect("a few rows");
        }
        let memo = self.memo();
        if let Some(breaker) = memo.breakers.get(&id) {
            health.breaker = *breaker;
        }
        if let Some(attempt) = memo.last_attempts.get(&id) {
            health.last_attempt = Some(attempt.clone());
        }
        if memo.gone.contains(&id) {
            subscription.status = SubscriptionStatus::DisabledByService(DisableReason::Gone);
        }
    }

    pub(crate) fn is_hidden(&self, id: SubscriptionId) -> bool {
        self.is(Fault::DeletesWithoutClosing) && self.memo().deleted.contains(&id)
    }

    /// The change that is made, which may use values that were read earlier.
    pub(crate) async fn change(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
        change: &SubscriptionChange,
    ) -> SubscriptionChange {
        let mut change = change.clone();
        match self.fault {
            Fault::KeepsOldWishes => {
                (change.url, change.events, change.filter) = (None, None, Patch::Keep);
            }
            Fault::KeepsWhoSetTheUrl => {
                let read = SubscriptionStore::find(&self.inner, owner, id).await.expect("never fails");
                change.by = read.and_then(|(read, _)| read.url_set_by);
            }
            Fault::IgnoresDisabling if change.enabled == Some(false) => change.enabled = None,
            Fault::WritesWholeRows => {
                let read = SubscriptionStore::find(&self.inner, owner, id).await.expect("never fails");
                if let Some((read, _)) = read {
                    change.url.get_or_insert(read.url);
                    change.events.get_or_insert(read.events);
                    if change.filter == Patch::Keep {
                        change.filter = read.filter.map_or(Patch::Reset, Patch::Set);
                    }
                    change.description.get_or_insert(read.description);
                    change.enabled.get_or_insert(read.status.is_enabled());
                }
                self.gap().await;
            }
            _ => {}
        }
        change
    }
}
