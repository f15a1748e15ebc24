use std::sync::Arc;

use domain::ports::{Clock, DeliveryQueue, Entropy, WebhookSender};
use domain::{SealingKeys, Tracer};
use tokio::sync::Notify;

use crate::counters::Counters;
use crate::outcome_tally::OutcomeTally;
use crate::{COUNTED_MAX, DispatcherCounts, DispatcherDurations, DispatcherSettings};

/// The ports that a dispatcher needs.
pub struct DispatcherPorts {
    /// Hands out due deliveries.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Sends webhooks.
    pub sender: Arc<dyn WebhookSender>,
    /// Opens the subscriptions' signing secrets.
    pub keys: Arc<SealingKeys>,
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// Names claims, and spreads retries.
    pub entropy: Arc<dyn Entropy>,
    /// Records attempts; `None` without tracing.
    pub tracer: Option<Arc<Tracer>>,
}

/// Delivers webhooks.
pub struct Dispatcher {
    pub(crate) queue: Arc<dyn DeliveryQueue>,
    pub(crate) sender: Arc<dyn WebhookSender>,
    pub(crate) keys: Arc<SealingKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) tracer: Option<Arc<Tracer>>,
    pub(crate) settings: DispatcherSettings,
    pub(crate) counters: Counters,
    pub(crate) outcomes: OutcomeTally,
    /// Wakes the sweep when a lane has been closed.
    pub(crate) lane_closed: Notify,
}

impl Dispatcher {
    /// A dispatcher that is idle until [`Dispatcher::run`].
    pub fn new(ports: DispatcherPorts, settings: DispatcherSettings) -> Arc<Self> {
        let DispatcherPorts { queue, sender, keys, clock, entropy, tracer } = ports;
        let (counters, lane_closed) = (Counters::default(), Notify::new());
        let outcomes = OutcomeTally::new(COUNTED_MAX);
        Arc::new(Self { queue, sender, keys, clock, entropy, tracer, settings, counters, outcomes, lane_closed })
    }

    /// The counts so far.
    pub fn counts(&self) -> DispatcherCounts {
        self.counters.read()
    }

    /// How long attempts have taken, and how long deliveries have waited for their first, so far.
    pub fn durations(&self) -> DispatcherDurations {
        self.counters.read_durations()
    }
}
