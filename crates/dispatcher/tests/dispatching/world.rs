use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dispatcher::{Dispatcher, DispatcherPorts, DispatcherSettings};
use domain::memory::{MemoryWebhookStore, SeededEntropy, unique_cause};
use domain::ports::{
    Attempt, ChangeSubscriptionRequest, Clock, DeliveryLog, Entropy, EventStore, InsertSubscriptionRequest,
    ListDeliveriesRequest, Publication, RotateSecretRequest, SubscriptionInsertion, SubscriptionStore, WebhookSender,
};
use domain::webhooks::{
    Delivery, DeliveryFilter, DeliveryRate, DeliveryState, Description, Event, EventType, NewEvent, OnExhausted,
    Payload, SealedOptions, SealedOptionsChange, Signing, SigningSecret, SubscribedEvents, Subscription,
    SubscriptionChange, SubscriptionStatus, TargetUrl,
};
use domain::{DeliveryId, EventId, OwnerId, Patch, SealingKeys, SubscriptionId, Timestamp, TraceContext};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use zeroize::Zeroizing;

use crate::faulty_queue::{Fair, FaultyQueue};
use crate::receivers::{Reaction, Receivers};

/// The wall clock, besides the paused time of the runtime. It can be set forward and back.
pub(crate) struct SimulatedClock {
    start: Timestamp,
    began: Instant,
    ahead: Mutex<i64>,
    furthest: Mutex<i64>,
    is_uncertain: AtomicBool,
}

impl SimulatedClock {
    pub(crate) fn jump(&self, millis: i64) {
        let mut ahead = self.ahead.lock().unwrap();
        *ahead += millis;
        let mut furthest = self.furthest.lock().unwrap();
        *furthest = ahead.max(*furthest);
    }

    pub(crate) fn set_certain(&self, is_certain: bool) {
        self.is_uncertain.store(!is_certain, Ordering::SeqCst);
    }

    /// Moves to the furthest time that it has shown, so that everything becomes due.
    pub(crate) fn catch_up(&self) {
        *self.ahead.lock().unwrap() = *self.furthest.lock().unwrap();
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        let elapsed = i64::try_from(self.began.elapsed().as_millis()).unwrap();
        let millis = self.start.unix_millis() + elapsed + *self.ahead.lock().unwrap();
        Timestamp::from_unix_millis(millis).unwrap()
    }

    fn is_certain(&self) -> bool {
        !self.is_uncertain.load(Ordering::SeqCst)
    }
}

/// The database and the time, which all processes share.
pub(crate) struct World {
    pub(crate) store: Arc<MemoryWebhookStore>,
    pub(crate) clock: Arc<SimulatedClock>,
    pub(crate) entropy: Arc<SeededEntropy>,
    pub(crate) keys: Arc<SealingKeys>,
    /// The owner of most subscriptions.
    pub(crate) owner: OwnerId,
    owners: Mutex<BTreeMap<SubscriptionId, OwnerId>>,
    accepted: AtomicUsize,
}

