use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::audit::{AuditRetention, Origin};
use domain::memory::{ManualClock, MemoryWebhookStore, SeededEntropy};
use domain::ports::{
    Accepted, Attempt, CertificateReader, ClaimId, ClaimRequest, ClaimedLane, Clock, Completion, DeliveryQueue,
    Retained, SealedSecretStore as _, WebhookSender, WebhookStores,
};
use domain::webhooks::{
    AnswerHeaders, AttemptOutcome, AttemptRecord, CertificateFacts, ClaimEnd, CreateSubscription,
    CreateSubscriptionError, Description, EgressPolicy, EgressPolicySettings, EventType, FailureReason, FairShares,
    InvalidClientCertificate, OptionsChange, OurFault, PauseLengths, PublishEvent, PublishEventsError, PublisherId,
    RetrySchedule, SignerWish, SigningKind, SigningSecret, SubscribedEvents, SubscriptionChange,
    SubscriptionWithSecret, WebhookPolicy, WebhookPolicySettings, WebhookRules, Webhooks,
};
use domain::{KeyPolicy, OwnerId, Purges, SealingKeys, SubscriptionId, Timestamp};
use pollster::block_on;
use zeroize::Zeroizing;

use crate::disabled_after_recovery::DisabledAfterRecovery;

pub(crate) const MILLISECOND: Duration = Duration::from_millis(1);
pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const DAY: Duration = Duration::from_hours(24);

/// The use cases and their ports. At most 3 subscriptions, payloads of at most 2,000 bytes, a retention of 10 days, no
/// retries.
pub(crate) struct Desk {
    pub(crate) webhooks: Webhooks,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<MemoryWebhookStore>,
    pub(crate) alice: OwnerId,
    pub(crate) bob: OwnerId,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let start = Timestamp::parse_rfc3339("2026-11-21T01:42:03.120Z").unwrap();
        let (store, clock) = (Arc::new(MemoryWebhookStore::default()), Arc::new(ManualClock::new(start)));
        let webhooks = webhooks(&store, &clock, &[1]);
        Self { webhooks, clock, store, alice: user("alice"), bob: user("bob") }
    }

    /// The same service after a restart with these sealing keys, newest first.
    pub(crate) fn with_sealing_keys(&self, keys: &[u8]) -> Webhooks {
        webhooks(&self.store, &self.clock, keys)
    }

    /// From now on, the owner of a subscription disables it as soon as the store has recovered it.
    pub(crate) fn disable_after_each_recovery(&mut self) {
        let commands = Arc::new(DisabledAfterRecovery(Arc::clone(&self.store)));
        let stores = WebhookStores { commands, ..WebhookStores::of(&self.store) };
        self.webhooks = webhooks_on(stores, &self.clock, &[1]);
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Deletes one batch of webhooks that are past their retention.
    pub(crate) fn purge(&self) -> u32 {
        let purges = Purges {
            store: self.store.clone(),
            clock: self.clock.clone(),
            keys: KeyPolicy::default(),
            webhooks: self.webhooks.policy().clone(),
            audit: AuditRetention::default(),
        };
        block_on(purges.purge(Retained::Webhooks)).unwrap()
    }

    pub(crate) fn create(&self, secret: Option<&str>) -> Result<SubscriptionWithSecret, CreateSubscriptionError> {
        self.create_of(SigningKind::Hmac, secret)
    }

    pub(crate) fn create_of(
        &self,
        kind: SigningKind,
        secret: Option<&str>,
    ) -> Result<SubscriptionWithSecret, CreateSubscriptionError> {
        let signer = SignerWish::new(kind, secret.map(|text| SigningSecret::parse(text).unwrap())).unwrap();
        self.create_from(CreateSubscription { signer, ..self.request(&["invoice.*"]) })
    }

    /// The request of a subscription to these events.
    pub(crate) fn request(&self, events: &[&str]) -> CreateSubscription {
        CreateSubscription {
            url: self.webhooks.parse_target("https://example.com/hooks").unwrap(),
            events: SubscribedEvents::parse(events.iter().copied()).unwrap(),
            filter: None,
            description: Description::default(),
            signer: SignerWish::default(),
            order: None,
            options: OptionsChange::default(),
            by: None,
            created_by: None,
        }
    }

    pub(crate) fn create_from(
        &self,
        request: CreateSubscription,
    ) -> Result<SubscriptionWithSecret, CreateSubscriptionError> {
        block_on(self.webhooks.create_subscription(&self.alice, request, &Origin::SERVICE))
    }

    /// Disables a subscription in the name of Alice.
    pub(crate) fn disable(&self, id: SubscriptionId) {
        let off = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
        block_on(self.webhooks.change_subscription(&self.alice, id, &off, &Origin::SERVICE)).unwrap();
    }

    /// A new subscription to `invoice.*`, owned by Alice.
    pub(crate) fn subscribe(&self) -> SubscriptionId {
        self.create(None).unwrap().subscription.id
    }

    /// Publishes an event `invoice.paid` for Alice.
    pub(crate) fn publish(&self, data: &str, id: Option<&str>) -> Result<Accepted, PublishEventsError> {
        let event = self.event(data, id);
        block_on(self.webhooks.publish(vec![event], None)).map(|mut published| published.accepted.remove(0))
    }

    pub(crate) fn event<'a>(&self, data: &'a str, id: Option<&str>) -> PublishEvent<'a> {
        let event_type = EventType::parse("invoice.paid").unwrap();
        PublishEvent { owner: self.alice.clone(), event_type, data, id: id.map(|id| PublisherId::parse(id).unwrap()) }
    }

    /// Claims all deliveries that are due.
    pub(crate) fn claim(&self) -> Vec<ClaimedLane> {
        let (at, until) = (self.now(), self.now().plus(Duration::from_mins(1)));
        let request = ClaimRequest {
            claim: claim(),
            at,
            until,
            lanes_max: 100,
            room: 10_000,
            rooms: Vec::new(),
            shares: FairShares::new(u32::MAX),
            payload_bytes_max: u64::MAX,
        };
        block_on(self.store.claim(&request)).unwrap()
    }

    /// The signing secrets of a subscription, the current one first.
    pub(crate) fn secrets_of(&self, id: SubscriptionId) -> Vec<String> {
        let stored = block_on(self.store.list_secrets(None, 100)).unwrap();
        let stored = stored.into_iter().find(|(found, _)| *found == id).unwrap().1;
        let keys = SealingKeys::new(vec![Zeroizing::new([1; 32])]).unwrap();
        let sealed = [Some(stored.current), stored.previous.map(|(sealed, _)| sealed)];
        let open = |sealed| keys.unseal(&sealed, id).unwrap().signer.secret().unwrap().expose().to_owned();
        sealed.into_iter().flatten().map(open).collect()
    }

    /// Attempts all deliveries that are due, and returns how many. Failed deliveries are tried again after
    /// `retry_after`.
    pub(crate) fn dispatch(&self, retry_after: Option<Duration>) -> usize {
        self.complete(&self.claim(), retry_after)
    }

    /// Ends the attempts at the claimed deliveries now.
    pub(crate) fn complete(&self, lanes: &[ClaimedLane], retry_after: Option<Duration>) -> usize {
        self.end(lanes, retry_after, self.now())
    }

    /// Stores successes of earlier times.
    pub(crate) fn complete_at(&self, lanes: &[ClaimedLane], ended_at: Timestamp) {
        self.end(lanes, None, ended_at);
    }

    fn end(&self, lanes: &[ClaimedLane], retry_after: Option<Duration>, ended_at: Timestamp) -> usize {
        let deliveries = lanes.iter().flat_map(|lane| lane.deliveries.iter().map(|one| (lane.subscription, one)));
        let completions: Vec<Completion> = deliveries
            .map(|(subscription, delivery)| Completion {
                subscription,
                delivery: delivery.id,
                claim: claim(),
                end: claim_end(delivery.attempt, retry_after, ended_at),
            })
            .collect();
        block_on(self.store.complete(&completions)).unwrap().len()
    }
}

