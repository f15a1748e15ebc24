//! A report of leaked keys while one of the shards is down.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use domain::audit::Origin;
use domain::memory::{ManualClock, SeededEntropy};
use domain::ports::{
    Attempt, CertificateReader, CredentialStore, KeyStores, ListSubscriptionsRequest, Store, SubscriptionStore,
    WebhookSender, WebhookStores,
};
use domain::webhooks::{
    AttemptOutcome, CertificateFacts, CreateSubscription, Description, DisableReason, EgressPolicy,
    EgressPolicySettings, InvalidClientCertificate, OptionsChange, OurFault, SignerWish, SubscribedEvents,
    SubscriptionStatus, WebhookPolicy, WebhookPolicySettings, WebhookRules, Webhooks,
};
use domain::{
    ApiKey, CreateKey, CreatedKey, Home, KeyPolicy, Keys, Label, OwnerId, Placement, ReportLeaksError, SealingKeys,
    report_leaks,
};
use sharded_store::ShardedStore;
use storage_conformance::requests::{at, user};

use crate::composed::{Counting, LookUps, memory_store};

const SHARDS: u16 = 3;
/// More than one transaction disables.
const SUBSCRIPTIONS: u32 = 101;

/// The use cases on three stores in memory, of which the first can be stopped.
struct World {
    store: Arc<ShardedStore>,
    first: Arc<LookUps>,
    keys: Keys,
    webhooks: Webhooks,
}

impl World {
    fn new() -> Self {
        let mut shards: Vec<Store> = (0..SHARDS).map(|_| memory_store()).collect();
        let first = Arc::<LookUps>::default();
        let credentials = Arc::clone(&shards[0].keys.credentials);
        shards[0].keys.credentials = Arc::new(Counting { store: credentials, look_ups: Arc::clone(&first) });
        let store = Arc::new(ShardedStore::new(shards));
        let (clock, entropy) = (Arc::new(ManualClock::new(at(0))), Arc::new(SeededEntropy::new(7)));
        let policy = KeyPolicy::default();
        let keys =
            Keys::new(KeyStores::of(&store), store.clone(), Arc::new(()), clock.clone(), entropy.clone(), policy);
        let webhooks =
            Webhooks::new(WebhookStores::of(&store), rules(), (Arc::new(NoTests), Arc::new(NoTests)), clock, entropy);
        let placement = Placement::Shards(SHARDS);
        Self { store, first, keys: keys.with_placement(placement), webhooks: webhooks.with_placement(placement) }
    }

    async fn create(&self, owner: &OwnerId) -> CreatedKey {
        let label = Label::parse("CI").expect("a valid label");
        self.keys.create(owner, CreateKey::named(label), &Origin::SERVICE).await.expect("all shards are up")
    }

    async fn subscribe(&self, owner: &OwnerId, by: &CreatedKey) {
        let request = CreateSubscription {
            url: self.webhooks.parse_target("https://thief.example/hooks").expect("a valid URL"),
            events: SubscribedEvents::parse(["*"]).expect("a valid pattern"),
            filter: None,
            description: Description::default(),
            signer: SignerWish::default(),
            order: None,
            options: OptionsChange::default(),
            by: Some(by.id),
            created_by: None,
        };
        self.webhooks.create_subscription(owner, request, &Origin::SERVICE).await.expect("all shards are up");
    }

    async fn report(&self, keys: &[&CreatedKey]) -> Result<(), ReportLeaksError> {
        let tokens: Vec<&str> = keys.iter().map(|key| key.full_key.expose()).collect();
        report_leaks(&self.keys, &self.webhooks, &tokens, &Origin::SERVICE).await.map(|_| ())
    }

    /// How many subscriptions of the owner have this status.
    async fn count(&self, owner: &OwnerId, status: SubscriptionStatus) -> usize {
        let request = ListSubscriptionsRequest { owner: owner.clone(), before: None, max: u32::MAX };
        let all = SubscriptionStore::list(&*self.store, &request).await.expect("this shard is up");
        all.iter().filter(|one| one.status == status).count()
    }
}

#[tokio::test]
async fn what_was_found_is_disabled_before_a_report_fails() {
    let world = World::new();
    let [down, first, second] = &[0, 1, 2].map(owner_in);
    let (of_down, of_first, of_second) =
        (world.create(down).await, world.create(first).await, world.create(second).await);
    world.subscribe(down, &of_down).await;
    world.subscribe(first, &of_first).await;
    for _ in 0..SUBSCRIPTIONS {
        world.subscribe(second, &of_second).await;
    }
    let leaked = SubscriptionStatus::DisabledByService(DisableReason::KeyLeaked);

    world.first.is_down.store(true, Ordering::Relaxed);
    let refused = world.report(&[&of_down, &of_first, &of_second]).await;
    assert!(matches!(refused, Err(ReportLeaksError::Store(_))), "a key may be in the shard that is down: {refused:?}");
    for key in [&of_first, &of_second] {
        let stored = CredentialStore::<ApiKey>::find_by_digest(&*world.store, &key.full_key.digest())
            .await
            .expect("its shard is up");
        assert!(stored.expect("it is stored").revoked_at.is_some());
    }
    assert_eq!(world.count(first, leaked).await, 1);
    assert_eq!(world.count(second, leaked).await, SUBSCRIPTIONS as usize);

    world.first.is_down.store(false, Ordering::Relaxed);
    // The shard counts as up when it is tried again.
    while world.report(&[&of_down, &of_first, &of_second]).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(world.count(down, leaked).await, 1, "a repetition completes the report");
}

/// An owner in this shard.
fn owner_in(shard: usize) -> OwnerId {
    let mut owners = (0..).map(|n| user(&format!("user-{n}")));
    owners.find(|owner| Home::of(owner).shard(SHARDS.into()) == shard).expect("every shard has owners")
}

fn rules() -> WebhookRules {
    let policy = WebhookPolicySettings { max_subscriptions: 2 * SUBSCRIPTIONS, ..WebhookPolicySettings::default() };
    let own_addresses = Arc::new(Vec::new());
    let egress = EgressPolicySettings { allow_http: false, allowed_networks: Vec::new(), own_addresses };
    WebhookRules {
        policy: WebhookPolicy::new(policy).expect("a valid policy"),
        egress: EgressPolicy::new(egress),
        sealing_keys: Arc::new(SealingKeys::new(vec![[7; 32].into()]).expect("a key")),
    }
}

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