impl World {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        let start = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
        Arc::new(Self {
            store: Arc::default(),
            clock: Arc::new(SimulatedClock {
                start,
                began: Instant::now(),
                ahead: Mutex::new(0),
                furthest: Mutex::new(0),
                is_uncertain: AtomicBool::new(false),
            }),
            entropy: Arc::new(SeededEntropy::new(seed)),
            keys: Arc::new(SealingKeys::new(vec![Zeroizing::new([7; 32])]).unwrap()),
            owner: OwnerId::new("https://id.example", "alice").unwrap(),
            owners: Mutex::default(),
            accepted: AtomicUsize::new(0),
        })
    }

    /// A world with one subscription, to all events at this URL.
    pub(crate) async fn with_lane(url: &str) -> (Arc<Self>, SubscriptionId) {
        let world = Self::new(1);
        let lane = world.subscribe(url).await;
        (world, lane)
    }

    /// A world with `count` subscriptions, each at its own host.
    pub(crate) async fn with_lanes(count: usize) -> (Arc<Self>, Vec<SubscriptionId>) {
        let (world, mut lanes) = (Self::new(1), Vec::new());
        for n in 0..count {
            lanes.push(world.subscribe(&format!("https://receiver-{n}.example/")).await);
        }
        (world, lanes)
    }

    /// A number below `bound`.
    pub(crate) fn draw(&self, bound: u64) -> u64 {
        let mut bytes = [0; 8];
        self.entropy.fill(&mut bytes);
        u64::from_le_bytes(bytes) % bound
    }

    /// One of these.
    pub(crate) fn draw_from<T: Copy>(&self, values: &[T]) -> T {
        values[usize::try_from(self.draw(values.len() as u64)).unwrap()]
    }

    fn secret(&self, id: SubscriptionId, text: &str) -> domain::webhooks::SealedSecret {
        self.keys.seal(&SigningSecret::parse(text).unwrap().into(), id, &*self.entropy)
    }

    /// A subscription to all events at this URL, signed with the secret `swordfish`.
    pub(crate) async fn subscribe(&self, url: &str) -> SubscriptionId {
        self.subscribe_for(&self.owner, url).await
    }

    /// The same for another owner.
    pub(crate) async fn subscribe_for(&self, owner: &OwnerId, url: &str) -> SubscriptionId {
        self.subscribe_in_order(owner, url, None).await
    }

    /// The same with an order.
    pub(crate) async fn subscribe_in_order(
        &self,
        owner: &OwnerId,
        url: &str,
        order: Option<OnExhausted>,
    ) -> SubscriptionId {
        let now = self.clock.now();
        let id = SubscriptionId::mint(now, &*self.entropy);
        let subscription = Subscription {
            id,
            owner: owner.clone(),
            url: TargetUrl::from_stored(url).unwrap(),
            events: SubscribedEvents::parse(["*"]).unwrap(),
            filter: None,
            url_set_by: None,
            description: Description::default(),
            status: SubscriptionStatus::Enabled,
            created_at: now,
            updated_at: now,
            created_by: None,
            options: SealedOptions { order, ..SealedOptions::default() },
            signing: Signing::default(),
        };
        let insertion = self
            .store
            .insert_within(&InsertSubscriptionRequest {
                subscription: subscription.clone(),
                secret: self.secret(id, "swordfish"),
                max: 1_000,
                cause: unique_cause(),
            })
            .await;
        assert_eq!(insertion.unwrap(), SubscriptionInsertion::Stored);
        self.owners.lock().unwrap().insert(id, owner.clone());
        id
    }

    /// Gives the subscription this rate.
    pub(crate) async fn set_rate(&self, id: SubscriptionId, rate: Option<DeliveryRate>) {
        let max_per_second = rate.map_or(Patch::Reset, Patch::Set);
        let options = SealedOptionsChange { max_per_second, ..SealedOptionsChange::default() };
        self.change(id, SubscriptionChange { options, ..SubscriptionChange::default() }).await;
    }

    /// Makes this change, in the name of the owner of the subscription.
    pub(crate) async fn change(&self, id: SubscriptionId, change: SubscriptionChange) {
        let (owner, at) = (self.owner_of(id), self.clock.now());
        let request = ChangeSubscriptionRequest { owner, id, change, at, cause: unique_cause() };
        self.store.update(&request).await.unwrap();
    }

    /// Gives the subscription the secret `rotated`. The one before it signs, too, for this time.
    pub(crate) async fn rotate_secret(&self, id: SubscriptionId, overlap: Duration) {
        let (owner, at, secret) = (self.owner_of(id), self.clock.now(), self.secret(id, "rotated"));
        let previous_until = at.plus(overlap);
        let request =
            RotateSecretRequest { owner, id, of_kind: None, secret, previous_until, at, cause: unique_cause() };
        self.store.rotate_secret(&request).await.unwrap();
    }

    pub(crate) fn owner_of(&self, lane: SubscriptionId) -> OwnerId {
        self.owners.lock().unwrap()[&lane].clone()
    }

    /// All owners of subscriptions.
    pub(crate) fn owners(&self) -> BTreeSet<OwnerId> {
        self.owners.lock().unwrap().values().cloned().collect()
    }

    /// Publishes `count` events to all subscriptions, or to one.
    pub(crate) async fn publish(&self, count: usize, only: Option<SubscriptionId>) -> Vec<EventId> {
        self.publish_for(&self.owner, count, only).await
    }

    /// The same for another owner.
    pub(crate) async fn publish_for(
        &self,
        owner: &OwnerId,
        count: usize,
        only: Option<SubscriptionId>,
    ) -> Vec<EventId> {
        let events = self.events(owner, count, only);
        self.accept(&events).await;
        events.iter().map(|new| new.event.id).collect()
    }

    /// Publishes `count` events in the process with this queue. Other calls publish outside of all processes.
    pub(crate) async fn publish_beside(
        &self,
        queue: &FaultyQueue,
        owner: &OwnerId,
        count: usize,
        only: Option<SubscriptionId>,
    ) {
        let publication = queue.publish(&self.events(owner, count, only)).await;
        self.note(publication, only).await;
    }

    fn events(&self, owner: &OwnerId, count: usize, only: Option<SubscriptionId>) -> Vec<NewEvent> {
        (0..count).map(|_| self.event(owner, only)).collect()
    }

    /// Publishes an event to one subscription, in this span.
    pub(crate) async fn publish_traced(&self, only: SubscriptionId, trace: Option<TraceContext>) {
        self.accept(&[NewEvent { trace, ..self.event(&self.owner, Some(only)) }]).await;
    }

    /// Publishes `count` events of `bytes` bytes to one subscription.
    pub(crate) async fn publish_large(&self, count: usize, bytes: usize, only: SubscriptionId) {
        let mut events: Vec<NewEvent> = (0..count).map(|_| self.event(&self.owner, Some(only))).collect();
        for new in &mut events {
            new.event.payload = Payload::from_bytes(vec![b' '; bytes]);
        }
        self.accept(&events).await;
    }

    async fn accept(&self, events: &[NewEvent]) {
        let only = events.first().and_then(|new| new.only);
        self.note(self.store.publish(events).await.unwrap(), only).await;
    }

    /// Counts the stored deliveries, missed ones included.
    async fn note(&self, publication: Publication, only: Option<SubscriptionId>) {
        let Publication::Accepted(accepted) = publication else { panic!("events without a key do not conflict") };
        let deliveries: u32 = accepted.iter().map(|one| one.deliveries).sum();
        let mut stored = deliveries as usize;
        if only.is_none() {
            stored = 0;
            for one in &accepted {
                let lanes: Vec<SubscriptionId> = self.owners.lock().unwrap().keys().copied().collect();
                for lane in lanes {
                    let id = DeliveryId::of(one.event.id, lane);
                    let found = DeliveryLog::find(&*self.store, &one.event.owner, id).await.unwrap();
                    stored += usize::from(found.is_some());
                }
            }
            assert!(stored >= deliveries as usize, "each delivery is stored");
        }
        self.accepted.fetch_add(stored, Ordering::SeqCst);
    }

    /// How many deliveries were promised.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    fn event(&self, owner: &OwnerId, only: Option<SubscriptionId>) -> NewEvent {
        let created_at = self.clock.now();
        let event_type = EventType::parse("v1/invoice.paid").unwrap();
        let payload = Payload::compose(&event_type, created_at, "{}", 1_000).unwrap();
        let id = EventId::mint(created_at, &*self.entropy);
        let event = Event { id, owner: owner.clone(), event_type, payload, created_at };
        NewEvent { event, publication: None, only, trace: None }
    }

    /// The deliveries of all owners.
    pub(crate) async fn deliveries(&self) -> Vec<Delivery> {
        let mut deliveries = Vec::new();
        for owner in self.owners() {
            let filter = DeliveryFilter::default();
            let request = ListDeliveriesRequest { owner, filter, before: None, max: u32::MAX };
            let listed = DeliveryLog::list(&*self.store, &request).await.unwrap();
            deliveries.extend(listed.deliveries.into_iter().map(|one| one.delivery));
        }
        deliveries
    }

    /// Deliveries that have not ended.
    pub(crate) async fn open(&self) -> usize {
        let deliveries = self.deliveries().await;
        deliveries.iter().filter(|delivery| !matches!(delivery.state, DeliveryState::Ended { .. })).count()
    }

    pub(crate) fn dispatcher(
        &self,
        queue: Arc<FaultyQueue>,
        sender: Arc<dyn WebhookSender>,
        settings: DispatcherSettings,
    ) -> Arc<Dispatcher> {
        self.dispatcher_by(self.clock.clone(), queue, sender, settings)
    }

    /// A dispatcher with this clock.
    pub(crate) fn dispatcher_by(
        &self,
        clock: Arc<dyn Clock>,
        queue: Arc<FaultyQueue>,
        sender: Arc<dyn WebhookSender>,
        settings: DispatcherSettings,
    ) -> Arc<Dispatcher> {
        let (keys, entropy) = (self.keys.clone(), self.entropy.clone());
        Dispatcher::new(DispatcherPorts { queue, sender, keys, clock, entropy, tracer: None }, settings)
    }

    /// Runs a dispatcher on a queue without faults. It stops when the third value is dropped.
    pub(crate) fn run(
        &self,
        react: impl Fn(&Attempt) -> Reaction + Send + Sync + 'static,
        settings: DispatcherSettings,
    ) -> (Arc<FaultyQueue>, Arc<Receivers>, Running) {
        let (queue, receivers) = (FaultyQueue::new(&self.store, Arc::new(Fair)), Receivers::new(react));
        let running = Running::new(self.dispatcher(queue.clone(), receivers.clone(), settings));
        (queue, receivers, running)
    }
}

/// A dispatcher that runs until this is dropped.
pub(crate) struct Running {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) task: tokio::task::JoinHandle<()>,
    pub(crate) stop: CancellationToken,
    _guard: DropGuard,
}

impl Running {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn(dispatcher.clone().run(stop.clone()));
        Self { dispatcher, task, stop: stop.clone(), _guard: stop.drop_guard() }
    }
}

pub(crate) async fn pass(duration: Duration) {
    tokio::time::sleep(duration).await;
}

pub(crate) fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

pub(crate) fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}