fn claim_end(number: u32, retry_after: Option<Duration>, ended_at: Timestamp) -> ClaimEnd {
    let failure = retry_after.map(|_| FailureReason::Timeout);
    let (started_at, duration) = (ended_at, Duration::ZERO);
    let attempt = AttemptRecord {
        number,
        started_at,
        duration,
        failure,
        status: None,
        headers: AnswerHeaders::default(),
        excerpt: Vec::new(),
    };
    match retry_after {
        Some(wait) => ClaimEnd::Failed {
            attempt,
            retry_after: None,
            retry_at: Some(ended_at.plus(wait)),
            pauses: PauseLengths::default(),
        },
        None => ClaimEnd::Delivered(attempt),
    }
}

fn user(subject: &str) -> OwnerId {
    OwnerId::new("https://id.example", subject).unwrap()
}

fn webhooks(store: &Arc<MemoryWebhookStore>, clock: &Arc<ManualClock>, keys: &[u8]) -> Webhooks {
    webhooks_on(WebhookStores::of(store), clock, keys)
}

fn webhooks_on(stores: WebhookStores, clock: &Arc<ManualClock>, keys: &[u8]) -> Webhooks {
    let own_addresses = Arc::new(Vec::new());
    let settings = EgressPolicySettings { allow_http: false, allowed_networks: Vec::new(), own_addresses };
    let policy = WebhookPolicySettings {
        max_subscriptions: 3,
        max_payload_bytes: 2_000,
        retention: 10 * DAY,
        retry_schedule: RetrySchedule::new(Vec::new()).unwrap(),
    };
    let keys = keys.iter().map(|byte| Zeroizing::new([*byte; 32])).collect();
    let rules = WebhookRules {
        policy: WebhookPolicy::new(policy).unwrap(),
        egress: EgressPolicy::new(settings),
        sealing_keys: Arc::new(SealingKeys::new(keys).unwrap()),
    };
    let outside = (Arc::new(NoTests) as _, Arc::new(NoTests) as _);
    Webhooks::new(stores, rules, outside, clock.clone(), Arc::new(SeededEntropy::new(5)))
}

/// Tests of URLs have their tests in `adapters-http`.
struct NoTests;

#[async_trait]
impl WebhookSender for NoTests {
    async fn send(&self, _: Attempt) -> AttemptOutcome {
        AttemptOutcome::NotCharged(OurFault::ConnectionLimit)
    }
}

impl CertificateReader for NoTests {
    fn read(&self, _: &str, _: &str) -> Result<CertificateFacts, InvalidClientCertificate> {
        Err(InvalidClientCertificate::Chain)
    }
}

fn claim() -> ClaimId {
    ClaimId::from_number(1)
}
